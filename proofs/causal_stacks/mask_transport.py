"""A mask is part of the input: permute it with the tokens, f(P X, P M Pᵀ) = P f(X, M).

A mask says which query may look at which key, so it has the tokens as rows and as columns, and
moves by both. A padding mask says the same to all queries, and so it moves by P alone. A mask is
added to the scores (with numbers, however low), or it is a weight g ≥ 0 on exp(s), where 0 stands
for −∞ and some key of each query has g > 0.
"""

from orderproof.proofs.prelude import *

from .masks import NAMED, WEIGHTED, G, masked


@theorem(
    title="Masked attention is equivariant if the mask is permuted with the tokens",
    words="Permute a mask along with the tokens, and the output is permuted: a mask added to the "
    "scores, weights g ≥ 0 of which no query has only 0, and padding.",
    source="masks: Vaswani et al. 2017, section 3.2.3",
    citations=("vaswani2017",),
    uses=(
        "qkv_equivariant",
        "scores_conjugate",
        "softmax_conjugate",
        "perm_transpose_mul",
        "sum_act",
    ),
)
def mask_transport() -> Proof:
    """The scores move by row and by column (scores_conjugate), and so does a mask that is permuted
    with them; and so does the sum of both. From here all is as in self_attention_equivariant. For a
    mask as weights, and for padding, numerators move likewise, and the denominators are sums over
    the keys.
    """
    along = masked(mask_moves=True)
    return Proof(
        claims=in_rocq("mask_transport", *along),
        derivation="""
            T′ = S′ + P M Pᵀ            by definition
               = P S Pᵀ + P M Pᵀ        S′ = P S Pᵀ (scores_conjugate)
               = P (S + M) Pᵀ           P A + P B = P (A + B)
               = P T Pᵀ                 by definition

            A′ = softmax(T′)            by definition
               = softmax(P T Pᵀ)        T′ = P T Pᵀ
               = softmax(P T) Pᵀ        softmax_conjugate
               = P softmax(T) Pᵀ        softmax acts on each row
               = P A Pᵀ                 by definition

            Z′ = A′ V′                  by definition
               = (P A Pᵀ) (P V)         A′ = P A Pᵀ; V′ = P V (qkv_equivariant)
               = (P A) V                Pᵀ P = I (perm_transpose_mul)
               = P (A V)                (A B) C = A (B C)
               = P Z                    by definition

            B′[i, j] = G[σ(i), σ(j)] exp(S′[i, j]) / (Σ_l G[σ(i), σ(l)] exp(S′[i, l]))
                                        by definition
                     = G[σ(i), σ(j)] exp(S[σ(i), σ(j)]) / (Σ_l G[σ(i), σ(l)] exp(S[σ(i), σ(l)]))
                                        S′ = P S Pᵀ (scores_conjugate)
                     = G[σ(i), σ(j)] exp(S[σ(i), σ(j)]) / (Σ_l G[σ(i), l] exp(S[σ(i), l]))   sum_act
                     = (P B Pᵀ)[i, j]   by definition

            Y′ = B′ V′                  by definition
               = (P B Pᵀ) (P V)         B′ = P B Pᵀ; V′ = P V (qkv_equivariant)
               = (P B) V                Pᵀ P = I (perm_transpose_mul)
               = P (B V)                (A B) C = A (B C)
               = P Y                    by definition

            C′[i, j] = g[σ(j)] exp(S′[i, j]) / (Σ_l g[σ(l)] exp(S′[i, l]))   by definition
                     = g[σ(j)] exp(S[σ(i), σ(j)]) / (Σ_l g[σ(l)] exp(S[σ(i), σ(l)]))
                                        S′ = P S Pᵀ (scores_conjugate)
                     = g[σ(j)] exp(S[σ(i), σ(j)]) / (Σ_l g[l] exp(S[σ(i), l]))   sum_act
                     = (P C Pᵀ)[i, j]   by definition

            U′ = C′ V′                  by definition
               = (P C Pᵀ) (P V)         C′ = P C Pᵀ; V′ = P V (qkv_equivariant)
               = (P C) V                Pᵀ P = I (perm_transpose_mul)
               = P (C V)                (A B) C = A (B C)
               = P U                    by definition
        """,
        planted=nearby(
            along[1],
            "A mask that is permuted by σ⁻¹ is not permuted with its tokens.",
            lhs=image(WEIGHTED.Z, TOKENS | {leaf_of(G): (inverse(sigma), inverse(sigma))}),
        ),
        show=show(*NAMED),
        cited=dict.fromkeys("QKV", "qkv_equivariant") | {"S": "scores_conjugate"},
        titles={
            "T": "The scores with the mask added",
            "B": "The weights with a mask of weights",
            "Y": "The output with a mask of weights",
            "C": "The weights with padding",
            "U": "The output with padding",
        },
    )
