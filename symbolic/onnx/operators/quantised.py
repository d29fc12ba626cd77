"""Numbers of few bits: rounded to a multiple of a scale, and back; products of such numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Call
from ..reader import Reader, operator
from ..values import Tensor
from .elementwise import function, stored, type_of
from .node import attributes, optional

READ = ("uint8", "int8", "uint16", "int16")


def beside(r: Reader, c: Call, x: Tensor, of: Any, axis: int | None = None) -> Tensor:
    """A scale or zero point to stand beside x: one for all, or one for each index of an axis, by
    default that of the call."""
    t, has = r.as_tensor(of), attributes(c)
    if has.get("block_size") or len(t.dims) > 1:
        raise r.refuse("scales of blocks, or with several dimensions, are not read")
    if r.sizes(t) in ((), (1,)):
        return r.reshape(t, [])
    after = len(x.dims) - 1 - r.dimension(has["axis"] if axis is None else axis, len(x.dims))
    return r.insert(t, range(1, 1 + after))


@operator("DequantizeLinear")
def dequantised(r: Reader, c: Call, args: list[Any]) -> Any:
    """(x − zero point) · scale."""
    x = r.as_tensor(args[0])
    if optional(args, 2) is not None:
        x = r.function("sub", x, beside(r, c, x, args[2]))
    return r.function("mul", x, beside(r, c, x, args[1]))


@operator("QuantizeLinear")
def quantised(r: Reader, c: Call, args: list[Any]) -> Any:
    """x / scale, rounded to even, plus the zero point, within what the type holds."""
    x, has, zero, to = r.as_tensor(args[0]), attributes(c), optional(args, 2), "uint8"
    if has.get("output_dtype") or zero is not None:
        of = has.get("output_dtype") or stored(r, c.input(2))
        if of is None:
            raise r.refuse("a zero point of a type that is not known")
        to = type_of(r, of)
    if to not in READ or has.get("precision"):
        raise r.refuse(f"numbers of type {to} are not quantised")
    rounded = r.function("div", x, beside(r, c, x, args[1]))
    rounded = r.function("round", rounded, of=np.round)
    if zero is not None:
        rounded = r.function("add", rounded, beside(r, c, x, zero))
    return within(r, rounded, to)


def within(r: Reader, x: Tensor, to: str) -> Tensor:
    """The nearest number that a type holds."""
    ends = np.iinfo(to)
    return r.function(f"within_{to}", x, of=lambda a: np.clip(a, ends.min, ends.max), kind="i")


@operator("DynamicQuantizeLinear")
def dynamic(r: Reader, c: Call, args: list[Any]) -> Any:
    """As QuantizeLinear, with the scale and the zero point that the range of x asks for."""
    x = r.as_tensor(args[0])
    top, low = (
        function(r, c, k, [r.reduce(k, x, range(len(x.dims)), keep=False), r.number(0)], "f")
        for k in ("max", "min")
    )
    scale = r.function("div", r.function("sub", top, low), r.number(255))
    zero = within(r, r.function("sub", r.number(0), r.function("div", low, scale)), "uint8")
    zero = r.function("round", zero, of=np.round)
    rounded = r.function("round", r.function("div", x, scale), of=np.round)
    return [within(r, r.function("add", rounded, zero), "uint8"), scale, zero]


@operator("MatMulInteger")
def product(r: Reader, c: Call, args: list[Any]) -> Any:
    """The product of matrices, each without its zero point: of rows of the first, of columns of
    the second. (onnxruntime cuts sums of two products to 16 bits on processors without an
    instruction for it: with weights beyond 64 its value may differ, and the check says so.)"""
    parts = [r.as_tensor(a) for a in args[:2]]
    for k in (0, 1):
        if optional(args, 2 + k) is not None:
            zero = beside(r, c, parts[k], args[2 + k], -2 if k == 0 else -1)
            parts[k] = r.function("sub", parts[k], zero, kind="i")
    return r.matmul(*parts)
