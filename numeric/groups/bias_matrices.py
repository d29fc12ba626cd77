"""The position schemes as exact matrices: what each adds to the score of query i and key j.

Each is read from its definition in symbolic/schemes/definitions.py, at numbers, so that `symmetry`
speaks of the schemes of `table` and `search`. A slope of 1/10 stored in floats is not 1/10: entries
are exact. *Generic* (learned) values are
2pk + (k² mod p) for a prime p: all their differences are distinct (Erdős and Turán 1941), so that
no two come to agree when row maxima are subtracted.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from orderproof.symbolic.schemes.definitions import (
    POSITION_SCHEMES,
    QUERY,
    Frame,
    PositionScheme,
    Spot,
)
from orderproof.symbolic.witness.scheme_file import LEAST

from .exact_matrix import LARGEST, Exact, MatrixError, masked, of_integers

Integers = NDArray[np.int64]
SLOPE = Fraction(1, 2)  # the unit of a scheme that fixes its entries up to a slope
OPTIONS = {"w": "window", "p": "prefix", "k": "clip", "s": "blocks", "c": "rows"}
SHOWN = 40  # blocks that are named one by one
SCHEMES = POSITION_SCHEMES


@dataclass(frozen=True)
class Options:
    """The parameters that schemes have; None is the scheme's own choice."""

    window: int | None = None
    prefix: int | None = None
    clip: int | None = None
    blocks: tuple[int, ...] | None = None
    rows: int | None = None


@dataclass(frozen=True)
class Position:
    """A scheme at n tokens: what it adds to scores, by kind, and the number of each added row.

    `kind` is "B" for a bias or mask, "A" for relative keys (entries stand for generic vectors), "R"
    for rotations (entries are the offsets themselves); `rows` is empty where no row is added.
    """

    scheme: PositionScheme
    n: int
    regime: str
    kind: str
    head: Exact | None
    rows: tuple[int, ...]


def takes(scheme: PositionScheme) -> list[str]:
    """The options that a scheme takes."""
    return [OPTIONS[p] for p in scheme.parameters]


def position(name: str, n: int, options: Options = Options()) -> Position:
    """The named scheme at n tokens. Raises MatrixError for an unknown name, an n outside its range,
    or an option that it does not take."""
    scheme = found_scheme(name, options)
    least = 1 + scheme.extra
    if not least <= n <= LARGEST:
        raise MatrixError(f"{name}: given n = {n}, expected {least} <= n <= {LARGEST}")
    scheme, spots, regime = places(scheme, n, options)
    frame = scheme.frame(n)
    rows: tuple[int, ...] = ()
    if scheme.own:
        keys = [scheme.own(s, frame) for s in spots]
        rank = {k: at for at, k in enumerate(sorted(set(keys)))}
        rows = tuple(rank[k] for k in keys)
    head, unit = _head(scheme, spots, frame)
    return Position(
        scheme, n, ", ".join(filter(None, (unit, regime))), scheme.tensor or "B", head, rows
    )


def found_scheme(name: str, options: Options) -> PositionScheme:
    """The scheme of this name. Raises MatrixError for an unknown name, or an option that it does
    not take."""
    if name not in SCHEMES:
        near = difflib.get_close_matches(name, SCHEMES, n=3, cutoff=0.4) or sorted(SCHEMES)
        raise MatrixError(f"unknown scheme {name!r}, nearest: {', '.join(near)}")
    scheme = SCHEMES[name]
    for option, value in vars(options).items():
        if value is not None and option not in takes(scheme):
            raise MatrixError(f"{name}: --{option} is not a parameter of this scheme")
    return scheme


def places(
    scheme: PositionScheme, n: int, options: Options
) -> tuple[PositionScheme, list[Spot], str]:
    """The scheme with its parameters, its places and its regime."""
    found = dict(scheme.parameters)
    if "s" in found:
        sizes = options.blocks or _equal_blocks(n, n - scheme.extra, found["s"])
        shown = ",".join(map(str, sizes[:SHOWN])) + (",…" if len(sizes) > SHOWN else "")
        return scheme, _in_blocks(n, sizes, scheme.extra), f"blocks {shown}"
    for p in found:
        given = getattr(options, OPTIONS[p])
        if given is not None and p == "c":
            if given < 1 or n % given:
                raise MatrixError(f"--rows: given {given}, expected a divisor of n = {n}")
            found[p] = n // given
        elif given is not None:
            if given < LEAST[p]:
                raise MatrixError(f"--{OPTIONS[p]}: given {given}, expected at least {LEAST[p]}")
            found[p] = given
    scheme = replace(scheme, parameters=found)
    if not scheme.fits(n):
        raise MatrixError(
            f"{scheme.name}: given n = {n}, expected a multiple of {found['c']} columns, or --rows"
        )
    regime = ", ".join(f"{p} = {v}" for p, v in found.items())
    if scheme.grid:
        regime = f"{n // found['c']} × {found['c']}"
    return scheme, [scheme.spot(i, n) for i in range(n)], regime


def _equal_blocks(n: int, total: int, size: int) -> tuple[int, ...]:
    if total % size:
        raise MatrixError(f"n = {n} does not part into blocks of {size}: give --blocks")
    return (size,) * (total // size)


def _in_blocks(n: int, sizes: Sequence[int], extra: int) -> list[Spot]:
    """Places in blocks of these sizes; the query after them stands after the longest."""
    if sum(sizes) != n - extra or min(sizes) < 1:
        given = ",".join(map(str, sizes))
        raise MatrixError(f"--blocks: given {given}, expected sizes that sum to {n - extra}")
    starts = accumulate(sizes, initial=0)
    spots = [
        Spot(start + rank, block, rank)
        for block, (start, length) in enumerate(zip(starts, sizes, strict=False))
        for rank in range(length)
    ]
    return [*spots, Spot(n - 1, QUERY, max(sizes))] if extra else spots


def _head(scheme: PositionScheme, spots: Sequence[Spot], frame: Frame) -> tuple[Exact | None, str]:
    """What the scheme adds to scores, −∞ where its mask lets nothing through; and its unit."""
    n, unit = len(spots), ""
    if scheme.pair is None and scheme.seen is None and scheme.own is not None:
        return None, unit
    entries = np.zeros((n, n), dtype=np.int64)
    step = Fraction(1)
    if scheme.pair:
        pair, label = scheme.pair, scheme.label
        keys = [[label(pair(i, j, frame), frame) for j in spots] for i in spots]
        if scheme.tensor == "R":
            entries = np.array(keys, dtype=np.int64).reshape(n, n)
        elif scheme.value:
            value = scheme.value
            entries = np.array([[value(k) for k in row] for row in keys], dtype=np.int64)
            step, unit = SLOPE, f"slope {SLOPE}"
        else:
            order = {k: at for at, k in enumerate(sorted({k for row in keys for k in row}))}
            entries = generic(np.array([[order[k] for k in row] for row in keys], dtype=np.int64))
            step, unit = Fraction(1, max(1, int(entries.max()))), "generic values"
    head = of_integers(entries, unit=step)
    if scheme.seen:
        seen = scheme.seen
        head = masked(head, np.array([[bool(seen(i, j, frame)) for j in spots] for i in spots]))
    return head, unit


def generic(index: Integers) -> Integers:
    """Distinct integers with distinct differences, one for each index k >= 0."""
    p = int(index.max()) + 2
    while any(p % q == 0 for q in range(2, isqrt(p) + 1)):
        p += 1
    return np.asarray(2 * p * index + index * index % p)
