"""Intervals: the reading that encloses a term's entries, transcendental ones too, between bounds.

Sums, products and quotients of `mpmath.iv` are rounded outward by construction. Its exp, log, sin
and cos are computed with guard bits and then rounded, without a proven error bound; so each of
their results is widened here by 2^24 units of the last place, millions of times their possible
error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from mpmath.ctx_iv import MPIntervalContext

from .entries import ARITHMETIC
from .error import ReadingError


class Intervals:
    """Closed intervals of reals that contain the true value, at a working precision in bits."""

    def __init__(self, bits: int = 192) -> None:
        self._iv: Any = MPIntervalContext()
        self._iv.prec = bits
        step = self._iv.ldexp(self._iv.mpf(1), 24 - bits)
        self._slack = self._iv.mpf([-step, step])
        self.functions: Mapping[str, Callable[..., Any]] = {
            **ARITHMETIC,
            "div": self._quotient,
            "max": lambda a, b: self._largest([a, b]),
            "exp": lambda a: self._iv.exp(a) * (1 + self._slack),
            "exp2": lambda a: self._iv.exp(a * self._iv.log(2)) * (1 + self._slack),
            "at_most": self._at_most,
            "sin": lambda a: self._iv.sin(a) + self._slack,
            "cos": lambda a: self._iv.cos(a) + self._slack,
            "log": lambda a: self._logarithm(a) + self._slack,
            "sqrt": self._root,
        }

    def number(self, value: Fraction) -> Any:
        """The narrowest interval at this precision that contains a rational."""
        return self._iv.mpf(value.numerator) / self._iv.mpf(value.denominator)

    def reduce(self, kind: str, values: Sequence[Any], counts: Sequence[Any]) -> Any:
        if any(c != 1 for c in counts):
            raise ReadingError("intervals: elements with multiplicities are not read here")
        if kind in ("sum", "prod"):
            result = self._iv.mpf(0 if kind == "sum" else 1)
            for v in values:
                result = result + v if kind == "sum" else result * v
            return result
        if not values:
            raise ReadingError(f"{kind}: given no values, expected at least one")
        return self._largest(values) if kind == "max" else -self._largest([-v for v in values])

    def sinusoid(self, function: str, row: int, power: Fraction) -> Any:
        """sin or cos of row / 10000^power (Vaswani et al. 2017, section 3.5)."""
        angle = self._iv.mpf(row)
        if power:
            log = self.functions["log"](self._iv.mpf(10000))
            angle = angle / self.functions["exp"](log * self.number(power))
        return self.functions[function](angle)

    def _at_most(self, a: Any, b: Any) -> Any:
        (low, high), (lower, higher) = ends(a), ends(b)
        if high > lower and not low > higher:
            raise ReadingError("at most: the two numbers could not be separated")
        return self._iv.mpf(int(high <= lower))

    def _largest(self, values: Sequence[Any]) -> Any:
        low = max((v.a for v in values), key=_low)
        return self._iv.mpf([low, max((v.b for v in values), key=_low)])

    def _quotient(self, a: Any, b: Any) -> Any:
        low, high = ends(b)
        if low <= 0 <= high:
            raise ReadingError("division: the divisor could not be separated from 0")
        return a / b

    def _root(self, a: Any) -> Any:
        if ends(a)[0] < 0:
            raise ReadingError(f"square root: given {a}, expected no negative number")
        return self._iv.sqrt(a) * (1 + self._slack)

    def _logarithm(self, a: Any) -> Any:
        if ends(a)[0] <= 0:
            raise ReadingError(f"log: given {a}, expected a positive number")
        return self._iv.log(a) * (1 + self._slack)


def ends(value: Any) -> tuple[Fraction, Fraction]:
    """The lower and the upper end of an interval, exactly; they must be finite."""
    low, high = (_rational(end) for end in value._mpi_)
    return low, high


def _rational(end: tuple[int, int, int, int]) -> Fraction:
    sign, mantissa, exponent, _ = end
    if not mantissa and exponent:
        raise ReadingError("interval: given an infinite end, expected a bounded interval")
    size = Fraction(int(mantissa)) * Fraction(2) ** exponent
    return -size if sign else size


def _low(value: Any) -> Fraction:
    return ends(value)[0]
