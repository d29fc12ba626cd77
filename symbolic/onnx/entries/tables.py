"""An array of a file as an expression in its indices: a formula where it is one, else a table.

Whether a formula gives the array is decided by comparing every entry; nothing is guessed. A formula
is right at the array's own indices alone, so who reads an entry has to see to it that it is there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compare import below, ite
from .expression import (
    BOOL,
    INT,
    REAL,
    Expr,
    add,
    floating,
    integer,
    made,
    number,
    scaled,
    sub,
    truth,
)

Array = NDArray[Any]
RUNS = 16  # equal stretches at most of an array that is written out by cases


@dataclass(frozen=True, eq=False)
class Table:
    """An array by its content."""

    array: Array
    digest: str

    def __repr__(self) -> str:
        """What distinguishes it from another."""
        return self.digest


def sort_of(dtype: np.dtype[Any]) -> str:
    """What values of this type are read as: float, int32, int64 and bool; else an empty text."""
    if dtype.kind == "f":
        return REAL
    return BOOL if dtype.kind == "b" else INT if dtype in (np.int32, np.int64) else ""


def value(x: Any, sort: str) -> Expr:
    """One entry of an array."""
    if sort == REAL:
        return floating(float(x))
    return truth(bool(x)) if sort == BOOL else number(int(x))


def same(a: Array, b: Array) -> bool:
    """Whether arrays are equal, no number being equal to itself."""
    return bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))


def looked_up(array: Array, at: Sequence[Expr]) -> Expr:
    """The entry of an array at these indices, which lie within it."""
    sort = sort_of(array.dtype)
    for axis in reversed(range(array.ndim)):
        known = integer(at[axis])
        if known is not None and 0 <= known < array.shape[axis]:
            array, at = array.take(known, axis), (*at[:axis], *at[axis + 1 :])
    for axis in reversed(range(array.ndim)):
        first = array.take([0], axis)
        if same(np.broadcast_to(first, array.shape), array):
            array, at = first[(slice(None),) * axis + (0,)], (*at[:axis], *at[axis + 1 :])
    if array.ndim == 0:
        return value(array[()], sort)
    return _affine(array, at) or _of_difference(array, at, sort) or _tabled(array, at, sort)


def _affine(array: Array, at: Sequence[Expr]) -> Expr | None:
    """c₀ + Σ c_k i_k, for integers."""
    if array.dtype.kind != "i":
        return None
    origin = int(array[(0,) * array.ndim])
    steps = [int(array[tuple(int(a == k) for a in range(array.ndim))]) - origin
             for k in range(array.ndim)]  # fmt: skip
    grid = np.full(array.shape, origin, dtype=np.int64)
    if max(abs(origin), *map(abs, steps)) > 2**31:
        return None
    for k, step in enumerate(steps):
        shape = [-1 if a == k else 1 for a in range(array.ndim)]
        grid = grid + step * np.arange(array.shape[k], dtype=np.int64).reshape(shape)
    if not same(grid, array.astype(np.int64)):
        return None
    whole = number(origin)
    for step, e in zip(steps, at, strict=True):
        whole = add(whole, scaled(e, step))
    return whole


def _of_difference(array: Array, at: Sequence[Expr], sort: str) -> Expr | None:
    """A matrix of which the entries depend on i − j alone."""
    if array.ndim != 2 or not same(array[1:, 1:], array[:-1, :-1]):
        return None
    columns = array.shape[1]
    band = np.concatenate([array[0, ::-1], array[1:, 0]])  # by i − j + columns − 1
    return _tabled(band, (add(sub(at[0], at[1]), number(columns - 1)),), sort)


def _tabled(array: Array, at: Sequence[Expr], sort: str) -> Expr:
    if array.ndim == 1:
        return _line(array, at[0], sort)
    if array.size and sort != INT:
        for axis in range(array.ndim):  # few different slices along an axis
            runs = _runs(np.moveaxis(array, axis, 0))
            if len(runs) <= RUNS:
                rest = (*at[:axis], *at[axis + 1 :])
                return _cases([(s, looked_up(array.take(s, axis), rest)) for s in runs], at[axis])
    return _table(array, at, sort)


def _line(array: Array, at: Expr, sort: str) -> Expr:
    runs = _runs(array)
    if len(runs) <= RUNS:
        return _cases([(s, value(array[s], sort)) for s in runs], at)
    return _table(array, (at,), sort)


def _runs(array: Array) -> list[int]:
    """Where along the first axis a slice begins that is another than the one before."""
    return [0, *(k for k in range(1, len(array)) if not same(array[k], array[k - 1]))]


def _cases(of: Sequence[tuple[int, Expr]], at: Expr) -> Expr:
    whole = of[-1][1]
    for (start, _), (_, e) in zip(of[:0:-1], of[-2::-1], strict=True):
        whole = ite(below(at, number(start)), e, whole)
    return whole


def _table(array: Array, at: Sequence[Expr], sort: str) -> Expr:
    content = np.ascontiguousarray(array)
    said = f"{content.dtype} {content.shape} ".encode() + content.tobytes()
    table = Table(array, hashlib.sha256(said).hexdigest())
    finite = sort != REAL or bool(np.isfinite(array).all())
    return made("table", sort, at, table, finite)
