"""A few terms, maps and index expressions of a calculus, good and bad: what a search tries.

It holds n + n and n × n, or two sides that are exchanged would be ill-typed and never be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import product
from typing import Any

from tests.symbolic.calculus.planted_kernels import Calculus

REFUSED = (ValueError, KeyError, TypeError, AttributeError, IndexError)


class Alphabet:
    """The small terms of a calculus, and what may be done with them."""

    def __init__(self, calculus: Calculus) -> None:
        self.terms, self.words = calculus.terms, calculus.builders
        self.instead: dict[Any, list[Any]] = {}
        T, L = self.terms, self.words
        N, M = T.Set("n"), T.Set("m")
        self.N, self.M, self.both, self.square = N, M, T.Set("+", (N, N)), T.Set("×", (N, N))
        σ, π, f = L.permutation("σ", N), L.permutation("π", N), L.symbol("f", (N,), N)
        self.σ, self.f, self.p = σ, f, L.constant("p", N)
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
            lambda: L.inverse(f), lambda: L.inverse(L.symbol("e", (N, N), N, bijective=True)),
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
            self.indices(a, s, tuple(b for b in (*t.axes, "z") if b != a)) for a, s in sets.items()
        ]
        for exprs in product(*each):
            yield {a: e for a, e in zip(t.axes, exprs, strict=True) if e != a}

    def equations(self) -> list[tuple[Any, Any]]:
        """Equations to be assumed."""
        L, X, Y, S, c, d = self.words, self.X, self.Y, self.S, self.c, self.d
        second = self.second
        moved = self.terms.at(X, {"i": self.β("j")})
        return [
            (X, Y), (c, d), (d, self.k), (X, c), (X, L.moved(X, i=self.σ)),
            (S, S.rename({"i": "j", "j": "i"})), (self.of(second, c, d), self.of(self.zero, c)),
            (self.of(second, c, d), d), (c, self.of(second, c, d)),
            (self.terms.at(self.Q, {"j": "i"}), moved.rename({"j": "i"})),
            (L.total(X, "i"), L.total(Y, "i")),
            (d, L.total(L.multiply(L.delta(self.N, "i", "j"), X), "i")),
        ]  # fmt: skip

    def terms_for(self, op: Any) -> list[Any]:
        """Nothing, and terms to be put for a tensor."""
        if op not in self.instead:
            self.instead[op] = self._terms_for(op)
        return self.instead[op]

    def _terms_for(self, op: Any) -> list[Any]:
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
