"""A ball as two decimals, and when the decimals of a file are those of a ball found again."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from ..fields import PLACES, Enclosure
from .balls import fraction_of

UNIT = Fraction(1, 10**PLACES)


def ends(ball: arb) -> tuple[Fraction, Fraction] | None:
    """The exact ends of a ball; None where it has none."""
    if not ball.is_finite():
        return None
    middle, radius = fraction_of(ball.mid()), fraction_of(ball.rad())
    return middle - radius, middle + radius


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
