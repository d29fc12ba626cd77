"""softmax does not change where a number is subtracted from all scores of a row.

Libraries subtract the largest score of a row first, so that no exponential overflows. It divides
numerators and denominator by the same number.
"""

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Named,
    Sentence,
    TheoremFile,
    holds,
    in_rocq,
    nearby,
    sizes,
)
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy_simplified
from orderproof.proofs.shared.symbols import m, rho, show
from orderproof.symbolic.models.attention import shifted_softmax, shifted_softmax_definition
from orderproof.symbolic.models.builders import moved
from orderproof.symbolic.smt.chain import by_chain

from .softmax_conjugate import A, S


def theorem() -> TheoremFile:
    """With the largest score of each row subtracted."""
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
        id="softmax_shift_invariant",
        title="Softmax is invariant under subtracting the maximum of a row",
        words=(
            Sentence(
                "Subtracting the largest score of a row first, as libraries do, gives the same "
                "weights.",
                (0,),
            ),
        ),
        claims=in_rocq("softmax_shift_invariant", shift),
        neighbour=nearby(
            shift, "Subtracting the maximum does not permute the weights.", rhs=moved(A, j=rho)
        ),
        source="AI Stack Exchange, question 32236",
        show=show(Named("A", A, "i", "j")),
        definitions=(shifted_softmax_definition(m),),
    )


if __name__ == "__main__":
    main(__spec__)
