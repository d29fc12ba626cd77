"""The automorphism group of a coloured matrix by colour refinement, individualisation and orbits.

Refinement colours the points so that every automorphism keeps the cells (the sets of one colour).
Between two cells, the commonest entry carries no information once the others are known: points
are *linked* where their entry is another. An automorphism permutes the components of the linked
points, and isomorphic components may be exchanged freely, because all entries between them are
the commonest of their cells. So the group is the product over the classes of isomorphic components
of Aut(component) ≀ S_k. The order of a component's group is, by orbit and stabiliser,

    |G| = |orbit of b| · |G_b|,

where G_b is found in the same way after b is singled out (individualised), the orbit is that under
permutations that were found, and for each other point c of b's cell the search for an isomorphism
that takes b to c was exhausted: images are tried up to automorphisms that are known (McKay 1981).
Two individualised components are told apart by the traces of their refinement, by their
components, or, where every point has a colour of its own, by comparing entries: all exact.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .refinement import Colours, hashed, ids, numbered, pairs, refine

Map = tuple[Colours, Colours]  # points, and where each of them goes


class EngineError(RuntimeError):
    """An answer contradicts the matrix: a fault, and not a person's mistake."""


class GaveUp(Exception):
    """The search stopped at its limit: no answer, and no fault."""


def until(moment: float) -> Callable[[], None]:
    """A check that gives up once `time.monotonic()` is past this moment."""

    def check() -> None:
        if time.monotonic() > moment:
            raise GaveUp

    return check


class Orbits:
    """The orbits of 0, ..., n−1 under permutations that are joined one by one."""

    def __init__(self, n: int) -> None:
        self.leader = list(range(n))

    def find(self, i: int) -> int:
        """The least point of i's orbit."""
        leader = self.leader
        while leader[i] != i:
            leader[i] = i = leader[leader[i]]
        return i

    def join(self, moves: Iterable[tuple[int, int]]) -> None:
        """Join the orbits by a permutation: points and their images."""
        for i, image in moves:
            a, b = self.find(i), self.find(image)
            self.leader[max(a, b)] = min(a, b)


@dataclass
class Found:
    """Generators of a group and its order. Where not `complete`, a limit was met, and the order is
    a lower bound; where not `tight`, refinement allowed images that the search excluded."""

    order: int = 1
    generators: list[Map] = field(default_factory=list)
    complete: bool = True
    tight: bool = True


@dataclass(eq=False)
class Component:
    """Linked points with refined colours; colours are comparable among the components of one
    refinement, and of another with the same trace."""

    points: Colours
    colour: Colours
    signature: bytes  # equal for isomorphic components
    found: Found | None = None
    first: Split | None = None

    @cached_property
    def cell(self) -> Colours:
        """The places of a smallest cell of more than one point; none where there is no such."""
        sizes = np.bincount(self.colour)
        sizes[sizes < 2] = len(self.colour) + 1
        least = int(sizes.argmin())
        return np.flatnonzero(self.colour == least) if sizes[least] <= len(self.colour) else _NONE


_NONE = np.zeros(0, dtype=np.int64)


@dataclass(eq=False)
class Split:
    """A refined colouring: the points that have a colour of their own, in the colours' order, and
    the components of the others."""

    trace: int
    fixed: Colours
    points: Colours
    colour: Colours
    parts: list[Component] | None = None


