"""Reductions along axes, sums along an axis, and the place or order of the largest."""

from __future__ import annotations

from collections.abc import Callable
from functools import cmp_to_key
from typing import Any

import numpy as np
from flint import arb

from .balls import (
    MINUS_INFINITY,
    ONE,
    Array,
    balls,
    boxed,
    folded,
    is_float,
    less,
    logarithm,
    mapped,
    maximum,
    minimum,
    room_like,
    total,
)
from .call import Call, Result
from .errors import BadModel, Undecided


def axis_of(axis: int, rank: int) -> int:
    """An axis counted from 0; BadModel where there is none."""
    if not -rank <= axis < rank:
        raise BadModel(f"given axis {axis}, expected one of a tensor of {rank} axes")
    return axis % rank


def _axes(c: Call, rank: int) -> tuple[int, ...]:
    given = c.ints(1, "axes")
    if not given:
        return () if c.get("noop_with_empty_axes", 0) else tuple(range(rank))
    return tuple(sorted({axis_of(k, rank) for k in given}))


def _reduced(
    real: Callable[[Array, tuple[int, ...]], Array],
    exact: Callable[..., Any] | None,
    before: Callable[[arb], arb] | None = None,
    after: Callable[[arb], arb] | None = None,
) -> Callable[[Call], Result]:
    """A reduction by what it does to balls along axes that stay, and to integers. Over no axes
    what is before and after the reduction still happens."""

    def of(c: Call) -> Array:
        x = c[0]
        axes, keep = _axes(c, x.ndim), bool(c.get("keepdims", 1))
        if not is_float(x):
            if exact is None:
                raise c.refuse(f"{c.op} of {x.dtype.name}")
            return np.asarray(exact(x, axis=axes, keepdims=keep)) if axes or x.ndim == 0 else x
        x = balls(x) if before is None else mapped(before, x)
        found = real(x, axes) if axes else x
        found = found if after is None else mapped(after, found)
        return found if keep else found.reshape([s for k, s in enumerate(x.shape) if k not in axes])

    return of


def _sum(x: Array, axes: tuple[int, ...]) -> Array:
    return total(x, axes, keep=True)


def _mean(x: Array, axes: tuple[int, ...]) -> Array:
    count = int(np.prod([x.shape[k] for k in axes], dtype=int))
    return mapped(lambda v: v / count, _sum(x, axes))


def _fold(f: Any, start: arb) -> Callable[[Array, tuple[int, ...]], Array]:
    return lambda x, axes: folded(f, start, x, axes, keep=True)


