"""Files of ONNX that are read: names, dimensions, constants in all forms, order, subgraphs; and
data beside the file, read from the model's folder and from nowhere else."""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra `onnx` is missing")

import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from orderproof.symbolic.onnx.graph import Graph, ModelError
from orderproof.symbolic.onnx.load import graph_of, load
from orderproof.symbolic.onnx.tensors import digests
from tests.symbolic.onnx.making import parsed, refused, saved

RELU = "g (float[n] x) => (float[n] y) {y = Relu(x)}"


def with_tensor(tensor: TensorProto) -> onnx.ModelProto:
    """A model with this initialiser."""
    model = parsed(RELU)
    model.graph.initializer.append(tensor)
    return model


def test_what_a_graph_says_of_its_file(tmp_path: Path) -> None:
    """An input, a constant, a node, a version or the digest would not be what the file has; two
    sizes that the file leaves open be taken for one, or −1 for a size."""
    model = parsed("""
    g (float[n, 4] x, int64[N, n] ids) => (float[n, 2] y) <float[4, 2] w = {0, 1, 2, 3, 4, 5, 6, 7},
        float m = {2}> {
      [first] h = MatMul(x, w)
      y = Clip(h, , m)
      z = com.microsoft.Odd<size = 3, text = "a", at = [1, 2]>(h)
    }""", domains=["com.microsoft"])  # fmt: skip
    dims = model.graph.input[1].type.tensor_type.shape.dim
    dims[0].dim_param = "?"
    for open_dimension in ({"dim_value": -1}, {}, {"dim_param": ""}):
        dims.add(**open_dimension)
    path = saved(model, tmp_path)
    graph = load(path)
    assert graph.inputs["x"].dims == ("n", 4) and graph.inputs["x"].dtype == np.float32
    assert graph.inputs["ids"].dims == ("ids:0", "n", "ids:2", "ids:3", "ids:4")
    assert graph.inputs["ids"].dtype == np.int64
    assert list(graph.outputs) == ["y"] and graph.outputs["y"].dims == ("n", 2)
    assert np.array_equal(graph.constants["w"], np.arange(8, dtype=np.float32).reshape(4, 2))
    assert graph.constants["m"].shape == ()
    first, second, third = graph.calls
    assert (first.name, second.name, third.name) == ("first", "Clip y", "Odd z")
    assert second.inputs == ("h", "", "m") and second.input(1) == second.input(7) == ""
    assert (first.domain, first.version) == ("", 17)
    assert (third.domain, third.version) == ("com.microsoft", 1)
    assert third.attributes == {"size": 3, "text": "a", "at": (1, 2)}
    assert graph.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert isinstance(graph.proto, onnx.ModelProto)


@pytest.mark.parametrize("order", [*range(3), "reversed"])
def test_shuffled_nodes_are_put_in_order(order: Any) -> None:
    """A node would stand before one whose result it uses, or order be found by recursion."""
    steps = " ".join(f"t{k + 1} = Relu(t{k})" for k in range(2_000))
    model = parsed(f"g (float[n] t0) => (float[n] t2000) {{ {steps} }}")
    nodes = list(model.graph.node)
    if order == "reversed":
        nodes.reverse()
    else:
        random.Random(order).shuffle(nodes)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    outputs = [call.outputs[0] for call in graph_of(model).calls]
    assert outputs == [f"t{k}" for k in range(1, 2_001)]


def test_nodes_in_order_stay_where_they_are() -> None:
    """Errors and translations would name nodes in an order that nobody wrote."""
    names = list("dbacefz")
    nodes = " ".join(f"{name} = Relu(x)" for name in names)
    graph = graph_of(parsed(f"g (float[2] x) => (y) {{ {nodes} y = Sum({', '.join(names)}) }}"))
    assert [call.outputs[0] for call in graph.calls] == [*names, "y"]


