"""Sums, products, largest and smallest values over dimensions, and softmax."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Call
from ..reader import Reader, operator
from ..values import Tensor


def axes_of(r: Reader, c: Call, args: list[Any], rank: int) -> list[int]:
    """The dimensions that a reduction is over: an input since opset 13 or 18, an attribute before;
    none named: all of them, or with noop_with_empty_axes none."""
    if len(args) > 1 and args[1] is not None:
        named = list(r.ints(args[1], "axes").flat)
    else:
        named = list(c.attributes.get("axes", ()))
    if not named:
        return [] if c.attributes.get("noop_with_empty_axes", 0) else list(range(rank))
    return sorted(r.dimensions(named, rank))


@operator(
    "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
    "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp",
)  # fmt: skip
def reduction(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    dims, keep = axes_of(r, c, args, len(x.dims)), bool(c.attributes.get("keepdims", 1))
    op = c.op.removeprefix("Reduce")
    if not dims and op in ("Sum", "Mean", "Max", "Min", "Prod"):
        return r.permute(x, range(len(x.dims)))  # ONNX: the input, as it is
    if not dims and len(x.dims):
        raise r.refuse(f"{c.op} over no dimensions is not read")
    if op in ("Max", "Min", "Mean") and any(r.sizes(x)[i] == 0 for i in dims):
        raise r.refuse(f"{c.op} over a dimension of size 0")
    if op == "Mean" and x.kind == "i":
        raise r.refuse("a mean of whole numbers, which is cut off, is not read")
    if x.kind == "i" and op in ("L2", "LogSum", "LogSumExp"):
        raise r.refuse(f"{c.op} of whole numbers is not read")
    if op == "Mean":
        return r.mean(x, dims, keep)
    if op in ("Max", "Min", "Prod"):
        return r.reduce(op.lower(), x, dims, keep)
    if op == "L1":
        x = r.function("abs", x, of=np.abs, kind=x.kind)
    elif op in ("L2", "SumSquare"):
        x = r.function("mul", x, x, kind=x.kind)
    elif op == "LogSumExp":
        x = r.function("exp", x)
    whole = r.reduce("sum", x, dims, keep)
    if op == "L2":
        return r.function("sqrt", whole)
    return r.function("log", whole) if op in ("LogSum", "LogSumExp") else whole


@operator("Softmax", "LogSoftmax")
def softmax(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    dim = r.dimension(c.attributes.get("axis", -1), len(x.dims))
    if c.op == "Softmax":
        return r.softmax(x, dim)
    top = r.function("sub", x, r.reduce("max", x, [dim]))
    total = r.reduce("sum", r.function("exp", top), [dim])
    return r.function("sub", top, r.function("log", total))


@operator("ArgMax", "ArgMin")
def arg(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    dim = r.dimension(c.attributes.get("axis", 0), len(x.dims))
    last = bool(c.attributes.get("select_last_index", 0))
    find: Any = np.argmax if c.op == "ArgMax" else np.argmin

    def of(rows: Any, _: int) -> Any:
        if last:
            return rows.shape[-1] - 1 - find(rows[..., ::-1], axis=-1)
        return find(rows, axis=-1)

    name = f"{c.op.lower()}{'_last' if last else ''}"
    return along(r, name, x, dim, of, bool(c.attributes.get("keepdims", 1)))


def along(r: Reader, name: str, x: Tensor, dim: int, of: Any, keep: bool) -> Tensor:
    """A number of each row, of which nothing is known."""
    found = r.rowwise(name, x, dim, of, (), "i")
    return found if keep else r.drop(found, [dim])
