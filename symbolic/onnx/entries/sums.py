"""Operators that sum or compare along an axis: of known length, or along which nothing changes."""

from __future__ import annotations

from collections.abc import Callable

from .compare import greatest, least, to_real
from .expression import (
    ONE,
    REAL,
    ZERO,
    Expr,
    add,
    index,
    integer,
    mul,
    number,
    parts,
    product,
    quotient,
    sub,
)
from .node import Node
from .rounding import divided
from .tensors import Indices, Reaches, Refused, Tensor, broadcast, place, spread
from .unknown import multiplied as unknown_product
from .unknown import summed

LONGEST = 64  # terms of a sum that are written out
FEW = 8  # of a product of matrices


def as_sort(e: Expr, sort: str) -> Expr:
    """An integer as a number of this sort."""
    return to_real(e) if sort == REAL else e


FOLDS: dict[str, tuple[Callable[[Expr, Expr], Expr], Callable[[Expr, Expr], Expr]]] = {
    # of two entries; and of n equal ones
    "ReduceSum": (add, lambda e, n: mul(as_sort(n, e.sort), e)),
    "ReduceMean": (add, lambda e, n: mul(as_sort(n, e.sort), e)),
    "ReduceMax": (greatest, lambda e, n: e),
    "ReduceMin": (least, lambda e, n: e),
    "ReduceProd": (mul, lambda e, n: _power(e, n)),
}


def _power(e: Expr, n: Expr) -> Expr:
    if e == number(1, e.sort):
        return e
    raise Refused("given a product of unknown length of entries other than 1")


def reduced(node: Node) -> Tensor:
    """ReduceSum, ReduceMean, ReduceMax, ReduceMin and ReduceProd."""
    t, axes = node.input(0), node.numbers(1, "axes")
    if not axes and node.attribute("noop_with_empty_axes", 0):
        return t
    over = sorted(place(a, t.rank) for a in axes) if axes else list(range(t.rank))
    of, repeated = FOLDS[node.call.op]
    keeps = bool(node.attribute("keepdims", 1))
    if node.call.op == "ReduceMean" and t.sort != REAL:
        raise Refused("given a mean of integers, expected reals")
    whole = t
    for axis in over:
        whole = _along(node, whole, axis, of, repeated)
    if node.call.op == "ReduceMean":
        count = to_real(product(t.dims[k] for k in over))
        total = whole
        whole = Tensor(whole.dims, t.sort, lambda i: _mean(total.at(*i), count))
    whole = _or_unknown(node, whole, over)
    if keeps:
        return whole
    gone = set(over)
    dims = tuple(d for k, d in enumerate(t.dims) if k not in gone)

    def entry(i: Indices) -> Expr:
        own = iter(i)
        return whole.at(*(ZERO if k in gone else next(own) for k in range(t.rank)))

    return Tensor(dims, t.sort, entry)


def _or_unknown(node: Node, t: Tensor, over: list[int]) -> Tensor:
    """A reduction that is written out where it can be."""

    def entry(i: Indices) -> Expr:
        try:
            return t.at(*i)
        except Reaches:
            raise
        except Refused:
            return summed(node, over).at(*i)

    return Tensor(t.dims, t.sort, entry)


def _mean(total: Expr, count: Expr) -> Expr:
    exact = quotient(total, count) if total.tame and total.op != "number" else None
    return divided(total, count) if exact is None else exact


def _along(
    node: Node,
    t: Tensor,
    axis: int,
    of: Callable[[Expr, Expr], Expr],
    repeated: Callable[[Expr, Expr], Expr],
) -> Tensor:
    length = t.dims[axis]
    known = integer(length)
    name = node.fresh()

    def entry(i: Indices) -> Expr:
        if known is not None and 0 < known <= LONGEST:
            whole = t.at(*i[:axis], ZERO, *i[axis + 1 :])
            for k in range(1, known):
                whole = of(whole, t.at(*i[:axis], number(k), *i[axis + 1 :]))
            return whole
        return repeated(unchanged(t, i, axis, name), length)

    return Tensor((*t.dims[:axis], ONE, *t.dims[axis + 1 :]), t.sort, entry)


def unchanged(t: Tensor, i: Indices, axis: int, name: str) -> Expr:
    """The entry that a tensor has all along an axis."""
    each = t.at(*i[:axis], index(name), *i[axis + 1 :])
    if index(name) in parts(each):
        raise Refused("given a sum of unknown length of entries that differ")
    return each


def cumulated(node: Node) -> Tensor:
    """CumSum, along an axis along which nothing changes."""
    t = node.input(0)
    (axis,) = (place(k, t.rank) for k in node.input(1).numbers())
    backwards = bool(node.attribute("reverse", 0))
    exclusive = bool(node.attribute("exclusive", 0))
    name = node.fresh()

    def entry(i: Indices) -> Expr:
        each = unchanged(t, i, axis, name)
        count = sub(t.dims[axis], i[axis]) if backwards else add(i[axis], ONE)
        count = sub(count, ONE) if exclusive else count
        return mul(as_sort(count, t.sort), each)

    return Tensor(t.dims, t.sort, entry)


def multiplied(node: Node) -> Tensor:
    """MatMul, with a sum that is written out where it is short."""
    x, y = node.input(0), node.input(1)
    if x.rank < 2 or y.rank < 2:
        raise Refused("given a vector, expected matrices")
    front = broadcast([x.dims[:-2], y.dims[:-2]], node.require)
    known = integer(x.dims[-1])
    if known is None or not 0 < known <= FEW:
        return unknown_product(node)

    def entry(i: Indices) -> Expr:
        whole: Expr | None = None
        for k in range(known):
            left = spread(x, (*i[:-2], i[-2], number(k)))
            term = mul(left, spread(y, (*i[:-2], number(k), i[-1])))
            whole = term if whole is None else add(whole, term)
        if whole is None:
            raise Refused("given an empty sum")
        return whole

    return Tensor((*front, x.dims[-2], y.dims[-1]), x.sort, entry)
