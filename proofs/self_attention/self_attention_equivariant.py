"""Self-attention commutes with every permutation of its tokens: Z′ = P Z.

Permute the rows of X, and queries, keys and values are permuted (Q′ = P Q, K′ = P K, V′ = P V);
so the scores move by row and by column, S′ = P S Pᵀ; softmax acts on each row, and its
denominator is a sum, A′ = P A Pᵀ; and in A′ V′ = P A (Pᵀ P) V the two permutations inside cancel.
"""

from orderproof.proofs.prelude import *


@theorem(
    title="Self-attention is permutation equivariant",
    words=("Permuting the tokens permutes the outputs of self-attention.", rows_of_softmax("σ")),
    source="Why positionnal Embedding Matters?, the three-step proof; attention as in "
    "Vaswani et al. 2017, eq. (1)",
    citations=("vaswani2017",),
    uses=("attention_weights_conjugate", "qkv_equivariant", "perm_transpose_mul"),
)
def self_attention_equivariant() -> Proof:
    """By qkv_equivariant the values move by row, and by attention_weights_conjugate the weights
    move by row and by column. In the output the two permutations in the middle meet and cancel:
    {chain Z | entries}
    """
    marks = {"sympy": by_sympy, "numeric": by_paper("attention.self_attention", "X W_Q W_K W_V")}
    claim = equivariance(SELF.Z, TOKENS, {"i": sigma}, marks, row="i", column="r")
    return Proof(
        claims=in_rocq("self_attention_equivariant", claim),
        derivation="""
            Q′ = (P X) W_Q               by definition
               = P (X W_Q)               (A B) C = A (B C)
               = P Q                     by definition

            K′ = (P X) W_K               by definition
               = P (X W_K)               (A B) C = A (B C)
               = P K                     by definition

            V′ = (P X) W_V               by definition
               = P (X W_V)               (A B) C = A (B C)
               = P V                     by definition

            S′ = Q′ K′ᵀ / √(d_k)         by definition
               = (P Q) (P K)ᵀ / √(d_k)   Q′ = P Q; K′ = P K
               = P (Q Kᵀ) Pᵀ / √(d_k)    (A B)ᵀ = Bᵀ Aᵀ; (A B) C = A (B C)
               = P (Q Kᵀ / √(d_k)) Pᵀ    entry by entry
               = P S Pᵀ                  by definition

            A′ = softmax(S′)             by definition
               = softmax(P S Pᵀ)         S′ = P S Pᵀ
               = softmax(P S) Pᵀ         softmax_conjugate
               = P softmax(S) Pᵀ         softmax acts on each row
               = P A Pᵀ                  by definition

            Z′ = A′ V′                   by definition
               = (P A Pᵀ) (P V)          A′ = P A Pᵀ; V′ = P V
               = (P A) V                 Pᵀ P = I (perm_transpose_mul)
               = P (A V)                 (A B) C = A (B C)
               = P Z                     by definition
        """,
        planted=transposed(claim),
        show=show(*SELF.named()),
    )
