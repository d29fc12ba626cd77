"""Operators that move entries, select them, or make them from their places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .arithmetic import dtype_of
from .compare import at_most, below, both, equal, greatest, ite, least, to_real
from .expression import (
    INT,
    ONE,
    REAL,
    ZERO,
    Expr,
    add,
    integer,
    mul,
    neg,
    number,
    product,
    sub,
    value_of,
)
from .node import Node, of_array
from .rounding import ceil_div, divided, floor, floor_mod
from .tables import sort_of, value
from .tensors import (
    Indices,
    Refused,
    Tensor,
    broadcast,
    expanded,
    inferred,
    place,
    reshaped,
)


def listed(elements: Sequence[Expr]) -> Tensor:
    """A list of integers."""

    def entry(i: Indices) -> Expr:
        if (k := integer(i[0])) is not None and 0 <= k < len(elements):
            return elements[k]
        if not elements:
            raise Refused("given an empty list, expected an entry")
        whole = elements[-1]
        for k in range(len(elements) - 2, -1, -1):
            whole = ite(equal(i[0], number(k)), elements[k], whole)
        return whole

    return Tensor((number(len(elements)),), INT, entry)


def scalar(e: Expr) -> Tensor:
    """One value."""
    return Tensor((), e.sort, lambda _: e)


def constant(node: Node) -> Tensor:
    """Constant, in all its forms but sparse and text."""
    for name, dtype in (
        ("value", None), ("value_float", "f4"), ("value_floats", "f4"), ("value_int", "i8"),
        ("value_ints", "i8"),
    ):  # fmt: skip
        if (found := node.attribute(name)) is not None:
            return of_array(np.asarray(found, dtype=dtype))
    raise Refused("given a constant that is sparse or text, expected numbers")


def shape(node: Node) -> Tensor:
    """Shape, from start to end, each counted from the back where negative."""
    dims = node.input(0).dims
    start, end = node.attribute("start", 0), node.attribute("end")
    return listed(dims[slice(start, end)])


def size_of(node: Node) -> Tensor:
    """Size: how many entries."""
    return scalar(product(node.input(0).dims))


def gather(node: Node) -> Tensor:
    """Gather: entries along an axis at given places, counted from the back where negative."""
    t, places = node.input(0), node.input(1)
    axis = place(node.attribute("axis", 0), t.rank)
    length = t.dims[axis]
    node.require_everywhere(places, lambda e: both(at_most(neg(length), e), below(e, length)))

    def entry(i: Indices) -> Expr:
        at = places.at(*i[axis : axis + places.rank])
        at = ite(below(at, ZERO), add(at, length), at)
        return t.at(*i[:axis], at, *i[axis + places.rank :])

    return Tensor((*t.dims[:axis], *places.dims, *t.dims[axis + 1 :]), t.sort, entry)


def gather_places(node: Node) -> Tensor:
    """GatherND without batches: the last axis of the places has the first indices."""
    t, places = node.input(0), node.input(1)
    count = integer(places.dims[-1]) if places.rank else None
    if node.attribute("batch_dims", 0) or count is None or not 0 < count <= t.rank:
        raise Refused("given batches, or places of unknown length, expected places alone")
    wide = places.rank - 1

    def part(k: int) -> Tensor:
        return Tensor(places.dims[:-1], INT, lambda i: places.at(*i, number(k)))

    for k in range(count):
        d = t.dims[k]
        node.require_everywhere(part(k), lambda e, d=d: both(at_most(neg(d), e), below(e, d)))  # type: ignore[misc]

    def entry(i: Indices) -> Expr:
        at = [places.at(*i[:wide], number(k)) for k in range(count)]
        from_front = [ite(below(e, ZERO), add(e, d), e) for e, d in zip(at, t.dims, strict=False)]
        return t.at(*from_front, *i[wide:])

    return Tensor((*places.dims[:-1], *t.dims[count:]), t.sort, entry)


def clamped(x: Expr, low: Expr, high: Expr) -> Expr:
    """x, or the bound that it is beyond."""
    return greatest(low, least(x, high))


def sliced(node: Node) -> Tensor:
    """Slice: starts and ends are counted from the back where negative, then clamped."""
    t = node.input(0)
    starts, ends = node.input(1).elements(), node.input(2).elements()
    axes = node.given(3)
    which = list(range(len(starts))) if axes is None else axes.numbers()
    steps = node.given(4)
    by = [1] * len(starts) if steps is None else steps.numbers()
    dims = [*t.dims]
    taken: dict[int, tuple[Expr, int]] = {}
    for start, end, axis, step in zip(starts, ends, which, by, strict=True):
        k = place(axis, t.rank)
        first, count = stretch(start, end, step, t.dims[k])
        taken[k], dims[k] = (first, step), count

    def entry(i: Indices) -> Expr:
        moved = [
            add(taken[k][0], mul(number(taken[k][1]), e)) if k in taken else e
            for k, e in enumerate(i)
        ]
        return t.at(*moved)

    return Tensor(tuple(dims), t.sort, entry)


FAR = 2**63 - 1  # no dimension is above it


def stretch(start: Expr, end: Expr, step: int, length: Expr) -> tuple[Expr, Expr]:
    """Where a slice begins, and how many it takes."""
    if step == 0:
        raise Refused("given a slice of step 0, expected another")
    last = sub(length, ONE)

    def counted(e: Expr) -> Expr:
        known = integer(e)
        if known is not None:  # "to the end" is written as a bound of the integers
            if known >= FAR:
                return length
            if known <= -FAR:
                return number(-1) if step < 0 else ZERO
            return add(e, length) if known < 0 else e
        return ite(below(e, ZERO), add(e, length), e)

    if step > 0:
        first, stop = clamped(counted(start), ZERO, length), clamped(counted(end), ZERO, length)
    else:
        far = integer(end)
        behind = number(-1) if far is not None and far <= -FAR else counted(end)
        first, stop = clamped(counted(start), ZERO, last), clamped(behind, number(-1), last)
    return first, greatest(ZERO, ceil_div(sub(stop, first), number(step)))


def joined(node: Node) -> Tensor:
    """Concat."""
    tensors = [node.input(k) for k in range(len(node.inputs))]
    axis = place(node.attribute("axis"), tensors[0].rank)
    ends: list[Expr] = []
    for t in tensors:
        ends.append(add(ends[-1] if ends else ZERO, t.dims[axis]))
        for k, (d, e) in enumerate(zip(tensors[0].dims, t.dims, strict=True)):
            if k != axis:
                node.require(equal(d, e))

    def entry(i: Indices) -> Expr:
        begins = [ZERO, *ends]
        known = integer(i[axis])
        whole: Expr | None = None
        for t, begin, end in reversed([*zip(tensors, begins, ends, strict=False)]):
            if t.dims[axis] == ZERO or (known is not None and _beyond(known, begin, end)):
                continue
            part = t.at(*i[:axis], sub(i[axis], begin), *i[axis + 1 :])
            whole = part if whole is None else ite(below(i[axis], end), part, whole)
        if whole is None:
            raise Refused("given an index beyond what is joined")
        return whole

    dims = (*tensors[0].dims[:axis], ends[-1], *tensors[0].dims[axis + 1 :])
    return Tensor(dims, tensors[0].sort, entry)


def _beyond(known: int, begin: Expr, end: Expr) -> bool:
    first, stop = integer(begin), integer(end)
    return (first is not None and known < first) or (stop is not None and known >= stop)


def parted(node: Node) -> tuple[Tensor, ...]:
    """Split, into parts of given or of equal size."""
    t = node.input(0)
    axis = place(node.attribute("axis", 0), t.rank)
    given = node.given(1)
    count = len(node.call.outputs)
    if given is not None:
        lengths = given.elements()
    else:
        each = ceil_div(t.dims[axis], number(count))
        lengths = [each] * (count - 1) + [sub(t.dims[axis], mul(each, number(count - 1)))]
    found, begin = [], ZERO
    for length in lengths:

        def entry(i: Indices, begin: Expr = begin) -> Expr:
            return t.at(*i[:axis], add(begin, i[axis]), *i[axis + 1 :])

        dims = (*t.dims[:axis], length, *t.dims[axis + 1 :])
        found.append(Tensor(dims, t.sort, entry))
        begin = add(begin, length)
    node.require(equal(begin, t.dims[axis]))
    return tuple(found)


def unsqueezed(node: Node) -> Tensor:
    """Unsqueeze."""
    t, axes = node.input(0), node.numbers(1, "axes") or []
    rank = t.rank + len(axes)
    new = {place(a, rank) for a in axes}
    own = iter(t.dims)
    dims = tuple(ONE if k in new else next(own) for k in range(rank))
    return Tensor(dims, t.sort, lambda i: t.at(*(e for k, e in enumerate(i) if k not in new)))


def squeezed(node: Node) -> Tensor:
    """Squeeze: of all axes where none are named, and then every size must be known to be 1 or not
    to be."""
    t, axes = node.input(0), node.numbers(1, "axes")
    if axes is None and any(integer(d) is None for d in t.dims):
        raise Refused("given no axes and a size that may be 1, expected axes")
    gone = {k for k, d in enumerate(t.dims) if d == ONE} if axes is None else {
        place(a, t.rank) for a in axes
    }  # fmt: skip
    for k in gone:
        node.require(equal(t.dims[k], ONE))

    def entry(i: Indices) -> Expr:
        own = iter(i)
        return t.at(*(ZERO if k in gone else next(own) for k in range(t.rank)))

    return Tensor(tuple(d for k, d in enumerate(t.dims) if k not in gone), t.sort, entry)


def reshape(node: Node) -> Tensor:
    """Reshape."""
    t = node.input(0)
    copies = not node.attribute("allowzero", 0)
    return reshaped(t, inferred(t.dims, node.input(1).elements(), copies=copies))


def flatten(node: Node) -> Tensor:
    """Flatten, to two axes."""
    t, axis = node.input(0), node.attribute("axis", 1)
    cut = t.rank if axis == t.rank else place(axis, t.rank)
    return reshaped(t, (product(t.dims[:cut]), product(t.dims[cut:])))


def transposed(node: Node) -> Tensor:
    """Transpose."""
    t = node.input(0)
    perm = [int(k) for k in node.attribute("perm", range(t.rank)[::-1])]
    back = [perm.index(k) for k in range(t.rank)]
    return Tensor(
        tuple(t.dims[k] for k in perm), t.sort, lambda i: t.at(*(i[back[k]] for k in range(t.rank)))
    )


def expand(node: Node) -> Tensor:
    """Expand: broadcast with a shape."""
    t = node.input(0)
    wanted = node.input(1).elements()
    return expanded(t, broadcast([t.dims, wanted], node.require))


def tiled(node: Node) -> Tensor:
    """Tile."""
    t, times = node.input(0), node.input(1).elements()
    dims = tuple(mul(d, r) for d, r in zip(t.dims, times, strict=True))

    def entry(i: Indices) -> Expr:
        return t.at(*(
            ZERO if d == ONE else e if r == ONE else floor_mod(e, d)
            for e, d, r in zip(i, t.dims, times, strict=True)
        ))  # fmt: skip

    return Tensor(dims, t.sort, entry)


def ranged(node: Node) -> Tensor:
    """Range: from start, by steps, up to and without the limit."""
    start, limit, delta = (node.input(k).at() for k in range(3))
    if delta.sort == INT:
        if delta == ZERO:
            raise Refused("given a range of step 0, expected another")
        if integer(delta) is None:
            node.require(below(ZERO, delta))
        count = ceil_div(sub(limit, start), delta)
        return Tensor((greatest(ZERO, count),), INT, lambda i: add(start, mul(delta, i[0])))
    by = value_of(delta)
    if by is None or by == 0:
        raise Refused("given a range of reals of unknown step, expected a number other than 0")
    count = neg(floor(neg(divided(sub(limit, start), delta))))
    return Tensor((greatest(ZERO, count),), REAL, lambda i: add(start, mul(delta, to_real(i[0]))))


def filled(node: Node) -> Tensor:
    """ConstantOfShape."""
    given = node.attribute("value")
    entry = of_array(np.zeros(1, "f4") if given is None else np.asarray(given).reshape(-1)[:1])
    dims = tuple(node.input(0).elements())
    return Tensor(dims, entry.sort, lambda _: entry.at(ZERO))


def eye_like(node: Node) -> Tensor:
    """EyeLike: 1 where the column is the row moved by k."""
    t = node.input(0)
    if t.rank != 2:
        raise Refused(f"given {t.rank} axes, expected two")
    to = node.attribute("dtype")
    sort = t.sort if to is None else sort_of(dtype_of(to))
    if not sort:
        raise Refused("given a type other than float, int32, int64 or bool")
    k = number(int(node.attribute("k", 0)))
    one, zero = value(1, sort), value(0, sort)
    return Tensor(t.dims, sort, lambda i: ite(equal(i[1], add(i[0], k)), one, zero))


def triangle(node: Node) -> Tensor:
    """Trilu: columns from the row moved by k on (upper), or up to it; 0 elsewhere."""
    t = node.input(0)
    if t.rank < 2:
        raise Refused(f"given {t.rank} axes, expected at least two")
    k = ZERO if (moved := node.given(1)) is None else moved.elements()[0]
    zero, upper = value(0, t.sort), bool(node.attribute("upper", 1))

    def entry(i: Indices) -> Expr:
        edge = add(i[-2], k)
        kept = at_most(edge, i[-1]) if upper else at_most(i[-1], edge)
        return ite(kept, t.at(*i), zero)

    return Tensor(t.dims, t.sort, entry)
