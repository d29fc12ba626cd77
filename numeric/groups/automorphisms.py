"""The exact group of the permutations that keep a coloured matrix: {σ : M[σi, σj] = M[i, j]}.

Generators and counts come from igraph (BLISS: Junttila and Kaski, ALENEX 2007). It is an oracle:
every generator is checked against the matrix here, and the order is proved a second way, by

    |G| = Π_k |orbit of b_k under the stabiliser of b_1, ..., b_{k-1}|     (orbit and stabiliser)

where each factor is at least the orbit under checked permutations, and at most a cell of the
colour refinement that starts from b_1, ..., b_{k-1} singled out (the stabiliser keeps its cells).
Where the two agree at every k, nothing is taken on trust. Nothing lists n! permutations.

Tokens whose swap is a symmetry are found first. To be such twins is an equivalence; the group is
the product of the Sym(class) extended by the group of the matrix of classes, and again from there.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import igraph
import numpy as np
from numpy.typing import NDArray

Colours = NDArray[np.int64]
Permutation = tuple[int, ...]


class EngineError(RuntimeError):
    """The engine's answer contradicts the matrix: a fault, and not a person's mistake."""


@dataclass(frozen=True)
class Item:
    """Tokens that have become one point of the matrix of classes. Points of equal colour list
    their tokens so that the k-th of one answers to the k-th of the other."""

    tokens: tuple[int, ...]
    inner: str = ""  # the group inside: "S_3", "S_2 ≀ S_3"; nothing where it is trivial


@dataclass(frozen=True)
class Group:
    """Generators as (σ(0), ..., σ(n−1)), the order, and how far the order is proved.

    `items` and `outer` are what remains when twins are merged: the group is that of the items'
    insides extended by the group that `outer` generates on the items, of order `outer_order`.
    """

    n: int
    order: int
    generators: tuple[Permutation, ...]
    proved: bool
    items: tuple[Item, ...]
    outer: tuple[Permutation, ...]
    outer_order: int
    twins: tuple[tuple[int, ...], ...] = ()  # the classes of tokens that any swap leaves alike

    @property
    def orbits(self) -> tuple[tuple[int, ...], ...]:
        """The orbits of the tokens, each sorted, in the order of their least tokens."""
        return orbits(self.n, self.generators)


def keeps(matrix: Colours, sigma: Sequence[int]) -> bool:
    """Whether M[σi, σj] = M[i, j] for all i, j: looked up entry by entry."""
    index = np.asarray(sigma)
    return bool(np.array_equal(matrix[np.ix_(index, index)], matrix))


def orbits(n: int, generators: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """The orbits of 0, ..., n−1 under the generated group."""
    return _orbits(n, [_moves(sigma) for sigma in generators])


Moves = list[tuple[int, int]]  # a permutation by the points that it moves, and where to


def _moves(sigma: Sequence[int]) -> Moves:
    return [(i, int(image)) for i, image in enumerate(sigma) if image != i]


def _orbits(n: int, generators: Sequence[Moves]) -> tuple[tuple[int, ...], ...]:
    leader = list(range(n))

    def find(i: int) -> int:
        while leader[i] != i:
            leader[i] = i = leader[leader[i]]
        return i

    for moves in generators:
        for i, image in moves:
            a, b = find(i), find(image)
            leader[max(a, b)] = min(a, b)
    found: dict[int, list[int]] = {}
    for i in range(n):
        found.setdefault(find(i), []).append(i)
    return tuple(tuple(orbit) for _, orbit in sorted(found.items()))


def group(matrix: Colours) -> Group:
    """The group of a square matrix of colours (n×n integers, n ≥ 1); the diagonal counts too."""
    n = len(matrix)
    items = [Item((i,)) for i in range(n)]
    vertex = _ids(np.diagonal(matrix))
    m = numbered(matrix)
    np.fill_diagonal(m, 0)
    order, generators = 1, []
    alike: tuple[tuple[int, ...], ...] | None = None
    while True:
        classes = _twins(m, vertex)
        if alike is None:
            alike = tuple(tuple(c) for c in classes if len(c) > 1)
        if len(classes) == len(items):
            break
        first = [c[0] for c in classes]
        between = [int(m[c[0], c[1]]) if len(c) > 1 else -1 for c in classes]
        for c in classes:
            order *= math.factorial(len(c))
            for cycle in [c[:2], c] if len(c) > 2 else [c] if len(c) > 1 else []:
                images = zip(cycle, cycle[1:] + cycle[:1], strict=True)
                generators.append(_lift(n, items, dict(images)))
        items = [_merge([items[k] for k in c]) for c in classes]
        sizes = [len(c) for c in classes]
        vertex = _ids(np.array(list(zip(vertex[first], sizes, between, strict=True))))
        m = np.ascontiguousarray(m[np.ix_(first, first)])
        np.fill_diagonal(m, 0)
    outer_order, outer, proved = _outer(m, vertex)
    generators += [_lift(n, items, dict(enumerate(sigma))) for sigma in outer]
    for sigma in generators:
        if not keeps(matrix, sigma):
            raise EngineError(f"{sigma} was given as a symmetry, and does not keep the matrix")
    total = order * outer_order
    rest = tuple(items), tuple(outer), outer_order, alike
    return Group(n, total, tuple(generators), proved, *rest)


# ------------------------------------------------------------------------------------ twins
def _twins(m: Colours, vertex: Colours) -> list[list[int]]:
    """The classes of points whose swap keeps the matrix, in the order of their first points.

    Sums of hashes weighted by place find the pairs that can be twins; each is then compared."""
    n = len(m)
    pairs = _pairs(m)
    hashes = _hashed(pairs)
    place = _hashed(np.arange(n))
    own = (hashes * place).sum(axis=1) - hashes.diagonal() * place
    apart = own[:, None] - hashes * place  # the row without its entries at i and j
    can = (apart == apart.T) & (vertex[:, None] == vertex) & (m == m.T)
    classes, done = [], np.zeros(n, dtype=bool)
    for i in range(n):
        if done[i]:
            continue
        near = np.flatnonzero(can[i] & ~done)
        near = near[near > i]
        equal = pairs[near] == pairs[i]
        equal[:, i] = True
        equal[np.arange(len(near)), near] = True
        twins = near[equal.all(axis=1)]
        done[twins] = True
        classes.append([i, *(int(t) for t in twins)])
    return classes


def _merge(items: list[Item]) -> Item:
    tokens = tuple(t for item in items for t in item.tokens)
    if len(items) == 1:
        return items[0]
    inner = items[0].inner
    inner = f"({inner})" if "≀" in inner else inner
    sym = f"S_{len(items)}"
    return Item(tokens, f"{inner} ≀ {sym}" if inner else sym)


def _lift(n: int, items: Sequence[Item], images: dict[int, int]) -> Permutation:
    """The permutation of tokens that moves whole items."""
    sigma = list(range(n))
    for a, b in images.items():
        for s, t in zip(items[a].tokens, items[b].tokens, strict=True):
            sigma[s] = t
    return tuple(sigma)


# ---------------------------------------------------------------------------- orbit, stabiliser
def _outer(m: Colours, vertex: Colours) -> tuple[int, list[Permutation], bool]:
    """The order, generators, and whether the order is proved, of a matrix without twins."""
    hashes = _hashed(_pairs(m))
    colour = refine(hashes, vertex)
    if colour.max() + 1 == len(m):
        return 1, [], True
    graph, top = _engine(m, colour)
    order, proved = 1, True
    found = [_moves(sigma) for sigma in top]
    count = graph.count(colour)
    while colour.max() + 1 < len(m):
        cell = np.flatnonzero(colour == int(np.bincount(colour).argmax()))
        moved = np.zeros(len(m), dtype=np.int64)
        for moves in found:
            moved[[i for i, _ in moves]] += 1
        base = int(cell[int(np.argmin(moved[cell]))])
        orbit = next(o for o in _orbits(len(m), found) if base in o)
        if len(orbit) < len(cell):  # those left of the level above may be too few: ask again
            found = [_moves(sigma) for sigma in _checked(graph, m, colour)]
            orbit = next(o for o in _orbits(len(m), found) if base in o)
        order *= len(orbit)
        proved = proved and len(orbit) == len(cell)
        alone = colour * 2
        alone[base] += 1
        colour = refine(hashes, _ids(alone), [np.array([base])])
        found = [moves for moves in found if all(i != base for i, _ in moves)]
    if order != count:
        raise EngineError(f"the engine counts {count}, its generators give {order}")
    return order, top, proved


def _engine(m: Colours, colour: Colours) -> tuple[Encoded, list[Permutation]]:
    """A graph with the group of the matrix, and the group's generators.

    The group is contained in that of the matrix with only some of its colours kept apart; where the
    generators of the latter keep the whole matrix, the two are equal, and the graph is small."""
    n = len(m)
    counts = np.bincount(m.reshape(-1))
    colours = np.flatnonzero(counts)
    counts = counts[colours]
    rare = colours[np.argsort(counts, kind="stable")]
    counts = np.sort(counts)
    for some, sizes in ((rare, counts), (rare[::-1], counts[::-1])):
        kept = some[: 1 + int(np.searchsorted(np.cumsum(sizes), 4 * n))]
        if len(kept) < len(colours) - 1:
            graph = Encoded(np.where(np.isin(m, kept), m, -1))
            found = graph.generators(colour)
            if all(keeps(m, sigma) for sigma in found):
                return graph, _checked(graph, m, colour)
    graph = Encoded(m)
    return graph, _checked(graph, m, colour)


def _checked(graph: Encoded, m: Colours, colour: Colours) -> list[Permutation]:
    """The engine's generators, each checked against the matrix and the colours."""
    found = graph.generators(colour)
    for sigma in found:
        if not (keeps(m, sigma) and np.array_equal(colour[list(sigma)], colour)):
            raise EngineError(f"{sigma} was given as a symmetry, and does not keep the matrix")
    return found


