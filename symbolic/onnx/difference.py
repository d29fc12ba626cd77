"""Whether two outputs of a model differ by more than rounding, as float32 and float64 have them.

The thresholds, and what was measured, are in roundings.py. A model that magnifies rounding does so
in each draw, so a difference counts only beyond how far the two precisions are apart in any.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from orderproof.symbolic.witness.model_file import Difference

from .graph import Array, Call, Graph, used_by
from .roundings import EPS32, EPS64, LEAST32, LEAST64, MAGNIFIED, NUDGE, NUDGES, TIMES
from .run import RunError, Runner

CHOOSING = {"TopK": -1, "ArgMax": 0, "ArgMin": 0, "Hardmax": -1}  # with the usual axis
COMPARING = {"Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal"}
SHAPES = {"Shape", "Size"}  # whose results do not depend on what is in a tensor


def distance(a: Array, b: Array) -> Array:
    """How far numbers are apart; not a number where one is none, or both are the same infinity."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(np.abs(a - b))


@dataclass(frozen=True)
class Both:
    """An output in float32 and in float64."""

    y32: Array
    y64: Array

    @classmethod
    def of(cls, y32: Array, y64: Array) -> Both:
        """Numbers of any type, as float64; RunError where both have not one shape."""
        if y32.shape != y64.shape:
            raise RunError("the output has another shape in float64")
        return cls(*(np.asarray(y).astype(np.float64) for y in (y32, y64)))

    @property
    def finite(self) -> Array:
        """The entries that are finite numbers in both."""
        return np.isfinite(self.y32) & np.isfinite(self.y64)

    @property
    def scale(self) -> float:
        """The largest finite entry; 0 where there is none."""
        return float(np.max(np.abs(self.y64), where=self.finite, initial=0))

    def taken(self, sigma: Sequence[int], axes: Iterable[int]) -> Both:
        """P y: with σ acting on these axes."""
        y32, y64 = self.y32, self.y64
        for axis in axes:
            y32, y64 = (np.take(y, list(sigma), axis) for y in (y32, y64))
        return Both(y32, y64)


def magnified(every: Iterable[Both]) -> float:
    """How far the two precisions are apart in any of these outputs, and more where that is much."""
    found = [0.0]
    for y in every:
        apart = float(np.max(distance(y.y32, y.y64), where=y.finite, initial=0))
        found.append(apart * (TIMES if apart > MAGNIFIED * y.scale else 1))
    return max(found)


def difference(
    moved: Both, expected: Both, wide: bool, least: float, entry: tuple[int, ...] | None = None,
    compared: Array | None = None,
) -> Difference | None:  # fmt: skip
    """How far the two sides are apart at an entry, by default where they are furthest in both
    precisions among those `compared` (truth values; all of them); None where none is a finite
    number in all four. `wide` says whether all kernels had
    64 bits, `least` what rounding may make of other draws."""
    fits = moved.finite & expected.finite & (True if compared is None else compared)
    if not (fits.any() if entry is None else fits[entry]):
        return None
    d32, d64 = distance(moved.y32, expected.y32), distance(moved.y64, expected.y64)
    apart = np.where(fits, np.minimum(d32, d64), -1.0)
    entry = entry or tuple(int(k) for k in np.unravel_index(np.argmax(apart), apart.shape))
    scale = max(moved.scale, expected.scale)
    rounding = max((LEAST64 * EPS64 if wide else LEAST32 * EPS32) * scale, least)
    return Difference(float(d32[entry]), float(d64[entry]), scale, rounding, entry)


def choices(graph: Graph, calls: Sequence[Call]) -> list[Call]:
    """Those of the calls that choose or compare what depends on the values of inputs."""
    depends = {*graph.inputs}
    found = []
    for call in calls:
        if call.op not in SHAPES and depends & set(used_by(call)):
            depends |= {name for name in call.outputs if name}
            found += [call] if call.op in {*CHOOSING, *COMPARING} else []
    return found


def at_tie(runner: Runner, calls: Sequence[Call], inputs: Mapping[str, Array]) -> bool:
    """Whether one of the calls chooses or compares values that rounding could exchange."""
    names = sorted({name for c in calls for name in c.inputs[:2] if name})
    values = runner.run(inputs, names) if names else {}
    return any(_near(c, [values[name] for name in c.inputs[:2]]) for c in calls)


def _near(call: Call, values: Sequence[Array]) -> bool:
    x, kind = values[0], values[0].dtype.kind
    if call.op in COMPARING:  # whole numbers are equal, or not
        return kind == "f" and _any_near(x, values[1])
    if kind not in "fiu":
        return False
    axis = int(call.attributes.get("axis", CHOOSING[call.op]))
    rows = np.moveaxis(np.sort(x.astype(np.float64), axis), axis, 0)
    return _any_near(rows[1:], rows[:-1])


def _any_near(x: Array, y: Array) -> bool:
    """Whether some entries of two arrays are equal, or nearly."""
    x, y = x.astype(np.float64), y.astype(np.float64)
    near = distance(x, y) <= LEAST32 * EPS32 * np.maximum(np.abs(x), np.abs(y))
    return bool(np.any(near | (x == y)))


def nudged(inputs: Mapping[str, Array]) -> Iterator[dict[str, Array]]:
    """The inputs with floats changed a little, several times."""
    for k in range(NUDGES):
        random = np.random.default_rng(k)
        yield {name: _nudged(x, random) for name, x in inputs.items()}


def _nudged(x: Array, random: np.random.Generator) -> Array:
    if x.dtype.kind != "f" or not x.size:
        return x
    step = NUDGE * float(np.max(np.abs(x.astype(np.float64)), initial=0) or 1)
    return np.asarray(x + step * random.standard_normal(x.shape)).astype(x.dtype)
