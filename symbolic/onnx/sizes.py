"""Tensors whose size is given by a constant of the file: refused where they are beyond bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from orderproof.symbolic.onnx.graph import Array, Call, ModelError
from orderproof.symbolic.onnx.tensors import MAX_ENTRIES

# The input or attribute that holds sizes, of which the result has the product.
_SHAPE: dict[str, int | str] = {
    "ConstantOfShape": 0, "Expand": 1, "Tile": 1, "Reshape": 1, "Resize": 3, "OneHot": 1,
    "BlackmanWindow": 0, "HammingWindow": 0, "HannWindow": 0, "RandomNormal": "shape",
    "RandomUniform": "shape",
}  # fmt: skip


def check_sizes(call: Call, constant: Callable[[str], Array | None]) -> None:
    """Raise ModelError where constants alone say that a result of `call` is too large."""
    entries: float = 0
    if call.op in _SHAPE:
        at = _SHAPE[call.op]
        given = call.attributes.get(at, ()) if isinstance(at, str) else constant(call.input(at))
        # Python's integers: the product of 64-bit sizes may wrap around to a small number.
        entries = math.prod(abs(s) for s in _numbers(given))
    elif call.op == "Pad":
        entries = sum(abs(p) for p in _numbers(constant(call.input(1))))
    elif call.op == "Range":
        bounds = [b for k in range(3) for b in _numbers(constant(call.input(k)))]
        if len(bounds) == 3 and bounds[2]:
            entries = (bounds[1] - bounds[0]) / bounds[2]
    if not call.domain and not entries <= MAX_ENTRIES:
        raise ModelError(
            f"{call.name} makes a tensor of {entries:,} entries; at most {MAX_ENTRIES:,} are read"
        )


def _numbers(values: Any) -> list[Any]:
    """The numbers of an array or a tuple; none of what is no constant, or no array of numbers."""
    array = np.asarray(() if values is None else values)
    if array.size > 64:  # no tensor has as many sizes
        return [math.inf]
    return array.ravel().tolist() if array.dtype.kind in "iuf" else []
