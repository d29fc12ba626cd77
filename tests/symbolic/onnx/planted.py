"""Wrong readings of operators, each with a small model at which the check must see it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from orderproof.symbolic.onnx import reader as reading
from orderproof.symbolic.onnx.build import Builder
from orderproof.symbolic.onnx.graph import Call, Graph
from orderproof.symbolic.onnx.values import Constant
from tests.symbolic.onnx.one_operator import floats, graph, node

Patch = Callable[[pytest.MonkeyPatch], None]
X: dict[str, Any] = {"x": ["b", "n", 4]}
SQUARE = floats((4, 4), 3)
VECTOR = floats((4,), 4)


@dataclasses.dataclass(frozen=True)
class Planted:
    """A fault: what is wrong, the model at which it shows, and how it is planted."""

    name: str
    model: Graph
    patch: Patch


def one(op: str, more: str = "", x: Any = None, constants: Any = None, **attributes: Any) -> Graph:
    """The model y = op(x, more)."""
    inputs = x or X
    return graph([node(op, f"{next(iter(inputs))} {more}", "y", **attributes)], inputs, constants)


def attributes(op: str, **changed: Any) -> Patch:
    """The operator read with other attributes."""

    def patch(m: pytest.MonkeyPatch) -> None:
        old = reading.OPERATORS[op]

        def read(r: Any, c: Call, args: list[Any]) -> Any:
            return old(r, dataclasses.replace(c, attributes={**c.attributes, **changed}), args)

        m.setitem(reading.OPERATORS, op, read)

    return patch


def inputs(op: str, *order: int) -> Patch:
    """The operator read with its inputs in another order, or without some."""

    def patch(m: pytest.MonkeyPatch) -> None:
        old = reading.OPERATORS[op]

        def read(r: Any, c: Call, args: list[Any]) -> Any:
            moved = dataclasses.replace(c, inputs=tuple(c.inputs[k] for k in order))
            return old(r, moved, [args[k] for k in order])

        m.setitem(reading.OPERATORS, op, read)

    return patch


def other(op: str, instead: str) -> Patch:
    """The operator read as another one."""

    def patch(m: pytest.MonkeyPatch) -> None:
        old = reading.OPERATORS[instead]

        def read(r: Any, c: Call, args: list[Any]) -> Any:
            return old(r, dataclasses.replace(c, op=instead), args)

        m.setitem(reading.OPERATORS, op, read)

    return patch


def after(op: str, change: Callable[[Any, Any], Any]) -> Patch:
    """The operator's result changed."""

    def patch(m: pytest.MonkeyPatch) -> None:
        old = reading.OPERATORS[op]

        def read(r: Any, c: Call, args: list[Any]) -> Any:
            return change(r, old(r, c, args))

        m.setitem(reading.OPERATORS, op, read)

    return patch


def instead(op: str, read: Callable[[Any, Call, list[Any]], Any], table: Any = None) -> Patch:
    """The operator read by a function of our own."""
    return lambda m: m.setitem(reading.OPERATORS if table is None else table, op, read)


def constants(**changed: Callable[[Any], Any]) -> Patch:
    """Whole numbers of the graph changed before they are read."""

    def patch(m: pytest.MonkeyPatch) -> None:
        old = reading.initialiser

        def read(name: str, array: Any) -> Constant:
            return old(name, changed[name](array) if name in changed else array)

        m.setattr(reading, "initialiser", read)

    return patch


def method(name: str, of: Callable[..., Any]) -> Patch:
    """A method of the builder replaced; the old one is the first argument of the new one."""

    def patch(m: pytest.MonkeyPatch) -> None:
        old = getattr(Builder, name)
        m.setattr(Builder, name, lambda self, *a, **k: of(old, self, *a, **k))

    return patch


def function(op: str, of: Callable[..., Any]) -> Patch:
    """The operator read as a function of the entries of its first input."""

    def read(r: Any, c: Call, args: list[Any]) -> Any:
        return r.function(f"planted {op}", r.as_tensor(args[0]), of=of)

    return instead(op, read)


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
    from orderproof.symbolic.onnx.operators.shapes import known

    values = known(args)
    if values is None:
        return None
    import sympy

    from orderproof.symbolic.onnx.operators.shapes import ints

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


def _i64(*values: int) -> Any:
    return np.array(values, np.int64)


WHOLE = {"i_x": ["b", "n", 4]}
TWO = {"x": ["b", "n", 4], "z": ["b", "n", 4]}
GAINS = {"g": VECTOR + 2, "h": VECTOR}
IMAGE = {"x": ["b", 4, "n"]}

