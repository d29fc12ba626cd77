"""Operators that ONNX itself defines by others: their definitions, as the last resort."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx

from .balls import is_float
from .call import attribute

_IS_RANDOM = {"Bernoulli", "Dropout"}


def definition(
    node: onnx.NodeProto, domain: str, versions: Mapping[str, int], values: Sequence[Any]
) -> tuple[onnx.FunctionProto, dict[str, Any]] | None:
    """The function that ONNX gives as the meaning of this use of an operator, and the defaults of
    its attributes; None where it gives none, or the operator is random."""
    if node.op_type in _IS_RANDOM:
        return None
    version = versions[domain]
    try:
        schema: Any = onnx.defs.get_schema(node.op_type, version, domain)
    except onnx.defs.SchemaError:
        return None
    function = onnx.FunctionProto()
    if schema.has_function:
        function.CopyFrom(schema.function_body)
    elif schema.has_context_dependent_function:
        if any(a.ref_attr_name for a in node.attribute):
            return None  # the definition depends on what the attribute stands for
        since = [v for v in schema.context_dependent_function_opset_versions if v <= version]
        types = [_type(v).SerializeToString() for v in values]
        data = schema.get_context_dependent_function_with_opset_version(
            max(since, default=version), node.SerializeToString(), types
        )
        function.ParseFromString(data)
    if not function.node or not ({i.domain for i in function.opset_import} | {*versions}) & {""}:
        return None
    given = {name: a.default_value for name, a in schema.attributes.items()}
    return function, {name: attribute(a) for name, a in given.items() if a.name}


def _type(value: Any) -> onnx.TypeProto:
    """The type of a value, as a definition may depend on it: of real numbers, float32."""
    if not isinstance(value, np.ndarray):
        return onnx.TypeProto()
    kind = onnx.TensorProto.FLOAT
    if not is_float(value):
        kind = onnx.helper.np_dtype_to_tensor_dtype(value.dtype)
    return onnx.helper.make_tensor_type_proto(kind, value.shape)
