"""A layer norm need not lose positions: a table whose rows differ otherwise is seen behind it.

Two tokens with two features, and the table with the rows (1, −1) and (−1, 1). With ε = 5/4 the norm
divides by 3/2, and all entries are fractions. A skip beside the norm shows even a table that the
norm itself loses: that with the rows (0, 0) and (1, 1), a number for each row.
"""

from orderproof.proofs.prelude import *

from .normed_rows import PE, PX, E, a, norm


@theorem(
    title="A layer norm need not lose positions",
    words=(
        Sentence(
            "There are two tokens and a table for which the layer norm of X + E does not "
            "commute with the swap of the tokens.",
            (0,),
        ),
        Sentence(
            "If the norm loses the table, since the rows of P E − E are constant, a skip "
            "beside the norm can still show it.",
            (1,),
        ),
    ),
    source="Dive into Deep Learning, thread under section 10.6 (what a norm loses); layer "
    "norm: Ba et al. 2016",
    citations=("ba2016", "s2"),
    uses=("norms_equivariant", "layer_norm_invariant_of_row_constants"),
)
def not_equivariant_of_normed_position() -> Proof:
    seen = witness([[1, -1], [-1, 1]], epsilon=Fraction(5, 4))
    lost = witness([[0, 0], [1, 1]], epsilon=1, a=[1, -1])
    claims = [
        differs(
            f(add(PX, E)), moved(f(add(X, E)), i=sigma),
            by_witnesses([found]),
            row="i", column="c", such=such, over=sizes(among={n: (2,), d: (2,)}),
        )
        for f, found, such in (
            (norm, seen, [POSITIVE]),
            (with_skip, lost, [POSITIVE, Atom(PE, "=", add(E, a))]),
        )
    ]  # fmt: skip
    along = "If the table is permuted with the tokens, both sides are equal."
    first, second = (
        nearby(claim, along, lhs=f(add(PX, PE)))
        for claim, f in zip(claims, (norm, with_skip), strict=True)
    )
    N, H = norm(add(X, E)), with_skip(add(X, E))
    return Proof(
        claims=tuple(claims),
        planted=(first, second),
        show=show(Named("N", N, "i", "c"), Named("H", H, "i", "c")),
    )


def with_skip(rows: Term) -> Term:
    """Rows and their norm beside them."""
    return add(rows, norm(rows))


def witness(table: list[list[int]], **more: object) -> Witness:
    """Two tokens 0, swapped, and this table; the norm with gain 1 and bias 0."""
    tensors = {"X": [[0, 0], [0, 0]], "E": table, "gamma": [1, 1], "beta": [0, 0]}
    return Witness({"n": 2, "d": 2}, {"sigma": (1, 0)}, tensors | more)
