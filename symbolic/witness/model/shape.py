"""Operators that move entries and make no new ones, and those that make shapes and constants."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from flint import arb
from onnx import helper

from .balls import MAX_NUMBERS, Array, balls, boxed, ceil, integer_of, room, room_like, unified
from .call import Call, Result
from .errors import BadModel, UnsupportedOperator
from .reduce import axis_of


def _permutation(c: Call) -> Array:
    x = c[0]
    order = c.get("perm", list(range(x.ndim))[::-1])
    if sorted(order) != list(range(x.ndim)):
        raise BadModel(f"given the order {order} of axes, expected one of {x.ndim}")
    return x.transpose(order)


def _reshape(c: Call) -> Array:
    x, sizes = c[0], c.ints(1, "shape")
    if sizes is None:
        raise BadModel("given no shape, expected one")
    if not c.get("allowzero", 0):
        if any(s == 0 and k >= x.ndim for k, s in enumerate(sizes)):
            raise BadModel(f"given the shape {sizes}, expected no 0 beyond {x.ndim} axes")
        sizes = [x.shape[k] if s == 0 else s for k, s in enumerate(sizes)]
    if sizes.count(-1) > 1 or any(s < -1 for s in sizes):
        raise BadModel(f"given the shape {sizes}, expected one -1 at most")
    return x.reshape(sizes)


def _flatten(c: Call) -> Array:
    x, axis = c[0], int(c.get("axis", 1))
    axis = axis if axis == x.ndim else axis_of(axis, x.ndim)
    return x.reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))


def _squeeze(c: Call) -> Array:
    x, axes = c[0], c.ints(1, "axes")
    found = [k for k, s in enumerate(x.shape) if s == 1] if axes is None else axes
    return np.squeeze(x, axis=tuple(axis_of(k, x.ndim) for k in found))


def _unsqueeze(c: Call) -> Array:
    x, axes = c[0], c.ints(1, "axes")
    if axes is None:
        raise BadModel("given no axes, expected some")
    rank = x.ndim + len(axes)
    return np.expand_dims(x, tuple(axis_of(k, rank) for k in axes))


def _expand(c: Call) -> Array:
    x, sizes = c[0], c.ints(1)
    shape = np.broadcast_shapes(x.shape, room(sizes or [], MAX_NUMBERS))
    return np.broadcast_to(x, room_like(x, shape))


def _tile(c: Call) -> Array:
    x, times = c[0], c.ints(1) or []
    if len(times) != x.ndim or any(t < 0 for t in times):
        raise BadModel(f"given repeats {times} of {x.ndim} axes")
    room_like(x, [s * t for s, t in zip(x.shape, times, strict=True)])
    return np.tile(x, times)


def _concat(c: Call) -> Array:
    xs = [c[k] for k in range(len(c.inputs))]
    return joined(xs, axis_of(int(c.get("axis")), xs[0].ndim))


def joined(xs: list[Array], axis: int) -> Array:
    """Tensors beside each other along an axis."""
    room_like(xs[0], [sum(x.size for x in xs)])
    return np.concatenate(unified(xs), axis=axis)


def _split(c: Call) -> Result:
    x = c[0]
    axis = axis_of(int(c.get("axis", 0)), x.ndim)
    sizes, size = c.ints(1, "split"), x.shape[axis]
    if sizes is None:
        count = int(c.get("num_outputs", len(c.wanted)))
        if count < 1:
            raise BadModel(f"given {count} parts, expected 1 or more")
        each = -(-size // count)
        sizes = [min(each, max(size - k * each, 0)) for k in range(count)]
    if sum(sizes) != size or any(s < 0 for s in sizes):
        raise BadModel(f"given parts of {sizes}, expected sizes with the sum {size}")
    return np.split(x, np.cumsum(sizes)[:-1].tolist(), axis=axis)


def _slice(c: Call) -> Array:
    x = c[0]
    starts, ends = c.ints(1, "starts"), c.ints(2, "ends")
    axes, steps = c.ints(3, "axes"), c.ints(4)
    if starts is None or ends is None:
        raise BadModel("given no start or end, expected both")
    axes = list(range(len(starts))) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    parts = [slice(None)] * x.ndim
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        k = axis_of(axis, x.ndim)
        n = x.shape[k]
        if step == 0:
            raise BadModel("given the step 0, expected another")
        start, end = (v + n if v < 0 else v for v in (start, end))
        if step > 0:
            parts[k] = slice(min(max(start, 0), n), min(max(end, 0), n), step)
        else:
            last = min(max(end, -1), n - 1)
            parts[k] = slice(min(max(start, -1), n - 1), None if last < 0 else last, step)
            if start < 0:
                parts[k] = slice(0, 0)
    return x[tuple(parts)]


def _shape(c: Call) -> Array:
    sizes = c[0].shape
    return np.array(sizes[slice(c.get("start", 0), c.get("end", None))], dtype=np.int64)


def _size(c: Call) -> Array:
    return np.array(c[0].size, dtype=np.int64)


def _constant(c: Call) -> Array:
    for name in ("value", "sparse_value"):
        if name in c.attributes:
            return np.asarray(c.get(name))
    for name in ("value_float", "value_floats"):
        if name in c.attributes:
            return np.array(c.get(name), dtype=np.float32)
    for name in ("value_int", "value_ints"):
        if name in c.attributes:
            return np.array(c.get(name), dtype=np.int64)
    raise UnsupportedOperator("a constant of text")


def _constant_of_shape(c: Call) -> Array:
    value = c.get("value", np.zeros(1, dtype=np.float32))
    if value.size != 1:
        raise BadModel(f"given a value of {value.size} entries, expected one")
    shape = room_like(value, c.ints(0) or [])
    return np.full(shape, value.reshape(())[()], dtype=value.dtype)


def _range(c: Call) -> Array:
    start, limit, step = (c[k].reshape(()) for k in (0, 1, 2))
    if start.dtype.kind in "iu":
        a, b, d = (int(v) for v in (start, limit, step))
        if d == 0:
            raise BadModel("given the step 0, expected another")
        room((max(0, -(-(b - a) // d)),), MAX_NUMBERS)
        return np.arange(a, b, d, dtype=start.dtype)
    x, y, z = (balls(v).item() for v in (start, limit, step))  # the count has to be decided
    count = max(0, integer_of(ceil((y - x) / z)))
    return boxed([x + z * arb(k) for k in range(room((count,))[0])], (count,))


def _eye(c: Call) -> Array:
    x = c[0]
    if x.ndim != 2:
        raise BadModel(f"given a tensor of {x.ndim} axes, expected a matrix")
    kind = c.get("dtype", None)
    dtype = np.dtype(np.float32) if x.dtype == object else x.dtype
    if kind is not None:
        dtype = np.dtype(helper.tensor_dtype_to_np_dtype(kind))
    if dtype.kind not in "biuf":
        dtype = np.dtype(np.float32)
    room(x.shape, MAX_NUMBERS)
    rows, columns = np.ogrid[: x.shape[0], : x.shape[1]]
    return np.asarray(columns - rows == int(c.get("k", 0))).astype(dtype)


def _trilu(c: Call) -> Array:
    x, given = c[0], c.ints(1)
    k = given[0] if given else 0
    if x.ndim < 2:
        raise BadModel(f"given a tensor of {x.ndim} axes, expected a matrix")
    rows, columns = np.ogrid[: x.shape[-2], : x.shape[-1]]
    keep = columns - rows >= k if c.get("upper", 1) else columns - rows <= k
    zero = balls(np.zeros(())) if x.dtype == object else np.zeros((), dtype=x.dtype)
    return np.where(keep, x, zero)


def _plane(x: Array) -> tuple[int, int, int, int]:
    if x.ndim != 4:
        raise BadModel(f"given a tensor of {x.ndim} axes, expected 4")
    n, channels, h, w = x.shape
    return n, channels, h, w


def _depth_to_space(c: Call) -> Array:
    x, b = c[0], int(c.get("blocksize"))
    n, channels, h, w = _plane(x)
    if b < 1 or channels % (b * b):
        raise BadModel(f"given {channels} channels and blocks of {b}, expected a multiple")
    if c.get("mode", "DCR") == "DCR":
        y = x.reshape(n, b, b, channels // b**2, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        y = x.reshape(n, channels // b**2, b, b, h, w).transpose(0, 1, 4, 2, 5, 3)
    return y.reshape(n, channels // b**2, h * b, w * b)


def _space_to_depth(c: Call) -> Array:
    x, b = c[0], int(c.get("blocksize"))
    n, channels, h, w = _plane(x)
    if b < 1 or h % b or w % b:
        raise BadModel(f"given a plane of {h}×{w} and blocks of {b}, expected multiples")
    y = x.reshape(n, channels, h // b, b, w // b, b)
    if c.get("mode", "DCR") == "CRD":
        y = y.transpose(0, 1, 3, 5, 2, 4)
    else:
        y = y.transpose(0, 3, 5, 1, 2, 4)
    return y.reshape(n, channels * b * b, h // b, w // b)


def _dropout(c: Call) -> Result:
    x, training = c[0], c.optional(2)
    if training is not None and bool(training.reshape(())[()]):
        ratio = c.optional(1)
        if ratio is None or float(ratio.reshape(())[()]) != 0.0:
            raise c.refuse("dropout in training, which is random")
    return x, np.ones(x.shape, dtype=np.bool_)


def _identity(c: Call) -> Result:
    return [c.inputs[0]]


OPERATORS: dict[str, Callable[[Call], Result]] = {
    "Transpose": _permutation,
    "Reshape": _reshape,
    "Flatten": _flatten,
    "Squeeze": _squeeze,
    "Unsqueeze": _unsqueeze,
    "Expand": _expand,
    "Tile": _tile,
    "Concat": _concat,
    "Split": _split,
    "Slice": _slice,
    "Shape": _shape,
    "Size": _size,
    "Constant": _constant,
    "ConstantOfShape": _constant_of_shape,
    "Range": _range,
    "EyeLike": _eye,
    "Trilu": _trilu,
    "DepthToSpace": _depth_to_space,
    "SpaceToDepth": _space_to_depth,
    "Dropout": _dropout,
    "Identity": _identity,
}
