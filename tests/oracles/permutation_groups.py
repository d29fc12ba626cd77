"""Groups of coloured matrices by other means than the package's: by listing all permutations, and
by nauty (McKay and Piperno 2014), which is under the GPL: no part of the package imports it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import pynauty
from numpy.typing import NDArray

Matrix = NDArray[np.int64]
Permutation = tuple[int, ...]


def listed(matrix: Matrix) -> set[Permutation]:
    """All permutations that keep the matrix, by trying n! of them entry by entry."""
    n = len(matrix)
    return {
        s
        for s in itertools.permutations(range(n))
        if all(matrix[s[i], s[j]] == matrix[i, j] for i in range(n) for j in range(n))
    }


def elements(n: int, generators: Sequence[Permutation], limit: int) -> Iterator[Permutation]:
    """The elements of the generated group, breadth first; raises once there are over `limit`."""
    seen = {tuple(range(n))}
    queue = list(seen)
    for sigma in queue:
        yield sigma
        for g in generators:
            product = tuple(g[i] for i in sigma)
            if product not in seen:
                seen.add(product)
                queue.append(product)
        if len(seen) > limit:
            raise ValueError(f"more than {limit} elements")


def by_nauty(matrix: Matrix) -> int:
    """The order of the group by nauty, past 2^53 to a float's digits: that of a graph which has for
    each colour a copy of the out- and of the in-points."""
    n = len(matrix)
    colours = sorted(set(matrix.flatten().tolist()))
    edges: dict[int, set[int]] = {}
    cells = [set(range(n))]
    for k, colour in enumerate(colours):
        out, inward = n * (2 * k + 1), n * (2 * k + 2)
        cells += [set(range(out, out + n)), set(range(inward, inward + n))]
        for i in range(n):
            edges.setdefault(i, set()).update({out + i, inward + i})
        for i, j in zip(*np.nonzero(matrix == colour), strict=True):
            edges.setdefault(out + int(i), set()).add(inward + int(j))
    size = n * (2 * len(colours) + 1)
    graph = pynauty.Graph(size, False, {k: list(v) for k, v in edges.items()}, cells)
    _, mantissa, exponent, _, _ = pynauty.autgrp(graph)
    return round(mantissa * 10**exponent)
