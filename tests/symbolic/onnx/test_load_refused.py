"""Files that are no model, or a bad one: each is refused in one line that says why."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra `onnx` is missing")

import onnx
from onnx import ModelProto, TensorProto, helper, numpy_helper

from orderproof.symbolic.onnx import inline, read_graph
from orderproof.symbolic.onnx.graph import ModelError
from orderproof.symbolic.onnx.load import graph_of, load
from tests.symbolic.onnx.making import parsed, refused, saved

RELU = "g (float[n] x) => (float[n] y) {y = Relu(x)}"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "the file is empty"),
        (b"\0", "not an ONNX model"),
        (b'{"irVersion": 8, "graph": {}}', "not an ONNX model"),
        (b"A model, in words.\n", "not an ONNX model"),
        (b"<html>", "not an ONNX model"),
        (random.Random(0).randbytes(4096), "not an ONNX model"),
        (b"\x08\x08", "it has no graph"),  # a version alone
        (b"\x08\x08\x3a\x00", "the graph has no outputs"),  # and an empty graph
    ],
)
def test_what_is_not_onnx_is_refused(data: bytes, says: str, tmp_path: Path) -> None:
    """A file of another kind would end in a traceback, or be a model without contents."""
    path = tmp_path / "model.onnx"
    path.write_bytes(data)
    assert says in refused(path)


def test_what_is_not_a_file_is_refused(tmp_path: Path) -> None:
    """A folder would end in a traceback, or be the model of an external file."""
    assert refused(tmp_path).endswith(": given a folder, expected an ONNX model")


def busy() -> ModelProto:
    """A model that has something of everything."""
    return parsed(
        """
    g (float[n, 4] x, bool b) => (float[n, 3] y)
    <float[4, 3] w = {1,2,3,4,5,6,7,8,9,10,11,12}, int64[2] s = {-1, 3}> {
      c = Constant<value_floats = [1.0, 2.0, 3.0]>()
      h = MatMul(x, w)
      k = local.twice<alpha = 2.0>(h)
      i = If (b) <then_branch = p () => (float[n, 3] l) {l = Add(k, c)},
                  else_branch = q () => (float[n, 3] r) {r = Neg(k)}>
      y = Reshape(i, s)
    }
    <domain: "local", opset_import: ["": 17]>
    twice <alpha> (a) => (z) {
      two = Constant<value_float: float = @alpha>()
      z = Mul(a, two)
    }
    """,
        domains=["local"],
    )


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 4))]
)
def test_damaged_files_never_end_in_a_traceback(seed: int, tmp_path: Path) -> None:
    """A flipped bit or a cut would end in a traceback, or in a graph that cannot be walked."""
    good = busy().SerializeToString()
    rng, path, loaded, lines = random.Random(seed), tmp_path / "model.onnx", 0, set()
    for _ in range(200):
        data = bytearray(good)
        for _ in range(rng.choice((1, 1, 3))):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        cut = rng.randrange(len(data)) if rng.random() < 0.3 else len(data)
        path.write_bytes(data[:cut])
        try:
            graph = load(path)
        except ModelError as error:
            assert str(error).isprintable()
            lines.add(str(error))
        else:
            loaded += 1
            for call in graph.calls:
                assert call.name and all(isinstance(n, str) for n in call.inputs + call.outputs)
    assert 10 < loaded < 150 and len(lines) > 20  # the damage is neither overlooked nor all alike


def test_every_truncation_is_refused_or_read(tmp_path: Path) -> None:
    """A file cut off at some byte would end in a traceback."""
    good, path, loaded = busy().SerializeToString(), tmp_path / "model.onnx", []
    for size in range(len(good)):
        path.write_bytes(good[:size])
        try:
            loaded.append(load(path))
        except ModelError as error:
            assert str(error).isprintable()
    # Where the cut is between two parts of the file, the rest is one: the call of the function that
    # was cut off is then one of an operator that nobody knows.
    assert [{c.domain for c in graph.calls} for graph in loaded] == [{"", "local"}]


CALLED = "g (float[n] x) => (float[n] y) {y = local.f(x)}"
HEAD = '<domain: "local", opset_import: ["": 17, "local": 1]>'
OF_16 = '<domain: "local", opset_import: ["": 16]>'
OF_12 = '<domain: "local", opset_import: ["": 12]>'
MADE = "makes a tensor of"
# Functions that nest graphs within bounds beyond them, and such as call others twice, 50 deep.
NESTED = "".join(
    f"{HEAD} f{k} (b, a) => (z) {{z = If (b) <then_branch = t () => (l) "
    f"{{l = local.f{k + 1}(b, a)}}, else_branch = e () => (r) {{r = Neg(a)}}>}}"
    for k in range(40)
)
DOUBLED = "".join(
    f"{HEAD} f{k} (a) => (z) {{t = local.f{k + 1}(a) z = local.f{k + 1}(t)}}" for k in range(50)
)


def of_x(nodes: str, *functions: str) -> str:
    """The text of a graph from x to y, and of local functions."""
    return " ".join([f"g (float[n] x) => (float[n] y) {{{nodes}}}", *(HEAD + f for f in functions)])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        # A name without a meaning, or with two, would be given one.
        ("g (float[n] x) => (float[n] y) {y = Add(x, a) a = Neg(b) b = Neg(a)}",
         "a cycle: Neg a → Neg b"),
        ("g (float[n] x) => (float[n] y) {y = Add(x, y)}", "a cycle: Add y"),
        ("g (float[n] x) => (float[n] y) {y = Add(x, nothing)}",
         "Add y uses nothing, which is defined nowhere"),
        ("g (float[n] x) => (float[n] y) {z = Relu(x)}", "the output y is defined nowhere"),
        ("g (float[n] x) => (float[n] y) {y = Relu(x) y = Neg(x)}", "y is defined twice"),
        ("g (float[n] x) => (float[n] y) {x = Relu(x) y = Neg(x)}", "x is defined twice"),
        ("g (float[n] x) => (float[n] y) <float[1] w = {1}, float[1] w = {2}> {y = Add(x, w)}",
         "w is defined twice"),
        ("g (float[n] x, float[n] x) => (float[n] y) {y = Relu(x)}", "x is defined twice"),
        ("g (float[n] x) => (float[n] y, float[n] y) {y = Relu(x)}", "y is listed twice"),
        ("g (float[n] x) => (float[n] x) {x = Constant<value_float = 1.0>()}", "defined twice"),
        ("g (float[n] x) => (float[n] y) {y = other.Relu(x)}", "other, which the model does not"),
        ("g (seq(float[n]) x) => (float[n] y) {y = Relu(x)}", "input x is declared as sequence"),
        ("g (float[n] x, bool b) => (float[n] y) {y = If (b) <then_branch = p () => (l) "
         "{l = Neg(z)}, else_branch = q () => (r) {r = Neg(x)}>}", "uses z, which is defined no"),
        ("g (float[n] x, bool b) => (float[n] y) {y = If (b) <then_branch = p () => (l) "
         "{l = Neg(y)}, else_branch = q () => (r) {r = Neg(x)}>}", "a cycle: If y"),
        ("g (float[n] x, bool b) => (float[n] y) {y = If (b) <then_branch = p () => (l) "
         "{l = Neg(r)}, else_branch = q () => (r) {r = Neg(x)}>}", "uses r, which is defined no"),
        ("g (float[n] x) => (float[n] y) {y = com.microsoft.Gelu(x)}",
         "com.microsoft, which the model does not import"),
        # A file of a hundred bytes would ask for terabytes when it is evaluated.
        (of_x("s = Constant<value_ints = [1000000, 1000000]>() c = ConstantOfShape(s) "
              "y = Add(x, c)"), MADE),
        (of_x("s = Constant<value_ints = [1000000000000]>() y = Expand(x, s)"), MADE),
        (of_x("s = Constant<value_ints = [4611686018427387904, 4]>() y = Expand(x, s)"), MADE),
        (of_x("s = Constant<value_ints = [1000000000000]>() y = Tile(x, s)"), MADE),
        (of_x("s = Constant<value_ints = [0, 1000000000000]>() y = Pad(x, s)"), MADE),
        (of_x("a = Constant<value_float = 0.0>() b = Constant<value_float = 1e12>() "
              "c = Constant<value_float = 0.5>() r = Range(a, b, c) y = Add(x, r)"), MADE),
        (of_x("a = Constant<value_int = 0>() b = Constant<value_int = -1000000000000>() "
              "c = Constant<value_int = -1>() r = Range(a, b, c) y = Neg(x)"), MADE),
        (of_x("r = RandomNormal<shape = [1000000, 1000000]>() y = Neg(x)"), MADE),
        ("g (float[n] x, bool b) => (float[n] y) <int64[1] s = {1000000000000}> {y = If (b) "
         "<then_branch = p () => (l) {l = Expand(x, s)}, else_branch = q () => (r) {r = Neg(x)}>}",
         "Expand l makes a tensor"),
        # NaN would come in by a Constant, where initialisers are looked at alone.
        (of_x("y = Constant<value = float[1] {nan}>()"), "holds NaN"),
        # A function without an end would be followed, or a name of its caller's be captured.
        (of_x("y = local.f(x)", "f (a) => (z) {z = local.f(a)}"),
         "local::f calls itself"),
        (of_x("y = local.f(x)", "f (a) => (z) {z = local.h(a)}",
              "h (a) => (z) {z = local.f(a)}"), "local::f calls itself"),
        (of_x("y = local.f(x)", "f (a) => (z) {b = Constant<value = bool {1}>() "
              "z = If (b) <then_branch = p () => (l) {l = local.f(a)}, else_branch = q () => (r) "
              "{r = Neg(a)}>}"), "local::f calls itself"),
        (of_x("y = local.f(x, x)", "f (a) => (z) {z = Neg(a)}"),
         "2 inputs and 1 outputs; it has 1"),
        (of_x("y, w = local.f(x)", "f (a) => (z) {z = Neg(a)}"),
         "1 inputs and 2 outputs; it has 1"),
        (of_x("y = local.f(x)", "f (a) => (z) {z = Neg(x)}"), "which is defined nowhere"),
        (of_x("y = local.f(x)", "f (a) => (z) {t = Neg(a)}"),
         "the output y is defined nowhere"),
        (of_x("y = local.f(x)", "f (a) => (z) {a = Neg(a) z = Neg(a)}"),
         "defines its input a again"),
        (of_x("y = local.f(x)", "f (a) => (z) {z = Neg(a)}",
              "f (a) => (z) {z = Exp(a)}"), "twice"),
        (of_x("y = LeakyRelu<alpha: float = @s>(x)", "f (a) => (z) {z = Neg(a)}"),
         "stands in none"),
        # An operator that another set changed would be read with the meaning of the model's set.
        (f"{CALLED} {OF_16} f (a) => (z) {{z = LayerNormalization(a)}}",
         "uses LayerNormalization of operator set 16"),
        (f"{CALLED} {OF_12} f (a) => (z) {{z = ReduceSum(a)}}",
         "uses ReduceSum of operator set 12"),
        # Graphs within bounds would be nested beyond them by inlining.
        ("g (float[n] x, bool b) => (float[n] y) {y = local.f0(b, x)} "
         f"{NESTED} {HEAD} f40 (b, a) => (z) {{z = Neg(a)}}", "more than 30 deep"),
    ],
)  # fmt: skip
def test_graphs_that_mean_nothing_are_refused(text: str, says: str) -> None:
    """A model would be given a meaning, memory that it does not need, or no end."""
    domains = ["local"] if HEAD in text or CALLED in text else []
    with pytest.raises(ModelError, match=re.escape(says)):
        graph_of(parsed(text, domains=domains))


Change = Callable[[ModelProto], object]


def initialiser(tensor: TensorProto) -> Change:
    """The model with this initialiser."""
    return lambda model: model.graph.initializer.append(tensor)


def tensor(**fields: Any) -> Change:
    """The model with an initialiser of these fields."""
    return initialiser(TensorProto(**fields))


def weight(dims: list[int], data: bytes | None = None) -> Change:
    """The model with an initialiser w of floats that claims these dimensions."""
    return tensor(name="w", data_type=TensorProto.FLOAT, dims=dims, raw_data=data)


def array(values: list[complex], dtype: Any = None) -> Change:
    """The model with an initialiser w of these values."""
    return initialiser(numpy_helper.from_array(np.array(values, dtype), "w"))


def sparse(indices: list[int], dims: list[int]) -> Change:
    """The model with a sparse initialiser of one entry."""
    values = helper.make_tensor("w", TensorProto.FLOAT, [1], [1.0])
    places = helper.make_tensor("i", TensorProto.INT64, [len(indices)], indices)
    found = helper.make_sparse_tensor(values, places, dims)
    return lambda model: model.graph.sparse_initializer.append(found)


def constant(**value: Any) -> Change:
    """The model with a constant of this value."""
    made = helper.make_node("Constant", [], ["c"], **value)
    return lambda model: model.graph.node.append(made)


def node(change: Callable[[onnx.NodeProto], object]) -> Change:
    """The model with its node changed."""
    return lambda model: change(model.graph.node[0])


def opset(version: int) -> Change:
    """The model of another operator set."""
    return lambda model: setattr(model.opset_import[0], "version", version)


BIG = 1 << 62


@pytest.mark.parametrize(
    ("change", "says"),
    [
        # Memory would be asked for that the file does not fill, or weights be no numbers.
        (weight([3], b"\0" * 8), "initialiser w has the shape [3], of 12 bytes, and holds 8"),
        (weight([2], b"\0" * 12), "holds 12"),
        (weight([10**6, 10**6], b"\0"), "of 4000000000000 bytes, and holds 1"),
        (weight([BIG, 4], b""), "and holds 0"),  # 2⁶⁴ entries: in 64 bits, none
        (weight([BIG, 4, 0], b""), "has the shape"),
        (weight([-1, -4], b"\0" * 16), "has the shape [-1, -4]"),
        (weight([1] * 60, b"\0" * 4), "has the shape"),
        (weight([3]), "of 3 numbers, and holds 0"),
        (tensor(name="w", data_type=1, dims=[1], double_data=[1.0]), "holds 0"),
        (tensor(name="w", data_type=99, dims=[1], raw_data=b"\0"), "the element type 99"),
        (tensor(name="w", data_type=0, dims=[1], raw_data=b"\0"), "the element type 0"),
        (tensor(name="w", data_type=8, dims=[1], string_data=[b"\xff"]), "cannot be read"),
        (tensor(name="w", data_type=22, dims=[10**12], raw_data=b"\0"), "holds"),
        (tensor(name="w", data_type=22, dims=[3], raw_data=b"\0"), "cannot be read"),
        (array([1, np.nan], np.float32), "w holds NaN"),
        (array([1, np.nan], np.float16), "w holds NaN"),
        (array([1, 1j * np.nan]), "w holds NaN"),
        (initialiser(helper.make_tensor("w", TensorProto.BFLOAT16, [2], [1, np.nan])),
         "w holds NaN"),
        (tensor(data_type=1, dims=[0], raw_data=b""), "has no name"),
        (constant(value_float=np.nan), "holds NaN"),
        (constant(value_floats=[0.0, np.nan]), "holds NaN"),
        # Entries would be written outside, or a dense tensor of 10¹⁴ entries be made.
        *((sparse(*places), "w is sparse") for places in (
            ([0, 1], [3]), ([9], [3]), ([-1], [3]), ([0], [10**7, 10**7]), ([0], [-3]))),
        # An attribute without a meaning would be passed on, or one of two be chosen.
        (node(lambda n: n.attribute.add(name="a")), "has the type 0"),
        (node(lambda n: n.attribute.add(name="a", type=2, ref_attr_name="b")), "stands in none"),
        (node(lambda n: n.attribute.extend([helper.make_attribute("a", 1)] * 2)),
         "attribute a twice"),
        (node(lambda n: setattr(n, "op_type", "")), "has no operator"),
        (node(lambda n: setattr(n, "op_type", "Constant")), "is no Constant"),
        # Axes of an input would be counted that its file does not declare.
        (lambda m: setattr(m.graph.input[0].type.tensor_type, "elem_type", 0),
         "input x has no element type"),
        (lambda m: m.graph.input[0].type.tensor_type.ClearField("shape"), "input x has no shape"),
        # Operators would be read with the meaning of another version, or of one that is guessed.
        *((opset(k), f"operator set {k}; 13 to")
          for k in (-1, 0, 1, 12, onnx.defs.onnx_opset_version() + 1, 10**9)),
        (lambda m: m.ClearField("opset_import"), "ai.onnx, which the model does not import"),
        (lambda m: m.opset_import.add(domain="ai.onnx", version=18),
         "imported in the versions 17 and 18"),
    ],
)  # fmt: skip
def test_models_that_are_damaged_are_refused(change: Change, says: str) -> None:
    """What a file does not say, or says twice, would be guessed."""
    model = parsed(RELU)
    change(model)
    with pytest.raises(ModelError, match=re.escape(says)):
        graph_of(model)


def test_a_version_beyond_all_is_refused() -> None:
    """The version of an operator set would be looked up in a table that cannot hold it."""
    model = parsed(f"{CALLED} {HEAD} f (a) => (z) {{z = Neg(a)}}", domains=["local"])
    model.functions[0].opset_import[0].version = 2**40
    with pytest.raises(ModelError, match="uses Neg of operator set 1099511627776"):
        graph_of(model)


def test_infinity_is_a_weight() -> None:
    """A mask of −∞ would be refused with the NaNs."""
    model = parsed(RELU)
    array([-np.inf, np.inf, 0], np.float32)(model)
    assert graph_of(model).constants["w"].tolist() == [-np.inf, np.inf, 0]


def test_large_sizes_within_bounds_are_read() -> None:
    """Models with a mask of 2048 × 2048 entries would be refused."""
    text = "{s = Constant<value_ints = [2048, 2048]>() c = ConstantOfShape(s) y = Neg(x)}"
    assert len(graph_of(parsed(f"g (float[n] x) => (float[n] y) {text}")).calls) == 2


def test_too_many_nodes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes would be counted in the main graph alone, or not at all."""
    monkeypatch.setattr(read_graph, "MAX_NODES", 5)
    graph_of(parsed("g (float[n] x) => (float[n] y) {a = Neg(x) b = Neg(a) y = Neg(b)}"))
    with pytest.raises(ModelError, match="more than 5 nodes"):
        graph_of(busy())


