"""Cases of a statement at small sizes: sizes, maps, and what its hypotheses ask of tensors.

Everything here is read off the statement: which sizes it is about, which maps satisfy its
hypotheses about indices, which entries its hypotheses make equal, which signs they give.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import sympy

from orderproof.check.claims import Counts, Maps
from orderproof.symbolic.calculus.terms import (
    Ap,
    Map,
    Op,
    Set,
    Term,
    applied,
    map_type,
    reachable,
    rebuild,
)
from orderproof.symbolic.models.builders import POINT, in_order, opened_at, symbols
from orderproof.symbolic.readings.entries import Entries, Model, evaluate
from orderproof.symbolic.readings.printer import flattened
from orderproof.symbolic.readings.rationals import Exact
from orderproof.symbolic.readings.sympy_entries import Formulas
from orderproof.symbolic.statements.statement import (
    Atom,
    Statement,
    definition,
    in_text_order,
    symbols_of,
)

Case = tuple[Counts, Maps]
RATIONAL = {"add", "sub", "mul", "neg", "at_most"}  # functions that make fractions of fractions
EVERY_MAP = 8  # so many maps of one type are all tried; of more, some


# ------------------------------------------------------------------------- x = t: t in place of x
@cache
def substituted(s: Statement) -> Statement:
    """The same with t in place of x for each hypothesis x = t about any x, and for each condition
    x = t on an x that there is; as long as all else stays that is spoken of."""
    for group in (s.given, s.such):
        for atom in in_text_order(group):
            found = definition(atom)
            if found is not None and (found[0] in s.exists) == (group is s.such):
                whole = _without(s, atom, *found)
                if whole is not None:
                    return substituted(whole)
    return s


def _without(s: Statement, atom: Atom, op: Op, t: Term) -> Statement | None:
    """None if an index set, a map or an axis goes with it: sets may be empty, and then there is no
    element, no map into them and no entry."""

    def put(u: Term) -> Term:
        if all(n.op != op for n in reachable(u.node)):
            return u
        return rebuild(u.node, {op: t}).rename(dict(enumerate(u.axes)))

    new = {a: replace(a, lhs=put(a.lhs), rhs=put(a.rhs)) for a in s.atoms}
    kept = (s.atom, *((s.given | s.such) - {atom}))
    named = frozenset().union(*(symbols_of(new[a]) for a in kept))
    if op in named or any(_over(a) != _over(new[a]) for a in kept):
        return None
    exists = s.exists & named
    given, such = (frozenset(new[a] for a in x if a != atom) for x in (s.given, s.such))
    if such and not exists:
        return None
    whole = Statement(new[s.atom], given, exists, such)
    if {*s.sets} != {*whole.sets} or {*s.maps} != {*whole.maps} or bool(exists) != bool(s.exists):
        return None
    return replace(whole, sizes=s.sizes)


def _over(a: Atom) -> set[Set]:
    """The index sets of an atom's axes, but for the one that always has its one element."""
    return {over for over in a.axes.values() if over != POINT}


# --------------------------------------------------------------------------------- sizes and maps
def moved_sets(s: Statement) -> tuple[list[Map], list[Set], list[Set]]:
    """The permutation symbols, the sets that they permute, and the other sets, by name: so that
    nothing depends on the order in which terms were built."""
    permutations = sorted((m for m in s.maps if map_type(m)[2]), key=lambda m: str(m.data))
    sets = sorted(s.sets, key=lambda x: x.name)
    moved = [x for x in sets if any(map_type(m)[1] == x for m in permutations)]
    return permutations, moved, [x for x in sets if x not in moved]


def other_maps(s: Statement) -> list[Map]:
    """The map symbols that are no permutations, by name."""
    return sorted((m for m in s.maps if not map_type(m)[2]), key=lambda m: str(m.data))


