"""Values put, added or compared at given places.

At places that are data every update meets every place: Σ over updates of [place = v] u. Where
updates replace what was there, the places must be constants: which of two at one place wins is
then known (the last, as onnxruntime has it), and stands in a table.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..atoms import Dim
from ..graph import Array, Call
from ..reader import Reader, operator
from ..values import Constant, SizeAt, Tensor
from .convolution import fixed
from .one_hot import is_place

REDUCED: Any = {"max": ("max", -np.inf), "min": ("min", np.inf), "mul": ("prod", 1.0)}
BINARY: Any = {"max": ("max", None), "min": ("min", np.minimum), "mul": ("mul", None)}


@operator("ScatterND")
def scatter_nd(r: Reader, c: Call, args: list[Any]) -> Any:
    data, updates = r.as_tensor(args[0]), r.as_tensor(args[2])
    (depth,) = fixed(r, r.sizes_of(args[1])[-1:], "places")
    rank = len(data.dims)
    many = len(r.sizes_of(args[1])) - 1
    if depth > rank or len(updates.dims) != many + rank - depth:
        raise r.refuse(f"places of depth {depth} in a tensor with {rank} dimensions")
    own = [("update", k) for k in range(many)]
    labels = [*own, *range(depth, rank)]
    how = str(c.attributes.get("reduction", "none"))
    if how == "none":
        return _put(r, data, updates, args[1], own, labels, range(depth), None)
    index = r.as_tensor(args[1])
    hot = None
    for k in range(depth):
        one = r.drop(r.slice(index, many, k, k + 1), [many])
        one.names = list(index.names) if depth == 1 else []  # it is the same, entry by entry
        here = is_place(r, one, data.dims[k], [("update", i) for i in range(many)], k)
        hot = (here, [*own, k]) if hot is None else _both(r, *hot, here, [*own, k])
    if hot is None:
        raise r.refuse("places of depth 0")
    return _reduced(r, how, data, updates, hot, own, labels)


@operator("ScatterElements", "Scatter")
def scatter_elements(r: Reader, c: Call, args: list[Any]) -> Any:
    data, updates = r.as_tensor(args[0]), r.as_tensor(args[2])
    rank = len(data.dims)
    dim = r.dimension(c.attributes.get("axis", 0), rank)
    for i, (a, b) in enumerate(zip(r.sizes(data), r.sizes_of(args[1]), strict=True)):
        if i != dim and a != b:
            raise r.refuse(f"places of sizes {r.sizes_of(args[1])} in sizes {r.sizes(data)}")
    own = [("update", 0)]
    labels = [own[0] if i == dim else i for i in range(rank)]
    how = str(c.attributes.get("reduction", "none"))
    if how == "none":
        return _put(r, data, updates, args[1], own, labels, [dim], dim)
    hot = is_place(r, r.as_tensor(args[1]), data.dims[dim], labels, dim)
    return _reduced(r, how, data, updates, (hot, [*labels, dim]), own, labels)


def _both(r: Reader, a: Tensor, la: list[Any], b: Tensor, lb: list[Any]) -> Any:
    labels = list(dict.fromkeys([*la, *lb]))
    return r.pointwise("mul", [a, b], [la, lb], labels), labels


def _reduced(
    r: Reader, how: str, data: Tensor, updates: Tensor, hot: Any, own: list[Any], labels: list[Any]
) -> Tensor:
    """data with the updates at each place added, multiplied, or the largest or least of all."""
    rank = list(range(len(data.dims)))
    if how == "add":
        more = r.einsum([hot[0], updates], [hot[1], labels], rank)
        return r.function("add", data, more, kind=data.kind)
    if how not in REDUCED:
        raise r.refuse(f"a scatter with reduction {how}")
    kind, neutral = REDUCED[how]
    kept = r.pointwise(
        f"keep_or_{kind}_of_nothing", [hot[0], updates], [hot[1], labels], [*own, *rank],
        of=lambda t, a: np.where(t != 0, a, np.asarray(neutral, dtype=a.dtype)),
    )  # fmt: skip
    found = r.reduce(kind, kept, range(len(own)), keep=False)
    name, of = BINARY[how]
    return r.function(name, data, found, of=of, kind=data.kind)


def _put(
    r: Reader, data: Tensor, updates: Tensor, places: Any, own: list[Any], labels: list[Any],
    over: Any, along: int | None,
) -> Tensor:  # fmt: skip
    """data with the updates in the place of what was there, at constant places."""
    if not isinstance(places, Constant):
        raise r.refuse("updates that replace what was there, at places that depend on data")
    source, known = r.source(places)
    sizes, targets = list(places.sizes), [data.dims[k] for k in over]
    new: list[Dim] = []
    for label, dim in zip(labels, updates.dims, strict=True):
        if label in own:
            k = own.index(label)
            if k < len(targets) and r.atoms.size(dim) == r.atoms.size(targets[k]):
                r.atoms.unify(dim, targets[k])  # as many as there are places: place k is place k
            new.append(dim)
    rest = [] if along is None else [i for i in range(len(data.dims)) if i != along]
    between = [data.dims[i] for i in rest]
    if [r.atoms.size(d) for d in new] != (sizes[:-1] if along is None else [sizes[along]]):
        raise r.refuse(f"places of sizes {tuple(sizes)} for updates of {r.sizes(updates)}")

    def values(array: Array | None, at: SizeAt) -> Array:
        shape = [at(r.atoms.size(d)) for d in (*new, *between, *targets)]
        table = np.zeros(shape)
        index = np.asarray(known(array, at))
        if along is None:
            flat = index.reshape(-1, index.shape[-1])
            starts = np.array(list(np.ndindex(*shape[: len(new)]))).reshape(len(flat), len(new))
        else:
            moved = np.moveaxis(index, along, 0)
            starts = np.array(list(np.ndindex(*moved.shape))).reshape(moved.size, moved.ndim)
            flat = moved.reshape(-1, 1)
        limits = np.array(shape[len(new) + len(between) :])
        flat = np.where(flat < 0, flat + limits, flat)
        for start, place in zip(starts, flat, strict=True):
            everywhere = (slice(None),) * len(new)
            table[(*everywhere, *start[len(new) :], *place)] = 0  # the last one wins
            table[(*start, *place)] = 1
        return table

    name = f"places in {r.node}"
    table = r.table(name, [*new, *between, *targets], values, source)
    hits = r.table(
        f"{name}: whether any", [*between, *targets],
        lambda array, at: values(array, at).sum(axis=tuple(range(len(new)))), source,
    )  # fmt: skip
    rank = list(range(len(data.dims)))
    put = r.einsum([table, updates], [[*own, *rest, *over], labels], rank)
    return r.pointwise(
        "where", [hits, put, data], [[*rest, *over], rank, rank], rank,
        of=lambda t, a, b: np.where(t != 0, a, b), kind=data.kind,
    )  # fmt: skip
