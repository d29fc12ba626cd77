"""A mask is part of the input: permute it with the tokens, f(P X, P M Pᵀ) = P f(X, M).

A mask says which query may look at which key, so it has the tokens as rows and as columns. Moved
along, it moves nothing else; left where it is, it breaks the symmetry, except for those P that
leave it as it is: if P M Pᵀ = M, then f(·, M) commutes with P. A padding mask says the same to all
queries, and so it moves by P alone. A mask is added to the scores (with numbers, however low), or
it is a weight g ≥ 0 on exp(s), where 0 stands for −∞ and some key of each query has g > 0.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from orderproof.numeric.reference import attention as reference
from orderproof.numeric.reference import sets as reference_sets
from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Atom,
    Claim,
    Named,
    Sentence,
    TheoremFile,
    equivariance,
    in_rocq,
    nearby,
    pushing,
)
from orderproof.proofs.marks.numeric import Inputs, Reference, by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy_within
from orderproof.proofs.shared.symbols import SELF, TOKENS, n, show, sigma
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import Op, Term
from orderproof.symbolic.derive.push import Motion, fixed
from orderproof.symbolic.models.builders import (
    image,
    inverse,
    leaf_of,
    number,
    tensor,
    total,
)

M = tensor("M", i=n, j=n)  # added to the scores
G = tensor("G", i=n, j=n)  # weights, one for each query and key
g = tensor("g", j=n)  # weights of the keys: padding

ADDED, WEIGHTED, PADDED = replace(SELF, score_bias=M), replace(SELF, mask=G), replace(SELF, mask=g)
T, A, Z = ADDED.S, ADDED.A, ADDED.Z
B, Y = WEIGHTED.A, WEIGHTED.Z
C, U = PADDED.A, PADDED.Z

Moves = dict[Op, Motion]
MOVES: tuple[Moves, ...] = (  # the tokens, and the mask of each kind
    TOKENS | {leaf_of(M): (sigma, sigma)},
    TOKENS | {leaf_of(G): (sigma, sigma)},
    TOKENS | {leaf_of(g): (sigma,)},
)
MASKS = {  # of weights: none is negative, and no query has none
    Z: [],
    Y: [Atom(number(0), "≤", G), Atom(number(0), "<", total(G, "j"))],
    U: [Atom(number(0), "≤", g), Atom(number(0), "<", total(g, "j"))],
}


def _projected(t: Inputs) -> list[NDArray[Any]]:
    return [t["X"] @ t[name] for name in ("W_Q", "W_K", "W_V")]


def _added(t: Inputs) -> NDArray[Any]:
    return reference.attention(*_projected(t), bias=t["M"])


def _weighted(t: Inputs) -> NDArray[Any]:
    q, k, v = _projected(t)
    return reference_sets.weighted_attention(q, k, v, t["G"] if "G" in t else t["g"])


def theorem() -> TheoremFile:
    """Added, as weights, as padding: moved along; and left where they are, under a hypothesis."""

    def claim(t: Term, moves: Moves, facts: Sequence[Theorem], by: Reference) -> Claim:
        pushed = pushing(t, moves, facts)
        marks = {"sympy": by_sympy_within(3, 4), "numeric": by_numpy(by)}
        out = {"i": sigma}
        return equivariance(t, moves, out, pushed, marks, row="i", column="r", given=MASKS[t])

    terms, references = (Z, Y, U), (_added, _weighted, _weighted)
    facts = fixed(M, i=sigma, j=sigma), fixed(G, i=sigma, j=sigma), fixed(g, j=sigma)
    along = [claim(t, m, (), by) for t, m, by in zip(terms, MOVES, references, strict=True)]
    still = [claim(t, TOKENS, [f], by) for t, f, by in zip(terms, facts, references, strict=True)]
    return TheoremFile(
        id="mask_transport",
        title="A mask moves with the tokens",
        words=(
            Sentence(
                "Permute a mask along with the tokens, and the output is permuted: a mask "
                "added to the scores, weights g ≥ 0 of which no query has only 0, and "
                "padding.",
                (0, 1, 2),
            ),
            Sentence(
                "So a mask that P leaves as it is does not break the symmetry under P.",
                (3, 4, 5),
            ),
        ),
        source="masks: Vaswani et al. 2017, section 3.2.3",
        citations=("vaswani2017",),
        claims=in_rocq("mask_transport", *along, *still),
        pushed=tuple(pushing(t, m) for t, m in zip(terms, MOVES, strict=True)),
        chains=(
            (
                Named("The mask as it is, with P M Pᵀ = M", Z, "i", "r"),
                pushing(Z, TOKENS, facts[:1]).theorem,
            ),
        ),
        show=show(
            *SELF.named("QKVS"),
            Named("T", T, "i", "j"),
            Named("A", A, "i", "j"),
            Named("Z", Z, "i", "r"),
            Named("B", B, "i", "j"),
            Named("Y", Y, "i", "r"),
            Named("C", C, "i", "j"),
            Named("U", U, "i", "r"),
            Named("Z_0", image(Z, TOKENS), "i", "r"),
            Named("B_0", image(B, TOKENS), "i", "j"),
            Named("Y_0", image(Y, TOKENS), "i", "r"),
            Named("C_0", image(C, TOKENS), "i", "j"),
            Named("U_0", image(U, TOKENS), "i", "r"),
        ),
        titles={
            "T": "The scores with the mask added",
            "B": "The weights with a mask of weights",
            "Y": "The output with a mask of weights",
            "C": "The weights with padding",
            "U": "The output with padding",
        },
        cited=dict.fromkeys("QKV", "qkv_equivariant") | {"S": "scores_conjugate"},
        neighbour=nearby(
            still[0],
            "Without the hypothesis it is false: a mask that stays where it is shows the order.",
            given=frozenset(MASKS[Z]),
        ),
        neighbours=(
            nearby(
                along[1],
                "A mask moved the other way does not go with its tokens.",
                lhs=image(Y, TOKENS | {leaf_of(G): (inverse(sigma), inverse(sigma))}),
            ),
        ),
        uses=("qkv_equivariant", "scores_conjugate", "softmax_conjugate", "sum_act"),
    )


if __name__ == "__main__":
    main(__spec__)
