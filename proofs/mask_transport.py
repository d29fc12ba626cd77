"""A mask is part of the input: permute it with the tokens, f(P X, P M Pᵀ) = P f(X, M).

A mask says which query may look at which key, so it has the tokens as rows and as columns. Moved
along, it moves nothing else; left where it is, it breaks the symmetry, except for those P that
leave it as it is: if P M Pᵀ = M, then f(·, M) commutes with P. A padding mask says the same to all
queries, and so it moves by P alone. A mask is added to the scores (with numbers, however low), or
it is a weight g ≥ 0 on exp(s), where 0 stands for −∞ and some key of each query has g > 0.
"""

from collections.abc import Sequence
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
)
from orderproof.proofs.marks.numeric import Inputs, Reference, by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy_within
from orderproof.proofs.shared.symbols import SELF, TOKENS, n, show, sigma
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import Op, Term
from orderproof.symbolic.derive.push import Motion, fixed
from orderproof.symbolic.models.attention import softmax
from orderproof.symbolic.models.builders import (
    add,
    contract,
    exp,
    image,
    inverse,
    leaf_of,
    multiply,
    number,
    tensor,
    total,
)
from orderproof.symbolic.models.variants import masked_by_weights, normalised

M = tensor("M", i=n, j=n)  # added to the scores
G = tensor("G", i=n, j=n)  # weights, one for each query and key
g = tensor("g", j=n)  # weights of the keys: padding

T = add(SELF.S, M)
A = softmax(T, "j")
Z = contract(A, SELF.V, "j")
B, C = (normalised(multiply(mask, exp(SELF.S)), "j") for mask in (G, g))
Y = masked_by_weights(SELF.Q, SELF.K, SELF.V, G, "j", "k")
U = masked_by_weights(SELF.Q, SELF.K, SELF.V, g, "j", "k")

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
        marks = {"sympy": by_sympy_within(3, 4), "numeric": by_numpy(by)}
        out = {"i": sigma}
        return equivariance(t, moves, out, marks, facts=facts, row="i", column="r", given=MASKS[t])

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
                "So a mask that P leaves as it is does not break the symmetry under P.", (3, 4, 5)
            ),
        ),
        claims=in_rocq("mask_transport", *along, *still),
        derivation="""
            T′ = S′ + P M Pᵀ                                                           by definition
               = P S Pᵀ + P M Pᵀ                                      S′ = P S Pᵀ (scores_conjugate)
               = P (S + M) Pᵀ                                                  P A + P B = P (A + B)
               = P T Pᵀ                                                                by definition

            A′ = softmax(T′)                                                           by definition
               = softmax(P T Pᵀ)                                                         T′ = P T Pᵀ
               = softmax(P T) Pᵀ                                                   softmax_conjugate
               = P softmax(T) Pᵀ                                            softmax acts on each row
               = P A Pᵀ                                                                by definition

            Z′ = A′ V′                                                                 by definition
               = (P A Pᵀ) (P V)                              A′ = P A Pᵀ; V′ = P V (qkv_equivariant)
               = (P A) V                                                          Pᵀ P = I (Lemma 1)
               = P (A V)                                                           (A B) C = A (B C)
               = P Z                                                                   by definition

            B′[i, j] = G[σ(i), σ(j)] exp(S′[i, j]) / (Σ_l G[σ(i), σ(l)] exp(S′[i, l]))
                    by definition
                     = G[σ(i), σ(j)] exp(S[σ(i), σ(j)]) / (Σ_l G[σ(i), σ(l)] exp(S[σ(i), σ(l)]))
                    S′ = P S Pᵀ (scores_conjugate)
                     = G[σ(i), σ(j)] exp(S[σ(i), σ(j)]) / (Σ_l G[σ(i), l] exp(S[σ(i), l]))   Lemma 1
                     = (P B Pᵀ)[i, j]                                                  by definition

            Y′ = B′ V′                                                                 by definition
               = (P B Pᵀ) (P V)                              B′ = P B Pᵀ; V′ = P V (qkv_equivariant)
               = (P B) V                                                          Pᵀ P = I (Lemma 1)
               = P (B V)                                                           (A B) C = A (B C)
               = P Y                                                                   by definition

            C′[i, j] = g[σ(j)] exp(S′[i, j]) / (Σ_l g[σ(l)] exp(S′[i, l]))             by definition
                     = g[σ(j)] exp(S[σ(i), σ(j)]) / (Σ_l g[σ(l)] exp(S[σ(i), σ(l)]))
                    S′ = P S Pᵀ (scores_conjugate)
                     = g[σ(j)] exp(S[σ(i), σ(j)]) / (Σ_l g[l] exp(S[σ(i), l]))               Lemma 1
                     = (P C Pᵀ)[i, j]                                                  by definition

            U′ = C′ V′                                                                 by definition
               = (P C Pᵀ) (P V)                              C′ = P C Pᵀ; V′ = P V (qkv_equivariant)
               = (P C) V                                                          Pᵀ P = I (Lemma 1)
               = P (C V)                                                           (A B) C = A (B C)
               = P U                                                                   by definition

            Z_0 = softmax(((P X) W_Q) ((P X) W_K)ᵀ / √(d_k) + P M Pᵀ) ((P X) W_V)      by hypothesis
                = softmax((P Q) (P K)ᵀ / √(d_k) + P M Pᵀ) (P V)                    (A B) C = A (B C)
                = softmax(P (Q Kᵀ) Pᵀ / √(d_k) + P M Pᵀ) (P V)     (A B)ᵀ = Bᵀ Aᵀ; (A B) C = A (B C)
                = softmax(P S Pᵀ + P M Pᵀ) (P V)                                      entry by entry
                = softmax(P T Pᵀ) (P V)                                        P A + P B = P (A + B)
                = (softmax(P T) Pᵀ) (P V)                                          softmax_conjugate
                = (P A Pᵀ) (P V)                                            softmax acts on each row
                = (P A) V                                                                    Lemma 1
                = P Z                                                              (A B) C = A (B C)
        """,
        uses=("qkv_equivariant", "scores_conjugate", "softmax_conjugate", "sum_act"),
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
        source="masks: Vaswani et al. 2017, section 3.2.3",
        citations=("vaswani2017",),
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
        cited=dict.fromkeys("QKV", "qkv_equivariant") | {"S": "scores_conjugate"},
        titles={
            "T": "The scores with the mask added",
            "B": "The weights with a mask of weights",
            "Y": "The output with a mask of weights",
            "C": "The weights with padding",
            "U": "The output with padding",
        },
        pushed=tuple(c.pushed for c in along),
        chains=(
            (
                Named("The mask as it is, with P M Pᵀ = M", Z, "i", "r"),
                still[0].pushed.theorem,
            ),
        ),
    )


if __name__ == "__main__":
    main(__spec__)
