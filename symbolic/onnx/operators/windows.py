"""Positions that windows read: of convolutions and pooling, along one dimension."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from ..atoms import Mismatch, Size, Whole
from ..graph import Array, Call
from ..reader import Reader
from ..values import SizeAt, Tensor
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

    def positions(self, at: SizeAt) -> Array:
        """Of window o and tap k the position, −1 outside."""
        o, k = np.ogrid[: at(self.count), : self.kernel]
        found = o * self.stride + k * self.dilation - at(self.begin)
        return np.where((found >= 0) & (found < at(self.size)), found, OUTSIDE)

    @property
    def blocks(self) -> bool:
        """Whether the windows cut the dimension into blocks."""
        whole = sympy.expand(self.count * self.kernel - self.size) == 0
        fits = self.kernel == self.stride and self.dilation == 1
        return whole and fits and self.begin == 0


def windows_of(r: Reader, c: Call, sizes: list[Size], kernel: list[int]) -> list[Window]:
    """The windows along the spatial dimensions of a convolution or a pooling."""
    rank, has = len(kernel), attributes(c)
    strides, dilations = (
        [int(s) for s in has.get(k, (1,) * rank)] for k in ("strides", "dilations")
    )
    pads = [sympy.Integer(s) for s in has.get("pads", (0,) * (2 * rank))]
    if any(len(x) != rank for x in (sizes, strides, dilations)) or len(pads) != 2 * rank:
        raise r.refuse(f"a window of {rank} dimensions for a tensor with {len(sizes)}")
    if min(*strides, *dilations, *kernel) < 1 or min(pads) < 0:
        raise r.refuse("strides, dilations and kernels below 1, or paddings below 0")
    found = []
    for i, (size, stride, dilation) in enumerate(zip(sizes, strides, dilations, strict=True)):
        reach = dilation * (kernel[i] - 1) + 1
        begin, end = pads[i], pads[rank + i]
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
            if ceil and stride > 1:  # no window begins beyond the tensor and the padding before it
                if not count.is_Integer:
                    raise r.refuse("ceil_mode along a dimension whose size is not fixed")
                if (count - 1) * stride >= size + begin:
                    count -= 1
        if count.is_Integer and count < 1:
            raise r.refuse(f"a window of {reach} positions in a dimension of size {size}")
        count = r.atoms.canonical(count)
        found.append(Window(size, kernel[i], stride, dilation, count, begin, end))
    return found


def taken(r: Reader, x: Tensor, dim: int, w: Window) -> tuple[Tensor, bool]:
    """x with a dimension for the windows in the place of one, and after it, where the kernel is
    longer than 1, one for the taps, zero outside; and whether taps have a dimension."""
    if w.kernel == 1 and w.stride == 1 and w.begin == 0 and w.count == w.size:
        return x, False
    if (blocks := blocked(r, x, dim, w)) is not None:
        return blocks, True
    out, taps = r.atoms.new(w.count, "positions"), r.atoms.new(w.kernel, f"d{w.kernel}")
    name = f"windows of {r.node}, dimension {dim}"
    return r.windows(x, dim, [out, taps], lambda _, at: w.positions(at), name), True


def blocked(r: Reader, x: Tensor, dim: int, w: Window) -> Tensor | None:
    """x with a dimension cut into the windows, where they are blocks and no question forbids it."""
    sizes: list[Any] = list(r.sizes(x))
    if not w.blocks:
        return None
    try:
        return r.reshape(x, [*sizes[:dim], w.count, w.kernel, *sizes[dim + 1 :]])
    except (Mismatch, Whole):
        return None
