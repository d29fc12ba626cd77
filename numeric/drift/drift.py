"""Why f(PX) and P f(X) differ in floats: rounding, or not; or nobody can tell.

orders    both orders in onnxruntime
proof     whether the model is proved to be equivariant or invariant
enclosed  both orders in exact arithmetic: balls that hold the true values

*Rounding* says that the true values agree: by a theorem, where there is one, and otherwise at this
input to within the radius of the balls, which is then below a thousandth of what is to be
explained. *Not rounding* says that the true values differ. Where a theorem and an enclosure, or an
enclosure and another, contradict each other, one of them is at fault, and nothing is told.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderproof.symbolic.onnx.graph import Graph, ModelError
from orderproof.symbolic.onnx.load import load
from orderproof.symbolic.onnx.run import Runner

from .decimals import outward, up
from .enclosed import Enclosed, NoEnclosure, Span, both, distance, witness
from .given import Given, given
from .orders import Axes, Orders, difference, fits, followed, likeliest, run
from .proof import Proof, proof
from .sums import Summation, measure

Array = NDArray[Any]
ROUNDING, NOT_ROUNDING, CANNOT_TELL = "rounding", "not rounding", "cannot tell"
STATUS = {ROUNDING: 0, NOT_ROUNDING: 1, CANNOT_TELL: 3}
LARGEST = 50_000_000  # entries of all constants: beyond, balls take too long
SHARE = 1024  # of what is to be explained, the part to which true values must agree


@dataclass
class Drift:
    """The answer, and what it rests on; all indices from 0."""

    file: str
    model: str  # the SHA-256 of the file
    asked: Given
    output: str
    output_axes: Axes
    proof: Proof
    bits: int
    answer: str = CANNOT_TELL
    reason: str = ""  # of what cannot be told
    difference: Fraction | None = None  # of the floats of both orders; None: they are not finite
    entry: tuple[int, ...] = ()  # where
    distances: tuple[Span, Span] | None = None  # from the true value: of f(X), of f(PX)
    overlap: bool | None = None  # of the balls of both orders, in every entry
    gap: Span | None = None  # the difference of the true values, by the balls alone
    summation: Summation | None = None
    witness: Any = None  # file.ModelWitness
    no_witness: str = ""  # why there is none
    seconds: float = 0.0

    @property
    def status(self) -> int:
        """The exit status of the command."""
        return STATUS[self.answer]

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON has it."""
        (name, axis), *others = self.asked.axes
        axes = self.output_axes
        return {
            "model": self.model,
            "answer": self.answer,
            "reason": self.reason,
            "sigma": list(self.asked.sigma),
            "input": name,
            "axis": axis,
            "with": [f"{other}:{k}" for other, k in others],
            "output": self.output,
            "output_axis": None if not axes else axes[0] if len(axes) == 1 else list(axes),
            "difference": None if self.difference is None else float(self.difference),
            "entry": list(self.entry),
            "distances": self.distances and [_json(s) for s in self.distances],
            "overlap": self.overlap,
            "true_difference": self.gap and _json(self.gap),
            "proved": self.proof.answer if self.proof.covers else None,
            "scope": self.proof.scope if self.proof.covers else None,
            "bits": self.bits,
            "summation": self.summation and asdict(self.summation),
            "seconds": round(self.seconds, 3),
        }


def _json(span: Span) -> dict[str, float | None]:
    return dict(zip(("low", "high"), outward(span.low, span.high), strict=True))


def drift(
    path: str | Path,
    files: Sequence[str],
    axis: str | None = None,
    along: Sequence[str] = (),
    output: str | None = None,
    output_axis: str | None = None,
    sigma: str | None = None,
    seed: int = 0,
    bits: int = 128,
) -> Drift:
    """The answer for a model, inputs in files, and a permutation; the texts are those of the
    command line. ModelError for bad input, RunnerMissing without onnxruntime."""
    begin = time.monotonic()
    graph = load(path)
    runner = Runner(graph)
    name = _output(graph, output)
    asked = given(graph, files, axis, along, sigma, seed)
    orders = run(runner, asked, name)
    shown = proof(path, graph, asked, name, orders.plain.shape)
    axes = _axes(output_axis, orders, shown, asked)
    if shown.axes != axes:
        shown = Proof(shown.answer, shown.scope, None)
    found = Drift(str(path), graph.sha256, asked, name, axes, shown, bits)
    gap = difference(orders.permuted, followed(orders.plain, asked.sigma, axes))
    if gap is not None:
        found.difference, found.entry = gap
    _enclose(found, graph, orders)
    if found.answer == ROUNDING:
        every = shown.covers and shown.answer != "subgroup"
        found.summation = measure(runner, Path(path).parent, asked, name, axes, every, seed)
    found.seconds = time.monotonic() - begin
    return found


