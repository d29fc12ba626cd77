"""A term's value against the model's: an estimate of rounding, made of the term itself.

A model computes in 32 bits what the term is in 64. How far apart the two may be is told by how far
the term's own value in 32 bits is from that in 64, at the same input: the model adds in another
order and has other kernels, so FACTOR times that, and as many units of the largest entry. Of a
large model there are no 64 bits: there the term's value in 32 bits is compared, and the estimate is
how far it moves when each entry of the inputs moves by some units in its last place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .arrays import Evaluator
from .graph import Array
from .reader import Reader
from .values import Realised, Tensor

FACTOR = 64  # sums in another order, and kernels with more steps: times the error of the term's
UNITS = 4  # in the last place, by which inputs of a large model are moved
SHARE = 5e-4  # the largest part of the spread of entries that a tolerance may be
COARSE = 0.05  # the same for numbers of 16 bits
BEYOND = 1e36  # numbers that 32 bits hardly hold
HUGE, GAP = 1e5, 1e4  # entries this large, and so much larger than all others, are compared apart

Found = tuple[float, float, float, str, str]


def compared(
    reader: Reader,
    realised: Realised,
    tensor: Tensor,
    name: str,
    ran: Callable[[str], Array],
    sizes: Mapping[str, int],
    *,
    large: bool = False,
) -> Found:
    """Error, tolerance and spread of one tensor of the graph, at the entries where they fit worst;
    what was wrong, if anything; and why the comparison could hardly have failed, if so. `ran` gives
    the value of a tensor of the model by its name."""
    wanted = np.asarray(ran(name))
    try:
        exact, rough = values(reader, realised, tensor, ran, sizes, large)
    except (ValueError, LookupError, MemoryError):  # of sizes, of places outside a table
        return np.inf, 0.0, 0.0, "the formula that was read has no value there", ""
    if exact.shape != wanted.shape:
        return np.inf, 0.0, 0.0, f"shape {exact.shape} of the term, {wanted.shape} of the model", ""
    same = wanted.astype(np.float64)
    usual = np.isfinite(same)
    if not usual.all():
        # what is beyond 32 bits in the model is so in the term's value in 32 bits, and says nothing
        beyond = np.isfinite(exact) & ~(np.abs(rough) < BEYOND)
        apart = ~usual & ~beyond
        if not np.array_equal(exact[apart], same[apart], equal_nan=True):
            return np.inf, 0.0, 0.0, "values that are not finite differ", ""
        exact, rough, same = (x[usual] for x in (exact, rough, same))
    if not exact.size:
        return 0.0, 0.0, 0.0, "", "no value is finite"
    if not np.all(np.isfinite(exact)):
        return np.inf, 0.0, 0.0, "values of the term that are not finite", ""
    rough = np.where(np.isfinite(rough), rough, exact)
    if wanted.dtype.kind in "iub":
        return float(np.max(np.abs(same - exact))), 0.0, float(np.ptp(exact)), "", ""
    unit = float(np.finfo(wanted.dtype if wanted.dtype.kind == "f" else np.float32).eps)
    share = SHARE if unit < 1e-5 else COARSE
    each = [_one(exact[s], rough[s], same[s], unit, share) for s in magnitudes(exact)]
    return max(each, key=lambda found: (found[0] > found[1], found[4] != "", found[0]))


def _one(exact: Array, rough: Array, same: Array, unit: float, share: float) -> Found:
    """Entries of like magnitude."""
    error, top = float(np.max(np.abs(same - exact))), float(np.max(np.abs(exact)))
    spread = float(np.ptp(exact))
    ratio = max(unit / float(np.finfo(np.float32).eps), 1e-9)
    tolerance = FACTOR * (float(np.max(np.abs(rough - exact))) * ratio + unit * top)
    wide = (
        "" if tolerance <= share * (spread or top) else "the tolerance is wide beside the entries"
    )
    return error, tolerance, spread, "", "all entries are 0" if top == 0 else wide


def values(
    reader: Reader,
    realised: Realised,
    tensor: Tensor,
    ran: Callable[[str], Array],
    sizes: Mapping[str, int],
    large: bool,
) -> tuple[Array, Array]:
    """The term's value, and another by which its rounding is judged; both as 64 bits."""
    evaluator, term = Evaluator(reader, realised, sizes, ran), realised.of(tensor)
    if not large:
        exact = evaluator.value(tensor, term, np.float64)
        return exact, evaluator.value(tensor, term, np.float32).astype(np.float64)
    moved = Evaluator(reader, realised, sizes, lambda n: _moved(reader, n, ran(n)))
    one, other = (e.value(tensor, term, np.float32).astype(np.float64) for e in (evaluator, moved))
    return one, other


def _moved(reader: Reader, name: str, value: Array) -> Array:
    """An input of floats with each entry some units in the last place away; others as they are.
    Where no input has floats (a model of token ids), tables are: those of few rows at random."""
    floats = [n for n, t in reader.graph.inputs.items() if t.dtype.kind == "f"]
    if value.dtype.kind != "f" or name not in (floats or vectors(reader)):
        return value
    signs = np.random.default_rng(5).integers(0, 2, value.shape) * 2 - 1
    return np.asarray(value * (1 + signs * UNITS * np.finfo(value.dtype).eps)).astype(value.dtype)


def vectors(reader: Reader) -> list[str]:
    """The weights that are vectors (shifts, gains): few numbers, at every depth."""
    return [n for n, x in reader.graph.constants.items() if x.ndim == 1 and x.dtype.kind == "f"]


def magnitudes(values: Array) -> list[Any]:
    """Entries as where they are: those that are huge (of a mask) apart from the others."""
    size = np.abs(values)
    if not np.max(size) > HUGE:
        return [...]
    ordered = np.unique(size[size > 0])
    steps = np.flatnonzero((ordered[1:] > HUGE) & (ordered[1:] > GAP * ordered[:-1]))
    if not steps.size:
        return [...]
    split = ordered[steps[-1] + 1]
    return [size >= split, size < split]
