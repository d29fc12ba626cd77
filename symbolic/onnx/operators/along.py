"""What is linear along one dimension: padding, resizing, running sums, Fourier transforms.

A table says how, and the table is the node itself, run on unit vectors. Whether the operator sees
the order of the dimension is a question about the table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy

from ..graph import Array, Call
from ..reader import Reader, operator
from ..values import SizeAt, Tensor, signed
from .elementwise import OWN
from .node import attributes, numbers, optional, run_node

PLACED = "coordinate_transformation_mode"


def linear_along(
    r: Reader, x: Tensor, dim: int, count: Any, name: str, run: Callable[[Array, SizeAt], Array]
) -> Tensor:
    """Σ_j T[i, j] x[…, j, …] along a dimension, i below `count`. `run` is what the operator makes
    of each row of a matrix at given sizes: T is what it makes of the unit vectors. Of a view, the
    table is on what it is a view of."""
    base, positions = r.base(x, dim)
    own, old, rank = r.sizes(x)[dim], base.dims[dim], range(len(x.dims))
    same = [t.dims[dim] for t in (base, x) if r.sizes(t)[dim] == count]
    new = same[0] if same else r.atoms.new(count, "positions")

    def values(_: Any, at: SizeAt) -> Array:
        table = np.asarray(run(np.eye(at(own)), at)).T
        if base is x:
            return table
        return np.asarray(table @ (positions(at)[:, None] == np.arange(at(r.atoms.size(old)))))

    table = r.table(name, [new, old], values)
    labels: list[Any] = [[dim, "from"], ["from" if i == dim else i for i in rank]]
    return r.pointwise("", [table, base], labels, rank, kind=x.kind)


@operator("CumSum")
def running(r: Reader, c: Call, args: list[Any]) -> Any:
    x = r.as_tensor(args[0])
    dim = r.dimension(numbers(r, args, 1, "the axis")[0], len(x.dims))
    node = run_node(c, "fi")
    name = f"triangle in {r.node}"
    return linear_along(r, x, dim, r.sizes(x)[dim], name, lambda x, _: node(x, np.array(1)))


@operator("DFT")
def fourier(r: Reader, c: Call, args: list[Any]) -> Any:
    x, has = r.as_tensor(args[0]), attributes(c)
    rank, parts = len(x.dims), r.sizes(x)[-1]
    dim = r.dimension(numbers(r, args, 2, "the axis", [has.get("axis", -2)])[0], rank)
    if parts not in (1, 2) or dim == rank - 1:
        raise r.refuse(f"a Fourier transform of {parts} parts along dimension {dim}")
    if has["inverse"] and has["onesided"]:
        raise r.refuse("the inverse of half a Fourier transform is not read")
    own = r.sizes(x)[dim]
    length = r.atoms.canonical(numbers(r, args, 1, "the length", [own])[0])
    count = sympy.floor(length / 2) + 1 if has["onesided"] else length
    node = run_node(c, "fi", axis=1 if c.version < 20 else None)

    def values(_: Array | None, at: SizeAt) -> Array:
        n, k = at(own), int(parts)
        found = np.asarray(node(np.eye(n * k).reshape(n * k, n, k), np.array(at(length))))
        return found.reshape(n, k, at(count), 2).transpose(2, 3, 0, 1)

    new = x.dims[dim] if count == own else r.atoms.new(count, "frequencies")
    two = r.atoms.new(2, "d2")
    table = r.table(f"Fourier transform in {r.node}", [new, two, x.dims[dim], x.dims[-1]], values)
    labels = [*("from" if i == dim else i for i in range(rank - 1)), "part"]
    return r.einsum([table, x], [[dim, rank - 1, "from", "part"], labels], range(rank))


# -------------------------------------------------------------------------------------- padding
@operator("Pad")
def pad(r: Reader, c: Call, args: list[Any]) -> Any:
    x, mode, given = r.as_tensor(args[0]), attributes(c)["mode"], numbers(r, args, 1, "the padding")
    if mode == "wrap" and any(k.is_negative for k in given):
        raise r.refuse("a padding that wraps around what another one takes away")
    value = optional(args, 2) if mode == "constant" else None
    dims = r.dimensions(numbers(r, args, 3, "axes", range(len(x.dims))), len(x.dims))
    for dim, before, behind in zip(dims, given[: len(dims)], given[len(dims) :], strict=True):
        if before != 0 or behind != 0:
            x = padded(r, c, x, dim, before, behind, value)
    return x


def padded(r: Reader, c: Call, x: Tensor, dim: int, before: Any, behind: Any, value: Any) -> Tensor:
    """x with entries before and behind along a dimension, copies or a value, or without some."""
    size = r.sizes(x)[dim]
    count = sympy.expand(size + before + behind)
    if not (count.is_nonnegative or count.free_symbols):
        raise r.refuse(f"a padding by {before} and {behind} of a dimension of size {size}")
    node = run_node(c, "fi")

    def positions(_: Any, at: SizeAt) -> Array:
        """Of each new entry the position that it is from; −1 where it is from none."""
        ends = np.array([signed(at, before), signed(at, behind)])
        found = np.asarray(node(np.arange(at(size)) + 1, np.maximum(ends, 0))) - 1
        less, more = np.maximum(-ends, 0)
        return found[less : len(found) - more]

    new = r.atoms.new(count, "padded")
    name = f"in {r.node}, dimension {dim}"
    found = r.windows(x, dim, [new], positions, f"padding {name}")
    known = None if value is None else r.array(value)
    if value is None or (known is not None and not known.any()):
        return found
    outside = r.table(
        f"outside {name}", [found.dims[dim]], lambda _, at: (positions(_, at) < 0) * 1.0
    )
    rank = range(len(x.dims))
    parts = [outside, r.reshape(r.as_tensor(value), []), found]
    return r.pointwise("where", parts, [[dim], [], rank], rank, OWN["where"], x.kind)


# ------------------------------------------------------------------------------------- resizing
@operator("Resize")
def resize(r: Reader, c: Call, args: list[Any]) -> Any:
    x, has = r.as_tensor(args[0]), attributes(c)
    placed, given, wanted = has[PLACED], r.array(optional(args, 2)), optional(args, 3)
    if placed == "tf_crop_and_resize" or has.get("antialias"):
        raise r.refuse("a resize with tf_crop_and_resize or antialias")
    if has.get("keep_aspect_ratio_policy", "stretch") != "stretch":
        raise r.refuse("a resize with keep_aspect_ratio_policy")
    dims = r.dimensions(has.get("axes", range(len(x.dims))), len(x.dims))
    if wanted is not None and r.sizes_of(wanted) != (0,):
        scales: list[Any] = [None] * len(dims)
        counts = numbers(r, args, 3, "the sizes")
    elif given is None or given.size != len(dims):
        raise r.refuse("scales that depend on data or sizes, expected constants")
    else:
        scales = [sympy.Rational(*float(s).as_integer_ratio()) for s in given.flat]
        counts = [sympy.floor(r.sizes(x)[d] * s) for d, s in zip(dims, scales, strict=True)]
    for dim, scale, count in zip(dims, scales, map(r.atoms.canonical, counts), strict=True):
        own = r.sizes(x)[dim]
        if count == own and scale in (None, 1):
            continue
        if placed == "align_corners" and scale and sympy.expand(count - own * scale) != 0:
            raise r.refuse("a resize to a size that is no whole number, with align_corners")
        name = f"weights of {r.node}, dimension {dim}"
        x = linear_along(r, x, dim, count, name, _resized(c, placed, scale, count))
    return x


def _resized(c: Call, placed: str, scale: Any, count: Any) -> Callable[[Array, SizeAt], Array]:
    """Rows at another length, by a scale or to this count."""

    def run(rows: Array, at: SizeAt) -> Array:
        # to one entry, the reference asks whether scale times size is 1, onnxruntime the length
        first = placed == "pytorch_half_pixel" and at(count) == 1
        other = {PLACED: "asymmetric" if first else placed, "axes": None}
        node = run_node(c, ["f", "", "f"] if scale else ["f", "", "", "i"], **other)
        to = np.array([1, scale], np.float32) if scale else np.array([len(rows), at(count)])
        return np.asarray(node(rows, to))

    return run
