"""The translation against onnxruntime: the term's value and the model's, at several sizes.

The tolerance is an estimate of rounding, made of the model itself: how far the term in 32 bits is
from the term in 64 bits, at the same input. A comparison whose tolerance is not small beside the
differences between the model's own entries could not fail, and does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from .arrays import Evaluator, number
from .graph import Array
from .reader import Reader
from .values import Realised, Tensor

FACTOR = 64  # sums in another order, and kernels with more steps: times the error of the term's
SHARE = 0.02  # the largest part of the spread of entries that a tolerance may be
PRIMES = (3, 5, 7, 11, 13, 2, 17, 19, 23, 29, 31, 37, 41, 43)
Run = Callable[[Mapping[str, int], int, bool], "Ran"]  # sizes, seed, random weights


@dataclass(frozen=True)
class Ran:
    """One run of the model: the values of named tensors, inputs and constants among them."""

    value: Callable[[str], Array]


@dataclass(frozen=True)
class Comparison:
    """One comparison of the term with the model: the worst error, and what it may be."""

    sizes: Mapping[str, int]
    seed: int
    random_weights: bool
    error: float
    tolerance: float
    spread: float
    problem: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the two agree, in a comparison that could have failed."""
        return not self.problem and self.error <= self.tolerance


def compare(
    reader: Reader,
    realised: Realised,
    tensor: Tensor,
    name: str,
    ran: Ran,
    sizes: Mapping[str, int],
) -> tuple[float, float, float, str]:
    """Error, tolerance and spread of one tensor of the graph; and what was wrong, if anything."""
    evaluator = Evaluator(reader, realised, sizes, ran.value)
    term = realised.of(tensor)
    wanted = np.asarray(ran.value(name))
    exact = evaluator.value(tensor, term, np.float64)
    if exact.shape != wanted.shape:
        return np.inf, 0.0, 0.0, f"shape {exact.shape} of the term, {wanted.shape} of the model"
    rough = evaluator.value(tensor, term, np.float32).astype(np.float64)
    same = wanted.astype(np.float64)
    unusual = ~np.isfinite(same)
    if not np.array_equal(np.where(unusual, same, 0), np.where(unusual, exact, 0), equal_nan=True):
        return np.inf, 0.0, 0.0, "values that are not finite differ"
    if unusual.all():
        return np.inf, 0.0, 0.0, "no value is finite"
    exact, rough, same = (x[~unusual] for x in (exact, rough, same))
    error = float(np.max(np.abs(same - exact)))
    if wanted.dtype.kind in "iub":
        return error, 0.0, float(np.ptp(exact)), ""
    top = float(np.max(np.abs(exact)))
    unit = float(np.finfo(wanted.dtype if wanted.dtype.kind == "f" else np.float32).eps)
    deviation = float(np.max(np.abs(np.where(np.isfinite(rough), rough, exact) - exact)))
    ratio = unit / float(np.finfo(np.float32).eps)
    tolerance = FACTOR * (deviation * max(ratio, 1e-9) + unit * top)
    spread = float(np.ptp(exact)) or top
    if not tolerance <= SHARE * spread:
        return error, tolerance, spread, "the tolerance is too wide beside the spread of entries"
    return error, tolerance, spread, ""


def sample_sizes(reader: Reader, fixed: Mapping[str, int], count: int) -> list[dict[str, int]]:
    """Sizes of the dynamic dimensions: primes, unlike each other and every fixed dimension, at
    which all dimensions of the model are whole numbers; where no primes are, other numbers."""
    names = sorted(
        {str(s) for a in reader.atoms.every for s in sympy.sympify(a.size).free_symbols}
        | {d for t in reader.graph.inputs.values() for d in t.dims if isinstance(d, str)}
    )
    taken = {
        int(a.size) for a in reader.atoms.every if a.size.is_Integer and a.size != 1
    } | set(fixed.values())  # fmt: skip
    found: list[dict[str, int]] = []
    for sizes in _candidates(names, taken, fixed):
        if len(found) == count:
            break
        sizes = _with_equal(reader, sizes)
        if sizes not in found and _fits(reader, sizes):
            found.append(sizes)
    return found


def _candidates(
    names: Sequence[str], taken: set[int], fixed: Mapping[str, int]
) -> Iterator[dict[str, int]]:
    primes = [p for p in PRIMES if p not in taken]
    free = [x for x in names if x not in fixed]
    for shift in range(6):
        yield {**{x: primes[(shift + k) % len(primes)] for k, x in enumerate(free)}, **fixed}
    others = [k for k in range(2, 130) if k not in taken]
    for k in range(len(others)):
        yield {**{x: others[(k + 3 * j) % len(others)] for j, x in enumerate(free)}, **fixed}
    for k in range(2, 130):
        yield {**dict.fromkeys(free, k), **fixed}


def _with_equal(reader: Reader, sizes: dict[str, int]) -> dict[str, int]:
    """The sizes with those that the model wants equal made so."""
    new = dict(sizes)
    for a, b in reader.atoms.equal.items():
        try:
            new[str(a)] = number(reader.atoms, b, new)
        except (ValueError, KeyError):
            continue
    return new


def _fits(reader: Reader, sizes: Mapping[str, int]) -> bool:
    try:
        within = all(
            number(reader.atoms, a, sizes) <= number(reader.atoms, b, sizes)
            for a, b in reader.atoms.limits
        )
        return within and all(number(reader.atoms, a.size, sizes) >= 0 for a in reader.atoms.every)
    except (ValueError, KeyError):
        return False


def random_weights(constants: Mapping[str, Array], seed: int) -> dict[str, Array]:
    """Other values for the floating constants: zeros and ones hide errors of a translation. What
    is nowhere negative stays so (a variance, a mask), and what is huge stays (−∞ of a mask)."""
    rng = np.random.default_rng(seed)
    found: dict[str, Array] = {}
    for name, old in constants.items():
        if old.dtype.kind != "f" or old.size == 0:
            continue
        if old.size == 1 or np.max(np.abs(old)) > 1e6 or not np.all(np.isfinite(old)):
            continue
        if np.min(old) >= 0:
            new: Any = rng.uniform(0.5, 1.5, old.shape)
        else:
            new = rng.normal(size=old.shape) * max(float(np.std(old)), 0.05)
        found[name] = new.astype(old.dtype)
    return found
