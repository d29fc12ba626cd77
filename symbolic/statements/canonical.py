"""Terms as text, without the names that make no difference: symbols are numbered in order of use.

Statements are written and hashed by this (text.py); names of axes are not in it.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from orderproof.symbolic.calculus.terms import (
    Ap,
    Index,
    Map,
    Node,
    Op,
    Set,
    ShapeError,
    Term,
    map_type,
)
from orderproof.symbolic.models.builders import POINT, in_order

Json = Any  # lists, strings and whole numbers
Sides = tuple[Term, str, Term, bool]  # an atom: both sides with axes numbered, the relation, some


class Writer:
    """Numbers symbols in order of use while it writes terms."""

    def __init__(self) -> None:
        self.sets: dict[Set, int] = {}
        self.maps: dict[Map, int] = {}
        self.tensors: dict[Op, int] = {}
        self.nodes: dict[Node, int] = {}
        self.lines: list[Json] = []

    def copy(self) -> Writer:
        """A copy in the same state."""
        other = Writer()
        other.sets, other.maps = dict(self.sets), dict(self.maps)
        other.tensors, other.nodes = dict(self.tensors), dict(self.nodes)
        other.lines = list(self.lines)
        return other

    def set(self, s: Set) -> Json:
        """An index set."""
        if s.parts:
            return [s.name, *map(self.set, s.parts)]
        return "1" if s == POINT else self.sets.setdefault(s, len(self.sets))

    def map(self, m: Map) -> Json:
        """A map."""
        if m.kind == "symbol":
            return self.maps.setdefault(m, len(self.maps))
        return [m.kind, *(self.map(x) if isinstance(x, Map) else self.set(x) for x in m.data)]

    def index(self, e: Index) -> Json:
        """An index expression."""
        return [self.map(e.map), *map(self.index, e.args)] if isinstance(e, Ap) else e

    def op(self, op: Op, formals: dict[Op, int]) -> Json:
        """A constructor; formals of the definition that it stands in by their numbers."""
        match op.kind, op.data:
            case "leaf", (_, over):
                if op in formals:
                    return ["formal", formals[op]]
                _ = [self.set(s) for s in over]
                return ["tensor", self.tensors.setdefault(op, len(self.tensors))]
            case "opaque", _:
                return ["opaque", self.tensors.setdefault(op, len(self.tensors))]
            case "number", (value,):
                return ["number", str(value)]
            case "pointwise", data:
                return ["pointwise", *data]
            case "reduce", (how, over):
                return ["reduce", how, self.set(over)]
            case ("size" | "iota" | "delta") as name, (over,):
                return [name, self.set(over)]
            case "cat", (a, b):
                return ["cat", self.set(a), self.set(b)]
            case "at", (exprs, old, new):
                sets = ([self.set(s) for s in x] for x in (old, new))
                return ["at", [self.index(e) for e in exprs], *sets]
            case "apply", (name, own, body):
                inner = Writer()
                inner.sets, inner.maps, inner.tensors = self.sets, self.maps, self.tensors
                types = [[self.set(s) for s in f.data[1]] for f in own]
                root = inner.term_node(body, {f: k for k, f in enumerate(own)})
                return ["apply", name, types, inner.lines, root]
            case "iterate", (step, over):
                return ["iterate", self.op(step, {}), self.set(over)]
        raise ShapeError(f"given the constructor {op.kind}, expected one of the calculus")

    def term_node(self, root: Node, formals: dict[Op, int] | None = None) -> int:
        """The number of a node; it and all below it are written if they are not yet."""
        for node in in_order(root):
            if node not in self.nodes:
                parts = [[self.nodes[p.node], *p.axes] for p in node.args]
                line = [self.op(node.op, formals or {}), *parts]
                self.lines.append(line)
                self.nodes[node] = len(self.lines) - 1
        return self.nodes[root]

    def atom(self, key: Sides) -> Json:
        """An atom."""
        left, relation, right, some = key
        sides = [[self.term_node(t.node), *t.axes] for t in (left, right)]
        return [relation, int(some), *sides]

    def types(self) -> Json:
        """The types of the maps and operators that were numbered, which may number further sets."""
        maps = [
            [[self.set(s) for s in dom], self.set(cod), int(bij)]
            for dom, cod, bij in (map_type(m) for m in self.maps)
        ]
        tensors = []
        for op in self.tensors:
            groups = [op.data[1]] if op.kind == "leaf" else [*op.data[1], op.data[2]]
            tensors.append([op.kind, *([self.set(s) for s in g] for g in groups)])
        return [maps, tensors]


def dump(x: Json) -> str:
    """JSON in canonical form."""
    return json.dumps(x, ensure_ascii=False, separators=(",", ":"))


@cache
def atom_text(key: Sides) -> str:
    """An atom alone, with the names of its symbols: for an order that the atom alone gives."""
    w = Writer()
    body = w.atom(key)
    names = [
        [str(x.name) for x in w.sets],
        *([str(x.data[0]) for x in y] for y in (w.maps, w.tensors)),
    ]
    return dump([body, w.lines, names])


@cache
def definition_text(op: Op) -> str:
    """A definition, up to the index sets that its formals are over: of all else that is in it, the
    names, as these are not printed where it is applied."""
    w = Writer()
    for formal in op.data[1]:
        _ = [w.set(s) for s in formal.data[1]]
    theirs = len(w.sets)
    text = w.op(op, {})
    names = [str(s.name) for s in w.sets][theirs:]
    return dump([text, names, *([str(x.data[0]) for x in y] for y in (w.maps, w.tensors))])
