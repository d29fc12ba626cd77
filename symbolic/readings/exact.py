"""Fractions: the reading behind the mark *exact*, every entry of a term at given rational values.

It shares no code with the searches that find these values (those read terms by `entries`): index
sets and maps are read by `index_arrays`, and each entry is a `Fraction`, or a number with √d or
ln 2 in it (scaled.py). The exponential of m·ln 2 for an integer m is the rational 2^m. Any other
exponent, a division by zero and any other irrational root are refused, never rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderproof.symbolic.calculus.terms import Term

from .error import ReadingError
from .numpy_arrays import arrays
from .scaled import ZERO, Scaled, factor

Array = NDArray[Any]  # of numbers
Number = Fraction | Scaled
ONE, SQRT = (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))
FOLDS: Mapping[str, Any] = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}


def _quotient(a: Number, b: Number) -> Number:
    if b == 0:
        raise ReadingError(f"division: given {a} / 0, expected a divisor that is not zero")
    return a * b.inverse() if isinstance(b, Scaled) else a * (1 / b)


def _power_of_two(m: Number) -> Fraction:
    if isinstance(m, Scaled) or m.denominator != 1:
        raise ReadingError(f"2^m: given m = {m}, expected an integer")
    return Fraction(2) ** m.numerator


def _exponential(x: Number) -> Fraction:
    if not isinstance(x, Scaled) and x != 0:
        raise ReadingError(f"exp: given {x}, expected a multiple of ln 2")
    return _power_of_two(x.exponent if isinstance(x, Scaled) else x)


class Fractions:
    """Arrays of rationals and of numbers with √d and ln 2, for a width d (1: no root but those of
    squares)."""

    joint = False

    def __init__(self, width: int = 1) -> None:
        def root(x: Number) -> Number:
            for by in (1, width):  # r, or r·√d
                square = Fraction(x) / by if not isinstance(x, Scaled) else Fraction(-1)
                if square >= 0:
                    r = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
                    if r * r == square:
                        whole = Scaled.of(width, ZERO, ZERO) + r
                        return whole if by == 1 else r * Scaled(width, SQRT, ZERO)
            raise ReadingError(f"square root: given {x}, expected r² or {width}·r²")

        self.functions: Mapping[str, Callable[..., Any]] = {
            "add": _each(lambda a, b: a + b, 2),
            "sub": _each(lambda a, b: a - b, 2),
            "mul": _each(lambda a, b: a * b, 2),
            "div": _each(_quotient, 2),
            "neg": _each(lambda a: -a, 1),
            "max": _each(max, 2),
            "relu": _each(lambda a: max(a, Fraction(0)), 1),
            "at_most": _each(lambda a, b: Fraction(a <= b), 2),
            "exp": _each(_exponential, 1),
            "exp2": _each(_power_of_two, 1),
            "sqrt": _each(root, 1),
        }

    def leaf(self, values: Array) -> Array:
        return _rational(values)

    def number(self, value: Fraction) -> Array:
        return np.asarray(value, dtype=object)

    def reduce(self, kind: str, value: Array) -> Array:
        if kind in ("max", "min") and value.shape[-1] == 0:
            raise ReadingError(f"{kind}: given no values, expected at least one")
        return _rational(FOLDS[kind](value, axis=-1))

    def contract(self, subscripts: str, a: Array, b: Array) -> Array:
        return _rational(np.einsum(subscripts, a, b))

    def map(self, function: Callable[[Array], Array], value: Array) -> Array:
        return function(value)

    def join(self, a: Array, b: Array) -> Array:
        return np.concatenate([a, b])


def _each(function: Callable[..., Number], arity: int) -> Callable[..., Array]:
    """A function of rationals, entry by entry."""
    run = np.frompyfunc(function, arity, 1)
    return lambda *parts: np.asarray(run(*parts), dtype=object)


def _rational(values: Any) -> Array:
    """Integers (an empty sum is one), floats and rationals as Fractions, none of them rounded."""
    return _each(_number, 1)(np.asarray(values, dtype=object))


def _in_units(values: Array, unit: Number) -> Array:
    return _each(lambda x: Fraction(x) * unit, 1)(values)


def _number(x: Any) -> Number:
    return x if isinstance(x, Scaled) else Fraction(x)


def entries_of(
    term: Term,
    sizes: Mapping[str, int],
    maps: Mapping[str, Any],
    tensors: Mapping[str, Any],
    query: str | None = None,
    logs: Collection[str] = (),
) -> dict[tuple[int, ...], Any]:
    """Every entry of the term, by index tuple in the order of its axes, at these tensors (nested
    lists or arrays); the one named `query`, of width d, is given in units of √d·ln 2, and those in
    `logs` in units of ln 2."""
    exact = {name: np.asarray(values, dtype=object) for name, values in tensors.items()}
    width = 1
    if query in exact:
        width = int(exact[query].shape[-1])
        exact[query] = _in_units(exact[query], factor(width))
    for name in logs:
        exact[name] = _in_units(exact[name], Scaled.of(width, ZERO, ONE))
    value = arrays(term, sizes, maps, exact, Fractions(width), literal=True)
    return {index: value[index] for index in np.ndindex(value.shape)}
