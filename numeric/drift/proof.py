"""What `decide` proves of a model that says something of one input and one permutation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from orderproof.symbolic.onnx.decide import MOST, decide
from orderproof.symbolic.onnx.graph import Graph
from orderproof.symbolic.onnx.report import Result

from .given import Given
from .orders import Axes, fits

SECONDS = 10.0  # for its search for an input that refutes: here one is given
_CONDITION = re.compile(r"(\S+) (=|<=) (\S+)")


@dataclass(frozen=True)
class Proof:
    """The answer of `decide`; `axes` are those of the output along which the theorem moves it, None
    where no theorem is about this permutation of this input."""

    answer: str
    scope: str
    axes: Axes | None

    @property
    def covers(self) -> bool:
        """Whether f(PX) = P f(X) is a theorem for this X and this P."""
        return self.axes is not None


def proof(path: str | Path, graph: Graph, asked: Given, output: str, shape: Sequence[int]) -> Proof:
    """What is proved about the axes that were asked about, and an output of this shape."""
    first, *others = [f"{name}:{k}" for name, k in asked.axes]
    n = len(asked.sigma)
    report = decide(path, first, others, output, n if n <= MOST else None, SECONDS)
    result = report.results[0]
    axes = result.output_axis
    found: Axes = () if axes is None else axes if isinstance(axes, tuple) else (axes,)
    sizes = {
        d: s
        for name, t in graph.inputs.items()
        for d, s in zip(t.dims, asked.inputs[name].shape, strict=True)
        if isinstance(d, str)
    }
    covers = (
        set(result.along) == set(others)
        and all(holds(c, sizes) for c in result.conditions)
        and _of(result, asked.sigma)
        and fits(shape, found, n)
    )
    return Proof(result.answer, result.scope, found if covers else None)


def _of(result: Result, sigma: Sequence[int]) -> bool:
    """Whether a result proves something of this permutation."""
    n = len(sigma)
    if result.answer in ("equivariant", "invariant"):
        return holds(result.scope, {"n": n})
    if result.answer != "subgroup" or result.group is None or result.group.n != n:
        return False
    return tuple(sigma) in _closure(result.group.generators, n)


def _closure(generators: Sequence[Sequence[int]], n: int) -> set[tuple[int, ...]]:
    """All products of permutations of n ≤ MOST places."""
    one = tuple(range(n))
    found, pending = {one}, [one]
    while pending:
        a = pending.pop()
        for g in generators:
            b = tuple(a[k] for k in g)
            if b not in found:
                found.add(b)
                pending.append(b)
    return found


def holds(text: str, sizes: Mapping[str, int]) -> bool:
    """Whether a scope or a condition of `decide`, as "n <= 8", holds at these sizes; False where it
    says something else."""
    if text == "all n":
        return True
    match = _CONDITION.fullmatch(text)
    if match is None:
        return False
    ends = [_size(part, sizes) for part in (match[1], match[3])]
    if ends[0] is None or ends[1] is None:
        return False
    return ends[0] == ends[1] if match[2] == "=" else ends[0] <= ends[1]


def _size(text: str, sizes: Mapping[str, int]) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else sizes.get(text)
