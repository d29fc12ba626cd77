"""The arithmetic of every replay: rationals, and enclosures by integer multiples of 2^-256.

Trusted for the marks *exact* and *interval*. Rational values are `Fraction`s; transcendental ones
are enclosed, and every operation rounds outward. Standard library and file format alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from math import ceil, floor, isqrt
from operator import add
from typing import Any, Generic

from orderproof.symbolic.counting import JSON, Said

from .fields import PLACES, Side, W

MAX_SCORE = 4096  # in absolute value: exp of more is refused, not computed
BITS = 256
ONE = 1 << BITS
Rows = Sequence[Sequence[Any]]


class ReplayError(ValueError):
    """A witness that cannot be replayed as what it says: `says` tells why, in either counting."""

    def __init__(self, why: str | Said) -> None:
        self.says: Said = (lambda _: why) if isinstance(why, str) else why
        super().__init__(self.says(JSON))


@dataclass(frozen=True)
class Outcome(Generic[W]):
    """The outcome: `status` is "ok" where the witness holds, else "refuted"; `says` tells why."""

    status: str
    says: Said
    witness: W

    @property
    def reason(self) -> str:
        """Why, as JSON has it."""
        return self.says(JSON)

    @property
    def ok(self) -> bool:
        """Whether the counterexample was confirmed."""
        return self.status == "ok"


def compare(name: str, kind: str, computed: Side, recorded: Side) -> None:
    """Recorded values must be the computed ones; recorded ends must enclose the value, each within
    one unit of the last decimal."""
    unit = Fraction(1, 10**PLACES)
    for i, row in enumerate(computed):
        for k, (low, high) in enumerate(row):
            a, b = recorded[i][k]
            holds = a == low and b == high
            if kind == "interval":
                holds = low - unit <= a <= low and high <= b <= high + unit
            if not holds:
                raise ReplayError(f"{name}[{i}][{k}]: the recorded value is not the computed one")


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """The sum of the products of entries; those with a rational 0, often most, are left out."""
    terms = [x * y for x, y in zip(a, b, strict=True) if x and y]
    return reduce(add, terms) if terms else a[0] * b[0]


def product(a: Rows, b: Rows) -> Rows:
    """The matrix product."""
    columns = list(zip(*b, strict=True))
    return [[dot(row, column) for column in columns] for row in a]


def power_of_two(score: Fraction) -> Fraction:
    """exp(m·ln 2) = 2^m: the query weights carry the factor √d·ln 2."""
    if score.denominator != 1 or abs(score) > MAX_SCORE:
        raise ReplayError(f"a score is no multiple m·ln 2 with an integer |m| <= {MAX_SCORE}")
    return Fraction(2) ** int(score)


def side_of(rows: Rows) -> Side:
    """Every value as an enclosure, with equal ends where it is rational."""

    def pair(v: Any) -> tuple[Fraction, Fraction]:
        return (Fraction(v.lo, ONE), Fraction(v.hi, ONE)) if isinstance(v, Ball) else (v, v)

    return tuple(tuple(pair(v) for v in row) for row in rows)


@dataclass(frozen=True)
class Ball:
    """All reals from lo/2^256 to hi/2^256."""

    lo: int
    hi: int

    @staticmethod
    def of(x: Fraction) -> Ball:
        """The narrowest enclosure of a rational."""
        return Ball(floor(x * ONE), ceil(x * ONE))

    def __add__(self, other: Ball) -> Ball:
        return Ball(self.lo + other.lo, self.hi + other.hi)

    def __neg__(self) -> Ball:
        return Ball(-self.hi, -self.lo)

    def __mul__(self, other: Ball) -> Ball:
        ends = [a * b for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        return Ball(min(ends) >> BITS, -(-max(ends) >> BITS))

    def __truediv__(self, other: Ball) -> Ball:
        if other.lo <= 0:
            raise ReplayError("a divisor could not be separated from zero")
        ends = [(a << BITS, b) for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        return Ball(min(a // b for a, b in ends), max(-(-a // b) for a, b in ends))

    def over(self, k: int) -> Ball:
        """Divided by a positive integer."""
        return Ball(self.lo // k, -(-self.hi // k))


def natural_weight(score: Ball, d: int) -> Ball:
    """exp(score/√d): exp is increasing, so the ends give the ends."""
    root = isqrt(d << 2 * BITS)  # root <= √d·2^256 < root + 1
    scaled = score / Ball(root, root if root * root == d << 2 * BITS else root + 1)
    if max(abs(scaled.lo), abs(scaled.hi)) > MAX_SCORE * ONE:
        raise ReplayError(f"a score exceeds {MAX_SCORE} in absolute value")
    return Ball(_exp(scaled.lo).lo, _exp(scaled.hi).hi)


def _exp(t: int) -> Ball:
    """exp(t/2^256): Taylor's series at y = t/2^(256+k) in [0, 1/2], squared k times. The terms at
    least halve, so what follows the last one is at most the last one."""
    if t < 0:
        return Ball(ONE, ONE) / _exp(-t)
    halvings = max(0, t.bit_length() - BITS + 1)
    y = Ball(t >> halvings, -(-t >> halvings))
    total = term = Ball(ONE, ONE)
    for i in range(1, 71):
        term = (term * y).over(i)
        total = total + term
    total = total + Ball(0, term.hi)
    for _ in range(halvings):
        total = total * total
    return total


def sin_cos(function: str, x: Ball) -> Ball:
    """sin or cos of x >= 0: Taylor's series Σ ± xⁱ/i! to i = N >= 4x + 80. Beyond N each term is
    less than a quarter of the one before, so the rest is at most the last term, of either sign."""
    total, term = Ball(0, 0), Ball(ONE, ONE)
    parity = 1 if function == "sin" else 0
    last = 4 * (-(-x.hi >> BITS)) + 80
    for i in range(last + 1):
        if i:
            term = (term * x).over(i)
        if i % 2 == parity:
            total = total + (-term if i // 2 % 2 else term)
    return total + Ball(-term.hi, term.hi)


@cache
def sinusoids(n: int, d: int) -> list[list[Ball]]:
    """PE(p, 2i) = sin(p / 10000^(2i/d)), PE(p, 2i+1) = cos (Vaswani et al. 2017, section 3.5)."""
    powers = [power_of_ten_thousand(Fraction(k - k % 2, d)) for k in range(d)]
    angles = [[Ball(p << BITS, p << BITS) / power for power in powers] for p in range(n)]
    return [[sin_cos("cos" if k % 2 else "sin", a) for k, a in enumerate(r)] for r in angles]


def power_of_ten_thousand(e: Fraction) -> Ball:
    """10000^(a/b): r^b <= 10000^a · 2^(256b) < (r+1)^b, the integer root r found by bisection."""
    a, b = e.numerator, e.denominator
    goal = 10000**a << b * BITS
    low, high = 0, 10000 ** (a // b + 1) << BITS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**b <= goal else (low, middle)
    return Ball(low, low if low**b == goal else high)
