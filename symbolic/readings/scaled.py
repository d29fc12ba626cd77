"""Numbers p + q·u with p, q in ℚ(√d) and u = ln 2: exact arithmetic where exponents are in ln 2.

A witness has the factor √d·ln 2 on one weight of the scores, so that a score divided by √d is an
integer times ln 2, and its exponential a power of 2. Here that factor is part of the number: an
exponent that has anything else in it is refused, and so is a product of two such factors.
u is transcendental, so p + q·u = 0 only if p = q = 0; √d is rational or 1 and √d are independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from math import isqrt
from typing import Any

from .error import ReadingError

Pair = tuple[Fraction, Fraction]  # a + b·√d
ZERO: Pair = (Fraction(0), Fraction(0))


@total_ordering
@dataclass(frozen=True, eq=False)
class Scaled:
    """p + q·ln 2, for the square root of a whole number d ≥ 1."""

    d: int
    p: Pair
    q: Pair

    @staticmethod
    def of(d: int, p: Pair, q: Pair) -> Scaled | Fraction:
        """The number in its one form: √d folded in if it is rational, a Fraction if it is one."""
        root = isqrt(d)
        if root * root == d:
            p, q = ((x[0] + root * x[1], Fraction(0)) for x in (p, q))
        return p[0] if q == ZERO and p[1] == 0 else Scaled(d, p, q)

    def _lifted(self, other: Any) -> Scaled:
        if isinstance(other, Scaled):
            if other.d != self.d:
                raise ReadingError(f"numbers: given √{self.d} and √{other.d}, expected one root")
            return other
        return Scaled(self.d, (Fraction(other), Fraction(0)), ZERO)

    def _times(self, x: Pair, y: Pair) -> Pair:
        return x[0] * y[0] + x[1] * y[1] * self.d, x[0] * y[1] + x[1] * y[0]

    def __add__(self, other: Any) -> Any:
        o = self._lifted(other)
        return Scaled.of(self.d, _plus(self.p, o.p), _plus(self.q, o.q))

    def __neg__(self) -> Any:
        return Scaled.of(self.d, _minus(self.p), _minus(self.q))

    def __sub__(self, other: Any) -> Any:
        return self + (-other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        o = self._lifted(other)
        if self.q != ZERO and o.q != ZERO:
            raise ReadingError("product: given two numbers with the factor ln 2, expected one")
        q = _plus(self._times(self.p, o.q), self._times(self.q, o.p))
        return Scaled.of(self.d, self._times(self.p, o.p), q)

    __radd__, __rmul__ = __add__, __mul__

    def inverse(self) -> Any:
        """1 / x, of a number that is not 0 and has no ln 2 in it."""
        norm = self.p[0] ** 2 - self.d * self.p[1] ** 2
        if self.q != ZERO or norm == 0:
            raise ReadingError(f"division: given a divisor {self}, expected one without ln 2")
        return Scaled.of(self.d, (self.p[0] / norm, -self.p[1] / norm), ZERO)

    @property
    def exponent(self) -> Fraction:
        """m of a number m·ln 2."""
        if self.p != ZERO or self.q[1] != 0:
            raise ReadingError(f"exponent: given {self}, expected a multiple of ln 2")
        return self.q[0]

    @property
    def coefficient(self) -> Fraction:
        """The one coefficient of a number that is a rational times 1, √d, ln 2 or √d·ln 2."""
        found = [x for x in (*self.p, *self.q) if x != 0]
        if len(found) != 1:
            raise ReadingError(f"number: given {self}, expected a multiple of one unit")
        return found[0]

    def sign(self) -> int:
        """−1, 0 or 1; refused where p and q have opposite signs: ln 2 is not enclosed here."""
        found = {s for s in (_sign(x, self.d) for x in (self.p, self.q)) if s}
        if len(found) > 1:
            raise ReadingError(f"sign: given {self}, expected parts of one sign")
        return found.pop() if found else 0

    def __eq__(self, other: object) -> bool:
        difference = self - other
        return not isinstance(difference, Scaled) and difference == 0

    def __hash__(self) -> int:
        return hash((self.d, self.p, self.q))

    def __lt__(self, other: Any) -> bool:
        difference = self - other
        return (difference.sign() if isinstance(difference, Scaled) else difference) < 0

    def __str__(self) -> str:
        units = ("", f"·√{self.d}", "·ln 2", f"·√{self.d}·ln 2")
        parts = zip((*self.p, *self.q), units, strict=True)
        return " + ".join(f"{x}{unit}" for x, unit in parts if x) or "0"


def _plus(x: Pair, y: Pair) -> Pair:
    return x[0] + y[0], x[1] + y[1]


def _minus(x: Pair) -> Pair:
    return -x[0], -x[1]


def _sign(x: Pair, d: int) -> int:
    """The sign of a + b·√d: that of the part with the larger square."""
    a, b = x
    larger = a if a * a >= b * b * d else b
    return (larger > 0) - (larger < 0)


def factor(d: int) -> Any:
    """√d · ln 2."""
    return Scaled.of(d, ZERO, (Fraction(0), Fraction(1)))
