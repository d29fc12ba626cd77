"""What the theorems "this position scheme shows the order" have in common."""

from itertools import takewhile

from orderproof.check.marks.exact import vector, witness_files
from orderproof.proofs.prelude import *
from orderproof.symbolic.counting import PEOPLE
from orderproof.symbolic.schemes.table_search import HANG, search
from orderproof.symbolic.schemes.tables import FEATURES, SIGMA, X, head, layer
from orderproof.symbolic.schemes.tables import TOKENS as PLACES

SIZES = ((2, 1), (2, 2), (3, 1), (3, 2))
E = tensor("E", i=PLACES, k=FEATURES)
PX, PE = moved(X, i=SIGMA), moved(E, i=SIGMA)
STAYS, OUTPUT_MOVES = head(add(PX, E)), moved(head(add(X, E)), i=SIGMA)  # f(PX) and P f(X)


def refuted(scheme: str, mark: str, *further: Claim, given: Sequence[Atom] = ()) -> Proof:
    """f(PX) ≠ P f(X) for a scheme that adds a table, with a witness at each of SIZES, for some
    table, or for that which is given; and further claims of these two sides."""
    here, there = (
        (
            Named(f"H{of}", add(x, E), "i", "k"),
            *layer(add(x, E)).named("QKVSA", of),
            Named(output, head(add(x, E)), "i", "v"),
        )
        for x, of, output in ((X, "", "F"), (PX, "_s", "G"))
    )
    claim = differs(
        STAYS, OUTPUT_MOVES, {mark: by_search(scheme, SIZES)}, row="i", column="v",
        every=[leaf_of(E)] if given else [], given=given,
        over=sizes(among={PLACES: (2, 3), FEATURES: (1, 2)}),
    )  # fmt: skip
    along = "If the table is permuted with the tokens, both sides are equal."
    false, *others = (nearby(c, along, lhs=head(add(PX, PE))) for c in (claim, *further))
    letters = {PLACES: "ijl", FEATURES: "kcv"}
    return Proof(
        claims=(claim, *further),
        show=Show((*here, *there), {SIGMA: "P"}, letters, alike=(like(there, here),)),
        planted=(false, *others),
        examples=_example(scheme),
        witnesses=witness_files(scheme, SIZES),
    )


def _example(scheme: str) -> tuple[Example, ...]:
    """The smallest witness, worked out."""
    w = search(scheme, 2, 1, timeout=HANG).witness
    if w is None:
        return ()
    table = [vector(row) for row in w.tensors.get("E", ())]
    table = table or [Formula(rf"\sin {i}", f"sin {i}") for i in range(2)]
    rows: list[tuple[str | Formula, ...]] = [
        (str(i + 1), vector(w.tensors["X"][i]), table[i], _row(w.lhs[i]), _row(w.rhs[i]))
        for i in range(2)
    ]
    unit = " in units of √d·ln 2" if w.kind == "exact" else ""
    weights = ", ".join(
        f"{name} = {vector(w.tensors[name][0]).plain}" + (unit if name == "W_Q" else "")
        for name in ("W_Q", "W_K", "W_V")
    )
    swap = ", ".join(f"σ({PEOPLE(i)}) = {PEOPLE(s)}" for i, s in enumerate(w.sigma))
    head = ("token", "X", "E", "G = f(PX)", "P F = P f(X)")
    return (Example("n = 2, d = 1", (f"{weights}; {swap}.", Table(head, tuple(rows)))),)


def _row(entries: Any) -> Formula:
    """A row of exact entries, or of enclosures by the digits that both of their ends have."""
    if all(low == high for low, high in entries):
        return vector([low for low, _ in entries])
    ends = ((f"{float(low):.12f}", f"{float(high):.12f}") for low, high in entries)
    same = (takewhile(lambda pair: pair[0] == pair[1], zip(*end, strict=True)) for end in ends)
    text = ", ".join("".join(digit for digit, _ in pairs)[:8] + "…" for pairs in same)
    return Formula(text.replace("…", r"\dots"), text)
