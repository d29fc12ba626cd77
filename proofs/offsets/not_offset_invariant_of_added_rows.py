"""With rows added to the tokens, a common offset can change the output: one token shows it.

With one token attention copies its value. With W_V = 1 the output is another where the row that is
added is another. Rows that the offset leaves as they are, as equal ones, show nothing.
"""

from orderproof.proofs.prelude import *

HERE, FURTHER = (tensor(name, i=n, c=d) for name in ("E", "E_t"))  # rows p, and rows p + t


def rows_added(rows: Term, of: str) -> tuple[Named, ...]:
    """Rows added to the tokens, and the parts of attention to them, by name."""
    tokens = add(X, rows)
    return Named(f"H{of}", tokens, "i", "c"), *Attention(tokens, as_keys(tokens)).named(of=of)


@theorem(
    title="With rows added to the tokens a common offset can change the output",
    words="With one token, an offset of 1 changes the added row from 0 to 1 and, for some token "
    "and weights, the output.",
    source="AI Stack Exchange, question 32236: “breaks permutation symmetry to translational”",
    citations=("s0", "vaswani2017"),
    uses=("offset_invariant_of_relative_positions",),
)
def not_offset_invariant_of_added_rows() -> Proof:
    row, row_on = rows_added(HERE, "_E"), rows_added(FURTHER, "_Et")
    absolute, moved_on = row[-1].term, row_on[-1].term
    one = {"W_Q": [[0]], "W_K": [[0]], "W_V": [[1]]}
    witness = Witness(dict.fromkeys(("n", "d", "d_k", "d_v"), 1), {}, {"X": [[0]]} | one)
    rows = [Atom(HERE, "=", iota(n, "i")), Atom(FURTHER, "=", add(iota(n, "i"), number(1)))]
    lost = differs(
        moved_on, absolute, by_witnesses([witness]),
        every=(leaf_of(HERE), leaf_of(FURTHER)), given=rows, row="i", column="r",
        over=sizes(among=dict.fromkeys((n, d, d_k, d_v), (1,))),
    )  # fmt: skip
    return Proof(
        claims=in_rocq("not_offset_invariant_of_added_rows", lost),
        planted=nearby(lost, "With the same rows added the outputs are equal.", lhs=absolute),
        show=show(*row, *row_on, alike=({"E_t": "E"} | like(row_on, row),)),
    )
