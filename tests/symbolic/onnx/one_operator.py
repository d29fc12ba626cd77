"""Models of one operator or few."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra orderproof[onnx] is not installed")
pytest.importorskip("onnxruntime", reason="the extra orderproof[onnx] is not installed")

from onnx import helper  # noqa: E402

from orderproof.symbolic.onnx.graph import Array, Graph  # noqa: E402
from orderproof.symbolic.onnx.load import graph_of  # noqa: E402
from tests.symbolic.onnx.making import made, value  # noqa: E402

X: dict[str, Any] = {"x": ["n", 3]}
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
    kinds = {"i_": "i8", "b_": "?"}
    values = [value(n, list(dims), kinds.get(n[:2], "f4")) for n, dims in inputs.items()]
    arrays = {n: np.asarray(v) for n, v in (constants or {}).items()}
    return graph_of(made(nodes, values, [onnx.ValueInfoProto(name="y")], arrays, opset=opset))


def floats(shape: Sequence[int], seed: int = 0) -> Array:
    """Random 32-bit floats."""
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def whole(*values: int) -> Any:
    """A constant of whole numbers."""
    return np.array(values, np.int64)


def one(op: str, more: str = "", constants: Any = None, x: Any = None, **attributes: Any) -> Graph:
    """The model y = op(x, more)."""
    inputs = x or X
    return graph([node(op, f"{next(iter(inputs))} {more}", "y", **attributes)], inputs, constants)
