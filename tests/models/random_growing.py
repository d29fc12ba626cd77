"""A model that grows by one operator at a time, and what runs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import helper, numpy_helper

Array = NDArray[Any]
Dims = tuple[str | int, ...]
SIZES = {"n": 5, "m": 7}  # at which a model is drawn: every node of it runs there
LONGEST = 4  # places of a dimension that is fixed
MOST = 4000  # entries of a tensor
# kinds of numbers; x: of inputs, whose names begin with their kind
KINDS: dict[str, Any] = {
    "f": np.float32, "i": np.int64, "b": np.bool_, "q": np.uint8, "x": np.float32
}  # fmt: skip


class Unfit(Exception):
    """An operator for which there are no inputs here, or that does not run with them."""


def session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    """A model that can be run, quietly, as its file says it."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model.SerializeToString(), options)


def reads(node: onnx.NodeProto) -> set[str]:
    """The tensors that a node takes, or a graph inside of it."""
    return {*node.input, *(x for a in node.attribute for n in a.g.node for x in reads(n))}


@dataclass
class Drawn:
    """A model that grows by one operator at a time; what does not run is not kept."""

    rng: np.random.Generator
    opset: int
    inputs: dict[str, Dims] = field(default_factory=dict)
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, Array] = field(default_factory=dict)
    values: dict[str, Array] = field(default_factory=dict)  # of inputs and nodes in one run
    last: int = 0  # the axis that was drawn last

    def model(self, *outputs: str) -> onnx.ModelProto:
        """The model of these outputs: all inputs, and the nodes that they need."""
        nodes, used = [], {*outputs}
        for node in reversed(self.nodes):
            if used & {*node.output}:
                nodes.insert(0, node)
                used |= reads(node)
        return self._model(nodes, used, self.inputs, outputs)

    def _model(self, nodes: Any, used: set[str], inputs: Any, outputs: Any) -> onnx.ModelProto:
        types = {n: helper.np_dtype_to_tensor_dtype(self.values[n].dtype) for n in inputs}
        graph = helper.make_graph(
            nodes, "g",
            [helper.make_tensor_value_info(k, types[k], dims) for k, dims in inputs.items()],
            [onnx.ValueInfoProto(name=name) for name in outputs],
            [numpy_helper.from_array(x, k) for k, x in self.constants.items() if k in used],
        )  # fmt: skip
        imports = [helper.make_opsetid("", self.opset)]
        return helper.make_model(graph, opset_imports=imports, ir_version=10)

    def loads(self, *outputs: str) -> bool:
        """Whether onnxruntime takes the whole model, of which it may know more sizes."""
        try:
            return session(self.model(*outputs)) is not None
        except Exception:  # onnxruntime has no class of its own for these
            return False

    # ----------------------------------------------------------------------------- choices
    def pick(self, *values: Any) -> Any:
        """One of these."""
        return values[int(self.rng.integers(len(values)))]

    def some(self, **attributes: Any) -> dict[str, Any]:
        """Some of these attributes."""
        return {k: v for k, v in attributes.items() if self.pick(True, False)}

    def shape(self, x: str) -> tuple[int, ...]:
        """The sizes of a tensor in the run."""
        return (self.values[x] if x in self.values else self.constants[x]).shape

    def kind(self, x: str) -> str:
        """What numbers a tensor has; of a kind that is not drawn ?."""
        return next((k for k, dtype in KINDS.items() if self.values[x].dtype == dtype), "?")

    def axis(self, x: str) -> int:
        """One of a tensor's axes, often the one before."""
        rank = len(self.shape(x))
        if not rank:
            raise Unfit
        if self.last >= rank or self.pick(True, False):
            self.last = int(self.rng.integers(rank))
        return self.last

    def tensor(
        self, kinds: str = "f", least: int = 0, most: int = 5,
        fit: Callable[[tuple[int, ...]], bool] = lambda s: True, new: Dims = (),
    ) -> str:  # fmt: skip
        """One of the tensors of a kind, of so many axes and a shape that fits, often the last; or a
        new one: an input, or numbers of another kind that are computed."""
        names = [
            name for name, x in self.values.items()
            if self.kind(name) in kinds and least <= x.ndim <= most and fit(x.shape)
        ]  # fmt: skip
        if names:
            return str(self.pick(names[-1], names[-1], self.pick(*names)))
        if new:
            return self.input("x", new)
        if kinds not in "biq":
            raise Unfit
        x = self.tensor("f", least, most, fit)
        truth = self.op("Greater", x, self.given(0, "f"))
        return truth if kinds == "b" else self.op("Cast", truth, to=7 if kinds == "i" else 2)

    # ----------------------------------------------------------------------------- tensors
    def input(self, kind: str, dims: Dims) -> str:
        """A new input; of its dimensions two are dynamic, more would have too many entries."""
        dynamic = [k for k, d in enumerate(dims) if isinstance(d, str)]
        name = f"{kind}{len(self.inputs)}"
        self.inputs[name] = tuple(2 if k in dynamic[2:] else d for k, d in enumerate(dims))
        self.values[name] = inputs(self.inputs, SIZES, 0)[name]
        return name

    def given(self, value: Any, kind: str = "i") -> str:
        """A constant."""
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(value, KINDS[kind])
        return name

    def weights(self, *shape: int) -> str:
        """Random numbers, where no size is that of a dynamic dimension."""
        if any(s in SIZES.values() for s in shape):
            raise Unfit
        return self.given(self.rng.normal(size=shape), "f")

    def op(self, kind: str, *parts: str, outputs: int = 1, **attributes: Any) -> str:
        """A node; its first output. Unfit where it does not run, or gives nothing or too much."""
        at = len(self.nodes)
        names = [f"t{at}{'_' * k}" for k in range(outputs)]
        node = helper.make_node(kind, parts, names, f"node{at}", **attributes)
        used = reads(node)
        known = {k: x for k, x in self.values.items() if k in used}
        try:
            model = self._model([node], used, {k: [None] * x.ndim for k, x in known.items()}, names)
            found = session(model).run(None, known)
        except Exception as e:  # onnxruntime has no class of its own for these
            raise Unfit from e
        if not all(0 < x.size <= MOST for x in found):
            raise Unfit
        self.nodes.append(node)
        self.values |= dict(zip(names, found, strict=True))
        return names[0]

    def size(self, x: str, k: int) -> str:
        """The size of an axis, as a list of one in the graph."""
        return self.op("Shape", x, start=k, end=k + 1)

    def length(self, x: str, k: int) -> str:
        """The size of an axis, as a number in the graph."""
        return self.op("Gather", self.op("Shape", x), self.given(k))

    def step(self, op: str, ways: Sequence[Callable[[Drawn, str], str]]) -> str:
        """One more operator, drawn in one of these ways: what it gives; nothing where none fits."""
        for _ in range(4):
            before = [dict(self.inputs), list(self.nodes), dict(self.constants), dict(self.values)]
            try:
                return self.pick(*ways)(self, op)
            except Unfit:
                self.inputs, self.nodes, self.constants, self.values = before  # type: ignore
        return ""


def inputs(dims: Mapping[str, Dims], at: Mapping[str, int], seed: int) -> dict[str, Array]:
    """Random inputs of these sizes, of the kinds with which their names begin; of odd seeds
    halves, of which some are equal."""
    rng = np.random.default_rng(seed)
    found = {}
    for name, own in dims.items():
        x = 2 * rng.normal(size=[at[d] if isinstance(d, str) else d for d in own])
        if name[0] in "ib":
            x = np.minimum(np.abs(x), 1 + seed % 2)
        elif seed % 2:
            x = np.round(x) / 2
        found[name] = np.asarray(x, KINDS[name[0]])
    return found
