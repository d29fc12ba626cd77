"""NumPy arrays: the reading for numeric checks, with sums of products done as contractions.

The values carried are arrays, or anything a reading on top supplies (an array with its error
bound), through the small interface `Arrays`. Terms are read as computed: definitions inlined,
softmax in its shifted form, a theorem of the book away from the one in the papers. Sizes, maps and
index expressions are read by `index_arrays`, which shares no code with the readings by `entries`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from orderproof.symbolic import time_limit
from orderproof.symbolic.calculus.terms import Node, Set, Term
from orderproof.symbolic.models.attention import as_computed
from orderproof.symbolic.models.builders import inlined
from orderproof.symbolic.models.stacks import layer_sets, unrolled

from .error import ReadingError
from .index_arrays import IndexArrays

Array = NDArray[Any]


def erf(x: Array) -> Array:
    """The error function (NumPy has none): the C library's, rounded once to the dtype of x."""
    each = map(math.erf, x.astype(np.float64).ravel().tolist())  # a third of np.vectorize's time
    return np.fromiter(each, np.float64, x.size).reshape(x.shape).astype(x.dtype)


def _half(x: Array) -> Array:
    return np.asarray(0.5, dtype=x.dtype)


LARGE = 1 << 12  # entries from which a contraction pays for a search for the way to do it


def contracted(subscripts: str, a: Array, b: Array) -> Array:
    """A sum of products of two arrays, in einsum's notation; the bounds on rounding hold in any
    order of summation."""
    return np.asarray(np.einsum(subscripts, a, b, optimize=a.size + b.size > LARGE))


class Arrays(Protocol):
    """What the values are. Axes are aligned by the evaluator; functions see arrays that fit."""

    functions: Mapping[str, Callable[..., Any]]
    joint: bool  # whether `contract` may sum over several axes at once, or "a" alone

    def leaf(self, values: Array) -> Any:
        """A tensor as a value."""

    def number(self, value: Fraction) -> Any:
        """A rational constant as a value without axes."""

    def reduce(self, kind: str, value: Any) -> Any:
        """A reduction over the last axis."""

    def contract(self, subscripts: str, a: Any, b: Any) -> Any:
        """A sum of products, in einsum's notation."""

    def map(self, function: Callable[[Array], Array], value: Any) -> Any:
        """Something done to the indices of a value: moving, repeating or picking entries."""

    def join(self, a: Any, b: Any) -> Any:
        """One after the other along the first axis."""


class Floats:
    """Plain arrays of one dtype."""

    joint = False
    functions: Mapping[str, Callable[..., Any]] = {
        "add": np.add,
        "sub": np.subtract,
        "mul": np.multiply,
        "div": np.divide,
        "neg": np.negative,
        "exp": np.exp,
        "exp2": np.exp2,
        "log": np.log,
        "sqrt": np.sqrt,
        "sin": np.sin,
        "cos": np.cos,
        "max": np.maximum,
        "at_most": lambda a, b: np.less_equal(a, b).astype(a.dtype),
        "relu": lambda x: np.maximum(x, 0),
        "gelu": lambda x: x * _half(x) * (1 + erf(x * np.sqrt(_half(x)))),
    }

    def __init__(self, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)

    def leaf(self, values: Array) -> Array:
        return np.asarray(values, dtype=self.dtype)

    def number(self, value: Fraction) -> Array:
        return np.asarray(float(value), dtype=self.dtype)

    def reduce(self, kind: str, value: Array) -> Array:
        if kind in ("max", "min") and value.shape[-1] == 0:
            raise ReadingError(f"{kind}: given no values, expected at least one")
        how: Any = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}[kind]
        return np.asarray(how(value, axis=-1), dtype=self.dtype)

    def contract(self, subscripts: str, a: Array, b: Array) -> Array:
        return contracted(subscripts, a, b)

    def map(self, function: Callable[[Array], Array], value: Array) -> Array:
        return function(value)

    def join(self, a: Array, b: Array) -> Array:
        return np.concatenate([a, b])


