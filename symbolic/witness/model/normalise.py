"""Softmax and its kin, and the normalisations by mean and variance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from flint import arb

from .balls import (
    ONE,
    ZERO,
    Array,
    arithmetic,
    balls,
    boxed,
    folded,
    less,
    logarithm,
    mapped,
    maximum,
    total,
)
from .call import Call, Result
from .errors import BadModel

F32 = np.float32
EPSILON = float(F32(1e-5))  # the attribute's default is a float32


def _axis(c: Call, rank: int, default: int) -> int:
    axis = int(c.get("axis", default))
    if not -max(rank, 1) <= axis <= rank:
        raise BadModel(f"given axis {axis} of a tensor of {rank} axes")
    return axis % rank if rank and axis < 0 else axis


def along(f: Callable[[Array], Array]) -> Callable[[Call], Result]:
    """A function of rows as an operator; before opset 13 a row is all that follows the axis."""

    def of(c: Call) -> Array:
        x = balls(c[0])
        if c.version >= 13:
            axis = _axis(c, x.ndim, -1)
            return np.moveaxis(f(np.moveaxis(x, axis, -1)), -1, axis)
        axis = _axis(c, x.ndim, 1)
        rows = int(np.prod(x.shape[:axis], dtype=int))
        return f(x.reshape(rows, -1)).reshape(x.shape) if x.size else x

    return of


def _shifted(x: Array) -> Array:
    """x less a number for each row, its largest midpoint: that changes no softmax, and keeps the
    exponentials of large scores within reach."""

    def largest(row: list[arb]) -> arb:
        finite = [v.mid() for v in row if v.is_finite()]
        return max(finite, default=ZERO, key=_key)

    if x.size == 0:
        return x
    rows = x.reshape(-1, x.shape[-1]).tolist()
    shifts = boxed([largest(row) for row in rows], (*x.shape[:-1], 1))
    return arithmetic(np.subtract, x, shifts)


def _key(v: arb) -> Any:
    """Orders midpoints; which is taken changes nothing but the width of balls."""
    return float(v)


def softmax(x: Array) -> Array:
    """e^x over its sum along the last axis; a score of −∞ has weight 0."""
    e = mapped(lambda v: v.exp(), _shifted(x))
    return arithmetic(np.divide, e, total(e, (x.ndim - 1,), keep=True))


def log_softmax(x: Array) -> Array:
    """x less the logarithm of the sum of e^x along the last axis."""
    x = _shifted(x)
    e = mapped(lambda v: v.exp(), x)
    return arithmetic(np.subtract, x, mapped(logarithm, total(e, (x.ndim - 1,), keep=True)))


def _hardmax(x: Array) -> Array:
    out = np.empty(x.shape, dtype=object)
    out.fill(ZERO)
    for key in np.ndindex(*x.shape[:-1]):
        row, best = x[key].tolist(), 0
        for k in range(1, len(row)):
            if less(row[best], row[k]):
                best = k
        out[(*key, best)] = ONE
    return out


def mean(x: Array, axes: tuple[int, ...]) -> Array:
    """The mean over some axes, which stay with size 1."""
    count = int(np.prod([x.shape[k] for k in axes], dtype=int))
    return arithmetic(np.divide, total(x, axes, keep=True), np.array(count))


def standardised(x: Array, axes: tuple[int, ...], epsilon: float) -> tuple[Array, Array, Array]:
    """(x − mean) / √(variance + ε), the mean, and the inverse of the deviation."""
    centre = mean(x, axes)
    d = arithmetic(np.subtract, x, centre)
    variance = mean(d * d, axes)
    inverse = mapped(lambda v: (v.nonnegative_part() + arb(epsilon)).rsqrt(), variance)
    return arithmetic(np.multiply, d, inverse), centre, inverse


def scaled(x: Array, scale: Array | None, shift: Array | None) -> Array:
    """x times scale plus shift, broadcast."""
    found = x if scale is None else arithmetic(np.multiply, x, scale)
    return found if shift is None else arithmetic(np.add, found, shift)


def _layer(c: Call) -> Result:
    x = balls(c[0])
    axes = tuple(range(_axis(c, x.ndim, -1), x.ndim))
    y, centre, inverse = standardised(x, axes, c.get("epsilon", EPSILON))
    return scaled(y, c[1], c.optional(2)), centre, inverse


def _rms(c: Call) -> Array:
    x = balls(c[0])
    axes = tuple(range(_axis(c, x.ndim, -1), x.ndim))
    epsilon = arb(c.get("epsilon", EPSILON))
    inverse = mapped(lambda v: (v.nonnegative_part() + epsilon).rsqrt(), mean(x * x, axes))
    return scaled(arithmetic(np.multiply, x, inverse), c[1], None)


def channel(v: Array, rank: int) -> Array:
    """A value for each channel, to stand beside a tensor whose axis 1 has the channels."""
    return v.reshape(-1, *[1] * (rank - 2))


def _instance(c: Call) -> Array:
    x = balls(c[0])
    y, _, _ = standardised(x, tuple(range(2, x.ndim)), c.get("epsilon", EPSILON))
    return scaled(y, channel(c[1], x.ndim), channel(c[2], x.ndim))


def _group(c: Call) -> Array:
    x, groups = balls(c[0]), int(c.get("num_groups"))
    channels = x.shape[1]
    if groups < 1 or channels % groups:
        raise BadModel(f"given {groups} groups of {channels} channels, expected a divisor")
    split = x.reshape(x.shape[0], groups, channels // groups, *x.shape[2:])
    y, _, _ = standardised(split, tuple(range(2, split.ndim)), c.get("epsilon", EPSILON))
    scale, shift = c[1], c[2]
    if c.version < 21 and scale.size == groups:
        scale, shift = (np.repeat(v, channels // groups) for v in (scale, shift))
    return scaled(y.reshape(x.shape), channel(scale, x.ndim), channel(shift, x.ndim))


def _batch(c: Call) -> Array:
    training = c.get("training_mode", 0) or (c.version < 7 and not c.get("is_test", 0))
    if training or sum(c.wanted) > 1:
        raise c.refuse("a normalisation in training")
    if not c.get("spatial", 1):
        raise c.refuse("a normalisation with numbers for each place")
    x = balls(c[0])
    scale, shift, centre, variance = (channel(c[k], x.ndim) for k in (1, 2, 3, 4))
    epsilon = arb(c.get("epsilon", EPSILON))
    inverse = mapped(lambda v: (v + epsilon).rsqrt(), variance)
    d = arithmetic(np.subtract, x, centre)
    return scaled(arithmetic(np.multiply, d, inverse), scale, shift)


def _lp(c: Call) -> Array:
    x, p = balls(c[0]), int(c.get("p", 2))
    axis = (_axis(c, x.ndim, -1),)
    norm = norms(x, axis, p)

    def divided(v: arb, by: arb) -> arb:
        return ZERO if by.is_zero() else v / by

    return mapped(divided, x, norm)


def norms(x: Array, axes: tuple[int, ...], p: int) -> Array:
    """The norm of order 1 or 2 along axes, which stay with size 1."""
    if p == 1:
        return total(mapped(abs, x), axes, keep=True)
    if p == 2:
        return mapped(lambda v: v.nonnegative_part().sqrt(), total(x * x, axes, keep=True))
    raise BadModel(f"given a norm of order {p}, expected 1 or 2")


def _mean_variance(c: Call) -> Array:
    """(x − mean) / (√variance + ε): the ε of ONNX's definition is added to the root."""
    x = balls(c[0])
    axes = tuple(int(k) % x.ndim for k in c.get("axes", [0, 2, 3]))
    d = arithmetic(np.subtract, x, mean(x, axes))
    epsilon = arb(float(F32(1e-9)))  # a float32 in that definition
    deviation = mapped(lambda v: v.nonnegative_part().sqrt() + epsilon, mean(d * d, axes))
    return arithmetic(np.divide, d, deviation)


def largest(x: Array, axes: tuple[int, ...]) -> Array:
    """The maximum over axes, which stay with size 1."""
    return folded(maximum, arb(float("-inf")), x, axes, keep=True)


OPERATORS: dict[str, Callable[[Call], Result]] = {
    "Softmax": along(softmax),
    "LogSoftmax": along(log_softmax),
    "Hardmax": along(_hardmax),
    "LayerNormalization": _layer,
    "RMSNormalization": _rms,
    "InstanceNormalization": _instance,
    "GroupNormalization": _group,
    "BatchNormalization": _batch,
    "LpNormalization": _lp,
    "MeanVarianceNormalization": _mean_variance,
}
