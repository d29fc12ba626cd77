"""Terms with their axes moved, and chains of theorems: what every derivation is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from orderproof.symbolic.calculus import kernel as k
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import Ap, Index, Map, Name, Node, Op, Term, at, reachable
from orderproof.symbolic.models.builders import Motion


def refl(t: Term) -> Theorem:
    """⊢ t = t, by congruence from nothing."""
    return k.cong(t, [None] * len(t.node.args))


def chain(*theorems: Theorem | None) -> Theorem:
    """s = t, t = u, …  ⇒  s = …; None and reflexive steps are passed over."""
    first, *rest = [th for th in theorems if th is not None]
    for th in rest:
        if first.lhs == first.rhs:
            first = th
        elif th.lhs != th.rhs:
            first = k.trans(first, th)
    return first


def slots(node: Node) -> Term:
    """A node with its slots as axis names."""
    return Term(node, tuple(range(len(node.sets))))


def everywhere(t: Term, rule: Callable[[Term], Theorem | None]) -> Theorem:
    """t = the same with a rule applied at every node, parts first; None where it does not apply."""
    done: dict[Node, Theorem] = {}
    for node in reachable(t.node):
        th = k.cong(slots(node), [done[part.node] for part in node.args])
        done[node] = chain(th, rule(th.rhs))
    return done[t.node]


def index_axes(e: Index) -> list[Name]:
    """The axes in an index expression, as often as they occur."""
    return [a for arg in e.args for a in index_axes(arg)] if isinstance(e, Ap) else [e]


def act(node: Node, motion: Motion) -> Term:
    """at(node) with each moved slot a become m(a)."""
    return at(slots(node), {a: m(a) for a, m in enumerate(motion) if m})


def fixed(t: Term, **axes: Map) -> Theorem:
    """The hypothesis that maps acting on axes of t leave it as it is: PE = E, PMPᵀ = M."""
    return k.hyp(at(t, {a: m(a) for a, m in axes.items()}), t)


def formals(op: Op) -> tuple[Op, ...]:
    """A tensor for each part of an application: of a definition its formals; of a stack those of
    its layer, all but the first with the layer as a further axis."""
    if op.kind == "apply":
        return tuple(op.data[1])
    step, over = op.data
    state, *others = step.data[1]
    return (state, *(Op("leaf", (f.data[0], (*f.data[1], over))) for f in others))


def one_layer(op: Op, motions: tuple[Motion, ...]) -> tuple[Op, tuple[Motion, ...]]:
    """The definition that is applied, once or by a stack, with what moves its formals: of the
    weights of a stack, what moves the axes that are not of the layers."""
    if op.kind == "apply":
        return op, motions
    moved, *others = motions
    return op.data[0], (moved, *(motion[:-1] for motion in others))


def arguments(op: Op, parts: Sequence[Term], bound: Sequence[Sequence[Name]]) -> dict[Op, Term]:
    """What stands for each formal of a definition where it is applied, once or by a stack, as
    `inst` wants it."""
    terms = {}
    for leaf, part, axes in zip(formals(op), parts, bound, strict=True):
        inside: dict[Name, Name] = {a: slot for slot, a in enumerate(axes)}
        terms[leaf] = part.rename({a: f"axis {a}" for a in part.axes} | inside)
    return terms


def delta_moves(node: Node, m: Map) -> Theorem:
    """δ(a, b) = δ(m(a), m(b)), of a δ node: a bijection is injective."""
    same = Map("identity", (node.sets[0],))
    turned = k.sym(k.at_at(slots(node), {0: same(0), 1: same(1)}, {}))
    return chain(turned, k.at_delta(same), k.sym(k.at_delta(m)))  # δ(a, b) = δ(b, a) first


def leaves(th: Theorem) -> set[Op]:
    """The free tensors of a theorem, hypotheses included."""
    terms = [th.lhs, *(t for h in th.hyps for t in h)]
    return {n.op for t in terms for n in reachable(t.node) if n.op.kind == "leaf"}
