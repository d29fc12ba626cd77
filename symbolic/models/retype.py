"""Terms over other index sets and with other maps; not trusted: what comes out is built anew."""

from __future__ import annotations

from collections.abc import Mapping
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
    done: dict[Node, Term] = {}
    for n in reachable(node):
        op, parts, bound, names = opened(Term(n, tuple(range(len(n.sets)))))
        new = [done[p.node].rename(dict(enumerate(p.axes))) for p in parts]
        done[n] = build(retyped(op, to), new, bound, names)
    return done[node]
