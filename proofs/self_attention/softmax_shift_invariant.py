"""softmax does not change where a number is subtracted from all scores of a row.

Libraries subtract the largest score of a row first, so that no exponential overflows. It divides
numerators and denominator by the same number.
"""

from orderproof.proofs.prelude import *
from orderproof.symbolic.models.attention import shifted_softmax, shifted_softmax_definition

from .softmax_conjugate import A, S


@theorem(
    title="Softmax is invariant under subtracting the maximum of a row",
    words="Subtracting the largest score of a row first, as libraries do, gives the same weights.",
    source="AI Stack Exchange, question 32236",
)
def softmax_shift_invariant() -> Proof:
    """Subtracting a number from every score of a row multiplies every exponential of the row by the
    same positive factor, in the numerator and in the denominator.
    """
    marks: dict[str, Check] = {
        "smt": by_chain("positive", "scale"), "sympy": by_sympy_simplified, "numeric": by_numpy(),
    }  # fmt: skip
    shifted, over = shifted_softmax(S, "j"), sizes({m: 1})
    shift = holds(shifted, "=", A, marks, over=over, row="i", column="j")
    return Proof(
        claims=in_rocq("softmax_shift_invariant", shift),
        planted=nearby(
            shift, "Subtracting the maximum does not permute the weights.", rhs=moved(A, j=rho)
        ),
        show=show(Named("A", A, "i", "j")),
        definitions=(shifted_softmax_definition(m),),
    )
