"""Encoders of any depth and width with random weights, as ONNX files: for speed and memory.

python -m tests.real_models.large FILE LAYERS WIDTH HEADS HIDDEN [VOCABULARY]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from onnx import NodeProto, TensorProto, helper, numpy_helper, save


class Builder:
    """Nodes and weights of one graph, each by its name."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.nodes: list[NodeProto] = []
        self.weights: list[TensorProto] = []

    def constant(self, name: str, value: object) -> str:
        """A tensor of the file."""
        self.weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def weight(self, name: str, *shape: int, mean: float = 0.0) -> str:
        """Random numbers."""
        drawn = self.rng.standard_normal(shape, dtype=np.float32)
        return self.constant(name, (mean + 0.02 * drawn).astype(np.float32))

    def op(self, kind: str, inputs: list[str], name: str, **attributes: object) -> str:
        """A node with one output of its name."""
        self.nodes.append(helper.make_node(kind, inputs, [name], name=f"/{name}", **attributes))
        return name

    def linear(self, x: str, name: str, rows: int, columns: int) -> str:
        """x W + b."""
        product = self.op("MatMul", [x, self.weight(f"{name}.weight", rows, columns)], f"{name}.Wx")
        return self.op("Add", [product, self.weight(f"{name}.bias", columns)], name)

    def norm(self, x: str, name: str, width: int) -> str:
        """Layer norm over the features."""
        gain, shift = (
            self.weight(f"{name}.weight", width, mean=1.0),
            self.weight(f"{name}.b", width),
        )
        return self.op("LayerNormalization", [x, gain, shift], name, axis=-1)

    def layer(self, x: str, p: str, width: int, heads: int, hidden: int) -> str:
        """Attention and feed-forward, each after a layer norm and with a residual."""
        n, parts = self.norm(x, f"{p}.norm1", width), {}
        for name, order in (("query", "bhnd"), ("key", "bhdn"), ("value", "bhnd")):
            split = self.op("Reshape", [self.linear(n, f"{p}.{name}", width, width), "split"],
                            f"{p}.{name}.split")  # fmt: skip
            perm = ["bnhd".index(a) for a in order]
            parts[name] = self.op("Transpose", [split], f"{p}.{name}.heads", perm=perm)
        scores = self.op("MatMul", [parts["query"], parts["key"]], f"{p}.scores")
        scaled = self.op("Div", [scores, "root"], f"{p}.scaled")
        shares = self.op("Softmax", [scaled], f"{p}.shares", axis=-1)
        mixed = self.op("MatMul", [shares, parts["value"]], f"{p}.mixed")
        turned = self.op("Transpose", [mixed], f"{p}.turned", perm=[0, 2, 1, 3])
        merged = self.op("Reshape", [turned, "merge"], f"{p}.merged")
        x = self.op("Add", [x, self.linear(merged, f"{p}.out", width, width)], f"{p}.first")
        wide = self.linear(self.norm(x, f"{p}.norm2", width), f"{p}.wide", width, hidden)
        narrow = self.linear(self.op("Gelu", [wide], f"{p}.gelu"), f"{p}.narrow", hidden, width)
        return self.op("Add", [x, narrow], f"{p}.second")


def make(
    path: Path, layers: int, width: int, heads: int, hidden: int, vocabulary: int = 0, seed: int = 0
) -> None:
    """An encoder without positions: input `tokens`, batch × n × width, or with a vocabulary whole
    numbers below its size, batch × n; output `output`, batch × n × width."""
    b, x = Builder(seed), "tokens"
    b.constant("split", np.array([0, 0, heads, width // heads], np.int64))
    b.constant("merge", np.array([0, 0, width], np.int64))
    b.constant("root", np.float32((width // heads) ** 0.5))
    if vocabulary:
        x = b.op("Gather", [b.weight("vocabulary", vocabulary, width), x], "embedded")
    for k in range(layers):
        x = b.layer(x, f"layers.{k}", width, heads, hidden)
    b.op("Identity", [x], "output")
    rows = (TensorProto.FLOAT, ["batch", "n", width])
    given = (TensorProto.INT64, ["batch", "n"]) if vocabulary else rows
    ends = [helper.make_tensor_value_info(*end) for end in (("tokens", *given), ("output", *rows))]
    graph = helper.make_graph(b.nodes, "encoder", ends[:1], ends[1:], b.weights)
    opset = [helper.make_opsetid("", 20)]
    save(helper.make_model(graph, opset_imports=opset, ir_version=9), str(path))


if __name__ == "__main__":
    make(Path(sys.argv[1]), *map(int, sys.argv[2:]))
