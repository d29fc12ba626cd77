"""The position schemes as exact matrices: what each adds to the score of query i and key j.

Each is read from its definition in symbolic/schemes/definitions.py, at numbers, so that `symmetry`
speaks of the schemes of `table` and `search`. A slope of 1/10 stored in floats is not 1/10: entries
are exact. *Generic* (learned) values are
2pk + (k² mod p) for a prime p: all their differences are distinct (Erdős and Turán 1941), so that
no two come to agree when row maxima are subtracted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np

from orderproof.symbolic.schemes.definitions import (
    QUERY,
    PositionScheme,
    Spot,
    parameters,
    position_scheme,
)
from orderproof.symbolic.schemes.symmetries import entry

from .exact_matrix import LARGEST, Exact, MatrixError, of_numbers

SLOPE = Fraction(1, 2)  # the unit of a scheme that fixes its entries up to a slope
Table = tuple[tuple[Fraction, ...], ...]
SHOWN = 40  # blocks that are named one by one


@dataclass(frozen=True)
class Position:
    """A scheme with its parameters at the places of n tokens; the options that chose them, and what
    the choice is called."""

    scheme: PositionScheme
    spots: Sequence[Spot]
    options: Mapping[str, Any]
    regime: str

    @property
    def table(self) -> Table:
        """The row that is added at each place, as numbers; none where no row is added."""
        own, frame = self.scheme.own, self.scheme.frame(len(self.spots))
        return tuple(tuple(map(Fraction, own(s, frame))) for s in self.spots) if own else ()

    @property
    def head(self) -> Exact | None:
        """What the scheme adds to scores, −∞ where its mask lets nothing through: a bias, numbers
        of relative keys (generic), or offsets of rotations. None where it adds rows alone."""
        scheme, n = self.scheme, len(self.spots)
        if scheme.own and not scheme.pair and not scheme.seen:
            return None
        frame = scheme.frame(n)
        cells = [entry(scheme, i, j, frame)[::2] for i in self.spots for j in self.spots]
        labels = sorted({label for label, _ in cells if label is not None})
        if scheme.tensor == "R":
            numbers = [Fraction(offset) for (offset,) in labels]
        elif scheme.value:
            numbers = [scheme.value(label) * SLOPE for label in labels]
        else:
            numbers = generic(len(labels))
        number = {None: Fraction(0), **dict(zip(labels, numbers, strict=True))}
        rank = {cell: k for k, cell in enumerate(dict.fromkeys(cells))}
        ids = np.array([rank[cell] for cell in cells]).reshape(n, n)
        entries = [number[label] if seen else None for label, seen in rank]
        return of_numbers(ids, [*entries, None] if scheme.seen else entries)


def position(name: str, n: int, **options: Any) -> Position:
    """The named scheme at n tokens, with these values of its OPTIONS; blocks may be of one size, or
    of these sizes. Raises SchemeError for an unknown name or an option that it does not take, and
    MatrixError for an n outside its range."""
    given = parameters(options)
    sizes = given.get("s")
    if isinstance(sizes, Sequence):
        given["s"] = max(sizes, default=0)
    scheme = position_scheme(name, given, LARGEST)
    least = 1 + scheme.extra
    if not least <= n <= LARGEST:
        raise MatrixError(f"{name}: given n = {n}, expected {least} <= n <= {LARGEST}")
    size = scheme.parameters[scheme.unit] if scheme.unit else 1
    if not isinstance(sizes, Sequence):
        if not scheme.fits(n):
            raise MatrixError(f"{name}: given n = {n}, expected {scheme.sizes}")
        sizes = [size] * (n // size)
    unit = ""
    if scheme.pair and scheme.tensor != "R":
        unit = f"slope {SLOPE}" if scheme.value else "generic values"
    if scheme.unit == "s":
        spots, regime = _in_blocks(scheme, n, sizes)
    else:
        spots = [scheme.spot(i, n) for i in range(n)]
        regime = ", ".join(f"{p} = {v}" for p, v in scheme.parameters.items())
        if scheme.grid:
            regime = f"{n // size} × {size}"
    return Position(scheme, spots, options, ", ".join(filter(None, (unit, regime))))


def _in_blocks(scheme: PositionScheme, n: int, sizes: Sequence[int]) -> tuple[list[Spot], str]:
    """Places in blocks of these sizes; the query after them stands after the longest."""
    if sum(sizes) != n - scheme.extra or min(sizes) < 1:
        text = ",".join(map(str, sizes))
        raise MatrixError(f"blocks: given {text}, expected sizes that sum to {n - scheme.extra}")
    spots: list[Spot] = []
    for block, length in enumerate(sizes):
        spots += [Spot(len(spots) + rank, block, rank) for rank in range(length)]
    if scheme.extra:
        spots.append(Spot(n - 1, QUERY, max(sizes)))
    return spots, f"blocks {','.join(map(str, sizes[:SHOWN]))}" + ",…" * (len(sizes) > SHOWN)


def generic(count: int) -> list[Fraction]:
    """So many numbers from 0 to 1, all their differences distinct."""
    p = count + 1
    while any(p % q == 0 for q in range(2, isqrt(p) + 1)):
        p += 1
    values = [2 * p * k + k * k % p for k in range(count)]
    return [Fraction(v, values[-1] or 1) for v in values]
