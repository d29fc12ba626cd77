"""A ball as two decimals, and when the decimals of a file are those of a ball found again."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from ..fields import PLACES, Enclosure
from .balls import ZERO, fraction_of

UNIT = Fraction(1, 10**PLACES)
FAR, NEAR, SMALL = arb(2) ** 4096, arb(2) ** -4096, Fraction(1, 2**4096)


def ends(ball: arb) -> tuple[Fraction, Fraction] | None:
    """The ends of a ball, exact but for what is below 2^-4096, which is rounded outward; None where
    it has none below 2^4096. Exponents have no bound: as fractions some would fill any memory."""
    if not (ball.is_finite() and bool(abs(ball) < FAR)):
        return None
    middle, radius = ball.mid(), ball.rad()
    more = Fraction(0)
    if not middle.is_zero() and bool(abs(middle) < NEAR):
        middle, more = ZERO, SMALL
    if not radius.is_zero() and bool(radius < NEAR):
        radius, more = ZERO, more + SMALL
    c, r = fraction_of(middle), fraction_of(radius) + more
    return c - r, c + r


def written(ball: arb) -> Enclosure | None:
    """The least interval around the ball whose ends are multiples of 10^-20. None where the ball
    has no ends."""
    found = ends(ball)
    if found is None:
        return None
    low, high = found
    return low // UNIT * UNIT, -(-high // UNIT) * UNIT


def matches(recorded: Enclosure, ball: arb) -> bool:
    """Whether a recorded enclosure holds the ball, each end within a unit of the last decimal."""
    found = ends(ball)
    if found is None:
        return False
    (low, high), (a, b) = recorded, found
    return low <= a < low + UNIT and high - UNIT < b <= high


def apart(one: Enclosure, other: Enclosure) -> bool:
    """Whether two enclosures have no number in common."""
    return one[1] < other[0] or other[1] < one[0]
