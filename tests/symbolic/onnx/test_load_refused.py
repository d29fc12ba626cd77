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

from orderproof.symbolic.onnx import order
from orderproof.symbolic.onnx.graph import Graph, ModelError
from orderproof.symbolic.onnx.load import graph_of, load
from tests.symbolic.onnx.making import parsed, refused, saved
from tests.symbolic.onnx.test_inline import HEAD, MODELS, REFERRED, of

RELU = "g (float[n] x) => (float[n] y) {y = Relu(x)}"


def nested(times: int) -> bytes:
    """A graph in an attribute of a node of a graph, and so on."""
    data = b""
    for tag in [*b"\x32\x2a\x0a" * times, 0x3A]:
        size, length = len(data), b""
        while size > 127:
            length, size = length + bytes([size & 127 | 128]), size >> 7
        data = bytes([tag]) + length + bytes([size]) + data
    return b"\x08\x08" + data


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "the file is empty"),
        *((data, "not an ONNX model") for data in (
            b"\0", b'{"irVersion": 8, "graph": {}}', b"A model, in words.\n", b"<html>",
            random.Random(0).randbytes(4096), nested(1000))),
        (b"\x08\x08", "it has no graph"),  # a version alone
        (b"\x08\x08\x3a\x00", "the graph has no outputs"),  # and an empty graph
    ],
)  # fmt: skip
def test_what_is_not_onnx_is_refused(data: bytes, says: str, tmp_path: Path) -> None:
    """A file of another kind would end in a traceback, or be a model without contents."""
    path = tmp_path / "model.onnx"
    path.write_bytes(data)
    assert says in refused(path)
    assert refused(tmp_path).endswith(": given a folder, expected an ONNX model")


@pytest.mark.parametrize("text", [b"Selu", b"size", b"half", b"gamma", b"written"])
def test_texts_are_in_utf_8(text: bytes, tmp_path: Path) -> None:
    """An operator, an axis, a tensor, an attribute or what an exporter noted would be bytes, and
    end in a traceback."""
    model = parsed(
        "g (float[size] x) => (float[size] y) {half = Selu<gamma = 2.0>(x) y = Neg(half)}"
    )
    model.graph.node[0].metadata_props.add(key="pkg.torch.onnx.stack_trace", value="written")
    (tmp_path / "model.onnx").write_bytes(
        model.SerializeToString().replace(text, b"\xff" * len(text))
    )
    assert "which is not text in UTF-8" in refused(tmp_path / "model.onnx")


CALLED = "g (float[n] x) => (float[n] y) {y = local.f(x)}"
OF_16 = '<domain: "local", opset_import: ["": 16]>'
OF_12 = '<domain: "local", opset_import: ["": 12]>'
MADE = "makes a tensor of"


def branches(then: str, depth: int = 1) -> str:
    """An If of b that makes this in one branch, or in a branch of a branch …"""
    for _ in range(depth):
        other = "else_branch = q () => (r) {r = Neg(a)}"
        then = f"If (b) <then_branch = p () => (l) {{l = {then}}}, {other}>"
    return then


def functions(count: int, body: str, last: str = "z = Neg(a)", given: str = "") -> str:
    """The functions f0, f1 …, each made of the next one, `f`; the last is another."""
    bodies = [re.sub(r" f(?=[<(])", f" local.f{k + 1}", body) for k in range(count)]
    made = (f"f{k} {given} (a, b) => (z) {{{nodes}}}" for k, nodes in enumerate([*bodies, last]))
    return " ".join(HEAD + function for function in made)


def of_x(nodes: str, *functions: str) -> str:
    """The text of a graph from x to y, and of local functions."""
    return " ".join([f"g (float[n] x, bool b) => (y) {{{nodes}}}", *(HEAD + f for f in functions)])


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


def busy() -> bytes:
    """A model that has something of everything: weights, functions, subgraphs, attributes."""
    model = of(*MODELS["a subgraph that sees the function's names"])
    weight([2, 3], b"\0" * 24)(model)
    return model.SerializeToString()


