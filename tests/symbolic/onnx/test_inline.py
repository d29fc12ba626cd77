"""Local functions in the places of their calls: what is computed is what onnxruntime computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra `onnx` is missing")
pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")

import onnx
import onnxruntime as ort
from numpy.typing import NDArray

from orderproof.symbolic.onnx import inline
from orderproof.symbolic.onnx.graph import ModelError
from orderproof.symbolic.onnx.load import graph_of
from orderproof.symbolic.onnx.run import Runner
from tests.symbolic.onnx.making import parsed

HEAD = '<domain: "local", opset_import: ["": 17, "local": 1]>'
X = np.array([-2, -0.5, 0, 1, 3], np.float32)

LEAKY = "f <s: float = 0.5> (a) => (z) {z = LeakyRelu<alpha: float = @s>(a)}"
TWICE = ("a = local.f(x) y = local.f(a)", "f (a) => (z) {t = Exp(a) z = Neg(t)}")
TRUE = "b = Constant<value = bool {1}>()"
REFERRED = "If (b) <then_branch: graph = @g, else_branch: graph = @g>"
# The nodes between x and y, and the functions that they call.
MODELS: dict[str, tuple[str, ...]] = {
    "attributes, given and by default": (
        "a = local.f<s = 3.0>(x) b = local.f(x) y = Sub(a, b)", LEAKY),
    "an attribute that is not given": ("y = local.f(x)", LEAKY.replace(": float = 0.5", "")),
    "a tensor as an attribute": (
        "y = local.f<w = float[1] {5}>(x)",
        "f <w> (a) => (z) {c = Constant<value: tensor = @w>() z = Mul(a, c)}"),
    "functions in functions hand attributes on": (
        "y = local.outer<s = 0.25>(x)",
        "outer <s> (a) => (z) {t = local.f<s: float = @s>(a) z = local.f(t)}", LEAKY),
    "a default in a subgraph of a function": (
        "y = local.outer(x)",
        f"outer (a) => (z) {{{TRUE} z = If (b) <then_branch = p () => (l) {{l = local.f(a)}}, "
        "else_branch = q () => (r) {r = Neg(a)}>}", LEAKY),
    "names that the library gives": (
        "t__1 = Constant<value_floats = [7.0]>() z__1 = local.f(x) a = local.f(z__1) "
        "y = Add(a, t__1)", "f (a) => (z) {t = Exp(a) t__1 = Neg(t) z = Abs(t__1)}"),
    "names of the caller's": (
        "t = Exp(x) a = Neg(t) z = local.f(a) y = Add(z, t)",
        "f (t) => (y) {a = Abs(t) x = Relu(a) y = Neg(x)}"),
    "an optional input left out": (
        "m = Constant<value_float = 1.0>() y = local.f(x, m)",
        "f (a, high, low) => (z) {z = Clip(a, low, high)}"),
    "several outputs, one not asked": (
        "a, , c = local.f(x) y = Add(a, c)",
        "f (a) => (p, q, r) {p = Neg(a) q = Exp(a) r = Abs(q)}"),
    "a subgraph that sees the function's names": (
        "a = Neg(x) t = local.f<s = 4.0>(x) y = Add(a, t)",
        "f <s> (a) => (z) {zero = Constant<value = int64 {0}>() b = Cast<to = 9>(zero) t = Exp(a) "
        "z = If (b) <then_branch = p () => (l) {l = Neg(t)}, else_branch = q () => (r) "
        "{c = Relu(t) t2 = LeakyRelu<alpha: float = @s>(a) r = Add(c, t2)}>}"),
    "a call in a subgraph": (
        f"{TRUE} y = If (b) <then_branch = p () => (float[n] l) {{l = local.f(x)}}, "
        "else_branch = q () => (float[n] r) {r = Neg(x)}>", "f (a) => (z) {z = Exp(a)}"),
    "one function called twice": TWICE,
    "a function called like one of ONNX's operators": (
        "a = local.Relu(x) y = Relu(a)", "Relu (a) => (z) {z = Abs(a)}"),
}  # fmt: skip


def of(*texts: str) -> onnx.ModelProto:
    """The model of these nodes between x and y, and these functions."""
    nodes, *functions = texts
    graph = f"g (float[n] x) => (float[n] y) {{{nodes}}}"
    return parsed("\n".join([graph, *(f"{HEAD} {f}" for f in functions)]), domains=["local"])


def by_onnxruntime(model: onnx.ModelProto) -> NDArray[np.float32]:
    """What onnxruntime makes of the model, its functions as they are."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    session = ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    (y,) = session.run(["y"], {"x": X})
    return np.asarray(y)


