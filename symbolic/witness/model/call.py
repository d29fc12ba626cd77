"""One application of an operator: its inputs as values, its attributes as Python's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import onnx
from onnx import numpy_helper

from .balls import MAX_NUMBERS, Array, native, room
from .errors import BadModel, UnsupportedOperator

Value = Any  # an Array; or a list of them, which is a sequence; or None, an optional left empty
Result = Array | Sequence[Value]
_REQUIRED: Any = object()
_INT = onnx.AttributeProto.INT


@dataclass(frozen=True)
class Call:
    """What an operator is given. `run` evaluates a subgraph on values of its inputs."""

    op: str
    version: int
    inputs: Sequence[Value]
    attributes: Mapping[str, Any]
    wanted: Sequence[bool]  # which outputs are named
    run: Callable[[onnx.GraphProto, Sequence[Value]], list[Value]]

    def __getitem__(self, k: int) -> Array:
        """The k-th input, a tensor."""
        found = self.optional(k)
        if found is None:
            raise BadModel(f"given {len(self.inputs)} inputs, expected one at {k}")
        return found

    def optional(self, k: int) -> Array | None:
        """The k-th input, a tensor, or None where it is left out."""
        found = self.inputs[k] if k < len(self.inputs) else None
        if isinstance(found, list):
            raise BadModel(f"given a sequence as input {k}, expected a tensor")
        return found

    def get(self, name: str, default: Any = _REQUIRED) -> Any:
        """An attribute, or its default."""
        found = self.attributes.get(name, default)
        if found is _REQUIRED:
            raise BadModel(f"given no attribute {name}, expected one")
        return found

    def ints(self, k: int, name: str = "") -> list[int] | None:
        """Integers of the k-th input, or else of an attribute; None where there is neither."""
        x = self.optional(k)
        if x is not None:
            if x.dtype.kind not in "iu":
                raise BadModel(f"given input {k} of {x.dtype.name}, expected integers")
            room(x.shape, 10**6)
            return [int(v) for v in x.ravel().tolist()]
        found = self.attributes.get(name)
        return [found] if isinstance(found, int) else None if found is None else list(found)

    def refuse(self, what: str) -> UnsupportedOperator:
        """The error that a use of the operator is not evaluated."""
        return UnsupportedOperator(what)


def tensor(t: onnx.TensorProto) -> Array:
    """The tensor that a model holds."""
    if t.data_location == onnx.TensorProto.EXTERNAL:
        raise BadModel(f"given tensor {t.name!r} without its external data, expected it loaded")
    if t.data_type in (onnx.TensorProto.STRING, onnx.TensorProto.UNDEFINED):
        raise UnsupportedOperator(f"given a tensor {t.name!r} of text, expected numbers")
    room(t.dims, MAX_NUMBERS)
    try:
        return native(numpy_helper.to_array(t))
    except (TypeError, KeyError) as e:
        raise BadModel(f"given tensor {t.name!r} that cannot be read ({e})") from None


def sparse(t: onnx.SparseTensorProto) -> Array:
    """The tensor that a model holds as the entries that are not zero."""
    import numpy as np

    values, at = tensor(t.values), tensor(t.indices)
    shape = room(t.dims, MAX_NUMBERS)
    out = np.zeros(shape, dtype=values.dtype)
    if at.ndim == 1:
        out.reshape(-1)[at] = values
    else:
        out[tuple(at.T)] = values
    return out


def attribute(a: onnx.AttributeProto) -> Any:
    """The value of an attribute: a number, text, a tensor, a subgraph, or a list of such."""
    kind, proto = a.type, onnx.AttributeProto
    if kind == proto.FLOAT:
        return float(a.f)
    if kind == _INT:
        return int(a.i)
    if kind == proto.STRING:
        return a.s.decode(errors="replace")
    if kind == proto.TENSOR:
        return tensor(a.t)
    if kind == proto.SPARSE_TENSOR:
        return sparse(a.sparse_tensor)
    if kind == proto.GRAPH:
        return a.g
    if kind == proto.FLOATS:
        return [float(v) for v in a.floats]
    if kind == proto.INTS:
        return [int(v) for v in a.ints]
    if kind == proto.STRINGS:
        return [v.decode(errors="replace") for v in a.strings]
    if kind == proto.TYPE_PROTO:
        return a.tp
    raise UnsupportedOperator(f"attribute {a.name}: given kind {kind}, expected numbers or text")
