"""Operators that act entry by entry: a table of their names in the calculus.

Numbers of every type are real numbers here: a cast between floats changes nothing, a truth value
is 0 or 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy
from onnx import TensorProto, helper

from orderproof.symbolic.readings.numpy_arrays import Floats, erf

from ..graph import Call
from ..reader import Reader, operator
from ..values import Constant, Labels, Tensor
from .node import attributes, optional, run_node, scalar

SAME = """
Abs Add Ceil Celu Cos Cosh Div Elu Equal Erf Exp Floor Gelu Greater HardSigmoid IsNaN Less Log Mod
Mul Neg PRelu Pow Reciprocal Relu Round Selu Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Sub Tan
Tanh ThresholdedRelu Where
"""  # but for capitals
# The name of each operator in the calculus. On arrays it is the calculus's own function of that
# name, else the one in OWN, else NumPy's, else the node itself is run, and its attributes are part
# of the name.
NAMES = {op: op.lower() for op in SAME.split()} | {
    "Acos": "arccos", "Acosh": "arccosh", "And": "logical_and", "Asin": "arcsin",
    "Asinh": "arcsinh", "Atan": "arctan", "Atanh": "arctanh", "GreaterOrEqual": "greater_equal",
    "IsInf": "is_infinite", "LessOrEqual": "at_most", "Not": "logical_not", "Or": "logical_or",
    "Xor": "logical_xor",
}  # fmt: skip
TRUTHS = {"And", "Equal", "Greater", "GreaterOrEqual", "IsInf", "IsNaN", "Less", "LessOrEqual",
          "Not", "Or", "Xor"}  # fmt: skip
OF_TWO = {"Max": "max", "Min": "min", "Sum": "add", "Mean": "add"}  # one after the other, of many
OWN: dict[str, Callable[..., Any]] = {
    "erf": erf,  # the reference has 32 bits alone
    "gelu_tanh": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "integer_div": lambda a, b: np.trunc(a / b),
    "integer_pow": lambda a, b: np.trunc(np.power(a, b)),
    "logical_and": lambda a, b: (a != 0) & (b != 0),
    "logical_not": lambda x: x == 0,
    "logical_or": lambda a, b: (a != 0) | (b != 0),
    "logical_xor": lambda a, b: (a != 0) ^ (b != 0),
    "min": np.minimum,
    "pow": np.power,
    "prelu": lambda x, slope: np.where(x < 0, slope * x, x),
    "reciprocal": lambda x: 1 / x,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),  # the reference takes two exponentials
    "softplus": lambda x: np.logaddexp(0, x),  # of large numbers the reference had none for long
    "softsign": lambda x: x / (1 + np.abs(x)),  # the reference writes into an array: not in balls
    "where": lambda test, a, b: np.where(test != 0, a, b),
}
TYPES = {"bool", "bfloat16", "float16", "float32", "float64",
         *(f"{u}int{bits}" for u in ("", "u") for bits in (8, 16, 32, 64))}  # fmt: skip


@operator(*NAMES)
def entrywise(r: Reader, c: Call, args: list[Any]) -> Any:
    if c.op == "Equal" and (found := same_position(r, *args)) is not None:
        return found
    parts, name = [r.as_tensor(a) for a in args], NAMES[c.op]
    kind = "b" if c.op in TRUTHS else parts[1 if c.op == "Where" else 0].kind
    if c.op in ("Div", "Pow") and kind == "i":
        name = f"integer_{name}"
    elif c.op == "Mod" and attributes(c)["fmod"]:
        name = "fmod"
    elif c.op == "Gelu" and attributes(c)["approximate"] == "tanh":
        name = "gelu_tanh"
    return function(r, c, name, parts, kind)


def function(r: Reader, c: Call, name: str, parts: list[Tensor], kind: str) -> Tensor:
    """A function of entries by its name in the calculus, with what it is on arrays."""
    if name in Floats.functions:
        return r.function(name, *parts, kind=kind)
    of = OWN.get(name) or getattr(np, name, None)
    if of is None:
        given = ", ".join(f"{k}={v}" for k, v in sorted(c.attributes.items()))
        name, of = f"{name}({given})", run_node(c, [t.kind for t in parts])
    return r.function(name, *parts, of=as_numbers(of) if kind == "b" else of, kind=kind)


def kept(
    r: Reader, parts: Sequence[Tensor], labels: Sequence[Labels], out: Labels, otherwise: float = 0
) -> Tensor:
    """The second of two parts where the first is not 0, else a constant."""
    return r.pointwise(
        f"keep_or_{otherwise}", parts, labels, out,
        of=lambda t, a: np.where(t != 0, a, np.asarray(otherwise, a.dtype)), kind=parts[1].kind,
    )  # fmt: skip


def as_numbers(of: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose truth values are made 0 and 1, in the type of its first array."""
    return lambda *arrays: np.asarray(of(*arrays), dtype=arrays[0].dtype)


