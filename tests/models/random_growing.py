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
TRIED = ({"n": 5, "m": 3}, {"n": 7, "m": 2}, {"n": 12, "m": 5})  # at which every step must run
Shapes = tuple[tuple[int, ...], ...]  # of one tensor, at each of TRIED


def session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    """A model that can be run, quietly."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options)


@dataclass
class Drawn:
    """A model that grows by one operator at a time; what does not run is not kept."""

    rng: np.random.Generator
    inputs: dict[str, tuple[str | int, ...]]
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: list[onnx.TensorProto] = field(default_factory=list)
    shapes: dict[str, Shapes] = field(default_factory=dict)
    count: int = 0

    def __post_init__(self) -> None:
        for name, dims in self.inputs.items():
            self.shapes[name] = tuple(
                tuple(at[d] if isinstance(d, str) else d for d in dims) for at in TRIED
            )

    def name(self) -> str:
        """A new name."""
        self.count += 1
        return f"t{self.count}"

    def given(self, value: Any, kind: Any = np.float32) -> str:
        """A constant."""
        name = self.name()
        self.constants.append(numpy_helper.from_array(np.asarray(value, kind), name))
        return name

    def op(self, kind: str, *parts: str, outputs: int = 1, **attributes: Any) -> str:
        """A node; its first output."""
        made = [self.name() for _ in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(parts), made, **attributes))
        return made[0]

    def pick(self, *values: Any) -> Any:
        """One of these."""
        return values[int(self.rng.integers(len(values)))]

    def model(self, output: str) -> onnx.ModelProto:
        """The model as it stands."""
        graph = helper.make_graph(
            self.nodes,
            "g",
            [helper.make_tensor_value_info(k, 1, d) for k, d in self.inputs.items()],
            [helper.make_empty_tensor_value_info(output)],
            self.constants,
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)

    def kept(self, output: str) -> bool:
        """Whether the model runs at all sizes, and gives finite floats of few entries."""
        try:
            made = session(self.model(output))
            found = [made.run([output], inputs(self.inputs, at, 0))[0] for at in TRIED]
        except Exception:  # onnxruntime has no class of its own for these
            return False
        if any(x.dtype != np.float32 or x.size > 4000 or x.size == 0 for x in found):
            return False
        if not all(np.isfinite(x).all() and np.abs(x).max() < 1e4 for x in found):
            return False
        self.shapes[output] = tuple(x.shape for x in found)
        return len({x.ndim for x in found}) == 1

    def step(self, steps: Sequence[Callable[[Drawn, str], str]]) -> bool:
        """One more operator, by one of these."""
        before = len(self.nodes), len(self.constants)
        names = list(self.shapes)
        x = names[-1] if self.rng.random() < 0.75 else self.pick(*names)
        try:
            made = steps[int(self.rng.integers(len(steps)))](self, x)
        except (IndexError, ValueError):
            made = None
        if made is not None and self.kept(made):
            return True
        del self.nodes[before[0] :], self.constants[before[1] :]
        return False

    def rank(self, x: str) -> int:
        """How many axes a tensor has."""
        return len(self.shapes[x][0])

    def axis(self, x: str) -> int:
        """One of a tensor's axes."""
        return int(self.rng.integers(self.rank(x)))

    def fixed(self, x: str, k: int) -> int:
        """The size of an axis where it is the same at all sizes; IndexError where not."""
        sizes = {s[k] for s in self.shapes[x]}
        if len(sizes) > 1:
            raise IndexError
        return sizes.pop()

    def length(self, x: str, k: int) -> str:
        """The size of an axis, as a number in the graph."""
        return self.op("Gather", self.op("Shape", x), self.given(k, np.int64))


def inputs(
    dims: Mapping[str, tuple[str | int, ...]], at: Mapping[str, int], seed: int
) -> dict[str, Array]:
    """Random inputs of these sizes; of odd seeds halves, of which some are equal."""
    rng = np.random.default_rng(seed)
    found = {}
    for name, own in dims.items():
        x = rng.normal(size=[at[d] if isinstance(d, str) else d for d in own])
        found[name] = np.asarray(np.round(2 * x) / 2 if seed % 2 else x, np.float32)
    return found
