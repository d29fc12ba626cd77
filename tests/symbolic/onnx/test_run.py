"""Values inside a graph by onnxruntime: against values by hand, and what depends on the input."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra `onnx` is missing")
pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")

import onnx

from orderproof.symbolic.onnx import run
from orderproof.symbolic.onnx.load import graph_of, load
from orderproof.symbolic.onnx.run import NotConstant, RunError, Runner, RunnerMissing, same_bits
from tests.symbolic.onnx.making import parsed

X = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
W = np.array([[1, 0, 2], [0, 1, 3]], np.float32)


SMALL = """
g (float[n, 2] x, bool flag) => (float[n, 3] y, float[3] m) <float[2, 3] w = {1, 0, 2, 0, 1, 3}> {
  b = Constant<value_floats = [-20.0, 0.0, 0.0]>()
  h = MatMul(x, w)  s = Add(h, b)  y = Relu(s)  m = ReduceMean<axes = [0], keepdims = 0>(y)
  shape = Shape(x)  first = Constant<value_int = 0>()  n = Gather(shape, first)
  chosen = If (flag) <then_branch = p () => (float[n, 3] l) {l = Neg(h)},
                      else_branch = q () => (float[n, 3] r) {r = Add(h, w0)}>
  w0 = ReduceMax<keepdims = 0>(w)
}"""
NEG = "g (float[n] x) => (float[n] y) {y = Neg(x)}"


def runner(text: str = SMALL) -> Runner:
    """What runs the model of this text: y = Relu(x w + b) and its mean over the rows, with a shape
    on the side."""
    return Runner(graph_of(parsed(text)))


def test_values_inside_a_graph() -> None:
    """A tensor would have another value than its definition gives it."""
    small = runner()
    h = X @ W
    found = small.run({"x": X, "flag": np.array(False)}, ["s", "h", "n", "w", "x", "chosen"])
    assert list(found) == ["s", "h", "n", "w", "x", "chosen"]
    assert np.array_equal(found["h"], h)
    assert np.array_equal(found["s"], h - np.array([20, 0, 0]))
    assert found["n"].dtype == np.int64 and found["n"].item() == 3
    assert np.array_equal(found["w"], W) and np.array_equal(found["x"], X)
    assert np.array_equal(found["chosen"], h + 3)
    assert np.array_equal(small.run({"x": X, "flag": np.array(True)}, ["chosen"])["chosen"], -h)


def test_runs_are_repeated_bit_for_bit() -> None:
    """Two runs of one file would disagree, and a comparison say nothing."""
    x = {"x": np.random.default_rng(0).standard_normal((101, 2)).astype(np.float32)}
    first, second = runner().run(x), runner().run(x)
    assert all(same_bits(first[name], second[name]) for name in first)


def test_no_names_ask_for_the_outputs() -> None:
    """The outputs of the graph would not be found, or be in another order."""
    found = runner().run({"x": X})
    y = np.maximum(X @ W + np.array([-20, 0, 0]), 0)
    assert list(found) == ["y", "m"]
    assert np.array_equal(found["y"], y) and np.allclose(found["m"], y.mean(0), rtol=1e-6)


def test_constants_are_replaced() -> None:
    """Random weights would be ignored, or stay for the next run."""
    small = runner()
    w, b = W * 2 + 1, np.array([1, 2, 3], np.float32)
    for _ in range(2):
        found = small.run({"x": X}, ["s", "w"], {"w": w, "b": b})
        assert np.array_equal(found["s"], X @ w + b) and np.array_equal(found["w"], w)
        assert np.array_equal(small.run({"x": X}, ["h"])["h"], X @ W)
        assert np.array_equal(small.run({"x": X}, ["h"], {"b": b})["h"], X @ W)


@pytest.mark.parametrize("times", [3, 26, 40, 63, 64])
def test_tensors_that_are_too_large_are_not_computed(times: int) -> None:
    """A small file would ask for terabytes; or sizes beyond 64 bits wrap around to small ones."""
    steps = " ".join(f"s{k + 1} = Concat<axis = 0>(s{k}, s{k})" for k in range(times))
    text = f"g (float[n, 2] x) => (float[m, 2] y) {{s0 = Relu(x) {steps} y = Neg(s{times})}}"
    if times == 3:
        assert runner(text).run({"x": X})["y"].shape == (24, 2)
        return
    with pytest.raises(RunError, match=r"a tensor of [\d,]{11,} entries, at x of \[3, 2\]"):
        runner(text).run({"x": X})


def test_sizes_above_those_that_always_fit_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that fits with few tokens would be run with any number of them."""
    monkeypatch.setattr(run, "MOST_ENTRIES", 40_000)
    text = "g (float[n, 1] x) => (float[n, m] y) {t = Transpose(x) y = MatMul(x, t)}"
    square = runner(text)
    for n in (136, 200):
        assert square.run({"x": np.ones((n, 1), np.float32)})["y"].shape == (n, n)
    with pytest.raises(RunError, match=r"a tensor of 40,401 entries"):
        square.run({"x": np.ones((201, 1), np.float32)})


