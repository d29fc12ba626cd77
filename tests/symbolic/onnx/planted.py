"""Wrong readings of operators: a name, the model at which it shows, and how it is planted."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

from orderproof.symbolic.onnx import reader as reading
from orderproof.symbolic.onnx.build import Builder
from orderproof.symbolic.onnx.graph import Call, Graph
from orderproof.symbolic.onnx.operators import (
    along,
    elementwise,
    recurrent,
    reductions,
    scatter,
    windows,
)
from orderproof.symbolic.onnx.operators import attention as attending
from orderproof.symbolic.onnx.operators.shapes import ints, known
from orderproof.symbolic.onnx.values import Constant
from tests.symbolic.onnx.one_operator import floats, graph, node, whole

Patch = Callable[[pytest.MonkeyPatch], None]
X: dict[str, Any] = {"x": ["b", "n", 4]}
SQUARE = floats((4, 4), 3)
VECTOR = floats((4,), 4)


def one(op: str, more: str = "", x: Any = None, constants: Any = None, **attributes: Any) -> Graph:
    """The model y = op(x, more)."""
    inputs = x or X
    return graph([node(op, f"{next(iter(inputs))} {more}", "y", **attributes)], inputs, constants)


def changed(owner: Any, name: str, change: Callable[[Any], Any]) -> Patch:
    """A changed function in the place of the right one."""
    return lambda m: m.setattr(owner, name, change(getattr(owner, name)))


def operator(op: str, of: Callable[..., Any]) -> Patch:
    """The operator read by a function of our own; the right one is its first argument."""

    def patch(m: pytest.MonkeyPatch) -> None:
        old = reading.OPERATORS.get(op, by_its_body)
        m.setitem(reading.OPERATORS, op, lambda r, c, args: of(old, r, c, args))

    return patch


def by_its_body(r: Any, c: Call, args: list[Any]) -> Any:
    """An operator without a reading of its own."""
    return r._by_its_body(c, args)


def attributes(op: str, **other: Any) -> Patch:
    """The operator read with other attributes."""

    def read(old: Any, r: Any, c: Call, args: list[Any]) -> Any:
        return old(r, dataclasses.replace(c, attributes={**c.attributes, **other}), args)

    return operator(op, read)


def inputs(op: str, *order: int) -> Patch:
    """The operator read with its inputs in another order, or without some."""

    def read(old: Any, r: Any, c: Call, args: list[Any]) -> Any:
        moved = dataclasses.replace(c, inputs=tuple(c.inputs[k] for k in order))
        return old(r, moved, [args[k] for k in order])

    return operator(op, read)


def other(op: str, instead: str) -> Patch:
    """The operator read as another one."""
    right = reading.OPERATORS[instead]
    return operator(op, lambda _, r, c, args: right(r, dataclasses.replace(c, op=instead), args))


def after(op: str, change: Callable[[Any, Any], Any]) -> Patch:
    """The operator's result changed."""
    return operator(op, lambda old, r, c, args: change(r, old(r, c, args)))


def instead(op: str, read: Callable[[Any, Call, list[Any]], Any]) -> Patch:
    """The operator read by a function of our own."""
    return operator(op, lambda _, r, c, args: read(r, c, args))


def constants(**other: Callable[[Any], Any]) -> Patch:
    """Whole numbers of the graph changed before they are read."""

    def change(old: Any) -> Any:
        return lambda name, array: old(name, other[name](array) if name in other else array)

    return changed(reading, "initialiser", change)


def method(name: str, of: Callable[..., Any]) -> Patch:
    """A method of the builder replaced; the old one is the first argument of the new one."""
    return changed(Builder, name, lambda old: lambda self, *a, **k: of(old, self, *a, **k))


def function(op: str, of: Callable[..., Any]) -> Patch:
    """The operator read as a function of the entries of its first input."""
    name = f"planted {op}"
    return instead(op, lambda r, c, args: r.function(name, r.as_tensor(args[0]), of=of))


