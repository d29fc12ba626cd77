"""Operators that read or write at given places: gather, scatter, one-hot, padding."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .balls import MAX_NUMBERS, Array, balls, maximum, minimum, room, room_like, unified
from .call import Call, Result
from .errors import BadModel
from .reduce import axis_of


def within(places: Array, size: int) -> Array:
    """Indices counted from 0, those below 0 from the end; BadModel where one is outside."""
    if places.dtype.kind not in "iu":
        raise BadModel(f"given indices of {places.dtype.name}, expected integers")
    if places.size and not (-size <= int(places.min()) and int(places.max()) < size):
        raise BadModel(f"given an index outside an axis of size {size}")
    places = places.astype(np.int64)  # a narrow type may not hold the size
    return np.where(places < 0, places + size, places)


def _gather(c: Call) -> Array:
    x, places = c[0], c[1]
    axis = axis_of(int(c.get("axis", 0)), x.ndim)
    room_like(x, (*x.shape[:axis], *places.shape, *x.shape[axis + 1 :]))
    return np.take(x, within(places, x.shape[axis]), axis=axis)


def _gather_elements(c: Call) -> Array:
    x, places = c[0], c[1]
    axis = axis_of(int(c.get("axis", 0)), x.ndim)
    return np.asarray(x[_beside(within(places, x.shape[axis]), axis)])


def _beside(places: Array, axis: int) -> tuple[Array, ...]:
    """For each entry of `places` its own index, with what it holds in place of one axis."""
    found: list[Array] = list(np.indices(places.shape, sparse=True))
    found[axis] = places
    return tuple(found)


def _gather_nd(c: Call) -> Array:
    x, places, batch = c[0], c[1], int(c.get("batch_dims", 0))
    depth = places.shape[-1]
    if not (0 <= batch < places.ndim and batch + depth <= x.ndim):
        raise BadModel(f"given indices of length {depth} after {batch} axes of {x.ndim}")
    lines: list[Array] = list(np.indices(places.shape[:batch], sparse=True))
    own = tuple(v.reshape(v.shape + (1,) * (places.ndim - 1 - batch)) for v in lines)
    parts = tuple(within(places[..., k], x.shape[batch + k]) for k in range(depth))
    room_like(x, (*places.shape[:-1], *x.shape[batch + depth :]))
    return np.asarray(x[own + parts])


def _written(x: Array, at: tuple[Array, ...], updates: Array, how: str) -> Array:
    """x with updates put, added, multiplied, or the larger or smaller kept, one after another."""
    x, updates = unified([x, updates])
    if how in ("add", "mul", "max", "min") and x.dtype.kind == "f":
        x, updates = balls(x), balls(updates)
    real = x.dtype == object
    steps = {
        "add": np.add, "mul": np.multiply,
        "max": maximum if real else np.maximum, "min": minimum if real else np.minimum,
    }  # fmt: skip
    out = x.copy()
    if how == "none":
        out[at] = updates
    elif how in steps:
        shape = np.broadcast_shapes(*(v.shape for v in at))
        with np.errstate(over="ignore"):  # integers wrap around
            for key in np.ndindex(*shape):
                place = tuple(np.broadcast_to(v, shape)[key] for v in at)
                out[place] = steps[how](out[place], updates[key])
    else:
        raise BadModel(f"given the reduction {how[:20]!r}, expected add, mul, max or min")
    return out


def _scatter_elements(c: Call) -> Array:
    x, places, updates = c[0], c[1], c[2]
    axis = axis_of(int(c.get("axis", 0)), x.ndim)
    if places.shape != updates.shape:
        raise BadModel("given updates of another shape than the indices")
    at = _beside(within(places, x.shape[axis]), axis)
    return _written(x, at, updates, c.get("reduction", "none"))


def _scatter_nd(c: Call) -> Array:
    x, places, updates = c[0], c[1], c[2]
    depth = places.shape[-1]
    if depth > x.ndim:
        raise BadModel(f"given indices of length {depth} of a tensor of {x.ndim} axes")
    at = tuple(within(places[..., k], x.shape[k]) for k in range(depth))
    if not at:
        raise c.refuse("ScatterND with indices of length 0")
    return _written(x, at, updates, c.get("reduction", "none"))


def _tensor_scatter(c: Call) -> Array:
    x, update, given = c[0], c[1], c.ints(2)
    axis = axis_of(int(c.get("axis", -2)), x.ndim)
    starts = [0] * x.shape[0] if given is None else given
    x, update = unified([x, update])
    out, size, count = x.copy(), x.shape[axis], update.shape[axis]
    for b, start in enumerate(starts):
        places = np.arange(start, start + count)
        if c.get("mode", "linear") == "circular":
            places = places % size
        elif start < 0 or start + count > size:
            raise BadModel(f"given {count} places from {start} on an axis of size {size}")
        part = np.moveaxis(out[b], axis - 1, 0)
        part[places] = np.moveaxis(update[b], axis - 1, 0)
    return out


def _one_hot(c: Call) -> Array:
    places, depth, values = c[0], c[1], c[2]
    exact = places.dtype.kind in "iu"
    if not exact and not (places.dtype.kind == "f" and np.all(places == np.floor(places))):
        raise c.refuse("OneHot of indices that are no integers")
    places = places.astype(np.int64)  # a narrow type may not hold the count
    n = int(np.asarray(depth).reshape(-1)[0])
    axis = axis_of(int(c.get("axis", -1)), places.ndim + 1)
    shape = (*places.shape[:axis], n, *places.shape[axis:])
    room_like(values, shape)
    wide = np.expand_dims(np.where(places < 0, places + n, places), axis)
    line = np.arange(n).reshape([-1 if k == axis else 1 for k in range(len(shape))])
    return np.asarray(np.where(wide == line, values[1], values[0]))


def _non_zero(c: Call) -> Array:
    x = c[0]
    if x.dtype == object:
        from .balls import ZERO, equal, mapped  # each entry has to be decided

        x = mapped(lambda v: not equal(v, ZERO), x, dtype=np.bool_)
    return np.array(np.nonzero(x), dtype=np.int64).reshape(x.ndim, -1)


def _compress(c: Call) -> Array:
    x, keep, axis = c[0], c[1], c.get("axis", None)
    if axis is None:
        x, axis = x.reshape(-1), 0
    axis = axis_of(int(axis), x.ndim)
    return np.take(x, np.flatnonzero(keep[: x.shape[axis]]), axis=axis)


def _pad(c: Call) -> Array:
    x, pads = c[0], c.ints(1, "pads") or []
    mode, value, axes = c.get("mode", "constant"), c.optional(2), c.ints(3)
    found = list(range(x.ndim)) if axes is None else [axis_of(k, x.ndim) for k in axes]
    if len(pads) != 2 * len(found):
        raise BadModel(f"given {len(pads)} pads, expected {2 * len(found)}")
    if value is None and "value" in c.attributes:
        value = np.array(c.get("value"), dtype=np.float64)
    sizes = [*x.shape]
    for k, axis in enumerate(found):
        sizes[axis] += max(pads[k], 0) + max(pads[k + len(found)], 0)
    room_like(x, sizes)
    for k, axis in enumerate(found):
        x = padded(x, axis, pads[k], pads[k + len(found)], mode, value)
    return x


def padded(x: Array, axis: int, before: int, after: int, mode: str, value: Array | None) -> Array:
    """x with places put before and after along an axis; a count below 0 takes places away."""
    n = x.shape[axis]
    places = np.arange(-before, n + after)
    if mode == "constant":
        inside = (places >= 0) & (places < n)
        fill = np.zeros((), dtype=np.float32 if x.dtype == object else x.dtype)
        fill = fill if value is None else value.reshape(()).astype(value.dtype)
        if x.dtype.kind == "f" and fill.dtype != object:
            fill = fill.astype(np.result_type(x.dtype, fill.dtype))
        x, fill = unified([x, fill])
        shape = [*x.shape]
        shape[axis] = len(places)
        out = np.empty(shape, dtype=x.dtype)
        out[...] = fill[()]
        key = [slice(None)] * x.ndim
        out[(*key[:axis], inside)] = np.take(x, places[inside], axis=axis)
        return out
    if n == 0:
        raise BadModel("given an axis of size 0, expected entries to repeat")
    if mode == "edge":
        places = np.clip(places, 0, n - 1)
    elif mode == "wrap":
        places = places % n
    elif mode == "reflect":
        period = max(2 * (n - 1), 1)
        places = places % period
        places = np.where(places < n, places, period - places)
    else:
        raise BadModel(f"given the padding {mode[:20]!r}, expected a mode of ONNX")
    return np.take(x, places, axis=axis)


def _reverse_sequence(c: Call) -> Array:
    x, lengths = c[0], c.ints(1) or []
    time, batch = int(c.get("time_axis", 0)), int(c.get("batch_axis", 1))
    if {time, batch} != {0, 1} or len(lengths) != x.shape[batch]:
        raise BadModel(f"given axes {time} and {batch}, expected 0 and 1, a length for each row")
    out = np.swapaxes(x.copy(), 0, time)
    for b, n in enumerate(lengths):
        if not 0 <= n <= x.shape[time]:
            raise BadModel(f"given the length {n} on an axis of size {x.shape[time]}")
        out[:n, b] = out[:n, b][::-1].copy()
    return np.swapaxes(out, 0, time)


def _crop_pad(c: Call) -> Array:
    x, sizes, axes = c[0], c.ints(1) or [], c.get("axes", None)
    found = list(range(x.ndim)) if axes is None else [axis_of(k, x.ndim) for k in axes]
    room(sizes, MAX_NUMBERS)
    for axis, size in zip(found, sizes, strict=True):
        more = size - x.shape[axis]
        before = more // 2 if more > 0 else -((-more) // 2)
        x = padded(x, axis, before, more - before, "constant", None)
    return x


OPERATORS: dict[str, Callable[[Call], Result]] = {
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "Scatter": _scatter_elements,
    "ScatterElements": _scatter_elements,
    "ScatterND": _scatter_nd,
    "TensorScatter": _tensor_scatter,
    "OneHot": _one_hot,
    "NonZero": _non_zero,
    "Compress": _compress,
    "Pad": _pad,
    "ReverseSequence": _reverse_sequence,
    "CenterCropPad": _crop_pad,
}
