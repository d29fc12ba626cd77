"""The attention weights move by row and by column: A′ = P A Pᵀ.

The scores do (scores_conjugate), and softmax moves along (softmax_conjugate, both permutations
being P).
"""

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Sentence,
    TheoremFile,
    equivariance,
    in_rocq,
    nearby,
)
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy
from orderproof.proofs.shared.symbols import SELF, TOKENS, rows_of_softmax, show, sigma
from orderproof.symbolic.models.builders import inverse, moved


def theorem() -> TheoremFile:
    """A′ = softmax(S′) = softmax(P S Pᵀ) = P A Pᵀ"""
    marks = {"sympy": by_sympy, "numeric": by_numpy()}
    both = {"i": sigma, "j": sigma}
    claim = equivariance(SELF.A, TOKENS, both, marks, row="i", column="j")
    return TheoremFile(
        id="attention_weights_conjugate",
        title="The attention weights are permuted by rows and by columns",
        words=(
            Sentence(
                "Permuting the tokens permutes the rows and the columns of the attention "
                "weights in the same way.",
                (0,),
            ),
            rows_of_softmax("σ"),
        ),
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
        uses=("scores_conjugate", "softmax_conjugate"),
        neighbour=nearby(
            claim,
            "P on the right permutes the columns by σ⁻¹, not by σ.",
            rhs=moved(SELF.A, i=sigma, j=inverse(sigma)),
        ),
        source="AI Stack Exchange, question 32236",
        show=show(*SELF.named("QKSA")),
    )


if __name__ == "__main__":
    main(__spec__)