def test_what_onnxruntime_refuses_is_said_without_its_insides() -> None:
    """A person would read where onnxruntime was compiled, and not what is wrong."""
    text = "g (float[n, 2] x) => (y) <int64[1] s = {7}> {h = Neg(x) y = Reshape(h, s)}"
    with pytest.raises(RunError) as refused:
        runner(text).run({"x": X})
    said = str(refused.value)
    assert said.startswith("onnxruntime: node Reshape y (Reshape): The input tensor cannot be")
    assert "/" not in said and "was false" not in said


@pytest.mark.parametrize(
    "constants", [{"w": W[:1]}, {"w": W.astype(np.float64)}, {"h": W}, {"nothing": W}, {"x": X}]
)
def test_only_constants_are_replaced(constants: dict[str, np.ndarray]) -> None:
    """A weight of another shape or type, or no weight, would be fed without a word."""
    with pytest.raises(RunError, match="cannot be replaced"):
        runner().run({"x": X}, ["s"], constants)


def test_large_constants_are_handed_over_as_they_are() -> None:
    """A weight that does not stand in the message would be read as zeros, or transposed."""
    graph = graph_of(parsed("g (float x) => (y) <float[1] w = {0}> {y = Identity(w)}"))
    for dtype in ("f4", "f8", "f2", "i4", "i8", "u1", "?"):
        w = (np.random.default_rng(0).standard_normal((70, 50)) * 4).astype(dtype)
        for given in (w, w.T[::-1].T):
            assert same_bits(Runner(replace(graph, constants={"w": given})).run({})["y"], given)


def test_external_data_is_run(tmp_path: Path) -> None:
    """Weights beside the model would be looked for in the folder that one stands in."""
    w = np.random.default_rng(0).standard_normal((40, 50)).astype(np.float32)
    model = parsed("g (float[n, 40] x) => (float[n, 50] y) {y = MatMul(x, w)}")
    model.graph.initializer.append(onnx.numpy_helper.from_array(w, "w"))
    path = tmp_path / "model.onnx"
    onnx.save(model, path, save_as_external_data=True, location="weights")
    found = Runner(load(path)).run({"x": np.eye(40, dtype=np.float32)})["y"]
    assert np.array_equal(found, w)


def test_only_ancestors_are_run() -> None:
    """An operator that onnxruntime lacks would spoil what does not need it."""
    text = "g (float[n] x) => (float[n] y, float[n] z) {y = Neg(x) z = other.Strange(y)}"
    strange = Runner(graph_of(parsed(text, domains=["other"])))
    assert strange.run({"x": X[0]}, ["y"])["y"].tolist() == [-1, -2]
    assert [c.op for c in strange.ancestors(["z"])] == ["Neg", "Strange"]
    assert [c.op for c in strange.ancestors(["z"], frozenset({"y"}))] == ["Strange"]
    with pytest.raises(RunError, match="Strange"):
        strange.run({"x": X[0]}, ["z"])


def test_names_are_never_those_of_two_nodes() -> None:
    """onnxruntime would refuse a file whose nodes are named alike."""
    same = runner("g (float[2] x) => (float[2] y) {[same] a = Neg(x) [same] y = Neg(a)}")
    assert same.run({"x": X[0]})["y"].tolist() == [1, 2]


def test_what_onnxruntime_refuses_is_one_line() -> None:
    """A wrong input or model would end in a traceback of another library's."""
    for inputs, outputs in (
        ({"x": X.T.copy()}, ["h"]),  # a fixed dimension of another size
        ({"x": X.astype(np.float64)}, ["h"]),
        ({"x": X}, ["chosen"]),  # the flag is missing
        ({}, ["h"]),
        ({"x": X}, ["nothing"]),
        ({"x": X}, ["flag"]),
    ):
        with pytest.raises(RunError) as caught:
            runner().run(inputs, outputs)
        assert str(caught.value).isprintable() and len(str(caught.value)) <= 400
    strange = parsed(NEG)
    strange.graph.node[0].op_type = "Ne\x7f\ng"
    with pytest.raises(RunError) as caught:
        Runner(graph_of(strange)).run({"x": X[0]})
    assert str(caught.value).isprintable() and r"Ne\x7f g" in str(caught.value)
    for bad, said in (("MatMul(x)", "MatMul y"), ("Add(x, z)", "Add y")):
        with pytest.raises(RunError, match=said):
            runner(f"g (float[n] x, float[m] z) => (float[k] y) {{y = {bad}}}").run(
                {"x": X[0], "z": X[:, 0]}
            )


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    """onnxruntime's warnings would stand between a command's lines."""
    test_what_onnxruntime_refuses_is_one_line()
    test_constants_are_replaced()
    out, err = capfd.readouterr()
    assert out == err == ""


