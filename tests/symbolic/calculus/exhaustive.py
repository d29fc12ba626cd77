"""All theorems of a few small steps, each evaluated in all small models: a search for a false one.

Every rule is called with a menu of arguments, good and bad. What it lets through is fed back to
the rules, small theorems first. Nothing is random: the search is the same in every run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from heapq import heappop, heappush
from itertools import permutations, product
from typing import Any

from tests.oracles.finite_models import Grid
from tests.symbolic.calculus.planted_kernels import Calculus
from tests.symbolic.calculus.small_terms import REFUSED, Alphabet

Theorem = Any
Call = tuple[str, tuple[Any, ...]]
LARGEST = 24  # nodes on both sides of a theorem that is used again
WIDEST = 3  # and its axes


class Search(Alphabet):
    """A search through the theorems of a calculus, whose rules may have been changed."""

    def __init__(self, calculus: Calculus) -> None:
        super().__init__(calculus)
        self.rules = calculus.kernel
        self.grid = Grid()
        self.calls = 0
        self.false = ""
        self.last: Theorem | None = None
        self.by_rule: dict[str, int] = defaultdict(int)
        self.seen: dict[Any, Theorem] = {}
        self.queue: list[tuple[int, int, Theorem]] = []
        self.used: list[Theorem] = []
        self.alike: dict[Any, int] = defaultdict(int)
        self.by_left: dict[Any, list[Theorem]] = defaultdict(list)
        self.by_right: dict[Any, list[Theorem]] = defaultdict(list)

    # ---------------------------------------------------------------------------------- the search
    def run(self, most: int) -> str:
        """A false theorem with a model where it fails, or nothing; `most` theorems are used."""
        for call in self.first():
            if self.attempt(*call):
                return self.false
        for th in self.longer():
            if self.learn(th, first=True):
                return self.false
        while self.queue and len(self.used) < most:
            th = heappop(self.queue)[-1]
            self.used.append(th)
            self.by_left[th.lhs.node].append(th)
            self.by_right[th.rhs.node].append(th)
            for call in self.next(th):
                if self.attempt(*call):
                    return self.false
        return ""

    def attempt(self, rule: str, args: tuple[Any, ...]) -> str:
        """Why what a rule concludes from these arguments is false; nothing if it refuses."""
        self.calls += 1
        self.last = None
        try:
            self.last = getattr(self.rules, rule)(*args)
        except REFUSED:
            return ""
        return self.learn(self.last)

    def learn(self, th: Theorem, first: bool = False) -> str:
        """Why a theorem is false; if it is not, it is kept, to be used `first` or in its turn."""
        key = (th.lhs, th.rhs, th.hyps, th.law)
        if key in self.seen:
            return ""
        self.seen[key] = th
        self.by_rule[th.rule] += 1
        if said := self.grid.refuted(th):
            sides = f"{shown(th.lhs)} = {shown(th.rhs)}"
            self.false = f"{th.rule}: {sides}, {len(th.hyps)} hypotheses: {said}"
        elif first:
            heappush(self.queue, (0, len(self.seen), th))
        elif (th.lhs, th.hyps) != (th.rhs, frozenset()):
            self.enqueue(th)
        return self.false

    def enqueue(self, th: Theorem) -> None:
        """Keep a theorem, to be used after smaller ones and after those unlike all before."""
        nodes = {n for t in (th.lhs, th.rhs) for n in self.terms.reachable(t.node)}
        if len(nodes) > LARGEST or len(th.lhs.axes) > WIDEST:
            return
        kinds = [self.kinds(t) for t in (th.lhs, th.rhs)]
        assumed = frozenset(self.kinds(t) for h in th.hyps for t in h)
        maps = th.lhs.node.maps | th.rhs.node.maps
        like = (*kinds, assumed, len(th.lhs.axes), maps)
        self.alike[like] += 1
        cost = len(nodes) + 2 * steps(th) + 2 * len(th.hyps) + 2 * self.alike[like]
        heappush(self.queue, (cost, len(self.seen), th))

    def kinds(self, t: Any) -> frozenset[str]:
        """The kinds of the constructors in a term."""
        return frozenset(n.op.kind for n in self.terms.reachable(t.node))

    # ----------------------------------------------------------------------------- the first steps
    def first(self) -> Iterator[Call]:
        """Calls that need no theorem."""
        L, at = self.words, self.terms.at
        X, S, N = self.X, self.S, self.N
        yield from (("unfold", (op,)) for op in (*self.definitions, X.node.op))
        yield from (("at_delta", (m,)) for m in self.maps)
        for t in self.small():
            for j in (*t.axes, "z"):
                yield from (("reindex", ("sum", t, j, m)) for m in self.maps)
        yield from (("hyp", sides) for sides in self.equations())
        two = L.pointwise("f", X, self.Y.rename({"i": "j"}))
        x, y, q, row, both = (X, "i"), (self.Y, "i"), (self.Q, "j"), (S, "j"), (two, "j")
        for (s, a), (t, b) in ((x, y), (x, q), (q, x), (row, x), (x, row), (row, row), (both, x)):
            sides = (s.sets[a], t.sets[b])
            injections = [self.terms.Map(kind, sides) for kind in ("inl", "inr")]
            yield from (("at_cat", (s, a, t, b, m)) for m in (*injections, *self.maps))
        known = self.forged()
        for t in (L.cat(X, self.Y, "i"), X, S):
            for axis in t.axes:
                for e, f in permutations(self.indices(axis, t.sets[axis], ("a",)), 2):
                    yield "at_equal", (t, axis, e, f, self.forged())
                    yield "at_equal", (t, axis, e, f, known)
                    try:
                        iota = L.iota(t.sets[axis], axis)
                        known = self.rules.hyp(at(iota, {axis: e}), at(iota, {axis: f}))
                    except REFUSED:
                        continue
                    yield "at_equal", (t, axis, e, f, known)
        for t in (self.c, X, S, self.R):
            for j in (*t.axes, "z"):
                for e in self.indices("k", t.sets.get(j, N), (*t.axes,)):
                    yield "sum_delta", (t, j, e)
        yield from self.stacked()
        for t in self.small():
            yield from (("at_op", (t, s)) for s in self.actions(t))
        for t in (X, S, self.R, self.P):
            for s in self.actions(t):
                yield from self.composed(t, s)

    def stacked(self) -> Iterator[Call]:
        """iterate of layers that commute with a map, and of layers of which that is not known."""
        L, T, by, N = self.words, self.terms, self.rules, self.N
        X, W = self.X, L.tensor("W", l=N, i=N)
        state, e = X.node.op, L.symbol("e", (N, N), N)
        row, v = L.tensor("row", i=N), L.tensor("v", i=N)
        first = L.define("first", [row, v], L.pointwise("f", row, v))
        again = L.define("again", [row, v], L.pointwise("f", row, v))
        square = L.define("square", [row, v], L.pointwise("f", row, row))
        onto = L.define("onto", [row, v], L.pointwise("f", L.iota(N, "i"), v))

        def layer(op: Any, x: Any, w: Any) -> Any:
            return T.build(op, [x, w], [["i"], ["i"]], ["i"])

        def opened(op: Any, x: Any, w: Any) -> Theorem:
            """D(x, w) = its body, of x and w."""
            slots = [t.rename({a: 0 if a == "i" else f"{a}" for a in t.axes}) for t in (x, w)]
            return by.inst(by.unfold(op), dict(zip((row.node.op, v.node.op), slots, strict=True)))

        def same(op: Any, w: Any, other: Any, u: Any, x: Any) -> Theorem:
            return by.trans(opened(op, x, w), by.sym(opened(other, x, u)))

        for m in ({}, {"i": self.σ("i")}, {"i": self.f("i")}, {"i": e("l", "i")}):
            with suppress(*REFUSED):
                Xm, Wm = T.at(X, m), T.at(W, m)
                one = layer(first, X, W)
                there = by.sym(by.at_op(L.pointwise("f", X, W), m)) if m else None
                th = opened(first, Xm, Wm)
                if there:
                    around = by.cong(T.at(one, m), [by.inst(opened(first, X, W), {})])
                    th = by.trans(by.trans(th, there), by.sym(around))
                for other in (first, again):
                    left = layer(other, X, Wm)
                    yield "iterate", (th, state, left, one, m, "l", N)
                    yield "iterate", (th, state, left, one, {}, "l", N)
        with suppress(*REFUSED):  # two names for one layer; and other layers than the theorem's
            th = same(first, W, again, W, X)
            left, right = layer(first, X, W), layer(again, X, W)
            yield "iterate", (th, state, left, right, {}, "l", N)
            yield "iterate", (th, state, left, layer(square, X, W), {}, "l", N)
            yield "iterate", (self.forged(), state, left, layer(square, X, W), {}, "l", N)
        with suppress(*REFUSED):  # weights that are made of the tokens, left and right
            U = L.tensor("U", i=N)
            th = by.trans(opened(first, X, X), by.sym(opened(square, X, U)))
            left, right = layer(first, X, X), layer(square, X, U)
            yield "iterate", (th, state, left, right, {}, "l", N)
            yield "iterate", (by.sym(th), state, right, left, {}, "l", N)
        with suppress(*REFUSED):  # weights on the right at each token on the left
            w, own = L.tensor("w"), L.tensor("T", i=N)
            all_, one = (L.total(t, "i") for t in (row, X))
            kept = L.define("kept", [row, w], L.pointwise("f", all_, w, row))
            each = L.define("each", [row, v], L.pointwise("f", all_, v, row))
            X0 = {row.node.op: X.rename({"i": 0})}
            fold = by.inst(by.unfold(kept), X0 | {w.node.op: own.rename({"i": "t"})})
            body = L.pointwise("f", one, own.rename({"i": "t"}), X.rename({"i": "k"}))
            same_i = {"k": "i", "t": "i"}
            whole = T.build(kept, [X, own.rename({"i": "t"})], [["i"], []], ["k"])
            around = by.cong(T.at(whole, same_i), [fold])
            there = by.trans(around, by.at_op(body, same_i))
            th = by.trans(opened(each, X, own), by.sym(there))
            right = T.build(kept, [X, own], [["i"], []], ["k"])
            yield "iterate", (th, state, layer(each, X, own), right, {"k": "i"}, "l", N)
        with suppress(*REFUSED):  # known of some tokens alone: of 0, 1, …, or as is assumed
            th = by.hyp(layer(first, X, W), layer(square, X, W))
            yield "iterate", (th, state, layer(first, X, W), layer(square, X, W), {}, "l", N)
            iota = L.iota(N, "i")
            th = same(first, W, onto, W, iota)
            sides = layer(first, iota, W), layer(onto, iota, W)
            yield "iterate", (th, iota.node.op, *sides, {}, "l", N)

    def composed(self, t: Any, s: Mapping[Any, Any]) -> Iterator[Call]:
        """at_at with one substitution and many for the second."""
        try:
            inner = self.terms.at(t, s)
        except REFUSED:
            return
        for a, over in inner.sets.items():
            others = [b for b in inner.axes if b != a]
            exprs = [self.σ(a), self.f(a), self.back(a), self.p(), *others]
            if over == self.square:
                exprs = [self.pair("x", "y")]
            if over == self.both:
                exprs = [self.inl("x"), self.inr("x")]
            yield from (("at_at", (t, s, {a: e})) for e in exprs)

    def companions(self) -> list[Theorem]:
        """A theorem with a hypothesis, and one that needs a ring."""
        return [self.rules.hyp(self.c, self.k), self.rules.sum_delta(self.X, "i", self.p())]

    def longer(self) -> Iterator[Theorem]:
        """Two theorems that come after more steps than are tried."""
        by, L, X, Y, d, k = self.rules, self.words, self.X, self.Y, self.d, self.k
        at, f = self.terms.at, self.words.pointwise
        with suppress(*REFUSED):  # a hypothesis that is false of all indices: X(i) = Y(i)
            whole, iota = L.cat(X, Y, "i"), L.iota(self.both, "i")
            e, g = self.inl("a"), self.inr("a")
            same = by.at_equal(whole, "i", e, g, by.hyp(at(iota, {"i": e}), at(iota, {"i": g})))
            left, right = (by.at_cat(X, "i", Y, "i", m) for m in (self.inl, self.inr))
            yield by.trans(by.sym(left), by.trans(same, right))
        with suppress(*REFUSED):  # Σₙ k = Σₘ k, and a hypothesis alone names the bijection
            named = L.total(at(Y, {"i": self.β("j")}), "j")
            unfold = by.unfold(self.second)
            left, right = (by.inst(unfold, {self.c.node.op: named, d.node.op: x}) for x in (d, k))
            known = by.trans(by.sym(left), by.trans(by.hyp(left.lhs, right.lhs), right))
            lemma = by.reindex("sum", X, "i", self.β)
            there = by.cong(f("f", lemma.lhs, d), [lemma, known])
            back = by.cong(there.rhs, [None, by.sym(known)])
            yield by.inst(by.trans(there, back), {X.node.op: L.tensor("kX")})

    def forged(self) -> Theorem:
        """A falsehood in the form of a theorem, which the kernel did not issue."""
        return self.rules.Theorem(frozenset(), self.c, self.d, "perm", "forged", ())

    # ---------------------------------------------------------------------------- the steps from it
    def next(self, th: Theorem) -> Iterator[Call]:
        """Calls with a theorem that is the last of those that are used."""
        yield "sym", (th,)
        wrong = [self.forged(), *self.used[:4], *self.used[-3:]]
        for other in {id(o): o for o in (*self.by_left[th.rhs.node], *wrong)}.values():
            yield "trans", (th, other)
        for other in {id(o): o for o in (*self.by_right[th.lhs.node], *wrong)}.values():
            yield "trans", (other, th)
        yield from self.inside(th, wrong)
        for other in self.used:
            if th.hyps and (other in wrong or any(h[0].node is other.lhs.node for h in th.hyps)):
                yield "discharge", (th, other)
            if other.hyps and any(h[0].node is th.lhs.node for h in other.hyps):
                yield "discharge", (other, th)
        if th.rule in ("unfold", "sum_delta"):
            yield "hyp", (th.lhs, th.rhs)
        yield from (("inst", (th, to)) for to in self.instances(th))

    def inside(self, th: Theorem, wrong: list[Theorem]) -> Iterator[Call]:
        """cong in each small context."""
        L, t, N = self.words, th.lhs, self.N
        one = L.pointwise("f", t)
        yield from (("cong", (one, [premise])) for premise in (th, *wrong))
        yield "cong", (L.pointwise("f", t, t), [None, th])
        if th.hyps:
            yield from (("cong", (L.pointwise("f", t, o.lhs), [th, o])) for o in self.companions())
        yield "cong", (self.of(self.second, t, self.k), [th, None])
        yield "cong", (self.of(self.second, self.k, t), [None, th])
        if self.β in t.node.maps | th.rhs.node.maps:  # another part may keep the map that goes here
            other = self.terms.at(self.Y, {"i": self.β("y")})
            yield "cong", (L.pointwise("f", t, other), [th, None])
            if whole := self.last:
                yield from (("inst", (whole, to)) for to in self.instances(whole))
        for a, over in t.sets.items():
            yield "cong", (L.total(t, a), [th])
            if over == N:
                yield "cong", (self.terms.at(t, {a: self.f("z")}), [th])

    def instances(self, th: Theorem) -> Iterator[dict[Any, Any]]:
        """What is put for tensors, index sets and maps: constants, string axes, other types."""
        T = self.terms
        sides = [t.node for sides in ((th.lhs, th.rhs), *th.hyps) for t in sides]
        ops = {n.op for side in sides for n in T.reachable(side)}
        leaves = sorted((op for op in ops if op.kind == "leaf"), key=repr)
        sets = [self.N, self.M]
        retyped: list[dict[Any, Any]] = [{}]
        if any(self.β in side.maps for side in sides):
            others = [{self.M: T.Set("1")}, {self.M: self.N}]
            retyped += [*others, *(other | {self.β: self.β} for other in others)]
        for some in dict.fromkeys(map(tuple, (leaves[:2], leaves[1:3], leaves[::2]))):
            for choice in product(*(self.terms_for(op)[:4] for op in some)):
                to = {op: u for op, u in zip(some, choice, strict=True) if u is not None}
                yield from (to | other for other in retyped if to or other)
        for op in leaves:
            yield from ({op: u} for u in self.terms_for(op)[4:])
        yield from ({op: self.k} for op in sorted(ops, key=repr) if op.kind in ("apply", "number"))
        for old in (self.σ, self.β, self.p, self.f):
            yield from ({old: m} for m in (self.f, self.id))
        yield from ({old: new} for old, new in product(sets, [*sets, T.Set("1")]))


def steps(th: Theorem) -> int:
    """How many steps a theorem took, the longest way; an instance is like what it is one of."""
    return {"cong": 2, "inst": 3}.get(th.rule, 1) + max(map(steps, th.premises), default=0)


def shown(t: Any) -> str:
    """A small term in words."""
    parts = ", ".join(map(shown, t.node.args))
    data = [getattr(x, "name", x) for x in t.node.op.data] if not parts else t.node.op.data[:1]
    return f"{t.node.op.kind}{data}({parts}){list(t.axes)}"
