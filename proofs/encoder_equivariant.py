"""An encoder of any depth, each layer with weights of its own, commutes with every permutation.

By induction on the depth: X_l′ = P X_l for the tokens after l layers, since the next block is given
nothing but them. The kernel has no induction; each depth is a derivation of its own, made by one
program, and the claims here are for depths 1, 2 and 12. From two layers on SymPy's entries are too
large to build within seconds. Twelve post-norm layers make the rows so nearly equal, and the
worst-case rounding bound so large, that a numeric check could not tell P from Pᵀ: that claim rests
on the kernel alone. Twelve pre-norm layers keep the rows apart.
"""

import numpy as np

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Check,
    Claim,
    Named,
    Sentence,
    TheoremFile,
    equivariance,
    in_rocq,
    nearby,
)
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy_to
from orderproof.proofs.shared.encoder_models import FINAL, POST, PRE, post, pre
from orderproof.proofs.shared.encoder_symbols import POSITIVE, show
from orderproof.proofs.shared.symbols import TOKENS, sigma
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.models.builders import inverse, moved


def theorem() -> TheoremFile:
    """Post-norm at depths 1, 2 and 12; pre-norm with its final norm at depth 12."""

    def claim(t: Term, marks: dict[str, Check]) -> Claim:
        return equivariance(t, TOKENS, {"i": sigma}, marks, row="i", column="c", given=[POSITIVE])

    claims = (
        claim(
            POST[0],
            {
                "sympy": by_sympy_to(3, d=3),
                "numeric": by_numpy(post(1), scale=1 / 8),
            },
        ),
        claim(POST[1], {"numeric": by_numpy(post(2), scale=1 / 8)}),
        claim(POST[11], {}),
        claim(
            FINAL,
            {
                "numeric": by_numpy(pre, scale=1 / 8, dtypes=(np.float64,)),
            },
        ),
    )
    states = [Named(f"X_{number}", t, "i", "c") for number, t in enumerate(POST, 1)]
    normed = [Named(f"H_{number}", t, "i", "c") for number, t in enumerate(PRE, 1)]
    transposed = "With Pᵀ in place of P it fails at a 3-cycle"
    return TheoremFile(
        id="encoder_equivariant",
        title="Encoders of depth 1, 2 and 12 are permutation equivariant",
        words=(
            Sentence(
                "Permuting the tokens permutes the outputs of a post-norm encoder of depth 1, "
                "2 and 12, each layer with weights of its own.",
                (0, 1, 2),
            ),
            Sentence("So it does for a pre-norm encoder of depth 12 with its final norm.", (3,)),
            Sentence("Each depth is a derivation of its own.", ()),
        ),
        claims=(*in_rocq("encoder_equivariant", *claims[:3]), claims[3]),
        derivation="""
            X_1′ = PostNorm(P X, θ_1)     by definition
                 = P PostNorm(X, θ_1)     encoder_block_equivariant
                 = P X_1                  by definition

            X_2′ = PostNorm(X_1′, θ_2)    by definition
                 = PostNorm(P X_1, θ_2)   X_1′ = P X_1
                 = P PostNorm(X_1, θ_2)   encoder_block_equivariant
                 = P X_2                  by definition
        """,
        uses=("encoder_block_equivariant", "row_wise_equivariant"),
        neighbour=nearby(
            claims[0], f"{transposed}, after one layer.", rhs=moved(POST[0], i=inverse(sigma))
        ),
        neighbours=(
            nearby(claims[1], f"{transposed}, after two.", rhs=moved(POST[1], i=inverse(sigma))),
            nearby(
                claims[2], f"{transposed}, after twelve.", rhs=moved(POST[11], i=inverse(sigma))
            ),
            nearby(claims[3], f"{transposed}, after twelve.", rhs=moved(FINAL, i=inverse(sigma))),
        ),
        source="S0 (ViT, encoder-only); Vaswani et al. 2017, section 3.1; the final norm of a "
        "pre-norm encoder: Xiong et al. 2020, table 1",
        citations=("vaswani2017", "xiong2020", "s0"),
        show=show(*states, *normed, Named("Z", FINAL, "i", "c")),
        pushed=(claims[1].pushed,),
        primes=(claims[2].pushed, claims[3].pushed),
    )


if __name__ == "__main__":
    main(__spec__)
