"""Constants whose entries count positions, as those of `Range` do: Σ stride · position, over
dimensions of the constant. To gather at these is to put dimensions elsewhere: no choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy
from onnx import TensorProto

from .atoms import Size
from .graph import Array, Call
from .values import Constant, Strides

# operators that keep the order of entries
SPREADING = {"Cast", "Expand", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"}
WIDE = (TensorProto.INT32, TensorProto.INT64)  # whole numbers that count any tensor's positions
COUNTING = (*WIDE, TensorProto.FLOAT, TensorProto.DOUBLE)  # types that hold them


def counted(call: Call, given: Sequence[Any], value: Constant) -> tuple[Strides, ...]:
    """What the result of a call on constants counts: see `Constant.counts`."""
    of = [c for c in given if isinstance(c, Constant)]
    rank = len(value.sizes)
    if call.op in SPREADING and of:
        return _spread(call, of[0], value)
    own = [_aligned(c, rank) for c in of]
    match call.op, own:
        case "Mul", [{} as strides, None] | [None, {} as strides]:
            return _scaled(strides, of[own.index(None)])
        case "Add", [{} as a, {} as b] if not a.keys() & b.keys():
            return ({**a, **b},)
        case "Concat", _ if int(call.attributes["axis"]) % rank == rank - 1:
            each = [s for s, c in zip(own, of, strict=True) if s is not None and c.sizes[-1] == 1]
            return tuple(each) if len(each) == len(given) else ()
    return ()


def _aligned(c: Constant, rank: int) -> Strides | None:
    """What all entries count, along the dimensions of a result of so many dimensions."""
    shift = rank - len(c.sizes)
    return {k + shift: s for k, s in c.counts[0].items()} if len(c.counts) == 1 else None


def _spread(call: Call, of: Constant, value: Constant) -> tuple[Strides, ...]:
    """The same entries in other dimensions."""
    if call.op == "Cast":
        plain = all([*own.values()] == [1] for own in of.counts)
        return of.counts if call.attributes.get("to") in (COUNTING if plain else WIDE[1:]) else ()
    if call.op == "Identity":
        return of.counts
    new = [k for k, varies in enumerate(value.varies_along) if varies]
    if len(of.counts) != 1 or (call.op == "Transpose" and len(new) > 1):
        return ()
    old = sorted(of.counts[0])
    if [of.sizes[k] for k in old] != [value.sizes[k] for k in new]:
        return ()
    return ({k: of.counts[0][i] for i, k in zip(old, new, strict=True)},)


def _scaled(own: Strides, by: Constant) -> tuple[Strides, ...]:
    """The entries times a whole number."""
    factor = by.ints.flat[0] if by.ints is not None and by.ints.size == 1 else sympy.Integer(0)
    return ({k: sympy.expand(s * factor) for k, s in own.items()},) if factor.is_positive else ()


def strides_of(array: Array) -> Strides | None:
    """The strides along the dimensions along which whole numbers grow evenly from 0; None where
    they do not."""
    found = {}
    for k, n in enumerate(array.shape):
        step = int(np.moveaxis(array, k, 0).reshape(n, -1)[1, 0]) if n > 1 and array.size else 0
        if step > 0:
            found[k] = sympy.Integer(step)
    index = np.indices(array.shape, sparse=True)
    total = sum((int(s) * index[k] for k, s in found.items()), np.zeros((), np.int64))
    return found if np.array_equal(np.broadcast_to(total, array.shape), array) else None


def row_by_row(
    own: Strides, sizes: Sequence[Size], canonical: Callable[[Size], Size]
) -> list[int] | None:
    """The dimensions, outermost first, over which these strides count row by row; else None."""
    left, found, step = dict(own), list[int](), sympy.Integer(1)
    while left:
        inner = [k for k, s in left.items() if canonical(s - step) == 0]
        if len(inner) != 1:
            return None
        (k,) = inner
        found, step = [k, *found], sympy.expand(step * sizes[k])
        del left[k]
    return found
