"""What the order of summation explains: nothing measured exceeds it, and it is not far above."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from orderproof.numeric.permuted.summation import (
    gamma,
    order_spread,
    running_bound,
    sequential,
)

UNIT = 2.0**-24
NUMBERS = st.floats(-1e6, 1e6, width=32)
VECTORS = arrays.arrays(np.float32, st.integers(1, 40), elements=NUMBERS)


def one_then_small(n: int) -> Any:
    """1 and n − 1 numbers that are each lost beside it, but not together."""
    return np.array([1.0] + [UNIT] * (n - 1), dtype=np.float32)


@given(VECTORS)
def test_no_order_exceeds_the_bounds(x: Any) -> None:
    """A difference that rounding explains would be called a bug."""
    found = order_spread(x, orders=8)
    exact = sum(map(Fraction, x.tolist()), Fraction(0))
    assert abs(Fraction(found.exact) - exact) <= abs(exact) * Fraction(1, 2**52)
    assert found.measured <= found.bound
    assert found.farthest <= found.off
    assert abs(Fraction(sequential(x)) - exact) <= Fraction(running_bound(x))


@pytest.mark.parametrize("n", [2, 100, 5000])
def test_the_worst_known_vector_comes_within_a_third(n: int) -> None:
    """The bound would be vacuous: no difference could be told from rounding."""
    found = order_spread(one_then_small(n))
    assert found.measured <= found.bound
    if n > 2:
        assert found.measured > found.bound / 3
        assert not found.measured <= 2 * UNIT * 2  # a bound that does not grow with n is exceeded


def test_the_running_bound_is_exceeded_by_no_less() -> None:
    """A tenth of the running error bound would pass as well: it would bound nothing tightly."""
    x = one_then_small(1000)
    error = abs(sequential(x) - (1 + 999 * UNIT))
    assert running_bound(x) / 10 < error <= running_bound(x)


def test_the_sum_is_sequential_in_its_own_precision() -> None:
    """NumPy's own sum adds in pairs and would show less than one order after another does."""
    x = np.full(20_000, 0.1, dtype=np.float32)
    slow = np.float32(0)
    for number in x:
        slow = np.float32(slow + number)
    assert sequential(x) == slow != float(x.sum())


def test_cancellation_is_explained() -> None:
    """A difference of all that is left would be called a bug, where it is the order's."""
    found = order_spread(np.array([1e8, 1, -1e8], dtype=np.float32))
    assert (found.lowest, found.highest, found.exact) == (0, 1, 1)
    assert found.explains(1.0) and not found.explains(100.0)
    assert not found.explains(math.nan)
    assert (found.nearest, found.farthest, found.measured) == (0, 1, 1)


def test_one_number_has_no_order() -> None:
    """A sum of one would be allowed an error."""
    found = order_spread(np.array([0.1]))
    assert found.measured == found.bound == 0
    assert found.exact == 0.1


def test_gamma_is_infinite_where_nothing_is_known() -> None:
    """k u / (1 − k u) turns negative beyond k u = 1, and would refuse everything."""
    assert gamma(2048, 2.0**-11) == math.inf
    assert gamma(3, UNIT) >= 3 * UNIT / (1 - 3 * UNIT)
    assert order_spread(np.ones(3000, dtype=np.float16)).explains(1e3)


@pytest.mark.parametrize(
    "x",
    [
        [],
        [1, 2],
        [[1.0]],
        [1.0, math.nan],
        [math.inf],
        np.array([6e4, 6e4], dtype=np.float16),
        np.array([1e308, 1e308]),
        np.ones(3, np.longdouble),
    ],
)
def test_what_has_no_spread_is_refused_in_one_line(x: Any) -> None:
    """A vector beyond the bounds would be given one that does not hold."""
    with pytest.raises(ValueError, match=r"^given [^\n]*, expected [^\n]*$|^given numbers that"):
        order_spread(x)