class Search:
    """The search in one matrix without regard to its diagonal. `check` is called at each step; what
    it raises as GaveUp ends the search, and what was found until then stands."""

    def __init__(self, m: Colours, check: Callable[[], None] = lambda: None) -> None:
        self.check = check
        self.pairs = numbered(pairs(m))
        self.count = int(self.pairs.max()) + 1
        self.hashes = hashed(self.pairs)

    def group(self, colour: Colours) -> Found:
        """The automorphisms that keep these colours of the points."""
        try:
            split = self._refined(np.arange(len(colour)), colour)
            return self._product(self._parts(split))
        except GaveUp:
            return Found(complete=False)

    # ------------------------------------------------------------------------------ components
    def _refined(self, points: Colours, colour: Colours, first: Sequence[Colours] = ()) -> Split:
        hashes = self.hashes[np.ix_(points, points)]
        colour, trace = refine(hashes, colour, first, self.check)
        alone = np.bincount(colour)[colour] == 1
        fixed = np.flatnonzero(alone)
        fixed = points[fixed[np.argsort(colour[fixed])]]
        return Split(trace, fixed, points[~alone], colour[~alone])

    def _individualised(self, part: Component, place: int) -> Split:
        colour = part.colour * 2
        colour[place] += 1
        return self._refined(part.points, colour, [np.array([place])])

    def _first(self, part: Component) -> Split:
        if part.first is None:
            part.first = self._individualised(part, int(part.cell[0]))
        return part.first

    def _parts(self, split: Split) -> list[Component]:
        if split.parts is None:
            split.parts = self._components(split.points, split.colour)
        return split.parts

    def _components(self, points: Colours, colour: Colours) -> list[Component]:
        """The components of the linked points."""
        if not len(points):
            return []
        self.check()
        entries = self.pairs[np.ix_(points, points)]
        cells = ids(colour)
        kinds = (cells[:, None] * (int(cells.max()) + 1) + cells) * self.count + entries
        codes = numbered(kinds)
        counts = np.bincount(codes.reshape(-1))
        block = np.empty(len(counts), dtype=np.int64)
        block[codes] = kinds // self.count
        order = np.lexsort((-counts, block))
        commonest = order[np.diff(block[order], prepend=-1) > 0]
        linked = np.ones(len(counts), dtype=bool)
        linked[commonest] = False
        near = linked[codes]
        parts = _connected(near | near.T)
        own = np.zeros(len(points), dtype=np.uint64)
        if len(parts) > 1:  # one is compared as it is
            weights = hashed(colour)
            own = (self.hashes[np.ix_(points, points)] * near * weights).sum(axis=1)
            own = hashed(hashed(own) ^ weights)
        return [
            Component(
                points[places],
                colour[places],
                np.sort(colour[places]).tobytes() + own[places].sum().tobytes(),
            )
            for places in parts
        ]

    def _product(self, parts: Sequence[Component]) -> Found:
        """The product over the classes of isomorphic components of Aut(component) ≀ S_k."""
        whole = Found()
        classes: dict[bytes, list[list[tuple[Component, Map]]]] = {}
        for part in parts:
            alike = classes.setdefault(part.signature, [])
            alone = [(part, (part.points, part.points))]
            try:
                for members in alike:
                    image = self._isomorphism(members[0][0], part)
                    if image is not None:
                        members.append((part, image))
                        break
                    whole.tight = False
                else:
                    alike.append(alone)
            except GaveUp:
                whole.complete = False
                alike.append(alone)
        for members in (members for alike in classes.values() for members in alike):
            inner = self._of(members[0][0])
            whole.order *= inner.order ** len(members) * math.factorial(len(members))
            whole.generators += inner.generators + _exchanges([image for _, image in members])
            whole.complete = whole.complete and inner.complete
            whole.tight = whole.tight and inner.tight
        return whole

    def _of(self, part: Component) -> Found:
        """The group of a component, by orbit and stabiliser; found once."""
        if part.found is None:
            part.found = self._stabiliser_and_orbit(part) if len(part.cell) else Found()
        return part.found

    def _stabiliser_and_orbit(self, part: Component) -> Found:
        try:
            inner = self._product(self._parts(self._first(part)))
        except GaveUp:
            return Found(complete=False)
        whole = Found(inner.order, list(inner.generators), inner.complete, inner.tight)
        around = Orbits(len(self.pairs))
        for moves in inner.generators:
            around.join(_moves(moves))
        base, *others = part.points[part.cell].tolist()
        excluded: list[int] = []
        try:
            for place, point in zip(part.cell[1:].tolist(), others, strict=True):
                if around.find(point) in {around.find(p) for p in (base, *excluded)}:
                    continue
                image = self._matched(self._first(part), self._individualised(part, place))
                if image is None:
                    excluded.append(point)
                    whole.tight = False
                else:
                    whole.generators.append(image)
                    around.join(_moves(image))
        except GaveUp:
            whole.complete = False
        whole.order *= sum(around.find(p) == around.find(base) for p in (base, *others))
        return whole

    # ---------------------------------------------------------------------------- isomorphisms
    def _isomorphism(self, a: Component, b: Component) -> Map | None:
        """An isomorphism from a to b that keeps colours; None where there is none."""
        if a.signature != b.signature:
            return None
        if not len(a.cell):
            return self._kept(a.points[np.argsort(a.colour)], b.points[np.argsort(b.colour)])
        for source in self._representatives(a):
            image = self._matched(source, self._first(b))
            if image is not None:
                return image
        return None

    def _representatives(self, part: Component) -> Iterator[Split]:
        """The component with a point of its cell singled out: one point of each orbit."""
        yield self._first(part)
        around = Orbits(len(self.pairs))
        for moves in self._of(part).generators:
            around.join(_moves(moves))
        seen = {around.find(int(part.points[part.cell[0]]))}
        for place in part.cell[1:].tolist():
            orbit = around.find(int(part.points[place]))
            if orbit not in seen:
                seen.add(orbit)
                yield self._individualised(part, place)

    def _matched(self, a: Split, b: Split) -> Map | None:
        """An isomorphism between refined colourings; None where there is none. Components are
        matched greedily: to be isomorphic is an equivalence."""
        if a.trace != b.trace:
            return None
        maps = [(a.fixed, b.fixed)]
        left, free = self._parts(a), list(self._parts(b))
        if len(left) != len(free):
            return None
        for part in left:
            for k, other in enumerate(free):
                image = self._isomorphism(part, other)
                if image is not None:
                    maps.append(image)
                    del free[k]
                    break
            else:
                return None
        image = self._kept(*_joined(maps))
        if image is None and left:
            raise EngineError("isomorphic components do not make an isomorphism")
        return image

    def _kept(self, points: Colours, images: Colours) -> Map | None:
        """The map, where it keeps all entries among its points."""
        here, there = (self.pairs[np.ix_(p, p)] for p in (points, images))
        return (points, images) if np.array_equal(here, there) else None


