"""Graphs of one operator or few, from ONNX's text and constants beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra orderproof[onnx] is not installed")
pytest.importorskip("onnxruntime", reason="the extra orderproof[onnx] is not installed")

from orderproof.symbolic.onnx.graph import Array, Graph  # noqa: E402
from orderproof.symbolic.onnx.load import graph_of  # noqa: E402
from tests.symbolic.onnx.making import parsed  # noqa: E402

X = "float[n, 3] x"
KINDS = {"i_": "int64", "b_": "bool"}  # of inputs, by how their names begin; others are floats


def graph(text: str, inputs: str = X, opset: int = 23, **constants: Any) -> Graph:
    """The graph of these nodes, whose output is y. A constant is an array, a truth value, a float
    of 32 bits or whole numbers; or the shape, a tuple, of random floats."""
    nodes = text.replace("<>", "")
    model = parsed(f"g ({inputs}) => (y) {{ {nodes} }}", opset=opset)
    arrays = (onnx.numpy_helper.from_array(array(v), name) for name, v in constants.items())
    model.graph.initializer.extend(arrays)
    return graph_of(model)


def array(value: Any) -> Array:
    """A constant as an array."""
    if isinstance(value, tuple):
        return floats(value, len(value) + value[-1])
    return np.asarray(value, np.float32 if isinstance(value, float) else None)


def floats(shape: Sequence[int], seed: int = 0) -> Array:
    """Random 32-bit floats."""
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def one(
    op: str,
    more: str = "",
    constants: Mapping[str, Any] | None = None,
    x: Mapping[str, Sequence[int | str]] | None = None,
    **attributes: Any,
) -> Graph:
    """The graph of y = op(x, more), its inputs and attributes in Python."""
    inputs = x or {"x": ["n", 3]}
    given = (
        f"{KINDS.get(name[:2], 'float')}[{', '.join(map(str, dims))}] {name}"
        for name, dims in inputs.items()
    )
    texts = {k: f'"{v}"' if isinstance(v, str) else v for k, v in attributes.items()}
    body = ", ".join(f"{k} = {v}" for k, v in texts.items())
    called = ", ".join([next(iter(inputs)), *more.split()])
    return graph(f"y = {op}<{body}>({called})", ", ".join(given), 21, **(constants or {}))
