"""Exact rationals: the arithmetic in which the searches evaluate what they find, by `entries`.

Exponents are in units of ln 2 (the factor ln 2 is put on a weight of the scores, and said so), so
that exp of an integer m is the rational 2^m. Any other exponent, a division by zero and an
irrational root are refused, never rounded. The mark *exact* is given by exact.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import isqrt, prod
from typing import Any

from .entries import ARITHMETIC
from .error import ReadingError


def power_of_two(m: Fraction) -> Fraction:
    """2^m for an integer m."""
    if m.denominator != 1:
        raise ReadingError(f"2^m: given m = {m}, expected an integer")
    return Fraction(2) ** int(m)


def square_root(x: Fraction) -> Fraction:
    """√x for the square of a rational."""
    if (
        x < 0
        or isqrt(x.numerator) ** 2 != x.numerator
        or isqrt(x.denominator) ** 2 != x.denominator
    ):
        raise ReadingError(f"square root: given {x}, expected the square of a rational")
    return Fraction(isqrt(x.numerator), isqrt(x.denominator))


def quotient(a: Fraction, b: Fraction) -> Fraction:
    """a / b for b ≠ 0."""
    if b == 0:
        raise ReadingError(f"division: given {a} / 0, expected a divisor that is not zero")
    return a / b


class Exact:
    """The rational numbers."""

    functions: Mapping[str, Callable[..., Any]] = {
        **ARITHMETIC,
        "div": quotient,
        "max": max,
        "at_most": lambda a, b: Fraction(a <= b),
        "exp": power_of_two,
        "exp2": power_of_two,
        "sqrt": square_root,
    }

    def number(self, value: Fraction) -> Fraction:
        return value

    def reduce(self, kind: str, values: Sequence[Fraction], counts: Sequence[int]) -> Fraction:
        if kind == "sum":
            return sum((c * v for c, v in zip(counts, values, strict=True)), Fraction(0))
        if kind == "prod":
            return prod((v**c for c, v in zip(counts, values, strict=True)), start=Fraction(1))
        if not values:
            raise ReadingError(f"{kind}: given no values, expected at least one")
        return max(values) if kind == "max" else min(values)
