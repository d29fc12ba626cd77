"""The attention weights move by row and by column: A′ = P A Pᵀ.

The scores do (scores_conjugate), and softmax moves along (softmax_conjugate, both permutations
being P).
"""

from orderproof.proofs.prelude import *


@theorem(
    title="The attention weights are permuted by rows and by columns",
    words=(
        (
            "Permuting the tokens permutes the rows and the columns of the attention "
            "weights in the same way."
        ),
        rows_of_softmax("σ"),
    ),
    source="AI Stack Exchange, question 32236",
    uses=("scores_conjugate", "softmax_conjugate"),
)
def attention_weights_conjugate() -> Proof:
    marks = {"sympy": by_sympy, "numeric": by_numpy()}
    both = {"i": sigma, "j": sigma}
    claim = equivariance(SELF.A, TOKENS, both, marks, row="i", column="j")
    return Proof(
        claims=in_rocq("attention_weights_conjugate", claim),
        derivation="""
            Q′ = (P X) W_Q               by definition
               = P (X W_Q)               (A B) C = A (B C)
               = P Q                     by definition

            K′ = (P X) W_K               by definition
               = P (X W_K)               (A B) C = A (B C)
               = P K                     by definition

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
        """,
        planted=nearby(
            claim,
            "P on the right permutes the columns by σ⁻¹, not by σ.",
            rhs=moved(SELF.A, i=sigma, j=inverse(sigma)),
        ),
        show=show(*SELF.named("QKSA")),
    )
