"""Wrong readings of operators: a name, the graph at which it shows, and how it is planted; one of
each kind of fault."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

from tests.symbolic.onnx.one_operator import floats, graph

from orderproof.symbolic.onnx import build, reader as reading  # isort: skip
from orderproof.symbolic.onnx.build import Builder  # isort: skip
from orderproof.symbolic.onnx.graph import Call  # isort: skip
from orderproof.symbolic.onnx.operators import (  # isort: skip
    along,
    elementwise,
    indexing,
    recurrent,
    reductions,
    scatter,
    shapes,
    windows,
)
from tests.symbolic.onnx.operator_models import FORMS, ROWS_FIRST, picked  # isort: skip

Patch = Callable[[pytest.MonkeyPatch], None]


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


def _next(old: Any, r: Any, t: Any, dim: int, new: Any, positions: Any, *named: str) -> Any:
    return old(r, t, dim, new, lambda a, n: positions(a, n) + 1, *named)


def _left(r: Any, c: Call, args: list[Any]) -> Any:
    x, y = (r.as_tensor(a) for a in args)
    return r.function("add", x, r.insert(y, [1]))


def _transposed(r: Any, c: Call, args: list[Any]) -> Any:
    x, w = (r.as_tensor(a) for a in args)
    return r.matmul(x, r.permute(w, [1, 0]))


def times(factor: float) -> Callable[[Any, Any], Any]:
    """A result larger by this factor."""
    return lambda r, found: r.function(f"times {factor}", found, of=lambda x: factor * x)


X, WHOLE, LINE = "float[b, n, 4] x", "int64[b, n, 4] i_x", "float[b, 4, n] x"
GROUPED = "float[b, 4, n, 3] q, float[b, 2, n, 3] k, float[b, 2, n, 5] v"
ATTENTION = "y = Attention<>(q, k, v)"
SQUARE, VECTOR = floats((4, 4), 3), floats((4,), 4)
LINEAR = graph("y = MatMul(x, w)", X, w=SQUARE)
SUMS = graph("y = CumSum(x, a)", X, a=1)

PLANTED = [
    # another function of the entries, or one that differs seldom or little
    ("Relu read as GELU", graph("y = Relu(x)", X), other("Relu", "Gelu")),
    ("Gelu by tanh for Gelu by erf", graph("y = Gelu(x)", X),
     attributes("Gelu", approximate="tanh")),
    ("another slope of LeakyRelu", graph("y = LeakyRelu<alpha = 0.1>(x)", X),
     attributes("LeakyRelu", alpha=0.1001)),
    ("< for ≤, at ties", graph("a = Abs(x) t = LessOrEqual(a, x) y = Cast<to = 1>(t)", X),
     other("LessOrEqual", "Less")),
    ("the upper end of Clip left out", graph("y = Clip(x, a, c)", X, a=-1.0, c=0.5),
     inputs("Clip", 0, 1)),
    ("a cast that rounds", graph("z = Mul(x, k) y = Cast<to = 7>(z)", X, k=VECTOR * 9),
     function("Cast", np.round)),
    ("a cast to truth that is none", graph(
        "z = Relu(x) t = Cast<to = 9>(z) y = Cast<to = 1>(t)", X), function("Cast", lambda x: x)),
    ("Mod with the sign of the dividend", graph("y = Mod(i_x, k)", WHOLE, k=[-3]),
     attributes("Mod", fmod=1)),
    ("a cast to 8 bits that wraps one number too late", graph(
        "m = Mul(i_x, k) c = Cast<to = 3>(m) y = Cast<to = 1>(c)", "int64[b, n] i_x", k=200),
     numbers(elementwise, "mod", lambda a, b: np.mod(a, b + 1))),
    ("a node that computes a hundredth more", graph("y = Elu(x)", X),
     a_hundredth_more(elementwise)),
    # inputs in another order, or another constant
    ("Sub swapped", graph("y = Sub(x, z)", f"{X}, float[b, n, 4] z"), inputs("Sub", 1, 0)),
    ("BatchNormalization with mean and shift swapped", graph(
        "y = BatchNormalization(x, g, h, m, v)", LINE, g=VECTOR + 2, h=VECTOR,
        m=VECTOR[::-1].copy(), v=VECTOR**2), inputs("BatchNormalization", 0, 1, 3, 2, 4)),
    ("a constant read as zeros", graph("y = Add(x, w)", X, w=VECTOR),
     method("constant", lambda old, r, c: r.function("mul", old(r, c), r.number(0)))),
    ("LayerNormalization without ε", graph(
        "y = LayerNormalization<epsilon = 0.01>(x, g)", X, g=VECTOR + 2),
     attributes("LayerNormalization", epsilon=0.0)),
    # another axis or order of axes, where their lengths are the same
    ("MatMul with a transposed weight", LINEAR, instead("MatMul", _transposed)),
    ("broadcast to the wrong side", graph("y = Add(x, w)", "float[b, 4, 4] x", w=VECTOR),
     instead("Add", _left)),
    ("Softmax over another axis", graph("y = Softmax(x)", X), attributes("Softmax", axis=-2)),
    ("Transpose with the inverse permutation", graph(
        "y = Transpose<perm = [1, 2, 0]>(x)", "float[4, 4, n] x"),
     attributes("Transpose", perm=(2, 0, 1))),
    ("Reshape in order of columns", graph("y = Reshape(x, s)", "float[n, 6] x", s=[0, 2, 3]),
     method("reshape", _column_major)),
    ("Split with its results swapped", graph(
        "p, q = Split<axis = 2, num_outputs = 2>(x) y = Sub(p, q)", X),
     after("Split", lambda _, found: found[::-1])),
    ("factors of a part in the other order", FORMS["split"][0],
     changed(build, "pair", lambda of: lambda sets, e: of(sets[::-1], e[::-1]))),
    ("columns for rows", picked(ROWS_FIRST, "bool[n, n] b_mask"),
     changed(indexing, "columns_of", lambda of: lambda *columns: of(*columns)[::-1])),
    # other positions
    ("Gather off by one", graph("y = Gather<axis = 2>(x, k)", X, k=[2, 0]),
     method("windows", _next)),
    ("Slice off by one", graph("y = Slice(x, s, e, a)", X, s=[1], e=[3], a=[2]),
     constants(s=lambda s: s - 1, e=lambda e: e - 1)),
    ("Conv with its padding on the other side", graph(
        "y = Conv<pads = [2, 0]>(x, w)", LINE, w=(2, 4, 3)), attributes("Conv", pads=(0, 2))),
    ("windows that begin a place too late", graph(
        "y = Conv<pads = [1, 1]>(x, w)", LINE, w=(6, 4, 3)),
     changed(windows.Window, "positions", lambda old: lambda self, at: old(
         dataclasses.replace(self, begin=self.begin - 1), at))),
    ("views not composed", graph(
        'z = Pad<mode = "wrap">(x, p) y = Conv(z, w)', LINE, p=[0, 0, 2, 0, 0, 1],
        w=(6, 4, 3)),
     method("base", lambda old, r, t, d: (
         old(r, t, d)[0], lambda n: np.arange(n(r.atoms.size(t.dims[d])))))),
    ("AveragePool that counts the padding", graph(
        "y = AveragePool<kernel_shape = [3], pads = [1, 1]>(x)", LINE),
     attributes("AveragePool", count_include_pad=1)),
    ("updates put everywhere", graph(
        "y = ScatterND(x, p, u)", "float[6, n] x, float[2, n] u", p=[[4], [1]]),
     changed(scatter, "run_node", lambda of: lambda *a, **k: lambda *x: abs(of(*a, **k)(*x)))),
    # sums, sizes, ranks and states
    ("the mean divided by n − 1", graph("y = ReduceMean(x, a)", X, a=[1]),
     method("mean", _mean_of_sample)),
    ("a division of sizes that rounds up", graph(
        "s = Shape<start = 1, end = 2>(x) h = Div(s, two) f = Cast<to = 1>(h) y = Mul(x, f)", X,
        two=[2]), lambda m: m.setitem(
            shapes.COMPUTED, "Div", lambda a, b: sympy.ceiling(a / b))),
    ("CumSum that leaves out the entry itself", SUMS, attributes("CumSum", exclusive=1)),
    ("a table of weights a hundredth larger", SUMS, a_hundredth_more(along)),
    ("ranks that pass over ties", graph("f = Floor(x) y, i = TopK<axis = 1>(f, k)", X, k=[3]),
     numbers(reductions, "greater", np.greater_equal)),
    ("Attention with the scores larger by a hundredth", graph(
        "y = Attention<scale = 1.0>(x, k, v)",
        "float[b, 2, n, 4] x, float[b, 2, n, 4] k, float[b, 2, n, 4] v"),
     attributes("Attention", scale=1.01)),
    ("causal left out", graph(ATTENTION.replace("<", "<is_causal = 1"), GROUPED),
     attributes("Attention", is_causal=0)),
    ("softcap left out", graph(ATTENTION.replace("<", "<softcap = 0.5"), GROUPED),
     attributes("Attention", softcap=0.0)),
    ("mask left out", graph(
        "y = Attention(q, k, v, mask)", f"{GROUPED}, float[n, n] mask"),
     inputs("Attention", 0, 1, 2)),
    ("a weight of an RNN larger by a hundredth", graph(
        "y = RNN<hidden_size = 2>(x, w, r)", "float[n, b, 4] x", w=(1, 2, 4), r=(1, 2, 2)),
     changed(recurrent, "run_node", lambda of: lambda *a, **k: (
         lambda x, w, r: of(*a, **k)(x, 1.01 * w, r)))),
]  # fmt: skip