def read(data: bytes, path: Path) -> Graph | str:
    """The graph in a file of these bytes, or the line with which it is refused."""
    path.write_bytes(data)
    try:
        graph = load(path)
    except ModelError as error:
        assert str(error).isprintable() and len(str(error)) <= 400
        return str(error)
    assert all(c.name and all(isinstance(n, str) for n in c.inputs) for c in graph.calls)
    return graph


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 4))]
)
def test_damaged_files_never_end_in_a_traceback(seed: int, tmp_path: Path) -> None:
    """A flipped bit or a cut would end in a traceback, or in a graph that cannot be walked."""
    good, rng, found = (
        busy(),
        random.Random(seed),
        [],
    )
    for _ in range(200):
        data = bytearray(good)
        for _ in range(rng.choice((1, 1, 3))):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        cut = rng.randrange(len(data)) if rng.random() < 0.3 else len(data)
        found.append(read(bytes(data[:cut]), tmp_path / "model.onnx"))
    lines = {line for line in found if isinstance(line, str)}
    loaded = sum(isinstance(graph, Graph) for graph in found)
    assert 10 < loaded < 150 and len(lines) > 20  # the damage is neither overlooked nor all alike


def test_every_truncation_is_refused_or_read(tmp_path: Path) -> None:
    """A file cut off at some byte would end in a traceback."""
    good = busy()
    found = [read(good[:size], tmp_path / "model.onnx") for size in range(len(good))]
    # Where the cut is between two parts of the file, the rest is one: the call of the function that
    # was cut off is then one of an operator that nobody knows.
    loaded = [{c.domain for c in graph.calls} for graph in found if isinstance(graph, Graph)]
    assert loaded == [{"", "local"}]


BIG = 1 << 62
NAN = numpy_helper.from_array(np.array([np.nan]))


