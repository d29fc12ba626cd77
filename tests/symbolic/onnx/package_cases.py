"""The operator cases of the `onnx` package: a model of one operator, inputs, and what comes out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import GraphProto, ModelProto, numpy_helper

from orderproof.symbolic.onnx.load import OLDEST_OPSET

# A sequence is a list of arrays, an optional that is empty None; the models with such inputs are
# refused when they are loaded.
Value = NDArray[Any] | list[Any] | None


@dataclass(frozen=True)
class Example:
    """Inputs by their names, and the outputs that are expected up to the tolerances."""

    inputs: dict[str, Value]
    outputs: dict[str, Value]
    rtol: float
    atol: float


def operator_cases() -> Iterator[tuple[str, ModelProto, tuple[Example, ...]]]:
    """Every case, ordered by name. Models are copies; arrays are read-only, and shared."""
    for name, model, examples in _cases():
        copy = ModelProto()
        copy.CopyFrom(model)
        yield name, copy, examples


def agree(example: Example, found: dict[str, NDArray[Any]]) -> str:
    """What is wrong with these outputs: nothing, or the first output that is not as expected."""
    for name, expected in example.outputs.items():
        value = found.get(name)
        if not isinstance(expected, np.ndarray) or value is None:
            return f"{name} is no tensor"
        if value.dtype != expected.dtype or value.shape != expected.shape:
            return f"{name} is {value.dtype}{list(value.shape)}, expected {expected.dtype}" + str(
                list(expected.shape)
            )
        if expected.dtype.kind in "OUSb":
            close = bool(np.all(value == expected))
        else:
            wide = np.complex128 if expected.dtype.kind == "c" else np.float64
            close = np.allclose(
                value.astype(wide),
                expected.astype(wide),
                rtol=example.rtol,
                atol=example.atol,
                equal_nan=True,
            )
        if not close:
            return f"{name} has other values"
    return ""


@cache
def _cases() -> tuple[tuple[str, ModelProto, tuple[Example, ...]], ...]:
    # The package computes its cases as it is imported, from NumPy's global generator, with
    # warnings about overflows that are meant. Neither is any business of the test that asks first.
    state = np.random.get_state()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from onnx.backend.test.case.node import collect_testcases

            found = collect_testcases()
    finally:
        np.random.set_state(state)
    return tuple(
        (case.name, _with_a_set_that_is_read(case.model), _examples(case))
        for case in sorted(found, key=lambda case: case.name)
        if case.model is not None
    )


def _examples(case: Any) -> tuple[Example, ...]:
    graph = case.model.graph
    return tuple(
        Example(
            dict(zip((i.name for i in graph.input), map(_value, inputs), strict=True)),
            dict(zip((o.name for o in graph.output), map(_value, outputs), strict=True)),
            case.rtol,
            case.atol,
        )
        for inputs, outputs in case.data_sets
    )


def _value(given: Any) -> Value:
    if given is None:
        return None
    if isinstance(given, list):
        return [_value(part) for part in given]
    array = numpy_helper.to_array(given) if isinstance(given, onnx.TensorProto) else given
    array = np.array(array)
    array.setflags(write=False)
    return array


def _with_a_set_that_is_read(model: ModelProto) -> ModelProto:
    """The model, with the oldest operator set that is read where its operators are the same there.

    A case says the version that last changed its operator, which may be older.
    """
    copy = ModelProto()
    copy.CopyFrom(model)
    for entry in copy.opset_import:
        if entry.domain in ("", "ai.onnx") and entry.version < OLDEST_OPSET:
            ops = set(_operators(copy.graph))
            if all(_since(op, entry.version) == _since(op, OLDEST_OPSET) for op in ops):
                entry.version = OLDEST_OPSET
    return copy


def _operators(graph: GraphProto) -> Iterator[str]:
    for node in graph.node:
        if node.domain in ("", "ai.onnx"):
            yield node.op_type
        for attribute in node.attribute:
            graphs: Sequence[GraphProto] = (attribute.g, *attribute.graphs)
            for inner in graphs:
                yield from _operators(inner)


def _since(op: str, version: int) -> int:
    return int(onnx.defs.get_schema(op, version).since_version)
