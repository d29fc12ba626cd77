"""Files that are no model, or a bad one: each is refused in one line that says why."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra `onnx` is missing")

import onnx
from onnx import ModelProto, TensorProto, helper, numpy_helper

from orderproof.symbolic.onnx import inline, read_graph
from orderproof.symbolic.onnx.graph import ModelError
from orderproof.symbolic.onnx.load import graph_of, load
from tests.symbolic.onnx.making import made, parsed, refused, saved, value

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
    """A folder, a missing file, or a pipe would end in a traceback, or be waited for."""
    os.mkfifo(tmp_path / "pipe")
    assert "not a file" in refused(tmp_path)
    assert "no such file" in refused(tmp_path / "nothing.onnx")
    assert "not a file" in refused(tmp_path / "pipe")


def test_a_file_that_may_not_be_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operating system's refusal would end in a traceback."""
    path = saved(parsed(RELU), tmp_path)

    def forbidden(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", forbidden)
    assert refused(path).endswith("cannot be read: Permission denied")


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


@pytest.mark.parametrize(
    ("graph", "says"),
    [
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
    ],
)  # fmt: skip
def test_graphs_that_mean_nothing_are_refused(graph: str, says: str) -> None:
    """A name without a meaning, or with two, would be given one."""
    with pytest.raises(ModelError, match=re.escape(says)):
        graph_of(parsed(graph))


@pytest.mark.parametrize("opset", [-1, 0, 1, 12, onnx.defs.onnx_opset_version() + 1, 10**9])
def test_unknown_operator_sets_are_refused(opset: int) -> None:
    """Operators would be read with the meaning of another version."""
    model = parsed(RELU)
    model.opset_import[0].version = opset
    with pytest.raises(ModelError, match=f"operator set {opset}; 13 to"):
        graph_of(model)


def test_operator_sets_have_to_be_imported_once() -> None:
    """The version of an operator would be guessed."""
    none, two = parsed(RELU), parsed(RELU)
    del none.opset_import[:]
    two.opset_import.add(domain="ai.onnx", version=18)
    with pytest.raises(ModelError, match=r"ai\.onnx, which the model does not import"):
        graph_of(none)
    with pytest.raises(ModelError, match="imported in the versions 17 and 18"):
        graph_of(two)


def with_tensor(tensor: TensorProto) -> ModelProto:
    """A model with this initialiser."""
    model = parsed(RELU)
    model.graph.initializer.append(tensor)
    return model


def floats(dims: list[int], data: bytes | None = None) -> TensorProto:
    """A tensor w of floats that claims these dimensions."""
    return TensorProto(name="w", data_type=TensorProto.FLOAT, dims=dims, raw_data=data)


BIG = 1 << 62


@pytest.mark.parametrize(
    ("tensor", "says"),
    [
        (floats([3], b"\0" * 8), "initialiser w has the shape [3], of 12 bytes, and holds 8"),
        (floats([2], b"\0" * 12), "holds 12"),
        (floats([10**6, 10**6], b"\0"), "of 4000000000000 bytes, and holds 1"),
        (floats([BIG, 4], b""), "and holds 0"),  # 2⁶⁴ entries: in 64 bits, none
        (floats([BIG, 4, 0], b""), "has the shape"),
        (floats([-1, -4], b"\0" * 16), "has the shape [-1, -4]"),
        (floats([1] * 60, b"\0" * 4), "has the shape"),
        (floats([3]), "of 3 numbers, and holds 0"),
        (TensorProto(name="w", data_type=1, dims=[1], double_data=[1.0]), "holds 0"),
        (TensorProto(name="w", data_type=99, dims=[1], raw_data=b"\0"), "the element type 99"),
        (TensorProto(name="w", data_type=0, dims=[1], raw_data=b"\0"), "the element type 0"),
        (TensorProto(name="w", data_type=8, dims=[1], string_data=[b"\xff"]), "cannot be read"),
        (TensorProto(name="w", data_type=22, dims=[10**12], raw_data=b"\0"), "holds"),
        (TensorProto(name="w", data_type=22, dims=[3], raw_data=b"\0"), "cannot be read"),
        (numpy_helper.from_array(np.array([1, np.nan], np.float32), "w"), "w holds NaN"),
        (numpy_helper.from_array(np.array([1, np.nan], np.float16), "w"), "w holds NaN"),
        (numpy_helper.from_array(np.array([1, 1j * np.nan]), "w"), "w holds NaN"),
        (helper.make_tensor("w", TensorProto.BFLOAT16, [2], [1, np.nan]), "w holds NaN"),
        (TensorProto(data_type=1, dims=[0], raw_data=b""), "has no name"),
    ],
)
def test_tensors_that_do_not_fit_are_refused(tensor: TensorProto, says: str) -> None:
    """Memory would be asked for that the file does not fill, or weights be no numbers."""
    with pytest.raises(ModelError, match=re.escape(says)):
        graph_of(with_tensor(tensor))


def test_infinity_is_a_weight() -> None:
    """A mask of −∞ would be refused with the NaNs."""
    array = np.array([-np.inf, np.inf, 0], np.float32)
    graph = graph_of(with_tensor(numpy_helper.from_array(array, "w")))
    assert np.array_equal(graph.constants["w"], array)


def test_nan_in_constant_nodes_is_refused() -> None:
    """NaN would come in by a Constant, where initialisers are looked at alone."""
    array = numpy_helper.from_array(np.array([np.nan], np.float32))
    for attribute in ({"value": array}, {"value_float": np.nan}, {"value_floats": [0.0, np.nan]}):
        node = helper.make_node("Constant", [], ["y"], **attribute)
        with pytest.raises(ModelError, match="holds NaN"):
            graph_of(made([node], [], [value("y", [])]))


@pytest.mark.parametrize(
    ("indices", "dims"),
    [([0, 1], [3]), ([9], [3]), ([-1], [3]), ([0], [10**7, 10**7]), ([0], [-3])],
)
def test_sparse_tensors_that_do_not_fit_are_refused(indices: list[int], dims: list[int]) -> None:
    """Entries would be written outside, or a dense tensor of 10¹⁴ entries be made."""
    model = parsed(RELU)
    model.graph.sparse_initializer.append(
        helper.make_sparse_tensor(
            helper.make_tensor("w", TensorProto.FLOAT, [1], [1.0]),
            helper.make_tensor("i", TensorProto.INT64, [len(indices)], indices),
            dims,
        )
    )
    with pytest.raises(ModelError, match="w is sparse"):
        graph_of(model)


@pytest.mark.parametrize(
    "graph",
    [
        "{s = Constant<value_ints = [1000000, 1000000]>() c = ConstantOfShape(s) y = Add(x, c)}",
        "{s = Constant<value_ints = [1000000000000]>() y = Expand(x, s)}",
        "{s = Constant<value_ints = [4611686018427387904, 4]>() y = Expand(x, s)}",
        "{s = Constant<value_ints = [1000000000000]>() y = Tile(x, s)}",
        "{s = Constant<value_ints = [0, 1000000000000]>() y = Pad(x, s)}",
        "{a = Constant<value_float = 0.0>() b = Constant<value_float = 1e12>() "
        "c = Constant<value_float = 0.5>() r = Range(a, b, c) y = Add(x, r)}",
        "{a = Constant<value_int = 0>() b = Constant<value_int = -1000000000000>() "
        "c = Constant<value_int = -1>() r = Range(a, b, c) y = Neg(x)}",
        "{r = RandomNormal<shape = [1000000, 1000000]>() y = Neg(x)}",
    ],
)
def test_bombs_are_refused(graph: str) -> None:
    """A file of a hundred bytes would ask for terabytes when it is evaluated."""
    with pytest.raises(ModelError, match=r"makes a tensor of .* at most"):
        graph_of(parsed(f"g (float[n] x) => (float[n] y) {graph}"))


def test_a_bomb_in_a_subgraph_is_refused() -> None:
    """A size that stands outside the subgraph that uses it would not be seen."""
    model = parsed("""
    g (float[n] x, bool b) => (float[n] y) <int64[1] s = {1000000000000}> {
      y = If (b) <then_branch = p () => (l) {l = Expand(x, s)}, else_branch = q () => (r)
        {r = Neg(x)}>
    }
    """)
    with pytest.raises(ModelError, match="Expand l makes a tensor"):
        graph_of(model)


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


def test_functions_cannot_nest_graphs_without_bounds() -> None:
    """Graphs within bounds would be nested beyond them by inlining."""
    functions = "".join(
        f'<domain: "local", opset_import: ["": 17, "local": 1]> f{k} (b, a) => (z) '
        f"{{z = If (b) <then_branch = t () => (l) {{l = local.f{k + 1}(b, a)}}, "
        "else_branch = e () => (r) {r = Neg(a)}>}"
        for k in range(40)
    )
    model = parsed(
        f"g (float[n] x, bool b) => (float[n] y) {{y = local.f0(b, x)}} {functions} "
        '<domain: "local", opset_import: ["": 17]> f40 (b, a) => (z) {z = Neg(a)}',
        domains=["local"],
    )
    with pytest.raises(ModelError, match="more than 30 deep"):
        graph_of(model)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda n: n.attribute.add(name="a"), "has the type 0"),
        (lambda n: n.attribute.add(name="a", type=2, ref_attr_name="b"), "stands in none"),
        (lambda n: n.attribute.extend([helper.make_attribute("a", 1)] * 2), "attribute a twice"),
        (lambda n: setattr(n, "op_type", ""), "has no operator"),
        (lambda n: setattr(n, "op_type", "Constant"), "is no Constant"),
    ],
)
def test_damaged_nodes_are_refused(change: Callable[[onnx.NodeProto], object], says: str) -> None:
    """An attribute without a meaning would be passed on, or one of two be chosen."""
    model = parsed(RELU)
    change(model.graph.node[0])
    with pytest.raises(ModelError, match=says):
        graph_of(model)