ELEMENTWISE = [
    Planted("Relu read as GELU", one("Relu"), other("Relu", "Gelu")),
    Planted("Gelu by tanh for Gelu by erf", one("Gelu"), attributes("Gelu", approximate="tanh")),
    Planted("< for ≤, at ties", graph(
        [node("Abs", "x", "a"), node("LessOrEqual", "a x", "t"), node("Cast", "t", "y", to=1)], X),
        other("LessOrEqual", "Less")),
    Planted("> for ≥, at ties", graph(
        [node("Abs", "x", "a"), node("GreaterOrEqual", "x a", "t"), node("Cast", "t", "y", to=1)],
        X), other("GreaterOrEqual", "Greater")),
    Planted("Where swapped", graph(
        [node("Greater", "x z", "t"), node("Where", "t x z", "y")], TWO), inputs("Where", 0, 2, 1)),
    Planted("Sub swapped", one("Sub", "z", TWO), inputs("Sub", 1, 0)),
    Planted("Div swapped", one("Div", "z", TWO), inputs("Div", 1, 0)),
    Planted("integers divided exactly", one("Div", "k", WHOLE, {"k": _i64(3)}),
            instead("Div", _true_quotient)),
    Planted("a cast that rounds", graph(
        [node("Mul", "x k", "z"), node("Cast", "z", "y", to=7)], X, {"k": VECTOR * 9}),
        function("Cast", np.round)),
    Planted("a cast to truth that is none", graph(
        [node("Relu", "x", "z"), node("Cast", "z", "t", to=9), node("Cast", "t", "y", to=1)], X),
        function("Cast", lambda x: x)),
    Planted("Mod with the sign of the dividend", one(
        "Mod", "k", WHOLE, {"k": _i64(-3)}), attributes("Mod", fmod=1)),
    Planted("the upper end of Clip left out", one(
        "Clip", "a c", X, {"a": np.float32(-1), "c": np.float32(0.5)}), inputs("Clip", 0, 1)),
    Planted("another slope of LeakyRelu", one("LeakyRelu", alpha=0.1),
            attributes("LeakyRelu", alpha=0.1001)),
    Planted("Softplus read as Relu", one("Softplus"), other("Softplus", "Relu")),
    Planted("Sigmoid larger by a thousandth", one("Sigmoid"), after("Sigmoid", _times(1.001))),
    Planted("Tanh read as Erf", one("Tanh"), other("Tanh", "Erf")),
    Planted("Ceil read as Floor", one("Ceil"), other("Ceil", "Floor")),
    Planted("broadcast to the wrong side", graph(
        [node("Add", "x w", "y")], {"x": ["b", 4, 4]}, {"w": VECTOR}), instead("Add", _left)),
]  # fmt: skip

LINEAR = [
    Planted("MatMul with a transposed weight", one("MatMul", "w", X, {"w": SQUARE}),
            instead("MatMul", _transposed(1))),
    Planted("a product read the other way round", one(
        "MatMul", "z", {"x": ["b", 4, 4], "z": ["b", 4, 4]}), inputs("MatMul", 1, 0)),
    Planted("alpha of Gemm off by a thousandth", one(
        "Gemm", "w h", {"x": ["n", 4]}, {"w": SQUARE, "h": VECTOR}, alpha=0.5),
        attributes("Gemm", alpha=0.5005)),
    Planted("transB of Gemm left out", one(
        "Gemm", "w", {"x": ["n", 4]}, {"w": SQUARE}, transB=1), attributes("Gemm", transB=0)),
    Planted("Einsum with another order of the result", one(
        "Einsum", "w", {"x": ["b", 4]}, {"w": SQUARE}, equation="bi,ij->bj"),
        attributes("Einsum", equation="bi,ji->bj")),
    Planted("a constant read as zeros", one("Add", "w", X, {"w": VECTOR}),
            method("constant", _zeros)),
]  # fmt: skip

NORMS = [
    Planted("Softmax over another axis", one("Softmax", axis=-1), attributes("Softmax", axis=-2)),
    Planted("LogSoftmax over another axis", one("LogSoftmax", axis=-1),
            attributes("LogSoftmax", axis=1)),
    Planted("LayerNormalization without ε", one(
        "LayerNormalization", "g h", X, GAINS, epsilon=0.01),
        attributes("LayerNormalization", epsilon=0.0)),
    Planted("LayerNormalization over the wrong axes", one(
        "LayerNormalization", "g h", X, GAINS), attributes("LayerNormalization", axis=1)),
    Planted("LayerNormalization without its shift", one(
        "LayerNormalization", "g h", X, GAINS), inputs("LayerNormalization", 0, 1)),
    Planted("RMSNormalization by the mean as well", graph(
        [node("RMSNormalization", "x g", "y")], X, {"g": VECTOR}, 23),
        other("RMSNormalization", "LayerNormalization")),
    Planted("GroupNormalization in other groups", one(
        "GroupNormalization", "g h", IMAGE, GAINS, num_groups=2),
        attributes("GroupNormalization", num_groups=4)),
    Planted("InstanceNormalization with gain and shift swapped", one(
        "InstanceNormalization", "g h", IMAGE, GAINS), inputs("InstanceNormalization", 0, 2, 1)),
    Planted("BatchNormalization with mean and shift swapped", one(
        "BatchNormalization", "g h m v", IMAGE, GAINS | {"m": VECTOR[::-1].copy(), "v": VECTOR**2}),
        inputs("BatchNormalization", 0, 1, 3, 2, 4)),
]  # fmt: skip

