"""Both orders in onnxruntime: f(PX), P f(X), how far apart they are, and along which axes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderproof.symbolic.onnx.graph import ModelError
from orderproof.symbolic.onnx.run import RunError, Runner

from .given import Given

Array = NDArray[Any]
CLOSER = 100  # times, that leave no doubt
Axes = tuple[int, ...]  # of an output, that σ moves: none of one that is to stay as it is


@dataclass(frozen=True)
class Orders:
    """What onnxruntime gives for the two orders."""

    plain: Array  # f(X)
    permuted: Array  # f(PX)


def run(runner: Runner, asked: Given, output: str) -> Orders:
    """Both orders; ModelError where onnxruntime refuses an input, or the model has two shapes."""
    try:
        plain = runner.run(asked.inputs, [output])[output]
        permuted = runner.run(asked.moved(), [output])[output]
    except RunError as e:
        raise ModelError(f"onnxruntime refuses this input: {e}") from None
    if plain.dtype.kind not in "fiub" or not plain.size:
        given = f"{plain.dtype.name} of shape {list(plain.shape)}"
        raise ModelError(f"--output: given {output}, {given}, expected numbers")
    if plain.shape != permuted.shape:
        shapes = f"{list(plain.shape)} and {list(permuted.shape)}"
        raise ModelError(f"--output: given {output} of shapes {shapes}, expected one for both")
    return Orders(plain, permuted)


def followed(y: Array, sigma: Sequence[int], axes: Axes) -> Array:
    """P y: σ acting on axes of an output."""
    for axis in axes:
        y = np.take(y, list(sigma), axis)
    return y


def fits(shape: Sequence[int], axes: Axes, n: int) -> bool:
    """Whether an output of this shape has n places on each of the axes."""
    return all(0 <= a < len(shape) and shape[a] == n for a in axes)


def likeliest(orders: Orders, sigma: Sequence[int], first: int) -> Axes:
    """The axes that whoever compares both orders means: that of the number of the input's, `first`,
    where it has n places, then others, none, or two that move together; but the later where both
    orders are so much closer along them that there can be no doubt."""
    here = [k for k, s in enumerate(orders.plain.shape) if s == len(sigma)]
    here.sort(key=lambda k: k != first)
    ways: list[Axes] = [*((k,) for k in here), (), *itertools.combinations(sorted(here), 2)]

    def far(axes: Axes) -> float:
        with np.errstate(all="ignore"):
            gap = orders.permuted - followed(orders.plain, sigma, axes).astype(np.float64)
        return float(np.max(np.abs(gap))) if np.isfinite(gap).all() else math.inf

    best, least = ways[0], far(ways[0])
    for axes in ways[1:]:
        if far(axes) < least / CLOSER:
            best, least = axes, far(axes)
    return best


def difference(one: Array, other: Array) -> tuple[Fraction, tuple[int, ...]] | None:
    """The largest difference of two outputs, exactly, and its entry; None where a number is not
    finite."""
    if not (_finite(one) and _finite(other)):
        return None
    pairs = zip(one.ravel().tolist(), other.ravel().tolist(), strict=True)
    gaps = [abs(Fraction(a) - Fraction(b)) for a, b in pairs]
    worst = max(range(len(gaps)), key=gaps.__getitem__)
    return gaps[worst], tuple(int(k) for k in np.unravel_index(worst, one.shape))


def _finite(x: Array) -> bool:
    return bool(np.isfinite(x.astype(np.float64)).all())
