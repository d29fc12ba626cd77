"""Zeros and ones made of places, and the identity."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

from ..arrays import ones_at
from ..atoms import Dim
from ..graph import Array, Call
from ..reader import Reader, operator
from ..values import Leaf, SizeAt, Tensor
from .elementwise import kind_of, type_of


def is_place(r: Reader, index: Tensor, over: Dim, own: list[Any], label: Any) -> Tensor:
    """[index = v] for each place v of a dimension, counted from 0, or from the end. Where the
    places are tokens and the indices an input that is relabelled with them, it is a tensor of its
    own: nothing of it matters but that it moves along."""
    size = r.atoms.size(over)
    atoms = r.atoms.resolve(over)
    if r.relabelled and len(atoms) == 1 and atoms[0].whole and (name := r.copied_from(index)):
        dims = [*index.dims, over]
        source = index.names[-1] if index.names else ""
        if source:
            leaf = Leaf(source, "input", tuple(dims), lambda array, at: _hot(array, at(size)), name)
            order = [*own, label]
            hot = r.leaf(f"[{source} = k]", leaf)
            return r.permute(hot, range(len(order)))
    places = r.table(f"places of {r.node}", [over], lambda _, at: np.arange(at(size), dtype=float))
    return r.pointwise(
        "is_place", [index, places, r.count([over])], [own, [label], []], [*own, label],
        of=ones_at,
    )  # fmt: skip


def _hot(array: Array | None, n: int) -> Array:
    given = np.asarray(array)[..., None]
    return np.asarray(np.where(given < 0, given + n, given) == np.arange(n), dtype=float)


@operator("OneHot")
def one_hot(r: Reader, c: Call, args: list[Any]) -> Any:
    index, values = r.as_tensor(args[0]), r.as_tensor(args[2])
    depth = r.atoms.canonical(r.ints(args[1], "the depth").reshape(-1)[0])
    if depth.is_Float:  # the depth may be of any type
        depth = sympy.Integer(int(depth))
    rank = len(index.dims)
    dim = r.dimension(c.attributes.get("axis", -1), rank + 1)
    over = r.atoms.new(depth, f"d{depth}" if depth.is_Integer else "places")
    hot = is_place(r, index, over, list(range(rank)), "v")
    off, on = (r.drop(r.slice(values, 0, k, k + 1), [0]) for k in (0, 1))
    found = r.function(
        "where", hot, on, off, of=lambda t, a, b: np.where(t != 0, a, b), kind=values.kind
    )
    return r.permute(found, [*range(dim), rank, *range(dim, rank)])


@operator("EyeLike")
def identity(r: Reader, c: Call, args: list[Any]) -> Any:
    sizes, k = r.sizes_of(args[0]), int(c.attributes.get("k", 0))
    if len(sizes) != 2:
        raise r.refuse(f"the identity like a tensor with {len(sizes)} dimensions")
    if k == 0 and sizes[0] == sizes[1]:
        to = c.attributes.get("dtype")
        return r.identity(sizes, 0, 1, args[0].kind if to is None else kind_of(type_of(r, to)))
    x = r.as_tensor(args[0])

    def values(_: Array | None, at: SizeAt) -> Array:
        i, j = np.ogrid[: at(r.atoms.size(x.dims[0])), : at(r.atoms.size(x.dims[1]))]
        return np.asarray(j - i == k, dtype=float)

    return r.table(f"identity in {r.node}", x.dims, values)
