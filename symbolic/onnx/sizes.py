"""Tensors whose size stands in a constant of the file: refused where they are beyond bounds."""

from __future__ import annotations

import math
from collections.abc import Callable

from orderproof.symbolic.onnx.graph import Array, Call, ModelError
from orderproof.symbolic.onnx.tensors import MAX_ENTRIES

# The input that holds sizes, of which the result has the product.
_SHAPE_AT = {"ConstantOfShape": 0, "Expand": 1, "Tile": 1, "Reshape": 1, "Resize": 3, "OneHot": 1,
             "BlackmanWindow": 0, "HammingWindow": 0, "HannWindow": 0}  # fmt: skip
_SHAPE_IN = {"RandomNormal": "shape", "RandomUniform": "shape"}


def check_sizes(call: Call, constant: Callable[[str], Array | None]) -> None:
    """Raise ModelError where constants alone say that a result of `call` is too large."""
    if call.domain:
        return
    entries: float = 0
    if call.op in _SHAPE_AT:
        shape = constant(call.input(_SHAPE_AT[call.op]))
        if shape is not None and shape.dtype.kind in "iuf":
            entries = _product(shape)
    elif call.op in _SHAPE_IN:
        shape_given = call.attributes.get(_SHAPE_IN[call.op], ())
        if isinstance(shape_given, tuple) and all(isinstance(s, int) for s in shape_given):
            entries = math.prod(shape_given)
    elif call.op == "Pad":
        pads = constant(call.input(1))
        if pads is not None and pads.dtype.kind in "iu":
            entries = sum(abs(int(p)) for p in pads.flat)
    elif call.op == "Range":
        entries = _range([constant(call.input(k)) for k in range(3)])
    if not entries <= MAX_ENTRIES:
        raise ModelError(
            f"{call.name} makes a tensor of {entries:,} entries; at most {MAX_ENTRIES:,} are read"
        )


def _product(shape: Array) -> float:
    # Python's integers: the product of 64-bit sizes may wrap around to a small number.
    return math.prod(abs(s) for s in shape.ravel().tolist()) if shape.size <= 64 else math.inf


def _range(bounds: list[Array | None]) -> float:
    values = [b.item() for b in bounds if b is not None and b.size == 1 and b.dtype.kind in "iuf"]
    if len(values) < 3:
        return 0
    start, limit, step = (float(v) for v in values)
    return max(0.0, (limit - start) / step) if step else 0
