"""Zeros and ones that choose places along an axis, and their sums of products done as a choice.

An embedding is Σᵥ [index = v] xᵥ in a term: theorems about renamed tokens are about that sum. On
arrays it is x at the indices, so that a table of 250,000 rows is neither multiplied nor converted.
Rows that no index chooses have no say then, as in the model: 0 · ∞ would be no number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .graph import Array


@dataclass(frozen=True)
class Chosen:
    """[index = v] for v = 0, …, size − 1 along one axis: all zeros where the index is outside."""

    index: Array  # of size 1 along the axis
    axis: int
    size: int

    def whole(self, dtype: Any) -> Array:
        """The zeros and ones."""
        shape = [self.size if k == self.axis else 1 for k in range(self.index.ndim)]
        return np.asarray(self.index == np.arange(self.size).reshape(shape), dtype=dtype)

    def sum_with(
        self, own: str, x: Array, other: str, out: str, numbers: Callable[[Array], Array]
    ) -> Array | None:
        """The sum of products with x, the axes of both and of the result named by letters as einsum
        has them; None where it does not run over all the places. Of x what is chosen alone is made
        `numbers`, before it is summed."""
        v = own[self.axis]
        if v in out or v not in other or x.shape[other.index(v)] != self.size:
            return None
        left, more = own.replace(v, ""), [k for k in other if k not in own]
        axes = [*left, *more]
        index = np.squeeze(self.index, self.axis)[(..., *[None] * len(more))]
        inside = (index >= 0) & (index < self.size) & (index == np.floor(index))
        at = np.where(inside, index, 0).astype(np.intp)
        places = tuple(
            at if k == v else np.arange(n).reshape([-1 if k == axis else 1 for axis in axes])
            for k, n in zip(other, x.shape, strict=True)
        )
        rows = np.where(inside, numbers(x[places]), 0)
        return np.asarray(np.einsum(f"{''.join(axes)}->{out}", rows))


def ones_at(index: Array, places: Array, size: Array) -> Chosen | Array:
    """[index = place], an index below 0 counted from the end; places and size have the rank of the
    index."""
    counted = np.where(index < 0, index + size, index)
    long = [k for k, n in enumerate(places.shape) if n > 1]
    every = np.arange(places.size, dtype=places.dtype)
    if len(long) == 1 and counted.shape[long[0]] == 1 and np.array_equal(places.ravel(), every):
        return Chosen(counted, long[0], places.size)
    return np.asarray(counted == places, dtype=places.dtype)
