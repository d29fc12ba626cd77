"""softmax(P S Rᵀ) = P softmax(S) Rᵀ, for a rectangular S and two unrelated permutations.

softmax works on one row at a time, so P passes through it untouched. Within a row each weight is
exp(sⱼ) over Σⱼ exp(sⱼ); R moves the numerators, and the denominator, a sum, does not notice. The
weights of a row are positive and add up to 1; and the shifted form that libraries compute, with
the largest score subtracted first, is the same function.
"""

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Named,
    Sentence,
    TheoremFile,
    equivariance,
    holds,
    in_rocq,
    nearby,
    pushing,
    sizes,
)
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy, by_sympy_positive, by_sympy_simplified
from orderproof.proofs.shared.symbols import m, n, rho, show, sigma
from orderproof.symbolic.models.attention import (
    shifted_softmax,
    shifted_softmax_definition,
    softmax,
)
from orderproof.symbolic.models.builders import (
    inlined,
    inverse,
    leaf_of,
    moved,
    number,
    tensor,
    total,
)
from orderproof.symbolic.smt.chain import by_chain

S = tensor("S", i=n, j=m)
A = softmax(S, "j")
s = tensor("s", j=m)
one_row = inlined(softmax(s, "j"))  # exp(sⱼ) / Σⱼ exp(sⱼ)


def theorem() -> TheoremFile:
    """The equivariance by pushing; the row sums, the signs and the shift by other means."""
    marks = {"sympy": by_sympy, "numeric": by_numpy()}
    claim = equivariance(
        A, {leaf_of(S): (sigma, rho)}, {"i": sigma, "j": rho}, marks, row="i", column="j"
    )
    sums = holds(
        total(A, "j"), "=", number(1),
        {
            "smt": by_chain("positive", "scale"),
            "sympy": by_sympy_simplified,
            "numeric": by_numpy(),
        },
        over=sizes({m: 1}),
    )  # fmt: skip
    positive = holds(
        number(0), "<", A,
        {
            "smt": by_chain("positive"),
            "sympy": by_sympy_positive,
            "numeric": by_numpy(),
        },
        over=sizes({m: 1}),
    )  # fmt: skip
    shift = holds(
        shifted_softmax(S, "j"), "=", A,
        {
            "smt": by_chain("positive", "scale"),
            "sympy": by_sympy_simplified,
            "numeric": by_numpy(),
        },
        over=sizes({m: 1}), row="i", column="j",
    )  # fmt: skip
    return TheoremFile(
        id="softmax_conjugate",
        title="Softmax moves with its rows and its columns",
        words=(
            Sentence(
                "Permuting the rows and the columns of a score matrix, by two permutations "
                "that need have nothing to do with each other, permutes its softmax in the "
                "same way.",
                (0,),
            ),
            Sentence("The weights of a row add up to 1 and are positive.", (1, 2)),
            Sentence(
                "Subtracting the largest score of a row first, as libraries do, gives the "
                "same weights.",
                (3,),
            ),
        ),
        claims=(*in_rocq("softmax_conjugate", claim, sums, positive), shift),
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
            "The columns move by R, not by its transpose: a 3-cycle tells them apart.",
            rhs=moved(A, i=sigma, j=inverse(rho)),
        ),
        neighbours=(
            nearby(sums, "The rows add up to 1, whatever their length.", rhs=number(2)),
            nearby(positive, "An entry is less than 1 where others are positive.", lhs=number(1)),
            nearby(
                shift,
                "Shifting the scores does not move the weights.",
                rhs=moved(A, j=rho),
            ),
        ),
        source="S1, step 2; S0",
        show=show(Named("a", one_row), Named("A", A, "i", "j")),
        pushed=(pushing(one_row, {leaf_of(s): (rho,)}), claim.pushed),
        definitions=(shifted_softmax_definition(m),),
    )


if __name__ == "__main__":
    main(__spec__)
