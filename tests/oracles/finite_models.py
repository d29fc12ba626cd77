"""Finite models of terms, several at once: the values of a term at all its indices, as arrays.

Written from the docstring of terms.py alone, for searches that read many thousands of terms; the
slow one is tests/oracles/meaning.py. Values are 64-bit words. Every function is a hash of them,
and every reduction a hash of their multiset, so that 0·x = 0 is as false as it is of −∞; by law
"ring" products and sums are those of the integers modulo 2⁶⁴.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from itertools import product
from math import prod
from random import Random
from typing import Any

import numpy as np

Array = Any
LAWS = ("perm", "ring")
MODELS = 6  # side by side, of the same sizes: see `Models._leaf` and `Models._symbol`
SIZES = [  # of the index sets n and m: equal ones first, as bijections between them exist there
    (2, 2), (0, 0), (3, 3), (1, 1), (2, 1), (1, 2), (3, 2), (2, 3), (0, 2), (2, 0),
]  # fmt: skip


class NoSuchMap(ValueError):
    """No map of the type exists between index sets of these sizes."""


class Meaningless(ValueError):
    """Something that was built and denotes nothing."""


@cache
def word(*key: object) -> np.uint64:
    """A 64-bit word that depends on all of the key."""
    return np.uint64(int.from_bytes(blake2b(repr(key).encode(), digest_size=8).digest()))


_A, _B = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_S, _R = np.uint64(33), np.uint64(29)


def mixed(x: Array) -> Array:
    """Every word hashed: no equation holds of this function that holds not of all."""
    x = (x ^ (x >> _S)) * _A
    return (x ^ (x >> _R)) * _B


class Models:
    """Several models of the same sizes, which differ in their maps and tensors."""

    def __init__(self, sizes: Mapping[str, int], law: str, count: int = MODELS) -> None:
        self.sizes, self.law, self.count = sizes, law, count
        self.each = np.arange(count)
        self.memo: dict[Any, Array] = {}
        self.graphs: dict[Any, Array] = {}
        self.tensors: dict[Any, Array] = {}

    def size(self, s: Any) -> int:
        """The number of elements of an index set: 0, 1, …, those of a left part first."""
        match s.name, s.parts:
            case "1", ():
                return 1
            case "+", (a, b):
                return self.size(a) + self.size(b)
            case "×", (a, b):
                return self.size(a) * self.size(b)
            case name, () if name in self.sizes:
                return self.sizes[name]
        raise Meaningless(f"index set {s}")

    def shape(self, sets: Iterable[Any]) -> tuple[int, ...]:
        """The sizes of several index sets."""
        return tuple(self.size(s) for s in sets)

    # --------------------------------------------------------------------------------------- maps
    def type(self, m: Any) -> tuple[tuple[Any, ...], Any]:
        """Domain and codomain of a map."""
        match m.kind, m.data:
            case "symbol", (str(), tuple(dom), cod, bool()):
                return dom, cod
            case "identity", (a,):
                return (a,), a
            case "inverse", (f,):
                dom, cod = self.type(f)
                if len(dom) != 1:
                    raise Meaningless(f"inverse of {f}")
                return (cod,), dom[0]
            case "inl" | "inr" as side, (a, b):
                return (a if side == "inl" else b,), _both("+", a, b)
            case "beside", (f, g):
                (a, c), (b, d) = self.type(f), self.type(g)
                if len(a) != 1 or len(b) != 1:
                    raise Meaningless(f"{f} beside {g}")
                return (_both("+", *a, *b),), _both("+", c, d)
            case "pair", (a, b):
                return (a, b), _both("×", a, b)
            case "fst" | "snd" as side, (a, b):
                return (_both("×", a, b),), a if side == "fst" else b
        raise Meaningless(f"map {m}")

    def graph(self, m: Any) -> Array:
        """The table of a map in each model, one axis for each argument."""
        if m not in self.graphs:
            self.graphs[m] = self._graph(m)
        return self.graphs[m]

    def _graph(self, m: Any) -> Array:
        rows = self.each[:, None]
        match m.kind, m.data:
            case "symbol", (name, dom, cod, bijective):
                return self._symbol(name, self.shape(dom), self.size(cod), bijective)
            case "identity", (a,):
                return np.arange(self.size(a)) + 0 * rows
            case "inverse", (f,):
                there = self.graph(f)
                back = np.zeros((self.count, self.size(self.type(f)[1])), int)
                back[rows, there] = np.arange(there.shape[1])
                return back
            case "inl" | "inr" as side, (a, b):
                left, right = self.shape((a, b))
                return (np.arange(left) if side == "inl" else left + np.arange(right)) + 0 * rows
            case "beside", (f, g):
                return np.hstack([self.graph(f), self.size(self.type(f)[1]) + self.graph(g)])
            case "pair", (a, b):
                left, right = self.shape((a, b))
                return np.arange(left * right).reshape(1, left, right) + 0 * rows[..., None]
            case "fst" | "snd" as side, (a, b):
                left, right = self.shape((a, b))
                both = np.arange(left * right)
                return (both // right if side == "fst" else both % max(right, 1)) + 0 * rows
        raise Meaningless(f"map {m}")

    def _symbol(self, name: str, dom: tuple[int, ...], cod: int, bijective: bool) -> Array:
        rows = prod(dom)
        if (bijective and rows != cod) or (rows and not cod):
            raise NoSuchMap(f"{name} from {rows} to {cod} elements")
        tables = []
        for k in range(self.count):
            rng = Random(repr((name, dom, cod, k)))
            if k in (0, 2):  # as near to the identity as can be: so hypotheses hold
                tables.append([min(r, cod - 1) for r in range(rows)])
            elif bijective:
                tables.append(rng.sample(range(cod), rows))
            else:
                tables.append([rng.randrange(cod) for _ in range(rows)])
        return np.array(tables, dtype=int).reshape(self.count, *dom)

    def index(self, e: Any, sets: Sequence[Any]) -> tuple[Array, Any]:
        """The element that an index expression denotes at every slot, and its index set."""
        if isinstance(e, int):
            if not 0 <= e < len(sets):
                raise Meaningless(f"slot {e} of {sets}")
            shape = [1] * (1 + len(sets))
            shape[1 + e] = self.size(sets[e])
            return np.arange(self.size(sets[e])).reshape(shape), sets[e]
        if not hasattr(e, "map"):
            raise Meaningless(f"index {e}")
        args = [self.index(arg, sets) for arg in e.args]
        dom, cod = self.type(e.map)
        if tuple(s for _, s in args) != dom:
            raise Meaningless(f"{e.map} applied to indices of {[s for _, s in args]}")
        each = self.each.reshape(-1, *[1] * len(sets))
        return self.graph(e.map)[(each, *(x for x, _ in args))], cod

    # ------------------------------------------------------------------------------------- values
    def value(self, node: Any) -> Array:
        """The value of a node: one axis for the model, then one for each slot."""
        if (found := self.memo.get(node)) is None:
            found = self.memo[node] = self._value(node)
        return found

    def leaf(self, op: Any) -> Array:
        """The values of a free tensor: two of one name and other index sets are two tensors."""
        if op not in self.tensors:
            name, sets = op.data
            shape = self.shape(sets)
            place = mixed(np.arange(prod(shape), dtype=np.uint64))
            own = word("leaf", name, repr(sets))
            each = [
                np.ones_like(place),
                mixed(place),  # tensors are the same if their shapes are
                mixed(place + own),
                np.full_like(place, own),  # the same at every index
            ]
            each += [mixed(place + own + np.uint64(k)) for k in range(1, self.count - 3)]
            self.tensors[op] = np.stack(each[: self.count]).reshape(self.count, *shape)
        return self.tensors[op]

    def part(self, node: Any, k: int, yields: int, bound: Sequence[Any]) -> Array:
        """A part of a node: one axis for the model, then for shared slots, then for bound axes."""
        term = node.args[k]
        sets = (*node.sets[yields:], *bound)
        at = [a - yields if a >= 0 else len(sets) - len(bound) - 1 - a for a in term.axes]
        there = tuple(sets[p] if 0 <= p < len(sets) else None for p in at)
        if there != term.node.sets or len(set(at)) < len(at):
            raise Meaningless(f"part {k} of {node}: {term.node.sets} at {at} of {sets}")
        value = self.value(term.node)
        if at == list(range(len(sets))):
            return value
        order = sorted(range(len(at)), key=at.__getitem__)
        shape = [1] * len(sets)
        for p, n in zip(at, value.shape[1:], strict=True):
            shape[p] = n
        return value.transpose(0, *(1 + o for o in order)).reshape(self.count, *shape)

    def _full(self, node: Any, k: int, yields: int, bound: Sequence[Any]) -> Array:
        shape = self.shape((*node.sets[yields:], *bound))
        return np.broadcast_to(self.part(node, k, yields, bound), (self.count, *shape))

    def _value(self, node: Any) -> Array:
        match node.op.kind, node.op.data:
            case "leaf", _:
                return self.leaf(node.op)
            case "number", (number,):
                if number.denominator != 1:
                    raise Meaningless(f"number {number}")
                return self._same(np.array(number.numerator % 2**64, np.uint64))
            case "size", (s,):
                return self._same(np.array(self.size(s), np.uint64))
            case "iota", (s,):
                return self._same(np.arange(self.size(s), dtype=np.uint64))
            case "delta", (s, *_):
                return self._same(np.eye(self.size(s), dtype=np.uint64))
            case "pointwise", (name, arity):
                parts = [self.part(node, k, 0, ()) for k in range(arity)]
                value = self._function(name, parts)
                return np.broadcast_to(value, (self.count, *self.shape(node.sets)))
            case "reduce", (kind, s):
                return self._reduced(kind, self._full(node, 0, 0, (s,)))
            case "at", (exprs, old, _):
                term = node.args[0]
                found = [self.index(exprs[-1 - a], node.sets) for a in term.axes]
                if tuple(s for _, s in found) != term.node.sets or len(found) != len(old):
                    raise Meaningless(f"at {exprs} of {term.node.sets}")
                each = self.each.reshape(-1, *[1] * len(node.sets))
                value = self.value(term.node)[(each, *(x for x, _ in found))]
                return np.broadcast_to(value, (self.count, *self.shape(node.sets)))
            case "cat", (a, b):
                both = [self._full(node, k, 1, (s,)) for k, s in enumerate((a, b))]
                return np.moveaxis(np.concatenate(both, axis=-1), -1, 1)
            case "apply", (_, formals, body):
                parts = [
                    self._full(node, k, len(body.sets), f.data[1]) for k, f in enumerate(formals)
                ]
                return self._yielded(node, self._applied(node, formals, body, parts), body)
            case "iterate", (step, over):
                _, formals, body = step.data
                state, *parts = (
                    self._full(node, k, len(body.sets), (*f.data[1], *((over,) if k else ())))
                    for k, f in enumerate(formals)
                )
                for layer in range(self.size(over)):
                    here = [state, *(part[..., layer] for part in parts)]
                    state = self._applied(node, formals, body, here)
                return self._yielded(node, state, body)
            case "opaque", (name, binds, yields):
                return self._opaque(node, name, binds, yields)
        raise Meaningless(f"constructor {node.op}")

    def _same(self, value: Array) -> Array:
        return np.broadcast_to(value, (self.count, *value.shape))

    def _function(self, name: str, parts: list[Array]) -> Array:
        if self.law == "ring" and name == "mul":
            return prod(parts)
        value = self._same(np.array(word("function", name)))
        for part in parts:
            value = value.reshape(value.shape + (1,) * (part.ndim - value.ndim))
            value = mixed(value + part)
        return value

    def _reduced(self, kind: str, value: Array) -> Array:
        if self.law == "ring" and kind == "sum":
            return value.sum(axis=-1, dtype=np.uint64)
        own = word("reduce", kind)
        return mixed(mixed(value + own).sum(axis=-1, dtype=np.uint64) + own)

    def _applied(
        self, node: Any, formals: Sequence[Any], body: Any, parts: Sequence[Array]
    ) -> Array:
        """The body with the parts for its formals, in a model for each value of the shared axes:
        one axis for the model, then the shared ones, then those of the body."""
        yields = len(body.sets)
        shared = self.shape(node.sets[yields:])
        inner = Models(self.sizes, self.law, self.count * prod(shared))
        for formal, value in zip(formals, parts, strict=True):
            inner.tensors[formal] = value.reshape(inner.count, *value.shape[1 + len(shared) :])
        inner.leaf = lambda op: (  # type: ignore[method-assign]
            inner.tensors[op] if op in inner.tensors else np.repeat(self.leaf(op), prod(shared), 0)
        )
        inner._symbol = lambda *m: np.repeat(self._symbol(*m), prod(shared), 0)  # type: ignore
        return inner.value(body).reshape(self.count, *shared, *self.shape(body.sets))

    def _yielded(self, node: Any, value: Array, body: Any) -> Array:
        """The same with the axes of the body before the shared ones."""
        last = range(1 + len(node.sets) - len(body.sets), value.ndim)
        return np.moveaxis(value, last, range(1, 1 + len(last)))

    def _opaque(self, node: Any, name: str, binds: Any, yields: Any) -> Array:
        shared = self.shape(node.sets[len(yields) :])
        known = self._same(np.full(shared, word("opaque", name)))
        for k, bound in enumerate(binds):
            table = self._full(node, k, len(yields), bound).reshape(
                self.count, *shared, prod(self.shape(bound))
            )
            place = mixed(np.arange(table.shape[-1], dtype=np.uint64) + word("place", k))
            known = mixed(known + mixed(table + place).sum(axis=-1, dtype=np.uint64))
        shape = self.shape(yields)
        place = mixed(np.arange(prod(shape), dtype=np.uint64))
        place = place.reshape(1, *shape, *[1] * len(shared))
        known = known.reshape(self.count, *[1] * len(shape), *shared)
        return mixed(known + place)

    # ------------------------------------------------------------------------------------ theorems
    def where(self, lhs: Any, rhs: Any) -> Array:
        """Where two sides differ: an array of truth values, as many axes as the sides and one."""
        if lhs.sets != rhs.sets or len(rhs.sets) != len(rhs.axes):
            raise Meaningless(f"axes {lhs.sets} and {rhs.sets}")
        right = self.value(rhs.node)
        if rhs.axes != lhs.axes:
            right = right.transpose(0, *(1 + rhs.axes.index(a) for a in lhs.axes))
        return self.value(lhs.node) != right

    def refuted(self, th: Any) -> str:
        """A model here of the hypotheses in which the conclusion is false, or nothing."""
        try:
            holds = np.ones(self.count, bool)
            for h in th.hyps:
                holds &= ~self.where(*h).reshape(self.count, -1).any(axis=1)
            differ = self.where(th.lhs, th.rhs)
        except NoSuchMap:
            return ""
        places = np.argwhere(differ & holds.reshape(-1, *[1] * (differ.ndim - 1)))
        if not len(places):
            return ""
        k, *index = (int(i) for i in places[0])
        maps = {m.data[0]: g[k].tolist() for m, g in self.graphs.items() if m.kind == "symbol"}
        left, right = self.value(th.lhs.node)[k], self.value(th.rhs.node)[k]
        right = right.transpose([th.rhs.axes.index(a) for a in th.lhs.axes])
        return (
            f"law {self.law}, sizes {self.sizes}, model {k}, maps {maps}, index {index}: "
            f"{left[tuple(index)]:x} ≠ {right[tuple(index)]:x}"
        )


def _both(name: str, a: Any, b: Any) -> Any:
    return a.__class__(name, (a, b))


class Grid:
    """Models at all small sizes, by both laws."""

    def __init__(self) -> None:
        self.models = {
            (law, n, m): Models({"n": n, "m": m}, law) for law, (n, m) in product(LAWS, SIZES)
        }
        self.known: dict[Any, frozenset[str]] = {}

    def names(self, x: Any) -> frozenset[str]:
        """The names of the index set symbols in a term, node, map or tuple of them."""
        if isinstance(x, tuple):
            return frozenset().union(*map(self.names, x))
        if hasattr(x, "parts"):
            return self.names(x.parts) or frozenset({x.name} - {"1"})
        if hasattr(x, "map"):
            return self.names((x.map, x.args))
        if hasattr(x, "node"):
            return self.names(x.node)
        if hasattr(x, "op"):
            if x not in self.known:
                self.known[x] = self.names((x.op, x.sets, x.args))
            return self.known[x]
        return self.names(x.data) if hasattr(x, "data") else frozenset()

    def refuted(self, th: Any) -> str:
        """A model of the hypotheses of a theorem in which its conclusion is false, or nothing."""
        found = self.names((th.lhs, th.rhs, *th.hyps))
        for n, m in SIZES:
            if n == m or "m" in found:
                try:
                    said = self.models[th.law, n, m].refuted(th)
                except Meaningless as error:
                    return f"denotes nothing: {error}"
                if said:
                    return said
        return ""