def test_inputs_need_a_type_and_a_shape() -> None:
    """Axes of an input would be counted that its file does not declare."""
    model = parsed(RELU)
    kind = model.graph.input[0].type.tensor_type
    kind.elem_type = 0
    with pytest.raises(ModelError, match="input x has no element type"):
        graph_of(model)
    kind.ClearField("shape")
    with pytest.raises(ModelError, match="input x has no shape"):
        graph_of(model)


def test_names_cannot_break_the_line(tmp_path: Path) -> None:
    """A name with a line break or a control character would write its own lines."""
    model = parsed(RELU)
    model.graph.node[0].input[0] = "a\n\x1b[31mb" + "c" * 1000
    line = refused(saved(model, tmp_path))
    assert "uses a\\n\\x1b[31mbccc" in line and line.endswith("…")


def test_inlining_counts_its_nodes_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions that call others twice, 50 deep, would be written out 2⁵⁰ times."""
    monkeypatch.setattr(inline, "MAX_NODES", 2000)
    functions = "".join(
        f'<domain: "local", opset_import: ["": 17]> f{k} (a) => (z) '
        f"{{t = local.f{k + 1}(a) z = local.f{k + 1}(t)}}"
        for k in range(50)
    )
    model = parsed(
        f"g (float[n] x) => (float[n] y) {{y = local.f0(x)}} {functions} "
        '<domain: "local", opset_import: ["": 17]> f50 (a) => (z) {z = Neg(a)}',
        domains=["local"],
    )
    with pytest.raises(ModelError, match="more than 2,000 nodes"):
        graph_of(model)
