"""The meaning of a term, evaluated directly: what theorems of the kernel must be true of.

Written from the design's paragraph and the docstring of terms.py alone; shares nothing with
entries.py. A `World` gives every symbol a value: elements of index sets are tagged tuples, maps
are tables, and everything that a theorem may not know is a pseudo-random function of all it may
depend on. In a *harsh* world that includes every reduction and every pointwise function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import islice, product
from random import Random
from typing import Any
from zlib import crc32

from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import Ap, Map, Node, Op, Set, Term, reachable

Element = Any
REAL = ("add", "sub", "mul", "neg", "max")


class NoSuchMap(ValueError):
    """No map of the type exists between sets of these sizes."""


class Meaningless(ValueError):
    """Something that was built and denotes nothing."""


def scatter(*key: object) -> Fraction:
    """A small rational that depends on all of the key, in no way that a rule could know."""
    h = crc32(repr(key).encode())
    return Fraction(h % 2003 - 1001, 1 + h % 3)


def symbols(*roots: Any) -> set[Any]:
    """Every Set and Map in terms, nodes, constructors and tuples of them, in definitions too."""
    found: set[Any] = set()
    seen: set[Any] = set()
    todo = list(roots)
    while todo:
        x = todo.pop()
        if isinstance(x, Node):
            new = set(reachable(x)) - seen
            seen |= new
            for n in new:
                todo += [n.op.data, n.sets]
        elif isinstance(x, tuple | list | set | frozenset):
            todo += x
        elif is_dataclass(x):
            if isinstance(x, Set | Map):
                if x in found:
                    continue
                found.add(x)
            todo += [getattr(x, f.name) for f in fields(x)]
    return found


@dataclass
class World:
    """One model: sizes by name of the index set; the rest follows from the seed."""

    sizes: Mapping[str, int]
    seed: int = 0
    harsh: bool = True
    flat: bool = False  # all free tensors are 1 everywhere, which is what hypotheses may ask
    tensors: Mapping[Op, Callable[..., Fraction]] = field(default_factory=dict)
    tables: dict[Map, dict[Any, Element]] = field(default_factory=dict)
    memo: dict[Any, Fraction] = field(default_factory=dict)
    lists: dict[Set, list[Element]] = field(default_factory=dict)

    def elements(self, s: Set) -> list[Element]:
        """The elements of an index set, in order."""
        if s not in self.lists:
            self.lists[s] = self._elements(s)
        return self.lists[s]

    def _elements(self, s: Set) -> list[Element]:
        if s == Set("1"):
            return [()]
        if s.parts and (len(s.parts) != 2 or s.name not in "+×"):
            raise Meaningless(f"index set {s}")
        if s.name == "+":
            left, right = s.parts
            return [("L", x) for x in self.elements(left)] + [
                ("R", y) for y in self.elements(right)
            ]
        if s.name == "×":
            left, right = s.parts
            return [(x, y) for x in self.elements(left) for y in self.elements(right)]
        return [(s.name, k) for k in range(self.sizes[s.name])]

    def assignments(self, sets: Iterable[Set]) -> Iterator[tuple[Element, ...]]:
        """All choices of one element of each."""
        return product(*map(self.elements, sets))

    def table(self, m: Map) -> dict[Any, Element]:
        """The table of a map symbol, by the tuple of its arguments."""
        if m not in self.tables:
            name, dom, cod, bijective = m.data
            rows, values = list(self.assignments(dom)), self.elements(cod)
            rng = Random(repr((self.seed, m)))
            if (bijective and len(rows) != len(values)) or (rows and not values):
                raise NoSuchMap(f"{name} from {len(rows)} to {len(values)} elements")
            if bijective:
                picked = rng.sample(values, len(rows))
            else:
                picked = rng.choices(values, k=len(rows)) if rows else []
            self.tables[m] = dict(zip(rows, picked, strict=True))
        return self.tables[m]

    def graph(self, m: Map) -> dict[Any, Element]:
        """The table of any map of one argument that a kind fixes, or of a symbol."""
        match m.kind, m.data:
            case "symbol", _:
                return self.table(m)
            case "identity", (a,):
                return {(x,): x for x in self.elements(a)}
            case "inverse", (f,):
                return {(y,): x for (x,), y in self.graph(f).items()}
            case "inl", (a, _):
                return {(x,): ("L", x) for x in self.elements(a)}
            case "inr", (_, b):
                return {(x,): ("R", x) for x in self.elements(b)}
            case "beside", (f, g):
                if any(len(h.data[1]) != 1 for h in (f, g) if h.kind == "symbol") or "pair" in (
                    f.kind,
                    g.kind,
                ):
                    raise Meaningless(f"map {m}")
                left = {(("L", x),): ("L", y) for (x,), y in self.graph(f).items()}
                return left | {(("R", x),): ("R", y) for (x,), y in self.graph(g).items()}
            case "pair", (a, b):
                return {xy: xy for xy in self.assignments((a, b))}
            case "fst" | "snd" as side, (a, b):
                return {(xy,): xy[side == "snd"] for xy in self.assignments((a, b))}
        raise Meaningless(f"map {m}")

    def index(self, e: Any, env: Mapping[Any, Element]) -> Element:
        """The element that an index expression denotes."""
        if isinstance(e, Ap):
            return self.graph(e.map)[tuple(self.index(x, env) for x in e.args)]
        return env[e]

    def function(self, name: str, values: tuple[Fraction, ...]) -> Fraction:
        """A pointwise function: true to its name only in a world that is not harsh."""
        if not self.harsh and name in REAL:
            match name, values:
                case "add", (a, b):
                    return a + b
                case "sub", (a, b):
                    return a - b
                case "mul", (a, b):
                    return a * b
                case "neg", (a,):
                    return -a
                case "max", (_, *_):
                    return max(values)
        return scatter(self.seed, "function", name, values)

    def fold(self, kind: str, values: list[Fraction]) -> Fraction:
        """A reduction: of the multiset, and in a harsh world any function of it."""
        if self.harsh:
            return scatter(self.seed, kind, sorted(values))
        match kind:
            case "sum":
                return sum(values, Fraction(0))
            case "prod":
                return reduce(lambda a, b: a * b, values, Fraction(1))
            case "max":
                return max(values, default=Fraction(-7))
            case "min":
                return min(values, default=Fraction(9))
        raise Meaningless(f"reduction {kind}")

    def tensor(self, op: Op, args: tuple[Element, ...]) -> Fraction:
        """An entry of a free tensor: two of the same name and other sets are two tensors."""
        if op in self.tensors:
            return self.tensors[op](*args)
        if self.flat:
            return Fraction(1)
        return scatter(self.seed, "tensor", op.data, args)

    def operator(self, op: Op, y: tuple[Element, ...], tables: list[Any]) -> Fraction:
        """An entry of what an opaque operator makes of the tables of its parts."""
        return scatter(self.seed, "operator", op.data, y, tables)

    def value(self, t: Term, env: Mapping[Any, Element]) -> Fraction:
        """The value of a term at an assignment of elements to its axes."""
        return self._at(t.node, tuple(env[a] for a in t.axes))

    def _at(self, node: Node, slots: tuple[Element, ...]) -> Fraction:
        key = (node, slots)
        if key not in self.memo:
            self.memo[key] = self._meaning(node, slots)
        return self.memo[key]

    def _meaning(self, node: Node, slots: tuple[Element, ...]) -> Fraction:
        op = node.op
        here = dict(enumerate(slots))

        def part(k: int, *bound: Element) -> Fraction:
            return self.value(node.args[k], here | {-1 - b: x for b, x in enumerate(bound)})

        match op.kind, op.data:
            case "leaf", _:
                return self.tensor(op, slots)
            case "number", (value,):
                return Fraction(value)
            case "size", (s,):
                return Fraction(len(self.elements(s)))
            case "iota", (s,):
                return Fraction(self.elements(s).index(slots[0]))
            case "delta", _:
                return Fraction(slots[0] == slots[1])
            case "pointwise", (name, arity):
                return self.function(name, tuple(part(k) for k in range(arity)))
            case "reduce", (kind, s):
                return self.fold(kind, [part(0, x) for x in self.elements(s)])
            case "at", (exprs, _, _):
                return part(0, *(self.index(e, here) for e in exprs))
            case "cat", _:
                side, x = slots[0]
                return part("LR".index(side), x)
            case "apply", (_, formals, body):
                values = {f: lambda *b, k=k: part(k, *b) for k, f in enumerate(formals)}
                inner = replace(self, tensors=values, memo={})
                return inner._at(body, slots[: len(body.sets)])
            case "iterate", (Op("apply", (_, formals, body)), layers):
                state = {y: part(0, *y) for y in self.assignments(body.sets)}
                for layer in self.elements(layers):
                    values = {
                        f: lambda *b, k=k, at=layer: part(k, *b, at) for k, f in enumerate(formals)
                    }
                    values[formals[0]] = lambda *b, x=state: x[b]
                    inner = replace(self, tensors=values, memo={})
                    state = {y: inner._at(body, y) for y in state}
                return state[slots[: len(body.sets)]]
            case "opaque", (_, binds, yields):
                tables = [
                    [(b, part(k, *b)) for b in self.assignments(sets)]
                    for k, sets in enumerate(binds)
                ]
                return self.operator(op, slots[: len(yields)], tables)
        raise Meaningless(f"constructor {op}")

    def differs(self, lhs: Term, rhs: Term, limit: int = 64) -> str:
        """Where two sides differ (at most `limit` assignments are tried); empty if nowhere."""
        if lhs.sets != rhs.sets:
            return f"axes {lhs.sets} and {rhs.sets}"
        for x in islice(self.assignments(lhs.sets.values()), limit):
            env = dict(zip(lhs.axes, x, strict=True))
            left, right = self.value(lhs, env), self.value(rhs, env)
            if left != right:
                return f"at {env}, sizes {self.sizes}, seed {self.seed}: {left} and {right}"
        return ""


def world(rng: Random, things: Any, harsh: bool = True, most: int = 4) -> World | None:
    """A random world in which all map symbols among the things exist; None if none was found."""
    found = symbols(things)
    names = sorted({s.name for s in found if isinstance(s, Set) and not s.parts} - {"1"})
    maps = sorted((m for m in found if isinstance(m, Map) and m.kind == "symbol"), key=repr)
    for _ in range(30):
        same = rng.randint(0, most)
        alike = rng.random() < 0.3
        sizes = {name: same if alike else rng.randint(0, most) for name in names}
        model = World(sizes, rng.randrange(2**32), harsh)
        try:
            for m in maps:
                model.table(m)
        except NoSuchMap:
            continue
        return model
    return None


def counterexample(th: Theorem, rng: Random, tries: int = 6, most: int = 3) -> str:
    """A world where the hypotheses of a theorem hold and its conclusion does not, or nothing."""
    for _ in range(tries):
        try:
            model = world(rng, (th.lhs, th.rhs, th.hyps), th.law == "perm", most)
            if model is None:
                continue
            model.flat = bool(th.hyps) and rng.random() < 0.5
            if any(model.differs(*h) for h in th.hyps):
                continue
            where = model.differs(th.lhs, th.rhs)
        except Meaningless as error:
            where = f"for it means nothing: {error}"
        if where:
            return f"{th.rule}: {show(th.lhs)} = {show(th.rhs)} is false {where}"
    return ""


def show(t: Term) -> str:
    """A small term in words."""
    op, parts = t.node.op, [show(p) for p in t.node.args]
    data = "" if op.kind in ("apply", "iterate", "at") else [getattr(x, "name", x) for x in op.data]
    if op.kind == "at":
        data = [show_index(e) for e in op.data[0]]
    return f"{op.kind}{data}({', '.join(parts)})[{', '.join(map(str, t.axes))}]"


def show_index(e: Any) -> str:
    """An index expression in words."""
    if not isinstance(e, Ap):
        return str(e)
    name = e.map.data[0] if e.map.kind == "symbol" else e.map.kind
    return f"{name}({', '.join(map(show_index, e.args))})"
