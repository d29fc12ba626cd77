"""The constant that ends at a tensor of a graph, read as one expression for its entry."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..graph import Array, Graph, Unsupported
from .evaluate import LARGEST, TooLarge, evaluate
from .expression import Expr, index, number, parts, size
from .node import Condition, Node, of_array
from .operators import OPERATORS
from .run import cone, runner
from .tables import sort_of
from .tensors import Indices, Reaches, Refused, Tensor
from .width import bits, in_bits


@dataclass(frozen=True, eq=False)
class Entry:
    """A constant K of a graph: its dimensions, its entry at indices i0, i1, … below them, and what
    must hold for it to exist. `fixed` are the sizes that were given as numbers."""

    name: str
    dims: tuple[Expr, ...]
    value: Expr
    conditions: tuple[Condition, ...]
    fixed: Mapping[str, int]

    @property
    def indices(self) -> tuple[str, ...]:
        """The names of its indices."""
        return tuple(f"i{k}" for k in range(len(self.dims)))

    @property
    def sizes(self) -> tuple[str, ...]:
        """The names of the sizes that it depends on."""
        of = [self.value, *self.dims]
        for c in self.conditions:
            of += [c.holds, *(bound for _, bound in c.indices)]
        return tuple(sorted({p.data for p in parts(*of) if p.op == "size"}))


def entry(graph: Graph, name: str, sizes: Mapping[str, int] | None = None) -> Entry:
    """The entry of a constant, in its indices and the named sizes of the graph's inputs; those in
    `sizes` are numbers. Unsupported where it cannot be read."""
    try:
        return _entry(graph, name, sizes or {})
    except Reaches as error:
        raise Unsupported(name, str(error)) from None
    except RecursionError:
        raise Unsupported(name, "given too long a chain of nodes to read") from None


def _entry(graph: Graph, name: str, fixed: Mapping[str, int]) -> Entry:
    conditions: list[Condition] = []
    whole = read(graph, name, fixed, conditions)[name]
    at = [index(f"i{k}") for k in range(whole.rank)]
    return Entry(name, whole.dims, whole.at(*at), tuple(conditions), dict(fixed))


def read(
    graph: Graph, name: str, fixed: Mapping[str, int], conditions: list[Condition]
) -> dict[str, Tensor]:
    """Every tensor that a constant is made of, by name, itself too."""
    known: dict[str, Tensor] = {}
    count = itertools.count()

    def tensor(used: str, node: str) -> Tensor:
        if used not in known:
            try:
                known[used] = _outside(graph, used, fixed)
            except Refused as error:
                raise Unsupported(node, str(error)) from None
        return known[used]

    calls = cone(graph, name)
    within = bits(graph, calls)
    for call in calls:
        if call.domain not in ("", "ai.onnx") or call.op not in OPERATORS:
            raise Unsupported(call.name, f"{call.op} is not read in a constant")
        given = tuple(tensor(used, call.name) if used else None for used in call.inputs)
        run = _run(graph, call.outputs[0], fixed)
        node = Node(call, given, conditions, lambda: f"j{next(count)}", run)
        try:
            found = OPERATORS[call.op](node)
        except Reaches:
            raise
        except Refused as error:
            raise Unsupported(call.name, str(error)) from None
        outputs = found if isinstance(found, tuple) else (found,)
        for output, t in zip(call.outputs, outputs, strict=False):
            if output:
                known[output] = named(t, call.name, within)
    tensor(name, name)
    return known


def _run(graph: Graph, name: str, fixed: Mapping[str, int]) -> Callable[[Mapping[str, int]], Array]:
    """A tensor by the file's nodes, bounded before it is made, and kept for some sizes."""
    runs: list[Any] = []

    @lru_cache(maxsize=8)
    def at(sizes: tuple[tuple[str, int], ...]) -> Array:
        runs[:] = runs or [runner(graph, name), read(graph, name, {}, [])]
        bounded(graph, runs[1], dict(sizes))
        found: Array = runs[0](dict(sizes))
        return found

    return lambda sizes: at(tuple(sorted({**fixed, **sizes}.items())))


def bounded(graph: Graph, tensors: Mapping[str, Tensor], sizes: Mapping[str, int]) -> None:
    """TooLarge where a tensor on the way would be; it is asked before any is made."""
    for used, t in tensors.items():
        named = {p.data for p in parts(*t.dims) if p.op == "size"}
        if used not in graph.constants and named <= sizes.keys():
            count = math.prod(max(0, int(evaluate(d, sizes, {}))) for d in t.dims)
            if count > LARGEST:
                raise TooLarge(f"{used}: given {count} entries, expected at most {LARGEST}")


def named(t: Tensor, node: str, within: int) -> Tensor:
    """A tensor that names its node where an entry cannot be read, or need not fit into its bits."""

    def entry(i: Indices) -> Expr:
        try:
            found = t.at(*i)
        except Reaches:
            raise
        except Refused as error:
            raise Unsupported(node, str(error)) from None
        if not in_bits(found, within):
            raise Unsupported(node, f"given whole numbers that {within} bits may not hold")
        return found

    return Tensor(t.dims, t.sort, entry)


def _outside(graph: Graph, name: str, fixed: Mapping[str, int]) -> Tensor:
    """An initialiser, or an input, of which the dimensions alone are known."""
    if name in graph.constants:
        return of_array(graph.constants[name])
    if name not in graph.inputs:
        raise Refused(f"given {name!r}, expected a tensor of the graph")
    given = graph.inputs[name]

    def entry(_: Indices) -> Expr:
        raise Reaches(f"depends on the values of input {name!r}, expected on its dimensions alone")

    dims = tuple(
        number(d) if isinstance(d, int) else number(fixed[d]) if d in fixed else size(d)
        for d in given.dims
    )
    return Tensor(dims, sort_of(given.dtype) or "real", entry)
