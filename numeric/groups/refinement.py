"""Colour refinement: points get two colours if their entries with some colour differ.

Every permutation that keeps the matrix and the colours keeps the result. Sums of hashes stand for
multisets: a collision leaves a cell too large, so that an upper bound that is read off cells stays
one. Numbers of colours depend on no numbering of the points: isomorphic inputs give equal numbers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Colours = NDArray[np.int64]
Hashes = NDArray[np.uint64]


def refine(
    hashes: Hashes,
    colour: Colours,
    first: Sequence[Colours] = (),
    check: Callable[[], None] = lambda: None,
) -> tuple[Colours, int]:
    """The coarsest refinement of colours 0, 1, ... of n points, and a trace: inputs of different
    traces are not isomorphic. `hashes` is n×n, one number for each (m[i, j], m[j, i]); `first` are
    the points to begin with, where the colouring was refined before these were singled out; `check`
    is called at each step, and may raise."""
    n = len(colour)
    colour = ids(colour)
    sizes = np.bincount(colour)
    hashes = np.ascontiguousarray(hashes.T)
    trace = hash(tuple(sizes.tolist()))
    queue = deque(first or (np.flatnonzero(colour == c) for c in range(len(sizes))))
    weights = hashed(colour)
    leaders = _leaders(colour)
    while queue and len(sizes) < n:
        check()
        splitter = queue.popleft()
        key = hashes[splitter].sum(axis=0, dtype=np.uint64)
        trace = hash((trace, int((hashed(key) * weights).sum(dtype=np.uint64))))
        if np.array_equal(key[leaders][colour], key):
            continue
        order = np.lexsort((key, colour))
        c, k = colour[order], key[order]
        fresh = np.concatenate([[0], np.cumsum((c[1:] != c[:-1]) | (k[1:] != k[:-1]))])
        starts = np.flatnonzero(np.diff(fresh, prepend=-1))
        ends = np.append(starts[1:], n)
        parts = ends - starts != sizes[c[starts]]
        queue.extend(order[a:b] for a, b in zip(starts[parts], ends[parts], strict=True))
        colour = np.empty(n, dtype=np.int64)
        colour[order] = fresh
        sizes = ends - starts
        weights, leaders = hashed(colour), order[starts]
    return colour, hash((trace, *sizes.tolist()))


def _leaders(colour: Colours) -> Colours:
    """A point of each colour."""
    return np.asarray(np.unique(colour, return_index=True)[1], dtype=np.int64)


def ids(values: NDArray[np.int64]) -> Colours:
    """Equal values (or rows) get equal numbers 0, 1, ... in their sorted order."""
    found = np.unique(values, axis=0, return_inverse=True)[1]
    return found.reshape(-1).astype(np.int64)


def numbered(m: Colours) -> Colours:
    """Equal entries (integers >= 0) get equal numbers 0, 1, ... in their order."""
    if int(m.max()) > 8 * m.size:
        return np.unique(m, return_inverse=True)[1].reshape(m.shape).astype(np.int64)
    used = np.zeros(int(m.max()) + 1, dtype=bool)
    used[m] = True
    return np.asarray((np.cumsum(used) - 1)[m], dtype=np.int64)


def pairs(m: Colours) -> Colours:
    """A number for each (m[i, j], m[j, i]); colours count from 0, so that none overflows."""
    return np.asarray(m * (int(m.max()) + 1) + m.T, dtype=np.int64)


def hashed(numbers: Colours | Hashes) -> Hashes:
    """Numbers scattered one to one over 64 bits (SplitMix64: Steele, Lea and Flood 2014)."""
    z = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))
