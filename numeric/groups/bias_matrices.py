"""The position schemes as exact matrices: what each adds to the score of query i and key j.

Each is read from its definition in symbolic/schemes/definitions.py, at numbers, so that `symmetry`
speaks of the schemes of `table` and `search`. A slope of 1/10 stored in floats is not 1/10: entries
are exact. *Generic* (learned) values are
2pk + (k² mod p) for a prime p: all their differences are distinct (Erdős and Turán 1941), so that
no two come to agree when row maxima are subtracted.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np

from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES, QUERY, PositionScheme, Spot
from orderproof.symbolic.schemes.symmetries import entry
from orderproof.symbolic.witness.scheme_file import LEAST

from .exact_matrix import LARGEST, Exact, MatrixError, of_numbers

SLOPE = Fraction(1, 2)  # the unit of a scheme that fixes its entries up to a slope
OPTIONS = {"w": "window", "p": "prefix", "k": "clip", "s": "blocks", "c": "rows"}
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


def takes(scheme: PositionScheme) -> list[str]:
    """The options that a scheme takes."""
    return [OPTIONS[p] for p in scheme.parameters]


def position(name: str, n: int, **options: Any) -> Position:
    """The named scheme at n tokens, with these values of its OPTIONS. Raises MatrixError for an
    unknown name, an n outside its range, or an option that it does not take."""
    if name not in POSITION_SCHEMES:
        near = difflib.get_close_matches(name, POSITION_SCHEMES, n=3, cutoff=0.4)
        nearest = ", ".join(near or sorted(POSITION_SCHEMES))
        raise MatrixError(f"unknown scheme {name!r}, nearest: {nearest}")
    scheme = POSITION_SCHEMES[name]
    for option in options:
        if option not in takes(scheme):
            raise MatrixError(f"{name}: --{option} is not a parameter of this scheme")
    least = 1 + scheme.extra
    if not least <= n <= LARGEST:
        raise MatrixError(f"{name}: given n = {n}, expected {least} <= n <= {LARGEST}")
    unit = ""
    if scheme.pair and scheme.tensor != "R":
        unit = f"slope {SLOPE}" if scheme.value else "generic values"
    if scheme.unit == "s":
        spots, regime = _in_blocks(scheme, n, options.get("blocks"))
    else:
        scheme = _with_parameters(scheme, n, options)
        spots = [scheme.spot(i, n) for i in range(n)]
        regime = ", ".join(f"{p} = {v}" for p, v in scheme.parameters.items())
        if scheme.grid:
            regime = f"{n // scheme.parameters['c']} × {scheme.parameters['c']}"
    return Position(scheme, spots, options, ", ".join(filter(None, (unit, regime))))


def _with_parameters(scheme: PositionScheme, n: int, options: Mapping[str, int]) -> PositionScheme:
    """The scheme with the parameters that are given, columns in place of rows."""
    found = dict(scheme.parameters)
    if "rows" in options:
        rows = options["rows"]
        if rows < 1 or n % rows:
            raise MatrixError(f"--rows: given {rows}, expected a divisor of n = {n}")
        found["c"] = n // rows
    for p in found.keys() - {"c"}:
        found[p] = options.get(OPTIONS[p], found[p])
        if found[p] < LEAST[p]:
            raise MatrixError(f"--{OPTIONS[p]}: given {found[p]}, expected at least {LEAST[p]}")
    scheme = replace(scheme, parameters=found)
    if not scheme.fits(n):
        wanted = f"a multiple of {found['c']} columns, or --rows"
        raise MatrixError(f"{scheme.name}: given n = {n}, expected {wanted}")
    return scheme


def _in_blocks(
    scheme: PositionScheme, n: int, given: Sequence[int] | None
) -> tuple[list[Spot], str]:
    """Places in blocks of these sizes, by default of equal ones; the query after them stands after
    the longest."""
    size, total = scheme.parameters["s"], n - scheme.extra
    sizes = given or [size] * (total // size)
    if sum(sizes) != total or min(sizes) < 1:
        if not given:
            raise MatrixError(f"n = {n} does not part into blocks of {size}: give --blocks")
        text = ",".join(map(str, given))
        raise MatrixError(f"--blocks: given {text}, expected sizes that sum to {total}")
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