@pytest.mark.parametrize(
    ("model", "says"),
    [
        # A name without a meaning, or with two, would be given one.
        (of_x("y = Add(x, a) a = Neg(c) c = Neg(a)"), "a cycle: Neg a → Neg c"),
        (of_x("y = Add(x, y)"), "a cycle: Add y"),
        (of_x("y = Add(x, nothing)"), "Add y uses nothing, which is defined nowhere"),
        (of_x("z = Relu(x)"), "the output y is defined nowhere"),
        (of_x("y = Relu(x) y = Neg(x)"), "y is defined twice"),
        (of_x("x = Relu(x) y = Neg(x)"), "x is defined twice"),
        ("g (float[n] x) => (float[n] y) <float[1] w = {1}, float[1] w = {2}> {y = Add(x, w)}",
         "w is defined twice"),
        ("g (float[n] x, float[n] x) => (float[n] y) {y = Relu(x)}", "x is defined twice"),
        ("g (float[n] x) => (float[n] y, float[n] y) {y = Relu(x)}", "y is listed twice"),
        ("g (float[n] x) => (float[n] x) {x = Constant<value_float = 1.0>()}", "defined twice"),
        ("g (seq(float[n]) x) => (float[n] y) {y = Relu(x)}", "input x is declared as sequence"),
        (of_x("a = Neg(x) y = " + branches("Neg(z)")), "uses z, which is defined no"),
        (of_x("a = Neg(x) y = " + branches("Neg(y)")), "a cycle: If y"),
        (of_x("a = Neg(x) y = " + branches("Neg(r)")), "uses r, which is defined no"),
        (of_x("y = other.Relu(x)"), "other, which the model does not import"),
        # onnxruntime takes the outer one, a reader the inner.
        (of_x("a = Neg(x) y = " + branches("Neg(a) a = Constant<value_float = 1.0>()")),
         "a is defined in a graph and again within it"),
        ("g (float[n] x, bool b, int64 z) => (y) {a = Neg(x) y = " + branches("CumSum(x, z)")
         .replace("() => (l)", "() => (l) <int64 z = {0}>") + "}", "z is defined in a graph and"),
        # A file of a hundred bytes would ask for terabytes when it is evaluated.
        *((of_x(f"s = Constant<value_ints = {s}>() {nodes}"), MADE) for s, nodes in (
            ([10**6, 10**6], "c = ConstantOfShape(s) y = Add(x, c)"),
            ([1] * 65, "y = Expand(x, s)"), ([2**62, 4], "y = Expand(x, s)"),
            ([10**12], "y = Expand(x, s)"),
            ([10**12], "y = Tile(x, s)"), ([0, 10**12], "y = Pad(x, s)"),
            ([10**12], f"a = Neg(x) y = {branches('Expand(a, s)')}"))),
        *((f"g (float[n] x) => (y) <{kind} a = {{0}}, {kind} d = {{{end}}}, {kind} c = {{{step}}}> "
           "{r = Range(a, d, c) y = Neg(x)}", MADE)
          for kind, end, step in (("float", "1e12", "0.5"), ("int64", -(10**12), -1))),
        (of_x("r = RandomNormal<shape = [1000000, 1000000]>() y = Neg(x)"), MADE),
        # NaN would come in by a Constant, where initialisers are looked at alone.
        (of_x("y = Constant<value = float[1] {nan}>()"), "holds NaN"),
        # A function without an end would be followed, or a name of its caller's be captured.
        (of_x("y = local.f(x)", "f (a) => (z) {z = local.f(a)}"), "local::f calls itself"),
        (of_x("y = local.f(x)", "f (a) => (z) {z = local.h(a)}",
              "h (a) => (z) {z = local.f(a)}"), "calls itself"),
        (of_x("y = local.f(x, b)", "f (a, b) => (z) {z = " + branches("local.f(a, b)") + "}"),
         "local::f calls itself"),
        (of_x("y = local.f(x, x)", "f (a) => (z) {z = Neg(a)}"),
         "2 inputs and 1 outputs; it has 1"),
        (of_x("y, w = local.f(x)", "f (a) => (z) {z = Neg(a)}"),
         "1 inputs and 2 outputs; it has 1"),
        (of_x("y = local.f(x)", "f (a) => (z) {z = Neg(x)}"), "local::f: Neg z uses x, which is"),
        (of_x("y = local.f(x)", "f (a) => (z) {t = Neg(a)}"), "local::f: the output z is defined"),
        (of_x("y = local.f(x)", "f (a) => (z) {a = Neg(a) z = Neg(a)}"), "a is defined twice"),
        (of_x("y, z = local.f(x)", "f (a) => (a, z) {z = Neg(a)}"), "local::f has an output"),
        (of_x("y, z = local.f(x)", "f (a) => (z, z) {z = Neg(a)}"), "local::f has an output"),
        (of_x("y = local.f(x)", "f (a) => (z) {z = Neg(a)}", "f (a) => (z) {z = Exp(a)}"),
         "the function local::f is defined twice"),
        (of_x("y = LeakyRelu<alpha: float = @s>(x)", "f (a) => (z) {z = Neg(a)}"), "is in none"),
        # An operator that another set changed would be read with the meaning of the model's set.
        (f"{CALLED} {OF_16} f (a) => (z) {{z = LayerNormalization(a)}}",
         "uses LayerNormalization of operator set 16"),
        (f"{CALLED} {OF_12} f (a) => (z) {{z = ReduceSum(a)}}",
         "uses ReduceSum of operator set 12"),
        # onnxruntime takes its own operator of that name.
        *((f"g (float[n] x) => (float[n] y) {{y = {d}.f(x)}} "
           f"<domain: \"{d}\", opset_import: [\"\": 17]> f (a) => (z) {{z = Neg(a)}}",
           "is of a domain of onnxruntime's operators") for d in ("com.microsoft", "ai.onnx.ml")),
        # Calls or graphs within bounds would be nested beyond them by inlining.
        (of_x("y = local.f0(x, b)") + functions(70, "z = f(a, b)"), "more than 64 deep"),
        (of_x("y = local.f0(x, b)") + functions(31, "z = " + branches(" f(a, b)")),
         "more than 30 deep"),
        (of_x("y = local.f0(x, b)")
         + functions(1, "z = " + branches(" f(a, b)", 20), "z = " + branches("Neg(a)", 20)),
         "more than 30 deep"),
        (of_x("a = Neg(x) y = " + branches("Neg(a)", 32)), "more than 30 deep"),
        # Two calls or references in each of 40 functions: the last would be written out 2⁴⁰ times.
        (of_x("y = local.f0(x, b)") + functions(40, "t = f(a, b) z = f(t, b)"),
         "more than 200,000 nodes"),
        (of_x("y = local.f0<g = p () => (l) {l = Constant<value_float = 1.0>()}>(x, b)")
         + functions(40, f"z = f<g = p () => (l) {{l = {REFERRED}}}>(a, b)", f"z = {REFERRED}",
                     "<g>"), "more than 200,000 nodes"),
        # Memory would be asked for that the file does not fill, or weights be no numbers.
        (weight([3], b"\0" * 8), "initialiser w has the shape [3], and holds 8 bytes: "),
        (weight([2], b"\0" * 12), "cannot reshape array of size 3 into shape (2,)"),
        (weight([1], b"\0" * 3), "[1], and holds 3 bytes: buffer size must be a multiple"),
        (weight([10**6, 10**6], b"\0"), "has the shape [1000000, 1000000], and holds 1 bytes"),
        (weight([BIG, 4], b""), "and holds 0 bytes"),  # 2⁶⁴ entries: in 64 bits, none
        (weight([BIG, 4, 0], b""), "has the shape"),
        (weight([-1, -4], b"\0" * 16), "has the shape [-1, -4]"),
        (weight([1] * 60, b"\0" * 4), "has the shape"),
        (weight([3]), "w has the shape [3], and holds 0 numbers"),
        (tensor(name="w", data_type=1, dims=[1], double_data=[1.0]), "holds 0 numbers"),
        (tensor(name="w", data_type=1, dims=[1], raw_data=b"\0" * 4, segment={"begin": 0}),
         "holds segments"),
        (tensor(name="w", data_type=99, dims=[1], raw_data=b"\0"), "the element type 99"),
        (tensor(name="w", data_type=0, dims=[1], raw_data=b"\0"), "the element type 0"),
        (tensor(name="w", data_type=8, dims=[1], string_data=[b"\xff"]), "can't decode byte"),
        *((tensor(name="w", data_type=22, dims=[k], raw_data=b"\0"), "and holds 1 bytes")
          for k in (3, 5, 10**12)),
        (tensor(name="w", data_type=22, dims=[3], int32_data=[0]), "and holds 1 numbers: "),
        (tensor(name="w", data_type=1, dims=[3], float_data=[0]), "into shape (3,)"),
        (array([1, np.nan], np.float32), "w holds NaN"),
        (array([1, np.nan], np.float16), "w holds NaN"),
        (array([1, 1j * np.nan]), "w holds NaN"),
        (initialiser(helper.make_tensor("w", TensorProto.BFLOAT16, [2], [1, np.nan])),
         "w holds NaN"),
        (tensor(data_type=1, dims=[0], raw_data=b""), "has no name"),
        (constant(value_float=np.nan), "holds NaN"),
        (constant(value_floats=[0.0, np.nan]), "holds NaN"),
        (lambda m: m.graph.sparse_initializer.add(), "a sparse initialiser is not read"),
        # An attribute without a meaning would be passed on, or one of two be chosen.
        (node(lambda n: n.attribute.add(name="a")), "has the type 0"),
        (node(lambda n: n.attribute.add(name="a", type=2, ref_attr_name="b")), "is in none"),
        (node(lambda n: n.attribute.extend([helper.make_attribute("a", 1)] * 2)),
         "attribute a twice"),
        (node(lambda n: setattr(n, "op_type", "")), "has no operator"),
        # onnxruntime ends the whole process.
        (of_x("y = Max(x, , x)"), "Max y leaves out an input that Max needs"),
        (node(lambda n: setattr(n, "op_type", "Constant")), "is no Constant"),
        (constant(value_int=1.5), "is a Constant with the attribute value_int"),
        (constant(a=1), "is a Constant with the attribute a"),
        (node(lambda n: n.attribute.append(helper.make_attribute("a", NAN))),
         "attribute a of Relu y holds NaN"),
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
        # A name with a line break or a control character would write its own lines.
        (node(lambda n: n.input.insert(0, "a\n\x1b[31mb" + "c" * 1000)), "uses a\\n\\x1b[31mbccc"),
        # The version of an operator set would be looked up in a table that cannot hold it.
        (lambda m: (m.CopyFrom(of("y = local.f(x)", "f (a) => (z) {z = Neg(a)}")),
                    setattr(m.functions[0].opset_import[0], "version", 2**40)),
         "uses Neg of operator set 1099511627776"),
    ],
)  # fmt: skip
def test_graphs_that_mean_nothing_are_refused(
    model: str | Change, says: str, tmp_path: Path
) -> None:
    """A model would be given a meaning, memory that it does not need, or no end; and what a file
    does not say, or says twice, be guessed."""
    text = model if isinstance(model, str) else RELU
    every = ("local", "com.microsoft", "ai.onnx.ml")
    found = parsed(text, domains=[domain for domain in every if f'"{domain}"' in text])
    if not isinstance(model, str):
        model(found)
    assert says in refused(saved(found, tmp_path))


