"""Statements in other letters."""

from collections.abc import Callable
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
from orderproof.symbolic.models.builders import POINT
from orderproof.symbolic.statements.statement import Atom, Sizes, Statement

Naming = Callable[[str], str]


def renamed(x: Any, to: Naming) -> Any:
    """A statement, or what it is made of, with other names of all but definitions and functions."""
    match x:
        case Set() if x.parts or x == POINT:
            return Set(x.name, renamed(x.parts, to))
        case Set():
            return Set(to(x.name))
        case Map("symbol", (name, *data)) | Op("leaf" | "opaque", (name, *data)):
            return x.__class__(x.kind, (to(name), *renamed(tuple(data), to)))
        case Map() | Op():
            return x.__class__(x.kind, renamed(x.data, to))
        case Ap():
            return Ap(renamed(x.map, to), renamed(x.args, to))
        case tuple():
            return tuple(renamed(y, to) for y in x)
        case frozenset():
            return frozenset(renamed(y, to) for y in x)
        case Atom():
            sides = (Term(renamed(t.node, to), tuple(f"axis {a}" for a in t.axes)) for t in x.terms)
            return Atom(next(sides), x.relation, next(sides), x.some)
        case Sizes():
            return Sizes(*(renamed(y, to) for y in (x.least, x.of, x.among)))
        case Statement():
            fields = (x.atom, x.given, x.exists, x.such, x.sizes)
            return Statement(*(renamed(y, to) for y in fields))
        case Node():
            done: dict[Node, Term] = {}
            for node in reachable(x):
                op, parts, bound, names = opened(Term(node, tuple(range(len(node.sets)))))
                new = [done[q.node].rename(dict(enumerate(q.axes))) for q in parts]
                done[node] = build(renamed(op, to), new, bound, names)
            return done[x].node
    return x
