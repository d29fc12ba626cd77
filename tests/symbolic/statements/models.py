"""Statements evaluated in all small models: what the rules between statements must be true of.

Terms are evaluated by meaning.py. Values are the whole numbers modulo P, in the order 0 < 1 < …:
a rule between statements holds in every structure of values, and here all tensors can be tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from math import prod
from typing import Any
from zlib import crc32

from orderproof.symbolic.calculus.terms import Map, Node, Op, Set, reachable
from orderproof.symbolic.statements.logic import Iff
from orderproof.symbolic.statements.statement import Atom, Statement
from tests.oracles.meaning import World, symbols

Values = dict[Op, dict[tuple[Any, ...], Fraction]]


class TooLarge(ValueError):
    """More models than are worth trying."""


@dataclass
class Finite(World):
    """A world with values modulo `p`; functions that are no polynomials are arbitrary."""

    p: int = 2

    def _meaning(self, node: Node, slots: tuple[Any, ...]) -> Fraction:
        return super()._meaning(node, slots) % self.p

    def function(self, name: str, values: tuple[Fraction, ...]) -> Fraction:
        """add, sub, mul, neg and max as they are; of others, the name decides."""
        if name in ("add", "sub", "mul", "neg", "max"):
            return super().function(name, values)
        return Fraction(crc32(repr((name, values)).encode()) % self.p)

    def holds(self, a: Atom) -> bool:
        """Whether an atom holds: at every assignment of its axes, or at some."""
        axes = list(a.axes)
        found = (
            self._related(a, dict(zip(axes, x, strict=True)))
            for x in self.assignments(a.axes.values())
        )
        return any(found) if a.some else all(found)

    def _related(self, a: Atom, env: dict[Any, Any]) -> bool:
        left, right = self.value(a.lhs, env), self.value(a.rhs, env)
        match a.relation:
            case "=":
                return left == right
            case "≠":
                return left != right
            case "<":
                return left < right
            case "≤":
                return left <= right
        raise ValueError(a.relation)


def parts(atoms: Any) -> tuple[set[Set], set[Map], set[Op]]:
    """The set symbols, map symbols and free tensors in atoms."""
    terms = [t for a in atoms for t in (a.lhs, a.rhs)]
    found = symbols(*(t.node for t in terms))
    sets = {x for x in found if isinstance(x, Set) and not x.parts and x != Set("1")}
    maps = {x for x in found if isinstance(x, Map) and x.kind == "symbol"}
    ops = {n.op for t in terms for n in reachable(t.node)}
    if any(op.kind == "opaque" for op in ops):
        raise TooLarge("an operator of which nothing is known")
    return sets, maps, {op for op in ops if op.kind == "leaf"}


def tables(world: World, m: Map) -> Iterator[dict[Any, Any]]:
    """All maps of a type."""
    _, dom, cod, bijective = m.data
    rows, values = list(world.assignments(dom)), world.elements(cod)
    if not bijective:
        chosen: Iterator[tuple[Any, ...]] = product(values, repeat=len(rows))
    elif len(rows) == len(values):
        chosen = permutations(values)
    else:
        return
    for images in chosen:
        yield dict(zip(rows, images, strict=True))


def valued(world: Finite, maps: Any, tensors: Any, limit: int = 100_000) -> Iterator[Finite]:
    """The world with all values of these maps and tensors, all others as they are."""
    ordered = sorted(maps, key=repr)
    ops = sorted(tensors, key=repr)
    keys = [list(world.assignments(op.data[1])) for op in ops]
    choices = [list(tables(world, m)) for m in ordered]
    if world.p ** sum(map(len, keys)) * prod(map(len, choices)) > limit:
        raise TooLarge(f"{ops} at {world.sizes}")
    for chosen in product(*choices):
        own = world.tables | dict(zip(ordered, chosen, strict=True))
        for entries in product(range(world.p), repeat=sum(map(len, keys))):
            left = iter(entries)
            values: Any = dict(world.tensors)
            for op, places in zip(ops, keys, strict=True):
                table = {k: Fraction(next(left)) for k in places}
                values[op] = lambda *k, table=table: table[k]
            yield Finite(world.sizes, 0, False, False, values, own, {}, world.lists, world.p)


def admitted(s: Statement | Iff, sets: set[Set], most: int) -> Iterator[dict[str, int]]:
    """All sizes up to `most` that a statement is about."""
    names = sorted(sets, key=repr)
    for sizes in product(range(most + 1), repeat=len(names)):
        at = dict(zip(names, sizes, strict=True))
        if all(at[x] >= k for x, k in s.sizes.least) and (
            not s.sizes.of or tuple(at[x] for x in s.sizes.of) in s.sizes.among
        ):
            yield {x.name: k for x, k in at.items()}


def falsified(s: Statement, most: int = 2, p: int = 2, limit: int = 100_000) -> Finite | None:
    """A model with sizes up to `most` in which a statement is false; None if there is none."""
    sets, maps, tensors = parts((s.atom, *s.given, *s.such))
    own = {x for x in maps | tensors if x in s.exists}
    for sizes in admitted(s, sets, most):
        for model in valued(Finite(sizes, harsh=False, p=p), maps - own, tensors - own, limit):
            if not all(map(model.holds, s.given)):
                continue
            there = valued(model, maps & own, tensors & own, limit)
            if not any(m.holds(s.atom) and all(map(m.holds, s.such)) for m in there):
                return model
    return None


def iff_falsified(s: Iff, most: int = 2, p: int = 2, limit: int = 100_000) -> Finite | None:
    """A model in which what an Iff says is false; None if there is none."""
    sets, maps, tensors = parts((s.condition, s.conclusion, *s.given))
    own = {x for x in maps | tensors if x in s.every}
    for sizes in admitted(s, sets, most):
        for model in valued(Finite(sizes, harsh=False, p=p), maps - own, tensors - own, limit):
            if all(map(model.holds, s.given)):
                always = all(
                    m.holds(s.conclusion) for m in valued(model, maps & own, tensors & own, limit)
                )
                if always != model.holds(s.condition):
                    return model
    return None
