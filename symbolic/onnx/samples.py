"""Sizes, weights and ids at which a model is run to be compared with its translation."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import sympy

from orderproof.symbolic import time_limit

from .arrays import number
from .atoms import Size
from .draws import ranges
from .graph import Array
from .reader import Reader
from .values import Tensor

PRIMES = (3, 5, 7, 11, 13, 2, 17, 19, 23, 29, 31, 37, 41, 43)
# beyond windows, and tables that are wrong only from some row on; the first that a table allows
LONG = (67, 71, 73, 79, 61, 59, 53, 47, 43, 41, 37, 31, 29, 23, 19, 17)
MOST_IDS = 50_000
MOST_ENTRIES = 2**25  # of a tensor of the model
SPREAD = 2**16  # entries of a constant of which its spread is estimated


def sample_sizes(
    reader: Reader, fixed: Mapping[str, int], count: int, longest: float = math.inf,
    large: bool = False,
) -> list[dict[str, int]]:  # fmt: skip
    """Sizes of the dynamic dimensions: primes, unlike each other and every fixed dimension, at
    which all dimensions of the model are whole numbers; one of them long; where no primes are,
    other numbers. Each token of a large model costs: a long one is at most `longest`, if any prime
    is; and where that is less than all, the others are from the least primes on. With `large` a
    tensor may have more entries than memory should be asked for."""
    names = sorted(
        {str(s) for a in reader.atoms.every for s in sympy.sympify(a.size).free_symbols}
        | reader.graph.dynamic
    )
    taken = {
        int(a.size) for a in reader.atoms.every if a.size.is_Integer and a.size != 1
    } | set(fixed.values())  # fmt: skip
    every = {reader.atoms.canonical(a.size) for a in reader.atoms.every}
    found: list[dict[str, int]] = []
    for options in _candidates(names, taken, fixed, longest):
        time_limit.check()
        if len(found) == count:
            break
        each = (_with_equal(reader, sizes) for sizes in options)
        fit = (x for x in each if _fits(reader, every, x))
        sizes = next((x for x in fit if large or _entries(reader, x) <= MOST_ENTRIES), None)
        if sizes is not None and sizes not in found:
            found.append(sizes)
    return found


def _candidates(
    names: Sequence[str], taken: set[int], fixed: Mapping[str, int], longest: float
) -> Iterator[list[dict[str, int]]]:
    """One set of sizes after the other, each the first of several that fits."""
    usual = PRIMES if longest >= min(LONG) else sorted(PRIMES)
    primes = [p for p in usual if p not in taken]
    long = [p for p in LONG if p not in taken and p <= max(longest, min(LONG))]
    free = [x for x in names if x not in fixed]

    def small(shift: int) -> dict[str, int]:
        return {x: primes[(shift + k) % len(primes)] for k, x in enumerate(free)}

    yield [{**small(0), **fixed}]
    if not free:
        return
    yield [{**small(1), **fixed}]
    for k, x in enumerate(free):  # with few of the others: the time grows with their product
        yield [{**small(0), x: p, **fixed} for p in long[k % 4 :]]
    for shift in range(2, 6):
        yield [{**small(shift), **fixed}]
    others = [k for k in range(2, 130) if k not in taken]
    for k in range(len(others)):
        yield [{**{x: others[(k + 3 * j) % len(others)] for j, x in enumerate(free)}, **fixed}]
    for k in range(2, 130):
        yield [{**dict.fromkeys(free, k), **fixed}]


def too_large(reader: Reader) -> str:
    """Which tensor keeps a model from being run at any sizes; "" where none does."""
    if sample_sizes(reader, {}, 1):
        return ""
    for sizes in sample_sizes(reader, {}, 1, large=True):
        at = sizes_text(sizes) or "any size"
        return f"a tensor of {_entries(reader, sizes):,} entries, at {at}; at most {MOST_ENTRIES:,}"
    return ""


def sizes_text(sizes: Mapping[str, int]) -> str:
    """Sizes in words."""
    return ", ".join(f"{x} = {k}" for x, k in sizes.items())


def _entries(reader: Reader, sizes: Mapping[str, int]) -> int:
    """The entries of the largest tensor of the model, or table that grows with a dimension."""
    if not reader.shapes:
        reader.shapes |= {reader.sizes(v) for v in reader.values.values() if isinstance(v, Tensor)}
        tables = {reader.sizes(t) for t in reader.tables}
        reader.shapes |= {shape for shape in tables if any(s.free_symbols for s in shape)}
    each = (math.prod(number(reader.atoms, s, sizes) for s in shape) for shape in reader.shapes)
    return max(each, default=0)


def _with_equal(reader: Reader, sizes: dict[str, int]) -> dict[str, int]:
    """The sizes with those that the model wants equal made so."""
    new = dict(sizes)
    for a, b in reader.atoms.equal.items():
        try:
            new[str(a)] = number(reader.atoms, b, new)
        except (ValueError, KeyError):
            continue
    return new


def fitting(reader: Reader, sizes: Mapping[str, int]) -> dict[str, int] | None:
    """Sizes of the model's own dimensions with those that the reading derives; None where it is
    about other sizes."""
    found = dict(sizes)
    for a, b in reader.atoms.equal.items():  # n = 2 q gives q
        unknown = [s for s in b.free_symbols if str(s) not in found]
        if len(unknown) == 1 and str(a) in found:
            solved = sympy.solve(b.subs(found) - found[str(a)], unknown[0])
            found |= {str(unknown[0]): int(x) for x in solved if x.is_Integer}
    found = _with_equal(reader, found)
    every = {reader.atoms.canonical(a.size) for a in reader.atoms.every}
    same = all(found[name] == size for name, size in sizes.items())
    return found if same and _fits(reader, every, found) else None


def _fits(reader: Reader, every: set[Size], sizes: Mapping[str, int]) -> bool:
    atoms = reader.atoms
    try:
        return all(number(atoms, size, sizes) >= 0 for size in every) and all(
            number(atoms, a, sizes) <= number(atoms, b, sizes) for a, b in atoms.limits
        )
    except (ValueError, KeyError):
        return False


def random_weights(
    constants: Mapping[str, Array],
    seed: int,
    keep: Container[str] = (),
    few: bool = False,
) -> dict[str, Array]:
    """Other values for the floating constants but those in `keep`: zeros and ones hide errors of a
    translation. What is nowhere negative stays so (a variance, a mask), and what is huge stays (−∞
    of a mask). With `few`, only for vectors: other matrices would need as much memory again."""
    rng = np.random.default_rng(seed)
    found: dict[str, Array] = {}
    for name, old in constants.items():
        if old.dtype.kind != "f" or old.size == 0 or name in keep or (few and old.ndim != 1):
            continue
        low, high = float(np.min(old)), float(np.max(old))
        if old.size == 1 or not max(-low, high) <= 1e6:  # NaN is neither
            continue
        draw: Any = np.float64 if old.dtype == np.float64 else np.float32
        if low >= 0:
            new = rng.random(old.shape, draw)
            new += 0.5
        else:
            new = rng.standard_normal(old.shape, draw)
            new *= max(float(np.std(old.ravel()[:: 1 + old.size // SPREAD])), 0.05)
        found[name] = new.astype(old.dtype, copy=False)
    return found


def ids(reader: Reader, sizes: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """The numbers that each input of whole numbers is given: rows of the tables in which they
    choose, those that are computed too; an input that chooses none is left out."""
    sizes_of, values, atoms = reader.sizes_of, reader.values, reader.atoms
    return ranges(
        reader.graph,
        MOST_IDS,
        lambda table, axis: number(atoms, sizes_of(values[table])[axis], sizes),
    )
