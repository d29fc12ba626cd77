"""The witness of a cell of the table: worked out where one layer is read, else its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from orderproof.proofs.book.position_worked import worked
from orderproof.proofs.check.page import Example, Formula
from orderproof.proofs.schemes.answers import entries_of
from orderproof.proofs.schemes.table import Cell
from orderproof.symbolic.counting import PEOPLE, cycle_text
from orderproof.symbolic.readings.notation import Latex
from orderproof.symbolic.schemes.definitions import PositionScheme

DIGITS = 4  # of what is not rational


@dataclass(frozen=True)
class Values:
    """The values of a witness: what it says, its tensors by their symbols, and the units."""

    says: str
    values: tuple[tuple[Formula, Formula], ...]
    units: str


def worked_out(s: PositionScheme, c: Cell, file: str) -> Example | None:
    """The counterexample of a cell worked out, where the tokens of one layer are permuted."""
    if c.witness is None or c.witness.reads != "layer" or c.witness.depth != 1:
        return None
    return worked(s, c.witness, file)


def values_of(c: Cell) -> Values | None:
    """The values of a cell's witness, tokens and features counted from 1."""
    w = c.witness
    if w is None:
        return None
    found = [(Formula("X", "X"), _matrix(w.x))]
    for key, row in entries_of(w).items():
        name = key.replace(",", ", ")
        found.append((Formula(rf"\text{{entry }} ({name})", f"entry ({name})"), _matrix([row])))
    for k, layer in enumerate(w.layers, 1):
        of = f",\\, {k}" if len(w.layers) > 1 else ""
        for name, rows in layer.items():
            symbol = Latex().symbol(name)
            found.append((Formula(symbol[:-1] + of + "}", name), _matrix(rows)))
    for name, side in ((r"\text{left side}", w.lhs), (r"\text{right side}", w.rhs)):
        found.append((Formula(name, name), _sides(side)))
    sizes = f"n = {w.n}, d = {w.d}, σ = {cycle_text(w.sigma)}"
    layers = f", {w.depth} layers with skips" if w.depth > 1 else ""
    return Values(
        f"{sizes}{layers}: {w.differs(PEOPLE)}.",
        tuple(found),
        "W_Q in units of √d·ln 2, and what is added to scores in units of ln 2."
        if w.kind == "exact"
        else "Sides are enclosed; their first digits are shown.",
    )


def _matrix(rows: Sequence[Sequence[Fraction]]) -> Formula:
    return _grid([[_rational(x) for x in row] for row in rows])


def _sides(rows: Sequence[Sequence[tuple[Fraction, Fraction]]]) -> Formula:
    """A side: rationals, or the first digits of what is enclosed."""
    return _grid([
        [_rational(a) if a == b else f"{float(a):.{DIGITS}f}\\ldots" for a, b in row]
        for row in rows
    ])  # fmt: skip


def _grid(cells: Sequence[Sequence[str]]) -> Formula:
    if len(cells) == len(cells[0]) == 1:
        return Formula(rf"\left({cells[0][0]}\right)", "")
    inside = r" \\ ".join(" & ".join(row) for row in cells)
    return Formula(rf"\begin{{pmatrix}} {inside} \end{{pmatrix}}", "")


def _rational(x: Fraction) -> str:
    if x.denominator == 1:
        return str(x)
    minus = "-" if x < 0 else ""
    return rf"{minus}\tfrac{{{abs(x.numerator)}}}{{{x.denominator}}}"
