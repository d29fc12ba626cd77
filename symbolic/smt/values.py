"""Formulas about functions as formulas about numbers: each value of a function gets a name.

Of the functions only this is kept: equal arguments give equal values. What follows then follows of
all functions, and solvers are asked about numbers alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import z3

Formula = Any
NUMBERS = (z3.Z3_INT_SORT, z3.Z3_REAL_SORT)
ANGLES = ("Sin", "Cos")
VALUES = (z3.Z3_OP_UNINTERPRETED, z3.Z3_OP_SELECT)


_SHAPES: dict[int, tuple[Formula, tuple[tuple[int, Formula], ...], bool]] = {}
LARGEST = 500_000  # entries in this cache


def shape(key: int, e: Formula) -> tuple[tuple[tuple[int, Formula], ...], bool]:
    """The parts of a formula with their ids, and whether it is the value of a function: kept by its
    id (and so is the formula, or its id would be given to another), for each of these is a call
    into the solver."""
    known = _SHAPES.get(key)
    if known is None:
        if len(_SHAPES) > LARGEST:
            _SHAPES.clear()
        children = tuple((x.get_id(), x) for x in e.children())
        value = bool(children) and e.decl().kind() in VALUES and e.sort().kind() in NUMBERS
        known = _SHAPES[key] = e, children, value
    return known[1:]


class Values:
    """Names for values, numbered in the order in which they are met."""

    def __init__(self) -> None:
        self.names: list[tuple[Formula, Formula]] = []  # a name, and the value that it replaces
        self._done: dict[int, tuple[Formula, Formula]] = {}
        self._heads: dict[str, list[tuple[list[Formula], Formula]]] = {}

    def named(self, e: Formula) -> Formula:
        """A formula with names for values."""
        return self._named(e.get_id(), e)

    def _named(self, key: int, e: Formula) -> Formula:
        if key in self._done:
            return self._done[key][1]
        children, value = shape(key, e)
        if value:
            head, arguments = _flat(e)
            given = [self.named(x) for x in arguments]
            result = z3.Const(f"v{len(self.names) + 1}", e.sort())
            self.names.append((result, e))
            self._heads.setdefault(head, []).append((given, result))
        elif children:
            named = [self._named(k, x) for k, x in children]
            same = all(x is y for x, (_, y) in zip(named, children, strict=True))
            result = e if same else e.decl()(*named)
        else:
            result = e
        self._done[key] = (e, result)
        return result

    def congruences(self) -> Iterator[Formula]:
        """Equal arguments, equal values: of each two values of one function."""
        for head, known in self._heads.items():
            if head.split()[0] in ANGLES:
                continue  # their angles are taken apart and named in the same way
            for (a, x), (b, y) in itertools.combinations(known, 2):
                apart = [(p, q) for p, q in zip(a, b, strict=True) if not p.eq(q)]
                if not any(_distinct(p, q) for p, q in apart):
                    given = [p == q for p, q in apart]
                    yield z3.Implies(given[0] if len(given) == 1 else z3.And(*given), x == y)


def _flat(e: Formula) -> tuple[str, list[Formula]]:
    """The function, with those arrays that are themselves values, and all arguments."""
    head, found = e.decl().name(), []
    for x in e.children():
        if x.sort().kind() in NUMBERS:
            found.append(x)
            head += " ."
        else:
            name, inner = _flat(x)
            found += inner
            head += f" ({name})"
    return head, found


def _distinct(x: Formula, y: Formula) -> bool:
    """Whether two are different numerals."""
    return bool(z3.is_int_value(x) and z3.is_int_value(y) and x.as_long() != y.as_long())
