"""Local functions in the places of their calls: what is computed is what onnxruntime computes."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra `onnx` is missing")
pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")

import onnx
import onnx.inliner
import onnxruntime as ort
from numpy.typing import NDArray

from orderproof.symbolic.onnx.load import graph_of
from orderproof.symbolic.onnx.run import Runner
from tests.symbolic.onnx.making import parsed

HEAD = '<domain: "local", opset_import: ["": 17, "local": 1]>'
X = np.array([-2, -0.5, 0, 1, 3], np.float32)

MODELS = {
    "attributes, given and by default": (
        "g (float[n] x) => (float[n] y) {a = local.f<slope = 3.0>(x) b = local.f(x) y = Sub(a, b)}",
        "f <slope: float = 2.0> (a) => (z) {z = LeakyRelu<alpha: float = @slope>(a)}",
    ),
    "an attribute that is not given": (
        "g (float[n] x) => (float[n] y) {y = local.f(x)}",
        "f <slope> (a) => (z) {z = LeakyRelu<alpha: float = @slope>(a)}",
    ),
    "a tensor as an attribute": (
        "g (float[n] x) => (float[n] y) {y = local.f<w = float[1] {5}>(x)}",
        "f <w> (a) => (z) {c = Constant<value: tensor = @w>() z = Mul(a, c)}",
    ),
    "functions in functions hand attributes on": (
        "g (float[n] x) => (float[n] y) {y = local.outer<s = 0.25>(x)}",
        "outer <s> (a) => (z) {t = local.inner<s: float = @s>(a) z = local.inner(t)}",
        "inner <s: float = 0.5> (a) => (z) {z = LeakyRelu<alpha: float = @s>(a)}",
    ),
    "names of the caller's": (
        "g (float[n] x) => (float[n] y) {t = Exp(x) a = Neg(t) z = local.f(a) y = Add(z, t)}",
        "f (t) => (y) {a = Abs(t) x = Relu(a) y = Neg(x)}",
    ),
    "an optional input left out": (
        "g (float[n] x) => (float[n] y) <float m = {1}> {y = local.f(x, m)}",
        "f (a, high, low) => (z) {z = Clip(a, low, high)}",
    ),
    "several outputs, one not asked": (
        "g (float[n] x) => (float[n] y) {a, , c = local.f(x) y = Add(a, c)}",
        "f (a) => (p, q, r) {p = Neg(a) q = Exp(a) r = Abs(q)}",
    ),
    "a subgraph that sees the function's names": (
        "g (float[n] x) => (float[n] y) {a = Neg(x) t = local.f<s = 4.0>(x) y = Add(a, t)}",
        """f <s> (a) => (z) {
             zero = Constant<value = int64 {0}>()
             b = Cast<to = 9>(zero)
             t = Exp(a)
             z = If (b) <then_branch = p () => (l) {l = Neg(t)},
                         else_branch = q () => (r) {c = Relu(t) t2 = LeakyRelu<alpha: float=@s>(a)
                                                    r = Add(c, t2)}>
           }""",
    ),
    "a call in a subgraph": (
        """g (float[n] x) => (float[n] y) {
             b = Constant<value = bool {1}>()
             y = If (b) <then_branch = p () => (float[n] l) {l = local.f(x)},
                         else_branch = q () => (float[n] r) {r = Neg(x)}>
           }""",
        "f (a) => (z) {z = Exp(a)}",
    ),
    "one function called twice": (
        "g (float[n] x) => (float[n] y) {a = local.f(x) y = local.f(a)}",
        "f (a) => (z) {t = Exp(a) z = Neg(t)}",
    ),
    "a function called like one of ONNX's operators": (
        "g (float[n] x) => (float[n] y) {a = local.Relu(x) y = Relu(a)}",
        "Relu (a) => (z) {z = Abs(a)}",
    ),
}


def of(name: str) -> onnx.ModelProto:
    """The model of that name."""
    graph, *functions = MODELS[name]
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
    expected = by_onnxruntime(of(name))
    graph = graph_of(of(name))
    assert not graph.proto.functions and all(c.domain == "" for c in graph.calls)
    assert np.array_equal(Runner(graph).run({"x": X})["y"], expected)


@pytest.mark.parametrize("name", MODELS)
def test_onnx_inlines_to_the_same_operators(name: str) -> None:
    """Nodes would be lost or doubled where the values do not show it."""
    theirs = onnx.inliner.inline_local_functions(of(name))
    ours = graph_of(of(name))
    assert sorted(c.op for c in ours.calls) == sorted(c.op for c in graph_of(theirs).calls)


def test_the_comparison_sees_a_wrong_attribute() -> None:
    """A lost attribute would pass: the default would be taken and nothing be different."""
    model, wrong = (of("functions in functions hand attributes on") for _ in range(2))
    wrong.graph.node[0].attribute[0].f = 0.5
    assert not np.array_equal(by_onnxruntime(model), by_onnxruntime(wrong))


def test_an_output_may_be_an_input() -> None:
    """A function that hands its input on, or one result twice, would lose a name."""
    functions = f"{HEAD} f (a) => (a, z) {{z = Neg(a)}} {HEAD} h (a) => (z, z) {{z = Exp(a)}}"
    model = parsed(
        "g (float[n] x) => (float[n] y) {a, b = local.f(x) c, d = local.h(b) y = Sum(a, c, d)}\n"
        + functions,
        domains=["local"],
    )
    y = Runner(graph_of(model)).run({"x": X})["y"]
    assert np.allclose(y, X + 2 * np.exp(-X), rtol=1e-6)


def test_nodes_of_a_function_are_named_by_their_call() -> None:
    """People would not find the call that a node comes from; onnxruntime refuses equal names."""
    names = [c.name for c in graph_of(of("one function called twice")).calls]
    assert names == ["f a/Exp", "f a/Neg", "f y/Exp", "f y/Neg"]


def test_a_function_of_another_operator_set_is_read() -> None:
    """A function would be refused though its operators are the same in the model's set."""
    text = (
        "g (float[n] x) => (float[n] y) {y = local.f(x)}\n"
        '<domain: "local", opset_import: ["": 16]> f (a) => (z) {z = Softmax(a)}'
    )
    graph_of(parsed(text, domains=["local"]))  # both of set 13


def test_a_function_may_import_what_the_model_does_not() -> None:
    """A function that stands on operators of its own set would be refused."""
    model = parsed(
        "g (float[n] x) => (float[n] y) {y = local.f(x)}\n"
        '<domain: "local", opset_import: ["com.microsoft": 1]> '
        "f (a) => (z) {z = com.microsoft.Gelu(a)}",
        domains=["local"],
    )
    assert [(c.domain, c.version) for c in graph_of(model).calls] == [("com.microsoft", 1)]
