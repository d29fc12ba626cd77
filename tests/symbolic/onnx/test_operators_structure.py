"""Which dimensions of a result are over the set of an input's axis, what is refused by name, and
forms that exporters write today: each is a theorem for all sizes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

from tests.symbolic.onnx.one_operator import graph

from orderproof.symbolic.onnx import counting, operators, reader as reading  # isort: skip
from orderproof.symbolic.onnx.bodies import body  # isort: skip
from orderproof.symbolic.onnx.decide import decide  # isort: skip
from orderproof.symbolic.onnx.graph import Call, Graph  # isort: skip
from orderproof.symbolic.onnx.load import graph_of  # isort: skip
from orderproof.symbolic.onnx.reader import read  # isort: skip
from orderproof.symbolic.onnx.reading import not_negative  # isort: skip
from orderproof.symbolic.onnx.run import Runner  # isort: skip
from orderproof.symbolic.onnx.samples import sample_sizes  # isort: skip
from orderproof.symbolic.onnx.values import Constant, Refused, Tensor  # isort: skip
from tests.symbolic.onnx.making import parsed, saved  # isort: skip
from tests.symbolic.onnx.operator_models import FORMS  # isort: skip

del operators  # it registers what reads them

LINE, ROWS, STEPS = "float[b, 4, n] x", "float[b, n, 4] x", "float[n, b, 4] x"
GIVEN: dict[str, Any] = {
    "zero": [0], "one": [1], "two": [2], "last": [-1], "end": [2**62], "before": [-(2**62)],
    "cut": [0, 0, 1, 0, 0, -1], "p": [0, 0, 1, 0, 0, 1], "w": (6, 4, 3), "w3": (6, 3, 3),
    "g": (1, 20, 4), "h": (1, 20, 5), "g1": (1, 5, 4), "h1": (1, 5, 5), "v": (4, 1),
    "half": np.float32([1, 1, 0.5]), "halves": np.float32([1, 1, 0.5, 1]), "none": 0.0,
    "twice": np.float32([2]), "true": True, "k0": 3, "h0": (2, 4, 3),
}  # fmt: skip


def of(nodes: str, inputs: str) -> Graph:
    """The graph of these nodes, with those of the constants above that they use."""
    given = {k: v for k, v in GIVEN.items() if re.search(rf"\b{k}\b", nodes)}
    old = "DFT<axis" in nodes  # an attribute, as up to set 19
    return graph(nodes, inputs, 17 if old else 23, **given)


def along(graph: Graph, axis: tuple[str, int] | None) -> tuple[Any, Any, Any]:
    """The reader of a graph, its value for y, and the set that the axis is over."""
    runner = Runner(graph)

    def evaluate(name: str) -> Any:
        return runner.constants_at([name], {"n": 7, "m": 5, "b": 2})[name]

    reader, asked = read(graph, axis, evaluate=evaluate)
    return reader, reader.values["y"], asked


LSTM = "y = LSTM<hidden_size = 5>(x, g, h)"
PARTS = "b = Slice(x, zero, one, two)"


@pytest.mark.parametrize(
    ("nodes", "inputs", "axis", "same"),
    [
        ("y = Conv<pads = [1, 1]>(x, w)", LINE, 2, "..n"),
        ("y = Conv(x, w)", LINE, 2, "..."),
        ("y = MaxPool<kernel_shape = [3], pads = [1, 1]>(x)", LINE, 2, "..n"),
        ('z = Pad<mode = "wrap">(x, p) y = Conv(z, w)', LINE, 2, "..n"),
        (f"a = Slice(x, last, end, two) {PARTS} z = Concat<axis = 2>(a, x, b) y = Conv(z, w)",
         LINE, 2, "..n"),
        ("y = Pad(x, cut)", LINE, 2, "..n"),
        (f"a = Slice(x, one, end, two) {PARTS} z = Concat<axis = 2>(a, b) "
         "y = Slice(z, last, before, two, last)", LINE, 2, "..n"),
        ("y = DFT<axis = 1>(x)", "float[b, n, 3, 2] x", 1, ".n.."),
        ("y, i = TopK<axis = 1>(x, one)", ROWS, 1, "..."),
        ("k = Shape<start = 1, end = 2>(x) y, i = TopK<axis = 1>(x, k)", ROWS, 1, "..."),
        (LSTM, STEPS, 1, "..n."),
        (LSTM, STEPS, 0, "n..."),
    ],
)  # fmt: skip
def test_which_dimensions_are_over_the_set_of_an_axis(
    nodes: str, inputs: str, axis: int, same: str
) -> None:
    """Else no convolution could be seen to commute with a shift; or ranks, which are no tokens,
    would be permuted as tokens are."""
    reader, value, asked = along(of(nodes, inputs), ("x", axis))
    assert isinstance(value, Tensor)
    found = [reader.atoms.resolve(d) == reader.atoms.resolve(asked) for d in value.dims]
    assert "".join(".n"[x] for x in found) == same


def choice(then: str, other: str, condition: str = "true") -> str:
    """An If."""
    both = f"then_branch = t () => (t) {{ {then} }}, else_branch = e () => (t) {{ {other} }}"
    return f"If({condition}) <{both}>"


SAME = "t = Identity(x)"
# a loop that adds x up: all its inputs are constants
LOOP = """y = Loop(k0, true, h0) <body = l (int64 k, bool go, float[2, 4, 3] h) => (go2, h2)
    { h2 = Add(h, x) go2 = Identity(go) }>"""


@pytest.mark.parametrize(
    ("nodes", "inputs", "says"),
    [
        ("y = Conv(x, w3)", LINE, "channels"),
        ("z, y = MaxPool<kernel_shape = [2]>(x)", LINE, "indices"),
        ('y = RNN<hidden_size = 5, activations = ["Elu"]>(x, g1, h1)', STEPS, "Elu"),
        ('y = Resize<coordinate_transformation_mode = "align_corners">(x, , half)', LINE,
         "no whole number"),
        ('y = Resize<mode = "linear", antialias = 1>(x, , halves)', "float[b, 2, n, 5] x",
         "antialias"),
        ("y, i = TopK<axis = 1, sorted = 0>(x, two)", ROWS, "order"),
        ("y = ScatterND(x, i_to, u)", "float[6, n] x, float[4, n] u, int64[4, 1] i_to",
         "depend on data"),
        ("z, , , y = Attention(x, k, q)",
         "float[b, 4, n, 3] x, float[b, 4, m, 3] k, float[b, 4, m, 5] q", "scores"),
        ("y = Det(x)", "float[b, 3, 3] x", "operator Det is not read"),
        ("s = Shape<start = 1, end = 2>(x) e = Equal(s, one) c = Squeeze(e) y = "
         + choice("t = Squeeze(x, one)", SAME, "c"), "float[b, m, n] x",
         "not the same for all sizes"),
        ("s = ReduceSum<keepdims = 0>(x) c = Greater(s, none) y = "
         + choice("t = Add(x, x)", "t = Slice(x, zero, one)", "c"), LINE, "sizes"),
        (LOOP, "float[2, 4, 3] x", "Loop"),
        ("y = Add(x, r) r = " + choice("t = RandomNormalLike(v)", "t = Identity(v)"), LINE,
         "random"),
    ],
)  # fmt: skip
def test_what_is_not_read_is_refused_by_name(nodes: str, inputs: str, says: str) -> None:
    """It would be read as something else that has inputs of these sizes."""
    _, value, _ = along(of(nodes, inputs), None)
    assert isinstance(value, Refused)
    assert says in f"{value.node}: {value.reason}"


@pytest.mark.parametrize(
    ("nodes", "inputs", "least", "most"),
    [
        ("z = Slice(x, two, last) y = RNN<hidden_size = 5>(z, g1, h1)", "float[n, 6, 4] x", 4, 100),
        ("z = Reshape(x, last) y = Resize(z, , twice)", "float[n, n] x", 2, 63),
    ],
    ids=["an empty sequence", "a table of gigabytes"],
)
def test_sizes_at_which_nothing_is_compared(nodes: str, inputs: str, least: int, most: int) -> None:
    """The process would end: onnxruntime does that at an empty sequence."""
    reader, _, _ = along(of(nodes, inputs), ("x", 0))
    found = [sizes["n"] for sizes in sample_sizes(reader, {}, 12)]
    assert least <= min(found) <= max(found) <= most


def test_a_branch_of_constants_is_a_constant() -> None:
    """What only constants reach is folded, as everywhere."""
    nodes = f"y = Add(x, r) r = {choice('t = Mul(v, v)', 't = Identity(v)')}"
    reader, _, _ = along(of(nodes, LINE), None)
    assert isinstance(reader.values["r"], Constant)


def test_what_has_no_body_has_none() -> None:
    """It would be refused by the name of an operator that its body would use."""
    assert body(Call("d", "Det", "", 13, ("x",), ("y",), {}), ["f"]) is None


def test_the_page_lists_what_is_read() -> None:
    """A user would look in it for an operator, and be told of another set of them."""
    page = " ".join((Path(__file__).parents[3] / "docs/decide.md").read_text("utf-8").split())
    (listed,) = re.findall("Of ONNX's own operators these are read: (.+?)\\. ", page)
    assert set(listed.split(", ")) == {*reading.OPERATORS, *reading.CONSTANT}


@pytest.mark.parametrize("more", [[], [""]])
def test_a_body_without_its_last_input(more: list[str]) -> None:
    """The library of ONNX ends in an assertion where an input that is left out is the last."""
    model = parsed("g (float[n, 3] x, int64[n] k) => (y) {y = SoftmaxCrossEntropyLoss(x, k)}")
    model.graph.node[0].input.extend(more)
    _, value, _ = along(graph_of(model), ("x", 0))
    assert isinstance(value, Tensor)


@pytest.mark.parametrize("name", FORMS)
def test_form_is_a_theorem_for_all_sizes(name: str, tmp_path: Path) -> None:
    """Most people's models would be unknown, or decided for a few sizes alone."""
    model, axis, along, conditions = FORMS[name]
    (found,) = decide(saved(model.proto, tmp_path), axis, along).results
    assert (found.answer, found.scope, found.conditions) == ("equivariant", "all n", conditions)


