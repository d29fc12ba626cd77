"""Terms over other index sets and with other maps; not trusted: what comes out is built anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from orderproof.symbolic.calculus.terms import (
    Ap,
    Map,
    Node,
    Op,
    Set,
    Term,
    build,
    opened,
    reachable,
)

Change = Callable[[Node, Op, list[Term], Any, Any], Term]


def retyped(x: Any, to: Mapping[Set | Map, Set | Map]) -> Any:
    """x (a set, map, index expression, constructor, node, or a tuple of such) with index sets and
    map symbols replaced, in definitions too; ShapeError where the types no longer fit."""
    match x:
        case Set() | Map() if x in to:
            return to[x]
        case Set():
            return Set(x.name, retyped(x.parts, to))
        case Map() | Op():
            return x.__class__(x.kind, retyped(x.data, to))
        case Ap():
            return Ap(retyped(x.map, to), retyped(x.args, to))
        case tuple():
            return tuple(retyped(y, to) for y in x)
        case Node():
            return rebuilt(x, to).node
    return x


def rebuilt(node: Node, to: Mapping[Set | Map, Set | Map]) -> Term:
    """A node with index sets and map symbols replaced, slot k named k."""
    return remade(node, lambda n, op, *rest: build(retyped(op, to), *rest))


def remade(root: Node, change: Change) -> Term:
    """A node built anew from its parts up, slot k named k. `change` gives the term for each node
    below it from the node, its constructor, and the new parts, bound axes and names for `build`."""
    done: dict[Node, Term] = {}
    for node in reachable(root):
        op, parts, bound, names = opened(Term(node, tuple(range(len(node.sets)))))
        new = [done[p.node].rename(dict(enumerate(p.axes))) for p in parts]
        done[node] = change(node, op, new, bound, names)
    return done[root]