DENSE = np.array([[0, 5], [7, 0], [0, 0]], np.float32)


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [
        ({"value": numpy_helper.from_array(DENSE)}, DENSE),
        ({"value_float": 0.5}, np.array(0.5, np.float32)),
        ({"value_floats": [0.5, 2.0]}, np.array([0.5, 2], np.float32)),
        ({"value_int": -3}, np.array(-3, np.int64)),
        ({"value_ints": [1, 2]}, np.array([1, 2], np.int64)),
        ({"value_string": "a"}, np.array("a", object)),
        ({"value_strings": ["a", "b"]}, np.array(["a", "b"], object)),
    ],
)
def test_constant_nodes_become_constants(attribute: dict[str, Any], expected: NDArray[Any]) -> None:
    """A constant of this form would be lost, or have another value, type or shape."""
    model = parsed(RELU)
    model.graph.node.append(helper.make_node("Constant", [], ["c"], **attribute))
    graph = graph_of(model)
    found = graph.constants["c"]
    assert len(graph.calls) == 1
    assert found.dtype == expected.dtype and found.shape == expected.shape
    assert found.tolist() == expected.tolist()


def test_initialisers_that_are_inputs_too_are_constants() -> None:
    """A weight of a file in the old form would be taken for an input."""
    model = parsed(
        "g (float[2] x, float[2] w) => (float[2] y) <float[2] w = {1, 2}> {y = Add(x,w)}"
    )
    graph = graph_of(model)
    assert list(graph.inputs) == ["x"] and graph.constants["w"].tolist() == [1, 2]


@pytest.mark.parametrize(
    "dtype",
    ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "c8", "c16", "bfloat16",
     "float8_e4m3fn", "float8_e5m2", "int4", "uint4"],
)  # fmt: skip
@pytest.mark.parametrize("raw", [True, False])
def test_every_element_type_is_read(dtype: str, raw: bool) -> None:
    """Entries of this type would be read as others, in one of the two ways to store them."""
    import ml_dtypes

    kind = np.dtype(getattr(ml_dtypes, dtype) if hasattr(ml_dtypes, dtype) else dtype)
    array = np.array([[0, 1, 1], [0, 1, 0]]).astype(kind)
    tensor = numpy_helper.from_array(array, "w")
    if not raw:
        tensor = helper.make_tensor("w", tensor.data_type, array.shape, array.ravel())
        assert not tensor.HasField("raw_data")
    found = graph_of(with_tensor(tensor)).constants["w"]
    assert found.dtype == kind and found.shape == (2, 3)
    assert np.array_equal(found == 1, [[False, True, True], [False, True, False]])
    assert np.array_equal(found == 0, [[True, False, False], [True, False, True]])


def test_what_is_not_0_is_true() -> None:
    """A byte that is neither 0 nor 1 would be neither true nor false."""
    tensor = TensorProto(name="w", data_type=TensorProto.BOOL, dims=[2], raw_data=b"\0\2")
    assert graph_of(with_tensor(tensor)).constants["w"].tobytes() == b"\0\1"


BRANCHES = """
g (float[n] x, bool b) => (float[n] y) <float[1] w = {2}> {
  y = If (b) <
    then_branch = left () => (float[n] l) { c = Constant<value_float = 3.0>() l = Mul (x, c) },
    else_branch = right () => (float[n] r) { t = Add (h, w) r = Neg (t) }
  >
  h = Relu(x)
}
"""


def test_subgraphs_are_graphs() -> None:
    """What an If computes would be text nobody reads, or its node stand before what it uses."""
    graph = graph_of(parsed(BRANCHES))
    assert [call.op for call in graph.calls] == ["Relu", "If"]
    left = graph.calls[1].attributes["then_branch"]
    right = graph.calls[1].attributes["else_branch"]
    assert isinstance(left, Graph) and isinstance(right, Graph)
    assert left.constants["c"].tolist() == 3 and [call.op for call in left.calls] == ["Mul"]
    assert [call.op for call in right.calls] == ["Add", "Neg"]
    assert list(right.outputs) == ["r"] and right.sha256 == ""


