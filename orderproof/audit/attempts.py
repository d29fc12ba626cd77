"""The attempt to prove a planted falsehood: the tactic is applied to both of its sides.

Were a mutant compared with the theorem of the true claim alone, any change would do to be rejected
by the kernel. So each side is pushed outward and inward anew, and where both become the same term,
 the kernel has proved the mutant: it is true, and no falsehood.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.kernel import Equation, Theorem
from orderproof.symbolic.calculus.terms import (
    Ap,
    Map,
    Node,
    Op,
    ShapeError,
    Term,
    applied,
    at,
    build,
    map_type,
    opened,
    reachable,
    rebuild,
)
from orderproof.symbolic.derive.equations import arguments, everywhere, index_axes
from orderproof.symbolic.derive.push import Motion, Stuck, chain, push, refl, slots
from orderproof.symbolic.derive.rewrite import reindexed
from orderproof.symbolic.derive.select import inward
from orderproof.symbolic.models.builders import opened_at
from orderproof.symbolic.models.retype import remade
from orderproof.symbolic.statements.statement import Statement

FORMS = 8  # of one side: more have shown nothing more
SHORT = 3  # where every other mark has said no already
LARGE = 300  # nodes, with those of definitions: what is larger is not written out


def derived(
    s: Statement, forms: int = FORMS, cited: Theorem | None = None
) -> tuple[Theorem | None, list[Theorem]]:
    """The kernel's theorem that says what a statement says, if the tactic finds one (one that is
    cited may be used); and whatever it found about the two sides, that one first."""
    hyps = equations(s)
    left, right = (_forms(t, hyps, forms) for t in s.atom.terms)
    ways = [_joined(left, right)]
    if cited is not None and kernel.is_theorem(cited):
        ends = [_forms(t, hyps, forms) for t in (cited.lhs, cited.rhs)]
        begin, end = _joined(left, ends[0]), _joined(ends[1], right)
        ways.append(chain(begin, cited, end) if begin and end else None)
    for way in ways:
        if way and says(way, s):
            return way, [way, *left, *right]
    return None, [*left, *right]


def equations(s: Statement) -> frozenset[Equation]:
    """The hypotheses that the kernel can use."""
    plain = (a for a in s.given if a.relation == "=" and not a.some)
    return frozenset((a.lhs, a.rhs) for a in plain if a.lhs.sets == a.rhs.sets)


def says(theorem: Theorem, s: Statement) -> bool:
    """Whether a theorem of the kernel says what a statement says, under no other hypotheses."""
    a = s.atom
    if not kernel.is_theorem(theorem) or a.relation != "=" or a.some or s.exists:
        return False
    if a.lhs.sets != a.rhs.sets:
        return False
    wanted = {kernel.equation(*h) for h in equations(s)}
    return kernel.equation(a.lhs, a.rhs) == kernel.equation(theorem.lhs, theorem.rhs) and all(
        kernel.equation(*h) in wanted for h in theorem.hyps
    )


def _joined(left: Sequence[Theorem], right: Sequence[Theorem]) -> Theorem | None:
    """s = t from s = u and t = u, if some u is among both."""
    for a in left:
        for b in right:
            if a.rhs.node is b.rhs.node:
                return chain(a, kernel.sym(b))
    return None


@lru_cache(maxsize=256)  # most mutants of a claim have one side in common
def _forms(t: Term, hyps: frozenset[Equation], forms: int) -> tuple[Theorem, ...]:
    """t = itself, and = the results of pushing maps outward and substitutions inward, and of
    replacing definitions by their bodies."""
    facts = [kernel.hyp(a, b) for a, b in hyps]
    written = [plain] if weight(t) <= LARGE else []
    found = [refl(t)]
    for th in found:  # grows
        if len(found) >= forms:
            break
        steps = (inward, lambda t: reindexed(t, facts), *written)
        made = (outward(th.rhs, facts), *(_or_none(f, th.rhs) for f in steps))
        for new in made:
            if new is not None and all(new.rhs.node is not f.rhs.node for f in found):
                found.append(chain(th, new))
    return tuple(found)


def weight(t: Term) -> int:
    """How many nodes a term has, with those of the definitions that it applies."""
    steps = (applied(n.op) for n in reachable(t.node))
    bodies = [slots(step.data[2]) for step in steps if step is not None]
    return len(list(reachable(t.node))) + sum(weight(b) for b in bodies)


def _or_none(rewrite: Callable[[Term], Theorem], t: Term) -> Theorem | None:
    try:
        return rewrite(t)
    except ShapeError:
        return None  # a rule that does not apply: no theorem


def plain(t: Term) -> Theorem:
    """t = the same without definitions, and without a permutation on what is reduced over."""

    def step(t: Term) -> Theorem | None:
        op, parts, bound, _ = opened(t)
        if op.kind == "apply":
            law = kernel.unfold(op)
            return kernel.inst(chain(law, plain(law.rhs)), arguments(op, parts, bound))
        return _in_order(t) if op.kind == "reduce" else None

    return everywhere(t, step)


def _in_order(t: Term) -> Theorem | None:
    """⊕ⱼ t(σ(j)) = ⊕ⱼ t(j), where that is what stands there."""
    op, (part,), ((j,),), _ = opened(t)
    inner, exprs = opened_at(part)
    for a, e in exprs.items():
        if isinstance(e, Ap) and e.args == (j,) and map_type(e.map)[2]:
            rest = {b: x for b, x in exprs.items() if b != a}
            if any(j in index_axes(x) for x in rest.values()):
                return None
            before = at(inner, rest).rename({a: j})
            if at(before, {j: e.map(j)}).node is part.node:
                return kernel.sym(kernel.reindex(op.data[0], before, j, e.map))
    return None


def _motion(node: Node) -> tuple[Term, Motion] | None:
    """The part and the maps on its axes, of a node that is a moved tensor (or one moved again)."""
    part, exprs = opened_at(slots(node))
    if node.op.kind != "at" or any(
        n.op.kind not in ("leaf", "at", "delta") for n in reachable(part.node)
    ):
        return None
    motion: list[Map | None] = []
    for slot, e in enumerate(exprs.values()):
        if e == slot:
            motion.append(None)
        elif (
            isinstance(e, Ap) and map_type(e.map)[0] == (map_type(e.map)[1],) and e.args == (slot,)
        ):
            motion.append(e.map)
        else:
            return None
    return slots(part.node), tuple(motion)


def _at_rest(t: Term) -> tuple[Term, dict[Op, Motion], dict[Op, Term]]:
    """t with every moved tensor replaced by one at rest, of a name of its own; what moves each, and
    what it stands for."""
    moves: dict[Op, Motion] = {}
    stands: dict[Op, Term] = {}

    def rest(node: Node, *parts: Any) -> Term:
        if (found := _motion(node)) is None:
            return build(*parts)
        fresh = Op("leaf", (f"moved {len(moves)}", found[0].node.sets))
        stands[fresh], moves[fresh] = found
        return build(fresh, names=range(len(node.sets)))

    return remade(t.node, rest).rename(dict(enumerate(t.axes))), moves, stands


def apart(t: Term) -> Theorem:
    """t = the same with t(π(σ(i))) of a tensor read as one that π moves, and then σ."""

    def step(t: Term) -> Theorem | None:
        part, exprs = opened_at(t)
        nested = {
            a: e
            for a, e in exprs.items()
            if isinstance(e, Ap) and e.args and isinstance(e.args[0], Ap)
        }
        if t.node.op.kind != "at" or part.node.op.kind not in ("leaf", "delta") or not nested:
            return None
        first = {a: e.map(a) for a, e in nested.items()}
        after = {a: nested[a].args[0] if a in nested else e for a, e in exprs.items()}
        merged = kernel.at_at(part, first, after)
        return kernel.sym(merged) if merged.rhs.node is t.node else None

    return everywhere(t, step)


def outward(t: Term, facts: Iterable[Theorem] = ()) -> Theorem | None:
    """t = the same term of the tensors at rest, with maps on its own axes; None where stuck."""
    split = _or_none(apart, t)
    if split is not None and split.rhs.node is not t.node:
        further = outward(split.rhs, facts)
        return chain(split, further) if further else None
    rest, moves, stands = _at_rest(t)
    pushed = push(rest, moves, tuple(facts)) if moves else None
    if pushed is None or isinstance(pushed, Stuck):
        return None
    try:
        theorem = kernel.inst(pushed.theorem, stands)
    except ShapeError:
        return None  # the instance makes two definitions one: no theorem
    return theorem if theorem.lhs.node is t.node else None


def everything_moved(t: Term) -> Theorem | None:
    """The theorem for t with every axis moved, of every tensor, over a set that t's maps move."""
    rest, moves, stands = _at_rest(t)
    bare = rebuild(rest.node, {op: slots(reachable(part.node)[0]) for op, part in stands.items()})
    acting = {map_type(m)[1]: m for motion in moves.values() for m in motion if m}
    leaves = {n.op for n in reachable(bare.node) if n.op.kind == "leaf"}
    every: dict[Op, Motion] = {op: tuple(acting.get(s) for s in op.data[1]) for op in leaves}
    pushed = push(bare, {op: m for op, m in every.items() if any(m)})
    return None if isinstance(pushed, Stuck) else pushed.theorem
