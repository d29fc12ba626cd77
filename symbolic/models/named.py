"""A tensor with the name by which a reader knows it."""

from __future__ import annotations

from dataclasses import dataclass

from orderproof.symbolic.calculus.terms import Name, Term


@dataclass(frozen=True)
class Named:
    """A tensor that the reader knows by name, with its rows and columns (None for a vector)."""

    name: str
    term: Term
    row: Name | None = None
    column: Name | None = None
    order: tuple[Name, ...] = ()  # in which its indices are written, where it is given

    @property
    def axes(self) -> tuple[Name, ...]:
        """Its axes in the order in which its indices are written: heads, then row and column."""
        if self.order:
            return self.order
        own = tuple(a for a in (self.row, self.column) if a is not None)
        return (*(a for a in self.term.axes if a not in own), *own)
