"""Operators that ONNX itself defines by others: their bodies, as graphs.

What has no reading of its own is read by these, as if its nodes were in the model.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
from onnx import helper, inliner, numpy_helper

from .graph import Call, Graph, ModelError
from .load import graph_of
from .order import subgraphs

_TYPES = {"f": 1, "i": 7, "b": 9}  # ONNX's numbers of float, int64, bool


def body(call: Call, kinds: Sequence[str]) -> Graph | None:
    """The body of a call's operator, from the call's inputs to its outputs; None where ONNX has
    none. `kinds` are of the inputs: f, i, b, or "" of one that is left out."""
    inputs, kinds = list(call.inputs), list(kinds)
    while inputs and not inputs[-1]:  # the library's inliner asserts that the last one is there
        inputs.pop(), kinds.pop()
    node = helper.make_node(call.op, inputs, call.outputs, name=call.name)
    given = []
    try:
        for name, value in call.attributes.items():
            if isinstance(value, np.ndarray):
                value = numpy_helper.from_array(value)
            node.attribute.append(helper.make_attribute(name, value))
        for name, kind in zip(inputs, kinds, strict=True):
            if name:
                given.append(helper.make_tensor_value_info(name, _TYPES[kind], None))
                given[-1].type.tensor_type.shape.SetInParent()
        schema = onnx.defs.get_schema(call.op, call.version)
        # A body takes the values of attributes from the node, the operator's own ones as well.
        usual = [(k, a.default_value) for k, a in schema.attributes.items()]
        node.attribute.extend(v for k, v in usual if v.name and k not in call.attributes)
        outputs = [onnx.ValueInfoProto(name=n) for n in call.outputs if n]
        graph = helper.make_graph([node], "body", given, outputs)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", call.version)])
        model = inliner.inline_selected_functions(
            model, [("", call.op)], inline_schema_functions=True
        )
        nodes = model.graph.node
        if any(n.op_type == call.op or any(subgraphs(n)) for n in nodes):
            return None  # as it was, or a loop, which is not read
        return graph_of(model)
    except (ModelError, TypeError, ValueError, RuntimeError, onnx.defs.SchemaError):
        return None
