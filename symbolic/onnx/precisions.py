"""A model in onnxruntime in two precisions: how far they differ says how much is rounding."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from onnx import GraphProto, NodeProto, TensorProto, ValueInfoProto, helper
from onnx.numpy_helper import from_array

from orderproof.symbolic.onnx.graph import Array, Call, Graph, ModelError, every_call
from orderproof.symbolic.onnx.load import graph_of
from orderproof.symbolic.onnx.roundings import HUGE
from orderproof.symbolic.onnx.run import RunError, Runner

_FLOAT, _DOUBLE = int(TensorProto.FLOAT), int(TensorProto.DOUBLE)
_HALF = (int(TensorProto.FLOAT16), int(TensorProto.BFLOAT16))
_SINGLE_FROM, _DOUBLE_FROM = (*_HALF, _DOUBLE), (*_HALF, _FLOAT)
_element = helper.np_dtype_to_tensor_dtype
_ELEMENTS = {f"tensor({name.lower()})": n for name, n in TensorProto.DataType.items()}
_TYPED = {"dtype", "output_datatype", "output_dtype", "softmax_precision", "stash_type", "to"}
# What onnxruntime takes in float64, and then refuses to run, or computes in part in float32.
_SINGLE = {"Attention", "DFT", "FastGelu", "GRU", "Gelu", "GroupNormalization", "LSTM", "Shrink"}
_BODIES = {"If": 0, "Loop": 1, "Scan": 0}  # the outputs of a body before the first of its node's
_Arrays = dict[str, Array]
_NARROW = " in float32"  # at the end of the names of tensors that had to stay so
# Such a node that sums is fed what is a little off, as much as rounding: the same kernel on the
# same numbers would round alike in both precisions, and hide how much it magnifies that.
_SUMMING = {
    "Attention", "AveragePool", "Conv", "ConvTranspose", "DFT", "Det", "FusedConv", "GRU",
    "GlobalAveragePool", "GlobalLpPool", "GroupNormalization", "InstanceNormalization", "LRN",
    "LSTM", "LpPool", "Mean", "MeanVarianceNormalization", "MultiHeadAttention", "RNN",
    "RMSNormalization", "SkipLayerNormalization",
}  # fmt: skip
_OFF = 1 + 2.0**-22


class Precisions:
    """A model in float32 and in float64. A node for which onnxruntime has no kernel in float64 is
    run in float32 there too, between casts."""

    def __init__(self, graph: Graph) -> None:
        """RunnerMissing where onnxruntime is not installed."""
        self._graph, self._single = graph, Runner(widened(graph, _SINGLE_FROM, np.float32))
        self._double: Runner | None = None
        self._other: _Arrays = {}  # in place of constants of these names

    def run(self, inputs: Mapping[str, Array], outputs: Sequence[str]) -> tuple[_Arrays, _Arrays]:
        """The values of `outputs`, any tensors of the graph, in both precisions; RunError where one
        of the two does not run. The inputs have the types that the graph declares."""
        single = self._run(self._single, inputs, outputs, _SINGLE_FROM, np.float32)
        if self._double is None:
            without_half = widened(self._graph, _HALF, np.float32)
            self._double = Runner(widened(without_half, _DOUBLE_FROM, np.float64))
        double = self._run(self._double, inputs, outputs, _DOUBLE_FROM, np.float64)
        return single, double

    def _run(
        self, runner: Runner, inputs: Mapping[str, Array], outputs: Sequence[str],
        old: Collection[int], to: DTypeLike,
    ) -> _Arrays:  # fmt: skip
        return runner.run(_changed(inputs, old, to), outputs, _changed(self._other, old, to))

    @cached_property
    def clipped(self) -> Precisions | None:
        """The model with huge constants cut off; None where it has none."""
        every = self._graph.constants.items()
        cut = {n: np.asarray(np.clip(x, -HUGE, HUGE)) for n, x in every if x.dtype.kind == "f"}
        cut = {n: x for n, x in cut.items() if not np.array_equal(x, self._graph.constants[n])}
        other = copy(self)
        other._other = cut
        return other if cut else None

    def wide(self, output: str) -> bool:
        """Whether all kernels that compute an output in float64, which has run, are 64-bit ones."""
        return self._double is not None and not any(
            map(_is_narrow, self._double.ancestors([output]))
        )


def widened(graph: Graph, old: Collection[int], to: DTypeLike) -> Graph:
    """The graph with its floats of the `old` types in another, float32 or float64; for float64 it
    has none of 16 bits. Constants stand beside `proto`, not in it. RunError."""
    constants = _changed(graph.constants, old, to)
    body = _Widening(graph, old, to).body(graph, graph.proto.graph, {})
    for name, value in constants.items():
        body.input.append(helper.make_tensor_value_info(name, _element(value.dtype), value.shape))
    proto = helper.make_model(body, opset_imports=graph.proto.opset_import, ir_version=10)
    try:
        read = graph_of(proto)
    except ModelError as error:
        raise RunError(str(error)) from None
    inputs = {name: read.inputs[name] for name in graph.inputs}
    constants |= read.constants
    return Graph(inputs, read.outputs, constants, read.calls, graph.sha256, proto)


class _Widening:
    def __init__(self, graph: Graph, old: Collection[int], to: DTypeLike) -> None:
        self._imports, self._old, self._to = graph.proto.opset_import, old, np.dtype(to)
        self._high = dict.fromkeys(old, int(_element(self._to)))
        self._known: dict[tuple[Any, ...], list[int]] = {}

    def body(self, graph: Graph, proto: GraphProto, types: dict[str, int]) -> GraphProto:
        """The graph without its constants. `types`, of tensors around it, learns what its were."""
        new = GraphProto(name=proto.name, output=proto.output)
        new.input.extend(value for value in proto.input if value.name in graph.inputs)
        types |= {name: _element(value.dtype) for name, value in graph.constants.items()}
        types |= {v.name: v.type.tensor_type.elem_type or types.get(v.name, 0) for v in new.input}
        for value in (*new.input, *new.output):
            element = value.type.tensor_type.elem_type
            if element in self._high:
                value.type.tensor_type.elem_type = self._high[element]
        for call in graph.calls:
            if any(call.outputs):
                new.node.extend(self._nodes(call, call.proto, types))
        return new

    def _nodes(self, call: Call, node: NodeProto, types: dict[str, int]) -> list[NodeProto]:
        """The node, between casts where it is run in float32."""
        new = self._converted(call, node, types)
        if self._to == np.float32 or call.op in _BODIES:
            return [new]
        kinds = [types.get(name, 0) for name in call.inputs]
        results = self._alone(node, kinds)  # if it has none, the whole session decides
        types.update(zip(call.outputs, results, strict=False))
        wide, expected = ([self._high.get(t, t) for t in some] for some in (kinds, results))
        if self._alone(new, wide) == expected and not (call.op in _SINGLE and _FLOAT in kinds):
            return [new]
        new.CopyFrom(node)
        down, up = list[NodeProto](), list[NodeProto]()
        for k, kind in enumerate(kinds):
            if kind == _FLOAT:
                fed, new.input[k] = (
                    call.inputs[k],
                    f"{next(filter(None, call.outputs))}:{k}{_NARROW}",
                )
                if call.op in _SUMMING:
                    off, fed = f"{new.input[k]}, off by", f"{new.input[k]}, off"
                    by = helper.make_node("Constant", [], [off], value=from_array(np.array(_OFF)))
                    down += [by, helper.make_node("Mul", [call.inputs[k], off], [fed])]
                down.append(helper.make_node("Cast", [fed], [new.input[k]], to=_FLOAT))
        for k, kind in enumerate(results):
            if kind == _FLOAT:
                new.output[k] += _NARROW
                up.append(helper.make_node("Cast", [new.output[k]], [call.outputs[k]], to=_DOUBLE))
        return [*down, new, *up]

    def _converted(self, call: Call, node: NodeProto, types: dict[str, int]) -> NodeProto:
        """The node with all inside of it converted; `types` learns what its graphs hand out."""
        new = helper.make_node(call.op, call.inputs, call.outputs, node.name, domain=node.domain)
        given = [types.get(name, 0) for name in call.inputs]
        for attribute in node.attribute:
            value = call.attributes[attribute.name]
            if isinstance(value, Graph):
                within = types | dict(zip(value.inputs, given, strict=False))
                made = self.body(value, attribute.g, within)
                for name, constant in _changed(value.constants, self._old, self._to).items():
                    made.initializer.append(from_array(constant, name))
                results = [within.get(name, 0) for name in value.outputs]
                types.update(zip(call.outputs, results[_BODIES.get(call.op, 0) :], strict=False))
            elif isinstance(value, np.ndarray):
                made = from_array(_changed({"": value}, self._old, self._to)[""])
            elif attribute.name in _TYPED:
                made = self._high.get(value, value)
            else:
                new.attribute.append(attribute)
                continue
            new.attribute.append(helper.make_attribute(attribute.name, made))
        if call.op == "ConstantOfShape" and not node.attribute:
            new.attribute.append(helper.make_attribute("value", from_array(np.zeros(1, self._to))))
        return new

    def _alone(self, node: NodeProto, kinds: list[int]) -> list[int]:
        """The types of a node's outputs, by a session of nothing else; [] where there is none."""
        import onnxruntime as ort

        alone = NodeProto(op_type=node.op_type, domain=node.domain, attribute=node.attribute)
        alone.input.extend(f"i{k}" if kind else "" for k, kind in enumerate(kinds))
        alone.output.extend(f"o{k}" if name else "" for k, name in enumerate(node.output))
        key = (alone.SerializeToString(), *kinds)
        if key not in self._known:
            fed = [pair for pair in zip(alone.input, kinds, strict=True) if pair[1]]
            inputs = [helper.make_tensor_value_info(*pair, None) for pair in fed]
            outputs = [ValueInfoProto(name=name) for name in alone.output if name]
            graph = helper.make_graph([alone], "alone", inputs, outputs)
            model = helper.make_model(graph, opset_imports=self._imports, ir_version=10)
            options = ort.SessionOptions()
            options.log_severity_level = 4
            text, on = model.SerializeToString(), ["CPUExecutionProvider"]
            try:
                session = ort.InferenceSession(text, options, providers=on)
                found = {v.name: _ELEMENTS.get(v.type, 0) for v in session.get_outputs()}
                self._known[key] = [found.get(name, 0) for name in alone.output]
            except Exception:  # its exceptions have no common class of their own
                self._known[key] = []
        return self._known[key]


def _is_narrow(call: Call) -> bool:
    return any(name.endswith(_NARROW) for c in every_call([call]) for name in c.outputs)


def _changed(values: Mapping[str, Array], old: Collection[int], to: DTypeLike) -> _Arrays:
    """The arrays, those of the `old` types in another one."""
    return {n: np.asarray(v, to) if _element(v.dtype) in old else v for n, v in values.items()}
