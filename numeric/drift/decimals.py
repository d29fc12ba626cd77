"""The ends of an enclosure as floats and as text, rounded outward, so that they still enclose."""

from __future__ import annotations

import math
import sys
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

DIGITS = 3


def outward(low: Fraction, high: Fraction | None) -> tuple[float, float | None]:
    """A float at most the lower end, and one at least the upper; None where there is none."""
    below = _float(low)
    if Fraction(below) > low:
        below = math.nextafter(below, -math.inf)
    if high is None:
        return below, None
    above = _float(high)
    if Fraction(above) < high:
        above = math.nextafter(above, math.inf)
    return below, above if above < math.inf else None


def _float(x: Fraction) -> float:
    """A float near x: of numbers beyond all floats the one of the largest size."""
    try:
        return float(x)
    except OverflowError:
        return sys.float_info.max if x > 0 else -sys.float_info.max


def down(x: Fraction) -> str:
    """Three digits of a number, at most it."""
    return _digits(x, ROUND_FLOOR)


def up(x: Fraction) -> str:
    """Three digits of a number, at least it."""
    return _digits(x, ROUND_CEILING)


def _digits(x: Fraction, rounding: str) -> str:
    context = Context(prec=DIGITS, rounding=rounding)
    found = context.divide(Decimal(x.numerator), Decimal(x.denominator))
    shown = f"{float(found):#.{DIGITS}g}"  # a decimal of three digits, and its float, print alike
    return "0" if not found else shown if float(found) else str(found)
