"""What is claimed: one object, and when a statement that was established covers a claimed one.

    for all sizes, maps and tensors:  given  ⇒  there are some of them:  such  and  atom

Everything that is printed, evaluated, written for Rocq, mutated by the audit, hashed or cited is
computed from this object. Row, column and axis names are presentation and no part of it. These
functions are trusted with the kernel: `uncovered` decides what a green mark is about.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

from orderproof.symbolic.calculus.kernel import Theorem, is_theorem
from orderproof.symbolic.calculus.terms import (
    Map,
    Node,
    Op,
    Set,
    Term,
    applied,
    map_type,
    reachable,
)
from orderproof.symbolic.models.builders import in_order, symbols
from orderproof.symbolic.models.names import node_name, set_name

from .canonical import Sides, atom_text, definition_text

RELATIONS = ("=", "≠", "<", "≤")
Symbol = Op | Map  # a tensor, an operator of which nothing is known, or a map: what is quantified
Point = Mapping[Set, int]  # a size for each index set


class StatementError(ValueError):
    """No statement, or evidence for another one: which, what was given, what was expected."""


@dataclass(frozen=True, eq=False)
class Atom:
    """lhs relation rhs at every assignment of the axes of both; or (`some`) at one of them."""

    lhs: Term
    relation: str
    rhs: Term
    some: bool = False

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise StatementError(f"relation: given {self.relation!r}, expected one of {RELATIONS}")
        for axis, over in self.rhs.sets.items():
            if self.lhs.sets.get(axis, over) != over:
                raise StatementError(
                    f"axis {axis}: given {set_name(over)} on the right side, "
                    f"expected {set_name(self.lhs.sets[axis])} as on the left"
                )

    @cached_property
    def key(self) -> Sides:
        """The atom without names of axes: both sides with axes numbered in order of use. Without
        axes there is one assignment, so that "at some" says what "at every" does."""
        number = {a: k for k, a in enumerate(self.axes)}
        some = self.some and bool(number)
        lhs, rhs = (Term(t.node, tuple(number[a] for a in t.axes)) for t in self.terms)
        return lhs, self.relation, rhs, some

    @property
    def axes(self) -> dict[object, Set]:
        """The axes of both sides, each with its index set."""
        return self.lhs.sets | self.rhs.sets

    @property
    def terms(self) -> tuple[Term, Term]:
        """Both sides."""
        return self.lhs, self.rhs

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Atom) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def opposite(self) -> Atom:
        """The negation: it holds exactly where this does not, with every and some exchanged."""
        if self.relation in ("=", "≠"):
            other = "≠" if self.relation == "=" else "="
            return Atom(self.lhs, other, self.rhs, not self.some)
        other = "≤" if self.relation == "<" else "<"
        return Atom(self.rhs, other, self.lhs, not self.some)


@dataclass(frozen=True)
class Sizes:
    """Which sizes a statement is about: a lower bound for each set (0 if not named), and for the
    sets in `of`, together, one of the tuples `among`."""

    least: frozenset[tuple[Set, int]] = frozenset()
    of: tuple[Set, ...] = ()
    among: frozenset[tuple[int, ...]] = frozenset()

    def __post_init__(self) -> None:
        names = [s for s, _ in self.least] + list(self.of)
        if len(set(names)) < len(names) or any(len(t) != len(self.of) for t in self.among):
            raise StatementError(f"sizes: given {self}, expected one condition for each set")
        if bool(self.of) != bool(self.among):
            raise StatementError(f"sizes: given {len(self.among)} cases for {len(self.of)} sets")
        every = [k for _, k in self.least] + [k for t in self.among for k in t]
        if odd := [k for k in every if type(k) is not int]:  # True is no size
            raise StatementError(f"sizes: given {odd[0]!r}, expected whole numbers")
        low = [k for _, k in self.least if k < 1] + [k for t in self.among for k in t if k < 0]
        if low:
            raise StatementError(f"sizes: given {low[0]}, expected ≥ 1, or ≥ 0 in a list")

    def sets(self) -> set[Set]:
        """The sets that have a condition."""
        return {s for s, _ in self.least} | set(self.of)

    def lower(self, s: Set) -> int:
        """The least size of a set."""
        if s in self.of:
            return min(case[self.of.index(s)] for case in self.among)
        return dict(self.least).get(s, 0)

    def columns(self) -> dict[Set, tuple[int, ...]]:
        """The listed sizes of each set, if all their combinations are listed; else empty."""
        found = {s: tuple(sorted({c[k] for c in self.among})) for k, s in enumerate(self.of)}
        whole = math.prod(map(len, found.values())) == len(self.among)
        return found if whole else {}

    def admit(self, sizes: Point) -> bool:
        """Whether these sizes, which must name the listed sets, are among them."""
        listed = not self.of or tuple(sizes[s] for s in self.of) in self.among
        return listed and all(sizes[s] >= k for s, k in self.least if s in sizes)

    def within(self, wider: Sizes) -> str:
        """Why not all of these sizes are sizes of `wider`; nothing if they are."""
        for s, k in sorted(wider.least, key=str):
            if self.lower(s) < k:
                return f"it is proved for {set_name(s)} ≥ {k}, not for {self.lower(s)}"
        if not wider.of:
            return ""
        if not set(wider.of) <= set(self.of):
            free = next(s for s in wider.of if s not in self.of)
            return f"it is proved for listed sizes of {set_name(free)}, not for all"
        for case in sorted(self.among):
            own = tuple(case[self.of.index(s)] for s in wider.of)
            if own not in wider.among:
                sizes = zip(map(set_name, wider.of), own, strict=True)
                return f"it is not proved for {', '.join(f'{s} = {k}' for s, k in sizes)}"
        return ""


def sizes(
    least: Mapping[Set, int] | None = None, among: Mapping[Set, Collection[int]] | None = None
) -> Sizes:
    """Lower bounds for some sets; for others all combinations of these sizes."""
    of = tuple(among or {})
    cases = itertools.product(*(among or {}).values()) if of else ()
    bounds = frozenset((s, k) for s, k in (least or {}).items() if k > 0)
    return Sizes(bounds, of, frozenset(cases))


@dataclass(frozen=True)
class Statement:
    """For all sizes in `sizes`, all maps and tensors not in `exists`: if all of `given` hold, there
    are maps and tensors `exists` for which all of `such` and the atom hold."""

    atom: Atom
    given: frozenset[Atom] = frozenset()
    exists: frozenset[Symbol] = frozenset()
    such: frozenset[Atom] = frozenset()
    sizes: Sizes = field(default_factory=Sizes)

    def __post_init__(self) -> None:
        used = {*self.tensors, *self.maps}
        for x in sorted(self.exists - used, key=symbol_name):
            raise StatementError(f"there is {symbol_name(x)}: given no such symbol in the terms")
        if self.such and not self.exists:
            raise StatementError("such: given a condition, expected something that there is")
        for atom in self.given:
            for x in symbols_of(atom) & self.exists:
                raise StatementError(
                    f"hypothesis: given {symbol_name(x)}, which is free there; "
                    "expected symbols that the statement is about for all values"
                )
        unknown = sorted(map(set_name, self.sizes.sets() - set(self.sets)))
        if unknown:
            raise StatementError(f"sizes: given {', '.join(unknown)}, expected sets in the terms")
        _one_type_each(self)

    def __repr__(self) -> str:  # one line; text.py writes it out
        a, given = self.atom, f", given {len(self.given)} atoms" if self.given else ""
        return f"<Statement {a.lhs!r} {a.relation} {a.rhs!r}{given}>"

    # ------------------------------------------------------------------------ what occurs in it
    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The atom, then what is given, then the conditions on what there is."""
        return (self.atom, *in_text_order(self.given), *in_text_order(self.such))

    @property
    def terms(self) -> tuple[Term, ...]:
        """All sides of all atoms."""
        return tuple(t for atom in self.atoms for t in atom.terms)

    @cached_property
    def sets(self) -> tuple[Set, ...]:
        """The index set symbols, in order of use."""
        return tuple(symbols(*self.terms)[0])

    @cached_property
    def maps(self) -> tuple[Map, ...]:
        """The map symbols, in order of use."""
        return tuple(symbols(*self.terms)[1])

    @cached_property
    def tensors(self) -> tuple[Op, ...]:
        """The free tensors and the operators of which nothing is known, in order of use."""
        return tuple(dict.fromkeys(op for t in self.terms for op in _free_in(t.node)))

    def under(self, *atoms: Atom) -> Statement:
        """The same under further hypotheses."""
        return replace(self, given=self.given | set(atoms))

    def at(self, of: tuple[Set, ...], among: Iterable[tuple[int, ...]]) -> Statement:
        """The same for these sizes alone."""
        return replace(self, sizes=Sizes(frozenset(), of, frozenset(among)))

    def negated(self) -> Statement:
        """That some of the tensors and maps, at every one of these sizes, make it false."""
        if self.exists:
            raise StatementError("negation: given 'there are', expected a statement for all")
        everything: frozenset[Symbol] = frozenset({*self.tensors, *self.maps})
        return replace(
            self, atom=self.atom.opposite(), given=frozenset(), such=self.given, exists=everything
        )


