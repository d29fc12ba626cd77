"""Bounds of π, the simplest fraction between two bounds, and what is no multiple of a period."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import mpmath
import pytest

from orderproof.numeric.groups.pi_fraction import arctangent, no_multiples_below, pi, simplest

ONE = Fraction(1), Fraction(1)


def test_bounds_hold() -> None:
    """π or an arctangent would lie outside its bounds, and all that follows would be false."""
    with mpmath.workdps(80):
        for terms in (1, 2, 3, 10, 40):
            for (low, high), value in ((pi(terms), mpmath.pi), (arctangent(5, terms), mpmath.atan(
                    mpmath.mpf(1) / 5))):  # fmt: skip
                assert mpmath.mpf(low.numerator) / low.denominator < value, terms
                assert value < mpmath.mpf(high.numerator) / high.denominator, terms


@pytest.mark.parametrize("below", [9, pytest.param(12, marks=pytest.mark.slow)])
def test_no_fraction_between_has_a_smaller_numerator(below: int) -> None:
    """A fraction with a smaller numerator could be the period."""
    ends = sorted({Fraction(a, b) for a, b in product(range(1, below), repeat=2)})
    for k, low in enumerate(ends):
        for high in ends[k:]:
            found = simplest(low, high)
            numerators = (
                t for t in range(1, 12)
                if any(low <= Fraction(t, m) <= high for m in range(1, 150))
            )  # fmt: skip
            assert low <= found <= high and found.numerator == next(numerators)


def test_of_bounds_that_are_none() -> None:
    """Exchanged bounds would give an answer, and one about nothing."""
    for low, high in ((2, 1), (0, 1), (-1, 1)):
        with pytest.raises(ValueError, match="expected 0 < low"):
            simplest(Fraction(low), Fraction(high))


def test_multiples_that_are_close() -> None:
    """The period would be another: 19/3, 201/32 and 710/113 are near 2π."""
    assert [no_multiples_below(ONE, terms) for terms in (1, 2, 3)] == [19, 201, 710]
    assert no_multiples_below(ONE, 30) > 10**18


def test_a_period_of_one() -> None:
    """A frequency of 2π, at which all rows are alike, would be said to tell rows apart; so would
    one at which the seventh row is the first again."""
    low, high = pi(30)
    assert no_multiples_below((2 * low, 2 * high), 30) == 1
    assert no_multiples_below((2 * low / 7, 2 * high / 7), 30) == 7
