"""Z3 reals: the reading in which a solver looks for a counterexample."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import z3

from .entries import ARITHMETIC
from .error import ReadingError


class Reals:
    """Z3's real arithmetic. `exp` is a function of which nothing is known; a search that
    needs more passes its own exponential, and its own context for reproducible answers."""

    def __init__(
        self, exp: Callable[[Any], Any] | None = None, context: z3.Context | None = None
    ) -> None:
        self._context = context
        unknown = z3.Function("exp", z3.RealSort(context), z3.RealSort(context))
        self.functions: Mapping[str, Callable[..., Any]] = {
            **ARITHMETIC,
            "max": lambda a, b: z3.If(a >= b, a, b),
            "exp": exp or unknown,
        }

    def number(self, value: Fraction) -> z3.RatNumRef:
        return z3.RealVal(str(value), self._context)

    def reduce(self, kind: str, values: Sequence[Any], counts: Sequence[Any]) -> Any:
        if kind == "sum":
            terms = [v if _one(c) else c * v for c, v in zip(counts, values, strict=True)]
            return (
                terms[0]
                if len(terms) == 1
                else z3.Sum(*terms)
                if terms
                else z3.RealVal(0, self._context)
            )
        if any(not _one(c) for c in counts):
            raise ReadingError(f"{kind}: elements with multiplicities are read in sums only")
        if kind == "prod":
            return z3.Product(*values) if values else z3.RealVal(1, self._context)
        if not values:
            raise ReadingError(f"{kind}: given no values, expected at least one")
        best = values[0]
        for v in values[1:]:
            best = z3.If(v >= best if kind == "max" else v <= best, v, best)
        return best


def _one(count: Any) -> bool:
    return isinstance(count, int) and count == 1