def symbol_name(x: Symbol) -> str:
    """The name of a tensor, an operator or a map."""
    return str(x.data[0])


def symbols_of(atom: Atom) -> frozenset[Symbol]:
    """The tensors, operators and maps in an atom."""
    return frozenset(
        {*symbols(*atom.terms)[1], *(op for t in atom.terms for op in _free_in(t.node))}
    )


@cache
def _free_in(root: Node) -> tuple[Op, ...]:
    """What a node and all below it bring that is quantified, in order of use."""
    return tuple(dict.fromkeys(op for node in in_order(root) for op in _free(node)))


def _free(node: Node) -> Iterator[Op]:
    """What a node brings that is quantified; of a definition, what its body has besides formals."""
    if node.op.kind in ("leaf", "opaque"):
        yield node.op
    elif (step := applied(node.op)) is not None:
        _, formals, body = step.data
        yield from (op for op in _free_in(body) if op not in formals)


def definition(atom: Atom) -> tuple[Op, Term] | None:
    """The tensor that an equation gives by a term without it, with the term over its slots."""
    if atom.relation != "=" or atom.some or atom.lhs.node.op.kind != "leaf":
        return None
    if not atom.rhs.sets.items() <= atom.lhs.sets.items():
        return None
    op = atom.lhs.node.op
    if any(n.op == op for n in reachable(atom.rhs.node)):
        return None
    number = {a: slot for slot, a in enumerate(atom.lhs.axes)}
    return op, Term(atom.rhs.node, tuple(number[a] for a in atom.rhs.axes))


