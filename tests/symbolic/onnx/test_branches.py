"""If: decided conditions, what branches capture, and what is not decided."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.symbolic.onnx.one_operator import (
    Constant,
    Runner,
    agrees,
    error,
    floats,
    graph,
    helper,
    node,
    numpy_helper,
    onnx,
    output,
    refusal,
)

LINE = {"x": ["b", 4, "n"]}


def body(nodes: list[Any], out: str, constants: dict[str, Any] | None = None) -> Any:
    """A graph inside of a call, with one output."""
    values = [numpy_helper.from_array(np.asarray(v), n) for n, v in (constants or {}).items()]
    return helper.make_graph(nodes, "inside", [], [onnx.ValueInfoProto(name=out)], values)


def choice(condition: str, then: Any, other: Any) -> Any:
    """An If."""
    return node("If", condition, "y", then_branch=then, else_branch=other)


DOUBLE = ([node("Add", "x x", "t")], "t")
SHIFT = ([node("Mul", "x w", "u"), node("Add", "u k", "t")], "t", {"k": np.float32(2.5)})


@pytest.mark.parametrize("test", [True, False])
def test_the_branch_that_is_taken_is_read(test: bool) -> None:
    """The other branch, or its constants, in its place would give other values."""
    constants = {"c": np.array(test), "w": floats([4, 1])}
    agrees(graph([choice("c", body(*DOUBLE), body(*SHIFT))], LINE, constants))


def test_a_condition_on_sizes() -> None:
    """How exporters write a squeeze: whether a fixed dimension is 1 is decided, whether a dynamic
    one is, is not."""
    squeeze = body([node("Squeeze", "x a", "t")], "t")
    same = body([node("Identity", "x", "t")], "t")
    test = [
        node("Shape", "x", "s", start=1, end=2),
        node("Equal", "s one", "e"),
        node("Squeeze", "e", "c"),
        choice("c", squeeze, same),
    ]
    constants = {"a": np.array([1]), "one": np.array([1])}
    agrees(graph(test, {"x": ["b", 1, "n"]}, constants))
    why = refusal(graph(test, {"x": ["b", "m", "n"]}, constants))
    assert "not the same for all sizes" in why
    test[-1] = choice("c", body(*DOUBLE), same)
    agrees(graph(test, {"x": ["b", 4, "n"]}, constants))


def test_a_branch_that_captures_data_is_no_constant() -> None:
    """The inputs of If are its condition alone: a constant. What its branches take from around them
    may depend on data, and so does the result; else a table that is none would be proved of."""
    for condition in ("c", "undecided"):
        tests = [
            node("Shape", "x", "s", start=2), node("Greater", "s five", "g"),
            node("Squeeze", "g", "undecided"),
        ]  # fmt: skip
        constants = {"c": np.array(True), "w": floats([4, 1]), "five": np.array([6])}
        model = graph([*tests, choice(condition, body(*DOUBLE), body(*SHIFT))], LINE, constants)
        _, value = output(model)
        assert not isinstance(value, Constant)
        agrees(model)


def test_a_condition_on_data() -> None:
    """Both branches are read, and the condition chooses: not always the same one."""
    tests = [
        node("ReduceSum", "x", "t0", keepdims=0), node("Greater", "t0 zero", "c"),
    ]  # fmt: skip
    constants = {"zero": np.float32(0), "w": floats([4, 1])}
    model = graph([*tests, choice("c", body(*DOUBLE), body(*SHIFT))], LINE, constants)
    agrees(model)
    for sign in (1, -1):
        sizes = {"n": 5, "b": 2}
        given = {"x": sign * np.abs(floats([2, 4, 5]))}
        assert error(model, sizes, inputs=given) <= 1
        swapped = graph([*tests, choice("c", body(*SHIFT), body(*DOUBLE))], LINE, constants)
        wrong = Runner(swapped).run(given)["y"]
        assert not error(model, sizes, inputs=given, change=lambda _, w=wrong: w) <= 1
    other = body([node("Slice", "x zeros ones", "t")], "t",
                 {"zeros": np.array([0]), "ones": np.array([1])})  # fmt: skip
    assert "sizes" in refusal(graph([*tests, choice("c", body(*DOUBLE), other)], LINE, constants))


def test_a_loop_that_captures_data_is_no_constant() -> None:
    """All inputs of this loop are constants, and it adds x up."""
    inner = helper.make_graph(
        [node("Add", "h x", "h2"), node("Identity", "go", "go2")], "loop",
        [
            helper.make_tensor_value_info("k", onnx.TensorProto.INT64, []),
            helper.make_tensor_value_info("go", onnx.TensorProto.BOOL, []),
            helper.make_tensor_value_info("h", onnx.TensorProto.FLOAT, [2, 4, 3]),
        ],
        [onnx.ValueInfoProto(name="go2"), onnx.ValueInfoProto(name="h2")],
    )  # fmt: skip
    constants = {"k0": np.array(3), "go0": np.array(True), "h0": floats([2, 4, 3])}
    model = graph([node("Loop", "k0 go0 h0", "y", body=inner)], {"x": [2, 4, 3]}, constants)
    assert "Loop" in refusal(model)


def test_a_branch_of_constants_is_a_constant() -> None:
    """What only constants reach is folded, as everywhere."""
    then = body([node("Mul", "w w", "t")], "t")
    other = body([node("Identity", "w", "t")], "t")
    branch = node("If", "c", "p", then_branch=then, else_branch=other)
    model = graph([branch, node("Add", "x p", "y")], LINE,
                  {"c": np.array(True), "w": floats([4, 1])})  # fmt: skip
    reader, _ = output(model)
    assert isinstance(reader.values["p"], Constant)
    agrees(model)


def test_random_numbers_in_a_branch_are_refused() -> None:
    """A draw is no constant, in a graph inside either."""
    then = body([node("RandomNormalLike", "w", "t")], "t")
    other = body([node("Identity", "w", "t")], "t")
    branch = node("If", "c", "p", then_branch=then, else_branch=other)
    model = graph([branch, node("Add", "x p", "y")], LINE,
                  {"c": np.array(True), "w": floats([4, 1])})  # fmt: skip
    assert "random" in refusal(model)


def test_places_inside_of_a_branch() -> None:
    """Constants of a branch have no value in the graph around it, where another tensor may have
    their names: here the places p."""
    inside = body([node("Gather", "x p", "t", axis=1)], "t", {"p": np.array([2, 0, 3])})
    other = body([node("Gather", "x p", "t", axis=1)], "t", {"p": np.array([1, 1, 1])})
    nodes = [choice("c", inside, other)]
    agrees(graph(nodes, LINE, {"c": np.array(True)}))
    put = body(
        [node("ScatterND", "x p u", "t")], "t",
        {"p": np.array([[2], [0]]), "u": floats([2, 3, 4])},
    )  # fmt: skip
    model = graph([choice("c", put, other)], {"x": [5, 3, 4]}, {"c": np.array(True)})
    agrees(model)