@pytest.mark.parametrize("name", MODELS)
def test_functions_are_inlined(name: str) -> None:
    """A call would be given another meaning than onnxruntime gives it."""
    expected = by_onnxruntime(of(*MODELS[name]))
    graph = graph_of(of(*MODELS[name]))
    assert not graph.proto.functions and all(c.domain == "" for c in graph.calls)
    assert np.array_equal(Runner(graph).run({"x": X})["y"], expected)


@pytest.mark.parametrize(
    ("name", "value"),
    [("attributes, given and by default", 2.0), ("functions in functions hand attributes on", 0.5)],
)
def test_the_comparison_sees_a_wrong_attribute(name: str, value: float) -> None:
    """A lost attribute would pass: the default would be taken and nothing be different."""
    model, wrong = of(*MODELS[name]), of(*MODELS[name])
    wrong.graph.node[0].attribute[0].f = value
    assert not np.array_equal(by_onnxruntime(model), by_onnxruntime(wrong))


def test_overloads_are_functions_of_their_own() -> None:
    """Of two functions with one name the wrong one would be taken."""
    model = of(*TWICE)
    model.ir_version = 10
    other = model.functions.add()
    other.CopyFrom(model.functions[0])
    other.overload = model.graph.node[0].overload = "other"
    other.node[0].op_type = "Relu"
    expected = by_onnxruntime(model)
    assert np.array_equal(Runner(graph_of(model)).run({"x": X})["y"], expected)
    assert not np.array_equal(expected, by_onnxruntime(of(*TWICE)))


def test_nodes_of_a_function_have_names() -> None:
    """Two nodes would be called alike in what people read; onnxruntime refuses equal names."""
    model = of(*TWICE)
    for node in model.functions[0].node:
        node.name = "same"
    names = [call.name for call in graph_of(model).calls]
    assert len(set(names)) == 4 and all(name.startswith("same") for name in names)
    unnamed = [call.name for call in graph_of(of(*TWICE)).calls]
    assert unnamed == ["Exp t__1", "Neg a", "Exp t__2", "Neg y"]


def _failing(model: onnx.ModelProto) -> onnx.ModelProto:
    raise RuntimeError("inliner.cc:\n assertion failed")


@pytest.mark.parametrize("other", [_failing, lambda model: model])
def test_what_the_library_does_not_inline_is_refused(
    monkeypatch: pytest.MonkeyPatch, other: Any
) -> None:
    """Another version of it would end in a traceback, or be called for ever."""
    monkeypatch.setattr(inline, "inline_local_functions", other)
    with pytest.raises(ModelError, match="functions cannot be inlined"):
        graph_of(of(*TWICE))


def test_a_function_of_another_operator_set_is_read() -> None:
    """A function would be refused, or left out, though its operators are the same in the model's
    set: those of Softmax are of set 13."""
    model = of(*TWICE)
    model.functions[0].node[0].op_type = "Softmax"
    model.functions[0].opset_import[0].version = 16
    expected = by_onnxruntime(model)
    graph = graph_of(model)
    assert [c.op for c in graph.calls] == ["Softmax", "Neg"] * 2
    assert np.array_equal(Runner(graph).run({"x": X})["y"], expected)


@pytest.mark.parametrize(
    ("says", "model"),
    [
        ("without the attribute s", (
            "y = local.outer(x)", "outer <s> (a) => (z) {z = local.f<s: float = @s>(a)}", LEAKY)),
        ("with a graph", (
            "a = Exp(x) y = local.f<g = p () => (l) {l = Neg(a)}>(x)",
            f"f <g> (a) => (z) {{{TRUE} z = {REFERRED}}}")),
    ],
)  # fmt: skip
def test_what_the_library_would_misread_is_refused(says: str, model: tuple[str, ...]) -> None:
    """The default of an inner function would be left out, or a graph take the names that it uses
    from the function that it is handed to."""
    with pytest.raises(ModelError, match=f"{says}.*not read"):
        graph_of(of(*model))


def test_a_function_in_no_order_is_put_in_order() -> None:
    """A result that a function uses before it is made would be taken from its caller."""
    model = of("t = Abs(x) u = local.f(x) y = Add(u, t)", "f (a) => (z) {z = Neg(t) t = Exp(a)}")
    assert [c.op for c in graph_of(model).calls] == ["Abs", "Exp", "Neg", "Add"]


def test_a_function_that_is_not_called_is_not_read() -> None:
    """A model would be refused for what is no part of it."""
    model = of(*TWICE)
    model.functions.add(domain="local", name="other", output=["z"]).node.add(op_type="Odd")
    assert len(graph_of(model).calls) == 4


def test_a_function_may_import_what_the_model_does_not() -> None:
    """A function that uses operators of its own set would be refused."""
    model = of("y = local.f(x)", "f (a) => (z) {z = com.microsoft.Gelu(a)}")
    model.functions[0].opset_import.add(domain="com.microsoft", version=1)
    assert [(c.domain, c.version) for c in graph_of(model).calls] == [("com.microsoft", 1)]
