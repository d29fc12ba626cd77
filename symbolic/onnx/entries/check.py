"""Whether an expression is the constant of the file: both are compared entry by entry at sizes.

The file's own nodes are run, by onnxruntime or else by the reference of the onnx package. Integers
and truth values have to be equal; reals to within a bound that is an estimate of what float
rounding adds up to, not a proof of one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..graph import Array, Graph, ModelError, Unsupported
from .evaluate import LARGEST, TooLarge, evaluate, grid
from .node import Condition
from .reader import Entry, cone, read

LEAST_SIZES = 4  # at which every expression is compared
SMALL = range(1, 9)  # sizes that are tried where a constant exists at no others
ROUNDINGS = 1024  # of the largest entry, that reals may differ by


class Misread(Exception):
    """An expression that is not the constant of the file: where, and both values."""


@dataclass(frozen=True, eq=False)
class Compared:
    """An entry that was the file's own constant at these sizes."""

    entry: Entry
    sizes: tuple[Mapping[str, int], ...]


def numeric_check(
    entry: Entry, graph: Graph, sizes: Sequence[Mapping[str, int]], by: str = "onnxruntime"
) -> Compared:
    """The entry, compared at these sizes, each of all the graph's named dimensions or of those that
    the entry has; where it does not exist at some, at small ones in their place. Misread where it
    differs; Unsupported where the file's nodes cannot be run."""
    different = {tuple(sorted(s.items())) for s in sizes}
    if entry.sizes and len(different) < LEAST_SIZES:
        raise ValueError(f"given {len(different)} sizes, expected {LEAST_SIZES} or more")
    run = None
    done: list[dict[str, int]] = []
    for own in itertools.chain(sizes, smaller(sizes)):
        whole = {**entry.fixed, **own}
        if missing := sorted(set(entry.sizes) - whole.keys()):
            raise ValueError(f"given no size {missing[0]!r}, expected each of {entry.sizes}")
        if len(done) >= len(different) or dict(own) in done:
            continue
        if not exists(entry.conditions, whole):
            continue
        bounded(entry, graph, whole)
        run = run or runner(graph, entry.name, by)
        compare(entry, whole, run(whole))
        done.append(dict(own))
    if not done:
        raise Unsupported(entry.name, "given no size at which it exists, expected one")
    return Compared(entry, tuple(done))


def smaller(sizes: Sequence[Mapping[str, int]]) -> Iterator[dict[str, int]]:
    """Small sizes, each with all names: the first alone counts up, the others are at first 2."""
    names = sorted({name for own in sizes for name in own})
    for k in SMALL:
        for other in (2, k, 1):
            for name in names:
                yield {**dict.fromkeys(names, other), name: k}


def exists(conditions: Iterable[Condition], sizes: Mapping[str, int]) -> bool:
    """Whether all that must hold does, at these sizes and all indices."""
    for c in conditions:
        names = [name for name, _ in c.indices]
        dims = [int(evaluate(bound, sizes, {})) for _, bound in c.indices]
        if not np.all(np.asarray(evaluate(c.holds, sizes, grid(names, dims)), dtype=bool)):
            return False
    return True


def values(entry: Entry, sizes: Mapping[str, int]) -> Array:
    """The whole constant at these sizes, as Python's numbers. TooLarge where it is."""
    dims = [int(evaluate(d, sizes, {})) for d in entry.dims]
    if math.prod(dims) > LARGEST:
        raise TooLarge(f"given {math.prod(dims)} entries, expected at most {LARGEST}")
    found = evaluate(entry.value, sizes, grid([*entry.indices], dims))
    whole = np.empty(dims, dtype=object)
    whole[...] = found
    return whole


def bounded(entry: Entry, graph: Graph, sizes: Mapping[str, int]) -> None:
    """TooLarge where a tensor on the way would be; it is asked before any is made."""
    for name, t in read(graph, entry.name, {}, []).items():
        names = {p for d in t.dims for p in _named(d)}
        if names <= sizes.keys():
            count = math.prod(max(0, int(evaluate(d, sizes, {}))) for d in t.dims)
            if count > LARGEST:
                raise TooLarge(f"{name}: given {count} entries, expected at most {LARGEST}")


def _named(e: Any) -> set[str]:
    from .expression import parts

    return {p.data for p in parts(e) if p.op == "size"}


