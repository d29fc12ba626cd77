"""What the order of summation alone can make of one sum: bounds, and a measurement.

A sum of n floating numbers that is computed in any order, in any grouping, is off by at most

    |ŝ − s| ≤ γₙ₋₁ Σ|xᵢ|,   γₖ = k u / (1 − k u)

(Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., 2002, section 4.2, equation 4.4
with the higher order terms kept as in lemma 3.1: each number takes part in n − 1 additions at most,
each with a factor 1 + δ, |δ| ≤ u; sums do not underflow, section 2.8). Hence two orders differ by
2 γₙ₋₁ Σ|xᵢ| at most. Where the xᵢ are products aᵢ bᵢ that were rounded before they were summed, as
without FMA, every order sums the same products, and that is what order alone explains; with
FMA, the products of an order are never rounded by themselves, and γₙ Σ|aᵢ bᵢ| takes the place of
γₙ₋₁ Σ|xᵢ| (section 3.1). One order, its computed partial sums T̂₁, …, T̂ₙ₋₁ known, is off by at most

    |ŝ − s| ≤ u Σ|T̂ᵢ|        (equation 4.3)

The bounds are rigorous, but in float64 computed with a relative error far below SAFETY − 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
SAFETY = 1.0 + 2.0**-20  # as in rounding.py; covers 2³⁰ operations in float64
ORDERS = 64
TERMS = 2**27  # of a vector: more would ask for gigabytes


@dataclass(frozen=True)
class OrderSpread:
    """Sums of one vector in several orders. No order has a sum farther than `bound` from another,
    nor farther than `off` from the exact one."""

    terms: int
    exact: float  # the sum itself, correctly rounded to float64
    lowest: float
    highest: float
    off: float  # γₙ₋₁ Σ|xᵢ|
    nearest: float  # the least of |ŝ − s| over the orders tried
    farthest: float  # the largest
    orders: int
    seed: int

    @property
    def measured(self) -> float:
        """The largest difference between two of the orders tried."""
        return self.highest - self.lowest

    @property
    def bound(self) -> float:
        """What no two orders exceed: 2 γₙ₋₁ Σ|xᵢ|."""
        return 2 * self.off

    def explains(self, difference: float) -> bool:
        """Whether the order of summation can be all of a difference; it cannot of NaN."""
        return abs(difference) <= self.bound


def gamma(k: int, unit: float) -> float:
    """γₖ = k u / (1 − k u), rounded up; infinite where k u ≥ 1, as no bound is known then."""
    return k * unit / (1 - k * unit) * SAFETY if k * unit < 1 else math.inf


def order_spread(x: npt.ArrayLike, *, orders: int = ORDERS, seed: int = 0) -> OrderSpread:
    """The sums of a vector of floats, one number after another in the vector's own precision:
    as given, reversed, by rising and falling size, positive first, negative first, and in `orders`
    random orders.

    Errors: ValueError unless x is a vector of one to 2²⁷ finite floats of 16, 32 or 64 bits, of
    which no sum overflows.
    """
    v = np.asarray(x)
    if v.dtype.kind != "f" or v.dtype.itemsize > 8 or v.ndim != 1 or not 0 < len(v) <= TERMS:
        given = f"{v.dtype} of shape {v.shape}"
        raise ValueError(f"given {given}, expected a vector of one to 2^27 floats, 64 bits at most")
    size = _size(v)
    if not size < float(np.finfo(v.dtype).max) / 4:  # nor can a sum that is rounded overflow then
        raise ValueError("given numbers that are not finite or overflow, expected small ones")
    exact = math.fsum(v.tolist())
    sums = [sequential(v[order]) for order in _orders(v, orders, seed)]
    errors = [abs(s - exact) for s in sums]
    return OrderSpread(
        terms=len(v),
        exact=exact,
        lowest=min(sums),
        highest=max(sums),
        off=gamma(len(v) - 1, float(np.finfo(v.dtype).eps) / 2) * size if len(v) > 1 else 0.0,
        nearest=min(errors),
        farthest=max(errors),
        orders=len(sums),
        seed=seed,
    )


def sequential(x: Array) -> float:
    """The sum of a vector, one number after another, each partial sum rounded to its type."""
    return float(np.add.accumulate(x, dtype=x.dtype)[-1])  # np.sum adds in pairs


def running_bound(x: Array) -> float:
    """u Σ|T̂ᵢ|: how far `sequential(x)` is from the exact sum at most, in this order."""
    partial = np.add.accumulate(x, dtype=x.dtype)[1:]
    unit = float(np.finfo(x.dtype).eps) / 2
    return unit * math.fsum(np.abs(partial).tolist()) * SAFETY


def _size(v: Array) -> float:
    """Σ|xᵢ|: NaN or infinite where a number is, and where it is beyond float64."""
    try:
        return math.fsum(np.abs(v).tolist())
    except OverflowError:
        return math.inf


def _orders(v: Array, count: int, seed: int) -> list[Array]:
    rising = np.argsort(np.abs(v), kind="stable")
    by_value = np.argsort(v, kind="stable")
    random = np.random.default_rng(seed)
    given = np.arange(len(v))
    known = [given, given[::-1], rising, rising[::-1], by_value, by_value[::-1]]
    return [*known, *(random.permutation(len(v)) for _ in range(count))]