def in_text_order(atoms: Iterable[Atom]) -> list[Atom]:
    """Atoms in an order that their text alone gives."""
    return sorted(atoms, key=lambda a: atom_text(a.key))


def _one_type_each(s: Statement) -> None:
    """Refuse two symbols with one name: equal names must mean equal symbols."""
    found: dict[str, object] = {}
    every: tuple[Op | Map | Set, ...] = (*s.tensors, *s.maps, *s.sets)
    for x in every:
        name = set_name(x) if isinstance(x, Set) else symbol_name(x)
        if found.setdefault(name, x) != x:
            raise StatementError(f"{name}: given two symbols of this name, expected one type")
    for t in s.terms:
        for op in functions(t.node):
            said = definition_text(op) if op.kind == "apply" else op
            if found.setdefault(op.data[0], said) != said:  # softmax over n and over m is one
                raise StatementError(f"{op.data[0]}: given two definitions or symbols of this name")


@cache
def functions(root: Node) -> tuple[Op, ...]:
    """The definitions and the functions that a term applies, those inside definitions too."""
    found: dict[Op, None] = {}
    for node in in_order(root):
        if node.op.kind == "pointwise":
            found[node.op] = None
        if (step := applied(node.op)) is not None:
            found |= {step: None} | dict.fromkeys(functions(step.data[2]))
    return tuple(found)


# ------------------------------------------------------------------------------ what covers what
def of_theorem(theorem: Theorem) -> Statement:
    """What a theorem of the kernel states: its equation under its hypotheses, for all sizes."""
    if not is_theorem(theorem):
        raise StatementError("theorem: given one that the kernel did not issue")
    given = frozenset(Atom(a, "=", b) for a, b in theorem.hyps)
    return Statement(Atom(theorem.lhs, "=", theorem.rhs), given)


