"""A graph of ONNX as plain data: what `load` makes of a file, and all else reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Dimension = int | str  # a fixed size, or a name: two dimensions of one name have one size
VALUES = -1  # in place of a dimension: the numbers in an input of token numbers
Place = tuple[str, int]  # an input and one of its dimensions, or VALUES
_RANDOM = {
    "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli",
    "Multinomial",
}  # fmt: skip


class ModelError(ValueError):
    """A model that cannot be read: in one line what was given and what was expected."""


class Unsupported(Exception):
    """An operator, or a use of one, that is not read: the node, and why, in one line."""

    def __init__(self, node: str, reason: str) -> None:
        super().__init__(f"{node}: {reason}")
        self.node, self.reason = node, reason


@dataclass(frozen=True)
class Tensor:
    """An input or output of the graph. A dimension without a name has one made of the tensor's
    name and its place."""

    name: str
    dtype: np.dtype[Any]
    dims: tuple[Dimension, ...]


@dataclass(frozen=True, eq=False)
class Call:
    """A node: an operator applied to tensors by their names; "" is one that is left out."""

    name: str  # of the node, or where it has none, its operator and first output: never empty
    op: str
    domain: str  # "" is ONNX's own
    version: int  # of its domain's operator set
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]  # numbers, text, arrays, tuples of these; a Graph for a subgraph
    proto: Any = None  # the onnx.NodeProto that it was read from

    def input(self, k: int) -> str:
        """The name of the k-th input, or "" where it is left out."""
        return self.inputs[k] if k < len(self.inputs) else ""


@dataclass(frozen=True, eq=False)
class Graph:
    """Nodes in an order in which each stands after what it uses; local functions are inlined."""

    inputs: Mapping[str, Tensor]  # without initialisers
    outputs: Mapping[str, Tensor]
    constants: Mapping[str, Array]  # initialisers
    calls: tuple[Call, ...]
    sha256: str = ""  # of the file; of a subgraph ""
    proto: Any = None  # the onnx.ModelProto that it was read from, functions inlined

    @property
    def dynamic(self) -> set[str]:
        """The names of the inputs' dimensions that have no fixed size."""
        return {d for t in self.inputs.values() for d in t.dims if isinstance(d, str)}

    def dim(self, place: Place) -> Dimension:
        """The dimension of an input at a place."""
        return self.inputs[place[0]].dims[place[1]]


def place_text(place: Place) -> str:
    """INPUT:K, or INPUT:values."""
    return f"{place[0]}:{'values' if place[1] == VALUES else place[1]}"


# --------------------------------------------------- what calls use, and the graphs inside of them
def inner(call: Call) -> Iterator[Graph]:
    """The graphs among the attributes of a call."""
    for value in call.attributes.values():
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Graph):
                yield part


def every_call(calls: Iterable[Call]) -> Iterator[Call]:
    """Calls, and those of the graphs inside of them."""
    for call in calls:
        yield call
        for graph in inner(call):
            yield from every_call(graph.calls)


def used_by(call: Call) -> list[str]:
    """The tensors of its own graph that a call uses, those of its subgraphs included."""
    return [name for name in call.inputs if name] + captured(call)


def captured(call: Call) -> list[str]:
    """The tensors that the graphs inside of a call take from around it: inputs that are not listed.
    Whoever asks whether a call depends on data must ask for these too."""
    return [name for graph in inner(call) for name in _free(graph)]


def _free(graph: Graph) -> list[str]:
    """The names that a subgraph takes from around it."""
    own = {*graph.inputs, *graph.constants, *(o for call in graph.calls for o in call.outputs)}
    used = [name for call in graph.calls for name in used_by(call)] + list(graph.outputs)
    return [name for name in dict.fromkeys(used) if name not in own]


def draws(call: Call) -> bool:
    """Whether a call draws random numbers, itself or in a graph inside."""
    return any(
        c.op in _RANDOM or (c.op == "Dropout" and bool(c.input(2))) for c in every_call([call])
    )
