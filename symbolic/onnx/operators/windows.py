"""Positions that windows read: of convolutions, pooling and padding, along one dimension."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from ..atoms import Size
from ..graph import Array, Call
from ..reader import Reader
from ..values import SizeAt, Tensor

BESIDE = -1  # a place outside of the tensor


def signed(at: SizeAt, number: Size) -> int:
    """A whole number that may be negative, where sizes are not."""
    number = sympy.sympify(number)
    return -at(-number) if number.is_negative else at(number)


@dataclass(frozen=True)
class Window:
    """The windows along a dimension of a size: how many there are, and what each reads. `begin` is
    how far the first begins before position 0."""

    size: Size
    kernel: int
    stride: int
    dilation: int
    count: Size
    begin: Size
    end: Size = 0

    def raw(self, at: SizeAt) -> Array:
        """Of window o and tap k the position, which may lie outside."""
        o, k = np.ogrid[: at(self.count), : self.kernel]
        return np.asarray(o * self.stride + k * self.dilation - signed(at, self.begin))

    def places(self, at: SizeAt) -> Array:
        """Of window o and tap k the position, −1 outside."""
        raw = self.raw(at)
        return np.where((raw >= 0) & (raw < at(self.size)), raw, BESIDE)

    @property
    def blocks(self) -> bool:
        """Whether the windows cut the dimension into blocks."""
        whole = sympy.expand(self.count * self.kernel - self.size) == 0
        fits = self.kernel == self.stride and self.dilation == 1
        return whole and fits and self.begin == 0

    @property
    def within(self) -> bool:
        """Whether no window reads a place outside, whatever the sizes are."""
        return self.begin == 0 and bool(self.end == 0) and self.fits

    @property
    def fits(self) -> bool:
        """Whether the last window ends within the dimension and the padding behind it."""
        last = (self.count - 1) * self.stride + self.dilation * (self.kernel - 1)
        if self.stride > 1 and not sympy.sympify(self.count).is_Integer:
            return True  # the number of windows was rounded down
        return bool(sympy.expand(self.size + self.end + self.begin - 1 - last).is_nonnegative)

    def shares(self, at: SizeAt, padded: bool) -> Array:
        """How many taps of each window are counted: those inside, or in the padding too."""
        raw, size = self.raw(at), at(self.size)
        low, high = (-signed(at, self.begin), size + signed(at, self.end)) if padded else (0, size)
        return np.asarray(((raw >= low) & (raw < high)).sum(axis=1), dtype=float)


def windows_of(r: Reader, c: Call, sizes: list[Size], kernel: list[int]) -> list[Window]:
    """The windows along the spatial dimensions of a convolution or a pooling."""
    rank = len(kernel)
    strides = [int(s) for s in c.attributes.get("strides", (1,) * rank)]
    dilations = [int(s) for s in c.attributes.get("dilations", (1,) * rank)]
    pads = [int(s) for s in c.attributes.get("pads", (0,) * (2 * rank))]
    auto = str(c.attributes.get("auto_pad", "NOTSET"))
    ceil = bool(c.attributes.get("ceil_mode", 0))
    lists = (sizes, strides, dilations)
    if any(len(x) != rank for x in lists) or len(pads) != 2 * rank:
        raise r.refuse(f"a window of {rank} dimensions for a tensor with {len(sizes)}")
    if min(*strides, *dilations, *kernel) < 1:
        raise r.refuse("strides, dilations and kernels below 1")
    found = []
    for i, size in enumerate(sizes):
        reach = dilations[i] * (kernel[i] - 1) + 1
        stride = strides[i]
        begin: Size = sympy.Integer(pads[i])
        if auto in ("SAME_UPPER", "SAME_LOWER"):
            count = sympy.ceiling(size / stride)
            total = sympy.Max(0, (count - 1) * stride + reach - size)
            total = sympy.Integer(reach - 1) if stride == 1 else total
            begin = sympy.floor(total / 2) if auto == "SAME_UPPER" else sympy.ceiling(total / 2)
            after = total - begin
        else:
            after = sympy.Integer(pads[rank + i])
            if auto == "VALID":
                begin, after = sympy.Integer(0), sympy.Integer(0)
            span = sympy.expand(size + begin + after - reach)
            count = (sympy.ceiling if ceil else sympy.floor)(span / stride) + 1
            if ceil and stride > 1:  # no window begins beyond the tensor and the padding before it
                if not count.is_Integer:
                    raise r.refuse("ceil_mode along a dimension whose size is not fixed")
                if (count - 1) * stride >= size + begin:
                    count -= 1
        if count.is_Integer and count < 1:
            raise r.refuse(f"a window of {reach} places in a dimension of size {size}")
        count = r.atoms.canonical(count)
        found.append(Window(size, kernel[i], stride, dilations[i], count, begin, after))
    return found


def taken(r: Reader, x: Tensor, dim: int, w: Window) -> tuple[Tensor, bool]:
    """x with a dimension for the windows in the place of one, and after it, where the kernel is
    longer than 1, one for the taps, zero outside; and whether taps have a dimension."""
    if w.kernel == 1 and w.stride == 1 and w.begin == 0 and w.count == w.size:
        return x, False
    if w.blocks:
        blocks = blocked(r, x, dim, w)
        if blocks is not None:
            return blocks, True
    out, taps = r.atoms.new(w.count, "positions"), r.atoms.new(w.kernel, f"d{w.kernel}")
    name = f"windows of {r.node}, dimension {dim}"
    return r.windows(x, dim, [out, taps], lambda _, at: w.places(at), name), True


def blocked(r: Reader, x: Tensor, dim: int, w: Window) -> Tensor | None:
    """x with a dimension cut into blocks, where no question forbids it."""
    from ..atoms import Mismatch, Whole

    sizes: list[Any] = list(r.sizes(x))
    try:
        return r.reshape(x, [*sizes[:dim], w.count, w.kernel, *sizes[dim + 1 :]])
    except (Mismatch, Whole):
        return None
