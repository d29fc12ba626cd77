"""Which dimensions of a result are over the set of an input's axis, and what is refused by name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.symbolic.onnx.one_operator import floats, graph, node, onnx

from orderproof.symbolic.onnx import operators, reader as reading  # isort: skip
from orderproof.symbolic.onnx.bodies import body  # isort: skip
from orderproof.symbolic.onnx.graph import Call, Graph  # isort: skip
from orderproof.symbolic.onnx.reader import read  # isort: skip
from orderproof.symbolic.onnx.run import Runner  # isort: skip
from orderproof.symbolic.onnx.samples import sample_sizes  # isort: skip
from orderproof.symbolic.onnx.values import Constant, Refused, Tensor  # isort: skip

helper, numpy_helper = onnx.helper, onnx.numpy_helper
del operators  # it registers what reads them

LINE = {"x": ["b", 4, "n"]}
ROWS = {"x": ["b", "n", 4]}
PICTURE = {"x": ["b", 2, "n", 5]}
KERNEL = {"w": floats((6, 4, 3))}
ENDS = {"p": np.array([0, 0, 1, 0, 0, 1])}
PLACES = {
    "zero": np.array([0]), "one": np.array([1]), "two": np.array([2]), "last": np.array([-1]),
    "end": np.array([2**62]), "before": np.array([-(2**62)]), "cut": np.array([0, 0, 1, 0, 0, -1]),
}  # fmt: skip
LSTM = graph(
    [node("LSTM", "x w r", "y", hidden_size=5)],
    {"x": ["n", "b", 4]},
    {"w": floats((1, 20, 4)), "r": floats((1, 20, 5))},
)


def along(graph: Graph, axis: tuple[str, int] | None) -> tuple[Any, Any, Any]:
    """The reader of a graph, its value for y, and the set that the axis is over."""
    runner = Runner(graph)

    def evaluate(name: str) -> Any:
        return runner.constants_at([name], {"n": 7, "m": 5, "b": 2})[name]

    reader, asked = read(graph, axis, evaluate=evaluate)
    return reader, reader.values["y"], asked


@pytest.mark.parametrize(
    ("model", "axis", "same"),
    [
        (graph([node("Conv", "x w", "y", pads=[1, 1])], LINE, KERNEL), ("x", 2), "..n"),
        (graph([node("Conv", "x w", "y")], LINE, KERNEL), ("x", 2), "..."),
        (
            graph([node("MaxPool", "x", "y", kernel_shape=[3], pads=[1, 1])], LINE), ("x", 2),
            "..n",
        ),
        (
            graph([node("Pad", "x p", "z", mode="wrap"), node("Conv", "z w", "y")], LINE,
                  ENDS | KERNEL), ("x", 2), "..n",
        ),
        (
            graph([node("Slice", "x last end two", "a"), node("Slice", "x zero one two", "b"),
                   node("Concat", "a x b", "z", axis=2), node("Conv", "z w", "y")], LINE,
                  PLACES | KERNEL), ("x", 2), "..n",
        ),
        (graph([node("Pad", "x cut", "y")], LINE, PLACES), ("x", 2), "..n"),
        (
            graph([node("Slice", "x one end two", "a"), node("Slice", "x zero one two", "b"),
                   node("Concat", "a b", "z", axis=2),
                   node("Slice", "z last before two last", "y")], LINE, PLACES), ("x", 2), "..n",
        ),
        (
            graph([node("DFT", "x", "y", axis=1)], {"x": ["b", "n", 3, 2]}, opset=17), ("x", 1),
            ".n..",
        ),
        (graph([node("TopK", "x one", "y i", axis=1)], ROWS, PLACES), ("x", 1), "..."),
        (
            graph([node("Shape", "x", "k", start=1, end=2), node("TopK", "x k", "y i", axis=1)],
                  ROWS), ("x", 1), "...",
        ),
        (LSTM, ("x", 1), "..n."),
        (LSTM, ("x", 0), "n..."),
    ],
    ids=[
        "as many windows", "fewer windows", "pooled", "circular", "circular by slices",
        "shifted by padding", "rolled and reversed", "frequencies", "ranks", "as many ranks",
        "batch", "sequence",
    ],
)  # fmt: skip
def test_which_dimensions_are_over_the_set_of_an_axis(
    model: Graph, axis: tuple[str, int], same: str
) -> None:
    """Else no convolution could be seen to commute with a shift; or ranks, which are no tokens,
    would be permuted as tokens are."""
    reader, value, asked = along(model, axis)
    assert isinstance(value, Tensor)
    found = [reader.atoms.resolve(d) == reader.atoms.resolve(asked) for d in value.dims]
    assert "".join(".n"[x] for x in found) == same


def inside(nodes: list[Any], constants: dict[str, Any] | None = None) -> Any:
    """A graph inside of a call, whose output is t."""
    values = [numpy_helper.from_array(np.asarray(v), n) for n, v in (constants or {}).items()]
    return helper.make_graph(nodes, "inside", [], [onnx.ValueInfoProto(name="t")], values)


def choice(then: list[Any], other: list[Any], out: str = "y", **constants: Any) -> Any:
    """An If on c, its branches of these nodes."""
    branches = {"then_branch": inside(then), "else_branch": inside(other, constants)}
    return node("If", "c", out, **branches)


def loop() -> Any:
    """A loop that adds x up: all its inputs are constants."""
    value = helper.make_tensor_value_info
    inputs = [value("k", 7, []), value("go", 9, []), value("h", 1, [2, 4, 3])]
    nodes = [node("Add", "h x", "h2"), node("Identity", "go", "go2")]
    outputs = [onnx.ValueInfoProto(name=name) for name in ("go2", "h2")]
    return node("Loop", "k0 go0 h0", "y", body=helper.make_graph(nodes, "loop", inputs, outputs))


TWICE, SAME = [node("Add", "x x", "t")], [node("Identity", "x", "t")]
CONSTANTS = {"c": np.array(True), "w": floats((4, 1))}


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (graph([node("Conv", "x w", "y")], LINE, {"w": floats((6, 3, 3))}), "channels"),
        (graph([node("MaxPool", "x", "z y", kernel_shape=[2])], LINE), "indices"),
        (
            graph([node("RNN", "x w r", "y", hidden_size=5, activations=["Elu"])],
                  {"x": ["n", "b", 4]}, {"w": floats((1, 5, 4)), "r": floats((1, 5, 5))}), "Elu",
        ),
        (
            graph([node("Resize", "x - s", "y", coordinate_transformation_mode="align_corners")],
                  LINE, {"s": np.float32([1, 1, 0.5])}), "no whole number",
        ),
        (
            graph([node("Resize", "x - s", "y", mode="linear", antialias=1)], PICTURE,
                  {"s": np.float32([1, 1, 0.5, 1])}), "antialias",
        ),
        (graph([node("TopK", "x two", "y i", axis=1, sorted=0)], ROWS, PLACES), "order"),
        (
            graph([node("ScatterND", "x i_to u", "y")],
                  {"x": [6, "n"], "u": [4, "n"], "i_to": [4, 1]}), "depend on data",
        ),
        (
            graph([node("Attention", "x k v", "z - - y")],
                  {"x": ["b", 4, "n", 3], "k": ["b", 4, "m", 3], "v": ["b", 4, "m", 5]}, opset=23),
            "scores",
        ),
        (graph([node("Det", "x", "y")], {"x": ["b", 3, 3]}), "operator Det is not read"),
        (
            graph([node("Shape", "x", "s", start=1, end=2), node("Equal", "s one", "e"),
                   node("Squeeze", "e", "c"), choice([node("Squeeze", "x one", "t")], SAME)],
                  {"x": ["b", "m", "n"]}, PLACES), "not the same for all sizes",
        ),
        (
            graph([node("ReduceSum", "x", "s", keepdims=0), node("Greater", "s none", "c"),
                   choice(TWICE, [node("Slice", "x zero one", "t")])], LINE,
                  PLACES | {"none": np.float32(0)}), "sizes",
        ),
        (
            graph([loop()], {"x": [2, 4, 3]},
                  {"k0": np.array(3), "go0": np.array(True), "h0": floats((2, 4, 3))}), "Loop",
        ),
        (
            graph([choice([node("RandomNormalLike", "w", "t")], [node("Identity", "w", "t")], "p"),
                   node("Add", "x p", "y")], LINE, CONSTANTS), "random",
        ),
    ],
    ids=lambda x: x.replace(" ", "-") if isinstance(x, str) else "",
)  # fmt: skip
def test_what_is_not_read_is_refused_by_name(model: Graph, says: str) -> None:
    """It would be read as something else that has inputs of these sizes."""
    _, value, _ = along(model, None)
    assert isinstance(value, Refused)
    assert says in f"{value.node}: {value.reason}"


@pytest.mark.parametrize(
    ("model", "least", "most"),
    [
        (
            graph([node("Slice", "x two last", "z"), node("RNN", "z w r", "y", hidden_size=5)],
                  {"x": ["n", 6, 4]}, PLACES | {"w": floats((1, 5, 4)), "r": floats((1, 5, 5))}),
            4, 100,
        ),
        (
            graph([node("Reshape", "x last", "z"), node("Resize", "z - s", "y")],
                  {"x": ["n", "n"]}, PLACES | {"s": np.float32([2])}), 2, 63,
        ),
    ],
    ids=["an empty sequence", "a table of gigabytes"],
)  # fmt: skip
def test_sizes_at_which_nothing_is_compared(model: Graph, least: int, most: int) -> None:
    """The process would end: onnxruntime does that at an empty sequence."""
    reader, _, _ = along(model, ("x", 0))
    found = [sizes["n"] for sizes in sample_sizes(reader, {}, 12)]
    assert least <= min(found) <= max(found) <= most


def test_a_branch_of_constants_is_a_constant() -> None:
    """What only constants reach is folded, as everywhere."""
    branch = choice([node("Mul", "w w", "t")], [node("Identity", "w", "t")], "p")
    reader, _, _ = along(graph([branch, node("Add", "x p", "y")], LINE, CONSTANTS), None)
    assert isinstance(reader.values["p"], Constant)


def test_what_has_no_body_has_none() -> None:
    """It would be refused by the name of an operator that its body would use."""
    assert body(Call("d", "Det", "", 13, ("x",), ("y",), {}), ["f"]) is None


def test_the_page_lists_what_is_read() -> None:
    """A user would look in it for an operator, and be told of another set of them."""
    page = " ".join((Path(__file__).parents[3] / "docs/decide.md").read_text("utf-8").split())
    (listed,) = re.findall("Of ONNX's own operators these are read: (.+?)\\. ", page)
    assert set(listed.split(", ")) == {*reading.OPERATORS, *reading.CONSTANT}


@pytest.mark.parametrize("inputs", ["x k", "x k -"])
def test_a_body_without_its_last_input(inputs: str) -> None:
    """The library of ONNX ends in an assertion where an input that is left out is the last."""
    given = {"x": ["n", 3], "i_k": ["n"]}
    loss = graph([node("SoftmaxCrossEntropyLoss", inputs.replace("k", "i_k"), "y")], given)
    _, value, _ = along(loss, ("x", 0))
    assert isinstance(value, Tensor)
