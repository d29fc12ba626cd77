"""A layer norm does not change where a number is added to all features of a row.

It takes the mean from each row first, and so the number is gone: LN(X + a1ᵀ) = LN(X).
"""

from orderproof.proofs.prelude import *

from .normed_rows import DEFINITIONS, SOME, a, norm, same_norm


@theorem(
    title="Layer norm is invariant under adding a constant to each row",
    words="The layer norm does not change if a number is added to all features of a row, any "
    "number for each row.",
    source="layer norm: Ba et al. 2016, eq. (3)",
    citations=("ba2016",),
    uses=("norms_equivariant",),
)
def layer_norm_invariant_of_row_constants() -> Proof:
    """A number that is added to all features of a row is added to their mean, and taken away again
    with it:
    {less the mean}
    The norm is made of these differences alone; the variance is the mean of their squares.
    """
    lost = holds(
        norm(add(X, a)), "=", norm(X),
        {
            "smt": joined(*same_norm(add(X, a), X)), "sympy": by_sympy_simplified,
            "numeric": by_numpy(),
        },
        row="i", column="c", given=[POSITIVE], over=SOME,
    )  # fmt: skip
    return Proof(
        claims=in_rocq("layer_norm_invariant_of_row_constants", lost),
        planted=nearby(lost, "Without the layer norm the rows differ.", lhs=add(X, a), rhs=X),
        show=show(Named("N", norm(X), "i", "c"), Named("N_a", norm(add(X, a)), "i", "c")),
        definitions=DEFINITIONS,
    )