@pytest.mark.parametrize("depth", [25, 32])
def test_graphs_in_graphs_are_bounded(depth: int, tmp_path: Path) -> None:
    """A file of nested subgraphs would end in a RecursionError."""
    model = parsed("g (float[n] x) => (float[n] x0) {x0 = Neg(x)}")
    graph = model.graph
    for k in range(depth):
        node = graph.node.add(op_type="Deep", output=[f"y{k}"])
        graph = node.attribute.add(name="body", type=onnx.AttributeProto.GRAPH).g
        graph.output.add(name=f"y{k}x")
        graph.node.add(op_type="Neg", input=["x"], output=[f"y{k}x"])
    path = saved(model, tmp_path)
    if depth < 30:
        assert len(load(path).calls) == 2
    else:
        assert "more than 30 deep" in refused(path)


def test_messages_in_messages_are_bounded(tmp_path: Path) -> None:
    """A file that is nested a thousand times would end in a traceback of the parser's."""
    data = b""
    for tag in [
        *b"\x32\x2a\x0a" * 1000,
        0x3A,
    ]:  # attribute.g, node.attribute, graph.node; the graph
        size, length = len(data), b""
        while size > 127:
            length, size = length + bytes([size & 127 | 128]), size >> 7
        data = bytes([tag]) + length + bytes([size]) + data
    (tmp_path / "deep.onnx").write_bytes(b"\x08\x08" + data)
    assert "not an ONNX model, or cut off" in refused(tmp_path / "deep.onnx")


def test_names_cannot_break_the_line(tmp_path: Path) -> None:
    """A name with a line break or a control character would write its own lines."""
    model = parsed(RELU)
    model.graph.node[0].input[0] = "a\n\x1b[31mb" + "c" * 1000
    line = refused(saved(model, tmp_path))
    assert "uses a\\n\\x1b[31mbccc" in line and line.endswith("…")


def test_inlining_counts_its_nodes_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions that call others twice, 50 deep, would be written out 2⁵⁰ times."""
    monkeypatch.setattr(inline, "MAX_NODES", 2000)
    text = f"{CALLED.replace('.f', '.f0')} {DOUBLED} {HEAD} f50 (a) => (z) {{z = Neg(a)}}"
    with pytest.raises(ModelError, match="more than 2,000 nodes"):
        graph_of(parsed(text, domains=["local"]))
