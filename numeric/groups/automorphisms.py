"""The exact group of the permutations that keep a coloured matrix: {σ : M[σi, σj] = M[i, j]}.

Tokens whose swap is a symmetry are found first. To be such twins is an equivalence; the group is
the product of the Sym(class) extended by the group of the matrix of classes, and again from there.
What remains is searched (individualisation.py). Every generator is checked against the matrix here;
the order is the product of the orbits under checked permutations along a chain of stabilisers, and
larger orbits are excluded by colour refinement or by exhausting the search. Nothing lists n!
permutations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .individualisation import EngineError as EngineError
from .individualisation import Orbits, Search
from .refinement import Colours, hashed, ids, numbered, pairs

Permutation = tuple[int, ...]


@dataclass(frozen=True)
class Item:
    """Tokens that have become one point of the matrix of classes. Points of equal colour list
    their tokens so that the k-th of one answers to the k-th of the other."""

    tokens: tuple[int, ...]
    inner: str = ""  # the group inside: "S_3", "S_2 ≀ S_3"; nothing where it is trivial


@dataclass(frozen=True)
class Group:
    """Generators as (σ(0), ..., σ(n−1)), and the order of what they generate.

    Where `proved`, there are no others; else the search met its limit, and the group may be
    larger. Where not `tight`, colour refinement alone allows more: images were excluded by search.
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
    twins: tuple[tuple[int, ...], ...]  # the classes of tokens that any swap leaves alike
    tight: bool

    @property
    def open(self) -> bool:
        """Whether the group may be larger, because a search met its limit."""
        return not self.proved

    @property
    def orbits(self) -> tuple[tuple[int, ...], ...]:
        """The orbits of the tokens, each sorted, in the order of their least tokens."""
        return orbits(self.n, self.generators)


def keeps(matrix: Colours, sigma: Sequence[int]) -> bool:
    """Whether M[σi, σj] = M[i, j] for all i, j: looked up entry by entry."""
    index = np.asarray(sigma)
    moved = np.flatnonzero(index != np.arange(len(index)))
    images = index[moved]  # an entry with neither row nor column moved is its own image
    return np.array_equal(matrix[np.ix_(images, index)], matrix[moved]) and np.array_equal(
        matrix[np.ix_(index, images)], matrix[:, moved]
    )


def orbits(n: int, generators: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """The orbits of 0, ..., n−1 under the generated group."""
    around = Orbits(n)
    for sigma in generators:
        around.join((i, int(image)) for i, image in enumerate(sigma) if i != image)
    found: dict[int, list[int]] = {}
    for i in range(n):
        found.setdefault(around.find(i), []).append(i)
    return tuple(tuple(orbit) for _, orbit in sorted(found.items()))


def group(matrix: Colours, check: Callable[[], None] = lambda: None) -> Group:
    """The group of a square matrix of colours (n×n integers, n ≥ 1); the diagonal counts too.

    `check` is called at each step of the search; where it raises GaveUp, the answer is what was
    found until then, a subgroup. Raises EngineError where a generator does not keep the matrix."""
    n = len(matrix)
    items = [Item((i,)) for i in range(n)]
    vertex = ids(np.diagonal(matrix))
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
        vertex = ids(np.array(list(zip(vertex[first], sizes, between, strict=True))))
        m = np.ascontiguousarray(m[np.ix_(first, first)])
        np.fill_diagonal(m, 0)
    found = Search(m, check).group(vertex)
    outer = tuple(_permutation(len(m), *image) for image in found.generators)
    generators += [_lift(n, items, dict(enumerate(sigma))) for sigma in outer]
    for sigma in generators:
        if not keeps(matrix, sigma):
            raise EngineError(f"{sigma} was given as a symmetry, and does not keep the matrix")
    return Group(
        n, order * found.order, tuple(generators), found.complete,
        tuple(items), outer, found.order, alike, found.tight,
    )  # fmt: skip


def _permutation(n: int, points: Colours, images: Colours) -> Permutation:
    sigma = np.arange(n)
    sigma[points] = images
    return tuple(sigma.tolist())


# ------------------------------------------------------------------------------------ twins
def _twins(m: Colours, vertex: Colours) -> list[list[int]]:
    """The classes of points whose swap keeps the matrix, in the order of their first points.

    Sums of hashes weighted by place find the pairs that can be twins; each is then compared."""
    n = len(m)
    entries = pairs(m)
    hashes = hashed(entries)
    place = hashed(np.arange(n))
    own = (hashes * place).sum(axis=1) - hashes.diagonal() * place
    apart = own[:, None] - hashes * place  # the row without its entries at i and j
    can = (apart == apart.T) & (vertex[:, None] == vertex) & (m == m.T)
    classes, done = [], np.zeros(n, dtype=bool)
    for i in range(n):
        if done[i]:
            continue
        near = np.flatnonzero(can[i] & ~done)
        near = near[near > i]
        equal = entries[near] == entries[i]
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
