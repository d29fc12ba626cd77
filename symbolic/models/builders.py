"""Words for writing terms: everything here only builds, and the kernel trusts none of it.

n, d = Set("n"), Set("d")
X = tensor("X", i=n, k=d)
mean = divide(total(X, "i"), size(n))
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import fields
from fractions import Fraction
from functools import cache
from typing import Any

from orderproof.symbolic.calculus.terms import (
    Ap,
    Index,
    Map,
    Name,
    Node,
    Op,
    Set,
    ShapeError,
    Term,
    at,
    build,
    index_subst,
    opened,
    reachable,
    rebuild,
)

POINT = Set("1")
Motion = tuple[Map | None, ...]  # what acts on each slot of a node


def tensor(name: str, /, **axes: Set) -> Term:
    """A free tensor with its axes, in order: tensor("X", i=n, k=d) is X_{ik}."""
    return build(Op("leaf", (name, tuple(axes.values()))), names=tuple(axes))


def number(value: Fraction | int) -> Term:
    """A rational constant."""
    return build(Op("number", (Fraction(value),)))


def size(of: Set) -> Term:
    """The number of elements of an index set."""
    return build(Op("size", (of,)))


def iota(of: Set, axis: Name) -> Term:
    """The index itself as a number 0, 1, …"""
    return build(Op("iota", (of,)), names=[axis])


def delta(of: Set, row: Name, column: Name) -> Term:
    """The identity matrix of an index set."""
    return build(Op("delta", (of,)), names=[row, column])


def pointwise(name: str, *parts: Term) -> Term:
    """A real function applied entry by entry, over the union of the axes."""
    return build(Op("pointwise", (name, len(parts))), parts, [()] * len(parts))


def add(*parts: Term) -> Term:
    """The sum of terms, entry by entry."""
    return _fold("add", parts)


def multiply(*parts: Term) -> Term:
    """The product of terms, entry by entry."""
    return _fold("mul", parts)


def subtract(a: Term, b: Term) -> Term:
    """a − b, entry by entry."""
    return pointwise("sub", a, b)


def divide(a: Term, b: Term) -> Term:
    """a / b, entry by entry."""
    return pointwise("div", a, b)


def exp(t: Term) -> Term:
    """The exponential, entry by entry."""
    return pointwise("exp", t)


def exp2(t: Term) -> Term:
    """2 to the power of a term, entry by entry."""
    return pointwise("exp2", t)


def sqrt(t: Term) -> Term:
    """The square root, entry by entry."""
    return pointwise("sqrt", t)


def _fold(name: str, parts: Iterable[Term]) -> Term:
    first, *rest = parts
    for t in rest:
        first = pointwise(name, first, t)
    return first


def reduce(kind: str, t: Term, axis: Name, over: Set | None = None) -> Term:
    """sum, prod, max or min over an axis (over a given set, where the axis is not the term's)."""
    if over is None and axis not in t.sets:
        raise ShapeError(f"{kind} of {t.node}: given axis {axis!r}, expected one of {t.axes}")
    return build(Op("reduce", (kind, over or t.sets[axis])), [t], [[axis]])


def total(t: Term, axis: Name) -> Term:
    """Σ over an axis."""
    return reduce("sum", t, axis)


def mean(t: Term, axis: Name) -> Term:
    """The sum over an axis by the size of its index set."""
    return divide(total(t, axis), size(t.sets[axis]))


def contract(a: Term, b: Term, axis: Name) -> Term:
    """Σ over an axis of the product: a matrix product, in whichever order of the axes."""
    return total(multiply(a, b), axis)


def cat(left: Term, right: Term, axis: Name) -> Term:
    """One axis, of the same name in both parts, over the sum of their index sets."""
    op = Op("cat", (left.sets[axis], right.sets[axis]))
    return build(op, [left, right], [[axis], [axis]], [axis])


def opaque(name: str, binds: Mapping[Name, Name], t: Term, sets: Mapping[Name, Set]) -> Term:
    """A row-wise map nothing is known of: binds the axes `binds` of t, yields those it maps to."""
    op = Op("opaque", (name, (tuple(t.sets[a] for a in binds),), tuple(sets.values())))
    return build(op, [t], [list(binds)], list(sets))


def symbol(name: str, dom: tuple[Set, ...], cod: Set, *, bijective: bool = False) -> Map:
    """Any map of index sets of this type."""
    return Map("symbol", (name, dom, cod, bijective))


def permutation(name: str, over: Set) -> Map:
    """Any bijection of an index set with itself."""
    return symbol(name, (over,), over, bijective=True)


def inverse(m: Map) -> Map:
    """The inverse of a bijection."""
    return Map("inverse", (m,))


def constant(name: str, of: Set) -> Map:
    """A constant (nullary map): any one element of an index set, such as "the last token"."""
    return symbol(name, (), of)


def moved(t: Term, **axes: Map) -> Term:
    """t with a map acting on each axis that is named: moved(X, i=σ) is (PX)_{ik} = X_{σ(i)k}."""
    return at(t, {a: m(a) for a, m in axes.items()})


def image(t: Term, moves: Mapping[Op, tuple[Map | None, ...]]) -> Term:
    """t with each tensor of `moves` replaced by itself with these maps acting on its axes."""
    to = {}
    for op, motion in moves.items():
        leaf = build(op, names=tuple(range(len(motion))))
        to[op] = at(leaf, {a: m(a) for a, m in enumerate(motion) if m})
    return rebuild(t.node, to).rename(dict(enumerate(t.axes)))


def define(name: str, formals: Iterable[Term], body: Term) -> Op:
    """A definition; its formals are tensors, and its result has the axes of the body in order."""
    leaves = tuple(f.node.op for f in formals)
    return Op("apply", (name, leaves, body.node))


def call(
    definition: Op, parts: Iterable[Term], bound: Iterable[Any], names: Iterable[Name]
) -> Term:
    """A definition applied: for each part the axes that stand for its formal's; the result's."""
    return build(definition, tuple(parts), [tuple(b) for b in bound], tuple(names))


def opened_at(term: Term) -> tuple[Term, dict[Any, Index]]:
    """The part of an `at` and what each of its axes becomes; of another term, itself unchanged."""
    if term.node.op.kind != "at":
        return term, {a: a for a in term.axes}
    op, (part,), (inner,), names = opened(term)
    exprs = (index_subst(e, dict(enumerate(names))) for e in op.data[0])
    return part, dict(zip(inner, exprs, strict=True))


def leaf_of(t: Term) -> Op:
    """The tensor of a term that is one."""
    if t.node.op.kind != "leaf":
        raise ShapeError(f"given {t.node}, expected a free tensor")
    return t.node.op


def inlined(term: Term, instead: Mapping[Op, Op] | None = None) -> Term:
    """term with every definition replaced by its body (or by that of the one given instead)."""
    done: dict[Node, Term] = {}
    bodies: dict[Node, Term] = {}  # each inlined once, before its formals are replaced
    for node in reachable(term.node):
        op, parts, bound, names = opened(Term(node, tuple(range(len(node.sets)))))
        new = [done[p.node].rename(dict(enumerate(p.axes))) for p in parts]
        if op.kind != "apply":
            done[node] = build(op, new, bound, names)
            continue
        _, formals, body = (instead or {}).get(op, op).data
        # The axes that pass through get names that no slot of the body has.
        outer = {a: f"axis {s}" for s, a in enumerate(range(len(node.sets)))}
        to = {
            f: p.rename(outer | {a: s for s, a in enumerate(inner)})
            for f, p, inner in zip(formals, new, bound, strict=True)
        }
        if body not in bodies:
            bodies[body] = inlined(Term(body, tuple(range(len(body.sets)))), instead)
        inner_axes = dict(enumerate(bodies[body].axes))
        whole = rebuild(bodies[body].node, to).rename(inner_axes)
        done[node] = whole.rename({name: a for a, name in outer.items() if name in whole.axes})
    return done[term.node].rename(dict(enumerate(term.axes)))


def in_order(root: Node) -> list[Node]:
    """A node and all below it, parts before wholes, in an order that the term alone gives (numbers
    of nodes depend on what was built before)."""
    found: dict[Node, None] = {}
    todo = [(root, False)]
    while todo:
        node, whole = todo.pop()
        if whole:
            found[node] = None
        elif node not in found:
            todo += [(node, True), *((part.node, False) for part in reversed(node.args))]
    return list(found)


def symbols(*terms: Term) -> tuple[list[Set], list[Map]]:
    """The index set symbols and map symbols in terms, definitions included, in order of use."""
    found = [_symbols(t.node) for t in terms]
    sets, maps = (dict.fromkeys(itertools.chain(*own)) for own in (*zip(*found, strict=True),))
    return list(sets), list(maps)


@cache
def _symbols(whole: Node) -> tuple[tuple[Set, ...], tuple[Map, ...]]:
    """Those of a node and all below it."""
    sets: dict[Set, None] = {}
    maps: dict[Map, None] = {}

    def look(x: Any) -> None:
        if isinstance(x, Node):
            inner = _symbols(x)
            sets.update(dict.fromkeys(inner[0]))
            maps.update(dict.fromkeys(inner[1]))
        elif isinstance(x, Set) and not x.parts and x != POINT:
            sets[x] = None
        elif isinstance(x, Map) and x.kind == "symbol":
            maps[x] = None
        if isinstance(x, tuple):
            for y in x:
                look(y)
        elif isinstance(x, Set | Map | Op | Ap):
            for f in fields(x):
                look(getattr(x, f.name))

    for node in in_order(whole):
        look(node.op)
    return tuple(sets), tuple(maps)
