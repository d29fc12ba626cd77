"""Small ONNX models for the tests of counterexamples: one layer of a transformer, and odd ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, parser

WIDTH = 4


def weights(seed: int, **shapes: Sequence[int]) -> list[onnx.TensorProto]:
    """Random float32 tensors by their names."""
    rng = np.random.default_rng(seed)
    return [
        numpy_helper.from_array((rng.standard_normal(shape) / 2).astype(np.float32), name)
        for name, shape in shapes.items()
    ]


def of_text(text: str, *held: onnx.TensorProto, opset: int = 20) -> onnx.ModelProto:
    """A model from ONNX's own text of a graph, with the tensors that it holds."""
    model: onnx.ModelProto = parser.parse_model(
        f'<ir_version: 9, opset_import: ["" : {opset}]> {text}'
    )
    model.graph.initializer.extend(held)
    return model


LAYER = """agraph (float[b, n, 4] x) => (float[b, n, 4] y) {
    one = Constant <value_int = 1> ()
    zero = Constant <value_int = 0> ()
    %s
    q = MatMul (h, wq)
    k = MatMul (h, wk)
    v = MatMul (h, wv)
    kt = Transpose <perm = [0, 2, 1]> (k)
    s = MatMul (q, kt)
    %s
    a = Softmax <axis = -1> (t)
    z = MatMul (a, v)
    r = Add (z, h)
    l = LayerNormalization <axis = -1> (r, g, c)
    u = MatMul (l, w1)
    e = Gelu (u)
    f = MatMul (e, w2)
    %s
}"""
POSITIONS = """shape = Shape (x)
    n = Gather (shape, one)
    ids = Range (zero, n, one)
    rows = Gather (table, ids)
    h = Add (x, rows)"""
CAUSAL = """extent = Shape (s)
    square = Slice (extent, first, last)
    away = ConstantOfShape <value = float[1] {-inf}> (square)
    mask = Trilu <upper = 1> (away, one)
    t = Add (s, mask)"""


def layer(positions: bool = False, causal: bool = False, pooled: bool = False) -> onnx.ModelProto:
    """A layer with attention and feed-forward: perhaps with positions, a mask, or a pool at its
    end. Of the three only `pooled` keeps a symmetry, by making the output unchanged."""
    held = weights(
        0, wq=(4, 4), wk=(4, 4), wv=(4, 4), g=(4,), c=(4,), w1=(4, 8), w2=(8, 4), table=(16, 4)
    )
    held += [
        numpy_helper.from_array(np.array([1]), "first"),
        numpy_helper.from_array(np.array([3]), "last"),
        numpy_helper.from_array(np.array([1]), "axis"),
    ]
    end = (
        "w = Add (f, l)\n    y = ReduceMean <keepdims = 1> (w, axis)"
        if pooled
        else "y = Add (f, l)"
    )
    return of_text(
        LAYER
        % (POSITIONS if positions else "h = Identity (x)", CAUSAL if causal else "t = Identity (s)",
           end),
        *held,
    )  # fmt: skip


def saved(model: onnx.ModelProto, folder: Path, name: str = "model.onnx") -> Path:
    """The file of a model."""
    path = folder / name
    onnx.save(model, path)
    return path


def of_nodes(
    nodes: Sequence[onnx.NodeProto], inputs: dict[str, tuple[int, Sequence[Any]]],
    outputs: Sequence[str], *held: onnx.TensorProto, opset: int = 20,
) -> onnx.ModelProto:  # fmt: skip
    """A model of nodes, with types and dimensions of its inputs, and outputs of floats."""
    graph = helper.make_graph(
        list(nodes), "g",
        [helper.make_tensor_value_info(k, t, list(s)) for k, (t, s) in inputs.items()],
        [helper.make_tensor_value_info(k, TensorProto.FLOAT, None) for k in outputs], list(held),
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
