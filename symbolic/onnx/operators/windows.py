"""Windows along one dimension: what each reads, and means and largest values over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from ..atoms import Dim, Size
from ..graph import Array, Call
from ..reader import Reader, operator
from ..values import SizeAt, Tensor
from .along import linear_along
from .elementwise import kept
from .node import attributes

OUTSIDE = -1  # in place of a position


@dataclass(frozen=True)
class Window:
    """The windows along a dimension of a size: how many there are, and what each reads. `begin` is
    how far the first begins before position 0, `end` how far the padding behind reaches."""

    size: Size
    kernel: int
    stride: int
    dilation: int
    count: Size
    begin: Size
    end: Size

    def taps(self, at: SizeAt) -> Array:
        """Of window o and tap k the position, counted from where the first window begins."""
        o, k = np.ogrid[: at(self.count), : self.kernel]
        return np.asarray(o * self.stride + k * self.dilation)

    def positions(self, at: SizeAt) -> Array:
        """Of window o and tap k the position, −1 outside."""
        found = self.taps(at) - at(self.begin)
        return np.where((found >= 0) & (found < at(self.size)), found, OUTSIDE)

    @property
    def blocks(self) -> bool:
        """Whether the windows cut the dimension into blocks."""
        whole = sympy.expand(self.count * self.kernel - self.size) == 0
        fits = self.kernel == self.stride and self.dilation == 1
        return whole and fits and self.begin == 0


def windows_of(r: Reader, c: Call, x: Tensor, kernel: Sequence[int]) -> list[Window]:
    """The windows along the spatial dimensions of a convolution or a pooling."""
    rank, has = len(kernel), attributes(c)
    strides, dilations = (has.get(k, (1,) * rank) for k in ("strides", "dilations"))
    pads = [sympy.Integer(s) for s in has.get("pads", (0,) * (2 * rank))]
    if min(*strides, *dilations, *kernel) < 1 or min(pads) < 0:
        raise r.refuse("strides, dilations and kernels below 1, or paddings below 0")
    found = []
    for dim, taps, stride, dilation, begin, end in zip(
        x.dims[2:], kernel, strides, dilations, pads[:rank], pads[rank:], strict=True
    ):
        size = r.atoms.size(dim)
        reach = dilation * (taps - 1) + 1
        if has["auto_pad"] == "VALID":
            begin = end = sympy.Integer(0)
        if has["auto_pad"] in ("SAME_UPPER", "SAME_LOWER"):
            count = sympy.ceiling(size / stride)
            total = sympy.Max(0, (count - 1) * stride + reach - size)
            total = sympy.Integer(reach - 1) if stride == 1 else total
            begin, end = sympy.floor(total / 2), sympy.ceiling(total / 2)
            if has["auto_pad"] == "SAME_LOWER":
                begin, end = end, begin
        else:
            ceil = bool(has.get("ceil_mode"))
            span = sympy.expand(size + begin + end - reach)
            count = (sympy.ceiling if ceil else sympy.floor)(span / stride) + 1
            whole = any(a.whole for a in r.atoms.resolve(dim))
            if whole and c.op != "Conv" and stride > 1 and reach - begin - end > 2:
                # in less onnxruntime has a window too: it rounds towards zero
                r.atoms.at_most(reach, size + begin + end)
            if ceil and stride > 1:  # no window begins beyond the tensor and the padding before it
                if not count.is_Integer:
                    raise r.refuse("ceil_mode along a dimension whose size is not fixed")
                if (count - 1) * stride >= size + begin:
                    count -= 1
        if count.is_Integer and count < 1:
            raise r.refuse(f"a window of {reach} positions in a dimension of size {size}")
        count = r.atoms.canonical(count)
        found.append(Window(size, taps, stride, dilation, count, begin, end))
    return found


def taken(r: Reader, x: Tensor, dim: int, w: Window) -> Tensor:
    """x with a dimension for the windows in the place of one, and after it one for the taps, zero
    outside."""
    if w.kernel == 1 and w.stride == 1 and w.begin == 0 and w.count == w.size:
        return r.insert(x, [dim + 1])
    if (blocks := blocked(r, x, dim, w)) is not None:
        return blocks
    out, taps = r.atoms.new(w.count, "positions"), r.atoms.new(w.kernel, f"d{w.kernel}")
    name = f"windows of {r.node}, dimension {dim}"
    return r.windows(x, dim, [out, taps], lambda _, at: w.positions(at), name)


def blocked(r: Reader, x: Tensor, dim: int, w: Window) -> Tensor | None:
    """x with a dimension cut into the windows, where they are blocks."""
    sizes = r.sizes(x)
    if not w.blocks:
        return None
    return r.reshape(x, [*sizes[:dim], w.count, w.kernel, *sizes[dim + 1 :]])


# -------------------------------------------------------------------------------------- pooling
@operator("GlobalAveragePool", "GlobalMaxPool")
def everywhere(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    dims = range(2, len(x.dims))
    return r.mean(x, dims) if c.op == "GlobalAveragePool" else r.reduce("max", x, dims)


@operator("AveragePool")
def average(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    for i, w in enumerate(windows_of(r, c, x, c.attributes["kernel_shape"])):
        if (blocks := blocked(r, x, i + 2, w)) is not None:
            x = r.mean(blocks, [i + 3], keep=False)
        else:
            name = f"windows of {r.node}, dimension {i + 2}"
            x = linear_along(r, x, i + 2, w.count, name, _averages(c, w))
    return x


def _averages(c: Call, w: Window) -> Any:
    """The means over the windows along one dimension, of each row. (The reference goes through the
    windows of each row one by one, and takes seconds for a picture.)"""

    def run(rows: Array, at: SizeAt) -> Array:
        own, padded = w.positions(at), at(w.begin) + at(w.size) + at(w.end)
        counted = own != OUTSIDE if not attributes(c)["count_include_pad"] else w.taps(at) < padded
        share = (own != OUTSIDE) / counted.sum(axis=1, keepdims=True)
        table = np.zeros((at(w.size), len(own)))
        np.add.at(table, (own, np.arange(len(own))[:, None]), share)
        return np.asarray(rows @ table)

    return run


@operator("MaxPool")
def largest(r: Reader, c: Call, args: list[Any]) -> Any:
    if len(c.outputs) > 1 and c.outputs[1]:
        raise r.refuse("the indices of MaxPool are not read")
    x = r.as_tensor(args[0])
    for i, w in enumerate(windows_of(r, c, x, c.attributes["kernel_shape"])):
        whole = any(a.whole for a in r.atoms.resolve(x.dims[i + 2]))
        by_positions = whole or not w.size.is_Integer
        x = (_of_positions if by_positions else _of_taps)(r, x, i + 2, w)
    return x


def _of_taps(r: Reader, x: Tensor, dim: int, w: Window) -> Tensor:
    """The largest of what the taps of each window read: fewer entries than below."""
    read = taken(r, x, dim, w)
    last = (w.count - 1) * w.stride + (w.kernel - 1) * w.dilation - w.begin
    if w.begin == 0 and last < w.size:  # none is outside
        return r.reduce("max", read, [dim + 1], False)
    return _largest_inside(r, read, dim, read.dims[dim], lambda at: w.positions(at) != OUTSIDE)


def _of_positions(r: Reader, x: Tensor, dim: int, w: Window) -> Tensor:
    """The largest of the positions in each window, as max over p of where(p in the window, x, −∞):
    in which order a window reads them does not matter."""
    new = x.dims[dim] if w.count == w.size else r.atoms.new(w.count, "positions")

    def inside(at: SizeAt) -> Any:
        return (w.positions(at)[..., None] == np.arange(at(w.size))).any(axis=1)

    return _largest_inside(r, r.insert(x, [dim]), dim, new, inside)


def _largest_inside(r: Reader, x: Tensor, dim: int, windows: Dim, inside: Any) -> Tensor:
    """The largest entries along the dimension after `dim`, of those inside of each window."""
    rank = range(len(x.dims))
    name, over = f"windows of {r.node}, dimension {dim}", [windows, x.dims[dim + 1]]
    table = r.table(name, over, lambda _, at: np.asarray(inside(at), dtype=float))
    chosen = kept(r, [table, x], [[dim, dim + 1], rank], rank, -np.inf)
    return r.reduce("max", chosen, [dim + 1], False)