def generators(n: int) -> list[tuple[int, ...]]:
    """A swap and an n-cycle: every permutation is a product of these."""
    return [(1, 0, *range(2, n)), (*range(1, n), 0)] if n > 1 else [(0,)]


def admits(s: Statement, sizes: Mapping[str, int]) -> bool:
    """Whether these sizes, by name, are sizes of the statement."""
    return s.sizes.admit({x: sizes[x.name] for x in s.sets})


def _fill(s: Statement, tried: Mapping[Set, int]) -> Iterator[Counts]:
    """Sizes with, of those that the statement lists, each listed case in place of what is tried."""
    for case in sorted(s.sizes.among) or [()]:
        own = dict(zip(s.sizes.of, case, strict=True))
        sizes = {x.name: own.get(x, max(k, s.sizes.lower(x))) for x, k in tried.items()}
        yield sizes


def _widths(s: Statement, others: Sequence[Set]) -> Iterator[dict[Set, int]]:
    """Sizes of what is not permuted: up to 4, not all equal; and each set once at its least."""
    tried = [{x: 1 + (width + k) % 4 for k, x in enumerate(others)} for width in range(4)]
    yield from tried
    yield from (tried[1] | {x: s.sizes.lower(x)} for x in others)


def small_cases(s: Statement, composes: bool) -> Iterator[Case]:
    """Every σ for n ≤ 4 (of several permutations every choice for sizes ≤ 3) with other sizes up to
    4, every place and every or some other map, as far as the hypotheses about indices admit them;
    then, where products of permutations need no check of their own, generators up to n = 8."""
    permutations, moved, others = moved_sets(s)
    top = 5 if len(permutations) == 1 else 4
    seen: set[tuple[tuple[str, int], ...]] = set()
    for ns in itertools.product(range(top), repeat=len(moved)):
        for widths in _widths(s, others) if others else [{}]:
            for sizes in _fill(s, dict(zip(moved, ns, strict=True)) | widths):
                key = tuple(sorted(sizes.items()))
                if key not in seen and admits(s, sizes):
                    seen.add(key)
                    yield from cases_at(s, sizes)
    if composes and not s.sizes.of and not other_maps(s):
        for n in range(5, 9):
            sizes = {x.name: n for x in moved} | {x.name: max(1, s.sizes.lower(x)) for x in others}
            for k, changed in enumerate(permutations):  # one at a time: they generate the product
                for g in generators(sizes[map_type(changed)[1].name]):
                    still = [tuple(range(sizes[_into(p)])) for p in permutations]
                    still[k] = g
                    yield sizes, {p.data[0]: t for p, t in zip(permutations, still, strict=True)}


def least_cases(s: Statement, tokens: int, widths: Mapping[str, int]) -> Iterator[Case]:
    """Every σ up to so many tokens, at one choice of the other sizes (2 where none is named)."""
    _, moved, others = moved_sets(s)
    for n in range(tokens + 1):
        tried = dict.fromkeys(moved, n) | {x: widths.get(x.name, 2) for x in others}
        for sizes in _fill(s, tried):
            if all(sizes[x.name] == n for x in moved if x not in s.sizes.of) and admits(s, sizes):
                yield from cases_at(s, sizes)


def cases_at(s: Statement, sizes: Counts) -> Iterator[Case]:
    """At these sizes every choice of permutations, every or some other maps, that satisfy the
    hypotheses about indices."""
    permutations, others = moved_sets(s)[0], free_maps(s)
    tables: list[Sequence[Any]] = [
        list(itertools.permutations(range(sizes[_into(m)]))) for m in permutations
    ]
    tables += [_tables(m, sizes)[0] for m in others]
    for choice in itertools.product(*tables):
        chosen = {m.data[0]: t for m, t in zip([*permutations, *others], choice, strict=True)}
        maps = with_given_maps(s, sizes, chosen)
        if maps is not None and admitted(s, sizes, maps):
            yield sizes, maps


