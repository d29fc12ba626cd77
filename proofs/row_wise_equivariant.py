"""Norms, feed-forward maps and residuals act on each row, so they commute with permutations.

A mean and a variance over the features of a token are numbers of that token; gain, bias and the
weights of the feed-forward are the same for all tokens. Nothing here looks from one row to
another, and so none of it can add order. (It need not keep what order there is: a norm can lose
it.) The same holds for any map f of rows: nothing need be known of it.
"""

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

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
from orderproof.proofs.shared.encoder_symbols import EPSILON, POSITIVE, WEIGHTS, d_f, show
from orderproof.proofs.shared.symbols import TOKENS, X, d, n, sigma
from orderproof.symbolic.calculus.terms import Op, Term
from orderproof.symbolic.models.attention import (
    feed_forward,
    gelu,
    layer_norm,
    mean_definition,
    relu,
    rms_norm,
    variance_definition,
)
from orderproof.symbolic.models.builders import add, inverse, leaf_of, moved, opaque, tensor

gamma, beta = tensor("gamma", c=d), tensor("beta", c=d)
T = tensor("T", i=n, c=d)  # the tokens before some map, that a residual adds back
NORMED = layer_norm(X, gamma, beta, EPSILON, "c")
SCALED = rms_norm(X, gamma, EPSILON, "c")
FED = feed_forward(X, WEIGHTS, relu)
SMOOTH = feed_forward(X, WEIGHTS, gelu)
RESIDUAL = add(T, X)
ANY = opaque("f", {"c": "c"}, X, {"u": d_f})
BOTH = TOKENS | {leaf_of(T): (sigma, None)}
Values = dict[str, NDArray[Any]]


def fed(activation: reference.Activation) -> Callable[[Values], NDArray[Any]]:
    """The feed-forward map with an activation, from the paper."""
    return lambda t: reference.feed_forward(t["X"], t, activation)


def theorem() -> TheoremFile:
    """Layer norm, RMS norm, feed-forward with ReLU and GELU, residual, any map of rows."""

    def claim(
        t: Term,
        expected: Reference | None,
        *,
        column: str = "c",
        moves: dict[Op, Any] = TOKENS,
        positive: bool = False,
    ) -> Claim:
        marks = {"sympy": by_sympy_to(3, d=3), "numeric": by_numpy(expected)}
        return equivariance(
            t, moves, {"i": sigma}, marks, row="i", column=column,
            given=[POSITIVE] * positive, over=sizes({d: 1}) if positive else sizes(),
        )  # fmt: skip

    norm = claim(
        NORMED,
        lambda t: reference.layer_norm(t["X"], t["gamma"], t["beta"], t["epsilon"]),
        positive=True,
    )
    root = claim(
        SCALED, lambda t: reference.rms_norm(t["X"], t["gamma"], t["epsilon"]), positive=True
    )
    terms = {"N_L": NORMED, "N_R": SCALED, "H_R": FED, "H_G": SMOOTH, "Y": RESIDUAL, "F": ANY}
    return TheoremFile(
        id="row_wise_equivariant",
        title="Norms, feed-forward maps and residuals are permutation equivariant",
        words=(
            Sentence(
                "Layer norm, RMS norm, a feed-forward map with ReLU or GELU, a residual and "
                "any other map of each row commute with a permutation of the rows.",
                (0, 1, 2, 3, 4, 5),
            ),
            Sentence("They add no order.", ()),
        ),
        claims=in_rocq(
            "row_wise_equivariant",
            norm,
            root,
            claim(FED, fed(reference.relu)),
            claim(SMOOTH, fed(reference.gelu)),
            claim(RESIDUAL, lambda t: t["T"] + t["X"], moves=BOTH),
            claim(ANY, None, column="u"),
        ),
        derivation="""
            N_L′ = LayerNorm(P X, γ, β, ε)   by definition
                 = P LayerNorm(X, γ, β, ε)   LayerNorm acts on each row
                 = P N_L                     by definition

            N_R′ = RMSNorm(P X, γ, ε)        by definition
                 = P RMSNorm(X, γ, ε)        RMSNorm acts on each row
                 = P N_R                     by definition

            H_R′ = ReLUFFN(P X, θ_F)         by definition
                 = P ReLUFFN(X, θ_F)         ReLUFFN acts on each row
                 = P H_R                     by definition

            H_G′ = GELUFFN(P X, θ_F)         by definition
                 = P GELUFFN(X, θ_F)         GELUFFN acts on each row
                 = P H_G                     by definition

            Y′ = P T + P X                   by definition
               = P (T + X)                   P A + P B = P (A + B)
               = P Y                         by definition

            F′ = f(P X)                      by definition
               = P f(X)                      f acts on each row
               = P F                         by definition
        """,
        uses=("qkv_equivariant",),
        neighbour=nearby(
            norm,
            "With Pᵀ in place of P it fails at a 3-cycle.",
            rhs=moved(NORMED, i=inverse(sigma)),
        ),
        source="S2; layer norm: Ba et al. 2016, eq. (3); RMS norm: Zhang and Sennrich 2019, eq. "
        "(4); feed-forward: Vaswani et al. 2017, eq. (2); GELU: Hendrycks and Gimpel 2016",
        citations=("ba2016", "zhang2019", "vaswani2017", "hendrycks2016", "s2"),
        show=show(*(Named(x, t, "i", "u" if x == "F" else "c") for x, t in terms.items())),
        definitions=(
            mean_definition(d),
            variance_definition(d),
            *(t.node.op for t in (NORMED, SCALED, FED, SMOOTH)),
        ),
    )


if __name__ == "__main__":
    main(__spec__)
