"""Files of ONNX that are read: names, dimensions, constants in all forms, order, subgraphs."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra `onnx` is missing")

import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from orderproof.symbolic.onnx.graph import Graph
from orderproof.symbolic.onnx.load import graph_of, load
from tests.symbolic.onnx.making import parsed, saved

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


def sparse(*indices: int | list[int]) -> onnx.SparseTensorProto:
    """[[0, 5], [7, 0], [0, 0]], its places counted through or as rows and columns."""
    values = helper.make_tensor("v", TensorProto.FLOAT, [2], [5.0, 7.0])
    places = np.array(indices, np.int64)
    return helper.make_sparse_tensor(values, numpy_helper.from_array(places, "i"), [3, 2])


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
        ({"sparse_value": sparse(1, 2)}, DENSE),
        ({"sparse_value": sparse([0, 1], [1, 0])}, DENSE),
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


def test_initialisers_of_other_forms_are_constants() -> None:
    """A weight of a file in the old form would be taken for an input, and the entries of a sparse
    one be at other positions."""
    model = parsed(
        "g (float[2] x, float[2] w) => (float[2] y) <float[2] w = {1, 2}> {y = Add(x,w)}"
    )
    model.graph.sparse_initializer.append(sparse(1, 2))
    graph = graph_of(model)
    assert list(graph.inputs) == ["x"] and graph.constants["w"].tolist() == [1, 2]
    assert graph.constants["v"].tolist() == DENSE.tolist()


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