def all_maps(s: Statement, sizes: Counts) -> bool:
    """Whether `cases_at` tries every map at these sizes."""
    return all(_tables(m, sizes)[1] for m in free_maps(s))


@cache
def given_maps(s: Statement) -> dict[Map, Term]:
    """The maps f that a hypothesis ι(f(i)) = t gives by others, each after those in its t."""
    asked: dict[Map, Term] = {}
    for a in in_text_order(s.given):
        part, exprs = opened_at(a.lhs)
        fits = a.relation == "=" and not a.some and a.rhs.sets.items() <= a.lhs.sets.items()
        if fits and part.node.op.kind == "iota" and about_indices(a):
            (e,) = exprs.values()
            if isinstance(e, Ap) and e.args == a.lhs.axes and e.map in other_maps(s):
                asked.setdefault(e.map, a.rhs)
    found: dict[Map, Term] = {}
    while ready := [
        m for m, t in asked.items()
        if m not in found and not {*symbols(t)[1]} & asked.keys() - found.keys()
    ]:  # fmt: skip
        found |= {m: asked[m] for m in ready}
    return found


def free_maps(s: Statement) -> list[Map]:
    """The maps that are neither permutations nor given by others."""
    given = given_maps(s)
    return [m for m in other_maps(s) if m not in given]


def with_given_maps(
    s: Statement, sizes: Counts, maps: Maps, read: Callable[..., Any] | None = None
) -> Maps | None:
    """Maps with those that are given by them, as a reading computes their values; None if what is
    given is no index."""
    whole = dict(maps)
    for m, t in given_maps(s).items():
        found = (read or numbers)(t, sizes, whole)
        n, places = Model(sizes).size(map_type(m)[1]), Model(sizes).indices(map_type(m)[0])
        values = [found[i if t.axes else ()] for i in places]
        if not all(0 <= x < n and x == int(x) for x in values):
            return None
        table = [int(x) for x in values]
        whole[m.data[0]] = table if map_type(m)[0] else table[0]
    return whole


def _tables(m: Map, sizes: Counts) -> tuple[list[Any], bool]:
    """Every element; every map of one argument where these are few, else a constant, one that goes
    round, and its reverse. And whether these are all."""
    (dom, _, _), n = map_type(m), sizes[_into(m)]
    if not dom:
        return list(range(n)), True
    k = Model(sizes).size(dom[0])
    if n**k <= EVERY_MAP:
        return [list(t) for t in itertools.product(range(n), repeat=k)], True
    around = [j % n for j in range(k)]
    return [[0] * k, around, around[::-1]], False


def admitted(s: Statement, sizes: Counts, maps: Maps) -> bool:
    """Whether maps satisfy the hypotheses about indices, if there are any."""
    return all(holds_of_numbers(a, sizes, maps) for a in s.given if about_indices(a))


def holds_of_numbers(a: Atom, sizes: Counts, maps: Maps) -> bool:
    """Whether an atom about indices holds."""
    pairs = paired(a, sizes, *(numbers(t, sizes, maps) for t in a.terms))
    found = (_compared(x, a.relation, y) for _, x, y in pairs)
    return any(found) if a.some else all(found)


def numbers(t: Term, sizes: Counts, maps: Maps) -> Entries:
    """The entries of a term about indices: fractions, or SymPy's numbers where it has others."""
    ops = [n.op for n in reachable(t.node)]
    plain = all(
        applied(o) is None and (o.kind != "pointwise" or o.data[0] in RATIONAL) for o in ops
    )
    return evaluate(t, Model(sizes, maps), Exact() if plain else Formulas())


def _compared(x: Any, relation: str, y: Any) -> bool:
    difference = sympy.expand(x - y) if isinstance(x - y, sympy.Expr) else x - y
    match relation:
        case "=":
            return bool(difference == 0)
        case "≠":
            return bool(difference != 0)
        case "<":
            return bool(difference < 0)
    return bool(difference <= 0)


