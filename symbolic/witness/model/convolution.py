"""Convolutions and pooling: windows that slide over the axes after the first two."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product as places_of
from typing import Any

import numpy as np
from flint import arb

from .balls import (
    MINUS_INFINITY,
    ONE,
    ZERO,
    Array,
    arithmetic,
    balls,
    filled,
    mapped,
    maximum,
    product,
    room,
    total,
)
from .call import Call, Result
from .errors import BadModel
from .normalise import channel, largest, mean


@dataclass(frozen=True)
class _Axis:
    """How a window of `kernel` places, `dilation` apart, slides along an axis."""

    size: int
    kernel: int
    stride: int
    dilation: int
    before: int
    after: int
    out: int

    @property
    def end(self) -> int:
        """One more than the last place that a window reaches, counted from the padding's first."""
        return (self.out - 1) * self.stride + (self.kernel - 1) * self.dilation + 1


def _window(c: Call, x: Array, kernel: list[int]) -> list[_Axis]:
    rank = x.ndim - 2
    strides, dilations = c.get("strides", [1] * rank), c.get("dilations", [1] * rank)
    pads, mode = c.get("pads", [0] * 2 * rank), c.get("auto_pad", "NOTSET")
    if not (len(kernel) == len(strides) == len(dilations) == rank >= 1 and len(pads) == 2 * rank):
        raise BadModel(f"given windows that do not fit a tensor of shape {list(x.shape)}")
    if min((*kernel, *strides, *dilations)) < 1 or min(pads) < 0:
        raise BadModel("given a window, stride or padding below its least value")
    up = bool(c.get("ceil_mode", 0))
    found = []
    for k in range(rank):
        n, s, wide = x.shape[k + 2], strides[k], (kernel[k] - 1) * dilations[k] + 1
        before, after = pads[k], pads[k + rank]
        if mode in ("SAME_UPPER", "SAME_LOWER"):
            out = -(-n // s)
            more = max((out - 1) * s + wide - n, 0)
            before = more // 2 if mode == "SAME_UPPER" else more - more // 2
            after = more - before
        else:
            before, after = (0, 0) if mode == "VALID" else (before, after)
            free = n + before + after - wide
            out = (-(-free // s) if up else free // s) + 1
            if up and (out - 1) * s >= n + before:  # the last window begins inside
                out -= 1
        if out < 0:
            raise BadModel(f"given an axis of size {n}, expected room for a window of {wide}")
        found.append(_Axis(n, kernel[k], s, dilations[k], before, after, out))
    return found


def _windows(x: Array, axes: list[_Axis], fill: arb) -> Array:
    """Windows of x: its first two axes, then the places of a window, then the windows."""
    shape = [max(a.before + a.size + a.after, a.end) for a in axes]
    room((*x.shape[:2], *shape))
    wide = filled((*x.shape[:2], *shape), fill)
    inside = tuple(slice(a.before, a.before + a.size) for a in axes)
    wide[(slice(None), slice(None), *inside)] = balls(x)
    room((*x.shape[:2], *(a.kernel for a in axes), *(a.out for a in axes)))
    rank = len(axes)
    at = []
    for k, a in enumerate(axes):
        line = np.arange(a.kernel)[:, None] * a.dilation + np.arange(a.out) * a.stride
        shape = [1] * 2 * rank
        shape[k], shape[k + rank] = line.shape
        at.append(line.reshape(shape))
    key: tuple[Any, ...] = (slice(None), slice(None), *at)
    return np.asarray(wide[key])


def _conv(c: Call) -> Array:
    x, w, bias = c[0], c[1], c.optional(2)
    groups = int(c.get("group", 1))
    if w.ndim != x.ndim or x.shape[1] != w.shape[1] * groups or w.shape[0] % max(groups, 1):
        raise BadModel(f"given weights of shape {list(w.shape)} for {list(x.shape)}")
    axes = _window(c, x, list(w.shape[2:]))
    seen = _windows(x, axes, ZERO)
    n, out = x.shape[0], [a.out for a in axes]
    inner = w.shape[1] * math.prod(w.shape[2:])
    columns = seen.reshape(n, groups, inner, math.prod(out))
    rows = w.reshape(groups, w.shape[0] // groups, inner)
    y = product(np.broadcast_to(rows, (n, *rows.shape)), columns)
    y = y.reshape(n, w.shape[0], *out)
    return y if bias is None else arithmetic(np.add, y, channel(bias, y.ndim))


def _conv_transpose(c: Call) -> Array:
    x, w, bias = c[0], c[1], c.optional(2)
    groups, rank = int(c.get("group", 1)), c[0].ndim - 2
    strides, dilations = c.get("strides", [1] * rank), c.get("dilations", [1] * rank)
    more, mode = c.get("output_padding", [0] * rank), c.get("auto_pad", "NOTSET")
    pads = list(c.get("pads", [0] * 2 * rank))
    if w.ndim != x.ndim or x.shape[1] != w.shape[0] or groups < 1 or x.shape[1] % groups:
        raise BadModel(f"given weights of shape {list(w.shape)} for {list(x.shape)}")
    kernel, n, per = w.shape[2:], x.shape[0], w.shape[1]
    sizes = x.shape[2:]
    whole = [
        (s - 1) * t + (k - 1) * d + 1 + p
        for s, t, k, d, p in zip(sizes, strides, kernel, dilations, more, strict=True)
    ]
    target = c.get("output_shape", None)
    if target is None and mode in ("SAME_UPPER", "SAME_LOWER"):
        target = [s * t for s, t in zip(sizes, strides, strict=True)]
    if target is not None:
        for k in range(rank):
            whole[k] = max(whole[k], target[-rank:][k])  # places that nothing is added to
            cut = whole[k] - target[-rank:][k]
            half = cut // 2 if mode == "SAME_UPPER" else cut - cut // 2
            pads[k], pads[k + rank] = half, cut - half
    room((n, groups * per, *whole))
    left = w.reshape(groups, w.shape[0] // groups, per * math.prod(kernel)).transpose(0, 2, 1)
    right = balls(x).reshape(n, groups, x.shape[1] // groups, math.prod(sizes))
    parts = product(np.broadcast_to(left, (n, *left.shape)), right)
    parts = parts.reshape(n, groups * per, *kernel, *sizes)
    y = filled((n, groups * per, *whole), ZERO)
    for at in places_of(*(range(k) for k in kernel)):
        put = tuple(
            slice(a * d, a * d + (s - 1) * t + 1, t)
            for a, d, s, t in zip(at, dilations, sizes, strides, strict=True)
        )
        key: tuple[Any, ...] = (slice(None), slice(None), *put)
        part: tuple[Any, ...] = (slice(None), slice(None), *at)
        y[key] = y[key] + parts[part]
    cut_to = tuple(slice(pads[k], whole[k] - pads[k + rank]) for k in range(rank))
    y = y[(slice(None), slice(None), *cut_to)]
    return y if bias is None else arithmetic(np.add, y, channel(bias, y.ndim))


def _max_pool(c: Call) -> Result:
    if sum(c.wanted) > 1:
        raise c.refuse("the places of the largest entries")
    x = c[0]
    exact = x.dtype.kind in "iu"
    axes = _window(c, x, list(c.get("kernel_shape")))
    seen = _windows(x, axes, MINUS_INFINITY)
    found = seen.reshape(*x.shape[:2], -1, *(a.out for a in axes))
    y = maximum.reduce(found, axis=2)
    if exact:
        y = mapped(lambda v: int(v.unique_fmpz()), y, dtype=x.dtype)
    return [y]


def _sums(c: Call, x: Array, axes: list[_Axis]) -> tuple[Array, Array]:
    """The sums of windows, and how many entries each has."""
    seen = _windows(x, axes, ZERO)
    ones = filled((1, 1, *x.shape[2:]), ONE)
    fill = ZERO
    if c.get("count_include_pad", 0):  # the padding that was asked for, not what ceil_mode adds
        shape = [a.before + a.size + a.after for a in axes]
        ones = filled((1, 1, *shape), ONE)
        axes = [_Axis(s, a.kernel, a.stride, a.dilation, 0, 0, a.out)
                for a, s in zip(axes, shape, strict=True)]  # fmt: skip
    rank = len(axes)
    inner = tuple(range(2, 2 + rank))
    return total(seen, inner, keep=False), total(_windows(ones, axes, fill), inner, keep=False)


def _average_pool(c: Call) -> Array:
    axes = _window(c, c[0], list(c.get("kernel_shape")))
    sums, counts = _sums(c, c[0], axes)
    return arithmetic(np.divide, sums, counts)


def _lp_pool(c: Call) -> Array:
    x, p = balls(c[0]), int(c.get("p", 2))
    axes = _window(c, x, list(c.get("kernel_shape")))
    sums, _ = _sums(c, mapped(lambda v: abs(v) ** p, x), axes)
    return mapped(lambda v: v.nonnegative_part().root(p) if not v.is_zero() else v, sums)


def _global(f: Callable[[Array, tuple[int, ...]], Array]) -> Callable[[Call], Result]:
    return lambda c: f(balls(c[0]), tuple(range(2, c[0].ndim)))


def _local_response(c: Call) -> Array:
    x, size = balls(c[0]), int(c.get("size"))
    alpha, beta, bias = (arb(c.get(k, v)) for k, v in _LRN.items())
    channels = x.shape[1]
    squares = x * x
    out = np.empty(x.shape, dtype=object)
    for k in range(channels):
        low, high = max(0, k - (size - 1) // 2), min(channels - 1, k + size // 2)
        s = total(squares[:, low : high + 1], (1,), keep=False)
        out[:, k] = x[:, k] / mapped(lambda v: (bias + alpha / size * v) ** beta, s)
    return out


_LRN = {"alpha": float(np.float32(1e-4)), "beta": 0.75, "bias": 1.0}

OPERATORS: dict[str, Callable[[Call], Result]] = {
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
    "MaxPool": _max_pool,
    "AveragePool": _average_pool,
    "LpPool": _lp_pool,
    "GlobalAveragePool": _global(mean),
    "GlobalMaxPool": _global(largest),
    "LRN": _local_response,
}
