"""Operators entry by entry: what each does to numbers and truth values, and that they broadcast."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

import numpy as np

from .compare import (
    absolute,
    at_most,
    below,
    both,
    either,
    equal,
    greatest,
    ite,
    least,
    negated,
    same_truth,
    to_real,
)
from .expression import BOOL, INT, REAL, ZERO, Expr, add, mul, neg, number, sub, value_of
from .node import Node
from .rounding import divided, floor, floor_mod, function, power, trunc_div, truncated
from .tables import sort_of
from .tensors import Refused, Tensor, broadcast, spread

Entrywise = Callable[..., Expr]
HALF = number(Fraction(1, 2), REAL)


def quotient(x: Expr, y: Expr) -> Expr:
    """Div: towards 0 of integers."""
    return trunc_div(x, y) if x.sort == INT else divided(x, y)


def whole_real(how: Callable[[Expr], Expr]) -> Entrywise:
    """A real that is rounded to an integer, which is a real again."""
    return lambda x: to_real(how(x))


def ceiling(x: Expr) -> Expr:
    """The least integer that is at least x."""
    return neg(floor(neg(x)))


def rounded(x: Expr) -> Expr:
    """The nearest integer, of two the even one."""
    up = floor(add(x, HALF))
    between = both(equal(to_real(up), add(x, HALF)), equal(floor_mod(up, number(2)), number(1)))
    return ite(between, sub(up, number(1)), up)


def sign(x: Expr) -> Expr:
    """−1, 0 or 1."""
    zero, one = number(0, x.sort), number(1, x.sort)
    return ite(below(zero, x), one, ite(below(x, zero), neg(one), zero))


def to_power(x: Expr, y: Expr) -> Expr:
    """Pow; of integers, by a small number."""
    if x.sort == INT:
        by = value_of(y)
        if by is None or by not in range(5):
            raise Refused("given a power of integers, expected a small fixed exponent")
        whole = number(1)
        for _ in range(int(by)):
            whole = mul(whole, x)
        return whole
    return power(x, to_real(y) if y.sort == INT else y)


def to_bool(x: Expr) -> Expr:
    """Whether a number is not 0."""
    return x if x.sort == BOOL else negated(equal(x, number(0, x.sort)))


def cast(x: Expr, sort: str) -> Expr:
    """A value as another sort: a float to an integer without its fraction."""
    if x.sort == sort:
        return x
    if sort == BOOL:
        return to_bool(x)
    if x.sort == BOOL:
        return ite(x, number(1, sort), number(0, sort))
    return to_real(x) if sort == REAL else truncated(x)


ENTRYWISE: Mapping[str, Entrywise] = {
    "Add": add, "Sub": sub, "Mul": mul, "Div": quotient, "Neg": neg, "Abs": absolute,
    "Min": least, "Max": greatest, "Sum": add, "Sign": sign, "Pow": to_power,
    "Less": below, "LessOrEqual": at_most, "Greater": lambda x, y: below(y, x),
    "GreaterOrEqual": lambda x, y: at_most(y, x), "Equal": equal,
    "And": both, "Or": either, "Xor": lambda c, d: negated(same_truth(c, d)), "Not": negated,
    "Floor": whole_real(floor), "Ceil": whole_real(ceiling), "Round": whole_real(rounded),
    "Exp": lambda x: function("exp", x), "Log": lambda x: function("log", x),
    "Sin": lambda x: function("sin", x), "Cos": lambda x: function("cos", x),
    "Tanh": lambda x: function("tanh", x), "Sqrt": lambda x: function("sqrt", x),
    "Reciprocal": lambda x: divided(number(1, REAL), x),
    "Relu": lambda x: greatest(x, number(0, x.sort)), "Identity": lambda x: x,
}  # fmt: skip
TRUTHS = {"Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal", "And", "Or", "Xor", "Not"}


def together(node: Node, tensors: tuple[Tensor, ...], sort: str, of: Entrywise) -> Tensor:
    """A function of the entries of tensors that broadcast."""
    dims = broadcast([t.dims for t in tensors], node.require)
    return Tensor(dims, sort, lambda i: of(*(spread(t, i) for t in tensors)))


def entrywise(node: Node) -> Tensor:
    """An operator of the table; one that takes many inputs from left to right."""
    op, of = node.call.op, ENTRYWISE[node.call.op]
    tensors = tuple(node.input(k) for k in range(len(node.inputs)))
    sort = BOOL if op in TRUTHS else tensors[0].sort
    if op == "Div" and sort == INT:
        node.require_everywhere(tensors[1], lambda e: negated(equal(e, ZERO)))
    if op in ("Min", "Max", "Sum"):
        whole = tensors[0]
        for t in tensors[1:]:
            whole = together(node, (whole, t), sort, of)
        return whole
    return together(node, tensors, sort, of)


def modulo(node: Node) -> Tensor:
    """Mod: with the sign of the divisor, or with fmod of the dividend."""
    x, y = node.input(0), node.input(1)
    if x.sort == INT and not node.attribute("fmod", 0):
        node.require_everywhere(y, lambda e: negated(equal(e, ZERO)))
        return together(node, (x, y), INT, floor_mod)
    if x.sort == INT:
        node.require_everywhere(y, lambda e: negated(equal(e, ZERO)))
        return together(node, (x, y), INT, lambda a, b: sub(a, mul(b, trunc_div(a, b))))
    return together(
        node, (x, y), REAL, lambda a, b: sub(a, mul(b, to_real(truncated(divided(a, b)))))
    )


def chosen(node: Node) -> Tensor:
    """Where."""
    tensors = (node.input(0), node.input(1), node.input(2))
    return together(node, tensors, tensors[1].sort, ite)


def clipped(node: Node) -> Tensor:
    """Clip: the upper bound last, so it holds where the bounds are crossed."""
    whole = node.input(0)
    for k, of, name in ((1, greatest, "min"), (2, least, "max")):
        if (bound := node.given(k)) is not None:
            whole = together(node, (whole, bound), whole.sort, of)
        elif node.attribute(name) is not None:
            raise Refused(f"given {name} as an attribute, expected an input")
    return whole


def casted(node: Node) -> Tensor:
    """Cast and CastLike, between bool, int32, int64 and float."""
    x = node.input(0)
    if node.call.op == "CastLike":
        sort = node.input(1).sort
    else:
        to = dtype_of(node.attribute("to"))
        sort = sort_of(to)
        if (to == np.float16 and x.sort == "int") or (to == np.int32 and x.sort != "bool"):
            raise Refused(f"given a cast of numbers to {to}, expected one that has them all")
    if not sort:
        raise Refused("given a cast to a type other than float, int32, int64 or bool")
    return Tensor(x.dims, sort, lambda i: cast(x.at(*i), sort))


def dtype_of(code: int) -> np.dtype[np.generic]:
    """ONNX's number of a type."""
    kinds = {1: "f4", 6: "i4", 7: "i8", 9: "?", 10: "f2", 11: "f8", 2: "u1", 3: "i1", 5: "i2"}
    return np.dtype(kinds.get(int(code), "O"))
