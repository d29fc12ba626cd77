"""Layer norm and RMS norm commute with every permutation of the rows.

A mean and a variance over the features of a token are numbers of that token; gain and bias are the
same for all tokens. So a norm acts on each row, and cannot add order. (It can lose what order there
is: equal rows may come out of unequal ones.)
"""

from orderproof.numeric.reference import encoder as reference
from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Claim,
    Named,
    Sentence,
    TheoremFile,
    equivariance,
    in_rocq,
    nearby,
    sizes,
)
from orderproof.proofs.marks.numeric import Reference, by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy_to
from orderproof.proofs.shared.encoder_symbols import EPSILON, POSITIVE, show
from orderproof.proofs.shared.symbols import TOKENS, X, d, sigma
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.models.attention import (
    layer_norm,
    mean_definition,
    rms_norm,
    variance_definition,
)
from orderproof.symbolic.models.builders import inverse, moved, tensor

gamma, beta = tensor("gamma", c=d), tensor("beta", c=d)
NORMED = layer_norm(X, gamma, beta, EPSILON, "c")
SCALED = rms_norm(X, gamma, EPSILON, "c")


def theorem() -> TheoremFile:
    """LayerNorm(P X) = P LayerNorm(X), and the same of RMSNorm."""

    def claim(t: Term, expected: Reference) -> Claim:
        marks = {"sympy": by_sympy_to(3, d=3), "numeric": by_numpy(expected)}
        return equivariance(
            t, TOKENS, {"i": sigma}, marks, row="i", column="c",
            given=[POSITIVE], over=sizes({d: 1}),
        )  # fmt: skip

    norm = claim(
        NORMED, lambda t: reference.layer_norm(t["X"], t["gamma"], t["beta"], t["epsilon"])
    )
    root = claim(SCALED, lambda t: reference.rms_norm(t["X"], t["gamma"], t["epsilon"]))
    return TheoremFile(
        id="norms_equivariant",
        title="Layer norm and RMS norm are permutation equivariant",
        words=(
            Sentence("Layer norm and RMS norm commute with a permutation of the rows.", (0, 1)),
        ),
        claims=in_rocq("row_wise_equivariant", norm, root),
        derivation="""
            N_L′ = LayerNorm(P X, γ, β, ε)   by definition
                 = P LayerNorm(X, γ, β, ε)   LayerNorm acts on each row
                 = P N_L                     by definition

            N_R′ = RMSNorm(P X, γ, ε)        by definition
                 = P RMSNorm(X, γ, ε)        RMSNorm acts on each row
                 = P N_R                     by definition
        """,
        uses=("qkv_equivariant",),
        neighbour=nearby(
            norm,
            "With Pᵀ in place of P it fails at a 3-cycle.",
            rhs=moved(NORMED, i=inverse(sigma)),
        ),
        source="layer norm: Ba et al. 2016, eq. (3); RMS norm: Zhang and Sennrich 2019, eq. (4)",
        citations=("ba2016", "zhang2019"),
        show=show(Named("N_L", NORMED, "i", "c"), Named("N_R", SCALED, "i", "c")),
        definitions=(
            mean_definition(d),
            variance_definition(d),
            NORMED.node.op,
            SCALED.node.op,
        ),
    )


if __name__ == "__main__":
    main(__spec__)