def test_numbers_that_count_nothing_have_no_strides() -> None:
    """A choice of positions would be read as none."""
    rows, columns = np.indices((3, 4))
    assert counting.strides_of(4 * rows + columns) == {0: 4, 1: 1}
    assert counting.strides_of(columns + 0 * rows) == {1: 1}
    for other in (4 * rows + columns + 1, columns[:, ::-1], columns**2, columns % 3):
        assert counting.strides_of(other) is None
    n, m = sympy.symbols("n m", integer=True, positive=True)
    plain = sympy.expand
    assert counting.row_by_row({0: n * m, 1: m, 2: sympy.S.One}, (3, n, m), plain) == [0, 1, 2]
    assert counting.row_by_row({0: sympy.S.One, 1: n}, (n, m), plain) == [1, 0]
    for wrong in ({0: m, 1: n}, {0: sympy.S.One, 1: m}, {0: 2 * sympy.S.One, 1: sympy.S.One}):
        assert counting.row_by_row(wrong, (n, m), plain) is None


def test_bounds_are_said_of_the_size_alone() -> None:
    """A person would have to solve `0 <= n - 2`, or read a bound that is off by one."""
    n, b = sympy.symbols("n b", integer=True, positive=True)
    floor = sympy.floor((n - 3) / 2)
    assert not_negative([7 - n]) == ["n <= 7"] and not_negative([8 - 2 * n]) == ["2*n <= 8"]
    assert not_negative([n - 2, floor, floor - 1, n - 2]) == ["n >= 5"]
    assert not_negative([b - n]) == ["n <= b"]
    assert not_negative([sympy.floor(n / 2) - sympy.floor(n / 3)]) == ["floor(n/3) <= floor(n/2)"]
