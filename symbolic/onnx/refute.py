"""Looking for an input that shows a model to see the order: the sizes, and the permutations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice
from typing import Any

import sympy

from orderproof.symbolic import time_limit
from orderproof.symbolic.witness.model_file import RENAMED, ModelWitness, OutputAxis

from .atoms import RESHAPED, Dim
from .claims import Permuted
from .finder import LARGE, LONG, OTHERS, Finder, certain
from .graph import VALUES, Place
from .reading import Reading
from .run import RunError
from .search import Found, Search
from .stabiliser import Permutation, transpositions
from .values import Tensor
from .words import LATE, NO_AXIS, NO_SIZES, NOT_FOUND, NOT_LOOKED, REVERSAL

MOST = 6  # tokens up to which permutations are tried, or a group is listed
LONGEST = 1 << 20  # places of a fixed axis


@dataclass
class Refuter:
    """Searches for permutations that a model does not follow along an axis: that of a reading."""

    finder: Finder
    first: Reading
    encloser: Callable[[], Any]
    searches: dict[object, Search] = field(default_factory=dict)

    def smallest(
        self, moving: Sequence[Place], output: str, axis: OutputAxis
    ) -> ModelWitness | str:
        """A counterexample at the smallest number of tokens; or why there is none, in words."""
        fixed = self.first.fixed
        if fixed is not None and fixed > LONGEST:
            return f"{NOT_LOOKED}: an axis of {fixed:,} places; at most {LONGEST:,} are permuted"
        whys = []
        for n in [fixed] if fixed is not None else range(2, MOST):
            reversal = [tuple(reversed(range(n)))] if n > MOST else None  # one that moves the most
            found = self.search(moving, output, axis, n, reversal)
            if not isinstance(found, str):
                return found
            whys.append(found)
        looked = [w for w in whys if not w.startswith(NOT_LOOKED)] or whys[:1]
        why = next(filter(None, looked), NOT_FOUND)
        if fixed is not None and fixed > MOST and not whys[0]:
            return why + REVERSAL.format(fixed)
        return why

    def search(
        self,
        moving: Sequence[Place],
        output: str,
        axis: OutputAxis,
        n: int,
        sigmas: Sequence[Permutation] | None,
        sizes: Mapping[str, int] | None = None,
    ) -> ModelWitness | str:
        """A counterexample at n tokens, that the output does not follow σ along its axis (None:
        that it does not stay as it is), for one of the permutations (by default those that generate
        all), at these sizes of other dimensions; or why there is none, "" where no difference was
        seen."""
        try:
            time_limit.check()
            return self._search(tuple(dict.fromkeys(moving)), output, axis, n, sigmas, sizes or {})
        except RunError as why:
            return f"{NOT_LOOKED}: {why}"
        except time_limit.Late:
            return LATE

    def _search(
        self, moving: tuple[Place, ...], output: str, axis: OutputAxis, n: int,
        sigmas: Sequence[Permutation] | None, sizes: Mapping[str, int],
    ) -> ModelWitness | str:  # fmt: skip
        runner, why = self.finder.usable(), RunError(NO_SIZES)
        slow = self.finder.entries > LARGE or n > LONG
        every = transpositions(n) if sigmas is None else iter(sigmas)
        moves = islice(every, 1 if n > LONG else None)
        claims = [Permuted(moving, output, axis, tuple(sigma)) for sigma in moves]
        if not claims:
            raise RunError("an axis of one place has no other order")
        for at in self._cases(n, (1,) if slow else (*OTHERS, n), sizes):
            try:
                key = moving, n, tuple(at.items())
                if key not in self.searches:
                    self.searches[key] = Search(runner, self.finder.precisions, at, moving, n)
                search = self.searches[key]
                found = certain(self.encloser, search, search.found(claims))
                return found if isinstance(found, str) else witness(self.finder, search, found)
            except RunError as error:
                why = error
        raise why

    def _cases(
        self, n: int, others: Sequence[int], fixed: Mapping[str, int]
    ) -> Iterator[dict[str, int]]:
        """Small sizes of the dynamic dimensions, with n tokens."""
        graph = self.first.graph
        asked, names = graph.dim(self.first.asked), graph.dynamic
        equal = {str(a): str(b) for a, b in self.first.reader.atoms.equal.items()}
        for other in others:
            sizes = dict.fromkeys(names, other) | {x: k for x, k in fixed.items() if x in names}
            if isinstance(asked, str):
                sizes[asked] = n
            for a, b in equal.items():
                if b in sizes or b.isdigit():
                    sizes[a] = sizes[b] if b in sizes else int(b)
                elif a == asked:
                    sizes[b] = n
            if not isinstance(asked, str) or sizes[asked] == n:
                yield {x: sizes[x] for x in sorted(names)}

    def output_axes(self, output: str) -> list[OutputAxis] | str:
        """What could be moved in the output: each axis that has as many places as the one in
        question at every size, that of the same number first, several of them at once, and None
        for nothing at all. Where an axis depends on that size in another way, or the shape is not
        known, why this search says nothing."""
        own, value = self.first.size, self.first.value(output)
        if isinstance(value, Tensor) and self._holds():
            sizes = self.first.reader.sizes(value)
            same = [k for k, s in enumerate(sizes) if s == own]
            other = [s for s in sizes if s != own and own.free_symbols & s.free_symbols]
            if all(sympy.expand(own - s).is_positive for s in other):
                other = []  # fewer places than tokens, after a window: σ cannot move them
            if self.first.fixed is not None:  # merged with others, joined to them, or split
                other = [s for s, d in zip(sizes, value.dims, strict=True) if self._within(d)]
        else:
            try:
                same, other = self._measured(output)
            except RunError as why:
                return f"{NOT_LOOKED}: {why}"
            except time_limit.Late:
                return LATE
        if other:
            return NO_AXIS
        first = [k for k in same if k == self.first.asked[1]]
        single: list[OutputAxis] = [*first, *(k for k in same if k not in first), None]
        return single + [c for k in range(2, len(same) + 1) for c in combinations(same, k)]

    def _holds(self) -> bool:
        """Whether what is read is about few tokens too, those at which is searched."""
        atoms = self.first.reader.atoms
        least = [(b - a).subs(dict.fromkeys((b - a).free_symbols, 2)) for a, b in atoms.limits]
        return all(x.is_nonnegative for x in least)

    def _within(self, dim: Dim) -> bool:
        """Whether one of several sets that a dimension is made of may be the axis in question."""
        atoms = self.first.reader.atoms
        leaves = [leaf for atom in atoms.resolve(dim) for leaf in atoms.leaves(atom)]
        merged = len(leaves) > 1 and any(atoms.canonical(x.size) == self.first.size for x in leaves)
        return merged or any(x.hint == RESHAPED for x in leaves)

    def _measured(self, output: str) -> tuple[list[int], list[int]]:
        """The axes of that size, and those that depend on it otherwise, as the model's own runs
        have them; of a size that is fixed those that could, where a reshape made them. RunError
        where too few runs tell."""
        runner, graph = self.finder.usable(), self.first.graph
        asked, names = graph.dim(self.first.asked), graph.dynamic
        same: list[set[int]] = []
        by_other: dict[int, list[tuple[int, ...]]] = {}
        why = RunError("the model does not run at two sizes that differ in this axis alone")
        for n, other in ((4, 3), (6, 3), (8, 3), (4, 2), (8, 2), (2, 3), (4, 4), (6, 6)):
            sizes = dict.fromkeys(names, other) | ({asked: n} if isinstance(asked, str) else {})
            length = n if isinstance(asked, str) else int(asked)
            try:
                shape = runner.run(runner.random_inputs(sizes, 0), [output])[output].shape
            except RunError as error:
                why = error
                continue
            same.append({k for k, s in enumerate(shape) if s == length})
            by_other.setdefault(other, []).append(shape)
        if not same or (isinstance(asked, str) and all(len(x) < 2 for x in by_other.values())):
            raise why  # of an output whose shape is not known nothing can be refuted
        always = sorted(set.intersection(*same))
        if isinstance(asked, int):  # the shape is the same in every run
            others = {k: s for k, s in enumerate(by_other.popitem()[1][0]) if s != asked}
            return always, [] if math.prod(others.values()) % asked else sorted(others)
        varies = {
            k
            for shapes in by_other.values()
            for shape in shapes[1:]
            for k, s in enumerate(shape)
            if len(shape) != len(shapes[0]) or s != shapes[0][k]
        }
        return always, sorted(varies - set(always))


def witness(finder: Finder, search: Search, found: Found) -> ModelWitness:
    """A counterexample that was found, as its file has it; RunError where none can hold it."""
    claim = found.claim
    if not isinstance(claim, Permuted):
        raise TypeError(f"{type(claim).__name__} is about no permutation")
    (name, axis), *moving = claim.moving
    return ModelWitness(
        **finder.recorded(search, found), sigma=claim.sigma, input=name, axis=axis,
        moving=tuple((x, RENAMED if k == VALUES else k) for x, k in moving),
        output_axis=claim.output_axis,
    )  # fmt: skip