def paired(
    a: Atom, sizes: Counts, left: Mapping[Any, Any], right: Mapping[Any, Any]
) -> Iterator[tuple[tuple[int, ...], Any, Any]]:
    """Both sides' values at every assignment of the axes of an atom."""
    axes = list(a.axes)
    places = [[axes.index(x) for x in t.axes] for t in a.terms]
    for index in Model(sizes).indices([*a.axes.values()]):
        one, other = (tuple(index[k] for k in own) for own in places)
        yield index, left[one], right[other]


def about_indices(a: Atom) -> bool:
    """Whether an atom is about numbers (ι, sizes) and no tensor."""
    ops = [n.op for t in a.terms for n in reachable(t.node)]
    return not any(op.kind in ("opaque", "leaf") for op in ops)


def _into(m: Map) -> str:
    return str(map_type(m)[1].name)


# ------------------------------------------------------------------------- what tensors must obey
def orbits(
    s: Statement, sizes: Counts, maps: Maps
) -> dict[str, Callable[[Sequence[int]], tuple[int, ...]]]:
    """For each tensor of which a hypothesis says that entries are equal, as at(E, maps) = E and
    G(last, σ(j)) = G(last, j) do: the representative of an index's orbit."""
    model, mates = Model(sizes, maps), dict[str, dict[tuple[int, ...], set[tuple[int, ...]]]]()
    for a in s.given:
        if not equal_entries(a):
            continue
        (one, e), (_, f) = flattened(a.lhs), flattened(a.rhs)
        found = mates.setdefault(one.node.op.data[0], {})
        for index in model.indices([*a.axes.values()]):
            here = dict(zip(a.axes, index, strict=True))
            x, y = (tuple(model.index(i, here) for i in to.values()) for to in (e, f))
            whole = found.get(x, {x}) | found.get(y, {y})
            found |= dict.fromkeys(whole, whole)

    def first(found: dict[tuple[int, ...], set[tuple[int, ...]]]) -> Any:
        return lambda index: min(found.get(tuple(index), {tuple(index)}))

    return {name: first(found) for name, found in mates.items()}


def equal_entries(a: Atom) -> bool:
    """Whether an atom says that entries of one tensor are equal."""
    if a.relation != "=" or a.some:
        return False
    one = flattened(a.lhs)[0].node
    return one is flattened(a.rhs)[0].node and one.op.kind == "leaf"


ZERO = Op("number", (Fraction(0),))


def signs(given: Iterable[Atom]) -> dict[str, str]:
    """Tensors that hypotheses make positive (<) or not negative (≤) in every entry."""
    found: dict[str, str] = {}
    for a in in_text_order(given):
        whole = a.rhs.node.op.kind == "leaf" and a.lhs.node.op == ZERO and not a.some
        if whole and a.relation in ("<", "≤") and found.get(name := a.rhs.node.op.data[0]) != "<":
            found[name] = a.relation
    return found


def read(a: Atom) -> bool:
    """Whether generic values are made to satisfy a hypothesis: one about indices, one that entries
    of a tensor are equal, or one that gives the sign of every entry of a tensor."""
    return about_indices(a) or equal_entries(a) or bool(signs([a]))


def unread(s: Statement) -> str:
    """A hypothesis for which no generic values are known here; nothing if there is none. (What
    holds of all generic values holds of those that satisfy an inequality.)"""
    if any(a.relation == "=" and not read(a) for a in s.given):
        return "an equation that gives no tensor by others"
    return ""


def functions_over(s: Statement) -> set[Set]:
    """The sets over which a maximum or minimum is taken: of nothing there is none."""
    found: set[Set] = set()
    todo = [t.node for t in s.terms]
    while todo:
        for node in in_order(todo.pop()):
            if node.op.kind == "reduce" and node.op.data[0] in ("max", "min"):
                found.add(node.op.data[1])
            if (step := applied(node.op)) is not None:
                todo.append(step.data[2])
    return found
