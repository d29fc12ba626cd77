"""Recheck a counterexample about an ONNX file from that file: with `onnx` and `python-flint` alone.

Of the project this uses the evaluator of this package, which shares nothing with the translation
into the calculus or with the search for a group.
"""

from __future__ import annotations

import os

import numpy as np
import onnx

from orderproof.input_file import shown

from ..arithmetic import Outcome
from ..fields import WitnessError
from .balls import Array
from .enclosure import apart, matches
from .errors import BadModel, EvaluationError
from .file import ModelWitness, Values
from .sides import as_balls, both
from .source import read

Replay = Outcome[ModelWitness]


def arrays(w: ModelWitness) -> dict[str, Array]:
    """The inputs of a witness. Fractions stay exact: of balls where floats cannot hold them."""
    return {name: _array(v) for name, v in w.inputs.items()}


def _array(v: Values) -> Array:
    if v.type == "real":
        found = np.array([float(e) for e in v.entries], dtype=np.float64)
        if any(e != f for e, f in zip(v.entries, found.tolist(), strict=True)):
            raise BadModel("given an input that no float64 holds, expected fewer digits")
    elif v.type == "truth":
        found = np.array([bool(e) for e in v.entries], dtype=np.bool_)
    else:
        found = np.array([int(e) for e in v.entries], dtype=np.int64)
    return found.reshape(v.shape)


def check(w: ModelWitness, path: str | os.PathLike[str]) -> Replay:
    """Recheck a counterexample: both sides in balls from the ONNX file, its inputs and σ alone.

    Raises WitnessError where the file is not the one that the counterexample is about.
    """
    try:
        model, digest, data = read(path)
    except EvaluationError as e:
        raise WitnessError(str(e)) from None
    name = shown(path)
    if digest != w.sha256:
        raise WitnessError(f"{name}: given a file with SHA-256 {digest}, expected {w.sha256}")
    if data != w.data:
        raise WitnessError(f"{name}: given other external data than the counterexample names")
    constant = sorted(_constants(model) & set(w.inputs))
    if constant:
        text = f"given a value for {constant[0]!r}, which the model holds, expected inputs alone"
        return Replay("refuted", lambda _: text, w)
    try:
        one, other = _sides(model, w)
    except EvaluationError as e:
        text = str(e)
        return Replay("refuted", lambda _: f"the model gives no value: {text}", w)
    if one.shape != other.shape or not _inside(w.entry, one.shape):
        return Replay("refuted", lambda _: "the output has no such entry", w)
    if not matches(w.moved, one[w.entry]):
        return Replay("refuted", lambda _: "moved: f(PX) is not what the file holds", w)
    if not matches(w.expected, other[w.entry]):
        return Replay("refuted", lambda _: "expected: the model gives another value", w)
    if not apart(w.moved, w.expected):
        return Replay("refuted", lambda _: "both sides may be equal", w)
    return Replay("ok", w.says, w)


def _constants(model: onnx.ModelProto) -> set[str]:
    """The tensors that the model holds, also where an input could stand for one."""
    graph = model.graph
    return {t.name for t in graph.initializer} | {t.values.name for t in graph.sparse_initializer}


def _sides(model: onnx.ModelProto, w: ModelWitness) -> tuple[Array, Array]:
    axes = [(w.input, w.axis), *w.moving]
    one, other = both(model, arrays(w), axes, w.sigma, w.output, w.output_axis, w.bits)
    return as_balls(one), as_balls(other)


def _inside(entry: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    return len(entry) == len(shape) and all(k < s for k, s in zip(entry, shape, strict=True))
