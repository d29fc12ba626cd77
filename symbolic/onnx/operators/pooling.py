"""Pooling: means and largest values over windows, or over all positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Array, Call
from ..reader import Reader, operator
from ..values import SizeAt, Tensor
from .along import linear_along
from .node import run_node
from .windows import OUTSIDE, Window, blocked, taken, windows_of


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
    x = r.as_tensor(args[0])
    for i, w in enumerate(_windows(r, c, x)):
        if (blocks := blocked(r, x, i + 2, w)) is not None:
            x = r.mean(blocks, [i + 3], keep=False)
        else:
            name = f"windows of {r.node}, dimension {i + 2}"
            x = linear_along(r, x, i + 2, w.count, name, _averages(c, w))
    return x


def _averages(c: Call, w: Window) -> Any:
    """The means over the windows along one dimension, of each row."""

    def run(rows: Array, at: SizeAt) -> Array:
        own: dict[str, Any] = {"kernel_shape": [w.kernel], "strides": [w.stride], "auto_pad": None,
               "pads": [at(w.begin), at(w.end)]}  # fmt: skip
        if "dilations" in c.attributes:
            own["dilations"] = [w.dilation]
        return np.asarray(run_node(c, "f", **own)(rows[:, None])[:, 0])

    return run


@operator("MaxPool")
def largest(r: Reader, c: Call, args: list[Any]) -> Any:
    if len(c.outputs) > 1 and c.outputs[1]:
        raise r.refuse("the indices of MaxPool are not read")
    x = r.as_tensor(args[0])
    for i, w in enumerate(_windows(r, c, x)):
        whole = any(a.whole for a in r.atoms.resolve(x.dims[i + 2]))
        by = _of_positions if whole or not w.size.is_Integer else _of_taps
        x = by(r, x, i + 2, w)
    return x


def _of_taps(r: Reader, x: Tensor, dim: int, w: Window) -> Tensor:
    """The largest of what the taps of each window read: fewer entries than below."""
    read, own = taken(r, x, dim, w)
    if not own:
        return x
    if (w.positions(int) == OUTSIDE).any():
        inside = r.table(
            f"windows of {r.node} inside, dimension {dim}",
            [read.dims[dim], read.dims[dim + 1]],
            lambda _, at: np.asarray(w.positions(at) != OUTSIDE, dtype=float),
        )
        read = _kept(r, inside, read, dim)
    return r.reduce("max", read, [dim + 1], False)


def _of_positions(r: Reader, x: Tensor, dim: int, w: Window) -> Tensor:
    """The largest of the positions in each window, as max over p of where(p in the window, x, −∞):
    in which order a window reads them does not matter."""
    base, view = r.base(x, dim)
    old, rank = base.dims[dim], list(range(len(x.dims)))
    new = old if r.sizes(base)[dim] == w.count else r.atoms.new(w.count, "positions")

    def values(_: Any, at: SizeAt) -> Array:
        own, n = w.positions(at), at(r.atoms.size(old))
        found = own if view is None else np.where(own == OUTSIDE, n, np.asarray(view(at))[own])
        return np.asarray((found[..., None] == np.arange(n)).any(axis=1), dtype=float)

    table = r.table(f"windows of {r.node}, dimension {dim}", [new, old], values)
    found = r.reduce("max", _kept(r, table, r.insert(base, [dim]), dim), [dim + 1], False)
    if view is None:
        return found

    def zeros(_: Any, at: SizeAt) -> Array:  # windows that read one which the view has put there
        own = w.positions(at)
        zero = (own != OUTSIDE) & (np.asarray(view(at))[own] == OUTSIDE)
        return np.asarray(zero.any(axis=1), dtype=float)

    padding = r.table(f"padding in windows of {r.node}, dimension {dim}", [new], zeros)
    return r.pointwise(
        "or_zero", [padding, found], [[dim], rank], rank,
        of=lambda z, a: np.where(z != 0, np.maximum(a, 0), a),
    )  # fmt: skip


def _kept(r: Reader, table: Tensor, x: Tensor, dim: int) -> Tensor:
    """x where a table along two dimensions is not 0, else −∞."""
    rank = list(range(len(x.dims)))
    return r.pointwise(
        "keep_or_lowest", [table, x], [[dim, dim + 1], rank], rank,
        of=lambda t, a: np.where(t != 0, a, np.asarray(-np.inf, dtype=a.dtype)), kind=x.kind,
    )  # fmt: skip
