"""A GraphProto, its nodes in order and its functions inlined, as a `Graph`."""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from onnx import (
    AttributeProto,
    GraphProto,
    NodeProto,
    TensorProto,
    TensorShapeProto,
    TypeProto,
    ValueInfoProto,
    defs,
)
from onnx.helper import get_attribute_value

from orderproof.symbolic.onnx.graph import Array, Call, Dimension, Graph, ModelError, Tensor
from orderproof.symbolic.onnx.order import label, plain_domain
from orderproof.symbolic.onnx.tensors import MAX_ENTRIES, Store, dtype_of, without_nan

_VOID = np.dtype("V")
_NO_NAME = {"", "?", "None", "unk", "-1"}  # what exporters write for a dimension without a name
_Values = ChainMap[str, Array | None]  # of constants, None of other tensors; outer graphs further
# The attributes that hold the value of a Constant: their types in ONNX and in NumPy.
_CONSTANT: dict[str, tuple[int, Any]] = {
    "value": (AttributeProto.TENSOR, None),
    "value_float": (AttributeProto.FLOAT, np.float32),
    "value_floats": (AttributeProto.FLOATS, np.float32),
    "value_int": (AttributeProto.INT, np.int64),
    "value_ints": (AttributeProto.INTS, np.int64),
    "value_string": (AttributeProto.STRING, object),
    "value_strings": (AttributeProto.STRINGS, object),
}

# The input or attribute that holds sizes, of which the result has the product.
_SHAPE: dict[str, int | str] = {
    "ConstantOfShape": 0, "Expand": 1, "Tile": 1, "Reshape": 1, "Resize": 3, "OneHot": 1,
    "BlackmanWindow": 0, "HammingWindow": 0, "HannWindow": 0, "RandomNormal": "shape",
    "RandomUniform": "shape",
}  # fmt: skip


class Reader:
    """Reads the graphs of one model: the operator sets that it imports, its external data."""

    def __init__(self, versions: Mapping[str, int], store: Store) -> None:
        self._versions, self._store = versions, store

    def graph(self, proto: GraphProto, outer: _Values | None = None) -> Graph:
        """The graph; `outer` has the names that the graphs around it define, of constants with
        their values."""
        constants: dict[str, Array] = {}
        for tensor in proto.initializer:
            what = f"initialiser {tensor.name}"
            constants[tensor.name] = without_nan(self._store.array(tensor, what), what)
        inputs = {}
        for info in proto.input:
            if info.name not in constants:  # else its default
                # The type of an input of a subgraph is often left out: the node around gives one.
                inputs[info.name] = _loose(info) if outer is not None else _strict(info)
        known: _Values = ChainMap({}) if outer is None else outer.new_child()
        known.update(dict.fromkeys(inputs))
        known.update(dict.fromkeys(name for node in proto.node for name in node.output))
        known.update(constants)
        calls = []
        for node in proto.node:
            domain = plain_domain(node.domain)
            if node.op_type == "Constant" and not domain:
                name, value = self._constant(node)
                constants[name] = known[name] = value
            else:
                calls.append(self._call(node, domain, known))
        for call in calls:
            check_sizes(call, known.get)
        outputs: dict[str, Tensor] = {}
        for info in proto.output:
            if info.name in outputs:
                raise ModelError(f"the output {info.name} is listed twice")
            outputs[info.name] = _loose(info)
        return Graph(inputs, outputs, constants, tuple(calls))

    def _constant(self, node: NodeProto) -> tuple[str, Array]:
        """The output and the value of a Constant node."""
        name = label(node)
        if len(node.output) != 1 or not node.output[0] or len(node.attribute) != 1 or node.input:
            raise ModelError(f"{name} is no Constant: one output and one attribute expected")
        a = node.attribute[0]
        kind, dtype = _CONSTANT.get(a.name, (None, None))
        if a.type != kind:
            raise ModelError(f"{name} is a Constant with the attribute {a.name}")
        value = np.asarray(self._attribute(a, name, ChainMap()), dtype)
        return node.output[0], without_nan(value, name)

    def _call(self, node: NodeProto, domain: str, known: _Values) -> Call:
        name = label(node)
        if not node.op_type:
            raise ModelError(f"{name} has no operator")
        if domain not in self._versions:
            raise ModelError(
                f"{name} is of the operator set {domain or 'ai.onnx'}, which the model does not "
                "import"
            )
        if "" in node.input and not domain and _variadic(node.op_type, self._versions[domain]):
            # of an input that is left out there onnxruntime ends the whole process
            raise ModelError(f"{name} leaves out an input that {node.op_type} needs")
        attributes: dict[str, Any] = {}
        for a in node.attribute:
            if a.name in attributes:
                raise ModelError(f"{name} has the attribute {a.name} twice")
            value = self._attribute(a, name, known)
            if isinstance(value, np.ndarray) and not domain:
                without_nan(value, f"attribute {a.name} of {name}")
            attributes[a.name] = value
        return Call(
            name=name,
            op=node.op_type,
            domain=domain,
            version=self._versions[domain],
            inputs=tuple(node.input),
            outputs=tuple(node.output),
            attributes=attributes,
            proto=node,
        )

    def _attribute(self, a: AttributeProto, node: str, known: _Values) -> Any:
        what = f"attribute {a.name} of {node}"
        if a.ref_attr_name:
            raise ModelError(f"{what} refers to an attribute of a function, and is in none")
        try:
            value = get_attribute_value(a)
        except ValueError:
            value = None
        if value is None:
            raise ModelError(f"{what} has the type {a.type}, which ONNX does not have")
        if isinstance(value, list | tuple):
            return tuple(self._value(v, what, known) for v in value)
        return self._value(value, what, known)

    def _value(self, value: Any, what: str, known: _Values) -> Any:
        match value:
            case bytes():
                return value.decode("utf-8", "backslashreplace")
            case TensorProto():
                return self._store.array(value, what)
            case GraphProto():
                return self.graph(value, known)
            case TypeProto():
                return str(value)
        return value


