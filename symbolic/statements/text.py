"""A statement as one text: what its digest is of, and what certificates carry and are read from.

Renaming index sets, maps, tensors, operators or axes gives the same text. A text read back gives a
statement with the same text.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from typing import Any

from orderproof.symbolic.calculus.terms import (
    Ap,
    Index,
    Map,
    Node,
    Op,
    Set,
    Term,
    at,
    build,
    signature,
)
from orderproof.symbolic.models.builders import POINT

from .canonical import Json, Writer, dump
from .statement import Atom, Sizes, Statement, StatementError

FORMAT = "orderproof statement 1"


@cache
def canonical(s: Statement) -> str:
    """The text of a statement. Hypotheses have no order: each next one is that which is written
    first by the numbers given so far; where several are written alike, all of these are tried."""
    w = Writer()
    body = w.atom(s.atom.key)
    ways = _ways(_ways([(w, [body])], s.given), s.such)
    return min(_whole(s, w, written) for w, written in ways)


_Way = tuple[Writer, list[Json]]  # a writer, with the atoms that it has written
MOST = 5040  # ways in which hypotheses that are written alike may be numbered


def _ways(ways: list[_Way], atoms: frozenset[Atom]) -> list[_Way]:
    """The ways to go on with these atoms that give the least text at each step."""
    todo = [(w, written, atoms) for w, written in ways]
    for _ in atoms:
        least: str = ""
        found: list[tuple[Writer, list[Json], frozenset[Atom]]] = []
        for w, written, left in todo:
            for a in left:
                new = w.copy()
                atom = new.atom(a.key)
                text = dump([atom, new.lines[len(w.lines) :], new.copy().types()])
                if not found or text < least:
                    least, found = text, []
                if text == least:
                    found.append((new, [*written, atom], left - {a}))
                if len(found) > MOST:
                    raise StatementError(
                        f"hypotheses: more than {MOST} ways to number those that are written alike"
                    )
        todo = found
    return [(w, written) for w, written, _ in todo]


def _whole(s: Statement, w: Writer, written: list[Json]) -> str:
    body, given, such = written[0], written[1 : 1 + len(s.given)], written[1 + len(s.given) :]
    exists = sorted([0, w.tensors[x]] if isinstance(x, Op) else [1, w.maps[x]] for x in s.exists)
    types = w.types()
    return dump([FORMAT, types, w.lines, body, given, such, exists, _sizes(w, s.sizes)])


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
            raise ValueError(f"given {mark}")
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
        again = canonical(found)
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise StatementError(
            f"statement: given {_short(text)}, expected {FORMAT}: {_short(error)}"
        ) from error
    if again != text:
        raise StatementError(f"statement: given {_short(text)}, which is not in canonical form")
    return found


def _short(x: object) -> str:
    return " ".join(str(x).split())[:80]


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
            case ["number", str(value)] if re.fullmatch(r"-?[0-9]+(/[1-9][0-9]*)?", value):
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
            case ["iterate", step, over]:
                return Op("iterate", (self.op(step, {}), self.set(over)))
        raise ValueError(f"given {x}, expected a constructor")

    def nodes(self, lines: Iterable[Json], formals: dict[int, Op]) -> list[Node]:
        found: list[Node] = []
        for x, *wires in lines:
            if x[0] == "pointwise" and dump(x[2:]) != dump([len(wires)]):  # true is not 1
                raise ValueError(f"given {x[2:]}, expected {len(wires)} parts")
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
