"""The scores move by row and by column: S′ = P S Pᵀ.

Entry (i, j) is the scaled product of query i and key j. Both have moved, so the entry is the one
that stood at (σ(i), σ(j)). The factor 1/√d_k is the same for all of them.
"""

from orderproof.proofs.prelude import *

products = contract(SELF.Q, SELF.K, "k")  # without the scale


@theorem(
    title="The scores are permuted by rows and by columns",
    words="Permuting the tokens permutes the rows and the columns of the score matrix in the same "
    "way.",
    source="Why positionnal Embedding Matters?, step 2; AI Stack Exchange, question 32236; "
    "Vaswani et al. 2017, eq. (1) for the scale",
    citations=("vaswani2017",),
    uses=("qkv_equivariant",),
)
def scores_conjugate() -> Proof:
    """The products of queries and keys first, then the scale, a number that stands before the
    matrix:
    {chain G}
    {chain S}
    """
    marks = {"sympy": by_sympy, "numeric": by_numpy()}
    both = {"i": sigma, "j": sigma}
    unscaled, claim = (
        equivariance(t, TOKENS, both, marks, row="i", column="j") for t in (products, SELF.S)
    )
    return Proof(
        claims=in_rocq("scores_conjugate", unscaled, claim),
        derivation="""
            Q′ = (P X) W_Q           by definition
               = P (X W_Q)           (A B) C = A (B C)
               = P Q                 by definition

            K′ = (P X) W_K           by definition
               = P (X W_K)           (A B) C = A (B C)
               = P K                 by definition

            G′ = Q′ K′ᵀ              by definition
               = (P Q) (P K)ᵀ        Q′ = P Q; K′ = P K
               = P (Q Kᵀ) Pᵀ         (A B)ᵀ = Bᵀ Aᵀ; (A B) C = A (B C)
               = P G Pᵀ              by definition

            S′ = G′ / √(d_k)         by definition
               = P G Pᵀ / √(d_k)     G′ = P G Pᵀ
               = P (G / √(d_k)) Pᵀ   entry by entry
               = P S Pᵀ              by definition
        """,
        planted=nearby(
            claim, "The keys are permuted too, and so are the columns.", rhs=moved(SELF.S, i=sigma)
        ),
        show=show(*SELF.named("QK"), Named("G", products, "i", "j"), *SELF.named("S")),
    )