class Numbers:
    """NumPy with another function, for one module alone."""

    def __init__(self, **other: Any) -> None:
        self.other = other

    def __getattr__(self, name: str) -> Any:
        return self.other.get(name) or getattr(np, name)


def a_hundredth_more(owner: Any) -> Patch:
    """A module with another function that runs nodes."""
    return changed(owner, "run_node", lambda of: lambda *a, **k: lambda *x: 1.01 * of(*a, **k)(*x))


def numbers(owner: Any, name: str, other: Any) -> Patch:
    """A module computes with another function."""
    return changed(owner, "np", lambda _: Numbers(**{name: other}))


def _mean_of_sample(old: Any, r: Any, t: Any, dims: Any, keep: bool = True) -> Any:
    less = r.function("sub", r.count([t.dims[i] for i in dims]), r.number(1))
    return r.function("div", r.reduce("sum", t, dims, keep), less)


def _column_major(old: Any, r: Any, t: Any, sizes: Any) -> Any:
    *first, rows, columns = sizes
    found = old(r, t, [*first, columns, rows])
    rank = len(sizes)
    return r.permute(found, [*range(rank - 2), rank - 1, rank - 2])


def _not_moved(r: Any, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    sizes = r.sizes(x)
    return r.reshape(x, [sizes[k] for k in c.attributes["perm"]])


def _next(old: Any, r: Any, t: Any, dim: int, new: Any, source: str, index: Any, name: str) -> Any:
    return old(r, t, dim, new, source, lambda a, n: index(a, n) + 1, name)


def _zeros(old: Any, r: Any, c: Constant) -> Any:
    dims = tuple(r.atoms.new(s, "zeros") for s in c.sizes)
    return r.table(
        f"{c.name} of zeros", dims, lambda _, n: np.zeros([n(r.atoms.size(d)) for d in dims])
    )


def _left(r: Any, c: Call, args: list[Any]) -> Any:
    x, y = (r.as_tensor(a) for a in args)
    return r.function("add", x, r.insert(y, [1]))


def _reversed(r: Any, found: Any) -> Any:
    return list(reversed(found))


def _each(r: Any, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    (k,) = (int(v) for v in r.ints(args[1], "repeats").flat if v != 1)
    new = r.atoms.new(4 * k, "chosen")
    return r.select(x, 2, [new], "", lambda _, n: np.arange(4 * k) // k, "planted")


def _first_alone(r: Any, found: Any) -> Any:
    table = r.table("planted", [found.dims[-1]], lambda _, n: np.eye(1, 4)[0])
    return r.function("mul", found, table)


def _transposed(k: int) -> Callable[[Any, Call, list[Any]], Any]:
    def read(r: Any, c: Call, args: list[Any]) -> Any:
        parts = [r.as_tensor(a) for a in args]
        rank = len(parts[k].dims)
        parts[k] = r.permute(parts[k], [*range(rank - 2), rank - 1, rank - 2])
        return r.matmul(*parts)

    return read


def _times(factor: float) -> Callable[[Any, Any], Any]:
    def change(r: Any, found: Any) -> Any:
        whole = found[0] if isinstance(found, list) else found
        scaled = r.function(f"times {factor}", whole, of=lambda x: factor * x)
        return [scaled, *found[1:]] if isinstance(found, list) else scaled

    return change


def _true_quotient(r: Any, c: Call, args: list[Any]) -> Any:
    return r.function("div", *(r.as_tensor(a) for a in args), kind="i")


def _rounded_up(r: Any, c: Call, args: list[Any]) -> Any:
    values = known(args)
    if values is None:
        return None
    return ints([sympy.ceiling(a / b) for a, b in zip(values[0].flat, values[1].flat, strict=True)])


def _sizes_halved() -> Graph:
    """x times the whole half of its length, which a size computes."""
    return graph(
        [
            node("Shape", "x", "s", start=1, end=2),
            node("Div", "s two", "h"),
            node("Cast", "h", "f", to=1),
            node("Mul", "x f", "y"),
        ],
        X,
        {"two": np.array([2], np.int64)},
    )


WHOLE = {"i_x": ["b", "n", 4]}
TWO = {"x": ["b", "n", 4], "z": ["b", "n", 4]}
GAINS = {"g": VECTOR + 2, "h": VECTOR}
IMAGE = {"x": ["b", 4, "n"]}
BOTH_ENDS = np.array([0, 0, 2, 0, 0, 1])
KERNEL = floats((6, 4, 3))
GROUPED: dict[str, Any] = {"q": ["b", 4, "n", 3], "k": ["b", 2, "n", 3], "v": ["b", 2, "n", 5]}


def conv(**attributes: Any) -> Graph:
    """A convolution along n."""
    return one("Conv", "w", IMAGE, {"w": KERNEL}, **attributes)


def attention(**attributes: Any) -> Graph:
    """Grouped attention."""
    return graph([node("Attention", "q k v", "y", **attributes)], GROUPED, opset=23)


PLANTED = [
    ("Relu read as GELU", one("Relu"), other("Relu", "Gelu")),
    ("Gelu by tanh for Gelu by erf", one("Gelu"), attributes("Gelu", approximate="tanh")),
    ("< for ≤, at ties", graph(
        [node("Abs", "x", "a"), node("LessOrEqual", "a x", "t"), node("Cast", "t", "y", to=1)], X),
        other("LessOrEqual", "Less")),
    ("> for ≥, at ties", graph(
        [node("Abs", "x", "a"), node("GreaterOrEqual", "x a", "t"), node("Cast", "t", "y", to=1)],
        X), other("GreaterOrEqual", "Greater")),
    ("Where swapped", graph(
        [node("Greater", "x z", "t"), node("Where", "t x z", "y")], TWO), inputs("Where", 0, 2, 1)),
    ("Sub swapped", one("Sub", "z", TWO), inputs("Sub", 1, 0)),
    ("Div swapped", one("Div", "z", TWO), inputs("Div", 1, 0)),
    ("integers divided exactly", one("Div", "k", WHOLE, {"k": whole(3)}),
            instead("Div", _true_quotient)),
    ("a cast that rounds", graph(
        [node("Mul", "x k", "z"), node("Cast", "z", "y", to=7)], X, {"k": VECTOR * 9}),
        function("Cast", np.round)),
    ("a cast to truth that is none", graph(
        [node("Relu", "x", "z"), node("Cast", "z", "t", to=9), node("Cast", "t", "y", to=1)], X),
        function("Cast", lambda x: x)),
    ("Mod with the sign of the dividend", one(
        "Mod", "k", WHOLE, {"k": whole(-3)}), attributes("Mod", fmod=1)),
    ("the upper end of Clip left out", one(
        "Clip", "a c", X, {"a": np.float32(-1), "c": np.float32(0.5)}), inputs("Clip", 0, 1)),
    ("another slope of LeakyRelu", one("LeakyRelu", alpha=0.1),
            attributes("LeakyRelu", alpha=0.1001)),
    ("Softplus read as Relu", one("Softplus"), other("Softplus", "Relu")),
    ("Sigmoid larger by a thousandth", one("Sigmoid"), after("Sigmoid", _times(1.001))),
    ("Tanh read as Erf", one("Tanh"), other("Tanh", "Erf")),
    ("Ceil read as Floor", one("Ceil"), other("Ceil", "Floor")),
    ("broadcast to the wrong side", graph(
        [node("Add", "x w", "y")], {"x": ["b", 4, 4]}, {"w": VECTOR}), instead("Add", _left)),
    ("MatMul with a transposed weight", one("MatMul", "w", X, {"w": SQUARE}),
            instead("MatMul", _transposed(1))),
    ("a product read the other way round", one(
        "MatMul", "z", {"x": ["b", 4, 4], "z": ["b", 4, 4]}), inputs("MatMul", 1, 0)),
    ("alpha of Gemm off by a thousandth", one(
        "Gemm", "w h", {"x": ["n", 4]}, {"w": SQUARE, "h": VECTOR}, alpha=0.5),
        attributes("Gemm", alpha=0.5005)),
    ("transB of Gemm left out", one(
        "Gemm", "w", {"x": ["n", 4]}, {"w": SQUARE}, transB=1), attributes("Gemm", transB=0)),
    ("Einsum with another order of the result", one(
        "Einsum", "w", {"x": ["b", 4]}, {"w": SQUARE}, equation="bi,ij->bj"),
        attributes("Einsum", equation="bi,ji->bj")),
    ("a constant read as zeros", one("Add", "w", X, {"w": VECTOR}),
            method("constant", _zeros)),
    ("Softmax over another axis", one("Softmax", axis=-1), attributes("Softmax", axis=-2)),
    ("LogSoftmax over another axis", one("LogSoftmax", axis=-1),
            attributes("LogSoftmax", axis=1)),
    ("LayerNormalization without ε", one(
        "LayerNormalization", "g h", X, GAINS, epsilon=0.01),
        attributes("LayerNormalization", epsilon=0.0)),
    ("LayerNormalization over the wrong axes", one(
        "LayerNormalization", "g h", X, GAINS), attributes("LayerNormalization", axis=1)),
    ("LayerNormalization without its shift", one(
        "LayerNormalization", "g h", X, GAINS), inputs("LayerNormalization", 0, 1)),
    ("RMSNormalization by the mean as well", graph(
        [node("RMSNormalization", "x g", "y")], X, {"g": VECTOR}, 23),
        other("RMSNormalization", "LayerNormalization")),
    ("GroupNormalization in other groups", one(
        "GroupNormalization", "g h", IMAGE, GAINS, num_groups=2),
        attributes("GroupNormalization", num_groups=4)),
    ("InstanceNormalization with gain and shift swapped", one(
        "InstanceNormalization", "g h", IMAGE, GAINS), inputs("InstanceNormalization", 0, 2, 1)),
    ("BatchNormalization with mean and shift swapped", one(
        "BatchNormalization", "g h m v", IMAGE, GAINS | {"m": VECTOR[::-1].copy(), "v": VECTOR**2}),
        inputs("BatchNormalization", 0, 1, 3, 2, 4)),
    ("the mean divided by n − 1", one("ReduceMean", "a", X, {"a": whole(1)}),
            method("mean", _mean_of_sample)),
    ("ReduceMax read as ReduceMin", one("ReduceMax", "a", X, {"a": whole(1)}),
            other("ReduceMax", "ReduceMin")),
    ("ReduceSum over another axis", one(
        "ReduceSum", "a", {"x": ["b", 4, 4]}, {"a": whole(1)}, keepdims=0),
        constants(a=lambda a: a + 1)),
    ("ReduceL2 without the root", one("ReduceL2", "a", X, {"a": whole(1)}),
            other("ReduceL2", "ReduceSumSquare")),
    ("ReduceLogSumExp without exponentials", graph(
        [node("Exp", "x", "e"), node("ReduceLogSumExp", "e a", "y")], X, {"a": whole(1)}),
        other("ReduceLogSumExp", "ReduceLogSum")),
    ("ArgMax read as ArgMin", one("ArgMax", axis=1), other("ArgMax", "ArgMin")),
    ("Transpose with the inverse permutation", graph(
        [node("Transpose", "x", "y", perm=[1, 2, 0])], {"x": [4, 4, "n"]}),
        attributes("Transpose", perm=(2, 0, 1))),
    ("Reshape in order of columns", one(
        "Reshape", "s", {"x": ["n", 6]}, {"s": whole(0, 2, 3)}), method("reshape", _column_major)),
    ("heads merged without a transpose", graph(
        [node("Transpose", "x", "t", perm=[0, 2, 1, 3]), node("Reshape", "t s", "y")],
        {"x": ["b", 2, "n", 3]}, {"s": whole(0, 0, 6)}), instead("Transpose", _not_moved)),
    ("Tile that repeats each entry", one("Tile", "k", X, {"k": whole(1, 1, 3)}),
            instead("Tile", _each)),
    ("Expand that fills up with zeros", one(
        "Expand", "s", {"x": ["n", 1]}, {"s": whole(1, 4)}), after("Expand", _first_alone)),
    ("Unsqueeze at another place", graph(
        [node("Unsqueeze", "x a", "u"), node("Mul", "u x", "y")], {"x": [4, 4]}, {"a": whole(1)}),
        constants(a=lambda a: a - 1)),
    ("a division of sizes that rounds up", _sizes_halved(),
            lambda m: m.setitem(reading.CONSTANT, "Div", _rounded_up)),
    ("Gather off by one", one("Gather", "k", X, {"k": whole(2, 0)}, axis=2),
            method("select", _next)),
    ("Gather along another axis", one(
        "Gather", "k", {"x": [4, 4, "n"]}, {"k": whole(2, 0)}, axis=0),
        attributes("Gather", axis=1)),
    ("Slice off by one", one(
        "Slice", "s e a", X, {"s": whole(1), "e": whole(3), "a": whole(2)}),
            constants(s=lambda s: s - 1, e=lambda e: e - 1)),
    ("Slice with another step", one(
        "Slice", "s e a k", X, {"s": whole(3), "e": whole(-9), "a": whole(2), "k": whole(-1)}),
        constants(s=lambda s: s - 3, e=lambda e: e + 99, k=lambda k: -k)),
    ("Concat in the other order", one("Concat", "z", TWO, axis=2), inputs("Concat", 1, 0)),
    ("Split with its results swapped", graph(
        [node("Split", "x", "p q", axis=2, num_outputs=2), node("Sub", "p q", "y")], X),
        after("Split", _reversed)),
    ("GatherElements along another axis", graph(
        [node("GatherElements", "x k", "y", axis=0)], {"x": [4, 4]}, {
            "k": np.random.default_rng(2).integers(0, 4, (4, 4))}),
        attributes("GatherElements", axis=1)),
    ("Trilu that keeps the other half", one("Trilu", "", {"x": ["b", "n", "n"]}, upper=1),
            attributes("Trilu", upper=0)),
    ("Trilu off by one", one("Trilu", "k", {"x": ["b", "n", "n"]}, {"k": np.int64(1)}),
            constants(k=lambda k: k - 1)),
    ("Conv with its padding on the other side", one(
        "Conv", "w", IMAGE, {"w": floats((2, 4, 3), 8)}, pads=[2, 0]),
        attributes("Conv", pads=(0, 2))),
    ("AveragePool that counts the padding", one(
        "AveragePool", "", IMAGE, kernel_shape=[3], pads=[1, 1]),
        attributes("AveragePool", count_include_pad=1)),
    ("CumSum that leaves out the entry itself", one(
        "CumSum", "a", X, {"a": np.int64(1)}), attributes("CumSum", exclusive=1)),
    ("Attention with the scores larger by a hundredth", graph(
        [node("Attention", "x z v", "y", scale=1.0)],
        {k: ["b", 2, "n", 4] for k in "xzv"}, None, 23), attributes("Attention", scale=1.01)),
    ("Pad at the other side", one(
        "Pad", "p", X, {"p": whole(0, 0, 1, 0, 0, 0)}), constants(p=lambda p: np.roll(p, 3))),
    ("TopK of the smallest", graph(
        [node("TopK", "x k", "y i", axis=1)], X, {"k": whole(2)}), attributes("TopK", largest=0)),
    ("ScatterElements that adds nothing up", graph(
        [node("ScatterElements", "x k z", "y", axis=1, reduction="add")],
        {"x": [3, 5, 4], "z": [3, 5, 4]},
        {"k": np.random.default_rng(3).integers(0, 5, (3, 5, 4))}),
        attributes("ScatterElements", reduction="none")),
    ("OneHot along another axis", one(
        "OneHot", "k v", {"i_x": ["n"]}, {"k": np.int64(4), "v": np.array([0, 1], np.float32)}),
        attributes("OneHot", axis=0)),
    ("EyeLike off by one", graph(
        [node("EyeLike", "x", "e"), node("MatMul", "e x", "y")], {"x": ["n", "n"]}),
        attributes("EyeLike", k=1)),
    ("MaxPool with another stride", one(
        "MaxPool", "", {"x": ["b", 4, 8]}, kernel_shape=[2], strides=[2]),
        attributes("MaxPool", strides=(3,))),
    ("RotaryEmbedding that interleaves", graph(
        [node("RotaryEmbedding", "x c s", "y")], {"x": [2, "n", 5, 4]},
        {"c": floats((2, 5, 2), 5), "s": floats((2, 5, 2), 6)}, 23),
        attributes("RotaryEmbedding", interleaved=1)),
    ("a GRU that runs backwards", graph(
        [node("GRU", "x w r", "h", hidden_size=2), node("Identity", "h", "y")],
        {"x": ["n", "b", 4]}, {"w": floats((1, 6, 4)), "r": floats((1, 6, 2), 2)}),
        attributes("GRU", direction="reverse")),
    ("DFT that is the inverse", graph(
        [node("DFT", "x - a", "y", inverse=0)], {"x": ["b", "n", 2]}, {"a": np.int64(1)}, 20),
        attributes("DFT", inverse=1)),
    ("QuantizeLinear to other numbers", graph(
        [node("QuantizeLinear", "x s z", "q"), node("DequantizeLinear", "q s z", "y")], X,
        {"s": np.float32(0.05), "z": np.int8(3)}), attributes("QuantizeLinear", output_dtype=2)),
    ("DequantizeLinear without its zero point", graph(
        [node("QuantizeLinear", "x s z", "q"), node("DequantizeLinear", "q s z", "y")], X,
        {"s": np.float32(0.05), "z": np.int8(3)}), inputs("DequantizeLinear", 0, 1)),
    ("a cast to 8 bits that wraps one number too late", graph(
        [node("Mul", "i_x k", "m"), node("Cast", "m", "c", to=3), node("Cast", "c", "y", to=1)],
        {"i_x": ["b", "n"]}, {"k": np.int64(200)}),
        numbers(elementwise, "mod", lambda a, b: np.mod(a, b + 1))),
    ("MatMulInteger without its zero point", graph(
        [node("DynamicQuantizeLinear", "x", "q s z"), node("MatMulInteger", "q w z", "p"),
         node("Cast", "p", "f", to=1), node("Mul", "f s", "y")], X,
        {"w": np.random.default_rng(4).integers(-60, 60, (4, 4)).astype(np.int8)}),
        inputs("MatMulInteger", 0, 1)),
    ("windows that begin a place too late", conv(pads=[1, 1]),
     changed(windows.Window, "positions", lambda old: lambda self, at: old(
         dataclasses.replace(self, begin=self.begin - 1), at))),
    ("taps backwards", conv(),
     changed(windows.Window, "positions", lambda old: lambda self, at: old(self, at)[:, ::-1])),
    ("Conv without its stride", conv(strides=[2], pads=[1, 1]), attributes("Conv", strides=(1,))),
    ("Conv without its dilation", conv(dilations=[2], pads=[2, 2]),
     attributes("Conv", dilations=(1,))),
    ("SAME at the other end", one(
        "Conv", "w", IMAGE, {"w": floats((6, 4, 4))}, auto_pad="SAME_LOWER"),
        attributes("Conv", auto_pad="SAME_UPPER")),
    ("reflect read as edge", one("Pad", "p", IMAGE, {"p": BOTH_ENDS}, mode="reflect"),
     attributes("Pad", mode="edge")),
    ("wrap read as reflect", one("Pad", "p", IMAGE, {"p": BOTH_ENDS}, mode="wrap"),
     attributes("Pad", mode="reflect")),
    ("views not composed", graph(
        [node("Pad", "x p", "z", mode="wrap"), node("Conv", "z w", "y")], IMAGE,
        {"p": BOTH_ENDS, "w": KERNEL}),
        changed(Builder, "base", lambda of: lambda s, t, d: (of(s, t, d)[0], None))),
    ("causal left out", attention(is_causal=1), attributes("Attention", is_causal=0)),
    ("causal added", attention(), attributes("Attention", is_causal=1)),
    ("softcap left out", attention(softcap=0.5), attributes("Attention", softcap=0.0)),
    ("mask left out", graph(
        [node("Attention", "q k v mask", "y")], GROUPED | {"mask": ["n", "n"]}, opset=23),
        inputs("Attention", 0, 1, 2)),
    ("heads split the wrong way", graph(
        [node("Attention", "q k v", "y", q_num_heads=4, kv_num_heads=2)],
        {"q": ["b", "n", 12], "k": ["b", "n", 6], "v": ["b", "n", 10]}, opset=23),
        changed(attending, "split_heads", lambda _: lambda r, x, k: r.reshape(
            x, [r.sizes(x)[0], k, r.sizes(x)[1], r.sizes(x)[2] / k]))),
    ("halves for pairs", graph(
        [node("RotaryEmbedding", "x c s", "y", interleaved=1)],
        {"x": ["b", 2, "n", 6], "c": ["b", "n", 3], "s": ["b", "n", 3]}, opset=23),
        attributes("RotaryEmbedding", interleaved=0)),
    ("reset before the product", one(
        "GRU", "w r", {"x": ["n", "b", 4]}, {"w": floats((1, 6, 4)), "r": floats((1, 6, 2), 2)},
        hidden_size=2, linear_before_reset=1), attributes("GRU", linear_before_reset=0)),
    ("a weight of an RNN larger by a hundredth", one(
        "RNN", "w r", {"x": ["n", "b", 4]}, {"w": floats((1, 2, 4)), "r": floats((1, 2, 2), 2)},
        hidden_size=2), changed(recurrent, "run_node", lambda of: lambda *a, **k: (
            lambda x, w, r: of(*a, **k)(x, 1.01 * w, r)))),
    ("a node that computes a hundredth more", one("Elu"), a_hundredth_more(elementwise)),
    ("a table of weights a hundredth larger", one("CumSum", "a", X, {"a": np.int64(1)}),
     a_hundredth_more(along)),
    ("sums from the other end", one("CumSum", "a", X, {"a": np.int64(1)}),
     attributes("CumSum", reverse=1)),
    ("ranks that pass over ties", graph(
        [node("Floor", "x", "f"), node("TopK", "f k", "y i", axis=1)], X, {"k": whole(3)}),
        numbers(reductions, "greater", np.greater_equal)),
    ("largest for sum", graph(
        [node("ScatterND", "x i_to u", "y", reduction="add")],
        {"x": ["n", 4], "u": ["m", 4], "i_to": ["m", 1]}),
        attributes("ScatterND", reduction="max")),
    ("updates put everywhere", one(
        "ScatterND", "p u", {"x": [6, "n"], "u": [2, "n"]}, {"p": np.array([[4], [1]])}),
        changed(scatter, "run_node", lambda of: lambda *a, **k: lambda *x: abs(of(*a, **k)(*x)))),
    ("OneHot with its values swapped", one(
        "OneHot", "d v", {"i_at": ["b", "n"]}, {"d": np.array(2), "v": floats((2,))}),
        lambda m: m.setitem(elementwise.OWN, "where", lambda t, a, b: np.where(t != 0, b, a))),
    ("nearest rounded up", one(
        "Resize", "- - s", {"x": [2, 4, 6]}, {"s": whole(2, 4, 12)},
        coordinate_transformation_mode="asymmetric"), attributes("Resize", nearest_mode="ceil")),
]  # fmt: skip
