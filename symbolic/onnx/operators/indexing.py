"""Slices, gathers, joins: entries at other places; zeros and ones made of places."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import sympy

from ..arrays import ones_at
from ..atoms import Dim, quotient
from ..counting import row_by_row, strides_of
from ..graph import Array, Call
from ..reader import Reader, operator
from ..values import Constant, Labels, Leaf, SizeAt, Strides, Tensor
from .convolution import fixed
from .elementwise import function, kept, kind_of, type_of
from .node import numbers, optional, run_node


@operator("Concat")
def concat(r: Reader, c: Call, args: list[Any]) -> Any:
    parts = [r.as_tensor(a) for a in args]
    return r.concat(parts, r.dimension(c.attributes["axis"], len(parts[0].dims)))


@operator("Split")
def split(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    dim = r.dimension(c.attributes.get("axis", 0), len(x.dims))
    size = r.sizes(x)[dim]
    if optional(args, 1) is not None:
        lengths = numbers(r, args, 1, "split")
        r.atoms.equate(size, r.atoms.canonical(sum(lengths)))
    else:
        k = int(c.attributes.get("num_outputs", len(c.outputs)))
        each = sympy.ceiling(size / k) if size.is_Integer else quotient(size, sympy.Integer(k))
        if each is None:
            raise r.refuse(f"a split of a dimension of size {size} into {k} parts")
        lengths = [each] * (k - 1) + [sympy.expand(size - each * (k - 1))]
    if len(lengths) != len(c.outputs) or not all(x.is_nonnegative for x in lengths):
        raise r.refuse(f"a split of size {size} into {lengths} with {len(c.outputs)} outputs")
    ends = accumulate(lengths, initial=sympy.Integer(0))
    return [r.slice(x, dim, start, end) for start, end in pairwise(ends)]


@operator("Slice")
def slices(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    starts, ends = (numbers(r, args, k, "the bounds") for k in (1, 2))
    axes = numbers(r, args, 3, "axes", range(len(starts)))
    steps = numbers(r, args, 4, "steps", [1] * len(starts))
    for a, start, end, step in zip(axes, starts, ends, steps, strict=True):
        dim = r.dimension(a, len(x.dims))
        size = r.sizes(x)[dim]
        if not sympy.sympify(step).is_Integer or step == 0:
            raise r.refuse(f"a slice with step {step}")
        first, last = bounded(r, start, size, step), bounded(r, end, size, step, 1)
        ahead = sympy.expand((last - first) * (1 if step > 0 else -1))
        if ahead.is_nonpositive:
            first = last = sympy.Integer(0)  # nothing
        else:  # x[1:-1], say: of fewer tokens nothing is read
            r.atoms.at_most(0, ahead)
        x = r.slice(x, dim, first, last, int(step))
    return x


# Exporters write "to the end" as the largest integer of 32 or 64 bits, and tf2onnx as 10⁹: more
# places than a tensor of floats in 4 GB has, which is all that onnxruntime can be asked about here.
TO_THE_END = 10**9


def bounded(r: Reader, at: Any, size: Any, step: Any, end: int = 0) -> Any:
    """A bound of a slice as a position: from the end where it is negative, and within the size."""
    at = sympy.sympify(at)
    if at.is_negative:
        at = sympy.Integer(-1) if at.is_Integer and at <= -(2**31) else sympy.expand(at + size)
    else:
        r.atoms.at_most(0, at)  # n − 2, say: of fewer tokens nothing is read
    low, high = (0, size) if step > 0 else ((-1 if end else 0), size - 1)
    if (at.is_Integer and at >= TO_THE_END) or (at - high).is_nonnegative:
        return sympy.sympify(high)
    if (at - low).is_negative:
        return sympy.Integer(low)
    if step > 0:  # a table of so many rows, cut to the input's length; or as many tokens at least
        r.atoms.at_most(low, at)
        r.atoms.at_most(at, size)
    elif not ((high - at).is_nonnegative and (at - low).is_nonnegative):
        raise r.refuse(f"a slice to {at} of a dimension of size {size}, which may be less")
    return at


@operator("Gather")
def gather(r: Reader, c: Call, args: list[Any]) -> Any:
    x, index = r.as_tensor(args[0]), args[1]
    dim = r.dimension(c.attributes.get("axis", 0), len(x.dims))
    if isinstance(index, Constant):
        found = counted(r, x, dim, index, None)
        return _at_constant(r, x, index, dim) if found is None else found
    positions = r.as_tensor(index)
    own = [("index", k) for k in range(len(positions.dims))]
    out = [*range(dim), *own, *range(dim + 1, len(x.dims))]
    return gathered(r, x, [positions], own, [dim], out)


def columns_of(r: Reader, index: Constant, depth: int | None) -> list[Strides | None]:
    """The strides of positions: of all of them, or of each of so many numbers of a position."""
    if len(index.counts) == (depth or 1):
        return [*index.counts]
    known = None if index.array is None and index.ints is None else r.array(index)
    if known is None:
        return [None] * (depth or 1)
    return [strides_of(x) for x in ([known] if depth is None else np.moveaxis(known, -1, 0))]


def counted(r: Reader, x: Tensor, dim: int, index: Constant, depth: int | None) -> Tensor | None:
    """x at positions that count a dimension, or several from `dim` on, row by row, all of each:
    nothing is chosen."""
    sizes, own, columns = index.sizes, r.sizes(x), columns_of(r, index, depth)
    sizes, rest = sizes if depth is None else sizes[:-1], dim + len(columns)
    orders = [row_by_row(s, sizes, r.atoms.canonical) if s else None for s in columns]
    for a, of in zip(own[dim:rest], orders, strict=True):
        if not of or not _one_length(r, a, sympy.prod(sizes[k] for k in of), depth is not None):
            return None
    order = [k for of in orders for k in of or ()]
    x = r.reshape(x, [*own[:dim], *(sizes[k] for k in order), *own[rest:]])
    new, after = [("new", k) for k in range(len(sizes))], range(rest, len(own))
    labels = [*range(dim), *(new[k] for k in order), *after]
    found = r.einsum([x], [labels], [*range(dim), *new, *after])
    return r.expand(found, [*own[:dim], *sizes, *own[rest:]])


def _one_length(r: Reader, a: Any, b: Any, of_inputs: bool) -> bool:
    """Whether two lengths are one: of two inputs, a mask and its tokens say, they are taken to be,
    if neither is that of the axis in question."""
    b = r.atoms.canonical(b)
    symbols = a.is_Symbol and b.is_Symbol and r.atoms.size(r.asked) not in (a, b)
    if of_inputs and a != b and symbols:
        r.atoms.equate(a, b)
        return True
    return bool(a == b)


def _at_constant(r: Reader, x: Tensor, index: Constant, dim: int) -> Tensor:
    """Entries at places that no data changes."""
    if index.ints is not None and index.ints.size == 1:
        (at,) = index.ints.flat
        at = at + r.sizes(x)[dim] if at.is_negative else at
        r.atoms.at_most(0, at)  # n − 6: of fewer tokens nothing is read
        one = r.drop(r.slice(x, dim, at, at + 1), [dim])
        return r.insert(one, range(dim, dim + index.ints.ndim))
    varies = index.varies_along
    new = [r.fresh(s, "chosen") if v else () for s, v in zip(index.sizes, varies, strict=True)]
    part = tuple(slice(None if v else 1) for v in varies)
    source, choice = r.source(index)

    def places(array: Any, at: Any) -> Any:
        count = max(at(r.sizes(x)[dim]), 1)  # of no entries there is no place
        return np.asarray(choice(array, at))[part] % count

    found = r.windows(x, dim, new, places, f"places {index.name}", source)
    if all(varies):
        return found
    own = r.sizes(found)
    return r.expand(found, [*own[:dim], *index.sizes, *own[dim + len(new) :]])


def gathered(
    r: Reader, x: Tensor, index: Sequence[Tensor], own: Labels, dims: Sequence[int], out: Labels
) -> Tensor:
    """x at positions that are data, a number for each of some dimensions: Σ over v of
    Π_k [index_k = v_k] x[…, v, …]. The dimensions of x are labelled by their numbers, `own` labels
    those of each index."""
    ones = [is_place(r, t, x.dims[d], own, d) for t, d in zip(index, dims, strict=True)]
    labels = [*([*own, d] for d in dims), range(len(x.dims))]
    return r.pointwise("", [*ones, x], labels, out, kind=x.kind)


def is_place(r: Reader, index: Tensor, over: Dim, own: Labels, label: Any) -> Tensor:
    """[index = v] for each place v of a dimension, counted from 0, or from the end. Where the
    places are tokens and the indices an input that is relabelled with them, it is a tensor of its
    own: nothing of it matters but that it moves along."""
    size, atoms = r.atoms.size(over), r.atoms.resolve(over)
    if r.relabelled and index.names and len(atoms) == 1 and atoms[0].whole:
        source, name = index.names[-1], r.copied_from(index)
        if name:
            dims = (*index.dims, over)
            leaf = Leaf(source, "input", dims, lambda array, at: _hot(array, at(size)), name)
            return r.leaf(f"[{source} = k]", leaf)
    places = r.table(f"places of {r.node}", [over], lambda _, at: np.arange(at(size), dtype=float))
    parts, labels = [index, places, r.count([over])], [own, [label], []]
    return r.pointwise("is_place", parts, labels, [*own, label], of=ones_at)


def _hot(array: Array | None, n: int) -> Array:
    given = np.asarray(array)[..., None]
    return np.asarray(np.where(given < 0, given + n, given) == np.arange(n), dtype=float)


def axis_of(r: Reader, c: Call, data: Any, index: Any) -> int:
    """The dimension along which elements are gathered or scattered: along all others there are as
    many indices as entries."""
    sizes, given = r.sizes_of(data), r.sizes_of(index)
    dim = r.dimension(c.attributes.get("axis", 0), len(sizes))
    if any(a != b for i, (a, b) in enumerate(zip(sizes, given, strict=True)) if i != dim):
        raise r.refuse(f"indices of sizes {given} for data of sizes {sizes}")
    return dim


def columns(r: Reader, index: Tensor, count: int) -> list[Tensor]:
    """The numbers of each position, which the last dimension of an index has."""
    last = len(index.dims) - 1
    found = [r.drop(r.slice(index, last, k, k + 1), [last]) for k in range(count)]
    if count == 1:
        found[0].names = list(index.names)  # it is the same, entry by entry
    return found


@operator("GatherElements")
def gather_elements(r: Reader, c: Call, args: list[Any]) -> Any:
    """y[i, j] = x[index[i, j], j]: of each position, one place along a dimension."""
    x, index, dim = r.as_tensor(args[0]), r.as_tensor(args[1]), axis_of(r, c, *args[:2])
    own = ["index" if i == dim else i for i in range(len(x.dims))]
    return gathered(r, x, [index], own, [dim], own)


@operator("GatherND")
def gather_nd(r: Reader, c: Call, args: list[Any]) -> Any:
    """y[…] = x[index[…, 0], index[…, 1], …], along the first dimensions that are no batch."""
    x, index = r.as_tensor(args[0]), args[1]
    batch, many = int(c.attributes.get("batch_dims", 0)), len(r.sizes_of(index)) - 1
    (count,) = fixed(r, r.sizes_of(index)[-1:], "positions")
    if isinstance(index, Constant) and not batch:
        found = counted(r, x, 0, index, count)
        if found is not None:
            return found
        if count == 1:
            return r.drop(_at_constant(r, x, index, 0), [many])
    labels = [*range(batch), *(("index", k) for k in range(batch, many))]
    dims, each = range(batch, batch + count), columns(r, r.as_tensor(index), count)
    return gathered(r, x, each, labels, dims, [*labels, *range(batch + count, len(x.dims))])


# ------------------------------------------------------------------------ zeros and ones, of places
@operator("OneHot")
def one_hot(r: Reader, c: Call, args: list[Any]) -> Any:
    index, values = r.as_tensor(args[0]), r.as_tensor(args[2])
    depth = r.atoms.canonical(numbers(r, args, 1, "the depth")[0])
    if depth.is_Float:  # the depth may be of any type
        depth = sympy.Integer(int(depth))
    rank = len(index.dims)
    dim = r.dimension(c.attributes.get("axis", -1), rank + 1)
    over = r.atoms.new(depth, f"d{depth}" if depth.is_Integer else "places")
    hot = is_place(r, index, over, range(rank), "v")
    off, on = (r.drop(r.slice(values, 0, k, k + 1), [0]) for k in (0, 1))
    found = function(r, c, "where", [hot, on, off], values.kind)
    return r.permute(found, [*range(dim), rank, *range(dim, rank)])


@operator("EyeLike")
def identity(r: Reader, c: Call, args: list[Any]) -> Any:
    (n, m), to = r.sizes_of(args[0]), c.attributes.get("dtype")
    if c.attributes.get("k", 0) == 0 and n == m:
        kind = args[0].kind if to is None else kind_of(type_of(r, to))
        return r.identity([n, m], 0, 1, kind)
    return of_ones(r, c, "identity", r.as_tensor(args[0]).dims)


@operator("Trilu")
def trilu(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    rank = range(len(x.dims))
    k = np.array(int(numbers(r, args, 1, "k", [0])[0]))
    # two leaves of their own: the rows and columns of a square may be one set
    table = of_ones(r, c, "triangle", x.dims[-2:], k)
    return kept(r, [table, x], [rank[-2:], rank], rank)


def of_ones(r: Reader, c: Call, name: str, dims: Sequence[Dim], *others: Array) -> Tensor:
    """What the node makes of a matrix of ones, as a table."""
    node = run_node(c, "f" + "i" * len(others))

    def values(_: Array | None, at: SizeAt) -> Array:
        return np.asarray(node(np.ones([at(r.atoms.size(d)) for d in dims]), *others))

    return r.table(f"{name} in {r.node}", dims, values)
