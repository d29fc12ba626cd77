"""Looking for an input that shows a model to see the order: the sizes, and the permutations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

import sympy

from orderproof.symbolic.witness.model_file import RENAMED, ModelWitness, OutputAxis

from .atoms import RESHAPED, Dim
from .claims import Permuted
from .finder import LARGE, LONG, NOT_LOOKED, OTHERS, Finder
from .graph import VALUES, place_from
from .run import RunError
from .search import Found, Search
from .stabiliser import Permutation, transpositions
from .values import Tensor

if TYPE_CHECKING:
    from .decide import Question
    from .report import Result


@dataclass
class Refuter(Finder):
    """Searches for permutations that a model does not follow."""

    searches: dict[object, Search] = field(default_factory=dict)

    def search(
        self,
        q: Question,
        result: Result,
        axis: OutputAxis,
        n: int,
        sigmas: Sequence[Permutation] | None,
        sizes: Mapping[str, int] | None = None,
    ) -> ModelWitness | None:
        """A counterexample at n tokens, that the output does not follow σ along its axis (None:
        that it does not stay as it is), for one of the permutations (by default those that generate
        all), at these sizes of other dimensions; None where none was found. `trouble` says what
        kept it from being found."""
        try:
            runner = self.usable()
        except RunError as why:
            self.trouble = f"{NOT_LOOKED}: {why}"
            return None
        moving = tuple(dict.fromkeys((q.asked, *map(place_from, result.along))))
        moves = list(sigmas) if sigmas is not None else list(transpositions(n))
        slow = self.entries > LARGE or n > LONG
        moves = moves[:1] if n > LONG else moves
        claims = [Permuted(moving, result.output, axis, tuple(sigma)) for sigma in moves]
        for at in self._cases(q, n, (1,) if slow else (*OTHERS, n), sizes or {}):
            try:
                key = moving, n, tuple(at.items())
                if key not in self.searches:
                    self.searches[key] = Search(runner, self.precisions, at, moving, n)
                search = self.searches[key]
                found = self.certain(lambda: q.encloser, search, search.found(claims))
                return self.witness(search, found) if found is not None else None
            except RunError as e:
                self.trouble = f"{NOT_LOOKED}: {e}"
        return None

    def witness(self, search: Search, found: Found) -> ModelWitness:
        """A counterexample that was found, as its file has it; RunError where none can hold it."""
        claim = found.claim
        if not isinstance(claim, Permuted):
            raise TypeError(f"{type(claim).__name__} is about no permutation")
        (name, axis), *moving = claim.moving
        return ModelWitness(
            **self.recorded(search, found), sigma=claim.sigma, input=name, axis=axis,
            moving=tuple((x, RENAMED if k == VALUES else k) for x, k in moving),
            output_axis=claim.output_axis,
        )  # fmt: skip

    def _cases(
        self, q: Question, n: int, others: Sequence[int], fixed: Mapping[str, int]
    ) -> Iterator[dict[str, int]]:
        """Small sizes of the dynamic dimensions, with n tokens."""
        asked = q.graph.dim(q.asked)
        names = q.graph.dynamic
        equal = {str(a): str(b) for a, b in q.first.reader.atoms.equal.items()}
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

    def output_axes(self, q: Question, output: str, value: Tensor | None) -> list[OutputAxis]:
        """What could be moved in the output: each axis that has as many places as the one in
        question at every size, that of the same number first, several of them at once, and None
        for nothing at all. Empty
        where an axis depends on that size in another way: then this search says nothing."""
        own = q.first.size
        if value is not None:
            sizes = q.first.reader.sizes(value)
            same = [k for k, s in enumerate(sizes) if s == own]
            other = [s for s in sizes if s != own and own.free_symbols & s.free_symbols]
            if all(sympy.expand(own - s).is_positive for s in other):
                other = []  # fewer places than tokens, after a window: σ cannot move them
            if q.first.fixed is not None:  # merged with others, joined to them, or split
                other = [s for s, d in zip(sizes, value.dims, strict=True) if self._within(q, d)]
        else:
            same, other = self._measured(q, output)
        if other:
            return []
        first = [k for k in same if k == q.asked[1]]
        single: list[OutputAxis] = [*first, *(k for k in same if k not in first), None]
        return single + [c for k in range(2, len(same) + 1) for c in combinations(same, k)]

    def _within(self, q: Question, dim: Dim) -> bool:
        """Whether one of several sets that a dimension is made of may be the axis in question."""
        atoms = q.first.reader.atoms
        leaves = [leaf for atom in atoms.resolve(dim) for leaf in atoms.leaves(atom)]
        merged = len(leaves) > 1 and any(atoms.canonical(x.size) == q.first.size for x in leaves)
        return merged or any(x.hint == RESHAPED for x in leaves)

    def _measured(self, q: Question, output: str) -> tuple[list[int], list[int]]:
        """The axes of that size, and those that depend on it otherwise, as the model's own runs
        have them; of a size that is fixed those that could, where a reshape made them."""
        asked = q.graph.dim(q.asked)
        same: list[set[int]] = []
        by_other: dict[int, list[tuple[int, ...]]] = {}
        for n, other in ((4, 3), (6, 3), (8, 3), (4, 2), (8, 2), (2, 3), (4, 4), (6, 6)):
            names = q.graph.dynamic
            sizes = dict.fromkeys(names, other) | ({asked: n} if isinstance(asked, str) else {})
            length = n if isinstance(asked, str) else int(asked)
            if q.runner is None:
                break
            try:
                inputs = q.runner.random_inputs(sizes, 0)
                shape = q.runner.run(inputs, [output])[output].shape
            except RunError:
                continue
            same.append({k for k, s in enumerate(shape) if s == length})
            by_other.setdefault(other, []).append(shape)
        if not same or (isinstance(asked, str) and all(len(x) < 2 for x in by_other.values())):
            return [], [0]  # of an output whose shape is not known nothing can be refuted
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
