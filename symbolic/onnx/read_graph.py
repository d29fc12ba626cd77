"""A GraphProto as a `Graph`: every name defined once, nodes in order, subgraphs inside."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

import numpy as np
import onnx
from onnx import AttributeProto, GraphProto, NodeProto, TensorProto, ValueInfoProto

from orderproof.symbolic.onnx.graph import Array, Call, Dimension, Graph, ModelError, Tensor
from orderproof.symbolic.onnx.inline import MAX_DEPTH, MAX_NODES, plain_domain
from orderproof.symbolic.onnx.sizes import check_sizes
from orderproof.symbolic.onnx.tensors import Store, dtype_of, text, without_nan

_VOID = np.dtype("V")
_NO_NAME = {"", "?", "None", "unk", "-1"}  # what exporters write for a dimension without a name


class Reader:
    """Reads the graphs of one model: the operator sets that it imports, its external data."""

    def __init__(self, versions: Mapping[str, int], store: Store) -> None:
        self._versions, self._store, self._nodes = versions, store, 0

    def graph(self, proto: GraphProto) -> Graph:
        """The graph of a model."""
        return self._graph(proto, ())[0]

    def _graph(
        self, proto: GraphProto, outer: tuple[Mapping[str, Array | None], ...]
    ) -> tuple[Graph, set[str]]:
        """The graph, and the names that it takes from the graphs around it.

        `outer` has the names that they define, outermost first: a constant's with its value.
        """
        if len(outer) > MAX_DEPTH:
            raise ModelError(f"graphs in graphs more than {MAX_DEPTH} deep")
        self._nodes += len(proto.node)
        if self._nodes > MAX_NODES:
            raise ModelError(f"more than {MAX_NODES:,} nodes")
        defined: dict[str, Array | None] = {}
        constants = self._constants(proto, defined)
        inputs = self._inputs(proto, defined, inner=bool(outer))
        nodes = []
        for node in proto.node:
            for output in _texts(node.output, "a node's output"):
                if output:
                    _define(defined, output, None)
            if node.op_type == "Constant" and not plain_domain(node.domain):
                name, value = self._constant(node)
                constants[name] = defined[name] = value
            else:
                nodes.append(node)
        for name in constants:  # onnxruntime takes the outer one
            if any(name in around for around in outer):
                raise ModelError(f"{name} is defined in a graph and again within it")
        calls, uses = [], []
        for node in nodes:
            call, inner = self._call(node, (*outer, defined))
            calls.append(call)
            uses.append({name for name in call.inputs if name} | inner)
        free = self._check_defined(calls, uses, defined, outer)
        calls = _in_order(calls, uses)
        for call in calls:
            check_sizes(call, lambda name: _look_up(name, (*outer, defined)))
        outputs = self._outputs(proto)
        for name in outputs:
            if name not in defined:
                if not any(name in names for names in outer):
                    raise ModelError(f"the output {name} is defined nowhere")
                free.add(name)
        return Graph(inputs, outputs, constants, tuple(calls)), free

    def _constants(self, proto: GraphProto, defined: dict[str, Array | None]) -> dict[str, Array]:
        constants: dict[str, Array] = {}
        for tensor in proto.initializer:
            name = text(tensor.name, "an initialiser's name")
            _define(defined, name, None)
            value = self._store.array(tensor, f"initialiser {name}")
            constants[name] = defined[name] = without_nan(value, f"initialiser {name}")
        for sparse in proto.sparse_initializer:
            name = text(sparse.values.name, "an initialiser's name")
            _define(defined, name, None)
            value = self._store.sparse(sparse, f"initialiser {name}")
            constants[name] = defined[name] = without_nan(value, f"initialiser {name}")
        return constants

    def _inputs(
        self, proto: GraphProto, defined: dict[str, Array | None], *, inner: bool
    ) -> dict[str, Tensor]:
        inputs: dict[str, Tensor] = {}
        for value in proto.input:
            name = text(value.name, "an input's name")
            if name in defined and name not in inputs:
                continue  # an initialiser that is listed as an input too: its default, a constant
            _define(defined, name, None)
            # An input of a subgraph has often no type of its own: the node around it gives one.
            inputs[name] = _loose(value, name) if inner else _strict(value, name)
        return inputs

    def _outputs(self, proto: GraphProto) -> dict[str, Tensor]:
        outputs: dict[str, Tensor] = {}
        for value in proto.output:
            name = text(value.name, "an output's name")
            if name in outputs:
                raise ModelError(f"the output {name} is listed twice")
            outputs[name] = _loose(value, name)
        return outputs

    def _constant(self, node: NodeProto) -> tuple[str, Array]:
        """The output and the value of a Constant node."""
        label = _label(node)
        if len(node.output) != 1 or not node.output[0] or len(node.attribute) != 1 or node.input:
            raise ModelError(f"{label} is no Constant: one output and one attribute expected")
        a = node.attribute[0]
        value = self._attribute(a, label, ())[0]
        match a.name, a.type:
            case "value", AttributeProto.TENSOR:
                pass
            case "sparse_value", AttributeProto.SPARSE_TENSOR:
                pass
            case ("value_float", AttributeProto.FLOAT) | ("value_floats", AttributeProto.FLOATS):
                value = np.array(value, np.float32)
            case ("value_int", AttributeProto.INT) | ("value_ints", AttributeProto.INTS):
                value = np.array(value, np.int64)
            case ("value_string", AttributeProto.STRING) | (
                "value_strings",
                AttributeProto.STRINGS,
            ):
                value = np.array(value, object)
            case _:
                raise ModelError(f"{label} is a Constant with the attribute {a.name}")
        return node.output[0], without_nan(value, label)

    def _call(
        self, node: NodeProto, scopes: tuple[Mapping[str, Array | None], ...]
    ) -> tuple[Call, set[str]]:
        """The node, and the names that its subgraphs take from around them."""
        label = _label(node)
        domain = plain_domain(text(node.domain, f"the domain of {label}"))
        if not text(node.op_type, f"the operator of {label}"):
            raise ModelError(f"{label} has no operator")
        if domain not in self._versions:
            raise ModelError(
                f"{label} is of the operator set {domain or 'ai.onnx'}, which the model does not "
                "import"
            )
        attributes: dict[str, Any] = {}
        free: set[str] = set()
        for a in node.attribute:
            name = text(a.name, f"an attribute of {label}")
            if name in attributes:
                raise ModelError(f"{label} has the attribute {name} twice")
            value, inner = self._attribute(a, label, scopes)
            if isinstance(value, np.ndarray) and not domain:
                without_nan(value, f"attribute {name} of {label}")
            attributes[name] = value
            free |= inner
        call = Call(
            name=label,
            op=node.op_type,
            domain=domain,
            version=self._versions[domain],
            inputs=_texts(node.input, f"an input of {label}"),
            outputs=_texts(node.output, f"an output of {label}"),
            attributes=attributes,
        )
        return call, free

    def _attribute(
        self, a: AttributeProto, label: str, scopes: tuple[Mapping[str, Array | None], ...]
    ) -> tuple[Any, set[str]]:
        what = f"attribute {a.name!s} of {label}"
        if a.ref_attr_name:
            raise ModelError(f"{what} refers to an attribute of a function, and stands in none")
        match a.type:
            case AttributeProto.FLOAT:
                return a.f, set()
            case AttributeProto.INT:
                return a.i, set()
            case AttributeProto.STRING:
                return _decoded(a.s), set()
            case AttributeProto.FLOATS:
                return tuple(a.floats), set()
            case AttributeProto.INTS:
                return tuple(a.ints), set()
            case AttributeProto.STRINGS:
                return tuple(_decoded(s) for s in a.strings), set()
            case AttributeProto.TENSOR:
                return self._store.array(a.t, what), set()
            case AttributeProto.TENSORS:
                return tuple(self._store.array(t, what) for t in a.tensors), set()
            case AttributeProto.SPARSE_TENSOR:
                return self._store.sparse(a.sparse_tensor, what), set()
            case AttributeProto.SPARSE_TENSORS:
                return tuple(self._store.sparse(t, what) for t in a.sparse_tensors), set()
            case AttributeProto.GRAPH:
                return self._graph(a.g, scopes)
            case AttributeProto.GRAPHS:
                pairs = [self._graph(g, scopes) for g in a.graphs]
                return tuple(g for g, _ in pairs), {name for _, free in pairs for name in free}
            case AttributeProto.TYPE_PROTO:
                return str(a.tp), set()
            case AttributeProto.TYPE_PROTOS:
                return tuple(str(tp) for tp in a.type_protos), set()
        raise ModelError(f"{what} has the type {a.type}, which ONNX does not have")

    def _check_defined(
        self,
        calls: list[Call],
        uses: list[set[str]],
        defined: Mapping[str, Array | None],
        outer: tuple[Mapping[str, Array | None], ...],
    ) -> set[str]:
        """The names used here that the graphs around define; what none defines is refused."""
        free = set()
        for call, names in zip(calls, uses, strict=True):
            for name in sorted(names):
                if name in defined:
                    continue
                if not any(name in around for around in outer):
                    raise ModelError(f"{call.name} uses {name}, which is defined nowhere")
                free.add(name)
        return free


def _in_order(calls: list[Call], uses: list[set[str]]) -> list[Call]:
    """Each call after those that make what it uses; else as they were."""
    maker = {name: k for k, call in enumerate(calls) for name in call.outputs}
    sorter = TopologicalSorter(
        {k: {maker[x] for x in names if x in maker} for k, names in enumerate(uses)}
    )
    try:
        sorter.prepare()
    except CycleError as error:
        cycle = error.args[1][:0:-1]  # each node uses a result of the next
        first = cycle.index(min(cycle))
        around = " → ".join(calls[k].name for k in (cycle[first:] + cycle[:first])[:5])
        raise ModelError(f"the graph has a cycle: {around}") from None
    ready, found = list[int](), list[Call]()
    while sorter.is_active():
        for k in sorter.get_ready():
            heapq.heappush(ready, k)
        found.append(calls[k := heapq.heappop(ready)])
        sorter.done(k)
    return found


def _define(defined: dict[str, Array | None], name: str, value: Array | None) -> None:
    if not name:
        raise ModelError("an input or initialiser has no name")
    if name in defined:
        raise ModelError(f"{name} is defined twice")
    defined[name] = value


def _look_up(name: str, scopes: tuple[Mapping[str, Array | None], ...]) -> Array | None:
    """The value of a constant, seen from the innermost graph."""
    for scope in reversed(scopes):
        if name in scope:
            return scope[name]
    return None


def _texts(names: Iterable[str], what: str) -> tuple[str, ...]:
    return tuple(text(name, what) for name in names)


def _decoded(value: bytes) -> str:
    return value.decode("utf-8", "backslashreplace")


def _label(node: NodeProto) -> str:
    """A node's name for people: never empty."""
    name = text(node.name, "a node's name")
    first = next((o for o in _texts(node.output, "a node's output") if o), "without outputs")
    return name or f"{text(node.op_type, 'an operator')} {first}"


