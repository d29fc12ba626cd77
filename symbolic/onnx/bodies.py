"""Operators that ONNX itself defines by others: their bodies, as graphs.

What has no reading of its own is read by these, as if its nodes stood in the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .graph import Call, Graph, ModelError

_DOMAIN = "orderproof.body"
_TYPES = {"f": 1, "i": 7, "b": 9}  # ONNX's numbers of float, int64, bool


def body(call: Call, kinds: Sequence[str]) -> Graph | None:
    """The body of a call's operator, from the call's inputs to its outputs; None where ONNX has
    none. `kinds` are of the inputs: f, i, b, or "" of one that is left out."""
    import onnx
    from onnx import helper

    from .load import graph_of

    try:
        schema = onnx.defs.get_schema(call.op, call.version, call.domain)
    except onnx.defs.SchemaError:
        return None
    node = _node(call, schema)
    if node is None:
        return None
    function = _function(schema, call, node, kinds)
    if function is None:
        return None
    function.domain, node.domain = _DOMAIN, _DOMAIN
    versions = {o.domain: o.version for o in function.opset_import}
    given = {
        n: helper.make_tensor_value_info(n, _TYPES[k], None)
        for n, k in zip(call.inputs, kinds, strict=True)
        if n
    }
    for value in given.values():
        value.type.tensor_type.shape.SetInParent()
    graph = helper.make_graph(
        [node], "body", list(given.values()),
        [onnx.ValueInfoProto(name=n) for n in call.outputs if n],
    )  # fmt: skip
    own = helper.make_opsetid("", versions.get("", call.version))
    imports = [own, helper.make_opsetid(_DOMAIN, 1)]
    model = helper.make_model(graph, opset_imports=imports, functions=[function])
    try:
        return graph_of(model)
    except ModelError:
        return None


def _function(schema: Any, call: Call, node: Any, kinds: Sequence[str]) -> Any:
    """The newest body that the model's operator set has."""
    from onnx import FunctionProto, helper

    plain = [v for v in schema.function_opset_versions if v <= call.version]
    if schema.has_function and plain:
        return FunctionProto.FromString(schema.get_function_with_opset_version(max(plain)))
    known = [v for v in schema.context_dependent_function_opset_versions if v <= call.version]
    if not (schema.has_context_dependent_function and known):
        return None
    types = [
        helper.make_tensor_type_proto(_TYPES[k], None).SerializeToString() if k else b""
        for k in kinds
    ]
    found = schema.get_context_dependent_function_with_opset_version(
        max(known), node.SerializeToString(), types
    )
    return FunctionProto.FromString(found) if found else None


def _node(call: Call, schema: Any) -> Any:
    """The node of a call, with the operator's values for attributes that are left out, which its
    body takes from the node; None of one with graphs inside."""
    import numpy as np
    from onnx import helper, numpy_helper

    node = helper.make_node(call.op, call.inputs, call.outputs, name=call.name, domain=call.domain)
    for name, value in call.attributes.items():
        if isinstance(value, np.ndarray):
            value = numpy_helper.from_array(value)
        try:
            node.attribute.append(helper.make_attribute(name, value))
        except (TypeError, ValueError):  # a graph, an empty list
            return None
    usual = (
        a.default_value for name, a in schema.attributes.items() if name not in call.attributes
    )
    node.attribute.extend(value for value in usual if value.name)
    return node
