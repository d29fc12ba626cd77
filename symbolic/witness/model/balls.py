"""Tensors of balls: floats become exact dyadic numbers, and every choice is a certain one.

A float tensor is either an array of NumPy's floats, which are dyadic numbers that nothing was done
to yet, or an object array of `flint.arb`. Arithmetic happens on balls alone; what only moves
entries moves both kinds. Integers and booleans are exact in NumPy's own types.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, arb_mat
from numpy.typing import NDArray

from .errors import BadModel, Undecided, UnsupportedOperator

Array = NDArray[Any]
MAX_BALLS = 10**7  # entries of a tensor of balls, about 1 GB
MAX_NUMBERS = 10**8  # entries of a tensor of plain numbers
ZERO, ONE, HALF = arb(0), arb(1), arb(0.5)
MINUS_INFINITY = arb(float("-inf"))


def room(shape: Sequence[int], most: int = MAX_BALLS) -> tuple[int, ...]:
    """The shape, where a tensor of it may be made; BadModel where it is too large."""
    sizes = tuple(int(s) for s in shape)
    if any(s < 0 for s in sizes):
        raise BadModel(f"given a tensor of shape {list(sizes)}, expected sizes of 0 or more")
    if math.prod(sizes) > most:
        raise BadModel(f"given a tensor of shape {list(sizes)}, expected at most {most} entries")
    return sizes


def room_like(x: Array, shape: Sequence[int]) -> tuple[int, ...]:
    """The shape, where a tensor of it with entries as those of x may be made."""
    return room(shape, MAX_BALLS if x.dtype == object else MAX_NUMBERS)


def native(x: Array) -> Array:
    """A tensor as this package holds it: narrow floats widened to float32, which is exact."""
    kind, name = x.dtype.kind, x.dtype.name
    if kind in "biu" or name in ("float32", "float64"):
        return x
    if name in ("float16", "bfloat16"):
        return x.astype(np.float32)
    raise UnsupportedOperator(f"given a tensor of {name}, expected a usual type of numbers")


def is_float(x: Array) -> bool:
    """Whether a tensor holds real numbers."""
    return x.dtype == object or x.dtype.kind == "f"


def boxed(values: Any, shape: Sequence[int]) -> Array:
    """An object array of this shape from a flat sequence of balls."""
    out = np.empty(math.prod(shape), dtype=object)
    out[:] = values
    return out.reshape(tuple(shape))


def balls(x: Array) -> Array:
    """The tensor as balls: exact, each with radius 0, where it was of numbers."""
    if x.dtype == object:
        return x
    room(x.shape)
    return boxed([arb(v) for v in x.ravel().tolist()], x.shape)


def unified(xs: Sequence[Array]) -> list[Array]:
    """Several tensors as one kind: balls where one of them is."""
    return [balls(x) for x in xs] if any(x.dtype == object for x in xs) else list(xs)


def filled(shape: Sequence[int], value: arb) -> Array:
    """A tensor of one ball."""
    out = np.empty(room(shape), dtype=object)
    out.fill(value)
    return out


def mapped(f: Callable[..., Any], *xs: Array, dtype: Any = object) -> Array:
    """The function at every entry of tensors of balls, broadcast."""
    shape = room(np.broadcast_shapes(*(x.shape for x in xs)))
    out = np.empty(shape, dtype=object)
    out[...] = np.frompyfunc(f, len(xs), 1)(*(balls(x) if is_float(x) else x for x in xs))
    return out if dtype is object else out.astype(dtype)


def arithmetic(f: Callable[[Any, Any], Any], a: Array, b: Array) -> Array:
    """An operation of NumPy on object arrays, which calls that of the balls, broadcast."""
    shape = room(np.broadcast_shapes(a.shape, b.shape))
    out = np.empty(shape, dtype=object)
    out[...] = f(balls(a), balls(b))
    return out


def less(a: arb, b: arb) -> bool:
    """Whether a < b, where that is certain."""
    if a < b:
        return True
    if a >= b:
        return False
    raise Undecided(f"{shown(a)} < {shown(b)} is not decided")


def equal(a: arb, b: arb) -> bool:
    """Whether a = b, where that is certain: for balls with a radius only that they differ is."""
    if a == b:
        return True
    if a != b:
        return False
    raise Undecided(f"{shown(a)} = {shown(b)} is not decided")


def shown(a: arb) -> str:
    """A ball as a message shows it."""
    return str(a.str(10))


def logarithm(x: arb) -> arb:
    """log x; of exactly 0 it is −∞."""
    return MINUS_INFINITY if x.is_zero() else x.log()


def floor(x: arb) -> arb:
    """The largest integer at most x, where every point of the ball has the same."""
    found = x.floor()
    if not (found.is_exact() and found.is_finite()):
        raise Undecided(f"the integer part of {shown(x)} is not decided")
    return found


def ceil(x: arb) -> arb:
    """The least integer at least x, where every point of the ball has the same."""
    return -floor(-x)


def integer_of(x: arb) -> int:
    """The integer that an exact ball is."""
    whole = x.unique_fmpz()
    if whole is None:
        raise Undecided(f"given {shown(x)}, expected a whole number")
    return int(whole)


def fraction_of(x: arb) -> Fraction:
    """The number that an exact ball is."""
    mantissa, exponent = x.man_exp()
    m, e = int(mantissa), int(exponent)
    return Fraction(m * 2**e) if e >= 0 else Fraction(m, 2**-e)


def truncated(x: arb) -> int:
    """x without its fractional part, where every point of the ball has the same."""
    if abs(x) < ONE:
        return 0
    return integer_of(floor(x) if x > ZERO else ceil(x))


def rounded(x: arb) -> arb:
    """The nearest integer, of two the even one, where every point of the ball has the same."""
    if x.is_exact() and x.is_finite():
        return arb(round(fraction_of(x)))
    near = x.mid() + HALF
    near = near.floor()
    if near.is_exact() and abs(x - near) < HALF:
        return near
    raise Undecided(f"the integer nearest to {shown(x)} is not decided")


def cast_int(x: Array, dtype: Any) -> tuple[Array, Array, str]:
    """Real numbers as integers, towards zero; which of them are decided and fit, and the reason
    why the first that is not is not."""
    info = np.iinfo(dtype)
    values, known, reason = [], [], ""
    for ball in balls(x).ravel().tolist():
        try:
            v = truncated(ball)
            if not info.min <= v <= info.max:
                raise Undecided(f"given {v} cast to {np.dtype(dtype).name}, which cannot hold it")
        except Undecided as e:
            reason = reason or e.reason
            values.append(0)
            known.append(False)
        else:
            values.append(v)
            known.append(True)
    shape = x.shape
    return (
        np.array(values, dtype=dtype).reshape(shape),
        np.array(known, dtype=np.bool_).reshape(shape),
        reason,
    )


def wrapped(x: Array, dtype: Any) -> Array:
    """Balls that are integers in a type of integers, in which they wrap around."""
    values = [integer_of(v) % 2**64 for v in x.ravel().tolist()]
    return np.array(values, dtype=np.uint64).reshape(x.shape).astype(dtype)


def product(a: Array, b: Array) -> Array:
    """The matrix product over the last two axes, the axes before them broadcast."""
    (m, k), (k2, n) = a.shape[-2:], b.shape[-2:]
    if k != k2:
        raise BadModel(f"given matrices of {m}×{k} and {k2}×{n}, expected equal inner sizes")
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    out = np.empty((*room((*lead, m, n))[:-2], m, n), dtype=object)
    if out.size == 0 or k == 0:
        out.fill(ZERO)
        return out
    made: dict[int, Any] = {}  # matrices of b that stand for several of a are made once

    def matrix(x: Array, key: tuple[int, ...], rows: int, columns: int, keep: bool) -> Any:
        part = x[key]
        at = part.__array_interface__["data"][0]
        if keep and at in made:
            return made[at]
        values = part.ravel().tolist()  # of floats as well: arb_mat takes them exactly
        found = arb_mat(rows, columns, values)
        if keep:
            made[at] = found
        return found

    left = np.broadcast_to(_plain(a), (*lead, m, k))
    right = np.broadcast_to(_plain(b), (*lead, k, n))
    shared = b.ndim == 2 or b.shape[:-2] != lead
    for key in np.ndindex(*lead):
        entries = (matrix(left, key, m, k, False) * matrix(right, key, k, n, shared)).entries()
        out[key] = boxed(entries, (m, n))
    return out


def _plain(x: Array) -> Array:
    """Integers as such numbers that `tolist` gives what a matrix of balls takes exactly."""
    room(x.shape, MAX_BALLS)
    return x


def total(x: Array, axes: tuple[int, ...], keep: bool) -> Array:
    """The sum over some axes; no axes is no sum."""
    return folded(np.add, ZERO, x, axes, keep)


def folded(f: np.ufunc, start: arb, x: Array, axes: tuple[int, ...], keep: bool) -> Array:
    """A reduction of balls by an operation of NumPy on objects; `start` where there are none."""
    if not axes:
        return x
    x = balls(x)
    sizes = x.shape
    shape = tuple(1 if k in axes else s for k, s in enumerate(sizes))
    out = np.empty(shape, dtype=object)
    if x.size == 0:
        out.fill(start)
    else:
        for axis in axes:  # one after another: NumPy takes several only of its own operations
            x = f.reduce(x, axis=axis, keepdims=True)
        out[...] = x
    return out if keep else out.reshape([s for k, s in enumerate(sizes) if k not in axes])


maximum = np.frompyfunc(lambda a, b: a.max(b), 2, 1)
minimum = np.frompyfunc(lambda a, b: a.min(b), 2, 1)
