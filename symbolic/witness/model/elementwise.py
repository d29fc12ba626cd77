"""Operators entry by entry: arithmetic, functions, comparisons, logic, casts, choice."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
from flint import arb
from onnx import TensorProto, helper

from .balls import (
    MAX_NUMBERS,
    ONE,
    ZERO,
    Array,
    arithmetic,
    balls,
    cast_int,
    ceil,
    equal,
    floor,
    is_float,
    less,
    logarithm,
    mapped,
    maximum,
    minimum,
    room,
    rounded,
    shown,
    truncated,
    unified,
)
from .call import Call, Result
from .errors import BadModel, Undecided, UnsupportedOperator
from .partial import Partial, whole

Operator = Callable[[Call], Result]


def integers(f: Callable[..., Any], *xs: Array) -> Array:
    """A function of NumPy on integers or truth values, broadcast; it may wrap, as in ONNX."""
    room(np.broadcast_shapes(*(x.shape for x in xs)), MAX_NUMBERS)
    with np.errstate(over="ignore"):
        return np.asarray(f(*xs))


def _both(exact: Callable[[Any, Any], Any], real: Callable[[Any, Any], Any]) -> Operator:
    def of(c: Call) -> Array:
        def step(a: Array, b: Array) -> Array:
            return arithmetic(real, a, b) if is_float(a) else integers(exact, a, b)

        return reduce(step, (c[k] for k in range(1, len(c.inputs))), c[0])

    return of


def quotient(a: Array, b: Array) -> Array:
    """Integers divided, towards zero."""
    if np.any(b == 0):
        raise BadModel("given an integer divided by 0, expected another divisor")
    found = a // b
    return np.asarray(found + ((a % b != 0) & ((a < 0) != (b < 0))).astype(found.dtype))


def _divided(a: Any, b: Any) -> Any:
    return mapped(_ratio, a, b)


def _ratio(a: arb, b: arb) -> arb:
    if not b.is_finite() and not b.is_nan() and b.is_exact() and a.is_finite():
        return ZERO
    return a / b


def _mod(c: Call) -> Array:
    a, b = c[0], c[1]
    towards_zero = bool(c.get("fmod", 0))
    if not is_float(a):
        if np.any(b == 0):
            raise BadModel("given an integer modulo 0, expected another divisor")
        return integers(np.fmod if towards_zero else np.mod, a, b)

    def rest(x: arb, y: arb) -> arb:
        return x - y * (arb(truncated(x / y)) if towards_zero else floor(x / y))

    return mapped(rest, a, b)


def power(x: arb, y: arb) -> arb:
    """x to the y-th; 0 to a positive power is 0."""
    if x.is_zero() and y > ZERO:
        return ZERO
    return x**y


def _pow(c: Call) -> Array:
    a, b = c[0], c[1]
    if is_float(a):
        return mapped(power, a, b if is_float(b) else balls(b))
    if is_float(b):
        values, known, reason = cast_int(mapped(power, balls(a), b), a.dtype)
        if not known.all():
            raise Undecided(reason)
        return values
    if np.any(b < 0):
        raise c.refuse("an integer to a negative power")
    return integers(_wrapping_power, a, b)


def _wrapping_power(a: Array, b: Array) -> Array:
    """A power of integers in the type of the base, whose own type the exponent may not fit."""
    return np.power(a.astype(np.uint64), b.astype(np.uint64)).astype(a.dtype)


def _real(f: Callable[[arb], arb]) -> Operator:
    return lambda c: mapped(f, c[0])


def _either(real: Callable[[arb], arb], exact: Callable[[Any], Any]) -> Operator:
    return lambda c: mapped(real, c[0]) if is_float(c[0]) else integers(exact, c[0])


def sign(x: arb) -> arb:
    """-1, 0 or 1, where that is certain."""
    return ZERO if x.is_zero() else arb(-1) if less(x, ZERO) else ONE


def _compared(decide: Callable[[arb, arb], bool], exact: Callable[[Any, Any], Any]) -> Operator:
    def of(c: Call) -> Array:
        a, b = unified([c[0], c[1]])
        if a.dtype == object:
            return mapped(decide, a, b, dtype=np.bool_)
        return integers(exact, a, b)

    return of


def _logic(f: Callable[..., Any]) -> Operator:
    return lambda c: integers(f, *(c[k] for k in range(len(c.inputs))))


def _shifted(c: Call) -> Array:
    return integers(np.left_shift if c.get("direction") == "LEFT" else np.right_shift, c[0], c[1])


def _clip(c: Call) -> Array:
    x, low, high = c[0], c.optional(1), c.optional(2)
    if not is_float(x):
        found = x
        if low is not None:
            found = np.maximum(found, low)
        return np.asarray(found if high is None else np.minimum(found, high))
    bounds = [low, high]
    for k, name in enumerate(("min", "max")):
        if bounds[k] is None and c.get(name, None) is not None:
            bounds[k] = np.array(c.get(name), dtype=np.float64)
    found = balls(x)
    if bounds[0] is not None:
        found = arithmetic(maximum, found, bounds[0])
    return found if bounds[1] is None else arithmetic(minimum, found, bounds[1])


def cast(x: Array, kind: int) -> Array | Partial:
    """A tensor as another of ONNX's element types; between floats that is the identity: rounding to
    16 bits is not modelled. Integers that balls leave open are no error yet."""
    if kind in _COARSE:
        raise UnsupportedOperator(f"a cast to {TensorProto.DataType.Name(kind)}, which rounds")
    if kind in FLOATS:
        return x if is_float(x) else _floats(x)
    if kind == TensorProto.BOOL:
        if x.dtype == object:
            return mapped(lambda v: not equal(v, ZERO), x, dtype=np.bool_)
        return np.asarray(x != 0)
    dtype = integer_type(kind, "a cast to")
    return whole(*cast_int(x, dtype)) if is_float(x) else x.astype(dtype)


def integer_type(kind: int, use: str) -> np.dtype[Any]:
    """NumPy's type for an element type of ONNX that holds integers, those of 4 bits left out. `use`
    begins the message where there is none."""
    try:
        dtype = np.dtype(helper.tensor_dtype_to_np_dtype(kind))
    except KeyError:
        raise BadModel(f"given {use} type {kind}, expected a type of ONNX") from None
    if dtype.name not in _WIDE:
        raise UnsupportedOperator(f"{use} {TensorProto.DataType.Name(kind)}")
    return dtype


def _floats(x: Array) -> Array:
    """Integers as real numbers, exactly."""
    small = x.size == 0 or bool(np.all(np.abs(x.astype(object)) <= 2**53))
    return x.astype(np.float64) if small else balls(x)


_NAMES: dict[str, int] = dict(TensorProto.DataType.items())
FLOATS = {kind for name, kind in _NAMES.items() if "FLOAT" in name or name == "DOUBLE"}
# Types of so few bits that rounding to them is a step of the model, as quantisation is.
_COARSE = {k for name, k in _NAMES.items() if name.startswith(("FLOAT8", "FLOAT4"))}


_WIDE = {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}


def _cast_like(c: Call) -> Result:
    like = c[1]
    if is_float(like):
        return [cast(c[0], TensorProto.DOUBLE)]
    return [cast(c[0], helper.np_dtype_to_tensor_dtype(like.dtype))]


def _where(c: Call) -> Array:
    condition = c[0]
    if condition.dtype != np.bool_:
        raise BadModel(f"given a condition of {condition.dtype.name}, expected truth values")
    a, b = unified([c[1], c[2]])
    room(np.broadcast_shapes(condition.shape, a.shape, b.shape))
    return np.where(condition, a, b)


def _is_infinite(c: Call) -> Array:
    up, down = bool(c.get("detect_positive", 1)), bool(c.get("detect_negative", 1))

    def of(x: arb) -> bool:
        if x.is_finite():
            return False
        if x.is_nan() or not x.is_exact():
            raise Undecided(f"whether {shown(x)} is infinite is not decided")
        return up if x > ZERO else down

    return mapped(of, c[0], dtype=np.bool_)


def _is_nan(c: Call) -> Array:
    def of(x: arb) -> bool:
        if x.is_nan():
            raise Undecided("whether a ball without a bound is a number is not decided")
        return False

    return mapped(of, c[0], dtype=np.bool_) if c[0].dtype == object else np.isnan(c[0])


def _mean(c: Call) -> Array:
    count = arb(len(c.inputs))
    return mapped(lambda s: s / count, reduce(_sum, (c[k] for k in range(len(c.inputs)))))


def _sum(a: Array, b: Array) -> Array:
    return arithmetic(np.add, a, b)


def _kind_of_comparison() -> dict[str, Operator]:
    return {
        "Less": _compared(less, np.less),
        "Greater": _compared(lambda a, b: less(b, a), np.greater),
        "LessOrEqual": _compared(lambda a, b: not less(b, a), np.less_equal),
        "GreaterOrEqual": _compared(lambda a, b: not less(a, b), np.greater_equal),
        "Equal": _compared(equal, np.equal),
    }


OPERATORS: dict[str, Operator] = {
    "Add": _both(np.add, np.add),
    "Sub": _both(np.subtract, np.subtract),
    "Mul": _both(np.multiply, np.multiply),
    "Div": _both(quotient, _divided),
    "Max": _both(np.maximum, maximum),
    "Min": _both(np.minimum, minimum),
    "Sum": _both(np.add, np.add),
    "Mean": _mean,
    "Mod": _mod,
    "Pow": _pow,
    "Neg": _either(lambda x: -x, np.negative),
    "Abs": _either(abs, np.abs),
    "Sign": _either(sign, np.sign),
    "Floor": _real(floor),
    "Ceil": _real(ceil),
    "Round": _real(rounded),
    "Reciprocal": _real(lambda x: _ratio(ONE, x)),
    "Sqrt": _real(lambda x: x.sqrt()),
    "Exp": _real(lambda x: x.exp()),
    "Log": _real(logarithm),
    "Sin": _real(lambda x: x.sin()),
    "Cos": _real(lambda x: x.cos()),
    "Tan": _real(lambda x: x.tan()),
    "Asin": _real(lambda x: x.asin()),
    "Acos": _real(lambda x: x.acos()),
    "Atan": _real(lambda x: x.atan()),
    "Sinh": _real(lambda x: x.sinh()),
    "Cosh": _real(lambda x: x.cosh()),
    "Asinh": _real(lambda x: x.asinh()),
    "Acosh": _real(lambda x: x.acosh()),
    "Atanh": _real(lambda x: x.atanh()),
    "Erf": _real(lambda x: x.erf()),
    **_kind_of_comparison(),
    "And": _logic(np.logical_and),
    "Or": _logic(np.logical_or),
    "Xor": _logic(np.logical_xor),
    "Not": _logic(np.logical_not),
    "BitwiseAnd": _logic(np.bitwise_and),
    "BitwiseOr": _logic(np.bitwise_or),
    "BitwiseXor": _logic(np.bitwise_xor),
    "BitwiseNot": _logic(np.bitwise_not),
    "BitShift": _shifted,
    "Clip": _clip,
    "Cast": lambda c: [cast(c[0], c.get("to"))],
    "CastLike": _cast_like,
    "Where": _where,
    "IsInf": _is_infinite,
    "IsNaN": _is_nan,
}