def test_a_loop_has_inputs_of_its_own() -> None:
    """The state of a Loop would be looked for outside, or its type be demanded."""
    model = parsed("""
    g (float[n] x, int64 m) => (float[n] y) {
      go = Constant<value = bool {1}>()
      y = Loop (m, go, x) <body = step (i, more, s) => (keep, t) {
        t = Add (s, k) k = Neg (x) keep = Identity (more)
      }>
    }
    """)
    body = graph_of(model).calls[0].attributes["body"]
    assert list(body.inputs) == ["i", "more", "s"] and list(body.outputs) == ["keep", "t"]
    assert [call.op for call in body.calls if call.op != "Identity"] == ["Neg", "Add"]


def test_a_name_in_a_subgraph_may_be_one_of_its_neighbour() -> None:
    """Two branches that call their results alike, as exporters do, would be refused."""
    text = BRANCHES.replace("float[n] r) {", "float[n] l) {").replace("r = Neg", "l = Neg")
    assert len(graph_of(parsed(text)).calls) == 2


def test_the_long_name_of_the_domain_of_onnx_is_no_foreign_one() -> None:
    """Every operator of such a model would be refused."""
    (call,) = graph_of(parsed("g (float[n] x) => (y) {y = ai.onnx.Gelu(x)}", opset=20)).calls
    assert (call.domain, call.version) == ("", 20)


def external(dims: Sequence[int] = (1,), name: str = "w", **entries: str) -> TensorProto:
    """A tensor of floats that are elsewhere."""
    place = TensorProto.EXTERNAL
    tensor = TensorProto(name=name, data_type=1, dims=dims, data_location=place)
    for key, entry in entries.items():
        tensor.external_data.add(key=key, value=entry)
    return tensor


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model's folder, with links and files that are no part of it."""
    folder = tmp_path / "models"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "secret").write_bytes(b"\0" * 4)
    (folder / "four").write_bytes(b"\0" * 4)
    (folder / "empty").write_bytes(b"")
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "linked").symlink_to(tmp_path)
    (folder / "inner").symlink_to(folder / "four")
    (folder / "round").symlink_to(folder)
    (folder / "loop").symlink_to(folder / "loop")
    os.mkfifo(folder / "pipe")
    return folder


@pytest.mark.parametrize("size_threshold", [0, 100])
def test_external_data_is_read(tmp_path: Path, size_threshold: int) -> None:
    """Weights beside the model would be missed, or read from a wrong place."""
    rng = np.random.default_rng(0)
    constants = {
        "a": rng.standard_normal((9, 5)).astype(np.float32),
        "b": rng.integers(0, 2, 203).astype(np.bool_),
        "c": rng.standard_normal((3, 7)),
        "d": np.zeros((0, 3), np.float32),
    }
    model = parsed(RELU)
    tensors = (numpy_helper.from_array(array, name) for name, array in constants.items())
    model.graph.initializer.extend(tensors)
    path = tmp_path / "model.onnx"
    onnx.save(
        model, path, save_as_external_data=True, location="weights", size_threshold=size_threshold
    )
    graph = load(path)
    assert len((tmp_path / "weights").read_bytes()) > 300
    for name, array in constants.items():
        found = graph.constants[name]
        assert found.dtype == array.dtype and np.array_equal(found, array)
        assert found.flags.aligned
    assert not graph.constants["a"].flags.writeable  # mapped, where a copy would take memory