def compare(entry: Entry, sizes: Mapping[str, int], actual: Array) -> None:
    """Misread unless the expression gives this array at these sizes."""
    said = ", ".join(f"{k} = {v}" for k, v in sizes.items())
    mine = values(entry, sizes)
    if mine.shape != actual.shape:
        raise Misread(f"{entry.name} at {said}: read of shape {mine.shape}, is {actual.shape}")
    if not mine.size:
        return
    if actual.dtype.kind == "f":
        good = _close(mine.astype(np.float64), actual)
    else:
        good = mine.astype(object) == actual.astype(object)
    if not np.all(good):
        where = tuple(int(k) for k in np.argwhere(~np.asarray(good, dtype=bool))[0])
        raise Misread(
            f"{entry.name} at {said}: entry {where} is read as {mine[where]}, is {actual[where]}"
        )


def _close(mine: Array, actual: Array) -> Array:
    exact = actual.astype(np.float64)
    finite = np.isfinite(exact)
    largest = max(1.0, float(np.max(np.abs(exact[finite]), initial=0.0)))
    least = float(np.finfo(actual.dtype).eps) * ROUNDINGS * largest
    same = (mine == exact) | (np.isnan(mine) & np.isnan(exact))
    with np.errstate(invalid="ignore"):
        return np.asarray(same | (finite & (np.abs(mine - exact) <= least)))


# ----------------------------------------------------------------------------- the file's own nodes
def runner(graph: Graph, name: str, by: str = "onnxruntime") -> Any:
    """A function from sizes to the constant, by the file's own nodes and inputs of zeros."""
    model = model_of(graph, name)
    if by == "onnxruntime":
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        try:
            session = onnxruntime.InferenceSession(
                model.SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise Unsupported(name, f"onnxruntime refuses its nodes: {_line(error)}") from None
        names = {x.name for x in session.get_inputs()}
    else:
        from onnx.reference import ReferenceEvaluator

        session = ReferenceEvaluator(model)
        names = set(session.input_names)

    def run(sizes: Mapping[str, int]) -> Array:
        feeds = {k: v for k, v in zeros(graph, sizes).items() if k in names}
        try:
            return np.asarray(session.run([name], feeds)[0])
        except Exception as error:
            raise Unsupported(name, f"{by} does not run its nodes: {_line(error)}") from None

    return run


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def zeros(graph: Graph, sizes: Mapping[str, int]) -> dict[str, Array]:
    """Inputs of zeros; a dimension that is not named in the sizes has length 2."""
    found = {}
    for name, t in graph.inputs.items():
        dims = [d if isinstance(d, int) else sizes.get(d, 2) for d in t.dims]
        if math.prod(dims) > LARGEST:
            raise ModelError(f"input {name}: given {math.prod(dims)} entries, at most {LARGEST}")
        found[name] = np.zeros(dims, dtype=t.dtype)
    return found


def model_of(graph: Graph, name: str) -> Any:
    """The nodes that a tensor is made of, as a model that gives it: those of the file, where the
    graph was read from one."""
    import onnx
    from onnx import helper, numpy_helper

    calls = cone(graph, name)
    used = {i for c in calls for i in c.inputs} | {name}
    if graph.proto is not None:
        of = graph.proto.graph
        nodes = [n for n in of.node if used.intersection(n.output)]
        inputs = [v for v in of.input if v.name in used and v.name not in graph.constants]
        opsets, version = list(graph.proto.opset_import), graph.proto.ir_version
    else:
        nodes = [
            helper.make_node(
                c.op, c.inputs, c.outputs, name=c.name, domain=c.domain,
                **{k: _attribute(v) for k, v in c.attributes.items()},
            )
            for c in calls
        ]  # fmt: skip
        inputs = [
            helper.make_tensor_value_info(
                t.name, helper.np_dtype_to_tensor_dtype(t.dtype), list(t.dims)
            )
            for t in graph.inputs.values() if t.name in used
        ]  # fmt: skip
        opsets, version = [helper.make_opsetid("", graph.opset)], 10
    own = used - {o for n in nodes for o in n.output}
    constants = [numpy_helper.from_array(a, k) for k, a in graph.constants.items() if k in own]
    output = onnx.ValueInfoProto(name=name)
    made = helper.make_graph(nodes, "constant", inputs, [output], constants)
    return helper.make_model(made, opset_imports=opsets, ir_version=version)


def _attribute(value: Any) -> Any:
    from onnx import numpy_helper

    return numpy_helper.from_array(value) if isinstance(value, np.ndarray) else value
