"""Values put, added or compared at given places.

At places that are data every update meets every place: Σ over updates of [place = v] u. Where
updates replace what was there, the places must be constants: which of two at one place wins is
then known (the last, as onnxruntime has it), and stands in a table.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..graph import Array, Call
from ..reader import Reader, operator
from ..values import Constant, Labels, SizeAt, Tensor
from .convolution import fixed
from .elementwise import OWN, function, kept
from .indexing import axis_of, columns, is_place
from .node import run_node

REDUCED: Any = {"max": ("max", -np.inf), "min": ("min", np.inf), "mul": ("prod", 1.0)}


@operator("ScatterND", "ScatterElements")
def scatter(r: Reader, c: Call, args: list[Any]) -> Any:
    """data with the updates at each place put there, added, multiplied, or the largest or least of
    all."""
    data, updates = r.as_tensor(args[0]), r.as_tensor(args[2])
    rank: Labels = range(len(data.dims))
    if c.op == "ScatterND":
        *many, depth = r.sizes_of(args[1])
        own: list[Any] = [("update", k) for k in range(len(many))]
        over, labels = rank[: fixed(r, [depth], "places")[0]], own
        to = [*own, *rank[len(over) :]]
    else:
        dim = axis_of(r, c, *args[:2])
        own, over = ["update"], [dim]
        to = labels = ["update" if i == dim else i for i in rank]
    how = str(c.attributes.get("reduction", "none"))
    if how == "none":
        return _put(r, c, data, updates, args[1], own, to, over)
    index = r.as_tensor(args[1])
    each = columns(r, index, len(over)) if c.op == "ScatterND" else [index]
    ones = [is_place(r, t, data.dims[k], labels, k) for t, k in zip(each, over, strict=True)]
    hot, at = r.einsum(ones, [[*labels, k] for k in over], [*labels, *over]), [*labels, *over]
    if how == "add":
        found = r.einsum([hot, updates], [at, to], rank)
    else:
        kind, neutral = REDUCED[how]
        chosen = kept(r, [hot, updates], [at, to], [*own, *rank], neutral)
        found = r.reduce(kind, chosen, range(len(own)), keep=False)
    return function(r, c, how, [data, found], data.kind)


def _put(
    r: Reader, c: Call, data: Tensor, updates: Tensor, places: Any, own: Labels, labels: Labels,
    over: Labels,
) -> Tensor:  # fmt: skip
    """data with the updates in the place of what was there, at constant places."""
    if not isinstance(places, Constant):
        raise r.refuse("updates that replace what was there, at places that depend on data")
    source, known = r.source(places)
    node, rank = run_node(c, "fif"), range(len(data.dims))
    new = [d for label, d in zip(labels, updates.dims, strict=True) if label in own]
    for d, k in zip(new, over, strict=False):
        if r.atoms.size(d) == r.atoms.size(data.dims[k]):
            r.atoms.unify(d, data.dims[k])  # as many as there are places: place k is place k
    whole = c.op == "ScatterND"  # positions, else their numbers along one dimension
    counts = places.sizes[:-1] if whole else tuple(places.sizes[k] for k in over)
    if tuple(r.atoms.size(d) for d in new) != counts:
        raise r.refuse(f"places of sizes {places.sizes} for updates of {r.sizes(updates)}")
    at = over if whole else rank

    def values(array: Array | None, size: SizeAt) -> Array:
        """Whether each update is the one that is at each place in the end."""
        index, shape = np.asarray(known(array, size)), [size(r.atoms.size(d)) for d in new]
        numbers = np.arange(math.prod(shape)).reshape(shape)
        empty = np.full([size(r.atoms.size(data.dims[k])) for k in at], -1.0)
        winner = node(empty, index, numbers if whole else np.indices(index.shape)[over[0]])
        return np.asarray(numbers.reshape(*shape, *[1] * empty.ndim) == winner, dtype=float)

    dims = [*new, *(data.dims[k] for k in at)]
    table = r.table(f"places in {r.node}", dims, values, source)
    hits = r.reduce("sum", table, range(len(new)), keep=False)
    put = r.einsum([table, updates], [[*own, *at], labels], rank)
    parts, of = [hits, put, data], [at, rank, rank]
    return r.pointwise("where", parts, of, rank, OWN["where"], data.kind)
