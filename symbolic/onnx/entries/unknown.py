"""Operators of which the values are not written out: what is kept is on which indices they depend.

The result of a softmax, a normalisation or a product of matrices is, at a position along an axis
that the operator leaves alone, a function of what its inputs have there. So it depends on the index
along such an axis only if an input does; on the others it may depend as it likes. Which function it
is stays open to the solvers; in comparisons with numbers the file's own node is run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..graph import Array
from .expression import ONE, REAL, Expr, index, made, parts
from .node import Node
from .tensors import Indices, Refused, Tensor, broadcast, place

Along = Sequence[int | None]  # for each axis of an input: that of the result, None if it is used up


@dataclass(frozen=True, eq=False)
class Result:
    """A tensor of the graph by its name, and the axes on which it may depend; `run` gives it."""

    name: str
    axes: tuple[int, ...]
    rank: int
    run: Callable[[Mapping[str, int]], Array]

    def __repr__(self) -> str:
        """What distinguishes it from another of the graph."""
        return f"{self.name} {self.axes}"


def result(node: Node, dims: tuple[Expr, ...], of: Sequence[tuple[Tensor, Along]]) -> Tensor:
    """The result of a node; an axis to which no input's axis goes is one that it depends on."""
    name = node.call.outputs[0]
    kept: list[tuple[int, ...]] = []

    def entry(i: Indices) -> Expr:
        if not kept:
            kept.append(_depended(node, len(dims), of))
        axes = kept[0]
        known = Result(name, axes, len(dims), node.run)
        return made("result", REAL, (i[k] for k in axes), known, tame=False)

    if any(t.sort != REAL for t, _ in of):
        raise Refused("given integers or truth values, expected reals")
    return Tensor(dims, REAL, entry)


def _depended(node: Node, rank: int, of: Sequence[tuple[Tensor, Along]]) -> tuple[int, ...]:
    reached = {k for _, along in of for k in along if k is not None}
    kept = set(range(rank)) - reached
    for t, along in of:
        names = [node.fresh() for _ in t.dims]
        used = set(parts(t.at(*map(index, names))))
        for name, k in zip(names, along, strict=True):
            if k is not None and index(name) in used:
                kept.add(k)
    return tuple(sorted(kept))


def aligned(t: Tensor, rank: int) -> list[int | None]:
    """Where each axis goes in a broadcast: one of length 1 nowhere."""
    return [None if d == ONE else k for k, d in enumerate(t.dims, rank - t.rank)]


def entrywise(node: Node) -> Tensor:
    """A function of each entry."""
    t = node.input(0)
    return result(node, t.dims, [(t, range(t.rank))])


def along_one(node: Node) -> Tensor:
    """Softmax and LogSoftmax, which use up one axis and give it anew."""
    t = node.input(0)
    axis = place(node.attribute("axis", -1), t.rank)
    return result(node, t.dims, [(t, [None if k == axis else k for k in range(t.rank)])])


def normalised(node: Node) -> Tensor:
    """LayerNormalization and RMSNormalization, from an axis on."""
    t = node.input(0)
    first = place(node.attribute("axis", -1), t.rank)
    of: list[tuple[Tensor, Along]] = [(t, [None if k >= first else k for k in range(t.rank)])]
    for k in (1, 2):
        if (more := node.given(k)) is not None:
            of.append((more, aligned(more, t.rank)))
    return result(node, t.dims, of)


def multiplied(node: Node) -> Tensor:
    """MatMul."""
    x, y = node.input(0), node.input(1)
    if x.rank < 2 or y.rank < 2:
        raise Refused("given a vector, expected matrices")
    dims = (*broadcast([x.dims[:-2], y.dims[:-2]], node.require), x.dims[-2], y.dims[-1])
    rank = len(dims)
    left: Along = [*aligned(x, rank)[:-1], None]
    right: Along = [*aligned(y, rank)[:-2], None, rank - 1]
    return result(node, dims, [(x, left), (y, right)])


def linear(node: Node) -> Tensor:
    """Gemm."""
    x, y = node.input(0), node.input(1)
    rows, columns = int(node.attribute("transA", 0)), 1 - int(node.attribute("transB", 0))
    of: list[tuple[Tensor, Along]] = [
        (x, [None, 0] if rows else [0, None]),
        (y, [None, 1] if columns else [1, None]),
    ]
    if (more := node.given(2)) is not None:
        of.append((more, aligned(more, 2)))
    return result(node, (x.dims[rows], y.dims[columns]), of)


def einsum(node: Node) -> Tensor:
    """Einsum, of an equation without dots."""
    left, arrow, right = str(node.attribute("equation")).replace(" ", "").partition("->")
    names = left.split(",")
    tensors = [node.input(k) for k in range(len(names))]
    if (
        not arrow
        or "." in left
        or any(len(a) != t.rank for a, t in zip(names, tensors, strict=True))
    ):
        raise Refused("given an equation with dots or without a result, expected letters alone")
    dims: dict[str, Expr] = {}
    for letters, t in zip(names, tensors, strict=True):
        for letter, d in zip(letters, t.dims, strict=True):
            if dims.setdefault(letter, d) == ONE:
                dims[letter] = d
    place_of = {letter: k for k, letter in enumerate(right)}
    of: list[tuple[Tensor, Along]] = [
        (t, [None if d == ONE else place_of.get(letter)
             for letter, d in zip(letters, t.dims, strict=True)])
        for letters, t in zip(names, tensors, strict=True)
    ]  # fmt: skip
    return result(node, tuple(dims[letter] for letter in right), of)


def summed(node: Node, over: Sequence[int]) -> Tensor:
    """A reduction over axes, which are kept with length 1."""
    t = node.input(0)
    dims = tuple(ONE if k in over else d for k, d in enumerate(t.dims))
    return result(node, dims, [(t, [None if k in over else k for k in range(t.rank)])])
