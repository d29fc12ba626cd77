"""Expressions as Z3 formulas: integers and reals as they are, all else an unknown function.

The tables of a question are numbered in the order in which they are met, and so the same question
has the same text whatever was asked before.
"""

from __future__ import annotations

from typing import Any

import z3

from .evaluate import inside_out
from .expression import BOOL, INT, REAL, Expr

Formula = Any
SPECIAL = {"inf": "infinity", "-inf": "minus_infinity", "nan": "no_number"}


def size_name(name: str) -> str:
    """A size by a name that no index or position has, in SMT-LIB's plain letters."""
    return "dim_" + "".join(
        c if c.isascii() and (c.isalnum() or c == "_") else f".{ord(c):x}." for c in name
    )


def sort(name: str) -> Any:
    """A sort of Z3."""
    return {INT: z3.IntSort(), REAL: z3.RealSort(), BOOL: z3.BoolSort()}[name]


class Formulas:
    """Formulas of one question."""

    def __init__(self) -> None:
        self._done: dict[Expr, Formula] = {}
        self._tables: dict[str, str] = {}

    def of(self, e: Expr) -> Formula:
        """The formula of an expression."""
        for part in inside_out(e):
            if part not in self._done:
                self._done[part] = self._made(part, [self._done[a] for a in part.args])
        return self._done[e]

    def _made(self, e: Expr, args: list[Formula]) -> Formula:
        match e.op:
            case "number":
                return z3.IntVal(e.data) if e.sort == INT else z3.RealVal(str(e.data))
            case "truth":
                return z3.BoolVal(e.data)
            case "size":
                return z3.Int(size_name(e.data))
            case "index":
                return z3.Int(e.data)
            case "special":
                return z3.Real(SPECIAL[e.data])
            case "sum":
                return self._sum(e, args)
            case "product":
                return z3.Product(*args)
            case "min" | "max":
                x, y = args
                return z3.If(x <= y, x, y) if e.op == "min" else z3.If(x <= y, y, x)
            case "abs":
                return z3.If(args[0] >= 0, args[0], -args[0])
            case "not":
                return z3.Not(args[0])
            case "and":
                return z3.And(*args)
            case "or":
                return z3.Or(*args)
            case "same":
                return args[0] == args[1]
            case "nonnegative":
                return args[0] >= 0
            case "zero":
                return args[0] == 0
            case "ite":
                return z3.If(*args)
            case "real":
                return z3.ToReal(args[0])
            case "floor":
                return z3.ToInt(args[0])
            case "floor_div":
                return _floor_div(*args)
            case "mod":
                return args[0] % args[1]
            case "table" | "result":
                name = self._tables.setdefault(repr(e.data), f"{e.op}_{len(self._tables)}")
                return self._function(name, e, args)
            case "function":
                kinds = "_".join(a.sort for a in e.args)
                return self._function(f"f_{e.data}_{kinds}", e, args)
        raise ValueError(f"given the operation {e.op}, expected a known one")

    def _function(self, name: str, e: Expr, args: list[Formula]) -> Formula:
        return z3.Function(name, *(sort(a.sort) for a in e.args), sort(e.sort))(*args)

    def _sum(self, e: Expr, args: list[Formula]) -> Formula:
        constant, *coefficients = e.data
        number = z3.IntVal if e.sort == INT else lambda c: z3.RealVal(str(c))
        found = [a if c == 1 else number(c) * a for a, c in zip(args, coefficients, strict=True)]
        found += [number(constant)] if constant else []
        return z3.Sum(*found) if len(found) > 1 else found[0]


def _floor_div(x: Formula, y: Formula) -> Formula:
    """⌊x/y⌋: SMT-LIB's quotient where the divisor is positive, and of −x and −y elsewhere."""
    if z3.is_int_value(y) and y.as_long() > 0:
        return x / y
    return z3.If(y > 0, x / y, (-x) / (-y))
