"""A model in two precisions: float64 against NumPy, and what has to be converted on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("onnx", reason="the extra `onnx` is missing")
pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")

from onnx import helper

from orderproof.symbolic.onnx import precisions
from orderproof.symbolic.onnx.load import graph_of
from orderproof.symbolic.onnx.precisions import Precisions
from tests.symbolic.onnx.making import made, parsed, value

Array = NDArray[Any]
X = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)
WIDE, YES, NO = X.astype(np.float64), np.array(True), np.array(False)
TENTH = float(np.float32(0.1))  # what a file in float32 says for 0.1


def _both(text: str, flag: Array = YES) -> tuple[Array, Array, bool]:
    """The output in both precisions, and whether all kernels were of float64."""
    given = "<float[1] w = {0.1}, int64[1] one = {1}>"
    text = f"g (float[n, 4] x, bool flag) => (float[n, 4] y) {given} {{{text}}}"
    model = Precisions(graph_of(parsed(text, opset=20, domains=["com.microsoft"])))
    single, double = model.run({"x": X, "flag": flag}, ["y"])
    assert single["y"].dtype == np.float32 and double["y"].dtype == np.float64
    assert np.allclose(single["y"], double["y"], rtol=1e-6, atol=1e-6)
    return single["y"], double["y"], model.wide("y")


def _near(found: Array, exact: Array) -> bool:
    return found.dtype == np.float64 and bool(np.abs(found - exact).max() <= 1e-13)


def test_two_layers_are_those_of_numpy() -> None:
    """Weights, or a product, would be rounded to float32 in between."""
    rng = np.random.default_rng(1)
    w, v = (rng.standard_normal(s).astype(np.float32) for s in ((4, 50), (50, 2)))
    calls = (("MatMul", "xw", "h"), ("Tanh", "h", "t"), ("MatMul", "tv", "y"))
    nodes = [helper.make_node(op, [*taken], [*given]) for op, taken, given in calls]
    model = made(nodes, [value("x", ["n", 4])], [value("y", ["n", 2])], {"w": w, "v": v})
    single, double = Precisions(graph_of(model)).run({"x": X}, ["h", "y", "w"])
    exact = np.tanh(WIDE @ w.astype(np.float64)) @ v.astype(np.float64)
    assert _near(double["y"], exact) and np.array_equal(double["w"], w)
    assert np.allclose(single["h"], X @ w) and 0 < np.abs(single["y"] - exact).max() < 1e-4


IF = """y = If (flag) <
  then_branch = p () => (float[n, 4] l) <float[1] c = {0.1}> {
    s = Shape(x) f = Cast<to = 1>(s) r = ReduceMax<keepdims = 0>(f) m = Mul(x, c) l = Div(m, r)
  },
  else_branch = q () => (float[n, 4] r) {h = Mul(x, w) r = OP(h)}>"""


@pytest.mark.parametrize(
    ("text", "exact", "flag"),
    [
        ("c = Constant<value_float = 0.1>() y = Mul(x, c)", WIDE * TENTH, YES),
        ("s = Shape(x) z = ConstantOfShape(s) y = Sub(z, x)", -WIDE, YES),
        ("e = EyeLike<dtype = 1, k = 1>(x) y = Sub(x, e)", WIDE - np.eye(3, 4, 1), YES),
        (IF.replace("OP", "Exp"), WIDE * TENTH / 4, YES),
        (IF.replace("OP", "Exp"), np.exp(WIDE * TENTH), NO),
    ],
)  # fmt: skip
def test_floats_of_nodes_are_widened(text: str, exact: Array, flag: Array) -> None:
    """A float would stay in float32: types would clash, or the node be run between casts."""
    _, double, wide = _both(text, flag)
    assert wide and _near(double, exact)


@pytest.mark.parametrize("text", [
    "y = Erf(x)",
    "u = Unsqueeze(x, one) a = AveragePool<kernel_shape = [1]>(u) y = Squeeze(a, one)",
    "y = com.microsoft.Gelu(x)",  # onnxruntime puts an Erf in its place
    "q, s, z = DynamicQuantizeLinear(x) y = DequantizeLinear(q, s, z)",
    "k = Constant<value_int = 2>() t = Loop<body = b (int64 i, bool c, v) => (bool d, u) "
    "{d = Identity(c) u = Erf(v)}>(k, , x) y = Erf(t)",
])  # fmt: skip
def test_nodes_without_a_kernel_run_in_float32(text: str) -> None:
    """They would end the run, or pass for float64 (also where a branch has one and is not taken);
    or the same kernel would round the same numbers alike in both precisions."""
    single, double, wide = _both(text)
    assert not wide and _near(double, single) is ("Average" not in text)
    _, double, wide = _both(IF.replace("OP", "Erf"))
    assert not wide and _near(double, WIDE * TENTH / 4)


def test_halves_are_widened() -> None:
    """Both versions would round to 11 bits, or the first be what the file computes in them."""
    x, w = X.astype(np.float16), np.full(4, 0.1, np.float16)
    nodes = [helper.make_node("Mul", ["x", "w"], ["h"]), helper.make_node("Exp", ["h"], ["c"])]
    nodes.append(helper.make_node("Cast", ["c"], ["y"], to=10))  # to float16
    model = made(nodes, [value("x", ["n", 4], "f2")], [value("y", ["n", 4], "f2")], {"w": w})
    single, double = (found["y"] for found in Precisions(graph_of(model)).run({"x": x}, ["y"]))
    assert single.dtype == np.float32 and np.allclose(single, double, rtol=1e-6)
    assert _near(double, np.exp(x.astype(np.float64) * w)) and np.any(single != np.exp(x * w))


def test_doubles_are_narrowed() -> None:
    """Both versions would be one, and the difference of the two say nothing of rounding."""
    text = """g (double[n, 4] x, int64[k] i, float[n, 4] u) =>
              (double[n, 4] y, int64[k] j, float[n, 4] v) {y = Exp(x) j = Neg(i) v = Erf(u)}"""
    model, i = Precisions(graph_of(parsed(text))), np.array([2**60 + 1])
    single, double = model.run({"x": WIDE / 3, "i": i}, ["y", "j"])
    assert single["y"].dtype == np.float32 and _near(double["y"], np.exp(WIDE / 3))
    assert np.array_equal(single["j"], -i) and np.array_equal(double["j"], -i)
    assert model.run({"u": X}, ["v"]) and model.wide("y") and not model.wide("v")


def test_a_conversion_left_out_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks above could not fail."""
    eye, gelu = "y = EyeLike<dtype = 1>(x)", 'y = Gelu<approximate = "tanh">(x)'
    assert _both(eye)[2] and not _both(gelu)[2]
    monkeypatch.setattr(precisions, "_TYPED", set())
    monkeypatch.setattr(precisions, "_SINGLE", set())
    assert not _both(eye)[2] and _both(gelu)[2]
