"""Inputs that are drawn to look for a counterexample, and the same with a permutation acting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import numpy as np

from .graph import VALUES, Array, Graph, Place, Unsupported
from .run import Runner

# one of each kind, and those again that find the most
KINDS = ("normal", "eighths", "coarse", "binary", "normal", "coarse", "ties")
DIGITS = 4096  # normal numbers are multiples of 1/4096: short in a file, exact in every type
LARGEST_ID = 7  # the largest integer that an input is given
THROUGH = {  # operators whose results are entries of their first input
    "Cast", "Flatten", "Gather", "Identity", "Reshape", "Slice", "Squeeze", "Transpose",
    "Unsqueeze",
}  # fmt: skip


def draw(
    runner: Runner, sizes: Mapping[str, int], number: int, moving: Sequence[Place], n: int
) -> dict[str, Array]:
    """The inputs of the draw of this number, at these sizes of dynamic dimensions. Integers keep
    their type and range; those that are renamed with n tokens number them."""
    limits = ranges(runner.graph)
    for name, k in moving:
        if k == VALUES:
            limits[name] = (0, min(n - 1, limits.get(name, (0, n))[1]))
    kind, random = KINDS[number], np.random.default_rng(number)
    found = runner.random_inputs(sizes, number, limits)
    for name, x in found.items():
        if x.dtype.kind == "f":
            found[name] = _coarser(x.astype(np.float64), kind).astype(x.dtype)
    if kind == "ties":
        for name, k in moving:
            if k != VALUES and found[name].dtype.kind == "f":
                found[name] = _tied(found[name], k, random)
    return found


def _coarser(x: Array, kind: str) -> Array:
    """Normal numbers as those of a kind."""
    match kind:
        case "normal":
            return np.asarray(np.round(x * DIGITS) / DIGITS)
        case "eighths":
            return np.asarray(np.clip(np.round(8 * x), -16, 16) / 8)
        case "binary":
            return np.asarray(x > 0)
    return np.asarray(np.clip(np.round(x), -1, 1))


def _tied(x: Array, axis: int, random: np.random.Generator) -> Array:
    """The same where one token has some entries of another."""
    rows = np.moveaxis(x, axis, 0).copy()
    one, other = random.permutation(len(rows))[:2]
    rows[other] = np.where(random.integers(0, 2, rows[one].shape), rows[one], rows[other])
    return np.moveaxis(rows, 0, axis)


def permuted(
    inputs: Mapping[str, Array], moving: Sequence[Place], sigma: Sequence[int]
) -> dict[str, Array] | None:
    """PX: x'[i] = x[σ(i)] along each axis, and token numbers renamed by σ⁻¹; None where that is X,
    or an axis has not the places that σ permutes."""
    found = dict(inputs)
    for name, k in moving:  # each place once
        x = found[name]
        if k == VALUES:
            if np.any((x < 0) | (x >= len(sigma))):
                return None
            found[name] = np.argsort(sigma)[x].astype(x.dtype)
        elif k < x.ndim and x.shape[k] == len(sigma):
            found[name] = np.take(x, sigma, k)
        else:
            return None
    changed = any(not np.array_equal(found[name], inputs[name]) for name, _ in moving)
    return found if changed else None


def ranges(
    graph: Graph, most: int = LARGEST_ID, rows: Callable[[str, int], int] | None = None
) -> dict[str, tuple[int, int]]:
    """The least and largest value that each input of integers is given: rows of the tables in which
    they choose, and no more than `most`. An input that chooses none is left out. `rows` says how
    many a tensor has along an axis, by default of constants."""
    length = rows or (lambda table, axis: graph.constants[table].shape[axis])
    found: dict[str, tuple[int, int]] = {}
    source = {t.name: t.name for t in graph.inputs.values() if t.dtype.kind in "iu"}
    for call in graph.calls:
        name = source.get(call.input(1), "")
        if name and call.op in ("Gather", "GatherElements"):
            # of a table that is not known, or a file that is wrong there
            with suppress(LookupError, TypeError, ValueError, Unsupported):
                count = length(call.input(0), int(call.attributes.get("axis", 0)))
                found[name] = 0, max(min(found.get(name, (0, most))[1], count - 1), 0)
        if call.op in THROUGH and call.input(0) in source:
            source |= {o: source[call.input(0)] for o in call.outputs if o}
    return found
