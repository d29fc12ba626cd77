"""What a model of the bank is made of: a module or a graph, its inputs, and what is asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

Dim = int | str


@dataclass(frozen=True)
class Input:
    """An input: its dimensions (a name is a dynamic one) and how random values are drawn for it."""

    dims: tuple[Dim, ...]
    kind: str = "normal"  # see `draw` in tests/models/draw.py
    dtype: str = "float32"
    below: int | str = 0  # for integers and edges: values are 0, ..., below − 1

    def record(self) -> dict[str, Any]:
        """As it stands in bank.json."""
        found: dict[str, Any] = {"dims": list(self.dims), "kind": self.kind, "dtype": self.dtype}
        if self.below:
            found["below"] = self.below
        return found


@dataclass(frozen=True)
class Question:
    """What happens to `output` if axis `axis` of `input` is permuted, and what we think it is."""

    input: str
    axis: int
    answer: str  # "equivariant", "invariant", "subgroup" or "not equivariant"
    output_axis: int | list[int] | None = None
    output: str = "y"
    moving: Sequence[tuple[str, int | str]] = ()  # (input, axis), or (input, "values")
    start: int = 0  # the moved places of the output's axis begin there (after class tokens)
    orders: dict[int, int] = field(default_factory=dict)  # n to the order of the group
    sizes: tuple[int, ...] = (2, 3, 4, 5)
    breaks_at: int | None = None  # holds for smaller n, and from this one on no longer

    def record(self) -> dict[str, Any]:
        """As it stands in bank.json, without what is measured."""
        declared: dict[str, Any] = {"answer": self.answer, "output_axis": self.output_axis}
        if self.start:
            declared["start"] = self.start
        if self.orders:
            declared["orders"] = {str(n): order for n, order in self.orders.items()}
        found: dict[str, Any] = {
            "input": self.input,
            "axis": self.axis,
            "with": [list(pair) for pair in self.moving],
            "output": self.output,
            "sizes": list(self.sizes),
            "declared": declared,
        }
        if self.breaks_at is not None:
            found["breaks_at"] = self.breaks_at
        return found


@dataclass(frozen=True)
class Model:
    """A model: `module` is a torch module, or an onnx.ModelProto that was written by hand."""

    name: str
    about: str
    module: Any
    inputs: dict[str, Input]
    questions: list[Question]
    dynamo: bool = False  # the exporter: torch.export, or TorchScript
    opset: int = 17
    outputs: tuple[str, ...] = ("y",)
    exporter: str = "by hand"  # of an onnx.ModelProto


def tokens(width: int = 4, name: str = "n") -> Input:
    """A batch of sequences or sets of tokens: axes batch, token, feature."""
    return Input(("b", name, width))


def equivariant(output_axis: int | list[int] = 1, **more: Any) -> Question:
    """Axis 1 of x is moved, and the output's axis moves with it."""
    return Question("x", more.pop("axis", 1), "equivariant", output_axis, **more)


def invariant(**more: Any) -> Question:
    """Axis 1 of x is moved, and the output stays."""
    return Question(more.pop("input", "x"), more.pop("axis", 1), "invariant", **more)


def refuted(**more: Any) -> Question:
    """No permutation of axis 1 of x but the identity moves the output, or leaves it, at n = 5."""
    return Question(more.pop("input", "x"), more.pop("axis", 1), "not equivariant", **more)


def subgroup(orders: dict[int, int], output_axis: int | None = 1, **more: Any) -> Question:
    """Some permutations of axis 1 of x: as many as `orders` says."""
    axis = more.pop("axis", 1)
    return Question("x", axis, "subgroup", output_axis, orders=orders, **more)


BATCH = equivariant(0, axis=0)  # nothing couples the examples of a batch, or all are treated alike
