"""A statement as one text: what its digest is of, and what certificates carry and are read from.

Renaming index sets, maps, tensors, operators or axes gives the same text. A text read back gives a
statement with the same text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from typing import Any

from .canonical import Json, Writer, dump
from .language import POINT
from .statement import Atom, Sizes, Statement, StatementError
from .terms import Ap, Index, Map, Node, Op, Set, Term, at, build, signature

FORMAT = "orderproof statement 1"


@cache
def canonical(s: Statement) -> str:
    """The text of a statement. Hypotheses have no order: each next one is that which is written
    first by the numbers given so far."""
    w = Writer()
    body = w.atom(s.atom.key)
    groups = []
    for atoms in (s.given, s.such):
        left, written = list(atoms), []
        while left:
            trial = [(dump([(c := w.copy()).atom(a.key), c.lines[len(w.lines):]]), k)
                     for k, a in enumerate(left)]  # fmt: skip
            written.append(w.atom(left.pop(min(trial)[1]).key))
        groups.append(written)
    exists = sorted([0, w.tensors[x]] if isinstance(x, Op) else [1, w.maps[x]] for x in s.exists)
    types = w.types()
    return dump([FORMAT, types, w.lines, body, *groups, exists, _sizes(w, s.sizes)])


def _sizes(w: Writer, s: Sizes) -> Json:
    least = sorted([w.set(x), k] for x, k in s.least)
    order = sorted(range(len(s.of)), key=lambda k: w.sets[s.of[k]])
    return [least, [w.sets[s.of[k]] for k in order], sorted([c[k] for k in order] for c in s.among)]


def digest(s: Statement) -> str:
    """SHA-256 of the text of a statement, in hexadecimal."""
    return hashlib.sha256(canonical(s).encode()).hexdigest()


# ---------------------------------------------------------------------------------- reading back
def parse(text: str) -> Statement:
    """The statement that a text says, with names of its own; StatementError in one line if it is
    none."""
    try:
        mark, (maps, tensors), lines, atom, given, such, exists, bounds = json.loads(text)
        if mark != FORMAT:
            raise StatementError(f"statement: given {mark!r}, expected {FORMAT!r}")
        reader = _Reader(maps, tensors)
        nodes = reader.nodes(lines, {})
        atoms = [reader.atom(a, nodes) for a in (atom, *given, *such)]
        there = (reader.tensors[k] if not which else reader.maps[k] for which, k in exists)
        least, of, among = bounds
        over = Sizes(
            frozenset((reader.set(x), int(k)) for x, k in least),
            tuple(map(reader.set, of)),
            frozenset(tuple(map(int, c)) for c in among),
        )
        first = 1 + len(given)
        found = Statement(
            atoms[0], frozenset(atoms[1:first]), frozenset(there), frozenset(atoms[first:]), over
        )
    except (ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
        if isinstance(error, StatementError):
            raise
        raise StatementError(f"statement: given {text[:60]!r}, expected {FORMAT}") from error
    if canonical(found) != text:
        raise StatementError("statement: given a text that is not in its one form")
    return found


class _Reader:
    """Builds terms from their text."""

    def __init__(self, maps: Json, tensors: Json) -> None:
        self.maps: list[Map] = []
        for k, (dom, cod, bijective) in enumerate(maps):
            data: Any = (f"f{k}", tuple(map(self.set, dom)), self.set(cod), bool(bijective))
            self.maps.append(Map("symbol", data))
        self.tensors: list[Op] = []
        for k, (how, *groups) in enumerate(tensors):
            over = tuple(tuple(map(self.set, g)) for g in groups)
            own: Any = (f"T{k}", over[0]) if how == "leaf" else (f"T{k}", over[:-1], over[-1])
            self.tensors.append(Op(how, own))

    def set(self, x: Json) -> Set:
        if isinstance(x, list):
            return Set(x[0], tuple(map(self.set, x[1:])))
        return POINT if x == "1" else Set(f"n{int(x)}")

    def map(self, x: Json) -> Map:
        if isinstance(x, int):
            return self.maps[x]
        parts = self.set if x[0] in ("identity", "inl", "inr", "pair", "fst", "snd") else self.map
        return Map(x[0], tuple(map(parts, x[1:])))

    def index(self, x: Json) -> Index:
        return Ap(self.map(x[0]), tuple(map(self.index, x[1:]))) if isinstance(x, list) else x

    def op(self, x: Json, formals: dict[int, Op]) -> Op:
        match x:
            case ["formal", int(k)]:
                return formals[k]
            case ["tensor" | "opaque", int(k)]:
                return self.tensors[k]
            case ["number", value]:
                return Op("number", (Fraction(value),))
            case ["pointwise", name, arity]:
                return Op("pointwise", (name, arity))
            case ["reduce", how, over]:
                return Op("reduce", (how, self.set(over)))
            case ["size" | "iota" | "delta" as name, over]:
                return Op(name, (self.set(over),))
            case ["cat", a, b]:
                return Op("cat", (self.set(a), self.set(b)))
            case ["at", exprs, old, new]:
                sets = (tuple(map(self.set, x)) for x in (old, new))
                return Op("at", (tuple(map(self.index, exprs)), *sets))
            case ["apply", name, types, lines, root]:
                own = [Op("leaf", (f"X{k}", tuple(map(self.set, t)))) for k, t in enumerate(types)]
                body = self.nodes(lines, dict(enumerate(own)))[root]
                return Op("apply", (name, tuple(own), body))
        raise StatementError(f"statement: given {x!r}, expected a constructor")

    def nodes(self, lines: Iterable[Json], formals: dict[int, Op]) -> list[Node]:
        found: list[Node] = []
        for x, *wires in lines:
            op = self.op(x, formals)
            parts = [Term(found[k], tuple(axes)) for k, *axes in wires]
            if op.kind == "at":
                (part,), exprs = parts, op.data[0]
                slots = {-1 - k: e for k, e in enumerate(exprs)}
                t = at(part, slots)
            else:
                binds, yields = signature(op)
                bound = [tuple(-1 - k for k in range(len(b))) for b in binds]
                t = build(op, parts, bound, [("new", k) for k in range(len(yields))])
            found.append(t.node)
        return found

    def atom(self, x: Json, nodes: list[Node]) -> Atom:
        relation, some, *sides = x
        left, right = (Term(nodes[k], tuple(axes)) for k, *axes in sides)
        return Atom(left, relation, right, bool(some))
