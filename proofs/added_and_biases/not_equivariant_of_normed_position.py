"""A layer norm need not lose positions: a table whose rows differ otherwise is seen behind it.

Two tokens with two features, and the table with the rows (1, −1) and (−1, 1). With ε = 5/4 the norm
divides by 3/2, and all entries are fractions. A skip beside the norm shows even a table that the
norm itself loses: that with the rows (0, 0) and (1, 1), a number for each row.
"""

from orderproof.proofs.prelude import *

from .normed_rows import PE, PX, E, a, norm

GIVEN, MOVED = add(X, E), add(PX, E)  # the tokens with the table, and in another order
BOTH = add(PX, PE)  # the table permuted with them
SMALL = sizes(among={n: (2,), d: (2,)})


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
    behind = differs(
        norm(MOVED), moved(norm(GIVEN), i=sigma),
        {"exact": by_exact([seen]), "numeric": by_numpy_differs([seen])},
        row="i", column="c", such=[POSITIVE], over=SMALL,
    )  # fmt: skip
    beside = differs(
        add(MOVED, norm(MOVED)), moved(add(GIVEN, norm(GIVEN)), i=sigma),
        {"exact": by_exact([lost]), "numeric": by_numpy_differs([lost])},
        row="i", column="c", such=[POSITIVE, Atom(PE, "=", add(E, a))], over=SMALL,
    )  # fmt: skip
    return Proof(
        claims=(behind, beside),
        neighbour=nearby(
            behind, "If the table is permuted with the tokens, both sides are equal.",
            lhs=norm(BOTH),
        ),
        neighbours=(
            nearby(
                beside, "If the table is permuted with the tokens, both sides are equal.",
                lhs=add(BOTH, norm(BOTH)),
            ),
        ),
        show=show(Named("N", norm(GIVEN), "i", "c"), Named("H", add(GIVEN, norm(GIVEN)), "i", "c")),
    )  # fmt: skip


def witness(table: list[list[int]], **more: object) -> Witness:
    """Two tokens 0, swapped, and this table; the norm with gain 1 and bias 0."""
    tensors = {"X": [[0, 0], [0, 0]], "E": table, "gamma": [1, 1], "beta": [0, 0]}
    return Witness({"n": 2, "d": 2}, {"sigma": (1, 0)}, tensors | more)
