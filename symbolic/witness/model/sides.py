"""Both sides of the claim of a counterexample: f(PX), and P f(X) or f(X)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx

from .balls import Array, balls
from .errors import BadModel
from .evaluate import evaluate
from .file import OutputAxis, axes_of


def moved(
    inputs: Mapping[str, Array], axes: Sequence[tuple[str, int]], sigma: Sequence[int]
) -> dict[str, Array]:
    """The inputs with σ acting on the given axes: (PX)_i = X_σ(i)."""
    found = dict(inputs)
    for name, axis in axes:
        x = found.get(name)
        if x is None or not 0 <= axis < x.ndim or x.shape[axis] != len(sigma):
            shape = None if x is None else list(x.shape)
            raise BadModel(
                f"given axis {axis} of the input {name!r} of shape {shape}, expected an axis of "
                f"size {len(sigma)}"
            )
        found[name] = np.take(x, list(sigma), axis=axis)
    return found


def both(
    model: onnx.ModelProto,
    inputs: Mapping[str, Array],
    axes: Sequence[tuple[str, int]],
    sigma: Sequence[int],
    output: str,
    output_axis: OutputAxis,
    bits: int,
) -> tuple[Array, Array]:
    """The output on PX, and what it would be if it followed σ, all entries as balls."""
    need_output(model, output)
    one = evaluate(model, moved(inputs, axes, sigma), [output], bits)[output]
    return one, followed(evaluate(model, inputs, [output], bits)[output], sigma, output_axis)


def need_output(model: onnx.ModelProto, name: str) -> None:
    """BadModel where the model has no such output."""
    names = [o.name for o in model.graph.output]
    if name not in names:
        raise BadModel(f"given the output {name!r}, expected one of {names}")


def followed(y: Array, sigma: Sequence[int], output_axis: OutputAxis) -> Array:
    """P y: the output with σ acting on an axis, on each of several, or as it is."""
    if not isinstance(y, np.ndarray):
        raise BadModel("given an output that is no tensor, expected one")
    for axis in axes_of(output_axis):
        if not 0 <= axis < y.ndim or y.shape[axis] != len(sigma):
            raise BadModel(
                f"given axis {axis} of an output of shape {list(y.shape)}, expected an axis of "
                f"size {len(sigma)}"
            )
        y = np.take(y, list(sigma), axis=axis)
    return y


def as_balls(y: Array) -> Array:
    """An output as balls; integers and truth values are exact."""
    return balls(y.astype(np.int64) if y.dtype == np.bool_ else y)
