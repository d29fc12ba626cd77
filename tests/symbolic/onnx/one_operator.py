"""Models of one operator or few, and their terms beside what onnxruntime computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra orderproof[onnx] is not installed")
pytest.importorskip("onnxruntime", reason="the extra orderproof[onnx] is not installed")

from onnx import helper, numpy_helper  # noqa: E402

from orderproof.symbolic.onnx.arrays import Evaluator  # noqa: E402
from orderproof.symbolic.onnx.graph import Array, Graph  # noqa: E402
from orderproof.symbolic.onnx.load import graph_of  # noqa: E402
from orderproof.symbolic.onnx.reader import read, realised  # noqa: E402
from orderproof.symbolic.onnx.run import Runner  # noqa: E402
from orderproof.symbolic.onnx.values import Constant, Refused, Tensor  # noqa: E402

Inputs = Mapping[str, Sequence[int | str]]  # i_… holds integers, b_… truth values, others floats


def node(op: str, inputs: str, outputs: str, **attributes: Any) -> Any:
    """A node; inputs and outputs in one text, "-" for one that is left out."""
    named = [["" if n == "-" else n for n in text.split()] for text in (inputs, outputs)]
    return helper.make_node(op, *named, **attributes)


def graph(
    nodes: Sequence[Any],
    inputs: Inputs,
    constants: Mapping[str, Any] | None = None,
    opset: int = 21,
) -> Graph:
    """The graph of these nodes, whose output is y."""
    kinds = {"i_": onnx.TensorProto.INT64, "b_": onnx.TensorProto.BOOL}
    proto = helper.make_graph(
        list(nodes),
        "operators",
        [
            helper.make_tensor_value_info(n, kinds.get(n[:2], onnx.TensorProto.FLOAT), list(dims))
            for n, dims in inputs.items()
        ],
        [onnx.ValueInfoProto(name="y")],
        [numpy_helper.from_array(np.asarray(v), n) for n, v in (constants or {}).items()],
    )
    imports = [helper.make_opsetid("", opset)]
    return graph_of(helper.make_model(proto, opset_imports=imports, ir_version=10))


def floats(shape: Sequence[int], seed: int = 0) -> Array:
    """Random 32-bit floats."""
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def output(graph: Graph, axis: tuple[str, int] | None = None, sizes: Any = None) -> Any:
    """The reader of a graph, and its value for y."""
    runner = Runner(graph)

    def evaluate(name: str) -> Array:
        return runner.constants_at([name], sizes or {"n": 7, "m": 5, "b": 2})[name]

    reader, _ = read(graph, axis, evaluate=evaluate)
    return reader, reader.values["y"]


def error(
    graph: Graph,
    sizes: Mapping[str, int],
    axis: tuple[str, int] | None = None,
    *,
    inputs: Mapping[str, Array] | None = None,
    ranges: Mapping[str, tuple[int, int]] | None = None,
    change: Callable[[Array], Array] | None = None,
) -> float:
    """How far the term of y is from onnxruntime's value, as a multiple of what rounding explains;
    `change` falsifies the latter."""
    reader, value = output(graph, axis, sizes)
    if not isinstance(value, Tensor):
        raise AssertionError(f"not read: {value}")
    runner = Runner(graph)
    given = runner.random_inputs(sizes, 1, ranges) | dict(inputs or {})
    known: dict[str, Array] = {}

    def of(name: str) -> Array:
        if name not in known:
            known[name] = runner.run(given, [name])[name]
            if name == "y" and change is not None:
                known[name] = change(known[name])
        return known[name]

    r, term = realised(reader, value)
    evaluator = Evaluator(reader, r, sizes, of)
    exact, rough = (evaluator.value(value, term, kind) for kind in (np.float64, np.float32))
    wanted = of("y").astype(np.float64)
    if wanted.shape != exact.shape or not np.all(np.isfinite(exact)) or not np.ptp(exact):
        raise AssertionError(f"shape {exact.shape} for {wanted.shape}, or nothing to compare")
    deviation = float(np.max(np.abs(exact - rough)))
    unit = 64 * (deviation + float(np.finfo(np.float32).eps) * float(np.max(np.abs(exact))))
    return float(np.max(np.abs(exact - wanted))) / unit


def agrees(graph: Graph, axis: tuple[str, int] | None = None, **given: Any) -> None:
    """The term has onnxruntime's value at several sizes, and not one that is shifted by a place."""
    for sizes in ({"n": 7, "m": 5, "b": 2}, {"n": 11, "m": 3, "b": 3}, {"n": 6, "m": 8, "b": 1}):
        inputs = given.get("inputs")
        rest = {k: v for k, v in given.items() if k != "inputs"}
        made = inputs(sizes) if inputs else None
        if not error(graph, sizes, axis, inputs=made, **rest) <= 1:
            raise AssertionError(f"the term has another value at {sizes}")
        if sizes["b"] == 3:  # planted: the model's value with its entries in another order
            shifted = rest | {"change": lambda y: np.roll(y.reshape(-1), 1).reshape(y.shape)}
            if error(graph, sizes, axis, inputs=made, **shifted) <= 1:
                raise AssertionError(f"another value passes at {sizes}")


def refusal(graph: Graph, axis: tuple[str, int] | None = None) -> str:
    """Why y is not read."""
    _, value = output(graph, axis)
    if not isinstance(value, Refused):
        raise AssertionError(f"not refused: {value}")
    return f"{value.node}: {value.reason}"


def sets_of(graph: Graph, axis: tuple[str, int]) -> list[bool]:
    """Of each dimension of y, whether it is over the set that the axis of an input has."""
    reader, asked = read(graph, axis, evaluate=lambda n: Runner(graph).constants_at([n], {})[n])
    value = reader.values["y"]
    if not isinstance(value, Tensor):
        raise AssertionError(f"not read: {value}")
    return [reader.atoms.resolve(d) == reader.atoms.resolve(asked) for d in value.dims]


__all__ = ["Constant", "agrees", "error", "floats", "graph", "node", "output", "refusal", "sets_of"]
