"""Changes of terms: each operator changes one side of an atom, of the claim or of a hypothesis.

A *site* is one edge of a side's graph (or its root, or an edge inside a definition); an operator
offers terms in place of what stands there. So keys are permuted without their values, P becomes
Pᵀ, a softmax runs over the rows, wherever a claim of the catalogue allows it. Operators
know constructors only, no theorem: what is added to the catalogue is mutated like the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from orderproof.symbolic.calculus.terms import (
    Ap,
    Map,
    Node,
    Op,
    Set,
    ShapeError,
    Term,
    at,
    build,
    map_type,
    opened,
    signature,
)
from orderproof.symbolic.derive.push import slots
from orderproof.symbolic.models.builders import inverse, opened_at, permutation
from orderproof.symbolic.models.names import node_name
from orderproof.symbolic.models.retype import remade, retyped
from orderproof.symbolic.statements.statement import Atom, StatementError


@dataclass(frozen=True)
class Site:
    """An edge: the k-th part of a node of a side, or of a node in the body of a definition."""

    side: str
    parent: Node | None  # None: the root of the side
    k: int
    definition: Node | None = None

    def __str__(self) -> str:
        side = {"lhs": "left", "rhs": "right"}[self.side] + " side"
        inside = f", definition {self.definition}" if self.definition else ""
        place = f", part {self.k + 1} of {node_name(self.parent)}" if self.parent else ""
        return f"{side}{inside}{place}"


@dataclass(frozen=True)
class Context:
    """The symbols of a statement that a change may exchange: permutations, sets, tensors."""

    permutations: tuple[Map, ...]
    sets: tuple[Set, ...]
    leaves: tuple[Op, ...]
    instead_of_sum: str  # a sum in which all but one term is 0 is also the maximum

    def other(self, m: Map) -> Map:
        """Another permutation of the same set: of the claim, or one of its own."""
        if m.kind == "beside":
            return Map("beside", tuple(self.other(part) for part in m.data))
        over = map_type(m)[1]
        same = [p for p in self.permutations if map_type(p)[1] == over and p not in (m, *m.data)]
        return same[0] if same else permutation("pi", over)


Operator = Callable[[Term, Context], list[Term]]


# --------------------------------------------------------------------------- operators on a term
def _turning(t: Term) -> Iterator[tuple[Term, dict[Any, Any], Any, Ap]]:
    """The axes of an `at` that a map of a set to itself moves."""
    part, exprs = opened_at(t)
    for a, e in exprs.items():
        if isinstance(e, Ap) and map_type(e.map)[0] == (map_type(e.map)[1],):
            yield part, exprs, a, e


def _back(m: Map) -> Map:
    other: Map = m.data[0] if m.kind == "inverse" else inverse(m)
    return other


def _bijective(e: Ap) -> bool:
    return map_type(e.map)[2]


def p_for_its_transpose(t: Term, c: Context) -> list[Term]:
    """σ⁻¹ in place of σ, on one axis."""
    return [
        at(part, exprs | {a: Ap(_back(e.map), e.args)})
        for part, exprs, a, e in _turning(t)
        if _bijective(e)
    ]  # fmt: skip


def not_moved(t: Term, c: Context) -> list[Term]:
    """The motion of one axis dropped: a table, a mask or the keys stay where they were."""
    return [at(part, exprs | {a: e.args[0]}) for part, exprs, a, e in _turning(t)]


def moved_twice(t: Term, c: Context) -> list[Term]:
    """σ applied twice to one axis."""
    return [
        at(t, {e.args[0]: e.map(e.args[0])})
        for _, _, _, e in _turning(t)
        if not isinstance(e.args[0], Ap)
    ]


def other_permutation(t: Term, c: Context) -> list[Term]:
    """Another permutation of the same set on one axis."""
    return [
        at(part, exprs | {a: Ap(c.other(e.map), e.args)})
        for part, exprs, a, e in _turning(t)
        if _bijective(e)
    ]


def moved_too(t: Term, c: Context) -> list[Term]:
    """An axis moved that was not."""
    if t.node.op.kind == "at":
        return []
    return [
        at(t, {a: m(a)}) for a, s in t.sets.items() for m in c.permutations if map_type(m)[1] == s
    ]


INSTEAD = {"add": "sub", "sub": "add", "mul": "add", "div": "mul", "max": "add"}


def other_function(t: Term, c: Context) -> list[Term]:
    """Another pointwise function, or none: + for −, × for /, exp or a square root left out."""
    op, parts, bound, _ = opened(t)
    if op.kind != "pointwise":
        return []
    name, arity = op.data
    if name in INSTEAD:
        return [build(Op("pointwise", (INSTEAD[name], arity)), parts, bound)]
    return [parts[0]] if arity == 1 else []


def other_reduction(t: Term, c: Context) -> list[Term]:
    """Another reduction in place of a sum, a sum in place of the others."""
    op, parts, bound, names = opened(t)
    if op.kind != "reduce":
        return []
    kind, over = op.data
    return [
        build(
            Op("reduce", (c.instead_of_sum if kind == "sum" else "sum", over)), parts, bound, names
        )
    ]


def transposed(t: Term, c: Context) -> list[Term]:
    """Two axes over one set exchanged: Sᵀ for S, a sum or a softmax over the other axis."""
    if t.node.op.kind == "delta":
        return []
    pairs = [(a, b) for k, a in enumerate(t.axes) for b in t.axes[k + 1 :]]
    return [t.rename({a: b, b: a}) for a, b in pairs if t.sets[a] == t.sets[b]]


def by_columns(t: Term, c: Context) -> list[Term]:
    """A definition of one row (softmax) applied to the columns."""
    op, parts, bound, names = opened(t)
    if op.kind != "apply":
        return []
    binds, yields = signature(op)
    if len(binds) != 1 or len(binds[0]) != 1 or yields != binds[0]:
        return []
    ((own,),), (part,) = bound, parts
    column = part.rename({own: names[0]})
    return [
        build(other, [column], [[a]], [a])
        for a, s in part.sets.items()
        if a != own and signature(other := retyped(op, {yields[0]: s})) == (((s,),), (s,))
    ]


def other_constant(t: Term, c: Context) -> list[Term]:
    """A constant off by one; the size of another set."""
    match t.node.op.kind, t.node.op.data:
        case "number", (value,):
            return [build(Op("number", (value + 1,)))]
        case "size", (of,):
            others = [s for s in c.sets if s != of][:1]
            return [build(Op("size", (s,))) for s in others] or [
                build(Op("number", (Fraction(1),)))
            ]
    return []  # fmt: skip


def other_tensor(t: Term, c: Context) -> list[Term]:
    """Another tensor of the same axes: W_K for W_Q."""
    op = t.node.op
    same = [x for x in c.leaves if op.kind == "leaf" and x != op and x.data[1] == op.data[1]]
    return [build(x, names=t.axes) for x in same[:1]]


def other_part(t: Term, c: Context) -> list[Term]:
    """The left part of a sum of sets in place of the right one."""
    op, parts, bound, names = opened(t)
    if op.kind == "cat" and op.data[0] == op.data[1]:
        return [build(op, parts[::-1], bound[::-1], names)]
    part, exprs = opened_at(t)
    turned = {"inl": "inr", "inr": "inl"}
    return [
        at(part, exprs | {a: Ap(Map(turned[e.map.kind], e.map.data), e.args)})
        for a, e in exprs.items()
        if isinstance(e, Ap) and e.map.kind in turned and e.map.data[0] == e.map.data[1]
    ]


MOTIONS: dict[str, Operator] = {
    "P for its transpose": p_for_its_transpose,
    "not moved": not_moved,
    "moved twice": moved_twice,
    "moved too": moved_too,
    "transposed": transposed,
    "other tensor": other_tensor,
    "other part": other_part,
}
SYMBOLS: dict[str, Operator] = {"other permutation": other_permutation}
FUNCTIONS: dict[str, Operator] = {
    "other function": other_function,
    "other reduction": other_reduction,
    "by columns": by_columns,
    "other constant": other_constant,
}
EVERYWHERE = (
    "by columns",
    "other reduction",
    "other function",
)  # true again, if made throughout


# --------------------------------------------------------------------------------------- rewriting
def rewritten(
    t: Term, parent: Node | None, k: int, new: Callable[[Term], Term], within: Node | None = None
) -> Term:
    """t with the k-th part of a node replaced (in the definition that `within` applies)."""

    def change(node: Node, op: Op, parts: list[Term], bound: Any, names: Any) -> Term:
        if node is within:
            op = _redefined(op, parent, k, new)
        elif node is parent and within is None:
            parts[k] = new(parts[k])
        return build(op, parts, bound, names)

    whole = remade(t.node, change).rename(dict(enumerate(t.axes)))
    return new(whole) if parent is None and within is None else whole


def _redefined(op: Op, parent: Node | None, k: int, new: Callable[[Term], Term]) -> Op:
    """A definition whose body is changed in one place, with its axes in the same order, and with a
    name of its own: a statement has no two definitions of one name."""
    name, formals, body = op.data
    changed, axes = rewritten(slots(body), parent, k, new), slots(body).axes
    if changed.axes != axes:
        raise ShapeError(f"definition {name}: given axes {changed.axes}, expected {axes}")
    return Op("apply", (f"{name}*", formals, changed.node))


def throughout(t: Term, chosen: Container[Node], change: Callable[[Term], Term]) -> Term:
    """t with every chosen node changed."""

    def made(node: Node, *parts: Any) -> Term:
        new = build(*parts)
        return change(new) if node in chosen else new

    return remade(t.node, made).rename(dict(enumerate(t.axes)))


def edges(root: Node) -> list[tuple[Node, int]]:
    """Every edge below a node, in an order that its structure alone gives."""
    found: dict[tuple[Node, int], None] = {}
    todo, seen = [root], {root}
    while todo:
        node = todo.pop(0)
        for k, part in enumerate(node.args):
            found[node, k] = None
            if part.node not in seen:
                seen.add(part.node)
                todo.append(part.node)
    return list(found)


def within(root: Node) -> list[Node]:
    """A node and all below it, in an order that its structure alone gives (numbers of nodes depend
    on what was built before)."""
    parts = (node.args[k].node for node, k in edges(root))
    return list(dict.fromkeys([root, *parts]))


def sites(atom: Atom) -> Iterator[Site]:
    """Where an atom can be changed."""
    for side in ("lhs", "rhs"):
        root = getattr(atom, side).node
        yield Site(side, None, 0)
        for parent, k in edges(root):
            yield Site(side, parent, k)
        applied = [n for n in within(root) if n.op.kind == "apply"]
        for node in applied[:2]:
            body = node.op.data[2]
            yield Site(side, None, 0, node)
            yield from (Site(side, parent, k, node) for parent, k in edges(body))


def here(atom: Atom, site: Site) -> Term:
    """The term at a site."""
    if site.definition is not None and site.parent is None:
        return slots(site.definition.op.data[2])
    if site.parent is None:
        side: Term = getattr(atom, site.side)
        return side
    return opened(slots(site.parent))[1][site.k]


def at_site(atom: Atom, site: Site, operator: Operator, context: Context) -> list[Atom]:
    """The atoms that an operator makes at a site; ill-typed ones are skipped."""
    found = []
    for which in range(len(operator(here(atom, site), context))):

        def new(t: Term, which: int = which) -> Term:
            return operator(t, context)[which]

        with suppress(ShapeError, StatementError):
            old = getattr(atom, site.side)
            side = rewritten(old, site.parent, site.k, new, site.definition)
            sides: dict[str, Any] = {site.side: side}
            found.append(replace(atom, **sides))
    return found
