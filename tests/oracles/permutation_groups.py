"""Groups of coloured matrices by other means than the package's: by listing all permutations, by
igraph (BLISS: Junttila and Kaski, ALENEX 2007) and by nauty (McKay and Piperno 2014).

igraph is under the GPL: no part of the package imports it.
"""

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
    """The order of the group by nauty, with an undirected graph of another making: for each colour
    a copy of the out- and the in-points."""
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


def by_igraph(matrix: Matrix) -> int:
    """The order of the group by igraph; the diagonal counts too."""
    return Encoded(matrix).count(_ids(np.diagonal(matrix)))


def _ids(values: Matrix) -> Matrix:
    """Equal values get equal numbers 0, 1, ..."""
    found = np.unique(values, return_inverse=True)[1]
    return np.asarray(found.reshape(values.shape), dtype=np.int64)


class Encoded:
    """A coloured matrix as a graph with coloured vertices, for engines that know no more.

    A colour off the diagonal is written in binary, a layer of vertices for each bit. A symmetric
    matrix needs one copy of each point in a layer; any other an out-copy and an in-copy, for the
    edge from i to j. A hub for each point joins all its copies: without it the copies permute
    apart. The hub bears the point's colour, hubs are kept apart from copies by theirs.
    """

    def __init__(self, m: Matrix) -> None:
        self.n = n = len(m)
        off = ~np.eye(n, dtype=bool)
        # The commonest colour is written as 0 and has no edges.
        inverse = _ids(m[off]) if n > 1 else np.zeros(0, dtype=np.int64)
        counts = np.bincount(inverse)
        rank = np.empty(len(counts), dtype=np.int64)
        codes = sorted(range(len(counts)), key=lambda c: (c.bit_count(), c))
        rank[np.argsort(-counts, kind="stable")] = codes
        code = np.zeros((n, n), dtype=np.int64)
        code[off] = rank[inverse]
        symmetric = np.array_equal(code, code.T)
        copies = 1 if symmetric else 2
        bits = max(1, int(code.max()).bit_length())
        hub = np.arange(n)
        edges = []
        for layer in range(bits):
            outgoing = n + layer * copies * n
            incoming = outgoing + (copies - 1) * n
            for start in {outgoing, incoming}:
                edges.append(np.stack([hub, hub + start], axis=1))
            bit = (code >> layer) & 1 == 1
            i, j = np.nonzero(np.triu(bit) if symmetric else bit)
            edges.append(np.stack([i + outgoing, j + incoming], axis=1))
        self.copies = np.repeat(np.arange(bits * copies), n)
        self.edges = np.concatenate(edges)
        import igraph  # brings matplotlib with it: only where it is used

        self.graph = igraph.Graph(n=n + len(self.copies), edges=self.edges.tolist())

    def colouring(self, colour: Matrix) -> Matrix:
        """A colour for every vertex of the graph; copies of points of one colour share theirs."""
        width = int(colour.max()) + 1
        layers = 1 + self.copies
        copied = np.tile(colour, len(self.copies) // self.n)
        return np.concatenate([colour, layers * width + copied])

    def count(self, colour: Matrix) -> int:
        """The exact number of automorphisms that keep the points' colours."""
        return int(self.graph.count_automorphisms(color=self.colouring(colour).tolist()))
