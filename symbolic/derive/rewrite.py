"""Equals for equals, as theorems: a part of a term, an index in it, its definitions by bodies."""

from __future__ import annotations

from collections.abc import Sequence

from orderproof.symbolic.calculus import kernel as k
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import (
    Ap,
    Index,
    Name,
    Node,
    Term,
    at,
    index_subst,
    opened,
    reachable,
)
from orderproof.symbolic.models.builders import opened_at

from .equations import arguments, chain, slots


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


def reindexed(t: Term, facts: Sequence[Theorem]) -> Theorem:
    """t = the same with f in place of e wherever an axis is e, for each fact ι(e) = ι(f)."""
    done: dict[Node, Theorem] = {}
    for node in reachable(t.node):
        whole = k.cong(slots(node), [done[part.node] for part in node.args])
        if node.op.kind == "at":
            part, exprs = opened_at(whole.rhs)
            for axis, e in exprs.items():
                found = ((fact, _other(fact, e)) for fact in facts)
                fact, f = next((pair for pair in found if pair[1] is not None), (None, None))
                if fact is not None:
                    rest = {a: x for a, x in exprs.items() if a != axis}
                    before, after = (k.at_at(part, rest, {axis: x}) for x in (e, f))
                    swap = k.at_equal(at(part, rest), axis, e, f, fact)
                    whole = chain(whole, k.sym(before), swap, after)
                    exprs = rest | {axis: f}
        done[node] = whole
    return done[t.node]


def _other(fact: Theorem, e: Index) -> Index | None:
    """What a fact ι(e) = ι(f) puts in place of this index; None if it is about another."""
    (old,), (new,) = (opened_at(side)[1].values() for side in (fact.lhs, fact.rhs))
    to = dict(zip(fact.lhs.axes, _axes(e), strict=False))
    return index_subst(new, to) if index_subst(old, to) == e else None


def _axes(e: Index) -> list[Name]:
    return [a for arg in e.args for a in _axes(arg)] if isinstance(e, Ap) else [e]
