"""Feed-forward maps, residuals and all other maps of each row commute with permutations of rows.

The weights of a feed-forward map are the same for all tokens, and a residual adds to each token
what was there before. Nothing here looks from one row to another, so none of it can add order. The
same holds for any map f of rows: nothing need be known of it.
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
)
from orderproof.proofs.marks.numeric import Reference, by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy_to
from orderproof.proofs.shared.encoder_symbols import WEIGHTS, d_f, show
from orderproof.proofs.shared.symbols import TOKENS, X, d, n, sigma
from orderproof.symbolic.calculus.terms import Op, Term
from orderproof.symbolic.models.attention import feed_forward, gelu, relu
from orderproof.symbolic.models.builders import add, inverse, leaf_of, moved, opaque, tensor

T = tensor("T", i=n, c=d)  # the tokens before some map, that a residual adds back
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
    """Feed-forward with ReLU and GELU, residual, any map of rows."""

    def claim(
        t: Term, expected: Reference | None, column: str = "c", moves: dict[Op, Any] = TOKENS
    ) -> Claim:
        marks = {"sympy": by_sympy_to(3, d=3), "numeric": by_numpy(expected)}
        return equivariance(t, moves, {"i": sigma}, marks, row="i", column=column)

    first = claim(FED, fed(reference.relu))
    terms = {"H_R": FED, "H_G": SMOOTH, "Y": RESIDUAL, "F": ANY}
    return TheoremFile(
        id="row_wise_equivariant",
        title="Feed-forward maps and residuals are permutation equivariant",
        words=(
            Sentence(
                "A feed-forward map with ReLU or GELU, a residual and any other map of each row "
                "commute with a permutation of the rows.",
                (0, 1, 2, 3),
            ),
        ),
        claims=in_rocq(
            "row_wise_equivariant",
            first,
            claim(SMOOTH, fed(reference.gelu)),
            claim(RESIDUAL, lambda t: t["T"] + t["X"], moves=BOTH),
            claim(ANY, None, column="u"),
        ),
        derivation="""
            H_R′ = ReLUFFN(P X, θ_F)   by definition
                 = P ReLUFFN(X, θ_F)   ReLUFFN acts on each row
                 = P H_R               by definition

            H_G′ = GELUFFN(P X, θ_F)   by definition
                 = P GELUFFN(X, θ_F)   GELUFFN acts on each row
                 = P H_G               by definition

            Y′ = P T + P X             by definition
               = P (T + X)             P A + P B = P (A + B)
               = P Y                   by definition

            F′ = f(P X)                by definition
               = P f(X)                f acts on each row
               = P F                   by definition
        """,
        uses=("qkv_equivariant",),
        neighbour=nearby(
            first, "With Pᵀ in place of P it fails at a 3-cycle.", rhs=moved(FED, i=inverse(sigma))
        ),
        source="Dive into Deep Learning, thread under section 10.6; feed-forward: Vaswani et al. "
        "2017, eq. (2); GELU: Hendrycks and Gimpel 2016",
        citations=("vaswani2017", "hendrycks2016", "s2"),
        show=show(*(Named(x, t, "i", "u" if x == "F" else "c") for x, t in terms.items())),
        definitions=(FED.node.op, SMOOTH.node.op),
    )


if __name__ == "__main__":
    main(__spec__)
