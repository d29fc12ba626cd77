"""Reductions over dimensions, normalisations, softmax, and what is known of a row as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Call
from ..reader import Reader, operator
from ..values import Tensor
from .elementwise import as_numbers, function
from .node import attributes, numbers, run_node, scalar

# of each reduction: a function of the entries (of two: the square), what reduces them, a function
# of the result
STEPS = {
    "Sum": ("", "sum", ""), "Mean": ("", "mean", ""), "Max": ("", "max", ""),
    "Min": ("", "min", ""), "Prod": ("", "prod", ""), "L1": ("abs", "sum", ""),
    "L2": ("mul", "sum", "sqrt"), "SumSquare": ("mul", "sum", ""),
    "LogSum": ("", "sum", "log"), "LogSumExp": ("exp", "sum", "log"),
}  # fmt: skip


@operator(*(f"Reduce{name}" for name in STEPS))
def reduction(r: Reader, c: Call, args: list[Any]) -> Any:
    x, keep = r.as_tensor(args[0]), attributes(c)["keepdims"] == 1
    before, how, after = STEPS[c.op.removeprefix("Reduce")]
    # axes are an input since opset 13 or 18, an attribute before; none are named: all, or none
    dims = sorted(
        r.dimensions(numbers(r, args, 1, "axes", c.attributes.get("axes", ())), len(x.dims))
    )
    if not dims and c.attributes.get("noop_with_empty_axes", 0) != 1:
        dims = [*range(len(x.dims))]
    if not dims and not before and not after:
        return r.permute(x, range(len(x.dims)))  # ONNX: the input, as it is
    if not dims and len(x.dims):
        raise r.refuse(f"{c.op} over no dimensions is not read")
    if how in ("max", "min", "mean") and any(r.sizes(x)[i] == 0 for i in dims):
        raise r.refuse(f"{c.op} over a dimension of size 0")
    if x.kind == "i" and (how == "mean" or after):
        raise r.refuse(f"{c.op} of whole numbers, which is cut off, is not read")
    if before:
        x = function(r, c, before, [x, x] if before == "mul" else [x], x.kind)
    found = r.mean(x, dims, keep) if how == "mean" else r.reduce(how, x, dims, keep)
    return r.function(after, found) if after else found


@operator("Softmax")
def softmax(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    return r.softmax(x, r.dimension(attributes(c)["axis"], len(x.dims)))


@operator("ArgMax", "ArgMin", "Hardmax")
def of_rows(r: Reader, c: Call, args: list[Any]) -> Any:
    """A number of each row, or a row, of which nothing is known: of ties the order decides."""
    x, has = r.as_tensor(args[0]), attributes(c)
    dim = r.dimension(has["axis"], len(x.dims))
    name = f"{c.op.lower()}{'_last' if has.get('select_last_index') else ''}"
    whole = c.op == "Hardmax"
    of = run_node(c, "f", axis=-1, keepdims=None if whole else 1)
    new, kind = (x.dims[dim], "f") if whole else ((), "i")
    rank = range(len(x.dims))
    found = r.operator(name, [x], [rank], rank, {dim: new}, [dim], lambda x, _: of(x), kind)
    return found if whole or has["keepdims"] == 1 else r.drop(found, [dim])


# ------------------------------------------------------------------------------ largest values
@operator("TopK")
def largest(r: Reader, c: Call, args: list[Any]) -> Any:
    x, has = r.as_tensor(args[0]), attributes(c)
    dim = r.dimension(has["axis"], len(x.dims))
    k = r.atoms.canonical(numbers(r, args, 1, "the number of values")[0])
    if not has["sorted"]:
        raise r.refuse("values in an order that is left open")
    most = bool(has["largest"])
    found = [by_counting(r, x, dim, k, most) if c.outputs[0] else None]
    if any(c.outputs[1:]):

        def places(rows: Any, count: int) -> Any:  # the reference sorts without asking Balls
            order = np.argsort(-rows if most else rows, axis=-1, kind="stable")
            return order[..., :count].astype(rows.dtype)

        name, rank = f"places of the {'largest' if most else 'least'}", range(len(x.dims))
        new = {dim: r.atoms.new(k, "rank")}
        found.append(r.operator(name, [x], [rank], rank, new, [dim], places, "i"))
    return found


def by_counting(r: Reader, x: Tensor, dim: int, k: Any, most: bool) -> Tensor:
    """The value of rank k, from 0, is the least of those x_i that at most k others exceed:
    min over i of where(#{j: x_j > x_i} ≤ k, x_i, ∞). Equal values take as many ranks as there are
    of them. No rank depends on the order of the x_i: the ranks are a set of their own."""
    before, after = list(range(dim)), list(range(dim + 1, len(x.dims)))
    rows = [[*before, label, *after] for label in ("j", "i")]
    name: str = "greater" if most else "less"
    ahead = r.pointwise(name, [x, x], rows, rows[1], of=as_numbers(getattr(np, name)))
    ranks = r.table(
        f"ranks in {r.node}", [r.atoms.new(k, "rank")], lambda _, at: np.arange(at(k), dtype=float)
    )
    limit = np.inf if most else -np.inf
    kept = r.pointwise(
        "reaches_rank" if most else "within_rank", [ahead, x, ranks], [rows[1], rows[1], ["k"]],
        [*before, "k", "i", *after],
        of=lambda count, value, rank: np.where(
            count <= rank, value, np.asarray(limit, np.result_type(value.dtype, np.float16))
        ),
        kind=x.kind,
    )  # fmt: skip
    return r.reduce("min" if most else "max", kept, [dim + 1], keep=False)


# ------------------------------------------------------------------------------ normalisations
@operator("LayerNormalization", "InstanceNormalization", "BatchNormalization")
def normalisation(r: Reader, c: Call, args: list[Any]) -> Any:
    """(x − mean) / √(variance + ε), times a gain, plus a shift if there is one. The mean and the
    variance of a batch are inputs."""
    x, has, by_layer = r.as_tensor(args[0]), attributes(c), c.op == "LayerNormalization"
    if has.get("training_mode"):
        raise r.refuse("BatchNormalization in training mode is not read")
    given = [r.as_tensor(t) for t in args[1:] if t is not None]
    if not by_layer:  # over the channels, x's second dimension
        given = [r.insert(t, range(1, len(x.dims) - 1)) for t in given]
    dims = range(r.dimension(has["axis"], len(x.dims)) if by_layer else 2, len(x.dims))
    mean, variance = given[2:] if c.op == "BatchNormalization" else (r.mean(x, dims), None)
    x = r.function("sub", x, mean)
    if variance is None:
        variance = r.mean(r.function("mul", x, x), dims)
    deviation = r.function("sqrt", r.function("add", variance, scalar(r, has["epsilon"])))
    x = r.function("div", x, deviation)
    for name, gain in zip(("mul", "add"), given[:2], strict=False):
        x = r.function(name, x, gain)
    return [x, mean, r.function("div", r.number(1), deviation)] if by_layer else x
