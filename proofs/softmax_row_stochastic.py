"""The weights that softmax makes of a row are positive and add up to 1.

Each is exp(sⱼ) over Σⱼ exp(sⱼ), a positive number over the sum of all; and the numerators of a row
add up to its denominator, which is not 0.
"""

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import Sentence, TheoremFile, holds, in_rocq, nearby, sizes
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy_positive, by_sympy_simplified
from orderproof.proofs.shared.symbols import m, show
from orderproof.symbolic.models.builders import number, total
from orderproof.symbolic.smt.chain import by_chain

from .softmax_conjugate import A


def theorem() -> TheoremFile:
    """The sum of a row by splitting it, the sign of an entry by that of exp."""
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
    return TheoremFile(
        id="softmax_row_stochastic",
        title="Softmax is positive, and its rows add up to 1",
        words=(Sentence("The weights of a row add up to 1 and are positive.", (0, 1)),),
        claims=in_rocq("softmax_conjugate", sums, positive),
        neighbour=nearby(sums, "The rows add up to 1, whatever their length.", rhs=number(2)),
        neighbours=(
            nearby(positive, "An entry is less than 1 where others are positive.", lhs=number(1)),
        ),
        source="AI Stack Exchange, question 32236",
        show=show(),
    )


if __name__ == "__main__":
    main(__spec__)
