"""Both sides of a theorem in the model's own numbers: how far f(PX) is from P f(X), or from f(X).

The theorem is about real numbers, and what remains in floats is rounding. It is measured once, at
few tokens: the file as it is, its weights and its types, in onnxruntime. The measurement is no part
of the proof, and no answer depends on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .arrays import number
from .check import inputs_at
from .constant_symmetry import Proved
from .draws import permuted
from .graph import Array
from .run import RunError, Runner
from .samples import ids, sample_sizes

LONGEST = 1 << 20  # tokens that are permuted
TOKENS = (5, 4, 6, 3, 2)  # numbers of tokens that are tried, before any other that the model takes
SEEDS = (0, 1, 2, 1000, 2000)  # of inputs: normal ones, then some without negative numbers
# In a type of floats: what rounding alone can make of an ordinary entry. Of whole numbers it is 0.
BOUNDS = {"float64": 1e-12, "float32": 1e-4, "float16": 2e-2}


@dataclass(frozen=True)
class Rounding:
    """The largest difference of the two sides at n tokens, as `apart` measures it."""

    dtype: str  # of the output
    n: int
    difference: float  # as a share of the largest entry; NaN where what is not finite differs
    entry: float  # as a share of the entry itself, or of an ordinary one if that is larger

    @property
    def small(self) -> bool:
        """Whether each entry is off by as little as rounding makes of it by itself."""
        return self.entry <= BOUNDS.get(self.dtype, 0)

    def to_json(self) -> dict[str, Any]:
        """The measurement as JSON has it: no difference where there are no numbers to subtract."""
        known = bool(np.isfinite(self.difference))
        return {
            "dtype": self.dtype,
            "n": self.n,
            "difference": self.difference if known else None,
        }


def measure(runner: Runner, output: str, proved: Proved) -> Rounding | None:
    """Both sides of a theorem at one input and one permutation, each drawn by a fixed seed. None
    where onnxruntime runs the model at no size that the theorem is about, where nothing that was
    drawn is changed by the permutation, or σ moves a part of an axis."""
    moved, dims = tuple(dict.fromkeys(proved.found.moved)), proved.found.output_dims
    reading = proved.reading
    if proved.found.words:
        return None
    for sizes in _sizes(proved):
        n = number(reading.reader.atoms, reading.size, sizes)
        sigma = _sigma(n)
        limits = ids(reading.reader, sizes)
        for seed in SEEDS:
            try:
                inputs = inputs_at(runner, sizes, seed, limits)
                moved_inputs = permuted(inputs, moved, sigma)
                if moved_inputs is None:
                    continue
                y, z = (runner.run(x, [output])[output] for x in (inputs, moved_inputs))
            except RunError:
                break
            if y.dtype.kind not in "fiub" or any(y.shape[d] != n for d in dims):
                return None
            if not np.isfinite(y).any():
                continue
            for d in dims:
                y = np.take(y, sigma, d)
            return Rounding(y.dtype.name, n, *apart(z, y))
    return None


def apart(one: Array, other: Array) -> tuple[float, float]:
    """The largest difference of two arrays as a share of the largest entry of both; and, entry by
    entry, the largest share of the entry itself or of an ordinary one, if that is larger: an entry
    near 0 may be what is left of others that cancelled. Ordinary is what a quarter of the entries
    that are not 0 do not exceed, so that a few large ones hide nothing. Exact of whole numbers, and
    NaN where what is not finite differs."""
    if one.shape != other.shape:
        return float("nan"), float("nan")
    whole = one.dtype.kind != "f"
    a, b = (x.astype(object if whole else np.float64) for x in (one, other))
    finite = np.isfinite(one) & np.isfinite(other)
    if not np.array_equal(one[~finite], other[~finite], equal_nan=not whole):
        return float("nan"), float("nan")
    a, b = a[finite], b[finite]
    if np.array_equal(a, b):
        return 0.0, 0.0
    sizes = np.maximum(np.abs(a), np.abs(b))
    ascending = np.sort(sizes[sizes > 0])
    ordinary = ascending[len(ascending) // 4]
    digits = 0 if whole else float(np.finfo(one.dtype).tiny)  # a smaller number has fewer digits
    with np.errstate(over="ignore"):
        gaps = np.abs(a - b)
        shares = gaps / np.maximum(sizes, max(ordinary, digits))
    return float(np.max(gaps) / ascending[-1]), float(np.max(shares))


def _sizes(proved: Proved) -> Iterator[Mapping[str, int]]:
    """Sizes of the dimensions that the theorem is about, the least of tokens last."""
    reading = proved.reading
    bound = re.match(r"n <= (\d+)", proved.scope)
    looked = dict(c.about for c in proved.conditions if c.about)
    given = [] if reading.fixed is not None else [reading.sizes_at(n) for n in TOKENS]
    for at_n in [*given, {}]:
        if at_n is None:
            continue
        for sizes in sample_sizes(reading.reader, {**looked, **at_n}, 1):
            n = number(reading.reader.atoms, reading.size, sizes)
            if 2 <= n <= LONGEST and not (bound and n > int(bound[1])):
                yield sizes


def _sigma(n: int) -> tuple[int, ...]:
    """A permutation of n places that moves some, the same in each run."""
    random = np.random.default_rng(n)
    while True:
        found = tuple(int(k) for k in random.permutation(n))
        if found != tuple(range(n)):
            return found
