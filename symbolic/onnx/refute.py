"""Looking for an input that shows a model to see the order: the sizes, and what counts.

What is found is what onnxruntime computes (search.py); it is enclosed where the model has a term
that is small enough (enclose.py). The two must agree, or nothing is said.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations, islice
from pathlib import Path
from typing import TYPE_CHECKING

import sympy

from orderproof.symbolic.witness.model_file import (
    ENCLOSED,
    KINDS,
    MAX_VALUES,
    MEASURED,
    RENAMED,
    ModelWitness,
    OutputAxis,
    Values,
    recorded,
)

from .atoms import RESHAPED, Dim
from .external_data import digests
from .graph import VALUES, Array, Graph, ModelError, place_from
from .precisions import Precisions
from .run import RunError, Runner
from .search import Claim, Found, Search
from .stabiliser import Permutation, transpositions
from .values import Tensor

if TYPE_CHECKING:
    from .decide import Question
    from .report import Result

OTHERS = (2, 1, 3, 4)  # sizes that are tried for the other dynamic dimensions
LARGE = 2_000_000  # entries of all constants, and LONG places, from which on one size is tried
LONG = 64
LARGEST = 200_000_000  # entries of all constants: beyond, two precisions need too much memory
NOT_LOOKED = "no counterexample was looked for"
TRIES = 5  # counterexamples that are not enclosed, after which no other is tried


@dataclass
class Refuter:
    """Searches about one model file."""

    path: Path
    graph: Graph
    runner: Runner | None
    trouble: str = ""  # why the last search found nothing, if not for want of a difference
    precisions: Precisions | None = None
    searches: dict[object, Search] = field(default_factory=dict)

    @cached_property
    def data(self) -> tuple[tuple[str, str], ...]:
        """The digests of the model's external data; RunError where they lie elsewhere."""
        try:
            return digests(self.graph.proto, self.path.parent)
        except ModelError as error:
            raise RunError(str(error)) from None

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
        entries = sum(c.size for c in self.graph.constants.values())
        if self.runner is None or entries > LARGEST:
            why = "the model is too large" if self.runner else "onnxruntime is not installed"
            self.trouble = f"{NOT_LOOKED}: {why}"
            return None
        moving = dict.fromkeys((q.asked, *map(place_from, result.along)))
        claim = Claim(tuple(moving), result.output, axis)
        moves = list(sigmas) if sigmas is not None else list(transpositions(n))
        slow = entries > LARGE or n > LONG
        for at in self._cases(q, n, (1,) if slow else (*OTHERS, n), sizes or {}):
            try:
                search = self._search(self.runner, claim, at, n)
                found = self._at(q, claim, search, moves[:1] if n > LONG else moves)
            except RunError as e:
                self.trouble = f"{NOT_LOOKED}: {e}"
                continue
            return found
        return None

    def _at(
        self, q: Question, claim: Claim, search: Search, sigmas: Sequence[Permutation]
    ) -> ModelWitness | None:
        """The first difference at some sizes that is enclosed, or that counts without."""
        self.trouble = ""
        for found in islice(search.found(claim, sigmas), TRIES):
            verdict = q.encloser.verdict(search.runner, claim, search.sizes, found)
            if verdict.enclosed or (verdict.no_term and search.steady(claim, found)):
                self.trouble = ""
                return self.witness(claim, search.sizes, found, verdict.enclosed)
            why = f"it goes away nearby, and {verdict.why}" if verdict.no_term else verdict.why
            self.trouble = f"a difference was seen, and it is not certain: {why}"
        return None

    def _search(self, runner: Runner, claim: Claim, sizes: Mapping[str, int], n: int) -> Search:
        key = claim.moving, n, tuple(sizes.items())
        if self.precisions is None:
            self.precisions = Precisions(self.graph)
        if key not in self.searches:
            self.searches[key] = Search(runner, self.precisions, sizes, claim.moving, n)
        return self.searches[key]

    def witness(
        self, claim: Claim, sizes: Mapping[str, int], found: Found, enclosed: bool
    ) -> ModelWitness:
        """A counterexample that was found, as its file has it; RunError where none can hold it."""
        (name, axis), *moving = claim.moving
        part, _ = recorded(found.moved.y64.shape, found.difference.entry)
        moved, expected = (
            tuple(y.y64.ravel()[part].tolist()) for y in (found.moved, found.expected)
        )
        return ModelWitness(
            self.path.name, self.graph.sha256, self.data,
            dict(sizes), found.sigma, name, axis,
            tuple((x, RENAMED if k == VALUES else k) for x, k in moving),
            {x: _values(array) for x, array in found.inputs.items()}, claim.output,
            claim.output_axis, found.moved.y64.shape, moved, expected, found.difference,
            ENCLOSED if enclosed else MEASURED, found.tie,
        )  # fmt: skip

    def _cases(
        self, q: Question, n: int, others: Sequence[int], fixed: Mapping[str, int]
    ) -> Iterator[dict[str, int]]:
        """Small sizes of the dynamic dimensions, with n tokens."""
        asked = q.graph.inputs[q.asked[0]].dims[q.asked[1]]
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
        asked = q.graph.inputs[q.asked[0]].dims[q.asked[1]]
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


def _values(x: Array) -> Values:
    """An input as a file holds it; RunError of what it does not hold."""
    kind = next((name for name, kinds in KINDS.items() if x.dtype.kind in kinds), None)
    if kind is None or x.size > MAX_VALUES:
        raise RunError(f"an input of {x.size} entries of type {x.dtype} is not written to a file")
    number = float if kind == "real" else int
    return Values(x.shape, kind, tuple(Fraction(number(v)) for v in x.ravel()))