def test_external_data_at_any_offset(tmp_path: Path) -> None:
    """Entries that do not lie where arrays may lie would be read wrongly."""
    (tmp_path / "w").write_bytes(b"abc" + np.arange(4, dtype=np.float32).tobytes() + b"rest")
    model = with_tensor(external([4], location="w", offset="3", length="16"))
    found = load(saved(model, tmp_path)).constants["w"]
    assert found.tolist() == [0, 1, 2, 3] and found.flags.aligned


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ({"location": "missing"}, "in 'missing': given no such file"),
        *(({"location": place}, "expected a relative path in the model's folder") for place in (
            "../secret", "sub/../../secret", "link", "linked/secret", "/etc/passwd", "..\\secret",
            "", "a\0b", "loop", "{folder}/four")),
        ({}, "expected a relative path in the model's folder"),
        ({"location": "x" * 5000}, "given a file that cannot be read"),
        ({"location": "."}, "in '.': given a folder"),
        ({"location": "pipe"}, "in 'pipe': given a pipe"),
        ({"location": "four", "offset": "1"}, "holds 3"),
        ({"location": "four", "offset": "5"}, "which has 4"),
        ({"location": "four", "length": "5"}, "which has 4"),
        ({"location": "four", "length": "3"}, "holds 3"),
        ({"location": "four", "offset": "-1"}, "bytes -1 to 4 of four, which has 4"),
        ({"location": "four", "offset": "4", "length": "-4"}, "bytes 4 to 0 of four"),
        ({"location": "four", "offset": "9" * 30}, "which has 4"),
        ({"location": "four", "offset": "9" * 9999}, "cannot be read"),
        ({"location": "four", "length": "four"}, "cannot be read"),
        ({"location": "empty"}, "holds 0"),
    ],
)  # fmt: skip
def test_external_data_stays_in_the_models_folder(
    entries: dict[str, str], says: str, folder: Path
) -> None:
    """A model would read a file of its user's that is not part of it, or wait for a pipe."""
    assert load(saved(with_tensor(external(location="four")), folder)).constants["w"].tolist() == [
        0
    ]
    given = {key: entry.replace("{folder}", str(folder)) for key, entry in entries.items()}
    assert says in refused(saved(with_tensor(external(**given)), folder))


def test_many_tensors_of_one_file_cannot_fill_the_memory(tmp_path: Path) -> None:
    """Tensors that overlap at odd offsets would each be copied."""
    (tmp_path / "w").write_bytes(b"\0" * 4001)
    model = parsed(RELU)
    model.graph.initializer.extend(external([1000], f"w{k}", location="w", offset="1")
                                   for k in range(3))  # fmt: skip
    assert "w1 overlaps other tensors in w" in refused(saved(model, tmp_path))


def test_digests_of_external_data(tmp_path: Path) -> None:
    """Weights in a file of their own could be exchanged after an answer, wherever in the model the
    tensor stands that names it."""
    (tmp_path / "sub").mkdir()
    names = ["attribute", "body", "function", "in_order", "sub/sparse"]
    for name in names:
        (tmp_path / name).write_bytes(name.encode())
    attribute, body, function, in_order, values = (external(location=name) for name in names)
    model = with_tensor(in_order)
    model.graph.initializer.append(in_order)
    model.graph.sparse_initializer.add(values=values)
    branch = helper.make_graph([], "body", [], [], [body])
    model.graph.node.append(helper.make_node("If", ["c"], ["y"], then_branch=branch))
    model.graph.node.append(helper.make_node("Constant", [], ["a"], value=attribute))
    model.functions.add().node.append(helper.make_node("Constant", [], ["f"], value=function))
    expected = tuple((name, hashlib.sha256(name.encode()).hexdigest()) for name in names)
    assert digests(model, tmp_path) == expected and digests(parsed(RELU), tmp_path) == ()


@pytest.mark.parametrize(
    ("location", "says"),
    [
        ("missing", "'missing': given no such file"),
        *((place, "expected a relative path in the model's folder")
          for place in ("", "../secret", "{folder}/four", "loop", "a\0b\n")),
        *((place, "given a path with links, expected a file beside the model")
          for place in ("sub/../four", "inner", "round/four")),
    ],
)  # fmt: skip
def test_digests_of_nothing_elsewhere(location: str, says: str, folder: Path) -> None:
    """A file that is no part of the model would be read."""
    assert [n for n, _ in digests(with_tensor(external(location="four")), folder)] == ["four"]
    place = location.replace("{folder}", str(folder.resolve()))
    with pytest.raises(ModelError) as caught:
        digests(with_tensor(external(location=place)), folder)
    assert says in str(caught.value) and str(caught.value).isprintable()
