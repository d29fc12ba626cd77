"""Operators read wrongly on purpose: every fault must show beside onnxruntime's values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.symbolic.onnx.one_operator import error, floats, graph, node

from orderproof.symbolic.onnx.build import Builder  # isort: skip
from orderproof.symbolic.onnx.operators import (  # isort: skip
    attention,
    one_hot,
    padding,
    recurrent,
    resize,
    scans,
    scatter,
    sorting,
    windows,
)

Patch = pytest.MonkeyPatch
SIZES = {"n": 7, "m": 5, "b": 2}
LINE = {"x": ["b", 4, "n"]}
ROWS = {"x": ["b", "n", 4]}
KERNEL = {"w": floats([6, 4, 3])}
QKV = {"q": ["b", 4, "n", 3], "k": ["b", 2, "n", 3], "v": ["b", 2, "n", 5]}
THREE = {"q": ["b", "n", 12], "k": ["b", "n", 6], "v": ["b", "n", 10]}


def conv(**attributes: Any) -> Any:
    """A convolution along n."""
    return graph([node("Conv", "x w", "y", **attributes)], LINE, KERNEL)


def attending(names: str = "q k v", inputs: Any = QKV, **attributes: Any) -> Any:
    """Grouped attention."""
    return graph([node("Attention", names, "y", **attributes)], inputs, opset=23)


def recurring(op: str, gates: int, **attributes: Any) -> Any:
    """A recurrent layer."""
    weights = {
        "w": floats([1, 5 * gates, 4]),
        "r": floats([1, 5 * gates, 5], 1),
        "c": floats([1, 10 * gates], 2),
    }
    call = node(op, "x w r c", "y", hidden_size=5, **attributes)
    return graph([call], {"x": ["n", "b", 4]}, weights)


def rotary(**attributes: Any) -> Any:
    """A rotary embedding."""
    inputs = {"x": ["b", 2, "n", 6], "c": ["b", "n", 3], "s": ["b", "n", 3]}
    return graph([node("RotaryEmbedding", "x c s", "y", **attributes)], inputs, opset=23)


def changed(owner: Any, name: str, change: Callable[[Any], Any]) -> Callable[[Patch], None]:
    """A patch that puts a changed function in the place of the right one."""

    def apply(patch: Patch) -> None:
        patch.setattr(owner, name, change(getattr(owner, name)))

    return apply


class Numbers:
    """NumPy with another function, for one module alone."""

    def __init__(self, **other: Any) -> None:
        self.other = other

    def __getattr__(self, name: str) -> Any:
        return self.other.get(name) or getattr(np, name)


def numbers(owner: Any, name: str, other: Any) -> Callable[[Patch], None]:
    """A patch by which a module computes with another function."""
    return changed(owner, "np", lambda _: Numbers(**{name: other}))


def attribute(name: str, value: Any) -> Callable[[Any], Any]:
    """Operators read as if an attribute had another value."""
    from dataclasses import replace

    def change(operators: dict[str, Any]) -> Any:
        def wrong(function: Any) -> Any:
            return lambda r, c, args: function(
                r, replace(c, attributes={**c.attributes, name: value}), args
            )

        return {op: wrong(function) for op, function in operators.items()}

    return change


def read_with(name: str, value: Any) -> Callable[[Patch], None]:
    """A patch by which all operators are read with a wrong attribute."""
    from orderproof.symbolic.onnx import reader

    return changed(reader, "OPERATORS", attribute(name, value))


def shifted(raw: Any) -> Any:
    """Windows that begin one place too late."""
    return lambda self, at: raw(self, at) + 1


def backwards(places: Any) -> Any:
    """Taps in the opposite order."""
    return lambda self, at: places(self, at)[:, ::-1]


def no_masks(_: Any) -> Any:
    """Scores as they are."""
    return lambda r, c, args, scores, *more: (scores, False)


FAULTS: dict[str, tuple[Any, Callable[[Patch], None]]] = {
    "windows shifted": (conv(pads=[1, 1]), changed(windows.Window, "raw", shifted)),
    "taps backwards": (conv(), changed(windows.Window, "places", backwards)),
    "pads ignored": (conv(pads=[2, 0]), read_with("pads", (0, 2))),
    "strides ignored": (conv(strides=[2], pads=[1, 1]), read_with("strides", (1,))),
    "dilations ignored": (conv(dilations=[2], pads=[2, 2]), read_with("dilations", (1,))),
    "SAME at the other end": (
        graph([node("Conv", "x w", "y", auto_pad="SAME_LOWER")], LINE, {"w": floats([6, 4, 4])}),
        read_with("auto_pad", "SAME_UPPER"),
    ),
    "padding counted": (
        graph([node("AveragePool", "x", "y", kernel_shape=[3], pads=[1, 1])], LINE),
        read_with("count_include_pad", 1),
    ),
    "reflect read as edge": (
        graph([node("Pad", "x p", "y", mode="reflect")], LINE, {"p": np.array([0, 0, 2, 0, 0, 1])}),
        changed(padding, "MODES", lambda m: {**m, "reflect": m["edge"]}),
    ),
    "wrap read as reflect": (
        graph([node("Pad", "x p", "y", mode="wrap")], LINE, {"p": np.array([0, 0, 2, 0, 0, 1])}),
        changed(padding, "MODES", lambda m: {**m, "wrap": m["reflect"]}),
    ),
    "views not composed": (
        graph(
            [node("Pad", "x p", "z", mode="wrap"), node("Conv", "z w", "y")], LINE,
            {"p": np.array([0, 0, 1, 0, 0, 1]), **KERNEL},
        ),
        changed(Builder, "base", lambda of: lambda s, t, d: (of(s, t, d)[0], None)),
    ),
    "causal left out": (attending(is_causal=1), read_with("is_causal", 0)),
    "causal added": (attending(), read_with("is_causal", 1)),
    "scale of another width": (attending(), read_with("scale", 0.5)),
    "softcap left out": (attending(softcap=0.5), read_with("softcap", 0.0)),
    "mask left out": (
        attending("q k v mask", {**QKV, "mask": ["n", "n"]}),
        changed(attention, "masks", no_masks),
    ),
    "heads split the wrong way": (
        attending("q k v", THREE, q_num_heads=4, kv_num_heads=2),
        changed(
            attention, "split_heads",
            lambda _: lambda r, x, k: r.reshape(
                x, [r.sizes(x)[0], k, r.sizes(x)[1], r.sizes(x)[2] / k]
            ),
        ),
    ),
    "pairs for halves": (rotary(), read_with("interleaved", 1)),
    "halves for pairs": (rotary(interleaved=1), read_with("interleaved", 0)),
    "reset before the product": (
        recurring("GRU", 3, linear_before_reset=1), read_with("linear_before_reset", 0),
    ),
    "forwards for backwards": (
        recurring("LSTM", 4, direction="reverse"), read_with("direction", "forward"),
    ),
    "sigmoid for tanh": (
        recurring("RNN", 1),
        changed(recurrent, "FUNCTIONS", lambda f: {**f, "Tanh": f["Sigmoid"]}),
    ),
    "sums from the other end": (
        graph([node("CumSum", "x a", "y")], ROWS, {"a": np.array(1)}), read_with("reverse", 1),
    ),
    "sums without the term": (
        graph([node("CumSum", "x a", "y", exclusive=1)], ROWS, {"a": np.array(1)}),
        read_with("exclusive", 0),
    ),
    "Fourier transform transposed": (
        graph([node("DFT", "x", "y", axis=1)], {"x": ["b", "n", 2, 2]}, opset=17),
        numbers(scans, "sin", lambda x: -np.sin(x)),
    ),
    "least for largest": (
        graph([node("TopK", "x k", "y i", axis=1)], ROWS, {"k": np.array([3])}),
        read_with("largest", 0),
    ),
    "ranks that pass over ties": (
        graph([node("TopK", "x k", "y i", axis=1)], ROWS, {"k": np.array([3])}),
        numbers(sorting, "greater", np.greater_equal),
    ),
    "largest for sum": (
        graph([node("ScatterND", "x i_to u", "y", reduction="add")],
              {"x": ["n", 4], "u": ["m", 4], "i_to": ["m", 1]}),
        read_with("reduction", "max"),
    ),
    "updates put everywhere": (
        graph([node("ScatterND", "x p u", "y")], {"x": [6, "n"], "u": [2, "n"]},
              {"p": np.array([[4], [1]])}),
        numbers(scatter, "zeros", np.ones),
    ),
    "places from the wrong end": (
        graph([node("OneHot", "i_at d v", "y")], {"i_at": ["b", "n"]},
              {"d": np.array(2), "v": floats([2])}),
        numbers(one_hot, "where", lambda t, a, b: np.where(t, b, a)),
    ),
    "nearest rounded up": (
        graph([node("Resize", "x - s", "y", coordinate_transformation_mode="asymmetric")], LINE,
              {"s": np.float32([1, 1, 2])}),
        changed(resize, "ROUNDED", lambda r: {**r, "round_prefer_floor": r["ceil"]}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_wrong_reading_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were one not noticed, a theorem could be about another model than the user's."""
    model, apply = FAULTS[name]
    assert error(model, SIZES) <= 1
    with monkeypatch.context() as patch:
        apply(patch)
        try:
            found = error(model, SIZES)
        except AssertionError as problem:
            assert "shape" in str(problem)
            return
    assert not found <= 1
