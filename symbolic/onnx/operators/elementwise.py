"""Operators that act entry by entry: a name for the calculus, a function on arrays for the check.

Numbers of every type are real numbers here: a cast between floats changes nothing, a truth value
is 0 or 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from orderproof.symbolic.readings.numpy_arrays import erf

from ..graph import Call
from ..reader import Reader, operator
from ..values import Constant, Tensor


def _truth(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *a: np.asarray(function(*a), dtype=a[0].dtype)


# operator: its name in the calculus, and on arrays; None: the reading of arrays has that name
UNARY: dict[str, tuple[str, Callable[..., Any] | None]] = {
    "Neg": ("neg", None),
    "Exp": ("exp", None),
    "Log": ("log", None),
    "Sqrt": ("sqrt", None),
    "Sin": ("sin", None),
    "Cos": ("cos", None),
    "Relu": ("relu", None),
    "Abs": ("abs", np.abs),
    "Reciprocal": ("reciprocal", lambda x: 1 / x),
    "Tan": ("tan", np.tan),
    "Asin": ("arcsin", np.arcsin),
    "Acos": ("arccos", np.arccos),
    "Atan": ("arctan", np.arctan),
    "Sinh": ("sinh", np.sinh),
    "Cosh": ("cosh", np.cosh),
    "Asinh": ("arsinh", np.arcsinh),
    "Acosh": ("arcosh", np.arccosh),
    "Atanh": ("artanh", np.arctanh),
    "Tanh": ("tanh", np.tanh),
    "Sigmoid": ("sigmoid", lambda x: 1 / (1 + np.exp(-x))),
    "Erf": ("erf", erf),
    "Softplus": ("softplus", lambda x: np.logaddexp(0, x)),
    "Softsign": ("softsign", lambda x: x / (1 + np.abs(x))),
    "HardSwish": ("hardswish", lambda x: x * np.clip(x / 6 + 0.5, 0, 1)),
    "Mish": ("mish", lambda x: x * np.tanh(np.logaddexp(0, x))),
    "Floor": ("floor", np.floor),
    "Ceil": ("ceil", np.ceil),
    "Round": ("round", np.round),
    "Sign": ("sign", np.sign),
}
TRUTH: dict[str, tuple[str, Callable[..., Any]]] = {
    "Not": ("not", _truth(lambda x: x == 0)),
    "IsNaN": ("isnan", _truth(np.isnan)),
    "Equal": ("equal", _truth(np.equal)),
    "Less": ("less", _truth(np.less)),
    "LessOrEqual": ("at_most", _truth(np.less_equal)),
    "Greater": ("greater", _truth(np.greater)),
    "GreaterOrEqual": ("at_least", _truth(np.greater_equal)),
    "And": ("and", _truth(lambda a, b: (a != 0) & (b != 0))),
    "Or": ("or", _truth(lambda a, b: (a != 0) | (b != 0))),
    "Xor": ("xor", _truth(lambda a, b: (a != 0) ^ (b != 0))),
}


@operator(*UNARY)
def unary(r: Reader, c: Call, args: list[Any]) -> Any:
    name, of = UNARY[c.op]
    x = r.as_tensor(args[0])
    return r.function(name, x, of=of, kind=x.kind)


@operator(*TRUTH)
def truth(r: Reader, c: Call, args: list[Any]) -> Any:
    name, of = TRUTH[c.op]
    if c.op == "Equal" and (found := same_position(r, *args)) is not None:
        return found
    return r.function(name, *(r.as_tensor(a) for a in args), of=of, kind="b")


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


@operator("IsInf")
def is_infinite(r: Reader, c: Call, args: list[Any]) -> Any:
    below, above = (int(c.attributes.get(f"detect_{x}", 1)) for x in ("negative", "positive"))
    return r.function(
        f"isinf({below}, {above})",
        r.as_tensor(args[0]),
        of=_truth(lambda x: ((x == -np.inf) & bool(below)) | ((x == np.inf) & bool(above))),
        kind="b",
    )


@operator("Add", "Sub", "Mul", "Div", "Pow", "Mod", "PRelu")
def binary(r: Reader, c: Call, args: list[Any]) -> Any:
    x, y = r.as_tensor(args[0]), r.as_tensor(args[1])
    name, of = {
        "Add": ("add", None),
        "Sub": ("sub", None),
        "Mul": ("mul", None),
        "Div": ("div", None),
        "Pow": ("pow", np.power),
        "Mod": ("mod", np.mod),
        "PRelu": ("prelu", lambda x, slope: np.where(x < 0, slope * x, x)),
    }.get(c.op, (None, None))
    if name is None:
        raise r.refuse(f"operator {c.op} is not read")
    if c.op == "Div" and x.kind == "i":
        name, of = "integer_div", lambda a, b: np.trunc(a / b)
    if c.op == "Pow" and x.kind == "i":
        name, of = "integer_pow", lambda a, b: np.trunc(np.power(a, b))
    if c.op == "Mod" and c.attributes.get("fmod", 0):
        name, of = "fmod", np.fmod
    return r.function(name, x, y, of=of, kind=x.kind)


@operator("Max", "Min", "Sum", "Mean")
def several(r: Reader, c: Call, args: list[Any]) -> Any:
    first, *rest = (r.as_tensor(a) for a in args)
    name, of = {"Max": ("max", None), "Min": ("min", np.minimum)}.get(c.op, ("add", None))
    for x in rest:
        first = r.function(name, first, x, of=of, kind=first.kind)
    if c.op == "Mean":
        first = r.function("div", first, r.number(len(args)))
    return first


@operator("Where")
def where(r: Reader, c: Call, args: list[Any]) -> Any:
    test, x, y = (r.as_tensor(a) for a in args)
    return r.function("where", test, x, y, of=lambda t, a, b: np.where(t != 0, a, b), kind=x.kind)


@operator("Cast", "CastLike")
def cast(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    if c.op == "Cast":
        to = type_of(r, c.attributes["to"])
    else:
        to = {"i": "int64", "b": "bool", "f": "float32"}[r.as_tensor(args[1]).kind]
        named = stored(r, c.input(1))
        to = to if named is None else type_named(r, named.name)
    return converted(r, x, to)


def converted(r: Reader, x: Tensor, to: str) -> Tensor:
    """x in numbers of another type: rounded where few digits are left, cut off towards zero where
    they are whole, wrapped around where they have few digits; 32 and 64 bits hold what comes."""
    kind = kind_of(to)
    if kind == "b" and x.kind != "b":
        return r.function("nonzero", x, of=_truth(lambda a: a != 0), kind="b")
    if to in ("float16", "bfloat16"):
        return r.function(f"to_{to}", x, of=lambda a: _rounded(a, to), kind="f")
    if kind == "i" and x.kind == "f":
        x = r.function("truncate", x, of=np.trunc, kind="i")
    if to in _NARROW and x.kind != "b":
        bits, signed = _NARROW[to]
        low, span = (-(1 << (bits - 1)) if signed else 0), 1 << bits
        return r.function(f"to_{to}", x, of=lambda a: np.mod(a - low, span) + low, kind="i")
    return r.tensor(x.dims, [x], lambda _, terms: terms[0], x.varies_along, kind)


def _rounded(x: Any, to: str) -> Any:
    if to == "float16":
        return x.astype(np.float16).astype(x.dtype)
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32).astype(np.uint64)
    even = (bits + 0x7FFF + ((bits >> np.uint64(16)) & np.uint64(1))) & np.uint64(0xFFFF0000)
    found = even.astype(np.uint32).view(np.float32).reshape(np.shape(x))
    return np.where(np.isfinite(x), found, x).astype(x.dtype)


_NARROW = {"uint8": (8, False), "int8": (8, True), "uint16": (16, False), "int16": (16, True),
           "uint32": (32, False), "int32": (32, True)}  # fmt: skip
TYPES = {1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64",
         9: "bool", 10: "float16", 11: "float64", 12: "uint32", 13: "uint64",
         16: "bfloat16"}  # fmt: skip


def type_of(r: Reader, code: Any) -> str:
    """The name of the type that ONNX has a number for."""
    if int(code) not in TYPES:
        raise r.refuse(f"type {code} of numbers is not read")
    return TYPES[int(code)]


def kind_of(to: str) -> str:
    """f, i or b of the numbers of a type."""
    return "b" if to == "bool" else "f" if "float" in to else "i"


def type_named(r: Reader, name: str) -> str:
    """A type by its name, where it is read."""
    if name not in TYPES.values():
        raise r.refuse(f"numbers of type {name} are not read")
    return name


def stored(r: Reader, name: str) -> np.dtype[Any] | None:
    """The type of an input or initialiser of the graph; of another tensor it is not known."""
    if name in r.graph.inputs:
        return r.graph.inputs[name].dtype
    return r.graph.constants[name].dtype if name in r.graph.constants else None


@operator("Identity", "Dropout")
def identity(r: Reader, c: Call, args: list[Any]) -> Any:
    if c.op == "Dropout" and len(args) > 2 and args[2] is not None:
        training = r.array(args[2])
        if training is None or bool(training):
            raise r.refuse("Dropout in training mode draws random numbers")
    if len(c.outputs) > 1 and c.outputs[1]:
        raise r.refuse("the mask of Dropout is not read")
    x = r.as_tensor(args[0])
    return r.tensor(x.dims, [x], lambda _, terms: terms[0], x.varies_along, x.kind)


@operator("Clip")
def clip(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    if len(args) > 1 and args[1] is not None:
        x = r.function("max", x, r.as_tensor(args[1]), kind=x.kind)
    if len(args) > 2 and args[2] is not None:
        x = r.function("min", x, r.as_tensor(args[2]), of=np.minimum, kind=x.kind)
    return x


@operator("LeakyRelu", "Elu", "Selu", "Celu", "HardSigmoid", "ThresholdedRelu", "Swish")
def with_parameters(r: Reader, c: Call, args: list[Any]) -> Any:
    def get(name: str, usual: float) -> float:
        return float(np.float32(c.attributes.get(name, usual)))

    a = get("alpha", {"LeakyRelu": 0.01, "HardSigmoid": 0.2}.get(c.op, 1.0))
    gamma = get("gamma", 1.05070102214813232421875)
    beta = get("beta", 0.5)
    if c.op == "Selu":
        a = get("alpha", 1.67326319217681884765625)
    functions: dict[str, Callable[..., Any]] = {
        "LeakyRelu": lambda x: np.where(x < 0, a * x, x),
        "Elu": lambda x: np.where(x < 0, a * np.expm1(np.minimum(x, 0)), x),
        "Selu": lambda x: gamma * np.where(x <= 0, a * np.expm1(np.minimum(x, 0)), x),
        "Celu": lambda x: np.maximum(x, 0) + np.minimum(0, a * np.expm1(np.minimum(x, 0) / a)),
        "HardSigmoid": lambda x: np.clip(a * x + beta, 0, 1),
        "ThresholdedRelu": lambda x: np.where(x > a, x, 0),
        "Swish": lambda x: x / (1 + np.exp(-a * x)),
    }
    parameters = ", ".join(f"{k}={v}" for k, v in sorted(c.attributes.items()))
    x = r.as_tensor(args[0])
    return r.function(f"{c.op.lower()}({parameters})", x, of=functions[c.op], kind=x.kind)


@operator("Gelu")
def gelu(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    if c.attributes.get("approximate", "none") == "tanh":
        return r.function("gelu_tanh", x, of=_gelu_tanh)
    return r.function("gelu", x)


def _gelu_tanh(x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


@operator("Hardmax")
def hardmax(r: Reader, c: Call, args: list[Any]) -> Any:
    """1 at the first of the largest entries of a row: of ties the order decides."""
    x = r.as_tensor(args[0])
    dim = r.dimension(c.attributes.get("axis", -1), len(x.dims))

    def of(rows: Any, n: int) -> Any:
        return np.asarray(np.argmax(rows, axis=-1)[..., None] == np.arange(n), rows.dtype)

    return r.rowwise("hardmax", x, dim, of)


def rational(value: Any) -> Fraction:
    """A float as the fraction that it is."""
    return Fraction(float(value))
