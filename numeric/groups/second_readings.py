"""What a bias may mean beyond its numbers: fills that stand for −∞, and rounding noise.

Masks are often filled with −1e9 or the least float instead of −∞, and biases that were computed in
floats hold equal numbers as slightly different ones. The group of the numbers as they are given is
exact, and says nothing of what was meant; so each such reading has a layer of its own.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .exact_matrix import Exact, MatrixError, grouped, masked
from .symmetry import Layer, joined, of_heads

FILL = 10**4  # a fill is at most −FILL (BERT's is −10,000)
LARGER = 100  # and so many times as large as every other entry
NOISE = (Fraction(1, 10**12), Fraction(1, 10**6))  # of double and single precision, to the largest
CLEAR = 100  # no two entries may be between this many tolerances and one apart


@dataclass(frozen=True)
class Reading:
    """A layer, and how it was read, as "with -1e9 as −∞"."""

    said: str
    layer: Layer


def readings(
    heads: Sequence[Exact], allowed: Sequence[NDArray[np.bool_]], layer: Layer
) -> list[Reading]:
    """The readings of a layer of biases and masks that differ from the numbers given."""
    found, said = [], ""
    hidden = [_hidden(head) for head in heads]
    fills = [v for _, values in hidden for v in values]
    filled = _layer([head for head, _ in hidden], allowed) if fills else None
    if filled is not None:
        layer = filled
        low, high = min(fills), max(fills)
        said = f"{_short(low)} as −∞" if low == high else f"entries <= {_short(high)} as −∞"
        found.append(Reading(f"with {said}", layer))
    tolerances = [_noise(head) for head in layer.heads]
    known = sorted({t for t in tolerances if t})
    if known:
        each = zip(layer.heads, tolerances, strict=True)
        layer = joined([grouped(head, t)[0] for head, t in each], layer.table, layer.kind)
        near = " to ".join(_short(t) for t in dict.fromkeys((known[0], known[-1])))
        near = f"entries at most {near} apart as equal"
        found.append(Reading(f"with {said} and {near}" if said else f"with {near}", layer))
    return found


def _layer(heads: Sequence[Exact], allowed: Sequence[NDArray[np.bool_]]) -> Layer | None:
    """The layer; none where a mask leaves a row nothing but fills, which then are no −∞."""
    try:
        return of_heads(heads, allowed)
    except MatrixError:
        return None


def _hidden(head: Exact) -> tuple[Exact, list[Fraction]]:
    """The head with its fills as −∞, and the fills. A row of nothing else stays as it is given."""
    values = [v for v in head.values if v is not None]
    infinite = len(head.values) - len(values)
    largest = abs(values[-1]) if values else 0
    for k in range(min(bisect_right(values, -FILL * head.scale), len(values) - 1), 0, -1):
        if values[k - 1] <= -LARGER * max(largest, abs(values[k])):
            seen = head.ids >= infinite + k
            seen |= ~seen.any(axis=1, keepdims=True) & (head.ids >= infinite)
            return masked(head, seen), [Fraction(v, head.scale) for v in values[:k]]
    return head, []


def _noise(head: Exact) -> Fraction:
    """A tolerance under which entries of B̃ are made one, where the others are far apart; else 0."""
    finite = [v for v in head.values if v is not None]
    largest = Fraction(-finite[0], head.scale)  # 0 is the largest value of B̃
    size = Fraction(1)
    while size < largest:
        size *= 10
    while largest and size >= 10 * largest:
        size /= 10
    gaps = [b - a for a, b in pairwise(finite)]
    for part in NOISE:
        most = math.floor(part * size * head.scale)
        if any(g <= most for g in gaps) and all(g <= most or g > CLEAR * most for g in gaps):
            return part * size
    return Fraction(0)


def _short(value: Fraction) -> str:
    """A number in a few digits: -1e9."""
    try:
        text = f"{float(value):.6g}"
    except OverflowError:
        return "-10^" + str(len(str(abs(value.numerator) // value.denominator)) - 1)
    return text.replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
