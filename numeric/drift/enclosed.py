"""Both orders in exact arithmetic: balls that hold the true values of f(PX) and P f(X).

The true value is that of the real function which the file describes: its constants and the input
are exact numbers, and nothing is rounded. A ball encloses it. What can go wrong in an enclosure is
looked for: f(X) is enclosed twice, at two precisions, and the two must overlap.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderproof.symbolic.witness.model.distance import distances
from orderproof.symbolic.witness.model.enclosure import ends
from orderproof.symbolic.witness.model.errors import EvaluationError, Undecided
from orderproof.symbolic.witness.model.evaluate import evaluate
from orderproof.symbolic.witness.model.file import ModelWitness
from orderproof.symbolic.witness.model.refute import disjoint, values
from orderproof.symbolic.witness.model.sides import as_balls
from orderproof.symbolic.witness.model.source import read

from .given import Given
from .orders import Axes, followed

Array = NDArray[Any]
MORE = 2  # times as many bits, of the second enclosure, and of each next attempt
ATTEMPTS = 3


class NoEnclosure(Exception):
    """The true values were not enclosed: why, in one line."""


@dataclass(frozen=True)
class Span:
    """A number that lies between two others; without bound where `high` is None."""

    low: Fraction
    high: Fraction | None


@dataclass(frozen=True)
class Enclosed:
    """Balls around the entries of f(PX) and of P f(X), at a number of bits."""

    permuted: Array
    expected: Array
    bits: int

    def apart(self) -> bool:
        """Whether the true values certainly differ in an entry."""
        return any(bool(a != b) for a, b in self._pairs())

    def gap(self) -> Span:
        """The largest difference of the true values."""
        return _largest([_gap(ends(a), ends(b)) for a, b in self._pairs()])

    def _pairs(self) -> list[tuple[Any, Any]]:
        one, other = self.permuted.ravel().tolist(), self.expected.ravel().tolist()
        return list(zip(one, other, strict=True))


def both(
    path: str | os.PathLike[str],
    asked: Given,
    output: str,
    axes: Axes,
    bits: int,
    narrow: Fraction,
) -> Enclosed:
    """Both orders, with as many bits, from `bits` to four times as many, as make the true values
    differ for certain, or agree to within `narrow`. Raises NoEnclosure."""
    try:
        model = read(path)[0]
        found = None
        for k in range(ATTEMPTS):
            used = bits * MORE**k
            try:
                found = _once(model, asked, output, axes, used)
            except Undecided:
                if k == ATTEMPTS - 1:
                    raise
                continue
            high = found.gap().high
            if found.apart() or (high is not None and high <= narrow):
                break
    except EvaluationError as e:
        raise NoEnclosure(str(e)) from None
    if found is None:
        raise NoEnclosure("no precision gave an enclosure")
    return found


def _once(model: Any, asked: Given, output: str, axes: Axes, bits: int) -> Enclosed:
    """Both orders at one precision, and f(X) at another too."""
    moved, inputs = asked.moved(), dict(asked.inputs)
    y = as_balls(evaluate(model, inputs, [output], bits)[output])
    finer = as_balls(evaluate(model, inputs, [output], MORE * bits)[output])
    z = as_balls(evaluate(model, moved, [output], bits)[output])
    if y.shape != finer.shape or not all(_overlap(a, b) for a, b in _zipped(y, finer)):
        raise NoEnclosure("two enclosures of one value have nothing in common: a fault in them")
    expected = followed(y, asked.sigma, axes)
    if expected.shape != z.shape:
        raise NoEnclosure(f"outputs of shapes {list(expected.shape)} and {list(z.shape)}")
    return Enclosed(z, expected, bits)


def _zipped(one: Array, other: Array) -> list[tuple[Any, Any]]:
    return list(zip(one.ravel().tolist(), other.ravel().tolist(), strict=True))


def _overlap(a: Any, b: Any) -> bool:
    """Whether two balls may hold one number: by `overlaps`, which of NaN is true, as it is of the
    whole line."""
    return bool(a.overlaps(b))


def _gap(one: tuple[Fraction, Fraction] | None, other: tuple[Fraction, Fraction] | None) -> Span:
    """The difference of a number in one interval and a number in the other."""
    if one is None or other is None:
        return Span(Fraction(0), None)
    below, above = other[0] - one[1], other[1] - one[0]
    return Span(max(below, -above, Fraction(0)), max(abs(below), abs(above)))


def _largest(found: Sequence[Span]) -> Span:
    """Where the largest of several numbers lies."""
    highs = [s.high for s in found]
    known = [h for h in highs if h is not None]
    low = max((s.low for s in found), default=Fraction(0))
    return Span(low, max(known, default=Fraction(0)) if len(known) == len(highs) else None)


def distance(floats: Array, true: Array) -> Span:
    """The largest distance of an output of onnxruntime from the true value."""
    return _largest([Span(d.low, d.high) for d in distances(floats, true)])


def witness(
    path: str | os.PathLike[str], asked: Given, output: str, axes: Axes, found: Enclosed
) -> ModelWitness | str:
    """The counterexample that the enclosures are, as a file may hold it, or why there is none."""
    if len(axes) > 1:
        return "a counterexample file moves one axis of an output"
    apart = disjoint(found.permuted, found.expected)
    if apart is None:
        return "the true values are too close for the 20 decimals of a counterexample file"
    if any(not np.isfinite(x).all() for x in asked.inputs.values() if x.dtype.kind == "f"):
        return "a counterexample file holds no infinities"
    _, digest, data = read(path)
    (name, k), *others = asked.axes
    return ModelWitness(
        Path(path).name, digest, data, asked.sigma, name, k, tuple(others),
        {key: values(x) for key, x in asked.inputs.items()}, output,
        axes[0] if axes else None, apart[0], found.bits, apart[1], apart[2],
    )  # fmt: skip
