"""Running sums, Fourier transforms: along one dimension, a table says how.

Whether they see the order of the dimension is a question about the table."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

from ..graph import Array, Call
from ..reader import Reader, operator
from ..values import SizeAt, Tensor
from .convolution import fixed


def linear(r: Reader, x: Tensor, table: Tensor, dim: int) -> Tensor:
    """Σ_j table[i, j] x[…, j, …]."""
    rank = range(len(x.dims))
    found = r.einsum([table, x], [[dim, "from"], ["from" if i == dim else i for i in rank]], rank)
    found.kind = x.kind
    return found


@operator("CumSum")
def running(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    dim = r.dimension(r.ints(args[1], "the axis").reshape(-1)[0], len(x.dims))
    before = int(bool(c.attributes.get("exclusive", 0)))
    back = bool(c.attributes.get("reverse", 0))
    over = x.dims[dim]

    def values(_: Array | None, at: SizeAt) -> Array:
        i, j = np.ogrid[: at(r.atoms.size(over)), : at(r.atoms.size(over))]
        return np.asarray(j >= i + before if back else j <= i - before, dtype=float)

    table = r.table(f"triangle in {r.node}", [over, over], values)
    return linear(r, x, table, dim)


@operator("DFT")
def fourier(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    rank = len(x.dims)
    dim = c.attributes.get("axis", 1 if c.version < 20 else -2)
    if c.version >= 20 and len(args) > 2 and args[2] is not None:
        dim = r.ints(args[2], "the axis").reshape(-1)[0]
    dim = r.dimension(dim, rank)
    (parts,) = fixed(r, r.sizes(x)[-1:], "real and imaginary parts")
    if parts not in (1, 2) or dim == rank - 1:
        raise r.refuse(f"a Fourier transform of {parts} parts along dimension {dim}")
    back, half = (bool(c.attributes.get(k, 0)) for k in ("inverse", "onesided"))
    if back and half:
        raise r.refuse("the inverse of half a Fourier transform is not read")
    own = length = r.sizes(x)[dim]
    if len(args) > 1 and args[1] is not None:
        length = r.atoms.canonical(r.ints(args[1], "the length").reshape(-1)[0])
    count = sympy.floor(length / 2) + 1 if half else length

    def values(_: Array | None, at: SizeAt) -> Array:
        n = at(length)
        k, j = np.ogrid[: at(count), : at(own)]
        angle = (-1 if back else 1) * 2 * np.pi * (k * j % n) / n
        used = (j < n) / (n if back else 1)
        real, other = np.cos(angle) * used, np.sin(angle) * used
        rows = [[real, other], [-other, real]]  # (a + bi)(cos − i sin), by parts out and in
        return np.array([row[:parts] for row in rows]).transpose(2, 0, 3, 1)

    new = x.dims[dim] if count == own else r.atoms.new(count, "frequencies")
    two = r.atoms.new(2, "d2")
    table = r.table(f"Fourier transform in {r.node}", [new, two, x.dims[dim], x.dims[-1]], values)
    labels = [*("from" if i == dim else i for i in range(rank - 1)), "part"]
    return r.einsum([table, x], [[dim, rank - 1, "from", "part"], labels], range(rank))
