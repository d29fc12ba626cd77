"""Pushing inward: a selection, or any `at`, through a term to the tensors, where rules allow."""

from __future__ import annotations

from orderproof.symbolic.calculus import kernel as k
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import Ap, Node, Term, at, opened
from orderproof.symbolic.models.builders import opened_at

from .equations import chain, index_axes, slots


def inward(t: Term) -> Theorem:
    """t = the same with every `at` pushed to the tensors, where rules allow (a selection, say)."""
    done: dict[Node, Theorem] = {}
    todo = [t.node]
    while todo:
        node = todo[-1]
        step = _one_step(node) if node.op.kind == "at" else None
        below = [step.rhs.node] if step else [part.node for part in node.args]
        missing = [n for n in below if n not in done]
        if missing:
            todo += missing
            continue
        todo.pop()
        if step:
            done[node] = chain(step, done[step.rhs.node])
        else:
            parts = [done[part.node] for part in node.args]
            done[node] = k.cong(slots(node), parts)
    return done[t.node]


def _one_step(node: Node) -> Theorem | None:
    """at(s, op(…)) one constructor further in; None where no rule applies."""
    part, exprs = opened_at(slots(node))
    op = part.node.op
    if op.kind == "at":
        inner, before = opened_at(part)
        return k.at_at(inner, before, exprs)
    _, parts, bound, names = opened(part)
    own, used = [exprs[a] for a in names], [x for e in exprs.values() for x in index_axes(e)]
    if not any(isinstance(e, Ap) or used.count(e) > 1 for e in own):
        return k.at_op(part, exprs) if op.kind != "leaf" else None
    if op.kind == "cat" and isinstance(own[0], Ap) and own[0].map.kind in ("inl", "inr", "beside"):
        ((a,), (b,)), m = bound, own[0].map
        chosen, other = [{*p.axes} - {x} for p, x in zip(parts, (a, b), strict=True)]
        if m.kind != "beside" and not (other <= chosen if m.kind == "inl" else chosen <= other):
            return None  # the part that is chosen lacks an axis that the whole has
        last = Term(part.node, ("@", *part.axes[1:]))
        law = k.at_cat(parts[0], a, parts[1], b, m)
        rest = {**{x: exprs[x] for x in part.axes[1:]}, "@": own[0].args[0]}
        split = k.at_at(last, {"@": m("@")}, rest)
        inner = at(last, {"@": m("@")})
        whole = at(inner, rest)  # the same node where the rest only renames
        return chain(k.sym(split), law if whole.node is inner.node else k.cong(whole, [law]))
    return None