def _connected(near: NDArray[np.bool_]) -> list[Colours]:
    """The connected components of a symmetric relation, each as its sorted points."""
    left = np.ones(len(near), dtype=bool)
    found = []
    for start in range(len(near)):
        if not left[start]:
            continue
        inside = np.zeros(len(near), dtype=bool)
        inside[start] = True
        front = np.array([start])
        while len(front):
            reached = near[front].any(axis=0) & ~inside
            inside |= reached
            front = np.flatnonzero(reached)
        left &= ~inside
        found.append(np.flatnonzero(inside))
    return found


def _exchanges(maps: Sequence[Map]) -> list[Map]:
    """The swap of the first two images, and the cycle of all, of isomorphisms from one component:
    they generate every order of the images."""
    images = [b[np.argsort(a)] for a, b in maps]
    cycles = [images[:2], images][: min(len(images) - 1, 2)]
    return [(np.concatenate(c), np.concatenate([*c[1:], c[0]])) for c in cycles]


def _joined(maps: Sequence[Map]) -> Map:
    return np.concatenate([a for a, _ in maps]), np.concatenate([b for _, b in maps])


def _moves(image: Map) -> list[tuple[int, int]]:
    return [(a, b) for a, b in zip(image[0].tolist(), image[1].tolist(), strict=True) if a != b]
