"""softmax(P S Rᵀ) = P softmax(S) Rᵀ, for a rectangular S and two unrelated permutations.

softmax works on one row at a time, so P passes through it untouched. Within a row each weight is
exp(sⱼ) over Σⱼ exp(sⱼ); R moves the numerators, and the denominator, a sum, stays the same.
"""

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Named,
    Sentence,
    TheoremFile,
    equivariance,
    in_rocq,
    nearby,
    pushing,
)
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy
from orderproof.proofs.shared.symbols import m, n, rho, rows_of_softmax, show, sigma
from orderproof.symbolic.models.attention import softmax
from orderproof.symbolic.models.builders import inlined, inverse, leaf_of, moved, tensor

S = tensor("S", i=n, j=m)
A = softmax(S, "j")
s = tensor("s", j=m)
one_row = inlined(softmax(s, "j"))  # exp(sⱼ) / Σⱼ exp(sⱼ)


def theorem() -> TheoremFile:
    """softmax of one row, then of all rows."""
    marks = {"sympy": by_sympy, "numeric": by_numpy()}
    claim = equivariance(
        A, {leaf_of(S): (sigma, rho)}, {"i": sigma, "j": rho}, marks, row="i", column="j"
    )
    return TheoremFile(
        id="softmax_conjugate",
        title="Softmax commutes with permutations of rows and of columns",
        words=(
            Sentence(
                "Permuting the rows and the columns of a score matrix, by any two "
                "permutations, permutes its softmax in the same way.",
                (0,),
            ),
            rows_of_softmax("ρ"),
        ),
        claims=in_rocq("softmax_conjugate", claim),
        derivation="""
            a′[j] = exp(s[ρ(j)]) / (Σ_l exp(s[ρ(l)]))   by definition
                  = exp(s[ρ(j)]) / (Σ_l exp(s[l]))      Lemma 1
                  = a[ρ(j)]                             by definition

            A′ = softmax(P S Rᵀ)                        by definition
               = softmax(P S) Rᵀ                        shown above
               = P softmax(S) Rᵀ                        softmax acts on each row
               = P A Rᵀ                                 by definition
        """,
        uses=("sum_act",),
        neighbour=nearby(
            claim,
            "The factor on the right is Rᵀ, not R: at a 3-cycle the two differ.",
            rhs=moved(A, i=sigma, j=inverse(rho)),
        ),
        source="Why positionnal Embedding Matters?, step 2; AI Stack Exchange, question 32236",
        show=show(Named("a", one_row), Named("A", A, "i", "j")),
        pushed=(pushing(one_row, {leaf_of(s): (rho,)}), claim.pushed),
    )


if __name__ == "__main__":
    main(__spec__)
