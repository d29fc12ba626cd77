"""Equals for equals, as theorems: one part of a term replaced by another, definitions opened."""

from __future__ import annotations

from . import kernel as k
from .kernel import Theorem
from .moving import arguments, chain, slots
from .terms import Node, Term, opened, reachable


def replaced(t: Term, fact: Theorem) -> Theorem | None:
    """t = the same with the left side of the fact replaced by its right side; None if it does not
    occur in t. What stands inside a definition is not looked at."""
    done: dict[Node, Theorem | None] = {}
    for node in reachable(t.node):
        if node is fact.lhs.node:
            done[node] = fact
            continue
        parts = [done[part.node] for part in node.args]
        done[node] = k.cong(slots(node), parts) if any(parts) else None
    return done[t.node]


def unfolded(t: Term) -> Theorem:
    """t = the same with every definition replaced by its body."""
    done: dict[Node, Theorem] = {}
    for node in reachable(t.node):
        inside = k.cong(slots(node), [done[part.node] for part in node.args])
        op, parts, bound, _ = opened(inside.rhs)
        if op.kind == "apply":
            body = k.unfold(op)
            law = chain(body, unfolded(body.rhs))
            inside = chain(inside, k.inst(law, arguments(op, parts, bound)))
        done[node] = inside
    return done[t.node]
