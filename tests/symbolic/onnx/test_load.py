"""Files of ONNX that are read: names, dimensions, constants in all forms, order, subgraphs."""

from __future__ import annotations

import hashlib
import itertools
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
from tests.symbolic.onnx.making import made, parsed, saved, value


def chain(length: int) -> onnx.ModelProto:
    """x → Relu → ... → y, `length` nodes without names."""
    names = ["x", *(f"t{k}" for k in range(1, length)), "y"]
    nodes = [helper.make_node("Relu", [a], [b]) for a, b in itertools.pairwise(names)]
    return made(nodes, [value("x", ["n"])], [value("y", ["n"])])


def test_what_a_graph_says_of_its_file(tmp_path: Path) -> None:
    """An input, a constant, a node, a version or the digest would not be what the file has."""
    w = np.arange(12, dtype=np.float32).reshape(4, 3)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["h"], name="first"),
        helper.make_node("Clip", ["h", "", "m"], ["y"]),
        helper.make_node("Odd", ["h"], ["z"], domain="com.microsoft", size=3, text="a", at=[1, 2]),
    ]
    model = made(
        nodes,
        [value("x", ["n", 4]), value("ids", [None, "n"], "i8")],
        [value("y", ["n", 3])],
        {"w": w, "m": np.array(2, np.float32)},
        domains=["com.microsoft"],
    )
    path = saved(model, tmp_path)
    graph = load(path)
    assert graph.inputs["x"].dims == ("n", 4) and graph.inputs["x"].dtype == np.float32
    assert graph.inputs["ids"].dims == ("ids:0", "n") and graph.inputs["ids"].dtype == np.int64
    assert list(graph.outputs) == ["y"] and graph.outputs["y"].dims == ("n", 3)
    assert np.array_equal(graph.constants["w"], w) and graph.constants["m"].shape == ()
    first, second, third = graph.calls
    assert (first.name, second.name, third.name) == ("first", "Clip y", "Odd z")
    assert second.inputs == ("h", "", "m") and second.input(1) == second.input(7) == ""
    assert (first.domain, first.version) == ("", 17)
    assert (third.domain, third.version) == ("com.microsoft", 1)
    assert third.attributes == {"size": 3, "text": "a", "at": (1, 2)}
    assert graph.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert isinstance(graph.proto, onnx.ModelProto)


def test_a_dimension_without_a_name_has_one_of_its_own() -> None:
    """Two sizes that the file leaves open would be taken for one, or −1 for a size."""
    model = chain(1)
    dims = model.graph.input[0].type.tensor_type.shape.dim
    dims[0].dim_param = "?"
    for open_dimension in ({"dim_value": -1}, {}, {"dim_param": ""}, {"dim_param": "n"}):
        dims.add(**open_dimension)
    assert graph_of(model).inputs["x"].dims == ("x:0", "x:1", "x:2", "x:3", "n")


@pytest.mark.parametrize("order", [*range(5), reversed])
def test_shuffled_nodes_are_put_in_order(order: Any) -> None:
    """A node would stand before one whose result it uses, or order be found by recursion."""
    model = chain(2_000)
    nodes = list(model.graph.node)
    if order is reversed:
        nodes.reverse()
    else:
        random.Random(order).shuffle(nodes)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    outputs = [call.outputs[0] for call in graph_of(model).calls]
    assert outputs == [*(f"t{k}" for k in range(1, 2_000)), "y"]


def test_nodes_in_order_stay_where_they_are() -> None:
    """Errors and translations would name nodes in an order that nobody wrote."""
    names = list("dbacefz")
    nodes = [helper.make_node("Relu", ["x"], [name]) for name in names]
    nodes.append(helper.make_node("Sum", names, ["y"]))
    graph = graph_of(made(nodes, [value("x", [2])], [value("y", [2])]))
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
    node = helper.make_node("Constant", [], ["c"], **attribute)
    graph = graph_of(made([node], [], [helper.make_empty_tensor_value_info("c")]))
    found = graph.constants["c"]
    assert not graph.calls
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
    model = chain(1)
    model.graph.initializer.append(tensor)
    found = graph_of(model).constants["w"]
    assert found.dtype == kind and found.shape == (2, 3)
    assert np.array_equal(found == 1, [[False, True, True], [False, True, False]])
    assert np.array_equal(found == 0, [[True, False, False], [True, False, True]])


def test_what_is_not_0_is_true() -> None:
    """A byte that is neither 0 nor 1 would be neither true nor false."""
    model = chain(1)
    model.graph.initializer.add(name="w", data_type=TensorProto.BOOL, dims=[2], raw_data=b"\0\2")
    assert graph_of(model).constants["w"].tobytes() == b"\0\1"


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


def test_domains() -> None:
    """A model with one foreign operator would be refused whole, without naming the node, or ONNX's
    own domain by its long name be a foreign one."""
    text = "g (float[n] x) => (float[n] y) {y = %s.Gelu(x)}"
    calls = [
        graph_of(parsed(text % domain, domains=["com.microsoft"], opset=20)).calls[0]
        for domain in ("com.microsoft", "ai.onnx")
    ]
    assert [(c.domain, c.version) for c in calls] == [("com.microsoft", 1), ("", 20)]
