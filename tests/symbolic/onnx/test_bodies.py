"""Operators that are read by the bodies that ONNX defines them by."""

from __future__ import annotations

import numpy as np
import pytest

from tests.symbolic.onnx.one_operator import (
    agrees,
    error,
    floats,
    graph,
    node,
    output,
    realised,
    refusal,
)

from orderproof.symbolic.onnx.arrays import Evaluator  # isort: skip
from orderproof.symbolic.onnx.bodies import body  # isort: skip
from orderproof.symbolic.onnx.graph import Call  # isort: skip

Runner = pytest.importorskip("orderproof.symbolic.onnx.run").Runner


def test_a_loss_by_its_body() -> None:
    """The mean of −log softmax at the labels; at other labels it is another number."""
    call = node("SoftmaxCrossEntropyLoss", "x i_at", "y", reduction="none")
    model = graph([call], {"x": ["b", 5, "n"], "i_at": ["b", "n"]})
    sizes = {"b": 3, "n": 4}
    assert error(model, sizes, ranges={"i_at": (0, 4)}) <= 1
    rolled = error(model, sizes, ranges={"i_at": (0, 4)}, change=lambda y: np.roll(y, 1, axis=1))
    assert not rolled <= 1


def test_a_grid_by_its_body() -> None:
    """What onnxruntime does not run is read all the same."""
    model = graph([node("CenterCropPad", "x s", "y", axes=[1])], {"x": ["b", 8]},
                  {"s": np.array([4])}, opset=18)  # fmt: skip
    reader, value = output(model)
    x = floats([3, 8])
    r, term = realised(reader, value)
    found = Evaluator(reader, r, {"b": 3}, {"x": x}.__getitem__).value(value, term, np.float64)
    assert np.array_equal(found, x[:, 2:6].astype(np.float64))


def test_a_body_takes_what_the_operator_has_by_default() -> None:
    """An attribute that a node leaves out has the operator's value, not none at all."""
    inputs = {"x": ["b", 3, "n", 2]}
    agrees(graph([node("MeanVarianceNormalization", "x", "y")], inputs))
    agrees(graph([node("Shrink", "x", "y", bias=0.25)], inputs))
    over_all = graph([node("MeanVarianceNormalization", "x", "y", axes=[0, 1, 2, 3])], inputs)
    sizes = {"b": 2, "n": 4}
    other = Runner(over_all).run(Runner(over_all).random_inputs(sizes, 1))["y"]
    usual = graph([node("MeanVarianceNormalization", "x", "y")], inputs)
    assert not error(usual, sizes, change=lambda _: other) <= 1


def test_what_has_no_body_is_refused() -> None:
    """By its own name, not by one of what its body would use."""
    model = graph([node("Det", "x", "y")], {"x": ["b", 3, 3]})
    assert "operator Det is not read" in refusal(model)
    assert body(Call("d", "Det", "", 13, ("x",), ("y",), {}), ["f"]) is None