def _strict(value: ValueInfoProto, name: str) -> Tensor:
    """An input, with a type and a shape."""
    kind = value.type.WhichOneof("value")
    if kind != "tensor_type":
        given = (kind or "nothing").removesuffix("_type").replace("_", " ")
        raise ModelError(f"input {name} is declared as {given}; a tensor was expected")
    if not value.type.tensor_type.HasField("shape"):
        raise ModelError(f"input {name} has no shape; its number of dimensions was expected")
    if value.type.tensor_type.elem_type == TensorProto.UNDEFINED:
        raise ModelError(f"input {name} has no element type")
    return _loose(value, name)


def _loose(value: ValueInfoProto, name: str) -> Tensor:
    """What is said of a value; void where nothing is."""
    if value.type.WhichOneof("value") != "tensor_type":
        return Tensor(name, _VOID, ())
    kind = value.type.tensor_type
    dtype = dtype_of(kind.elem_type, name) if kind.elem_type else _VOID
    dims = [_dimension(d, f"{name}:{k}") for k, d in enumerate(kind.shape.dim)]
    return Tensor(name, dtype, tuple(dims))


def _dimension(d: onnx.TensorShapeProto.Dimension, name: str) -> Dimension:
    """Its size, or its name, else `name`, which counts places as an argument INPUT:K does."""
    if d.HasField("dim_value") and d.dim_value >= 0:
        return d.dim_value
    given = text(d.dim_param, f"the name of the dimension {name}")
    return name if given in _NO_NAME else given
