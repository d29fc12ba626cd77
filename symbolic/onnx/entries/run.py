"""A constant by the file's own nodes, run by onnxruntime or by the onnx package's reference."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..graph import Array, Call, Dimension, Graph, ModelError, Tensor, Unsupported
from .evaluate import LARGEST


def cone(graph: Graph, name: str) -> list[Call]:
    """The nodes that a tensor is made of, in their order."""
    needed, found = {name}, []
    for call in reversed(graph.calls):
        if needed.intersection(call.outputs):
            found.append(call)
            needed.update(filter(None, call.inputs))
    return found[::-1]


def cut(graph: Graph, known: Mapping[str, tuple[Dimension, ...]]) -> Graph:
    """The graph with these tensors as inputs of known dimensions, where constants depend on the
    dimensions of what no operator here reads. Their types are not known: float stands for all."""
    more = {name: Tensor(name, np.dtype(np.float32), dims) for name, dims in known.items()}
    calls = tuple(c for c in graph.calls if not known.keys() & set(c.outputs))
    return replace(graph, inputs={**graph.inputs, **more}, calls=calls, proto=None)


def runner(graph: Graph, name: str, by: str = "onnxruntime") -> Any:
    """A function from sizes to the constant, by the file's own nodes and inputs of zeros."""
    model = model_of(graph, name)
    if by == "onnxruntime":
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        try:
            session = onnxruntime.InferenceSession(
                model.SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise Unsupported(name, f"onnxruntime refuses its nodes: {_line(error)}") from None
        names = {x.name for x in session.get_inputs()}
    else:
        from onnx.reference import ReferenceEvaluator

        session = ReferenceEvaluator(model)
        names = set(session.input_names)

    def run(sizes: Mapping[str, int]) -> Array:
        feeds = zeros(graph, names, sizes)
        try:
            return np.asarray(session.run([name], feeds)[0])
        except Exception as error:
            raise Unsupported(name, f"{by} does not run its nodes: {_line(error)}") from None

    return run


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def zeros(graph: Graph, names: Iterable[str], sizes: Mapping[str, int]) -> dict[str, Array]:
    """These inputs, of zeros; a dimension that is not named in the sizes has length 2."""
    found = {}
    for name in names:
        t = graph.inputs[name]
        dims = [d if isinstance(d, int) else sizes.get(d, 2) for d in t.dims]
        if math.prod(dims) > LARGEST:
            raise ModelError(f"input {name}: given {math.prod(dims)} entries, at most {LARGEST}")
        found[name] = np.zeros(dims, dtype=t.dtype)
    return found


def model_of(graph: Graph, name: str) -> Any:
    """The nodes that a tensor is made of, as a model that gives it: those of the file, where the
    graph was read from one."""
    import onnx
    from onnx import helper, numpy_helper

    calls = cone(graph, name)
    used = {i for c in calls for i in c.inputs} | {name}
    if graph.proto is not None:
        of = graph.proto.graph
        nodes = [n for n in of.node if used.intersection(n.output)]
        inputs = [v for v in of.input if v.name in used and v.name not in graph.constants]
        opsets, version = list(graph.proto.opset_import), graph.proto.ir_version
    else:
        nodes = [
            helper.make_node(
                c.op, c.inputs, c.outputs, name=c.name, domain=c.domain,
                **{k: _attribute(v) for k, v in c.attributes.items()},
            )
            for c in calls
        ]  # fmt: skip
        inputs = [
            helper.make_tensor_value_info(
                t.name, helper.np_dtype_to_tensor_dtype(t.dtype), list(t.dims)
            )
            for t in graph.inputs.values() if t.name in used
        ]  # fmt: skip
        opsets, version = [helper.make_opsetid("", graph.opset)], 10
    own = used - {o for n in nodes for o in n.output}
    constants = [numpy_helper.from_array(a, k) for k, a in graph.constants.items() if k in own]
    output = onnx.ValueInfoProto(name=name)
    made = helper.make_graph(nodes, "constant", inputs, [output], constants)
    return helper.make_model(made, opset_imports=opsets, ir_version=version)


def _attribute(value: Any) -> Any:
    from onnx import numpy_helper

    return numpy_helper.from_array(value) if isinstance(value, np.ndarray) else value
