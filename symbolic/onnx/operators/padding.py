"""Padding: a dimension with places before and behind, by a table of the places that are read."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

from ..graph import Array, Call
from ..reader import Reader, operator
from ..values import SizeAt, Tensor
from .windows import BESIDE, signed


@operator("Pad")
def pad(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    mode = str(c.attributes.get("mode", "constant"))
    if mode not in MODES:
        raise r.refuse(f"a padding with mode {mode}")
    given = list(r.ints(args[1], "the padding").flat)
    value = args[2] if len(args) > 2 else None
    dims = list(range(len(x.dims)))
    if len(args) > 3 and args[3] is not None:
        dims = r.dimensions(list(r.ints(args[3], "axes").flat), len(x.dims))
    if len(given) != 2 * len(dims):
        raise r.refuse(f"{len(given)} paddings for {len(dims)} dimensions")
    for k, dim in enumerate(dims):
        before, behind = given[k], given[k + len(dims)]
        if mode == "wrap" and (before.is_negative or behind.is_negative):
            raise r.refuse("a padding that wraps around what another one takes away")
        if before != 0 or behind != 0:
            x = padded(r, x, dim, before, behind, mode)
            if mode == "constant":
                x = filled(r, x, dim, before, behind, value)
    return x


def padded(r: Reader, x: Tensor, dim: int, before: Any, behind: Any, mode: str) -> Tensor:
    """x with places before and behind along a dimension: copies, or zeros."""
    size = r.sizes(x)[dim]
    count = sympy.expand(size + before + behind)
    if not (count.is_nonnegative or count.free_symbols):
        raise r.refuse(f"a padding by {before} and {behind} of a dimension of size {size}")

    def places(_: Any, at: SizeAt) -> Array:
        return np.asarray(MODES[mode](np.arange(at(count)) - signed(at, before), at(size)))

    new = r.atoms.new(count, "padded")
    return r.windows(x, dim, [new], places, f"padding in {r.node}, dimension {dim}")


def filled(r: Reader, x: Tensor, dim: int, before: Any, behind: Any, value: Any) -> Tensor:
    """x with a value in the place of the zeros that a padding put there."""
    known = None if value is None else r.array(value)
    if value is None or (known is not None and not known.any()):
        return x
    count = r.sizes(x)[dim]

    def outside(_: Any, at: SizeAt) -> Array:
        p, n = np.arange(at(count)), at(count)
        return np.asarray((p < signed(at, before)) | (p >= n - signed(at, behind)), dtype=float)

    table = r.table(f"outside in {r.node}, dimension {dim}", [x.dims[dim]], outside)
    rank = range(len(x.dims))
    number = r.as_tensor(value)
    return r.pointwise(
        "where", [table, r.reshape(number, []), x], [[dim], [], list(rank)], list(rank),
        of=lambda t, a, b: np.where(t != 0, a, b), kind=x.kind,
    )  # fmt: skip


def _reflected(p: Array, n: int) -> Array:
    if n == 1:
        return np.zeros_like(p)
    return np.asarray(n - 1 - np.abs(p % (2 * n - 2) - (n - 1)))


MODES: Any = {
    "constant": lambda p, n: np.where((p >= 0) & (p < n), p, BESIDE),
    "edge": lambda p, n: np.clip(p, 0, n - 1),
    "reflect": _reflected,
    "wrap": lambda p, n: p % n,
}
