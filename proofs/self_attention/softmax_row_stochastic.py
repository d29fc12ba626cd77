"""The weights that softmax makes of a row are positive and add up to 1.

Each is exp(sⱼ) over Σⱼ exp(sⱼ), a positive number over the sum of all; and the numerators of a row
add up to its denominator, which is not 0.
"""

from orderproof.proofs.prelude import *

from .softmax_conjugate import A


@theorem(
    title="Softmax is positive, and its rows add up to 1",
    words="The weights of a row add up to 1 and are positive.",
    source="AI Stack Exchange, question 32236",
)
def softmax_row_stochastic() -> Proof:
    """Exponentials are positive, and so is a sum of them if there is one at all; each weight is a
    positive number over a positive number, and the weights of a row add up to their common
    denominator over itself.
    """

    def marks(sympy: Check, *chain: str) -> dict[str, Check]:
        return {"smt": by_chain(*chain), "sympy": sympy, "numeric": by_numpy()}

    summed, over = marks(by_sympy_simplified, "positive", "scale"), sizes({m: 1})
    sums = holds(total(A, "j"), "=", number(1), summed, over=over)
    positive = holds(number(0), "<", A, marks(by_sympy_positive, "positive"), over=over)
    return Proof(
        claims=in_rocq("softmax_conjugate", sums, positive),
        planted=(
            nearby(sums, "The rows add up to 1, whatever their length.", rhs=number(2)),
            nearby(positive, "An entry is less than 1 where others are positive.", lhs=number(1)),
        ),
        show=show(),
    )
