"""Exact matrices for tests, from integers and from masks."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderproof.numeric.groups.exact_matrix import Exact, masked, of_numbers


def of_integers(entries: NDArray[Any], unit: Fraction = Fraction(1)) -> Exact:
    """The matrix of entries × unit."""
    numbers, inverse = np.unique(entries, return_inverse=True)
    return of_numbers(inverse.reshape(entries.shape), [int(v) * unit for v in numbers])


def random_heads(
    rng: np.random.Generator, n: int, count: int, share: float, entries: range = range(2),
    unit: Fraction = Fraction(1),
) -> list[Exact]:  # fmt: skip
    """Heads of entries in this range, a share of them not −∞, and one at least in each row."""
    found = []
    for _ in range(count):
        allowed = rng.random((n, n)) < share
        allowed[np.arange(n), rng.integers(0, n, n)] = True
        chosen = rng.integers(entries.start, entries.stop, (n, n))
        found.append(masked(of_integers(chosen, unit), allowed))
    return found