def test_a_default_is_no_way_around(monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph would be handed over as the default of an attribute, or a default be copied often."""
    model = parsed(of_x("y = local.f(x, b)", f"f <g> (a, b) => (z) {{z = {REFERRED}}}"),
                   domains=["local"])  # fmt: skip
    body = parsed(of_x("y = local.f(x, b)"), domains=["local"]).graph
    large = numpy_helper.from_array(np.zeros(10**5))
    del model.functions[0].attribute[:]
    for value, says in ((body, "with a graph"), (large, "more than 100 nodes")):
        del model.functions[0].attribute_proto[:]
        model.functions[0].attribute_proto.append(helper.make_attribute("g", value))
        monkeypatch.setattr(order, "MAX_NODES", 100)
        with pytest.raises(ModelError, match=says):
            graph_of(ModelProto.FromString(model.SerializeToString()))


def test_what_is_not_there_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Older versions of `onnx` would make a tensor as large as the file says, filled up with
    zeros."""
    made = []

    def to_array(tensor: TensorProto) -> Any:
        made.append(tuple(tensor.dims))
        return np.zeros(tensor.dims, helper.tensor_dtype_to_np_dtype(tensor.data_type))

    monkeypatch.setattr(numpy_helper, "to_array", to_array)
    for dims, says in (([10**12], "and holds 1 bytes"), ([3], "holds 1 bytes: 2 expected")):
        model = parsed(RELU)
        tensor(name="w", data_type=TensorProto.INT4, dims=dims, raw_data=b"\0")(model)
        with pytest.raises(ModelError, match=says):
            graph_of(model)
    assert made == [(3,)]


def test_what_is_within_bounds_is_read() -> None:
    """A mask of −∞ would be refused with the NaNs, one of 2048 × 2048 entries, or graphs in
    graphs."""
    text = "s = Constant<value_ints = [2048, 2048]>() c = ConstantOfShape(s) a = Neg(x) y = "
    model = parsed(of_x(text + branches("Neg(a)", 25)))
    array([-np.inf, np.inf, 0], np.float32)(model)
    graph = graph_of(model)
    assert graph.constants["w"].tolist() == [-np.inf, np.inf, 0] and len(graph.calls) == 3


def test_too_many_nodes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes would be counted in the main graph alone, or not at all."""
    monkeypatch.setattr(order, "MAX_NODES", 5)
    graph_of(parsed("g (float[n] x) => (float[n] y) {a = Neg(x) b = Neg(a) y = Neg(b)}"))
    for text in (of_x("a = Neg(x) c = Neg(a) d = Neg(c) y = " + branches("Neg(a)")),
                 of_x("a = Neg(x) c = local.f(a) y = local.f(c)", "f (a) => (z) "
                      "{t = Neg(a) z = Neg(t)}")):  # fmt: skip
        with pytest.raises(ModelError, match="more than 5 nodes"):
            graph_of(parsed(text, domains=["local"]))
