"""Whether an expression is the constant of the file: both are compared entry by entry at sizes.

The file's own nodes are run, by onnxruntime or else by the reference of the onnx package. Integers
and truth values have to be equal; reals to within a bound that is an estimate of what float
rounding adds up to, not a proof of one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..graph import Array, Graph, Unsupported
from .evaluate import LARGEST, TooLarge, evaluate, grid
from .node import Condition
from .reader import Entry, bounded, read
from .run import runner

LEAST_SIZES = 4  # at which every expression is compared
SMALL = range(1, 9)  # sizes that are tried where a constant exists at no others
ROUNDINGS = 1024  # of the largest entry, that reals may differ by


class Misread(Exception):
    """An expression that is not the constant of the file: where, and both values."""


@dataclass(frozen=True, eq=False)
class Compared:
    """An entry that was the file's own constant at these sizes."""

    entry: Entry
    sizes: tuple[Mapping[str, int], ...]


def numeric_check(
    entry: Entry, graph: Graph, sizes: Sequence[Mapping[str, int]], by: str = "onnxruntime"
) -> Compared:
    """The entry, compared at these sizes, each of all the graph's named dimensions or of those that
    the entry has; where it does not exist at some, at small ones in their place. Misread where it
    differs; Unsupported where the file's nodes cannot be run."""
    different = {tuple(sorted(s.items())) for s in sizes}
    if entry.sizes and len(different) < LEAST_SIZES:
        raise ValueError(f"given {len(different)} sizes, expected {LEAST_SIZES} or more")
    run, tensors = None, read(graph, entry.name, {}, [])
    done: list[dict[str, int]] = []
    for own in itertools.chain(sizes, smaller(sizes)):
        whole = {**entry.fixed, **own}
        if missing := sorted(set(entry.sizes) - whole.keys()):
            raise ValueError(f"given no size {missing[0]!r}, expected each of {entry.sizes}")
        if len(done) >= len(different) or dict(own) in done:
            continue
        if not exists(entry.conditions, whole):
            continue
        bounded(graph, tensors, whole)
        run = run or runner(graph, entry.name, by)
        actual = run(whole)
        try:
            compare(entry, whole, actual)
        except Misread:
            if actual.dtype == np.float64:
                raise
            compare(entry, whole, actual, single)
        done.append(dict(own))
    if not done:
        raise Unsupported(entry.name, "given no size at which it exists, expected one")
    return Compared(entry, tuple(done))


def smaller(sizes: Sequence[Mapping[str, int]]) -> Iterator[dict[str, int]]:
    """Small sizes, each with all names: the first alone counts up, the others are at first 2."""
    names = sorted({name for own in sizes for name in own})
    for k in SMALL:
        for other in (2, k, 1):
            for name in names:
                yield {**dict.fromkeys(names, other), name: k}


def exists(conditions: Iterable[Condition], sizes: Mapping[str, int]) -> bool:
    """Whether all that must hold does, at these sizes and all indices."""
    for c in conditions:
        names = [name for name, _ in c.indices]
        dims = [int(evaluate(bound, sizes, {})) for _, bound in c.indices]
        if not np.all(np.asarray(evaluate(c.holds, sizes, grid(names, dims)), dtype=bool)):
            return False
    return True


def single(x: float) -> float:
    """A float as one of 32 bits: what the file reckons with where an unknown function's value lies
    so near a whole number that it matters."""
    with np.errstate(over="ignore"):
        return float(np.float32(x))


def values(
    entry: Entry, sizes: Mapping[str, int], narrow: Callable[[float], float] = float
) -> Array:
    """The whole constant at these sizes, as Python's numbers; what unknown functions give is made
    narrow. TooLarge where it is."""
    dims = [int(evaluate(d, sizes, {})) for d in entry.dims]
    if math.prod(dims) > LARGEST:
        raise TooLarge(f"given {math.prod(dims)} entries, expected at most {LARGEST}")
    found = evaluate(entry.value, sizes, grid([*entry.indices], dims), narrow)
    whole = np.empty(dims, dtype=object)
    whole[...] = found
    return whole


def compare(
    entry: Entry,
    sizes: Mapping[str, int],
    actual: Array,
    narrow: Callable[[float], float] = float,
) -> None:
    """Misread unless the expression gives this array at these sizes."""
    said = ", ".join(f"{k} = {v}" for k, v in sizes.items())
    mine = values(entry, sizes, narrow)
    if mine.shape != actual.shape:
        raise Misread(f"{entry.name} at {said}: read of shape {mine.shape}, is {actual.shape}")
    if not mine.size:
        return
    if actual.dtype.kind == "f":
        good = _close(mine.astype(np.float64), actual)
    else:
        good = mine.astype(object) == actual.astype(object)
    if not np.all(good):
        where = tuple(int(k) for k in np.argwhere(~np.asarray(good, dtype=bool))[0])
        raise Misread(
            f"{entry.name} at {said}: entry {where} is read as {mine[where]}, is {actual[where]}"
        )


def _close(mine: Array, actual: Array) -> Array:
    exact = actual.astype(np.float64)
    finite = np.isfinite(exact)
    largest = max(1.0, float(np.max(np.abs(exact[finite]), initial=0.0)))
    least = float(np.finfo(actual.dtype).eps) * ROUNDINGS * largest
    same = (mine == exact) | (np.isnan(mine) & np.isnan(exact))
    with np.errstate(invalid="ignore"):
        return np.asarray(same | (finite & (np.abs(mine - exact) <= least)))