def refine(hashes: NDArray[np.uint64], colour: Colours, first: Sequence[Colours] = ()) -> Colours:
    """Colour refinement: points are told apart by how they stand to the points of each colour; of
    a colouring that was refined before its `first` points were singled out, by these first.

    Every permutation that keeps matrix and colours keeps the result. Sums of hashes stand for
    multisets: a collision would leave a cell too large, and the upper bound stays a bound.
    """
    n = len(colour)
    colour = _ids(colour)
    count = int(colour.max()) + 1
    hashes = np.ascontiguousarray(hashes.T)
    queue = deque(first or (np.flatnonzero(colour == c) for c in range(count)))
    while queue and count < n:
        splitter = queue.popleft()
        key = hashes[splitter].sum(axis=0, dtype=np.uint64)
        order = np.lexsort((key, colour))
        c, k = colour[order], key[order]
        fresh = np.concatenate([[0], np.cumsum((c[1:] != c[:-1]) | (k[1:] != k[:-1]))])
        if int(fresh[-1]) + 1 == count:
            continue
        starts = np.flatnonzero(np.diff(fresh, prepend=-1))
        ends = np.append(starts[1:], n)
        parts = ends - starts != np.bincount(colour)[c[starts]]
        queue.extend(order[a:b] for a, b in zip(starts[parts], ends[parts], strict=True))
        count = int(fresh[-1]) + 1
        colour = np.empty(n, dtype=np.int64)
        colour[order] = fresh
    return colour


