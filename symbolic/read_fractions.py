"""Fractions: the reading behind the mark *exact*, every entry of a term at given rational values.

It shares no code with the searches that find these values (those read terms by `entries`): index
sets and maps are read by `index_arrays`, and each entry is a `Fraction`. Exponents are in units of
ln 2, so that exp of an integer m is the rational 2^m. Any other exponent, a division by zero and
an irrational root are refused, never rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .read_numpy import arrays
from .reading_error import ReadingError
from .terms import Term

Array = NDArray[Any]  # of Fractions
FOLDS: Mapping[str, Any] = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}


def _quotient(a: Fraction, b: Fraction) -> Fraction:
    if b == 0:
        raise ReadingError(f"division: given {a} / 0, expected a divisor that is not zero")
    return a / b


def _power_of_two(m: Fraction) -> Fraction:
    if m.denominator != 1:
        raise ReadingError(f"2^m: given m = {m}, expected an integer")
    return Fraction(2) ** m.numerator


def _root(x: Fraction) -> Fraction:
    if x >= 0:
        root = Fraction(math.isqrt(x.numerator), math.isqrt(x.denominator))
        if root * root == x:
            return root
    raise ReadingError(f"square root: given {x}, expected the square of a rational")


class Fractions:
    """Arrays of rationals. Where a `width` is given, 1/√width has been taken into the factor on the
    query weight: the one square root that is read is that of the width, as 1."""

    def __init__(self, width: int | None = None) -> None:
        def unit(x: Fraction) -> Fraction:
            if x != width:
                raise ReadingError(f"square root: given {x}, expected the width {width}")
            return Fraction(1)

        self.functions: Mapping[str, Callable[..., Any]] = {
            "add": _each(lambda a, b: a + b, 2),
            "sub": _each(lambda a, b: a - b, 2),
            "mul": _each(lambda a, b: a * b, 2),
            "div": _each(_quotient, 2),
            "neg": _each(lambda a: -a, 1),
            "max": _each(max, 2),
            "at_most": _each(lambda a, b: Fraction(a <= b), 2),
            "exp": _each(_power_of_two, 1),
            "exp2": _each(_power_of_two, 1),
            "sqrt": _each(_root if width is None else unit, 1),
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


def _each(function: Callable[..., Fraction], arity: int) -> Callable[..., Array]:
    """A function of rationals, entry by entry."""
    run = np.frompyfunc(function, arity, 1)
    return lambda *parts: np.asarray(run(*parts), dtype=object)


def _rational(values: Any) -> Array:
    """Integers (an empty sum is one), floats and rationals as Fractions, none of them rounded."""
    return _each(Fraction, 1)(np.asarray(values, dtype=object))


def entries_of(
    term: Term,
    sizes: Mapping[str, int],
    maps: Mapping[str, Any],
    tensors: Mapping[str, Any],
    width: int | None = None,
) -> dict[tuple[int, ...], Fraction]:
    """Every entry of the term, by index tuple in the order of its axes, at these tensors (nested
    lists or arrays). See `Fractions` for the width."""
    exact = {name: np.asarray(values, dtype=object) for name, values in tensors.items()}
    value = arrays(term, sizes, maps, exact, Fractions(width), literal=True)
    return {index: value[index] for index in np.ndindex(value.shape)}
