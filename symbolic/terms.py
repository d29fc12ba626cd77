"""The calculus: tensors with named axes, eleven constructors, and nothing that concludes.

MEANING. A term denotes a function from index assignments (axis ↦ index) to values. Every
constructor acts on axes of its own and point by point in all the others:

    op(t₁, …, tₖ) at (y, s)  =  op( λb₁. t₁ at (b₁, s), …, λbₖ. tₖ at (bₖ, s) ) at y

`b` are the axes that op *binds* in each part, `y` those it *yields*, `s` the *shared* ones, which
pass through: see `signature`. The rules in kernel.py are true of these functions. A `Node` has
numbered slots for axes and is interned: equal nodes are one object. A `Term` names the slots:
renaming is free, bound axes cannot be captured, and bound names make no difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from functools import cache
from typing import Any


class ShapeError(ValueError):
    """A term that would mean nothing: says which, what was given and what was expected."""


def need(holds: bool, what: object, given: object, *expected: object) -> None:
    """Refuse what does not hold; nothing is put in words before."""
    if not holds:
        raise ShapeError(f"{what}: given {given}, expected {' '.join(map(str, expected))}")


@dataclass(frozen=True)
class Set:
    """A symbol of unknown finite size, 0 included; or "1", a point; or "+" or "×" of two others."""

    name: str
    parts: tuple[Set, ...] = ()


Sets = tuple[Set, ...]
Name = object  # of an axis: a string for people, a slot number, or a fresh object for a bound one


@dataclass(frozen=True)
class Map:
    """A typed map of index sets: a symbol (any map of the type), or one that its kind fixes."""

    kind: str
    data: tuple[Any, ...]

    def __post_init__(self) -> None:
        map_type(self)

    def __call__(self, *args: Index) -> Ap:
        return Ap(self, args)


def map_type(m: Map) -> tuple[Sets, Set, bool]:
    """Domain, codomain, and whether it is a bijection. A symbol with no domain is a place."""
    match m.kind, m.data:
        case "symbol", (str(), tuple(dom), Set() as cod, bool(bijective)):
            if len(dom) == 1 or not bijective:
                return dom, cod, bijective
        case "identity", (a,):
            return (a,), a, True
        case "inverse", (f,) if map_type(f)[2]:
            return (map_type(f)[1],), map_type(f)[0][0], True
        case "inl" | "inr" as side, (a, b):
            return (a if side == "inl" else b,), Set("+", (a, b)), False
        case "beside", (f, g) if len(map_type(f)[0]) == len(map_type(g)[0]) == 1:  # A+B → C+D
            (f_dom, f_cod, f_bij), (g_dom, g_cod, g_bij) = map_type(f), map_type(g)
            return (Set("+", f_dom + g_dom),), Set("+", (f_cod, g_cod)), f_bij and g_bij
        case "pair", (a, b):
            return (a, b), Set("×", (a, b)), False
        case "fst" | "snd" as side, (a, b):
            return (Set("×", (a, b)),), a if side == "fst" else b, False
    raise ShapeError(f"map {m.kind}: given {m.data}, expected parts that fit (inverse: bijective)")


@dataclass(frozen=True)
class Ap:
    """A map applied to index expressions."""

    map: Map
    args: tuple[Index, ...]


Index = Name | Ap  # an index expression: an axis, or a map applied


def index_subst(e: Index, to: Mapping[Any, Index]) -> Index:
    """Simultaneous substitution of index expressions for axes; the others stay."""
    if isinstance(e, Ap):
        return Ap(e.map, tuple(index_subst(arg, to) for arg in e.args))
    return to.get(e, e)


def index_uses(e: Index, expected: Set) -> list[tuple[Name, Set]]:
    """Each use of an axis in an index expression of the expected set, with the set it ranges in."""
    if not isinstance(e, Ap):
        return [(e, expected)]
    dom, cod, _ = map_type(e.map)
    need(cod == expected and len(dom) == len(e.args), e, (dom, cod), "an index of", expected)
    return [use for arg, a in zip(e.args, dom, strict=True) for use in index_uses(arg, a)]


@dataclass(frozen=True)
class Op:
    """A constructor with its data; `signature` is the closed list."""

    kind: str
    data: tuple[Any, ...]

    def __post_init__(self) -> None:
        signature.__wrapped__(self)  # no cached answer for an equal: 0.5 is no Fraction


@cache
def signature(op: Op) -> tuple[tuple[Sets, ...], Sets]:
    """What a constructor binds in each of its parts, and what it yields."""
    match op.kind, op.data:
        case "leaf", (str(), tuple(sets)):  # a free tensor: input, weight, mask, table
            return (), sets
        case ("number", (Fraction(),)) | ("size", (Set(),)):  # the size of an index set
            return (), ()
        case "iota", (a,):  # the index itself, as a number 0, 1, …
            return (), (a,)
        case "delta", (a,):  # 1 where two indices are the same, else 0
            return (), (a, a)
        case "pointwise", (str(), int(arity)):  # a real function; its name is all that counts
            return ((),) * arity, ()
        case "reduce", ("sum" | "prod" | "max" | "min", a):  # of the multiset of the values
            return ((a,),), ()
        case "at", (tuple(), tuple(old), tuple(new)):  # puts an expression for every axis
            return (old,), new
        case "cat", (a, b):  # one axis over A + B from a part over A and a part over B
            return ((a,), (b,)), (Set("+", (a, b)),)
        case "apply", (str(), tuple(formals), Node() as body):  # a definition, kept by name
            free = {n.op for n in reachable(body) if n.op.kind == "leaf"}
            names = {f.data[0] for f in formals if f.kind == "leaf"}
            if free <= set(formals) and len(names) == len(formals):
                return tuple(f.data[1] for f in formals), body.sets
        case "opaque", (str(), tuple(binds), tuple(yields)):  # nothing else is known of it
            return binds, yields
    raise ShapeError(f"given {op.kind} {op.data}, expected a constructor with fitting data")


@dataclass(frozen=True, eq=False)
class Node:
    """Interned. Slots: yielded, then shared. A part names its own: k ≥ 0 slot k, −1−k a bound."""

    op: Op
    args: tuple[Term, ...]
    sets: Sets
    maps: frozenset[Map]  # the symbols in it: see `map_symbols`
    id: int

    def __repr__(self) -> str:
        return str(self.op.data[0])


@dataclass(frozen=True)
class Term:
    """A node with a name for each of its slots."""

    node: Node
    axes: tuple[Name, ...]

    def __post_init__(self) -> None:
        names = {a for a in self.axes if not isinstance(a, Ap)}
        if not len(names) == len(self.axes) == len(self.node.sets):
            need(False, self.node, f"axes {self.axes}", f"one for each of {self.node.sets}")

    @property
    def sets(self) -> dict[Name, Set]:
        """The index set of each axis."""
        return dict(zip(self.axes, self.node.sets, strict=True))

    def rename(self, to: Mapping[Any, Name]) -> Term:
        """The same term with other axis names; those not mentioned stay."""
        return Term(self.node, tuple(to.get(a, a) for a in self.axes))


Names = Sequence[Name]
_nodes: dict[tuple[Op, tuple[Term, ...]], Node] = {}


def map_symbols(x: Any) -> frozenset[Map]:
    """The map symbols in x, but for maps of a set to itself, of which there is always one."""
    if isinstance(x, Map) and x.kind == "symbol":
        return frozenset(() if x.data[1] == (x.data[2],) else (x,))
    if isinstance(x, Node):
        return x.maps
    inner = x if isinstance(x, tuple) else (x.map, *x.args) if isinstance(x, Ap) else ()
    return frozenset().union(*map(map_symbols, x.data if isinstance(x, Map | Op) else inner))


def _intern(op: Op, args: tuple[Term, ...], sets: Sets) -> Node:
    if not (node := _nodes.get((op, args))):
        maps = map_symbols(op).union(*(a.node.maps for a in args))
        node = _nodes.setdefault((op, args), Node(op, args, sets, maps, len(_nodes)))
    return node


def _typed(what: object, uses: Iterable[tuple[Name, Set]]) -> dict[Name, Set]:
    """Each axis with its one index set, in order of first use."""
    found: dict[Name, Set] = {}
    for axis, s in uses:
        if found.setdefault(axis, s) != s:
            raise ShapeError(f"{what}: given axis {axis!r} over {s}, expected {found[axis]}")
    return found


def build(op: Op, of: Sequence[Term] = (), bound: Sequence[Names] = (), names: Names = ()) -> Term:
    """op of the parts `of`; `bound` names the axes bound in each (or lacking), `names` the new."""
    binds, yields = signature(op)
    each = list(zip((*bound, names), (*binds, yields), strict=False))
    ok = len(of) == len(bound) == len(binds) and all(len(a) == len({*a}) == len(b) for a, b in each)
    need(ok, op, (of, bound, names), "parts, bound and yielded axes to fit")
    for part, (inner, over) in zip(of, each, strict=False):
        _typed(op, [*zip(inner, over, strict=True), *part.sets.items()])
    if op.kind == "at":
        exprs = (index_subst(e, dict(enumerate(names))) for e in op.data[0])
        to = dict(zip(bound[0], exprs, strict=True))
        return at(of[0], {a: e for a, e in to.items() if a in of[0].axes})
    outer = zip(of, bound, strict=True)
    shared = _typed(op, (x for p, inner in outer for x in p.sets.items() if x[0] not in inner))
    axes = (*names, *shared)
    slots = {a: k for k, a in enumerate(axes)}
    wires = [slots | {a: -1 - k for k, a in enumerate(inner)} for inner in bound]
    args = tuple(p.rename(w) for p, w in zip(of, wires, strict=True))
    return Term(_intern(op, args, (*yields, *shared.values())), axes)


def at(term: Term, to: Mapping[Any, Index]) -> Term:
    """term with index expressions for some of its axes, all at once; a renaming makes no node."""
    need(set(to) <= set(term.axes), term.node, to, "some of the axes", term.axes)
    exprs, old = [to.get(a, a) for a in term.axes], term.node.sets
    new = _typed(term.node, (u for e, s in zip(exprs, old, strict=True) for u in index_uses(e, s)))
    if list(new) == exprs:
        return Term(term.node, tuple(new))
    slots = {a: k for k, a in enumerate(new)}
    op = Op("at", (tuple(index_subst(e, slots) for e in exprs), old, tuple(new.values())))
    inner = Term(term.node, tuple(-1 - k for k in range(len(exprs))))
    return Term(_intern(op, (inner,), op.data[2]), tuple(new))


def opened(term: Term) -> tuple[Op, tuple[Term, ...], tuple[tuple[Name, ...], ...], Names]:
    """One level down: constructor, parts, bound axes of each part (freshly named), yielded axes."""
    binds, yields = signature(term.node.op)
    bound = tuple(tuple(object() for _ in b) for b in binds)
    names = dict(enumerate(term.axes))
    wires = [names | {-1 - k: a for k, a in enumerate(inner)} for inner in bound]
    parts = tuple(p.rename(w) for p, w in zip(term.node.args, wires, strict=True))
    return term.node.op, parts, bound, term.axes[: len(yields)]


def reachable(node: Node) -> list[Node]:
    """A node and all below it, parts before wholes (iterative: depth is no limit)."""
    seen, todo = {node}, [node]
    while todo:
        new = {part.node for part in todo.pop().args} - seen
        seen |= new
        todo += new
    return sorted(seen, key=lambda n: n.id)


def rebuild(node: Node, to: Mapping[Any, Any]) -> Term:
    """A node anew, slot k named k, with other terms for tensors, other sets and map symbols."""
    below, types = reachable(node), {x: y for x, y in to.items() if not isinstance(x, Op)}
    done: dict[Node, Term] = {n: to[n.op] for n in below if n.op in to}
    for n in [n for n in below if n not in done]:
        op, parts, bound, names = opened(Term(n, tuple(range(len(n.sets)))))
        new = [done[p.node].rename(dict(enumerate(p.axes))) for p in parts]
        done[n] = build(swapped(op, types), new, bound, names)
    return done[node]


def swapped(x: Any, to: Mapping[Any, Any]) -> Any:
    """x with the index sets and map symbols in it replaced, in definitions too."""
    if isinstance(x, Node):
        return rebuild(x, to).node
    if isinstance(x, tuple):
        return tuple(swapped(y, to) for y in x)
    if not to or not is_dataclass(x) or (isinstance(x, Set | Map) and x in to):
        return to.get(x, x)
    return x.__class__(*(swapped(getattr(x, field.name), to) for field in fields(x)))
