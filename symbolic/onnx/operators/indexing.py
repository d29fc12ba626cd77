"""Slices, gathers, joins: entries at other places."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

from ..atoms import quotient
from ..counting import row_by_row, strides_of
from ..graph import Call
from ..reader import Reader, operator
from ..values import Constant, Strides, Tensor
from .node import optional
from .one_hot import is_place


@operator("Concat")
def concat(r: Reader, c: Call, args: list[Any]) -> Any:
    parts = [r.as_tensor(a) for a in args]
    return r.concat(parts, r.dimension(c.attributes["axis"], len(parts[0].dims)))


@operator("Split")
def split(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    dim = r.dimension(c.attributes.get("axis", 0), len(x.dims))
    size = r.sizes(x)[dim]
    if len(args) > 1 and args[1] is not None:
        lengths = list(r.ints(args[1], "split").flat)
        if sympy.expand(sum(lengths) - size) != 0:
            r.atoms.equate(size, r.atoms.canonical(sum(lengths)))
    else:
        k = int(c.attributes.get("num_outputs", len(c.outputs)))
        each = sympy.ceiling(size / k) if size.is_Integer else quotient(size, sympy.Integer(k))
        if each is None:
            raise r.refuse(f"a split of a dimension of size {size} into {k} parts")
        lengths = [each] * (k - 1) + [sympy.expand(size - each * (k - 1))]
    if len(lengths) != len(c.outputs) or not all(x.is_nonnegative for x in lengths):
        raise r.refuse(f"a split of size {size} into {lengths} with {len(c.outputs)} outputs")
    found, start = [], sympy.Integer(0)
    for length in lengths:
        found.append(r.slice(x, dim, start, start + length))
        start = sympy.expand(start + length)
    return found


@operator("Slice")
def slices(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    starts, ends = (list(r.ints(a, "the bounds").flat) for a in args[1:3])
    axes = (
        list(r.ints(args[3], "axes").flat)
        if optional(args, 3) is not None
        else list(range(len(starts)))
    )
    steps = (
        list(r.ints(args[4], "steps").flat) if optional(args, 4) is not None else [1] * len(starts)
    )
    for a, start, end, step in zip(axes, starts, ends, steps, strict=True):
        dim = r.dimension(a, len(x.dims))
        size = r.sizes(x)[dim]
        if not sympy.sympify(step).is_Integer or step == 0:
            raise r.refuse(f"a slice with step {step}")
        first, last = bounded(r, start, size, step), bounded(r, end, size, step, 1)
        ahead = sympy.expand((last - first) * (1 if step > 0 else -1))
        if ahead.is_nonpositive:
            first = last = sympy.Integer(0)  # nothing
        elif not ahead.is_nonnegative:  # x[1:-1], say: of fewer tokens nothing is read
            r.atoms.at_most(sympy.Integer(0), ahead)
        x = sliced(r, x, dim, first, last, step)
    return x


# Exporters write "to the end" as the largest integer of 32 or 64 bits, and tf2onnx as 10⁹: more
# places than a tensor of floats in 4 GB has, which is all that onnxruntime can be asked about here.
TO_THE_END = 10**9


def bounded(r: Reader, at: Any, size: Any, step: Any, end: int = 0) -> Any:
    """A bound of a slice as a position: from the end where it is negative, and within the size."""
    at = sympy.sympify(at)
    if at.is_negative:
        at = sympy.Integer(-1) if at.is_Integer and at <= -(2**31) else sympy.expand(at + size)
    elif not at.is_nonnegative:
        r.atoms.at_most(sympy.Integer(0), at)  # n − 2, say: of fewer tokens nothing is read
    low, high = (0, size) if step > 0 else ((-1 if end else 0), size - 1)
    if (at.is_Integer and at >= TO_THE_END) or (at - high).is_nonnegative:
        return sympy.sympify(high)
    if (at - low).is_negative:
        return sympy.Integer(low)
    if (high - at).is_nonnegative and (at - low).is_nonnegative:
        return at
    if (high - at).is_nonnegative and step > 0:
        r.atoms.at_most(sympy.sympify(low), at)
        return at
    if step > 0:  # a table of so many rows, cut to the input's length; or as many tokens at least
        r.atoms.at_most(at, size)
        return at
    raise r.refuse(f"a slice to {at} of a dimension of size {size}, which may be less")


def sliced(r: Reader, x: Tensor, dim: int, start: Any, stop: Any, step: Any) -> Tensor:
    """Positions start, start + step, … before stop."""
    if step == 1:
        return r.slice(x, dim, start, stop)
    span = (stop - start) if step > 0 else (start - stop)
    length = r.atoms.canonical(sympy.ceiling(span / abs(int(step))))
    new = r.fresh(length, "chosen")
    if not x.varies_along[dim]:
        return r.same(x, [*x.dims[:dim], new, *x.dims[dim + 1 :]], x.varies_along)
    k = int(step)
    return r.select(
        x, dim, [new], "", lambda _, n: n(start) + k * np.arange(n(length)), f"slice in {r.node}"
    )


@operator("Gather")
def gather(r: Reader, c: Call, args: list[Any]) -> Any:
    data, index = args[0], args[1]
    rank = len(r.sizes_of(data))
    dim = r.dimension(c.attributes.get("axis", 0), rank)
    if isinstance(index, Constant):
        (own,) = columns_of(r, index, None)
        found = counted(r, r.as_tensor(data), dim, own, index.sizes)
        return _at_constant(r, r.as_tensor(data), index, dim) if found is None else found
    return one_hot_gather(r, r.as_tensor(data), r.as_tensor(index), dim)


def columns_of(r: Reader, index: Constant, depth: int | None) -> list[Strides | None]:
    """The strides of positions: of all of them, or of each of so many numbers of a position."""
    if len(index.counts) == (depth or 1):
        return [*index.counts]
    known = r.array(index) if index.array is not None or index.ints is not None else None
    if known is None:
        return [None] * (depth or 1)
    return [strides_of(known if depth is None else known[..., k]) for k in range(depth or 1)]


def counted(r: Reader, x: Tensor, dim: int, own: Strides | None, sizes: Any) -> Tensor | None:
    """x at positions that count a dimension row by row, all of it: nothing is chosen."""
    order = row_by_row(own, sizes, r.atoms.canonical) if own else None
    if not order or r.atoms.canonical(sympy.prod(sizes[k] for k in order)) != r.sizes(x)[dim]:
        return None
    before, after = r.sizes(x)[:dim], r.sizes(x)[dim + 1 :]
    split = r.reshape(x, [*before, *(sizes[k] for k in order), *after])
    return spread(r, split, dim, order, sizes)


def spread(r: Reader, x: Tensor, dim: int, order: list[int], sizes: Any) -> Tensor:
    """x with dimensions of these sizes in the place of some, from `dim` on: these are dimensions
    `order` of them, and along the others nothing differs."""
    rest = range(dim + len(order), len(x.dims))
    own = [*range(dim), *(("new", k) for k in order), *rest]
    found = r.pointwise(
        "", [x], [own], [*range(dim), *(("new", k) for k in range(len(sizes))), *rest], kind=x.kind
    )
    return r.expand(found, [*r.sizes(x)[:dim], *sizes, *(r.sizes(x)[i] for i in rest)])


def _at_constant(r: Reader, x: Tensor, index: Constant, dim: int) -> Tensor:
    """Entries at places that no data changes."""
    if index.ints is not None and index.ints.size == 1:
        (at,) = index.ints.flat
        size = r.sizes(x)[dim]
        at = at + size if at.is_negative else at
        if not at.is_nonnegative and at.free_symbols:  # n − 6: of fewer tokens nothing is read
            r.atoms.at_most(sympy.Integer(0), at)
        if at.is_nonnegative or at.free_symbols:
            one = r.slice(x, dim, at, at + 1)
            left = r.drop(one, [dim])
            return r.insert(left, range(dim, dim + index.ints.ndim))
    varies = index.varies_along
    new = [r.fresh(s, "chosen") if v else () for s, v in zip(index.sizes, varies, strict=True)]
    part = tuple(slice(None if v else 1) for v in varies)
    source, choice = r.source(index)

    def places(array: Any, at: Any) -> Any:
        return np.asarray(choice(array, at))[part]

    found = r.select(x, dim, new, source, places, f"places {index.name}")
    if all(varies):
        return found
    own = r.sizes(found)
    return r.expand(found, [*own[:dim], *index.sizes, *own[dim + len(new) :]])


def one_hot_gather(r: Reader, x: Tensor, index: Tensor, dim: int) -> Tensor:
    """x at places that are data: Σᵥ [index = v] x_v, v counted from 0, or from the end."""
    own = [("index", k) for k in range(len(index.dims))]
    hot = is_place(r, index, x.dims[dim], own, "v")
    before, after = range(dim), range(dim + 1, len(x.dims))
    return r.pointwise(
        "", [hot, x], [[*own, "v"], [*before, "v", *after]], [*before, *own, *after], kind=x.kind
    )


@operator("GatherElements")
def gather_elements(r: Reader, c: Call, args: list[Any]) -> Any:
    """y[i, j] = x[index[i, j], j]: of each position, one place along a dimension."""
    x, index = r.as_tensor(args[0]), r.as_tensor(args[1])
    dim = r.dimension(c.attributes.get("axis", 0), len(x.dims))
    for i, (a, b) in enumerate(zip(r.sizes(x), r.sizes(index), strict=True)):
        if i != dim and a != b:
            raise r.refuse(f"indices of sizes {r.sizes(index)} for data of sizes {r.sizes(x)}")
    rank = range(len(x.dims))
    hot = is_place(r, index, x.dims[dim], list(rank), "v")
    places_of_x = ["v" if i == dim else i for i in rank]
    return r.pointwise("", [hot, x], [[*rank, "v"], places_of_x], list(rank), kind=x.kind)


@operator("GatherND")
def gather_nd(r: Reader, c: Call, args: list[Any]) -> Any:
    """y[…] = x[index[…, 0]], of one place each along the first dimension that is no batch."""
    x, index = r.as_tensor(args[0]), args[1]
    batch, count = int(c.attributes.get("batch_dims", 0)), r.sizes_of(index)[-1]
    if isinstance(index, Constant) and count.is_Integer and not batch:
        own = columns_of(r, index, int(count))
        order = [min(s) for s in own if s and [*s.values()] == [1]]
        if len(order) == count and all(
            _one_length(r, a, index.sizes[k]) for a, k in zip(r.sizes(x), order, strict=False)
        ):
            return spread(r, x, 0, order, index.sizes[:-1])
    if batch or count != 1:
        return _at_several(r, x, r.as_tensor(index), batch, count)
    if isinstance(index, Constant):
        return _at_constant(r, x, Constant(
            index.name, index.sizes[:-1], "i", None if index.ints is None else index.ints[..., 0],
            None if index.array is None else index.array[..., 0], index.local,
        ), 0)  # fmt: skip
    places = r.as_tensor(index)
    names = places.names
    dropped = r.drop(places, [len(places.dims) - 1])
    dropped.names = names
    return one_hot_gather(r, x, dropped, 0)


def _one_length(r: Reader, a: Any, b: Any) -> bool:
    """Whether two lengths are one: of two inputs, a mask and its tokens say, they are taken to be,
    if neither is that of the axis in question."""
    b = r.atoms.canonical(b)
    if a != b and a.is_Symbol and b.is_Symbol and r.atoms.size(r.asked) not in (a, b):
        r.atoms.equate(a, b)
        return True
    return bool(a == b)


def _at_several(r: Reader, x: Tensor, index: Tensor, batch: int, count: Any) -> Tensor:
    """x at places of several numbers each, as products of zeros and ones, batch by batch."""
    if not count.is_Integer:
        raise r.refuse(f"GatherND at places of {count} numbers")
    many, own = len(index.dims) - 1, [("index", k) for k in range(len(index.dims) - 1)]
    own[:batch] = [("batch", k) for k in range(batch)]
    labels = [*own[:batch], *range(batch, len(x.dims))]
    parts, names = [x], [labels]
    for k in range(int(count)):
        one = r.drop(r.slice(index, many, k, k + 1), [many])
        parts.insert(0, is_place(r, one, x.dims[batch + k], list(own), batch + k))
        names.insert(0, [*own, batch + k])
    rest = labels[batch + int(count) :]
    return r.pointwise("", parts, names, [*own, *rest], kind=x.kind)


@operator("Trilu")
def trilu(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    k = int(r.ints(args[1], "k").flat[0]) if optional(args, 1) is not None else 0
    upper = bool(c.attributes.get("upper", 1))
    rows, columns = x.dims[-2:]

    def values(_: Any, n: Any) -> Any:
        i, j = np.ogrid[: n(r.atoms.size(rows)), : n(r.atoms.size(columns))]
        return np.asarray(j - i >= k if upper else j - i <= k, dtype=float)

    # two leaves of their own: the rows and columns of a square may be one set
    table = r.table(f"triangle in {r.node}", [rows, columns], values)
    return r.function("keep", table, x, of=lambda t, a: np.where(t != 0, a, 0), kind=x.kind)