REDUCTIONS = [
    Planted("the mean divided by n − 1", one("ReduceMean", "a", X, {"a": _i64(1)}),
            method("mean", _mean_of_sample)),
    Planted("ReduceMax read as ReduceMin", one("ReduceMax", "a", X, {"a": _i64(1)}),
            other("ReduceMax", "ReduceMin")),
    Planted("ReduceSum over another axis", one(
        "ReduceSum", "a", {"x": ["b", 4, 4]}, {"a": _i64(1)}, keepdims=0),
        constants(a=lambda a: a + 1)),
    Planted("ReduceL2 without the root", one("ReduceL2", "a", X, {"a": _i64(1)}),
            other("ReduceL2", "ReduceSumSquare")),
    Planted("ReduceLogSumExp without exponentials", graph(
        [node("Exp", "x", "e"), node("ReduceLogSumExp", "e a", "y")], X, {"a": _i64(1)}),
        other("ReduceLogSumExp", "ReduceLogSum")),
    Planted("ArgMax read as ArgMin", one("ArgMax", axis=1), other("ArgMax", "ArgMin")),
]  # fmt: skip

SHAPES = [
    Planted("Transpose with the inverse permutation", graph(
        [node("Transpose", "x", "y", perm=[1, 2, 0])], {"x": [4, 4, "n"]}),
        attributes("Transpose", perm=(2, 0, 1))),
    Planted("Reshape in order of columns", one(
        "Reshape", "s", {"x": ["n", 6]}, {"s": _i64(0, 2, 3)}), method("reshape", _column_major)),
    Planted("heads merged without a transpose", graph(
        [node("Transpose", "x", "t", perm=[0, 2, 1, 3]), node("Reshape", "t s", "y")],
        {"x": ["b", 2, "n", 3]}, {"s": _i64(0, 0, 6)}), instead("Transpose", _not_moved)),
    Planted("Tile that repeats each entry", one("Tile", "k", X, {"k": _i64(1, 1, 3)}),
            instead("Tile", _each)),
    Planted("Expand that fills up with zeros", one(
        "Expand", "s", {"x": ["n", 1]}, {"s": _i64(1, 4)}), after("Expand", _first_alone)),
    Planted("Unsqueeze at another place", graph(
        [node("Unsqueeze", "x a", "u"), node("Mul", "u x", "y")], {"x": [4, 4]}, {"a": _i64(1)}),
        constants(a=lambda a: a - 1)),
    Planted("a division of sizes that rounds up", _sizes_halved(),
            instead("Div", _rounded_up, reading.CONSTANT)),
]  # fmt: skip

INDEXING = [
    Planted("Gather off by one", one("Gather", "k", X, {"k": _i64(2, 0)}, axis=2),
            method("select", _next)),
    Planted("Gather along another axis", one(
        "Gather", "k", {"x": [4, 4, "n"]}, {"k": _i64(2, 0)}, axis=0),
        attributes("Gather", axis=1)),
    Planted("Slice off by one", one(
        "Slice", "s e a", X, {"s": _i64(1), "e": _i64(3), "a": _i64(2)}),
            constants(s=lambda s: s - 1, e=lambda e: e - 1)),
    Planted("Slice with another step", one(
        "Slice", "s e a k", X, {"s": _i64(3), "e": _i64(-9), "a": _i64(2), "k": _i64(-1)}),
        constants(s=lambda s: s - 3, e=lambda e: e + 99, k=lambda k: -k)),
    Planted("Concat in the other order", one("Concat", "z", TWO, axis=2), inputs("Concat", 1, 0)),
    Planted("Split with its results swapped", graph(
        [node("Split", "x", "p q", axis=2, num_outputs=2), node("Sub", "p q", "y")], X),
        after("Split", _reversed)),
    Planted("GatherElements along another axis", graph(
        [node("GatherElements", "x k", "y", axis=0)], {"x": [4, 4]}, {
            "k": np.random.default_rng(2).integers(0, 4, (4, 4))}),
        attributes("GatherElements", axis=1)),
    Planted("Trilu that keeps the other half", one("Trilu", "", {"x": ["b", "n", "n"]}, upper=1),
            attributes("Trilu", upper=0)),
    Planted("Trilu off by one", one("Trilu", "k", {"x": ["b", "n", "n"]}, {"k": np.int64(1)}),
            constants(k=lambda k: k - 1)),
]  # fmt: skip

