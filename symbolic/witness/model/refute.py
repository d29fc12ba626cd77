"""Look for an input on which an ONNX file's output does not follow a permutation."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import onnx
from flint import arb

from .balls import Array
from .enclosure import apart, written
from .errors import BadModel, Undecided
from .evaluate import BITS, evaluate
from .file import MAX_VALUES, ModelWitness, OutputAxis, Values
from .sides import as_balls, followed, moved, need_output
from .source import read


@dataclass(frozen=True)
class Spec:
    """What an input may hold: reals are multiples of 1/8 in the range, integers lie in it, and
    truth values are tossed. `fixed` stands for the input as it is."""

    shape: tuple[int, ...]
    type: str = "real"  # or "integer", "truth"
    low: int = -2
    high: int = 2
    fixed: Array | None = None


@dataclass(frozen=True)
class Question:
    """Which symmetry: the axes that σ moves, the first of them asked about, and the output's."""

    axes: tuple[tuple[str, int], ...]
    output: str
    output_axis: OutputAxis


def drawn(spec: Spec, rng: np.random.Generator) -> Array:
    """A random input; BadModel where no witness could hold it."""
    if math.prod(spec.shape) > MAX_VALUES:
        raise BadModel(
            f"given an input of shape {list(spec.shape)}: more than {MAX_VALUES} entries"
        )
    if spec.fixed is not None:
        return spec.fixed
    if spec.type == "real":
        return rng.integers(8 * spec.low, 8 * spec.high + 1, spec.shape).astype(np.float64) / 8
    if spec.type == "integer":
        return rng.integers(spec.low, spec.high + 1, spec.shape)
    if spec.type == "truth":
        return rng.integers(0, 2, spec.shape).astype(np.bool_)
    raise BadModel(f"given an input of type {spec.type[:20]!r}, expected real, integer or truth")


def search(
    path: str | os.PathLike[str],
    cases: Iterable[tuple[Mapping[str, Spec], Sequence[Sequence[int]]]],
    axis: tuple[str, int],
    output: str,
    output_axis: OutputAxis,
    *,
    moving: Sequence[tuple[str, int]] = (),
    seed: int = 0,
    tries: int = 3,
    bits: int = BITS,
) -> ModelWitness | None:
    """A counterexample to "the output follows σ", or None where every ball overlaps.

    `cases` are tried in their order, so put the smallest n first: for each the inputs, and the
    permutations as lists of σ(0), …, σ(n − 1). `axis` is the input and axis asked about, `moving`
    are those that move along; with `output_axis` None the claim is that the output is unchanged,
    and with several axes that it follows σ along all of them at once.
    Raises EvaluationError where the model cannot be evaluated.
    """
    model, digest, data = read(path)
    need_output(model, output)
    question = Question((axis, *moving), output, output_axis)
    rng = np.random.default_rng(seed)
    for specs, sigmas in cases:
        for _ in range(tries):
            inputs = {name: drawn(spec, rng) for name, spec in specs.items()}
            found, precision = _precisely(model, inputs, sigmas, question, bits)
            if found is not None:
                sigma, entry, one, other = found
                return ModelWitness(
                    Path(path).name, digest, data, tuple(sigma), *axis, tuple(moving),
                    {k: values(x) for k, x in inputs.items()}, output, output_axis, entry,
                    precision, one, other,
                )  # fmt: skip
    return None


Enclosed = tuple[Fraction, Fraction]
Found = tuple[Sequence[int], tuple[int, ...], Enclosed, Enclosed]


def _precisely(
    model: onnx.ModelProto,
    inputs: Mapping[str, Array],
    sigmas: Sequence[Sequence[int]],
    question: Question,
    bits: int,
) -> tuple[Found | None, int]:
    """A difference, and the bits that it takes: where the balls of f(X) are wide, as a deep model
    makes them, more are tried before any permutation is."""
    for precision in (bits, 2 * bits, 4 * bits):
        try:
            y = evaluate(model, inputs, [question.output], precision)[question.output]
        except Undecided:
            return None, bits
        if precision == 4 * bits or not any(map(_is_wide, as_balls(y).ravel().tolist())):
            break
    return differs(model, inputs, y, sigmas, question, precision), precision


def differs(
    model: onnx.ModelProto,
    inputs: Mapping[str, Array],
    y: Array,
    sigmas: Iterable[Sequence[int]],
    question: Question,
    bits: int = BITS,
) -> Found | None:
    """The first permutation that the output, y on these inputs, does not follow: an entry, and an
    enclosure of each side there. What a ball leaves undecided says nothing of a permutation."""
    for sigma in sigmas:
        try:
            on_moved = moved(inputs, question.axes, sigma)
            z = evaluate(model, on_moved, [question.output], bits)[question.output]
        except Undecided:
            continue
        found = disjoint(z, followed(y, sigma, question.output_axis))
        if found is not None:
            return (sigma, *found)
    return None


def _is_wide(ball: arb) -> bool:
    """Whether a ball is wider than its value would need."""
    return not bool(ball.rad() < arb(2) ** -30 * (1 + abs(ball.mid())))


def disjoint(one: Array, other: Array) -> tuple[tuple[int, ...], Enclosed, Enclosed] | None:
    """The entry where two outputs are furthest apart for certain; None where none is."""
    if one.shape != other.shape:
        raise BadModel(f"given outputs of shapes {list(one.shape)} and {list(other.shape)}")
    best: tuple[float, tuple[int, ...], Enclosed, Enclosed] | None = None
    pairs = zip(as_balls(one).ravel().tolist(), as_balls(other).ravel().tolist(), strict=True)
    for entry, (x, y) in zip(np.ndindex(*one.shape), pairs, strict=True):
        if not bool(x != y):  # of balls that is true where they certainly differ
            continue
        ends = written(x), written(y)
        if ends[0] is None or ends[1] is None or not apart(ends[0], ends[1]):
            continue
        gap = float(abs(x - y).mid())
        if best is None or gap > best[0]:
            best = gap, entry, ends[0], ends[1]
    return None if best is None else best[1:]


def values(x: Array) -> Values:
    """An input as a file holds it."""
    if x.dtype == np.bool_:
        return Values(x.shape, "truth", tuple(Fraction(int(v)) for v in x.ravel()))
    if x.dtype.kind in "iu":
        return Values(x.shape, "integer", tuple(Fraction(int(v)) for v in x.ravel()))
    return Values(x.shape, "real", tuple(Fraction(float(v)) for v in x.ravel()))