# --------------------------------------------------------------------------------- the engine
class Encoded:
    """A coloured matrix as a graph with coloured vertices, for engines that know no more.

    A colour off the diagonal is written in binary, a layer of vertices for each bit. A symmetric
    matrix needs one copy of each point in a layer; any other an out-copy and an in-copy, for the
    edge from i to j. A hub for each point joins all its copies: without it the copies permute
    apart. The hub bears the point's colour, hubs are kept apart from copies by theirs.
    """

    def __init__(self, m: Colours) -> None:
        self.n = n = len(m)
        off = ~np.eye(n, dtype=bool)
        # The commonest colour is written as 0 and has no edges.
        least = int(m.min())
        inverse = numbered(m[off] - least) if n > 1 else np.zeros(0, dtype=np.int64)
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
        self.graph = igraph.Graph(n=n + len(self.copies), edges=self.edges.tolist())

    def colouring(self, colour: Colours) -> Colours:
        """A colour for every vertex of the graph; copies of points of one colour share theirs."""
        width = int(colour.max()) + 1
        layers = 1 + self.copies
        copied = np.tile(colour, len(self.copies) // self.n)
        return np.concatenate([colour, layers * width + copied])

    def count(self, colour: Colours) -> int:
        """The exact number of automorphisms that keep the points' colours."""
        return int(self.graph.count_automorphisms(color=self.colouring(colour).tolist()))

    def generators(self, colour: Colours) -> list[Permutation]:
        """Generators of the automorphisms that keep the points' colours, on the points."""
        found = self.graph.automorphism_group(color=self.colouring(colour).tolist())
        return [tuple(sigma[: self.n]) for sigma in found]


# ---------------------------------------------------------------------------------- helpers
def _ids(values: NDArray[np.int64]) -> Colours:
    """Equal values (or rows) get equal numbers 0, 1, ... in their sorted order."""
    ids = np.unique(values, axis=0, return_inverse=True)[1]
    return ids.reshape(-1).astype(np.int64)


def numbered(m: Colours) -> Colours:
    """Equal entries (integers >= 0) get equal numbers 0, 1, ... in their order."""
    if int(m.max()) > 8 * m.size:
        return np.unique(m, return_inverse=True)[1].reshape(m.shape).astype(np.int64)
    used = np.zeros(int(m.max()) + 1, dtype=bool)
    used[m] = True
    return np.asarray((np.cumsum(used) - 1)[m], dtype=np.int64)


def _pairs(m: Colours) -> Colours:
    """A number for each (m[i, j], m[j, i]); colours count from 0, so that none overflows."""
    return np.asarray(m * (int(m.max()) + 1) + m.T, dtype=np.int64)


def _hashed(numbers: Colours) -> NDArray[np.uint64]:
    """Numbers scattered one to one over 64 bits (SplitMix64: Steele, Lea and Flood 2014)."""
    z = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))


def elements(n: int, generators: Sequence[Permutation], limit: int) -> Iterator[Permutation]:
    """The elements of the generated group, breadth first; raises once there are over `limit`."""
    seen = {tuple(range(n))}
    queue = deque(seen)
    while queue:
        sigma = queue.popleft()
        yield sigma
        for g in generators:
            product = tuple(g[i] for i in sigma)
            if product not in seen:
                seen.add(product)
                queue.append(product)
        if len(seen) > limit:
            raise ValueError(f"more than {limit} elements")