def _integer(f: Any) -> Callable[..., Any]:
    def of(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
        return f(x, axis=axis, keepdims=keepdims).astype(x.dtype)

    return of


def _truth(f: Any) -> Callable[..., Any]:
    """Maximum and minimum of integers, and of truth values; of none, the least or largest."""

    def of(x: Array, axis: tuple[int, ...], keepdims: bool) -> Any:
        if x.dtype == np.bool_:
            g = np.any if f is np.max else np.all
            return g(x, axis=axis, keepdims=keepdims)
        info = np.iinfo(x.dtype)
        least = info.min if f is np.max else info.max
        return f(x, axis=axis, keepdims=keepdims, initial=least)

    return of


def _best(c: Call) -> Array:
    """ArgMax and ArgMin: each comparison has to be decided, and of equals the first or last."""
    x, largest, last = c[0], c.op == "ArgMax", bool(c.get("select_last_index", 0))
    axis, keep = axis_of(int(c.get("axis", 0)), x.ndim), bool(c.get("keepdims", 1))
    moved = np.moveaxis(balls(x), axis, -1)
    if moved.shape[-1] == 0:
        raise BadModel("given an axis of size 0, expected a largest entry")
    out = np.empty(moved.shape[:-1], dtype=np.int64)
    for key in np.ndindex(*out.shape):
        row, best = moved[key].tolist(), 0
        for k in range(1, len(row)):
            a, b = (row[best], row[k]) if largest else (row[k], row[best])
            if not less(b, a) if last else less(a, b):
                best = k
        out[key] = best
    return np.expand_dims(out, axis) if keep else out


def _top(c: Call) -> Result:
    """TopK: the order by decided comparisons, of equals the first. Where the places are not asked
    for, the k-th largest value lies between the k-th largest lower and upper ends."""
    x, given = c[0], c.ints(1, "k")
    k, largest = (given or [-1])[0], bool(c.get("largest", 1))
    axis = axis_of(int(c.get("axis", -1)), x.ndim)
    moved = np.moveaxis(x, axis, -1)
    if not 0 <= k <= moved.shape[-1]:
        raise BadModel(f"given k = {k} for an axis of size {moved.shape[-1]}")
    values = np.empty((*moved.shape[:-1], k), dtype=x.dtype)
    places = np.zeros(values.shape, dtype=np.int64)
    named = len(c.wanted) > 1 and c.wanted[1]

    def order(row: list[arb], first: bool) -> Callable[[int, int], int]:
        def compare(i: int, j: int) -> int:
            a, b = (row[j], row[i]) if first else (row[i], row[j])
            return -1 if less(a, b) else 1 if less(b, a) else i - j

        return compare

    for key in np.ndindex(*values.shape[:-1]):
        row = balls(moved[key]).tolist()
        try:
            chosen = sorted(range(len(row)), key=cmp_to_key(order(row, largest)))[:k]
            values[key], places[key] = moved[key][chosen], chosen
        except Undecided:
            if named:
                raise
            ends = ([v.lower() for v in row], [v.upper() for v in row])
            low, high = (
                [e[i] for i in sorted(range(len(e)), key=cmp_to_key(order(e, largest)))[:k]]
                for e in ends
            )
            values[key] = boxed([a.union(b) for a, b in zip(low, high, strict=True)], (k,))
    return np.moveaxis(values, -1, axis), np.moveaxis(places, -1, axis)


def _running(f: Any, start: Any) -> Callable[[Call], Result]:
    """CumSum and CumProd."""

    def of(c: Call) -> Array:
        x, given = c[0], c.ints(1)
        if given is None or len(given) != 1:
            raise BadModel("given no axis, expected one")
        axis = axis_of(given[0], x.ndim)
        x = balls(x) if is_float(x) else x
        moved = np.moveaxis(x, axis, -1)
        backward, exclusive = bool(c.get("reverse", 0)), bool(c.get("exclusive", 0))
        moved = moved[..., ::-1] if backward else moved
        if exclusive and moved.shape[-1]:
            first = np.empty((*moved.shape[:-1], 1), dtype=x.dtype)
            first[...] = arb(start) if x.dtype == object else start
            moved = np.concatenate([first, moved[..., :-1]], axis=-1)
        out = np.empty(moved.shape, dtype=x.dtype)
        if out.size:
            out[...] = f.accumulate(moved, axis=-1, dtype=x.dtype)
        return np.moveaxis(out[..., ::-1] if backward else out, -1, axis)

    return of


def _unique(c: Call) -> Result:
    x = c[0]
    if is_float(x) and x.dtype == object:
        raise c.refuse("Unique of numbers that were computed")
    axis = c.get("axis", None)
    ordered = bool(c.get("sorted", 1))
    room_like(x, x.shape)
    found, first, back, count = np.unique(
        x, return_index=True, return_inverse=True, return_counts=True, axis=axis
    )
    back = back.ravel()
    if not ordered:
        order = np.argsort(first)
        rank = np.argsort(order)
        found = np.take(found, order, axis=0 if axis is None else axis)
        first, count, back = first[order], count[order], rank[back]
    return found, first.astype(np.int64), back.astype(np.int64), count.astype(np.int64)


def _square(v: arb) -> arb:
    return v * v


OPERATORS: dict[str, Callable[[Call], Result]] = {
    "ReduceSum": _reduced(_sum, _integer(np.sum)),
    "ReduceMean": _reduced(_mean, None),
    "ReduceMax": _reduced(_fold(maximum, MINUS_INFINITY), _truth(np.max)),
    "ReduceMin": _reduced(_fold(minimum, -MINUS_INFINITY), _truth(np.min)),
    "ReduceProd": _reduced(_fold(np.multiply, ONE), _integer(np.prod)),
    "ReduceL1": _reduced(_sum, None, before=abs),
    "ReduceL2": _reduced(_sum, None, before=_square, after=lambda v: v.nonnegative_part().sqrt()),
    "ReduceSumSquare": _reduced(_sum, None, before=_square),
    "ReduceLogSum": _reduced(_sum, None, after=logarithm),
    "ReduceLogSumExp": _reduced(_sum, None, before=lambda v: v.exp(), after=logarithm),
    "ArgMax": _best,
    "ArgMin": _best,
    "TopK": _top,
    "CumSum": _running(np.add, 0),
    "CumProd": _running(np.multiply, 1),
    "Unique": _unique,
}
