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


class Values:
    """Names for values, numbered in the order in which they are met."""

    def __init__(self) -> None:
        self.names: list[tuple[Formula, Formula]] = []  # a name, and the value that it stands for
        self._done: dict[int, tuple[Formula, Formula]] = {}
        self._heads: dict[str, list[tuple[list[Formula], Formula]]] = {}

    def named(self, e: Formula) -> Formula:
        """A formula with names for values."""
        if e.get_id() in self._done:
            return self._done[e.get_id()][1]
        if e.num_args() and e.decl().kind() in VALUES and e.sort().kind() in NUMBERS:
            head, arguments = _flat(e)
            given = [self.named(x) for x in arguments]
            result = z3.Const(f"v{len(self.names) + 1}", e.sort())
            self.names.append((result, e))
            self._heads.setdefault(head, []).append((given, result))
        elif e.num_args():
            result = e.decl()(*(self.named(x) for x in e.children()))
        else:
            result = e
        self._done[e.get_id()] = (e, result)
        return result

    def congruences(self) -> Iterator[Formula]:
        """Equal arguments, equal values: of each two values of one function."""
        for head, known in self._heads.items():
            if head.split()[0] in ANGLES:
                continue  # their angles are taken apart and named alike
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
