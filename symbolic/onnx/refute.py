"""Looking for an input that shows a model to see the order: in ball arithmetic on the file itself.

Nothing of the translation is used but the names and sizes of inputs: the evaluator is the one that
replays the witness.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sympy

from .atoms import RESHAPED, Dim
from .graph import Graph
from .run import RunError
from .samples import choosing
from .stabiliser import Permutation, transpositions
from .values import Tensor

if TYPE_CHECKING:
    from orderproof.symbolic.witness.model.file import OutputAxis

    from .decide import Question
    from .report import Result

OTHERS = (2, 1, 3, 4)  # sizes that are tried for the other dynamic dimensions
MOST_IDS = 7  # the largest integer that an input is given
LARGE = 2_000_000  # entries of all constants, and LONG places, from which on one input is tried
LONG = 64
LARGEST = 40_000_000  # entries of all constants: beyond, balls take too long
THROUGH = ("Cast", "Identity", "Unsqueeze", "Squeeze", "Reshape", "Transpose", "Slice", "Gather")


@dataclass
class Refuter:
    """Searches about one model file."""

    path: Path
    graph: Graph
    trouble: str = ""  # why the last search could not look

    def search(
        self,
        q: Question,
        result: Result,
        axis: Any,
        n: int,
        sigmas: Sequence[Permutation] | None,
        sizes: Mapping[str, int] | None = None,
    ) -> Any:
        """A witness at n tokens, that the output does not follow σ along its axis (None: that it
        does not stay as it is), for one of the permutations (by default those that generate all),
        at these sizes of other dimensions; None where none was found. `trouble` says what kept it
        from looking."""
        from orderproof.symbolic.witness.model.errors import EvaluationError
        from orderproof.symbolic.witness.model.refute import search

        entries = sum(c.size for c in self.graph.constants.values())
        if entries > LARGEST:
            self.trouble = "the model is too large for exact arithmetic"
            return None
        moves = list(sigmas) if sigmas is not None else list(transpositions(n))
        slow = entries > LARGE or n > LONG
        if any(x.endswith(":values") for x in result.along):
            self.trouble = "token numbers that are renamed are not searched"
            return None
        along = [_place(x) for x in result.along]
        for specs in self._cases(q, n, (1,) if slow else (*OTHERS, n), sizes or {}):
            try:
                found = search(
                    self.path, [(specs, moves[:1] if slow else moves)], q.asked, result.output,
                    axis, moving=along, tries=1 if slow else 3,
                )  # fmt: skip
            except EvaluationError as e:
                self.trouble = str(e)
                continue
            except (AttributeError, TypeError) as e:  # of PRelu, say, on whole numbers
                self.trouble = f"an operator has no value for numbers of this kind: {e}"
                continue
            self.trouble = ""
            return found
        return None

    def _cases(
        self, q: Question, n: int, others: Sequence[int], fixed: Mapping[str, int]
    ) -> Iterator[Mapping[str, Any]]:
        """Inputs of small sizes with n tokens."""
        from orderproof.symbolic.witness.model.refute import Spec

        asked = q.graph.inputs[q.asked[0]].dims[q.asked[1]]
        names = {d for t in q.graph.inputs.values() for d in t.dims if isinstance(d, str)}
        equal = {str(a): str(b) for a, b in q.first.reader.atoms.equal.items()}
        limits = ranges(q.graph)
        for other in others:
            sizes = dict.fromkeys(names, other) | {x: k for x, k in fixed.items() if x in names}
            if isinstance(asked, str):
                sizes[asked] = n
            for a, b in equal.items():
                if b in sizes or b.isdigit():
                    sizes[a] = sizes[b] if b in sizes else int(b)
                elif a == asked:
                    sizes[b] = n
            if isinstance(asked, str) and sizes[asked] != n:
                continue
            yield {
                name: Spec(
                    tuple(sizes[d] if isinstance(d, str) else d for d in t.dims),
                    {"f": "real", "b": "truth"}.get(t.dtype.kind, "integer"),
                    *((0, limits.get(name, 1)) if t.dtype.kind in "iu" else (-2, 2)),
                )
                for name, t in q.graph.inputs.items()
            }

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
            names = {d for t in q.graph.inputs.values() for d in t.dims if isinstance(d, str)}
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


def ranges(graph: Graph) -> dict[str, int]:
    """The largest value that each input of integers is given: what the tables allow in which they
    choose rows, else 1."""
    found: dict[str, int] = {}
    for name, call in choosing(graph, THROUGH):
        table = graph.constants.get(call.input(0))
        if call.op == "Gather" and table is not None:
            rows = table.shape[int(call.attributes.get("axis", 0))]
            found[name] = min(found.get(name, MOST_IDS), rows - 1)
    return found


def _place(text: str) -> tuple[str, int]:
    name, _, k = text.rpartition(":")
    return name, int(k)