@lru_cache(maxsize=256)  # a term is evaluated at many sizes
def _written_out(
    term: Term, literal: bool, layers: tuple[tuple[Set, int], ...], joint: bool
) -> tuple[Term, dict[str, int], dict[Node, _Sum | None]]:
    """A term without definitions, to the letter or as computed, and without stacks, given how many
    layers each has; the constants by which the layers are named; and its nodes that have a value,
    each after its parts, with the sum of products that it is, if any."""
    term, places = unrolled(term, dict(layers).__getitem__) if layers else (term, {})
    term = inlined(term) if literal else as_computed(term)
    return term, places, _needed(term.node, joint)


def arrays(
    term: Term,
    sizes: Mapping[str, int],
    maps: Mapping[str, Any],
    tensors: Mapping[str, Array],
    to: Arrays,
    *,
    literal: bool = False,
) -> Any:
    """The value of a term as an array in the order of its axes: as computed, or to the letter."""
    whole, indices = term, IndexArrays(sizes)
    layers = {s: indices.size(s) for s in layer_sets(term.node)}
    term, places, needed = _written_out(term, literal, tuple(layers.items()), to.joint)
    indices = IndexArrays(sizes, {**maps, **places})
    tables: dict[Node, Any] = {}
    for node, products in needed.items():
        time_limit.check()
        if products is None:
            tables[node] = _value(node, tables, indices, tensors, to)
        else:
            tables[node] = _einsum(products, len(node.sets), tables, to)
    # inlining may reorder the axes of a definition, and drop those that it ignores
    order = [term.axes.index(a) for a in whole.axes if a in term.axes]
    where = tuple(slice(None) if a in term.axes else None for a in whole.axes)
    shape = tuple(indices.size(s) for s in whole.node.sets)
    return to.map(
        lambda x: np.broadcast_to(np.transpose(x, order)[where], shape), tables[term.node]
    )


def _filled(x: Array, free: int, own: tuple[int, ...]) -> Array:
    """An array with its last axes of these sizes, along which it may have been constant."""
    return np.broadcast_to(x, (*x.shape[:free], *own))


@dataclass(frozen=True)
class _Sum:
    """A sum over axes of a product of two: never to be multiplied out. The axes of each factor: of
    the sum by their places, those that are summed over as -1, -2, …"""

    parts: tuple[Node, Node]
    axes: tuple[tuple[int, ...], tuple[int, ...]]


def _contraction(node: Node, joint: bool) -> _Sum | None:
    """The node as such a sum over one axis; where they are `joint`, over several that follow."""
    level, body, names = 0, node, [*range(len(node.sets))]
    while body.op.kind == "reduce" and body.op.data[0] == "sum" and (level == 0 or joint):
        level -= 1
        part = body.args[0]
        wires: Any = part.axes
        body, names = part.node, [level if w == -1 else names[w] for w in wires]
    if level == 0 or body.op.data != ("mul", 2):
        return None
    inner: Any = [part.axes for part in body.args]
    one, other = (tuple(names[w] for w in axes) for axes in inner)
    if not all(k in one and k in other for k in range(level, 0)):
        return None
    return _Sum((body.args[0].node, body.args[1].node), (one, other))


def _needed(root: Node, joint: bool) -> dict[Node, _Sum | None]:
    found, todo = {root: _contraction(root, joint)}, [root]
    while todo:
        node = todo.pop()
        products = found[node]
        for part in products.parts if products else [p.node for p in node.args]:
            if part not in found:
                found[part] = _contraction(part, joint)
                todo.append(part)
    return dict(sorted(found.items(), key=lambda item: item[0].id))


