"""Index arithmetic on whole arrays: sizes of sets, tables of maps, index expressions on a grid.

Trusted for the marks *numeric* and *exact*. It shares the terms themselves, and no more, with
`entries.Model` (of the marks *sympy*, *smt* and *interval*) and with `kernel.normal`: an error in
one of the three is not an error in the others.

The elements of an index set of size k are 0, …, k−1: in a sum the left part comes first, in a
product the right part runs fastest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderproof.symbolic.calculus.terms import Ap, Index, Map, Set, map_type

from .error import ReadingError

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class IndexArrays:
    """Sizes of index set symbols and tables of map symbols, by name. A map of one argument is given
    as the list of its values, a constant as its index, a map of several as a function of them."""

    sizes: Mapping[str, int]
    maps: Mapping[str, Any] = field(default_factory=dict)
    _tables: dict[Map, Indices] = field(default_factory=dict)

    def size(self, s: Set) -> int:
        """The number of elements of an index set."""
        if not s.parts:
            if s.name != "1" and s.name not in self.sizes:
                raise ReadingError(f"index set {s.name}: no size given, expected {[*self.sizes]}")
            return 1 if s.name == "1" else self.sizes[s.name]
        if s.name not in ("+", "×"):
            raise ReadingError(f"index set {s.name}: given {s.parts}, expected a sum or a product")
        parts = [self.size(part) for part in s.parts]
        return int(np.sum(parts) if s.name == "+" else np.prod(parts))

    def table(self, m: Map) -> Indices:
        """A map as the array of its values, with one axis for each argument."""
        if m not in self._tables:
            self._tables[m] = self._table(m)
        return self._tables[m]

    def _table(self, m: Map) -> Indices:
        match m.kind, m.data:
            case "symbol", (name, dom, cod, bijective):
                return self._given(name, [self.size(s) for s in dom], self.size(cod), bijective)
            case "identity", (a,):
                return np.arange(self.size(a))
            case "inverse", (f,):
                return np.argsort(self.table(f))  # sorting a permutation inverts it
            case "inl", (a, _):
                return np.arange(self.size(a))
            case "inr", (a, b):
                return np.arange(self.size(a), self.size(a) + self.size(b))
            case "beside", (f, g):
                return np.concatenate([self.table(f), self.size(map_type(f)[1]) + self.table(g)])
            case "pair", (a, b):
                return np.arange(self.size(a) * self.size(b)).reshape(self.size(a), self.size(b))
            case ("fst" | "snd") as side, (a, b):
                rows, columns = np.indices((self.size(a), self.size(b)))
                return (rows if side == "fst" else columns).ravel()
        raise ReadingError(f"map {m.kind}: given {m.data}, expected a known kind")

    def grid(self, exprs: Sequence[Index], sets: Sequence[Set]) -> tuple[Indices, ...]:
        """Index expressions in the slots 0, 1, …, at every assignment of elements of these sets to
        them: arrays that broadcast together to one axis for each slot."""
        slots = np.indices([self.size(s) for s in sets], dtype=np.intp, sparse=True)
        return tuple(self._value(e, dict(enumerate(slots))) for e in exprs)

    def _value(self, e: Index, slots: Mapping[Any, Indices]) -> Indices:
        if isinstance(e, Ap):
            return np.asarray(self.table(e.map)[tuple(self._value(x, slots) for x in e.args)])
        return slots[e]

    def _given(self, name: str, dom: Sequence[int], cod: int, bijective: bool) -> Indices:
        """The table of a map symbol, which must be one: of this shape, with values in range."""
        if name not in self.maps:
            raise ReadingError(f"map {name}: no table given, expected one")
        given = self.maps[name]
        if callable(given):
            values = [given(*map(int, i)) for i in np.ndindex(*dom)]
            table = np.asarray(values, dtype=np.intp).reshape(dom)
        else:
            table = np.asarray(given, dtype=np.intp)
        if bijective and not np.array_equal(np.sort(table, axis=None), np.arange(cod)):
            raise ReadingError(f"map {name}: given {given}, expected a permutation of {cod}")
        if table.shape != tuple(dom) or not np.all((table >= 0) & (table < cod)):
            raise ReadingError(f"map {name}: given {given}, expected {dom} values below {cod}")
        return table
