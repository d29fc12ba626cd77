"""All theorems of a few small steps, each evaluated in all small models: a search for a false one.

Every rule is called with a menu of arguments, good and bad. What it lets through is fed back to
the rules, small theorems first. Nothing is random: the search is the same in every run. The
alphabet holds n + n and n × n, or exchanged sides would be ill-typed and never be seen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from heapq import heappop, heappush
from itertools import permutations, product
from typing import Any

from tests.oracles.finite_models import Grid
from tests.symbolic.planted_kernels import Calculus

Theorem = Any
Call = tuple[str, tuple[Any, ...]]
REFUSED = (ValueError, KeyError, TypeError, AttributeError, IndexError)
LARGEST = 24  # nodes on both sides of a theorem that is used again
WIDEST = 3  # and its axes


class Search:
    """A search through the theorems of a calculus, whose rules may have been changed."""

    def __init__(self, calculus: Calculus) -> None:
        self.terms, self.rules, self.words = calculus.terms, calculus.kernel, calculus.language
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
        self._alphabet()

    # ---------------------------------------------------------------------------------- the search
    def run(self, most: int) -> str:
        """A false theorem with a model where it fails, or nothing; `most` theorems are used."""
        for call in self.first():
            if self.attempt(*call):
                return self.false
        for place, th in enumerate(self.longer()):
            heappush(self.queue, (0, -place, th))
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
            th = self.last = getattr(self.rules, rule)(*args)
        except REFUSED:
            return ""
        key = (th.lhs, th.rhs, th.hyps, th.law)
        if key in self.seen:
            return ""
        self.seen[key] = th
        self.by_rule[rule] += 1
        if said := self.grid.refuted(th):
            self.false = f"{th.rule}: {shown(th.lhs)} = {shown(th.rhs)}, {len(th.hyps)} hypotheses: {said}"
            return self.false
        if (th.lhs, th.hyps) != (th.rhs, frozenset()):
            self.enqueue(th)
        return ""

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

    # -------------------------------------------------------------------------------- the alphabet
    def _alphabet(self) -> None:
        T, L = self.terms, self.words
        N, M = T.Set("n"), T.Set("m")
        self.N, self.M, self.both, self.square = N, M, T.Set("+", (N, N)), T.Set("×", (N, N))
        σ, π, f = L.permutation("σ", N), L.permutation("π", N), L.symbol("f", (N,), N)
        self.σ, self.f, self.p = σ, f, L.place("p", N)
        self.β, self.id = L.symbol("β", (M,), N, bijective=True), T.Map("identity", (N,))
        self.inl, self.inr = T.Map("inl", (N, N)), T.Map("inr", (N, N))
        self.fst, self.snd = T.Map("fst", (N, N)), T.Map("snd", (N, N))
        self.pair = T.Map("pair", (N, N))
        self.beside = T.Map("beside", (σ, f))
        self.maps = [
            σ, f, self.β, L.inverse(σ), L.inverse(self.β), self.id, self.inl, self.fst, self.pair,
            T.Map("beside", (σ, π)), T.Map("beside", (σ, f)), T.Map("beside", (f, σ)),
            T.Map("beside", (self.id, self.β)), self.p, L.symbol("g", (M,), N),
            L.symbol("h", (N,), M),
        ]  # fmt: skip
        self.back = L.inverse(σ)
        e = L.symbol("e", (N, N), N)
        self.odd = self.tried([lambda: T.Map("beside", (e, self.p))])
        self.maps += self.tried([
            lambda: T.Map("inverse", (f,)), lambda: T.Map("inverse", (self.words.symbol("e", (N, N), N, bijective=True),)),
        ])  # fmt: skip
        self.c, self.d, self.k = L.tensor("c"), L.tensor("d"), L.tensor("k")
        self.X, self.Y, self.Q = L.tensor("X", i=N), L.tensor("Y", i=N), L.tensor("Q", j=M)
        self.S, self.R = L.tensor("S", i=N, j=N), L.tensor("R", s=self.both)
        self.P = L.tensor("P", t=self.square)
        row = L.tensor("row", j=N)
        self.soft = L.define("soft", [row], L.pointwise("div", row, L.total(row, "j")))
        self.second = L.define("second", [self.c, self.d], self.d)
        self.zero = L.define("zero", [self.c], L.number(0))
        self.definitions = [self.soft, self.second, self.zero, *self.tried([
            lambda: L.define("open", [self.c], L.pointwise("f", self.c, self.d)),
            lambda: L.define("twins", [row, L.tensor("row", j=M)], L.total(row, "j")),
            lambda: L.define("twice", [self.c, self.c], self.c),
        ])]  # fmt: skip

    @staticmethod
    def tried(makers: list[Callable[[], Any]]) -> list[Any]:
        """What can be made of what should be refused."""
        made = []
        for make in makers:
            with suppress(*REFUSED):
                made.append(make())
        return made

    def of(self, definition: Any, *parts: Any, axis: Any = ()) -> Any:
        """A definition applied, over an axis that it yields again."""
        return self.terms.build(definition, parts, [axis] * len(parts), axis)

    def small(self) -> list[Any]:
        """The terms that every rule is tried with: each constructor, axes shared and missing."""
        L, X, S, N = self.words, self.X, self.S, self.N
        one = L.number(1)
        return [
            self.c, X, S, self.R, self.P, one, L.size(N), L.iota(N, "i"), L.delta(N, "i", "j"),
            L.pointwise("f", X), L.pointwise("f", X, X.rename({"i": "j"})), L.multiply(X, self.c),
            L.pointwise("f", X, self.Y.rename({"i": "j"})),
            L.total(X, "i"), L.total(S, "j"), L.reduce("max", S, "j"), L.reduce("sum", one, "i", N),
            L.cat(X, self.Y, "i"), L.cat(S, S, "j"),
            self.of(self.soft, X, axis="i"), self.of(self.soft, S, axis="j"),
            self.of(self.second, self.c, self.d), self.of(self.second, X, self.d),
            L.opaque("o", {"i": "i"}, X, {"i": N}), L.opaque("o", {"j": "j"}, S, {"j": N}),
            L.opaque("o", {"i": "i", "j": "j"}, S, {"i": N, "j": N}),
            L.moved(X, i=self.σ), L.moved(X, i=self.f), L.moved(S, i=self.σ, j=self.f),
            self.terms.at(X, {"i": self.β("m")}), self.terms.at(S, {"j": "i"}), *self.misshapen(),
        ]  # fmt: skip

    def misshapen(self) -> list[Any]:
        """Terms that mean nothing, as far as they can be built."""
        L, X, S, N, build, Op = self.words, self.X, self.S, self.N, self.terms.build, self.terms.Op
        add, both = Op("reduce", ("sum", N)), Op("cat", (N, N))
        opaque = Op("opaque", ("o", ((N, N),), (N,)))
        return self.tried([
            lambda: build(add, [S], [["i", "j"]]),
            lambda: build(add, [S], [[]]),
            lambda: build(add, [X, S], [["i"], ["i"]]),
            lambda: build(add, [self.Q], [["j"]]),
            lambda: build(both, [X, X], [["i"], ["i"]], ["s", "t"]),
            lambda: build(both, [S, X], [["i"], ["i"]], ["j"]),
            lambda: build(opaque, [S], [["i", "i"]], ["k"]),
            lambda: build(Op("delta", (N,)), [], [], ["i", "i"]),
            lambda: L.pointwise("f", X, self.Q.rename({"j": "i"})),
            lambda: self.terms.Term(S.node, ("i",)),
            lambda: self.terms.Term(S.node, ("i", "i")),
            lambda: self.terms.at(X, {"i": "z", "j": self.p()}),
            lambda: build(Op("at", ((self.σ(0),), (N,), (N, N))), [X], [["i"]], ["i", "j"]),
            lambda: build(Op("at", ((self.σ(0),), (N,), (self.M,))), [self.c], [["i"]], ["i"]),
        ])  # fmt: skip

    def indices(self, axis: Any, over: Any, others: tuple[Any, ...]) -> list[Any]:
        """Index expressions for an axis over a set, and some of another set."""
        i = axis
        found = [i, self.σ(i), self.f(i), self.p(), self.inl("a"), *others]
        if over == self.N:
            found += [self.back(i), self.fst("t"), self.snd("t")]
        if over == self.both:
            found += [self.inr("a"), self.id("a"), self.beside(i), *(m(i) for m in self.odd)]
        if over == self.square:
            found += [self.pair("a", "b"), self.pair("b", "a"), self.pair("a", "a")]
        return found

    def actions(self, t: Any) -> Iterator[dict[Any, Any]]:
        """Index expressions for the axes of a term: itself, moved, captured, a constant."""
        sets = t.sets
        each = [
            self.indices(a, s, tuple(b for b in (*t.axes, "z") if b != a))
            for a, s in sets.items()
        ]
        for exprs in product(*each):
            yield {a: e for a, e in zip(t.axes, exprs, strict=True) if e != a}

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
        yield from self.assumptions()
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
        for t in self.small():
            yield from (("at_op", (t, s)) for s in self.actions(t))
        for t in (X, S, self.R, self.P):
            for s in self.actions(t):
                yield from self.composed(t, s)

    def composed(self, t: Any, s: Mapping[Any, Any]) -> Iterator[Call]:
        """at_at with one substitution and many for the second."""
        try:
            inner = self.terms.at(t, s)
        except REFUSED:
            return
        L, Map = self.words, self.terms.Map
        for a, over in inner.sets.items():
            others = [b for b in inner.axes if b != a]
            exprs = [self.σ(a), self.f(a), self.back(a), self.p(), *others]
            if over == self.square:
                exprs = [self.pair("x", "y")]
            if over == self.both:
                exprs = [self.inl("x"), self.inr("x")]
            yield from (("at_at", (t, s, {a: e})) for e in exprs)

    def assumptions(self) -> Iterator[Call]:
        """Equations to be assumed."""
        L, X, Y, S, c, d = self.words, self.X, self.Y, self.S, self.c, self.d
        second = self.second
        moved = self.terms.at(X, {"i": self.β("j")})
        for s, t in [
            (X, Y), (c, d), (d, self.k), (X, L.moved(X, i=self.σ)), (S, S.rename({"i": "j", "j": "i"})),
            (X, c), (self.of(second, c, d), self.of(self.zero, c)),
            (self.of(second, c, d), d), (c, self.of(second, c, d)),
            (self.terms.at(self.Q, {"j": "i"}), moved.rename({"j": "i"})),
            (L.total(X, "i"), L.total(Y, "i")), (d, L.total(L.multiply(L.delta(self.N, "i", "j"), X), "i")),
        ]:  # fmt: skip
            yield "hyp", (s, t)

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
            left, right = (
                by.inst(unfold, {self.c.node.op: named, d.node.op: x}) for x in (d, k)
            )
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
        for some in (leaves[:2], leaves[1:3], leaves[::2]):
            for choice in product(*(self.terms_for(op)[:4] for op in some)):
                to = {op: u for op, u in zip(some, choice, strict=True) if u is not None}
                yield to
                if any(self.β in side.maps for side in sides):
                    for retyped in ({self.M: T.Set("1")}, {self.M: self.N}):
                        yield to | retyped
                        yield to | retyped | {self.β: self.β}
        for op in leaves:
            yield from ({op: u} for u in self.terms_for(op)[4:])
        yield from ({op: self.k} for op in sorted(ops, key=repr) if op.kind in ("apply", "number"))
        for old in (self.σ, self.β, self.p, self.f):
            yield from ({old: m} for m in (self.f, self.id))
        yield from ({old: new} for old, new in product(sets, [*sets, T.Set("1")]))

    def terms_for(self, op: Any) -> list[Any]:
        """Nothing, and terms to be put for a tensor."""
        name, sets = op.data
        build, Op = self.terms.build, self.terms.Op

        def leaf(kind: str, *axes: tuple[Any, Any]) -> Any:
            over = tuple(s for _, s in axes)
            return build(Op("leaf", (f"{kind}{name}", over)), names=[a for a, _ in axes])

        own = list(enumerate(sets))
        return [
            None, leaf("k"), leaf("u", *own, ("x", self.N)), leaf("u", ("x", self.N)),
            leaf("v", *own, ("x", self.M)),
            leaf("w", *((a, self.M) for a, _ in own)), leaf("w", *own, (len(own), self.N)),
            leaf("w", *own, (99, self.N)), leaf("w", *own, (-1, self.N)),
            leaf("u", *reversed(own)),
        ]  # fmt: skip


def steps(th: Theorem) -> int:
    """How many steps a theorem took, the longest way; an instance is like what it is one of."""
    return {"cong": 2, "inst": 3}.get(th.rule, 1) + max(map(steps, th.premises), default=0)


def shown(t: Any) -> str:
    """A small term in words."""
    parts = ", ".join(map(shown, t.node.args))
    data = [getattr(x, "name", x) for x in t.node.op.data] if not parts else t.node.op.data[:1]
    return f"{t.node.op.kind}{data}({parts}){list(t.axes)}"
