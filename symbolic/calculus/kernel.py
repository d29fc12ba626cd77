"""The kernel: the only door through which a theorem Γ ⊢ s = t comes. Its rules:

    sym, trans, cong                 an equation reversed; two joined; one in each part of a term
    hyp, discharge, inst             assumed; an assumption replaced by its proof; terms for tensors
    unfold, iterate                  a definition is its body; induction on the layers of a stack
    at_at, at_op, at_cat, at_equal   index expressions: composed, pushed into parts, taken as equal
    reindex, at_delta, sum_delta     a bijection of what is reduced, of the identity; Σ with it

A theorem says: for all index sets, maps and free tensors that satisfy the equations in Γ, both
terms are the same function of their axes. A rule builds both sides from what it is given; its
docstring is the rule, with [side conditions]. `law` is what values must obey: "perm" nothing, as a
reduction is a function of the multiset; "ring" 0·x = 0, 1·x = x and 0 + x = x (−∞ does not). Each
rule is a lemma of its name in proofs/rocq/Sound.v. Trusted: that the two say the same, and so do
terms.py and Calculus.v; against mistakes, not against a program that means to cheat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

from .terms import Ap, Index, Map, Name, Op, Set, Term, at, build, check, index_subst
from .terms import index_uses, map_type, need, opened, reachable, rebuild

Equation = tuple[Term, Term]  # axes numbered by the slots of the left side
Hyps = Iterable[Equation] | None  # None: those of the premises


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Theorem:
    """hyps ⊢ lhs = rhs, with the rule and the theorems that it came from."""

    hyps: frozenset[Equation]
    lhs: Term
    rhs: Term
    law: str
    rule: str
    premises: tuple[Theorem, ...]

    def __repr__(self) -> str:  # one line; printer.py writes it out
        given = f"{len(self.hyps)} assumed ⊢ " if self.hyps else "⊢ "
        return f"<Theorem {given}{self.lhs!r} = {self.rhs!r}, by {self.rule}, {self.law}>"


_issued: WeakSet[Theorem] = WeakSet()


def is_theorem(th: object) -> bool:
    """Whether the kernel issued this very object."""
    return isinstance(th, Theorem) and th in _issued


def equation(lhs: Term, rhs: Term) -> Equation:
    """lhs = rhs for all values of their axes, which must be the same on both sides."""
    need(lhs.sets == rhs.sets, "equation", (lhs.sets, rhs.sets), "the same axes on both sides")
    number = {a: k for k, a in enumerate(lhs.axes)}
    return lhs.rename(number), rhs.rename(number)


def _issue(
    rule: str, lhs: Term, rhs: Term, *by: Theorem, hyps: Hyps = None, law: str = "perm"
) -> Theorem:
    need(all(map(is_theorem, by)), rule, by, "theorems that the kernel issued")
    hyps = [h for premise in by for h in premise.hyps] if hyps is None else hyps
    (lhs, rhs), assumed = equation(lhs, rhs), frozenset(equation(*h) for h in hyps)
    after = [side for sides in ((lhs, rhs), *assumed) for side in sides]
    for side in after:
        check(side.node)  # by the definition of a term, whatever the rule did to make it
    # Of a map m → n there may be none (n empty, m not), and then a premise that names it says
    # nothing. So what follows must name it too, or it would say more.
    before = [side for p in by for sides in ((p.lhs, p.rhs), *p.hyps) for side in sides]
    lost = {m for t in before for m in t.node.maps} - {m for t in after for m in t.node.maps}
    need(not lost, rule, f"premises that name {lost}", "a statement that does, too")
    law = "ring" if "ring" in [law, *(premise.law for premise in by)] else "perm"
    th = Theorem(assumed, lhs, rhs, law, rule, by)
    _issued.add(th)
    return th


def sym(th: Theorem) -> Theorem:
    """s = t  ⇒  t = s"""
    return _issue("sym", th.rhs, th.lhs, th)


def trans(first: Theorem, second: Theorem) -> Theorem:
    """s = t, t = u  ⇒  s = u"""
    need(first.rhs.node is second.lhs.node, "trans", (first.rhs, second.lhs), "a common middle")
    rhs = second.rhs.rename(dict(enumerate(first.rhs.axes)))
    return _issue("trans", first.lhs, rhs, first, second)


def cong(t: Term, theorems: Sequence[Theorem | None]) -> Theorem:
    """sₚ = tₚ  ⇒  op(s₁, …, sₖ) = op(t₁, …, tₖ)   [t is the left side; None for a part: itself]"""
    op, parts, bound, names = opened(t)
    pairs = list(zip(parts, theorems, strict=True))
    fits = all(th is None or th.lhs.node is p.node for p, th in pairs)
    need(fits, "cong", pairs, "for each part a theorem about it, or None")
    new = [th.rhs.rename(dict(enumerate(p.axes))) if th else p for p, th in pairs]
    return _issue("cong", t, build(op, new, bound, names), *(th for _, th in pairs if th))


def hyp(lhs: Term, rhs: Term) -> Theorem:
    """s = t ⊢ s = t   [for all values of the axes, inside the hypothesis]"""
    return _issue("hyp", lhs, rhs, hyps=[(lhs, rhs)])


def discharge(th: Theorem, proof: Theorem) -> Theorem:
    """Γ, h ⊢ s = t and Δ ⊢ h  ⇒  Γ, Δ ⊢ s = t"""
    h = (proof.lhs, proof.rhs)
    need(h in th.hyps, "discharge", h, "a hypothesis among", th.hyps)
    return _issue("discharge", th.lhs, th.rhs, th, proof, hyps=(th.hyps - {h}) | proof.hyps)


def inst(th: Theorem, to: Mapping[Op, Term]) -> Theorem:
    """Γ ⊢ s = t  ⇒  Γ[u/X] ⊢ s[u/X] = t[u/X]   [each X a tensor; axis k of u is slot k of X, over
    its set; other axes of u are strings, each over one set in the whole call; s = t loses no axis;
    strings in Γ[u/X] are axes of s[u/X] too; maps between different sets are still named]

    Nothing binds a string axis: it becomes a shared axis of all that contains X. At each index z of
    it, u is one of the tensors that X stands for, and the conclusion is the theorem about it. So it
    needs the hypotheses at z; and without the axis, lost or new, there might be no z.
    """
    strings: dict[Name, Set] = {}
    for tensor, u in to.items():
        fits = isinstance(tensor, Op) and tensor.kind == "leaf" and isinstance(u, Term)
        need(fits, "inst", (tensor, u), "a tensor, and a term for it")
        slots: dict[Name, Set] = dict(enumerate(tensor.data[1]))
        for axis, over in u.sets.items():
            of = strings.setdefault(axis, over) if isinstance(axis, str) else slots.get(axis)
            need(over == of, "inst", (tensor, axis, over), "one of its slots or a string, over", of)

    def put(t: Term) -> Term:
        return rebuild(t.node, to).rename(dict(enumerate(t.axes)))

    lhs, rhs, hyps = put(th.lhs), put(th.rhs), [(put(s), put(t)) for s, t in th.hyps]
    kept = set(th.lhs.axes) <= set(lhs.axes) and set(th.rhs.axes) <= set(rhs.axes)
    need(kept, "inst", to, "each axis of the theorem in", (lhs, rhs))
    for side in (side for h in hyps for side in h):
        extra = {a: s for a, s in side.sets.items() if isinstance(a, str)}
        need(extra.items() <= lhs.sets.items(), "inst", extra, "axes of the conclusion", lhs.sets)
    return _issue("inst", lhs, rhs, th, hyps=hyps)


def unfold(definition: Op) -> Theorem:
    """D(X₁, …, Xₖ) = its body   [Xᵢ its formals, to be instantiated]"""
    need(definition.kind == "apply", "unfold", definition, "a definition")
    formals = [build(f, names=range(len(f.data[1]))) for f in definition.data[1]]
    body = Term(definition.data[2], tuple(range(len(definition.data[2].sets))))
    return _issue("unfold", build(definition, formals, [f.axes for f in formals], body.axes), body)


def iterate(
    th: Theorem, state: Op, lhs: Term, rhs: Term, m: Mapping[Any, Index], layer: Name, over: Set
) -> Theorem:
    """Γ ⊢ D(at(S, m), q(l)) = at(E(S, p(l)), m)  ⇒  Γ ⊢ D*(at(S, m), q) = at(E*(S, p), m)
    [D* is D once for each l in order, of its last value; S a tensor, not in Γ, p, q; l not in m;
    p not at an axis that D yields]  By induction: whatever the last value S is, at each l, what D
    makes of it at m is what E makes of it, at m. lhs applies D to q, and rhs E to p, at l.
    """
    (d, (_, *q), (_, *q_bound), y), (e, (_, *p), (_, *p_bound), z) = opened(lhs), opened(rhs)
    s = build(state, names=z)

    def both(d: Op, e: Op, *more: Name) -> Equation:
        left = build(d, [at(s, m), *q], [y, *((*b, *more) for b in q_bound)], y)
        return left, at(build(e, [s, *p], [z, *((*b, *more) for b in p_bound)], z), m)

    need(equation(*both(d, e)) == (th.lhs, th.rhs), "iterate", th, "a theorem about", (d, e))
    others = {n.op for t in (*q, *p, *(t for h in th.hyps for t in h)) for n in reachable(t.node)}
    used = [u for a, of in s.sets.items() for u, _ in index_uses(m.get(a, a), of)]
    at_y = {*y} & {a for t, own in zip(p, p_bound, strict=True) for a in t.axes if a not in own}
    fits = state.kind == "leaf" and state not in others and layer not in used and not at_y
    need(fits, "iterate", (state, layer), "a tensor, and a layer, that nothing else depends on")
    return _issue("iterate", *both(*(Op("iterate", (x, over)) for x in (d, e)), layer), th)


def at_at(t: Term, s: Mapping[Any, Index], r: Mapping[Any, Index]) -> Theorem:
    """at(r, at(s, t)) = at(s followed by r, in normal form, t)"""
    both = {a: normal(index_subst(s.get(a, a), r)) for a in t.axes}
    return _issue("at_at", at(at(t, s), r), at(t, both))


def at_op(t: Term, s: Mapping[Any, Index]) -> Theorem:
    """at(s, op(t₁, …, tₖ)) = op(at(s, t₁), …, at(s, tₖ))
    [an axis that op yields stays an axis, and what s puts for others does not use it]"""
    op, parts, bound, names = opened(t)
    to = {a: s.get(a, a) for a in t.axes}
    used = [u for a in t.axes for u, _ in index_uses(to[a], t.sets[a])]
    new = [e for e in (to[a] for a in names) if not isinstance(e, Ap) and used.count(e) == 1]
    need(len(new) == len(names) and op.kind != "at", "at_op", to, "yielded axes left alone")
    acted = [at(p, {a: e for a, e in to.items() if a in p.axes}) for p in parts]
    return _issue("at_op", at(t, s), build(op, acted, bound, new))


def at_cat(s: Term, a: Name, t: Term, b: Name, m: Map) -> Theorem:
    """cat(s, t) at inl(a) = s;  at inr(b) = t;  at (f + g)(c) = cat(s at f(a), t at g(b))"""
    c, op = object(), Op("cat", (s.sets[a], t.sets[b]))
    whole = build(op, [s, t], [[a], [b]], [c])
    if m.kind in ("inl", "inr"):
        x, part = (a, s) if m.kind == "inl" else (b, t)
        return _issue("at_cat", at(whole, {c: m(x)}), part)
    need(m.kind == "beside", "at_cat", m, "inl, inr or beside")
    moved = [at(s, {a: m.data[0](a)}), at(t, {b: m.data[1](b)})]
    op = Op("cat", map_type(m)[0][0].parts)
    return _issue("at_cat", at(whole, {c: m(c)}), build(op, moved, [[a], [b]], [c]))


def at_equal(t: Term, axis: Name, e: Index, f: Index, th: Theorem) -> Theorem:
    """ι(e) = ι(f)  ⇒  t(e) = t(f)   [ι, the index as a number, is injective]"""
    iota = build(Op("iota", (t.sets[axis],)), names=[axis])
    eq = equation(at(iota, {axis: e}), at(iota, {axis: f}))
    need(eq == (th.lhs, th.rhs), "at_equal", th, "a theorem that says", eq)
    return _issue("at_equal", at(t, {axis: e}), at(t, {axis: f}), th)


def reindex(kind: str, t: Term, j: Name, m: Map) -> Theorem:
    """⊕ⱼ t(j) = ⊕ⱼ t(σ(j))   [σ a bijection onto the index set of j: THE ONE LEMMA]"""
    dom, cod, bijective = map_type(m)
    need(bijective and t.sets.get(j) == cod, "reindex", m, "a bijection onto that of", j)
    lhs = build(Op("reduce", (kind, cod)), [t], [[j]])
    return _issue("reindex", lhs, build(Op("reduce", (kind, *dom)), [at(t, {j: m(j)})], [[j]]))


def at_delta(m: Map) -> Theorem:
    """δ(σ(a), σ(b)) = δ(b, a)   [σ a bijection; with the identity: δ is symmetric]"""
    dom, cod, bijective = map_type(m)
    need(bijective, "at_delta", m, "a bijection")
    delta = at(build(Op("delta", (cod,)), names=[0, 1]), {0: m(0), 1: m(1)})
    return _issue("at_delta", delta, build(Op("delta", dom), names=[1, 0]))


def sum_delta(t: Term, j: Name, e: Index) -> Theorem:
    """Σⱼ δ(e, j) · t(j) = t(e)   [ring; j not in e, or the sides would have different axes]"""
    a, x = t.sets[j], object()
    delta = at(build(Op("delta", (a,)), names=[x, j]), {x: e})
    product = build(Op("pointwise", ("mul", 2)), [delta, t], [[], []])
    lhs = build(Op("reduce", ("sum", a)), [product], [[j]])
    return _issue("sum_delta", lhs, at(t, {j: e}), law="ring")


def normal(e: Index) -> Index:
    """What fixed maps compute: f⁻¹(f(e)) = f(f⁻¹(e)) = id(e) = e; fst(a, b) = a; snd(a, b) = b;
    (f + g)(inl e) = inl(f e); (f + g)(inr e) = inr(g e)"""
    match Ap(e.map, tuple(map(normal, e.args))) if isinstance(e, Ap) else e:
        case Ap(Map("identity"), (a,)):
            return a
        case Ap(Map("inverse", (f,)), (Ap(g, (a,)),)) if f == g:
            return a
        case Ap(f, (Ap(Map("inverse", (g,)), (a,)),)) if f == g:
            return a
        case Ap(Map("fst" | "snd" as side), (Ap(Map("pair"), (a, b)),)):
            return a if side == "fst" else b
        case Ap(Map("beside", both) as m, (Ap(Map("inl" | "inr" as side), (a,)),)):
            return Map(side, map_type(m)[1].parts)(normal(both[side == "inr"](a)))
        case other:
            return other
