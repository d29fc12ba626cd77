"""Pooling: means and largest values over windows, or over all positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..atoms import Dim
from ..graph import Array, Call
from ..reader import Reader, operator
from ..values import SizeAt, Tensor
from .windows import BESIDE, Window, blocked, taken, windows_of

NOTHING = -2  # a place outside of the tensor that no maximum is over


def _windows(r: Reader, c: Call, x: Tensor) -> list[Window]:
    kernel = [int(k) for k in c.attributes["kernel_shape"]]
    return windows_of(r, c, list(r.sizes(x)[2:]), kernel)


@operator("GlobalAveragePool", "GlobalMaxPool")
def everywhere(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    dims = list(range(2, len(x.dims)))
    return r.mean(x, dims) if c.op == "GlobalAveragePool" else r.reduce("max", x, dims)


@operator("AveragePool")
def average(r: Reader, c: Call, args: list[Any]) -> Any:
    x, padded = r.as_tensor(args[0]), bool(c.attributes.get("count_include_pad", 0))
    for i, w in enumerate(_windows(r, c, x)):
        x = r.function("div", *_summed(r, x, i + 2, w, padded))
    return x


def _summed(r: Reader, x: Tensor, dim: int, w: Window, padded: bool) -> tuple[Tensor, Tensor]:
    """Sums over windows, and how many terms each counts, to stand beside them."""
    if w.blocks and (blocks := blocked(r, x, dim, w)) is not None:
        return r.reduce("sum", blocks, [dim + 1], False), r.number(w.kernel)
    base, through = _composed(r, x, dim, w)
    old, out = base.dims[dim], _out(r, base, dim, w)

    def values(_: Any, at: SizeAt) -> Array:
        places, n = through(at), at(r.atoms.size(old))
        return np.asarray((places[..., None] == np.arange(n)).sum(axis=1), dtype=float)

    table = r.table(f"windows of {r.node}, dimension {dim}", [out, old], values)
    rank = list(range(len(x.dims)))
    total = r.einsum(
        [table, base], [[dim, "from"], ["from" if i == dim else i for i in rank]], rank
    )
    if w.within:
        return total, r.number(w.kernel)
    name = f"sizes of windows of {r.node}, dimension {dim}"
    counts = r.table(name, [out], lambda _, at: w.shares(at, padded))
    return total, r.insert(counts, list(range(1, len(x.dims) - dim)))


def _out(r: Reader, base: Tensor, dim: int, w: Window) -> Dim:
    """The dimension of the windows: that of the positions, where they are as many."""
    same = r.sizes(base)[dim] == w.count
    return base.dims[dim] if same else r.atoms.new(w.count, "positions")


def _composed(r: Reader, x: Tensor, dim: int, w: Window) -> tuple[Tensor, Any]:
    """The tensor that x is a view of, and of window o and tap k the place in it: −1 where x is
    zero, NOTHING outside of x."""
    base, view = r.base(x, dim)

    def places(at: SizeAt) -> Array:
        own = w.places(at)
        if view is None:
            return np.where(own == BESIDE, NOTHING, own)
        return np.where(own == BESIDE, NOTHING, np.asarray(view(at))[own])

    return base, places


@operator("MaxPool")
def largest(r: Reader, c: Call, args: list[Any]) -> Any:
    if len(c.outputs) > 1 and c.outputs[1]:
        raise r.refuse("the indices of MaxPool are not read")
    x = r.as_tensor(args[0])
    for i, w in enumerate(_windows(r, c, x)):
        whole = any(a.whole for a in r.atoms.resolve(x.dims[i + 2]))
        if w.size.is_Integer and not whole:
            x = _largest_of_taps(r, x, i + 2, w)
        else:
            x = _largest_of_places(r, x, i + 2, w)
    return x


def _largest_of_taps(r: Reader, x: Tensor, dim: int, w: Window) -> Tensor:
    """The largest of what the taps of each window read: fewer entries than below."""
    read, own = taken(r, x, dim, w)
    if not own:
        return x
    if not w.within:
        inside = r.table(
            f"windows of {r.node} inside, dimension {dim}",
            [read.dims[dim], read.dims[dim + 1]],
            lambda _, at: np.asarray(w.places(at) != BESIDE, dtype=float),
        )
        read = _kept(r, inside, read, [dim, dim + 1])
    return r.reduce("max", read, [dim + 1], False)


def _largest_of_places(r: Reader, x: Tensor, dim: int, w: Window) -> Tensor:
    """The largest of the positions in each window, as max over p of where(p in the window, x, −∞):
    in which order a window reads them does not matter."""
    base, through = _composed(r, x, dim, w)
    old, out = base.dims[dim], _out(r, base, dim, w)

    def values(_: Any, at: SizeAt) -> Array:
        places, n = through(at), at(r.atoms.size(old))
        return np.asarray((places[..., None] == np.arange(n)).any(axis=1), dtype=float)

    table = r.table(f"windows of {r.node}, dimension {dim}", [out, old], values)
    rank = list(range(len(x.dims)))
    spread = r.insert(base, [dim])
    found = r.reduce("max", _kept(r, table, spread, [dim, dim + 1]), [dim + 1], False)
    if r.base(x, dim)[0] is x:
        return found
    name = f"padding in windows of {r.node}, dimension {dim}"
    zeros = r.table(
        name, [out], lambda _, at: np.asarray((through(at) == BESIDE).any(axis=1), dtype=float)
    )
    return r.pointwise(
        "or_zero", [zeros, found], [[dim], rank], rank,
        of=lambda z, a: np.where(z != 0, np.maximum(a, 0), a),
    )  # fmt: skip


def _kept(r: Reader, table: Tensor, x: Tensor, dims: list[int]) -> Tensor:
    """x where a table is not 0, else −∞."""
    rank = list(range(len(x.dims)))
    return r.pointwise(
        "keep_or_lowest", [table, x], [dims, rank], rank,
        of=lambda t, a: np.where(t != 0, a, np.asarray(-np.inf, dtype=a.dtype)), kind=x.kind,
    )  # fmt: skip
