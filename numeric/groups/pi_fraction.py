"""Whole numbers that are no multiples of a period: 2π between rational bounds, and the simplest
fraction there.

If a whole number t > 0 is the m-th multiple of a period, the period is the fraction t/m. So no t
below the least numerator of all fractions between two bounds of the period is a multiple of it.
"""

from __future__ import annotations

from fractions import Fraction

Bounds = tuple[Fraction, Fraction]


def arctangent(k: int, terms: int) -> Bounds:
    """Bounds of arctan(1/k) for k > 1: its series alternates and its terms decrease, so it lies
    between any partial sum and the next."""
    total, sums = Fraction(0), [Fraction(0)]
    for i in range(terms + 1):
        total += Fraction((-1) ** i, (2 * i + 1) * k ** (2 * i + 1))
        sums.append(total)
    return min(sums[-2:]), max(sums[-2:])


def pi(terms: int) -> Bounds:
    """Bounds of π = 16 arctan(1/5) − 4 arctan(1/239) (Machin 1706)."""
    (low, high), (least, largest) = arctangent(5, terms), arctangent(239, terms)
    return 16 * low - 4 * largest, 16 * high - 4 * least


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction with the least numerator of those from low to high, both included and positive.

    If there is a whole number among them, it is the least of these. If not, all are w + 1/y with
    one w, and y = a/b from 1/(high − w) to 1/(low − w) has the least a and the least b at once; w +
    b/a = (w a + b)/a has them too.
    """
    if not 0 < low <= high:
        raise ValueError(f"bounds: given {low} and {high}, expected 0 < low ≤ high")
    above = -(-low.numerator // low.denominator)
    if above <= high:
        return Fraction(above)
    whole = above - 1
    return whole + 1 / simplest(1 / (high - whole), 1 / (low - whole))


def no_multiples_below(frequency: Bounds, terms: int) -> int:
    """A number such that no whole t from 1 on and below it makes t times the frequency a multiple
    of 2π: 1, so that nothing is said, where the frequency may be 2π."""
    least, largest = frequency
    low, high = pi(terms)
    return simplest(2 * low / largest, 2 * high / least).numerator
