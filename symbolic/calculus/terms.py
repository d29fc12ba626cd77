"""The calculus: tensors with named axes, twelve constructors, and nothing that concludes.

MEANING. A term denotes a function from index assignments (axis ↦ index) to values. Every
constructor acts on axes of its own and point by point in all the others:

    op(t₁, …, tₖ) at (y, s)  =  op( λb₁. t₁ at (b₁, s), …, λbₖ. tₖ at (bₖ, s) ) at y

`b` are the axes that op *binds* in each part and `y` those that it *yields*: see `signature`. All
others are *shared*, `s`: op does not touch them. The rules of kernel.py are true of such functions.
A `Node` has numbered slots for axes and is interned: equal nodes are one object. A `Term` names the
slots: renaming is free, bound axes cannot be captured, and bound names make no difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any


class ShapeError(ValueError):
    """A term that would mean nothing: says which, what was given and what was expected."""


def need(holds: bool, what: object, given: object, *expected: object) -> None:
    """Refuse what does not hold; the message is formatted only then."""
    if not holds:
        raise ShapeError(f"{what}: given {given}, expected {' '.join(map(str, expected))}")


@dataclass(frozen=True)
class Set:
    """A symbol of unknown finite size, 0 included; or "1", a point; or "+" or "×" of two others."""

    name: str
    parts: tuple[Set, ...] = ()

    def __post_init__(self) -> None:
        expected = 2 if self.name in ("+", "×") else 0
        need(len(self.parts) == expected, f"set {self.name}", self.parts, f"{expected} parts")


Sets = tuple[Set, ...]
Name = object  # of an axis: a string for people, a slot number, or a fresh object for a bound one


@dataclass(frozen=True)
class Map:
    """A typed map of index sets: a symbol (any map of its type), or one that its kind fixes."""

    kind: str
    data: tuple[Any, ...]

    def __post_init__(self) -> None:
        map_type(self)

    def __call__(self, *args: Index) -> Ap:
        return Ap(self, args)


def map_type(m: Map) -> tuple[Sets, Set, bool]:
    """Domain, codomain, and whether it is a bijection. A symbol with no domain is a constant."""
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
    """Each use of an axis in an index expression of the expected set, with the set it ranges over;
    ShapeError if a map in it is applied to indices of other sets than those of its type."""
    if not isinstance(e, Ap):
        return [(e, expected)]
    dom, cod, _ = map_type(e.map)
    need(cod == expected and len(dom) == len(e.args), e, (dom, cod), "an index of", expected)
    return [use for arg, a in zip(e.args, dom, strict=True) for use in index_uses(arg, a)]


def typed(what: object, uses: Iterable[tuple[Name, Set]]) -> dict[Name, Set]:
    """Each axis with its one index set, in order of first use; ShapeError if one has two."""
    found: dict[Name, Set] = {}
    for axis, over in uses:
        if found.setdefault(axis, over) != over:
            raise ShapeError(f"{what}: given axis {axis!r} over {over}, expected {found[axis]}")
    return found


@dataclass(frozen=True)
class Op:
    """A constructor with its data; `signature` is the closed list."""

    kind: str
    data: tuple[Any, ...]

    def __post_init__(self) -> None:
        signature.__wrapped__(self)  # not what is cached: 0.5 is no Fraction, but equals one


def applied(op: Op) -> Op | None:
    """The definition that a constructor applies, once or for each index; None if it is another."""
    return op if op.kind == "apply" else op.data[0] if op.kind == "iterate" else None


@cache
def signature(op: Op) -> tuple[tuple[Sets, ...], Sets]:
    """The sets of the axes that a constructor binds in each of its parts, and that it yields."""
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
        case "at", (tuple(exprs), tuple(old), tuple(new)) if len(exprs) == len(old):
            # puts an index expression for every axis: those over `old` go, those over `new` come,
            # and the expressions call them 0, 1, … in order of first use
            uses = (u for e, over in zip(exprs, old, strict=True) for u in index_uses(e, over))
            if list(typed("at", uses).items()) == list(enumerate(new)):
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
        case "iterate", (Op("apply") as step, Set() as over):  # of its last value, for each index
            binds, yields = signature(step)
            if binds[:1] == (yields,):
                return (yields, *((*b, over) for b in binds[1:])), yields
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
        name = self.op.data[0] if self.op.data else self.op.kind
        return str(name) if isinstance(name, str | Fraction) else self.op.kind


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

    def __repr__(self) -> str:  # one line of bounded length; notations are in printer.py
        axes = ",".join(str(a) if isinstance(a, str | int) else "·" for a in self.axes)
        parts = f"({', '.join(map(repr, (p.node for p in self.node.args)))})"
        return f"<Term {axes[:40]}: {self.node!r:.40}{parts[:60] if self.node.args else ''}>"

    def rename(self, to: Mapping[Any, Name]) -> Term:
        """The same term with other axis names; those not mentioned stay, and strings must be."""
        names = {a for a in to if isinstance(a, str)}
        need(names <= set(self.axes), "rename", sorted(names), "axes among", self.axes)
        return Term(self.node, tuple(to.get(a, a) for a in self.axes))


Names = Sequence[Name]
_nodes: dict[tuple[Op, tuple[Term, ...]], Node] = {}


def map_symbols(x: Any) -> frozenset[Map]:
    """The map symbols in x, but for maps of a set to itself, of which there is always one."""
    match x:
        case Map("symbol", (_, domain, codomain, _)):
            return frozenset() if domain == (codomain,) else frozenset([x])
        case Node(maps=found) | Term(Node(maps=found)):
            return found
        case Ap(f, args):
            return map_symbols((f, args))
        case Map(_, inside) | Op(_, inside) | tuple(inside):
            return frozenset().union(*(map_symbols(y) for y in inside if type(y) is not str))
    return frozenset()


def _intern(op: Op, args: tuple[Term, ...], sets: Sets) -> Node:
    if found := _nodes.get((op, args)):
        return found
    return _nodes.setdefault((op, args), Node(op, args, sets, map_symbols((op, args)), len(_nodes)))


def build(op: Op, of: Sequence[Term] = (), bound: Sequence[Names] = (), names: Names = ()) -> Term:
    """op of the parts `of`: `bound` names for each part the axes that op binds there, all of them,
    whether the part has them or not; `names` names the axes that op yields."""
    binds, yields = signature(op)
    each = zip((*bound, names), (*binds, yields), strict=False)
    fits = all(len(axes) == len(set(axes)) == len(over) for axes, over in each)
    fits = fits and len(of) == len(bound) == len(binds)
    need(fits, op, (of, bound, names), "parts, bound and yielded axes to fit")
    uses: list[tuple[Name, Set]] = []
    for part, inner, over in zip(of, bound, binds, strict=True):
        typed(op, [*zip(inner, over, strict=True), *part.sets.items()])
        uses += [(a, s) for a, s in part.sets.items() if a not in inner]
    shared = typed(op, uses)
    axes = (*names, *shared)
    need(len(axes) == len(set(axes)), op, f"axes {axes}", "no shared axis among the yielded")
    if op.kind == "at":  # its part may lack some of the axes: expressions for these are left out
        exprs = (index_subst(e, dict(enumerate(names))) for e in op.data[0])
        return at(of[0], {a: e for a, e in zip(bound[0], exprs, strict=True) if a in of[0].axes})
    slots = {a: k for k, a in enumerate(axes)}
    wires = [slots | {a: -1 - k for k, a in enumerate(inner)} for inner in bound]
    args = tuple(Term(p.node, tuple(w[a] for a in p.axes)) for p, w in zip(of, wires, strict=True))
    return Term(_intern(op, args, (*yields, *shared.values())), axes)


def at(term: Term, to: Mapping[Any, Index]) -> Term:
    """term with index expressions for some of its axes, all at once; a renaming makes no node."""
    need(set(to) <= set(term.axes), term.node, to, "some of the axes", term.axes)
    exprs, old = [to.get(a, a) for a in term.axes], term.node.sets
    new = typed(term.node, (u for e, s in zip(exprs, old, strict=True) for u in index_uses(e, s)))
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


def rebuild(node: Node, to: Mapping[Op, Term]) -> Term:
    """A node anew, slot k named k, with a term for each tensor of `to` (slot k of the tensor is
    axis k of its term). The formals of a definition are not free: they stay."""
    done: dict[Node, Term] = {}
    for n in reachable(node):
        if n.op in to:
            done[n] = to[n.op]
        else:
            op, parts, bound, names = opened(Term(n, tuple(range(len(n.sets)))))
            new = [done[p.node].rename(dict(enumerate(p.axes))) for p in parts]
            done[n] = build(op, new, bound, names)
    return done[node]


_well_formed: set[Node] = set()


def check(root: Node) -> None:
    """Refuse a node unless it, all below it, and the definitions that they apply are well formed
    (as in Naturality.v), read off finished nodes, whatever `build` and `at` let through."""
    new, todo = set[Node](), [root]
    while todo:
        node = todo.pop()
        if node not in _well_formed and node not in new:
            new.add(node)
            _check_node(node)
            todo += [part.node for part in node.args]
            todo += [step.data[2]] if (step := applied(node.op)) else []
    _well_formed.update(new)


def _check_node(node: Node) -> None:
    """Yielded slots first, over the sets that op yields; then shared slots, each an axis of a part;
    and each axis of a part is a shared slot or an axis that op binds there, over the same set."""
    binds, yields = signature.__wrapped__(node.op)
    shared = {k: s for k, s in enumerate(node.sets) if k >= len(yields)}
    fits = node.sets[: len(yields)] == yields and len(node.args) == len(binds)
    used: set[Name] = set()
    for part, over in zip(node.args, binds, strict=False):
        expected = shared | {-1 - k: s for k, s in enumerate(over)}
        fits = fits and part.sets.items() <= expected.items()
        used |= set(part.axes)
    fits = fits and set(shared) <= used and node.maps == map_symbols((node.op, *node.args))
    need(fits, node.op, (node.args, node.sets), "parts that fit its signature", (binds, yields))