def test_without_onnxruntime_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing package would be a traceback, not the name of what to install."""
    graph = graph_of(parsed(NEG))
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(RunnerMissing, match=r"orderproof\[onnx\]"):
        Runner(graph)


def test_random_inputs() -> None:
    """Sizes or ranges would not be kept, or a seed not say what was drawn."""
    drawn = runner("g (float[n, 2] x, float16[n] h, int64[n, n] ids, uint8[n] few, bool[n] flag, "
                   "int32 one) => (float[n, 2] x) {}")  # fmt: skip
    found = drawn.random_inputs({"n": 50}, 3, {"ids": (5, 9)})
    for tensor in drawn.graph.inputs.values():
        assert found[tensor.name].dtype == tensor.dtype
    assert found["x"].shape == (50, 2) and found["ids"].shape == (50, 50)
    assert sorted(set(found["ids"].flat)) == [5, 6, 7, 8, 9]
    assert sorted(set(found["few"].flat)) == [0, 1] and found["one"].shape == ()
    assert 0.5 < found["x"].std() < 1.5
    again, other = (drawn.random_inputs({"n": 50}, seed, {"ids": (5, 9)}) for seed in (3, 4))
    assert all(same_bits(found[name], again[name]) for name in found)
    assert not same_bits(found["x"], other["x"])
    with pytest.raises(RunError, match="the dimension n of the input x has no size"):
        drawn.random_inputs({}, 0)
    with pytest.raises(RunError, match="is not made"):
        drawn.random_inputs({"n": 10**12}, 0)


def test_constants_of_the_sizes() -> None:
    """What the sizes of the inputs say would have another value, or be refused."""
    small = runner()
    found = small.constants_at(["shape", "n", "b", "w0"], {"n": 7})
    assert found["shape"].tolist() == [7, 2] and found["n"].item() == 7
    assert found["b"].tolist() == [-20, 0, 0] and found["w0"].item() == 3
    assert small.constants_at([], {"n": 7}) == {}


@pytest.mark.parametrize(
    ("graph", "dtype"),
    [
        ("c = Identity(x)", "f4"),
        ("c = ReduceSum<keepdims = 0>(x)", "f4"),
        ("c = IsNaN(z) z = Sqrt(x)", "f4"),  # the sign alone
        ("c = ArgMax(x)", "f4"),
        ("c = Shape(j) j = NonZero(i) i = Greater(x, o) o = Constant<value_float = 0.0>()", "f4"),
        ("c = Identity(x)", "i8"),
        ("c = Not(x)", "?"),
        ("o = Constant<value_int = 0>() f = Gather(x, o) b = Cast<to = 9>(f) c = If (b) "
         "<then_branch = p () => (float l) {l = Constant<value_float = 1.0>()}, "
         "else_branch = q () => (float r) {r = Constant<value_float = 2.0>()}>", "i8"),
    ],
)  # fmt: skip
def test_what_depends_on_values_is_no_constant(graph: str, dtype: str) -> None:
    """A tensor would be read as a constant that follows the input's values."""
    kind = {"f4": "float", "i8": "int64", "?": "bool"}[dtype]
    found = runner(f"g ({kind}[n] x) => (float[n] y) {{y = Cast<to = 1>(x) {graph}}}")
    for n in (1, 2, 5):
        if n == 1 and "ArgMax" in graph:
            continue  # of one entry it is 0 always
        with pytest.raises(NotConstant, match="c depends on the values"):
            found.constants_at(["c"], {"n": n})


def test_a_difference_in_one_bit_is_seen() -> None:
    """−0 would be taken for 0, or a number for one of another type."""
    zero = np.zeros(1, np.float32)
    assert same_bits(zero, zero.copy())
    assert not same_bits(zero, -zero)
    assert not same_bits(zero, zero.astype(np.float64))
    assert not same_bits(zero, zero.astype(np.int32))  # the same bits
    assert not same_bits(zero, zero[None])
    assert same_bits(np.array(["a"], object), np.array(["a"], object))
    assert not same_bits(np.array(["a"], object), np.array(["b"], object))
