"""Formulas of prose that state no theorem: what a letter stands for, and a term's exact values.

Both are read off the term itself: a definition is its own body, and values are computed in rational
arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from orderproof.check.claims import Named, Show, Witness
from orderproof.check.marks.exact import exact_entries, fraction, vector
from orderproof.check.page import Formula
from orderproof.symbolic.calculus.terms import Name, Term
from orderproof.symbolic.derive.push import Pushed
from orderproof.symbolic.derive.steps import entries, write


@dataclass(frozen=True)
class Meaning:
    """What the name of a tensor stands for: D = E Eᵀ, or entry by entry D[i, j] = …"""

    item: Named
    show: Show

    def printed(self) -> Formula:
        """The name, and the term without it."""
        style, term = self.show.style(), self.item.term
        opened = style.without(term.node)
        body = write(term, opened, self.item.row, self.item.column)
        by_entries = body == entries(term, opened)
        axes = self.item.row, self.item.column
        name = entries(term, style) if by_entries else write(term, style, *axes)
        return Formula(f"{name.latex} = {body.latex}", f"{name.plain} = {body.plain}")


@dataclass(frozen=True)
class Valued:
    """A term and its values at given sizes, maps and tensors, exactly."""

    term: Term
    show: Show
    witness: Witness
    row: Name | None = None
    column: Name | None = None
    primes: tuple[Pushed, ...] = ()  # pushes whose images are primed

    def printed(self) -> Formula:
        """M = a matrix; one of a single column lies on its side: Zᵀ = (1/2, 1/3)."""
        style = self.show.style()
        for pushed in self.primes:
            style = replace(style, labels={**style.labels, **self.show.style(pushed).labels})
        rows = self._rows()
        lying = max(map(len, rows)) == 1
        axes = (self.column, self.row) if lying else (self.row, self.column)
        name = write(self.term, style, *axes)
        values = _matrix([[row[0] for row in rows]] if lying else rows)
        return Formula(f"{name.latex} = {values.latex}", f"{name.plain} = {values.plain}")

    def _rows(self) -> list[list[Any]]:
        found, axes = exact_entries(self.term, self.witness), self.term.axes
        turn = axes.index(self.row) if self.row in axes else 0
        rows: dict[int, list[Any]] = {}
        for place in sorted(found):
            rows.setdefault(place[turn], []).append(found[place])
        return [rows[k] for k in sorted(rows)]


def _matrix(rows: Sequence[Sequence[Any]]) -> Formula:
    """Rationals in rows; a single row with commas, as a vector is written."""
    each = [[fraction(value) for value in row] for row in rows]
    if len(each) == 1:
        return vector(rows[0])
    return Formula(
        r"\begin{pmatrix}" + r" \\[3pt] ".join(" & ".join(f.latex for f in row) for row in each)
        + r"\end{pmatrix}",
        "(" + "; ".join(", ".join(f.plain for f in row) for row in each) + ")",
    )  # fmt: skip