def _output(graph: Graph, output: str | None) -> str:
    names = ", ".join(graph.outputs)
    if output is None and len(graph.outputs) > 1:
        raise ModelError(f"expected --output NAME, as there are several: {names}")
    if output is not None and output not in graph.outputs:
        raise ModelError(f"--output: given {output[:60]!r}, expected one of {names}")
    return output or next(iter(graph.outputs))


def _axes(text: str | None, orders: Orders, shown: Proof, asked: Given) -> Axes:
    """The output's axes that σ moves: those named, those of the theorem, or the likeliest."""
    if text is None:
        return (
            shown.axes
            if shown.axes is not None
            else likeliest(orders, asked.sigma, asked.axes[0][1])
        )
    shape, n = orders.plain.shape, len(asked.sigma)
    try:
        axes: Axes = () if text == "none" else tuple(int(part) for part in text.split(","))
    except ValueError:
        axes = (-1,)
    if not fits(shape, axes, n) or len(set(axes)) < len(axes):
        raise ModelError(
            f"--output-axis: given {text[:40]!r} and an output of shape {list(shape)}, expected "
            f"none, or an axis of size {n}"
        )
    return axes


def _enclose(found: Drift, graph: Graph, orders: Orders) -> None:
    """The answer, by balls and theorem; why there is none, where there is none."""
    size = sum(c.size for c in graph.constants.values())
    try:
        if size > LARGEST:
            raise NoEnclosure(
                f"the model is too large for exact arithmetic: {size:,} constants, of {LARGEST:,}"
            )
        narrow = _narrow(orders, found.difference)
        balls = both(found.file, found.asked, found.output, found.output_axes, found.bits, narrow)
    except NoEnclosure as e:
        found.reason = str(e)
        return
    found.bits, found.gap, found.overlap = balls.bits, balls.gap(), not balls.apart()
    if found.difference is not None:
        expected = followed(orders.plain, found.asked.sigma, found.output_axes)
        found.distances = (
            distance(expected, balls.expected),
            distance(orders.permuted, balls.permuted),
        )
    _conclude(found, balls, narrow)


def _conclude(found: Drift, balls: Enclosed, narrow: Fraction) -> None:
    high = found.gap.high if found.gap else None
    if not found.overlap:
        if found.proof.covers:
            found.reason = (
                "a theorem says that the true values agree, and their enclosures that they do not: "
                "one of them is at fault"
            )
            return
        found.answer = NOT_ROUNDING
        made = witness(found.file, found.asked, found.output, found.output_axes, balls)
        found.witness, found.no_witness = (None, made) if isinstance(made, str) else (made, "")
    elif found.difference is None or found.distances is None:
        found.reason = "onnxruntime gives an output that is not finite"
    elif any(d.high is None for d in found.distances):
        found.reason = f"the enclosures have no bounds, in {found.bits} bits"
    elif not found.proof.covers and (high is None or not high <= narrow):
        found.reason = (
            f"the enclosures are too wide, in {found.bits} bits: the true values may differ by "
            f"{'any number' if high is None else up(high)}"
        )
    elif not found.difference <= _sum(found):
        found.reason = "the floats are farther apart than their distances allow: a fault in these"
    else:
        found.answer = ROUNDING


def _sum(found: Drift) -> Fraction:
    """What the difference of the floats cannot exceed, if all is well."""
    parts = [*(found.distances or ()), *([] if found.proof.covers else [found.gap])]
    return sum((s.high for s in parts if s is not None and s.high is not None), Fraction(0))


def _narrow(orders: Orders, difference: Fraction | None) -> Fraction:
    """To within what the true values must agree: a small part of the difference that is to be
    explained, or of the rounding unit of the largest output."""
    y = orders.plain
    if y.dtype.kind != "f":
        return Fraction(1, SHARE)
    info = np.finfo(y.dtype)
    size = float(np.max(np.abs(np.where(np.isfinite(y), y, 0)).astype(np.float64)))
    unit = Fraction(float(info.eps)) / 2 * Fraction(max(size, float(info.tiny)))
    return max(difference or Fraction(0), unit) / SHARE
