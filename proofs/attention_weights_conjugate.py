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
    pushing,
)
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy
from orderproof.proofs.shared.symbols import SELF, TOKENS, show, sigma
from orderproof.symbolic.models.builders import inverse, moved


def theorem() -> TheoremFile:
    """A′ = softmax(S′) = softmax(P S Pᵀ) = P A Pᵀ"""
    pushed = pushing(SELF.A, TOKENS)
    marks = {"sympy": by_sympy, "numeric": by_numpy()}
    both = {"i": sigma, "j": sigma}
    claim = equivariance(SELF.A, TOKENS, both, pushed, marks, row="i", column="j")
    return TheoremFile(
        id="attention_weights_conjugate",
        title="The attention weights move by row and by column",
        words=(
            Sentence(
                "Permuting the tokens permutes the rows and the columns of the attention "
                "weights alike.",
                (0,),
            ),
        ),
        source="S0",
        claims=in_rocq("attention_weights_conjugate", claim),
        pushed=(pushed,),
        show=show(*SELF.named("QKSA")),
        neighbour=nearby(
            claim,
            "P on both sides is not P and Pᵀ: the columns would move the wrong way.",
            rhs=moved(SELF.A, i=sigma, j=inverse(sigma)),
        ),
        uses=("scores_conjugate", "softmax_conjugate"),
    )


if __name__ == "__main__":
    main(__spec__)