PLACES = [
    Planted("Conv with its padding on the other side", one(
        "Conv", "w", IMAGE, {"w": floats((2, 4, 3), 8)}, pads=[2, 0]),
        attributes("Conv", pads=(0, 2))),
    Planted("AveragePool that counts the padding", one(
        "AveragePool", "", IMAGE, kernel_shape=[3], pads=[1, 1]),
        attributes("AveragePool", count_include_pad=1)),
    Planted("CumSum that leaves out the entry itself", one(
        "CumSum", "a", X, {"a": np.int64(1)}), attributes("CumSum", exclusive=1)),
    Planted("Attention with the scores larger by a hundredth", graph(
        [node("Attention", "x z v", "y", scale=1.0)],
        {k: ["b", 2, "n", 4] for k in "xzv"}, None, 23), attributes("Attention", scale=1.01)),
    Planted("Pad at the other side", one(
        "Pad", "p", X, {"p": _i64(0, 0, 1, 0, 0, 0)}), constants(p=lambda p: np.roll(p, 3))),
]  # fmt: skip

CHOSEN = [
    Planted("TopK of the smallest", graph(
        [node("TopK", "x k", "y i", axis=1)], X, {"k": _i64(2)}), attributes("TopK", largest=0)),
    Planted("ScatterElements that adds nothing up", graph(
        [node("ScatterElements", "x k z", "y", axis=1, reduction="add")],
        {"x": [3, 5, 4], "z": [3, 5, 4]},
        {"k": np.random.default_rng(3).integers(0, 5, (3, 5, 4))}),
        attributes("ScatterElements", reduction="none")),
    Planted("OneHot along another axis", one(
        "OneHot", "k v", {"i_x": ["n"]}, {"k": np.int64(4), "v": np.array([0, 1], np.float32)}),
        attributes("OneHot", axis=0)),
    Planted("EyeLike off by one", graph(
        [node("EyeLike", "x", "e"), node("MatMul", "e x", "y")], {"x": ["n", "n"]}),
        attributes("EyeLike", k=1)),
    Planted("MaxPool with another stride", one(
        "MaxPool", "", {"x": ["b", 4, 8]}, kernel_shape=[2], strides=[2]),
        attributes("MaxPool", strides=(3,))),
    Planted("RotaryEmbedding that interleaves", graph(
        [node("RotaryEmbedding", "x c s", "y")], {"x": [2, "n", 5, 4]},
        {"c": floats((2, 5, 2), 5), "s": floats((2, 5, 2), 6)}, 23),
        attributes("RotaryEmbedding", interleaved=1)),
    Planted("a GRU that runs backwards", graph(
        [node("GRU", "x w r", "h", hidden_size=2), node("Identity", "h", "y")],
        {"x": ["n", "b", 4]}, {"w": floats((1, 6, 4)), "r": floats((1, 6, 2), 2)}),
        attributes("GRU", direction="reverse")),
    Planted("DFT that is the inverse", graph(
        [node("DFT", "x - a", "y", inverse=0)], {"x": ["b", "n", 2]}, {"a": np.int64(1)}, 20),
        attributes("DFT", inverse=1)),
]  # fmt: skip

QUANTISED = [
    Planted("QuantizeLinear to other numbers", graph(
        [node("QuantizeLinear", "x s z", "q"), node("DequantizeLinear", "q s z", "y")], X,
        {"s": np.float32(0.05), "z": np.int8(3)}), attributes("QuantizeLinear", output_dtype=2)),
    Planted("DequantizeLinear without its zero point", graph(
        [node("QuantizeLinear", "x s z", "q"), node("DequantizeLinear", "q s z", "y")], X,
        {"s": np.float32(0.05), "z": np.int8(3)}), inputs("DequantizeLinear", 0, 1)),
    Planted("MatMulInteger without its zero point", graph(
        [node("DynamicQuantizeLinear", "x", "q s z"), node("MatMulInteger", "q w z", "p"),
         node("Cast", "p", "f", to=1), node("Mul", "f s", "y")], X,
        {"w": np.random.default_rng(4).integers(-60, 60, (4, 4)).astype(np.int8)}),
        inputs("MatMulInteger", 0, 1)),
]  # fmt: skip

PLANTED = [
    *ELEMENTWISE,
    *LINEAR,
    *NORMS,
    *REDUCTIONS,
    *SHAPES,
    *INDEXING,
    *PLACES,
    *CHOSEN,
    *QUANTISED,
]
