"""Equals for equals, as theorems: a part of a term, an index in it, its definitions by bodies."""

from __future__ import annotations

from collections.abc import Sequence

from orderproof.symbolic.calculus import kernel as k
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import (
    Ap,
    Index,
    Node,
    Term,
    at,
    index_subst,
    opened,
    reachable,
)
from orderproof.symbolic.models.builders import opened_at

from .equations import arguments, chain, everywhere, index_axes, refl, slots


def replaced(t: Term, fact: Theorem) -> Theorem | None:
    """t = the same with the left side of the fact replaced by its right side; None if it does not
    occur in t. Bodies of definitions are not rewritten."""
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

    def body(t: Term) -> Theorem | None:
        op, parts, bound, _ = opened(t)
        if op.kind != "apply":
            return None
        law = k.unfold(op)
        return k.inst(chain(law, unfolded(law.rhs)), arguments(op, parts, bound))

    return everywhere(t, body)


def reindexed(t: Term, facts: Sequence[Theorem]) -> Theorem:
    """t = the same with f in place of e wherever an axis is e, for each fact ι(e) = ι(f), e not an
    axis itself; other facts are passed over."""

    def swapped(t: Term) -> Theorem | None:
        whole = refl(t)
        part, exprs = opened_at(t)
        for axis, e in exprs.items() if t.node.op.kind == "at" else ():
            for fact in facts:
                if (f := _other(fact, e)) is not None:
                    rest = {a: x for a, x in exprs.items() if a != axis}
                    before, after = (k.at_at(part, rest, {axis: x}) for x in (e, f))
                    swap = k.at_equal(at(part, rest), axis, e, f, fact)
                    whole = chain(whole, k.sym(before), swap, after)
                    exprs = rest | {axis: f}
                    break
        return whole

    return everywhere(t, swapped)


def _other(fact: Theorem, e: Index) -> Index | None:
    """What a fact ι(e) = ι(f) puts in place of this index; None if it is about another."""
    sides = [opened_at(t) for t in (fact.lhs, fact.rhs)]
    if not isinstance(e, Ap) or any(part.node.op.kind != "iota" for part, _ in sides):
        return None
    (old,), (new,) = (exprs.values() for _, exprs in sides)
    to = dict(zip(fact.lhs.axes, index_axes(e), strict=False))
    return index_subst(new, to) if index_subst(old, to) == e else None
