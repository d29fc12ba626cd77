"""Two position tables in numbers: every permutation that moves one of them breaks the symmetry.

All weights are 1 and X = −Pᵀe, as in additive_position_iff, for two tables with one feature: in one
all rows are different, in the other the first two are equal.
"""

import itertools

from orderproof.proofs.prelude import *

from .added_tables import DIFFERENCE, MOVED_TABLE, SIDES, ZERO, e, table_moved


@theorem(
    title="For two position tables, no P with P e ≠ e commutes with attention",
    words="For two tables and n = 2, 3, 4, attention of X + e commutes with no P with P e ≠ e.",
    source="positions added to the tokens: Vaswani et al. 2017, section 3.5",
    citations=("vaswani2017",),
    uses=("additive_position_iff",),
)
def not_equivariant_of_moved_position_table() -> Proof:
    shown_at = [
        differs(
            *SIDES,
            by_witnesses(found),
            every=(leaf_of(e), sigma), given=[table, MOVED_TABLE],
            row="i", column="r", over=sizes(among={n: (2, 3, 4)}),
        )
        for table, found in witnesses()
    ]  # fmt: skip
    first, second = map(table_moved, shown_at)
    return Proof(
        claims=in_rocq("additive_position_iff", *shown_at),
        planted=(first, second),
        show=show(*ZERO, *DIFFERENCE, alike=(like(DIFFERENCE, ZERO),)),
    )


def witnesses() -> list[tuple[Atom, list[Witness]]]:
    """Of two tables, all rows different and the first two equal, each with its formula: all weights
    1, for n = 2, 3, 4 and every σ that moves it."""
    one = {"u_Q": [[1]], "u_K": [[1]], "u_V": [[1]]}
    place = iota(n, "i")
    later = pointwise("max", subtract(place, number(1)), number(0))
    found = []
    for formula, table in ((place, (0, 1, 2, 3)), (later, (0, 0, 1, 2))):
        cases = [
            Witness({"n": size}, {"sigma": s}, one, query="u_Q")
            for size in (2, 3, 4)
            for s in itertools.permutations(range(size))
            if any(table[s[i]] != table[i] for i in range(size))
        ]
        found.append((Atom(e, "=", formula), cases))
    return found
