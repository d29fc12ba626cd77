"""Z3 reals: the reading in which a solver looks for a counterexample."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import z3

from .entries import ReadingError


class Reals:
    """Z3's real arithmetic. `exp` is a function of which nothing is known; a search that wants
    more passes its own reading of the exponential."""

    def __init__(self, exp: Callable[[Any], Any] | None = None) -> None:
        unknown = z3.Function("exp", z3.RealSort(), z3.RealSort())
        self.functions: Mapping[str, Callable[..., Any]] = {
            "add": lambda a, b: a + b,
            "sub": lambda a, b: a - b,
            "mul": lambda a, b: a * b,
            "div": lambda a, b: a / b,
            "neg": lambda a: -a,
            "max": lambda a, b: z3.If(a >= b, a, b),
            "exp": exp or unknown,
        }

    def number(self, value: Fraction) -> z3.RatNumRef:
        return z3.RealVal(str(value))

    def reduce(self, kind: str, values: Sequence[Any], counts: Sequence[Any]) -> Any:
        if any(c != 1 for c in counts):
            raise ReadingError("Z3 reals: elements that stand for several are not read here")
        if kind == "sum":
            return z3.Sum(*values) if values else z3.RealVal(0)
        if kind == "prod":
            return z3.Product(*values) if values else z3.RealVal(1)
        if not values:
            raise ReadingError(f"{kind}: given no values, expected at least one")
        best = values[0]
        for v in values[1:]:
            best = z3.If(v >= best if kind == "max" else v <= best, v, best)
        return best