def _value(
    node: Node, tables: Mapping[Node, Any], indices: IndexArrays, tensors: Any, to: Arrays
) -> Any:
    op, shape = node.op, tuple(indices.size(s) for s in node.sets)

    def aligned(k: int, order: Sequence[int]) -> Any:
        """The k-th part with its axes where `order` has their wires, of size 1 for the others."""
        part = node.args[k]
        source = [part.axes.index(w) for w in order if w in part.axes]
        where = tuple(slice(None) if w in part.axes else None for w in order)
        return to.map(lambda x: np.transpose(x, source)[where], tables[part.node])

    match op.kind, op.data:
        case (("leaf" | "opaque"), (name, *_)) if name not in tensors:
            raise ReadingError(f"tensor {name}: no values given, expected one of {[*tensors]}")
        case "leaf", (name, _):
            given = np.asarray(tensors[name])
            if given.shape != shape:
                raise ReadingError(f"tensor {name}: given shape {given.shape}, expected {shape}")
            return to.leaf(given)
        case "number", (value,):
            return to.number(value)
        case "size", (of,):
            return to.number(Fraction(indices.size(of)))
        case "iota", _:
            return to.leaf(np.arange(shape[0]))
        case "delta", _:
            return to.leaf(np.eye(shape[0]))
        case "pointwise", (name, arity):
            if name not in to.functions:
                raise ReadingError(f"function {name}: unknown to the NumPy reading")
            return to.functions[name](*(aligned(k, range(len(shape))) for k in range(arity)))
        case "reduce", (kind, over):
            n = indices.size(over)
            value = aligned(0, [*range(len(shape)), -1])
            full = to.map(lambda x: np.broadcast_to(x, (*x.shape[:-1], n)), value)
            return to.reduce(kind, full)
        case "at", (exprs, _, _):
            where = indices.grid(exprs, node.sets)
            return to.map(lambda x: np.asarray(x[where]), tables[node.args[0].node])
        case "opaque", (name, ((over,),), (_,)):
            # one axis in, one out: a function of the last axis that leaves the others alone
            fill = partial(_filled, free=len(shape) - 1, own=(indices.size(over),))
            rows = to.map(fill, aligned(0, [*range(1, len(shape)), -1]))
            moved = to.map(lambda x: tensors[name](x, shape[0]), rows)
            return to.map(lambda x: np.moveaxis(x, -1, 0), moved)
        case "opaque", (name, binds, ()) if all(len(sets) == 1 for sets in binds):
            # a number of several rows, each along the last axis: by the functions of this reading
            order, whole = [*range(len(shape)), -1], []
            for k, (over,) in enumerate(binds):
                fill = partial(_filled, free=len(shape), own=(indices.size(over),))
                whole.append(to.map(fill, aligned(k, order)))
            return tensors[name](to, *whole)
        case "opaque", (name, binds, yields):
            # several axes in or out: a function of the last axes that leaves the others alone
            free, whole = range(len(yields), len(shape)), []
            for k, sets in enumerate(binds):
                own = tuple(indices.size(s) for s in sets)
                part = aligned(k, [*free, *(-1 - i for i in range(len(sets)))])
                whole.append(to.map(partial(_filled, free=len(free), own=own), part))
            sizes, last = shape[: len(yields)], range(-len(yields), 0)
            found = tensors[name](*whole, sizes=sizes)
            return to.map(lambda x: np.moveaxis(x, [*last], [*range(len(sizes))]), found)
        case "cat", sides:
            order = [-1, *range(1, len(shape))]
            parts = [  # a part without the axis is constant along it
                to.map(
                    partial(np.broadcast_to, shape=(indices.size(side), *shape[1:])),
                    aligned(k, order),
                )
                for k, side in enumerate(sides)
            ]
            return to.join(*parts)
    raise ReadingError(f"{op.kind}: given {node}, not read as an array")


def _einsum(found: _Sum, rank: int, tables: Mapping[Node, Any], to: Arrays) -> Any:
    summed = sorted({w for axes in found.axes for w in axes if w < 0}, reverse=True)
    letters = {w: chr(ord("a") + s) for s, w in enumerate([*summed, *range(rank)])}
    left, right = ("".join(letters[w] for w in axes) for axes in found.axes)
    out = "".join(letters[w] for w in range(rank))
    return to.contract(f"{left},{right}->{out}", *(tables[part] for part in found.parts))