def _variadic(op: str, version: int) -> bool:
    """Whether each input of an operator of ONNX is one of any number, as those of Max."""
    if not defs.has(op, version):
        return False
    inputs = defs.get_schema(op, version).inputs
    return len(inputs) == 1 and inputs[0].option == defs.OpSchema.FormalParameterOption.Variadic


def _strict(value: ValueInfoProto) -> Tensor:
    """An input, with a type and a shape."""
    name, kind = value.name, value.type.WhichOneof("value")
    if kind != "tensor_type":
        given = (kind or "nothing").removesuffix("_type").replace("_", " ")
        raise ModelError(f"input {name} is declared as {given}; a tensor was expected")
    if not value.type.tensor_type.HasField("shape"):
        raise ModelError(f"input {name} has no shape; its number of dimensions was expected")
    if value.type.tensor_type.elem_type == TensorProto.UNDEFINED:
        raise ModelError(f"input {name} has no element type")
    return _loose(value)


def _loose(value: ValueInfoProto) -> Tensor:
    """What is said of a value; void where nothing is."""
    name = value.name
    if value.type.WhichOneof("value") != "tensor_type":
        return Tensor(name, _VOID, ())
    kind = value.type.tensor_type
    dtype = dtype_of(kind.elem_type, name) if kind.elem_type else _VOID
    dims = [_dimension(d, f"{name}:{k}") for k, d in enumerate(kind.shape.dim)]
    return Tensor(name, dtype, tuple(dims))


def _dimension(d: TensorShapeProto.Dimension, name: str) -> Dimension:
    """Its size, or its name, else `name`, which counts dimensions as an argument INPUT:K does."""
    if d.HasField("dim_value") and d.dim_value >= 0:
        return d.dim_value
    return name if d.dim_param in _NO_NAME else d.dim_param


# ------------------------------------------------------------ sizes that constants give
def check_sizes(call: Call, constant: Callable[[str], Array | None]) -> None:
    """Raise ModelError where constants alone say that a result of `call` is too large."""
    entries: float = 0
    if call.op in _SHAPE:
        at = _SHAPE[call.op]
        given = call.attributes.get(at, ()) if isinstance(at, str) else constant(call.input(at))
        # Python's integers: the product of 64-bit sizes may wrap around to a small number.
        entries = math.prod(abs(s) for s in _numbers(given))
    elif call.op == "Pad":
        entries = sum(abs(p) for p in _numbers(constant(call.input(1))))
    elif call.op == "Range":
        bounds = [b for k in range(3) for b in _numbers(constant(call.input(k)))]
        if len(bounds) == 3 and bounds[2]:
            entries = (bounds[1] - bounds[0]) / bounds[2]
    if not call.domain and not entries <= MAX_ENTRIES:
        raise ModelError(
            f"{call.name} makes a tensor of {entries:,} entries; at most {MAX_ENTRIES:,} are read"
        )


def _numbers(values: Any) -> list[Any]:
    """The numbers of an array or a tuple; none of what is no constant, or no array of numbers."""
    array = np.asarray(() if values is None else values)
    if array.size > 64:  # no tensor has as many sizes
        return [math.inf]
    return array.ravel().tolist() if array.dtype.kind in "iuf" else []