def same_position(r: Reader, x: Any, y: Any) -> Tensor | None:
    """[i = j] of positions that are counted along two dimensions of one size: the identity."""
    counts = [c.counts if isinstance(c, Constant) else () for c in (x, y)]
    if not all(len(own) == 1 and [*own[0].values()] == [1] for own in counts):
        return None
    rank = max(len(x.sizes), len(y.sizes))
    row, column = (rank - len(c.sizes) + min(c.counts[0]) for c in (x, y))
    padded = [[sympy.Integer(1)] * (rank - len(c.sizes)) + list(c.sizes) for c in (x, y)]
    sizes = [b if a == 1 else a for a, b in zip(*padded, strict=True)]
    if row == column or sizes[row] != sizes[column]:
        return None
    return r.identity(sizes, row, column, "b")


@operator("LeakyRelu")
def leaky(r: Reader, c: Call, args: list[Any]) -> Any:
    slope = scalar(r, attributes(c)["alpha"])
    return function(r, c, "prelu", [r.as_tensor(args[0]), slope], "f")


@operator(*OF_TWO)
def several(r: Reader, c: Call, args: list[Any]) -> Any:
    found, *rest = map(r.as_tensor, args)
    for x in rest:
        found = function(r, c, OF_TWO[c.op], [found, x], found.kind)
    return r.function("div", found, r.number(len(args))) if c.op == "Mean" else found


@operator("Clip")
def clip(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    for name, k in (("max", 1), ("min", 2)):
        if optional(args, k) is not None:
            x = function(r, c, name, [x, r.as_tensor(args[k])], x.kind)
    return x


@operator("Identity", "Dropout")
def identity(r: Reader, c: Call, args: list[Any]) -> Any:
    if c.op == "Dropout" and optional(args, 2) is not None:
        training = r.array(args[2])
        if training is None or bool(training):
            raise r.refuse("Dropout in training mode draws random numbers")
    if len(c.outputs) > 1 and c.outputs[1]:
        raise r.refuse("the mask of Dropout is not read")
    x = r.as_tensor(args[0])
    return r.same(x, x.dims, x.varies_along)


# ---------------------------------------------------------------------------------------- types
@operator("Cast", "CastLike")
def cast(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    to = c.attributes["to"] if c.op == "Cast" else stored(r, c.input(1))
    usual = {"i": TensorProto.INT64, "b": TensorProto.BOOL, "f": TensorProto.FLOAT}
    return converted(r, x, type_of(r, usual[r.as_tensor(args[1]).kind] if to is None else to))


def converted(r: Reader, x: Tensor, to: str) -> Tensor:
    """x in numbers of another type: rounded where few digits are left, cut off towards zero where
    they are whole, wrapped around where they have few digits; 32 and 64 bits hold what comes."""
    kind = kind_of(to)
    if kind == "b" and x.kind != "b":
        return r.function("nonzero", x, of=as_numbers(lambda a: a != 0), kind="b")
    if to in ("float16", "bfloat16"):
        return r.function(f"to_{to}", x, of=lambda a: a.astype(np.dtype(to)).astype(a.dtype))
    if kind == "i" and x.kind == "f":
        x = r.function("trunc", x, of=np.trunc, kind="i")
    if kind == "i" and "64" not in to and x.kind != "b":
        low, high = int(np.iinfo(to).min), int(np.iinfo(to).max)

        def wrapped(a: Any) -> Any:  # what fits is as it is, for 32 bits hold no sum with `low`
            return np.where((a >= low) & (a <= high), a, np.mod(a - low, high - low + 1) + low)

        return r.function(f"to_{to}", x, of=wrapped, kind="i")
    return r.same(x, x.dims, x.varies_along, kind)


def type_of(r: Reader, of: Any) -> str:
    """The name of a type, by its number in ONNX or as NumPy has it."""
    name = (of if isinstance(of, np.dtype) else helper.tensor_dtype_to_np_dtype(of)).name
    if name not in TYPES:
        raise r.refuse(f"numbers of type {name} are not read")
    return str(name)


def kind_of(to: str) -> str:
    """f, i or b of the numbers of a type."""
    return "b" if to == "bool" else "f" if "float" in to else "i"


def stored(r: Reader, name: str) -> np.dtype[Any] | None:
    """The type of an input or initialiser of the graph; of another tensor it is not known."""
    return getattr(r.graph.inputs.get(name, r.graph.constants.get(name)), "dtype", None)
