"""How far the floats of a runtime are from the true values, entry by entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from .balls import Array, balls
from .enclosure import ends
from .errors import BadModel


@dataclass(frozen=True)
class Distance:
    """An enclosure of |float − true value| at an entry; `high` None where the ball is unbounded."""

    entry: tuple[int, ...]
    low: Fraction
    high: Fraction | None


def distances(floats: Array, true: Array) -> list[Distance]:
    """The distance at each entry, in the order of rows. NaN and infinities have none: BadModel."""
    if floats.shape != true.shape:
        raise BadModel(f"given outputs of shapes {list(floats.shape)} and {list(true.shape)}")
    if not np.isfinite(floats.astype(np.float64)).all():
        raise BadModel("given floats that are not finite, expected numbers")
    found = []
    pairs = zip(floats.ravel().tolist(), balls(true).ravel().tolist(), strict=True)
    for entry, (given, ball) in zip(np.ndindex(*floats.shape), pairs, strict=True):
        x, bounds = Fraction(given), ends(ball)
        if bounds is None:
            found.append(Distance(entry, Fraction(0), None))
            continue
        below, above = bounds[0] - x, bounds[1] - x
        low = max(below, -above, Fraction(0))
        found.append(Distance(entry, low, max(abs(below), abs(above))))
    return found


def largest(found: Sequence[Distance]) -> Distance | None:
    """The entry whose distance may be the largest; None where there is no entry."""

    def key(d: Distance) -> tuple[bool, Fraction]:
        return d.high is None, d.low if d.high is None else d.high

    return max(found, key=key, default=None)