def uncovered(shown: Statement, claimed: Statement) -> str:
    """Why what was shown does not establish what is claimed; nothing if it does: the same atom, no
    more hypotheses, no fewer conditions on what there is, no fewer sizes."""
    if shown.atom != claimed.atom:
        return f"it says something else: {about(shown.atom)}, claimed {about(claimed.atom)}"
    if shown.exists != claimed.exists:
        other = min(shown.exists ^ claimed.exists, key=symbol_name)
        there = "there is" if other in shown.exists else "for all"
        return f"it says {there} {symbol_name(other)}, and the claim does not"
    for atom in in_text_order(shown.given - claimed.given):
        return f"it needs a hypothesis that is not claimed: {about(atom)}"
    for atom in in_text_order(claimed.such - shown.such):
        return f"it does not say that {about(atom)}"
    for m in lost_maps(shown, claimed):
        return f"it is about {symbol_name(m)}, which does not occur in the claim: there may be none"
    return claimed.sizes.within(shown.sizes)


def lost_maps(shown: Statement, claimed: Statement) -> list[Map]:
    """Maps of a type that may have none (of a set to itself there is one): then what was shown is
    vacuous, and the claim, in which they do not occur, is not."""
    lost = (m for m in shown.maps if m not in claimed.maps)
    return [m for m in lost if map_type(m)[0] != (map_type(m)[1],)]


def not_refuted(shown: Statement, claimed: Statement) -> str:
    """Why what was shown does not refute what is claimed for all values; nothing if it does: it
    holds at some of the claimed sizes that something satisfies the hypotheses, and not the atom."""
    if claimed.exists or (claimed.given and not (claimed.tensors or claimed.maps)):
        return "the claim says that there are some, or it is about numbers alone"
    small = replace(claimed, sizes=Sizes()).negated()
    if reason := uncovered(replace(shown, sizes=Sizes()), small):
        return reason
    return "" if _meet(shown.sizes, claimed.sizes) else "it is about other sizes"


def _meet(a: Sizes, b: Sizes) -> bool:
    """Whether some sizes are sizes of both; where each lists some, they must list the same sets."""
    if a.of and b.of and set(a.of) != set(b.of):
        return False
    listed, other = (a, b) if a.of else (b, a)
    if not listed.of:
        return True
    cases = (dict(zip(listed.of, case, strict=True)) for case in listed.among)
    return any(other.admit(case) for case in cases)


def about(atom: Atom) -> str:
    """An atom in a message."""
    some = " somewhere" if atom.some and atom.axes else ""
    return f"{node_name(atom.lhs.node)} {atom.relation} {node_name(atom.rhs.node)}{some}"


def scope(s: Statement) -> str:
    """The sizes of a statement in words, from the statement alone."""
    parts = []
    one: dict[int, list[str]] = {}  # sets of one size alone: d = d_k = 1
    for x, values in (columns := s.sizes.columns()).items():
        run = len(values) > 3 and values == tuple(range(values[0], values[-1] + 1))
        text = f"{values[0]}, …, {values[-1]}" if run else ", ".join(map(str, values))
        if len(values) == 1:
            one.setdefault(values[0], []).append(set_name(x))
        else:
            parts.append(f"{set_name(x)} = {text}")
    parts += [f"{' = '.join(names)} = {k}" for k, names in one.items()]
    if s.sizes.of and not columns:
        names = ", ".join(map(set_name, s.sizes.of))
        cases = ", ".join(f"({', '.join(map(str, c))})" for c in sorted(s.sizes.among))
        parts.append(f"({names}) = {cases}")
    least = dict(s.sizes.least)
    free = [x for x in s.sets if x not in s.sizes.of]
    bounds = [set_name(x) + (f" ≥ {least[x]}" if x in least else "") for x in free]
    parts += [f"all {', '.join(bounds)}"] if bounds else []
    return "; ".join(parts) or "numbers alone"


def kind(s: Statement) -> str:
    """equality, inequality, not (for all, ≠) or exists: read off the statement."""
    if s.exists:
        return "exists"
    return {"=": "equality", "≠": "not"}.get(s.atom.relation, "inequality")
