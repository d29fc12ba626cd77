"""A float32 model as one in float64, and a runner that takes it where onnxruntime has kernels."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import AttributeProto, GraphProto, NodeProto, TensorProto, numpy_helper

Array = NDArray[Any]


def in_double(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy in which all that was float32 is float64: inputs, constants, casts, functions."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    _graph(copy.graph)
    for function in copy.functions:
        _nodes(function.node)
    return copy


def _graph(graph: GraphProto) -> None:
    for tensor in graph.initializer:
        _tensor(tensor)
    for value in (*graph.input, *graph.output):
        if value.type.tensor_type.elem_type == TensorProto.FLOAT:
            value.type.tensor_type.elem_type = TensorProto.DOUBLE
    del graph.value_info[:]
    _nodes(graph.node)


def _tensor(tensor: TensorProto) -> None:
    if tensor.data_type == TensorProto.FLOAT:
        wide = numpy_helper.to_array(tensor).astype(np.float64)
        tensor.CopyFrom(numpy_helper.from_array(wide, tensor.name))


def _nodes(nodes: Iterable[NodeProto]) -> None:
    for node in nodes:
        if node.op_type == "ConstantOfShape" and not node.attribute:
            zero = numpy_helper.from_array(np.zeros(1, np.float32))  # what the standard means
            node.attribute.append(onnx.helper.make_attribute("value", zero))
        for attribute in node.attribute:
            _attribute(node, attribute)


def _attribute(node: NodeProto, attribute: AttributeProto) -> None:
    match attribute.type:
        case AttributeProto.TENSOR:
            _tensor(attribute.t)
        case AttributeProto.GRAPH:
            _graph(attribute.g)
        case AttributeProto.INT:
            if attribute.name in ("to", "dtype", "stash_type") and attribute.i == TensorProto.FLOAT:
                attribute.i = TensorProto.DOUBLE
        case AttributeProto.FLOAT | AttributeProto.FLOATS if node.op_type == "Constant":
            values = attribute.f if attribute.type == AttributeProto.FLOAT else attribute.floats
            tensor = numpy_helper.from_array(np.array(values, np.float64))
            attribute.CopyFrom(onnx.helper.make_attribute("value", tensor))


class Runner:
    """A model in onnxruntime: in float64 if it has the kernels, otherwise as the file is."""

    def __init__(self, path: Path) -> None:
        import onnxruntime

        model = onnx.load(path)
        self.outputs = [value.name for value in model.graph.output]
        self._options = onnxruntime.SessionOptions()
        self._options.intra_op_num_threads = 1
        self._options.log_severity_level = 4
        # What runs is what the file says: no fused kernels.
        self._options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        self._single = model.SerializeToString()
        try:
            self._session = self._open(in_double(model).SerializeToString())
            self.double = True
        except Exception:  # onnxruntime has no class for "no kernel in this type"
            self._narrow()

    def _open(self, text: bytes) -> Any:
        import onnxruntime

        return onnxruntime.InferenceSession(text, self._options, providers=["CPUExecutionProvider"])

    def _narrow(self) -> None:
        self._session = self._open(self._single)
        self.double = False

    def __call__(self, inputs: dict[str, Array]) -> dict[str, Array]:
        """The outputs by name; the first call may find that a kernel is missing in float64."""
        if self.double:
            try:
                return self._run(inputs, np.float64)
            except Exception:
                self._narrow()
        return self._run(inputs, np.float32)

    def _run(self, inputs: dict[str, Array], real: Any) -> dict[str, Array]:
        given = {
            name: value.astype(real) if value.dtype == np.float32 else value
            for name, value in inputs.items()
        }
        return dict(zip(self.outputs, self._session.run(None, given), strict=True))
