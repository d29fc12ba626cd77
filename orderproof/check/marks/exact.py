"""The marks exact and interval: a claim of existence, or an example, at given values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from orderproof.check.claims import Counts, Witness
from orderproof.check.page import Formula
from orderproof.check.sampling import (
    admits,
    all_maps,
    cases_at,
    paired,
    substituted,
)
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.readings.entries import Model, evaluate
from orderproof.symbolic.readings.error import ReadingError
from orderproof.symbolic.readings.exact import entries_of
from orderproof.symbolic.readings.interval import Intervals, ends
from orderproof.symbolic.readings.scaled import Scaled
from orderproof.symbolic.schemes.table_search import HANG, SearchResult, search
from orderproof.symbolic.statements.evidence import Check, Evidence
from orderproof.symbolic.statements.statement import Atom, Statement
from orderproof.symbolic.witness import replay
from orderproof.symbolic.witness.scheme_file import PositionWitness, dumps, parse


def exact_entries(term: Term, witness: Witness) -> Any:
    """Every entry of a term at a witness, exactly (the query weight has its factor √d_k·ln 2)."""
    w = witness
    return entries_of(term, w.sizes, w.maps, w.tensors, w.query, w.logs)


def in_units(x: Any) -> Fraction:
    """A number that is a rational times a unit (1, √d, ln 2 or √d·ln 2): the rational."""
    return x.coefficient if isinstance(x, Scaled) else Fraction(x)


def fraction(number: Any) -> Formula:
    """A rational in both notations, or a number in its unit."""
    x = in_units(number)
    if x.denominator == 1:
        return Formula(str(x), str(x))
    return Formula(rf"\tfrac{{{x.numerator}}}{{{x.denominator}}}", str(x))


def vector(entries: Sequence[Any]) -> Formula:
    """A row of rationals in both notations, or of numbers in their units."""
    parts = [fraction(x) for x in entries]
    inside = r",\; ".join(p.latex for p in parts)
    return Formula(rf"\left({inside}\right)", f"({', '.join(p.plain for p in parts)})")


def _width(witness: Witness) -> int | None:
    """The width whose root is in the query's factor; none where there is no query."""
    if witness.query not in witness.tensors:
        return None
    return int(np.asarray(witness.tensors[witness.query]).shape[-1])


def _model(witness: Witness) -> Model:
    def look(name: str) -> Callable[..., Fraction]:
        values = np.asarray(witness.tensors[name], dtype=object)
        return lambda *index: Fraction(values[index])

    return Model(witness.sizes, witness.maps, {k: look(k) for k in witness.tensors})


Holds = Callable[[Statement, Witness], bool]


def cases(s: Statement, witnesses: Sequence[Witness], holds: Holds) -> Evidence:
    """What witnesses establish of 'there are': that it is so at those sizes at which, for every
    choice of the other maps that satisfies the hypotheses, one of them makes it hold. A tensor that
    the statement is about for all values must be defined by a hypothesis."""
    if not s.exists:
        return Evidence(None, "values do not prove a claim for all values")
    bare = substituted(s)
    free = [x for x in bare.tensors if x not in bare.exists]
    if free:
        return Evidence(
            None, f"{free[0].data[0]} is universally quantified, and a witness fixes its values"
        )
    every = [m.data[0] for m in bare.maps if m not in bare.exists]
    for w in witnesses:
        if without := [x.name for x in bare.sets if x.name not in w.sizes]:
            return Evidence(False, f"a witness gives no size of {without[0]}")
        if without := [name for name in every if name not in w.maps]:
            return Evidence(False, f"a witness gives no table of {without[0]}")
    found: dict[tuple[int, ...], list[Witness]] = {}
    for w in witnesses:
        found.setdefault(tuple(w.sizes[x.name] for x in bare.sets), []).append(w)
    shown = set()
    for key, group in found.items():
        sizes = {x.name: k for x, k in zip(bare.sets, key, strict=True)}
        if not bare.sizes.admit(dict(zip(bare.sets, key, strict=True))):
            return Evidence(False, f"sizes {sizes} are not among those of the claim")
        for w in group:
            if not holds(bare, w) or not _conditions(bare, w):
                return Evidence(False, f"not so at sizes {sizes}")
        have = {tuple(_table(w.maps[name]) for name in every) for w in group}
        needed = _universal(bare, sizes, every) if every else {()}
        if needed is None:
            return Evidence(None, f"more maps at sizes {sizes} than can be tried")
        if needed - have:
            return Evidence(False, f"no witness at sizes {sizes}, maps {min(needed - have)}")
        shown.add(key)
    if not shown:
        return Evidence(None, "no witness given")
    listed = sorted(bare.sizes.among) if set(bare.sizes.of) == set(bare.sets) else []
    for case in listed:  # where no map satisfies what is given, nothing is claimed
        at = dict(zip(bare.sizes.of, case, strict=True))
        key = tuple(at[x] for x in bare.sets)
        if every and key not in shown:
            sizes = {x.name: k for x, k in zip(bare.sets, key, strict=True)}
            shown |= {key} if _universal(bare, sizes, every) == set() else set()
    said = f"{len(witnesses)} case{'s' if len(witnesses) != 1 else ''}"
    return Evidence(True, said, s.at(bare.sets, shown) if bare.sets else s)


def _table(table: Any) -> Any:
    return tuple(table) if isinstance(table, Sequence) else table


def _universal(s: Statement, sizes: Counts, every: Sequence[str]) -> set[tuple[Any, ...]] | None:
    """The choices of the maps that the statement is about for all values which satisfy what is
    given, in exact arithmetic; None where not all maps are tried. (Hypotheses have no free tensors:
    what is for all values is given by a formula.)"""
    bare = Statement(s.atom, s.given)
    if not {*every} <= {m.data[0] for m in bare.maps} or not all_maps(bare, sizes):
        return None
    found = set()
    for _, maps in cases_at(bare, sizes):
        w = Witness(sizes, maps, {})
        if all(_holds(a, w) for a in s.given):
            found.add(tuple(_table(maps[name]) for name in every))
    return found


def _conditions(s: Statement, w: Witness) -> bool:
    """Whether what is given, and asked of what there is, holds at a witness, exactly."""
    return all(_holds(a, w) for a in (*s.given, *s.such))


def _holds(a: Atom, w: Witness) -> bool:
    left, right = (exact_entries(t, w) for t in a.terms)
    found = [compared(x, a.relation, y) for _, x, y in paired(a, w.sizes, left, right)]
    return any(found) if a.some else all(found)


def compared(x: Any, relation: str, y: Any) -> bool:
    """The relation between two values; a NaN satisfies none."""
    if x != x or y != y:
        return False
    match relation:
        case "=":
            return bool(x == y)
        case "≠":
            return bool(x != y)
        case "<":
            return bool(x < y)
    return bool(x <= y)


@dataclass(frozen=True)
class ByExact:
    """At each witness, in fractions, the atom and all conditions hold: of 'there are', that settles
    it at these sizes; of a claim for all values, these are cases of it."""

    witnesses: Sequence[Witness]

    def __call__(self, s: Statement) -> Evidence:
        if not s.exists:
            return _examples(s, self.witnesses) if s.tensors else computed(s)
        found = cases(s, self.witnesses, lambda bare, w: _holds(bare.atom, w))
        if found.ok is not True:
            return found
        bare, w = substituted(s), self.witnesses[0]
        left, right = (exact_entries(t, w) for t in bare.atom.terms)
        relation = bare.atom.relation
        pairs = [p for p in paired(bare.atom, w.sizes, left, right)
                 if compared(p[1], relation, p[2])]  # fmt: skip
        index, a, b = pairs[0] if pairs else ((), "", "")
        entry = ", ".join(str(k + 1) for k in index)
        shown = ", ".join(f"{name} = {size}" for name, size in w.sizes.items())
        said = f"{found.detail}; {shown}, entry ({entry}): {a} {relation} {b}"
        return Evidence(True, said, found.states)


def by_exact(witnesses: Sequence[Witness]) -> Check:
    """The mark at given witnesses: see `ByExact`."""
    return ByExact(witnesses)


def computed(s: Statement) -> Evidence:
    """A claim without free tensors, at listed sizes, in fractions: for all maps that satisfy what
    is given."""
    bare = substituted(s)
    if bare.tensors or set(bare.sizes.of) != set(bare.sets):
        return Evidence(None, "it has free tensors, or sizes that are not listed")
    count = 0
    for case in sorted(bare.sizes.among):
        sizes = {x.name: k for x, k in zip(bare.sizes.of, case, strict=True)}
        if not all_maps(bare, sizes):
            return Evidence(None, f"too many maps at sizes {sizes}")
        for _, maps in cases_at(bare, sizes):
            w = Witness(sizes, maps, {})
            if not all(_holds(a, w) for a in bare.given):
                continue
            if not _holds(bare.atom, w):
                return Evidence(False, f"not so at sizes {sizes}, maps {maps}", refutes=True)
            count += 1
    said = f"{count} case{'s' if count != 1 else ''}: all maps at these sizes, in fractions"
    return Evidence(True, said, s) if count else Evidence(None, "no case satisfies what is given")


def _examples(s: Statement, witnesses: Sequence[Witness]) -> Evidence:
    bare = substituted(s)
    for w in witnesses:
        if not admits(bare, w.sizes) or not _conditions(bare, w):
            return Evidence(False, f"sizes {w.sizes}: not a case of the claim")
        if not _holds(bare.atom, w):
            return Evidence(False, f"not so at sizes {w.sizes}", refutes=True)
    if not witnesses:
        return Evidence(None, "no case given")
    shown = {tuple(w.sizes[x.name] for x in bare.sets) for w in witnesses}
    said = f"{len(witnesses)} case{'s' if len(witnesses) != 1 else ''}, in fractions"
    return Evidence(True, said, s.at(bare.sets, shown) if bare.sets else s, sweep=True)


@dataclass(frozen=True)
class BySearch:
    """For each (n, d): the search finds a witness, its file is read back and replayed by code that
    shares nothing with the search, and the statement holds at its tensors."""

    scheme: str
    sizes: Sequence[tuple[int, int]]

    @cached_property
    def found(self) -> Mapping[tuple[int, int], SearchResult]:
        """What the search says for each (n, d)."""
        return {(n, d): search(self.scheme, n, d, timeout=HANG) for n, d in self.sizes}

    @property
    def witnesses(self) -> Sequence[Witness]:
        """The witnesses, not yet replayed; of what is not found, none."""
        return [_of_file(r.witness) for r in self.found.values() if r.witness is not None]

    def __call__(self, s: Statement) -> Evidence:
        for (n, d), result in self.found.items():
            if result.answer in ("unknown", "none within bound"):
                return Evidence(None, f"n = {n}, d = {d}: {result.reason}")
            if result.witness is None:
                return Evidence(False, f"n = {n}, d = {d}: {result.answer}")
            again = replay.check(parse(dumps(result.witness).encode(), "witness"))
            if not again.ok or again.witness != result.witness:
                return Evidence(False, f"n = {n}, d = {d}: {again.reason}")
        found = cases(s, self.witnesses, _separated)
        said = f"replayed at (n, d) = {', '.join(map(str, self.sizes))}"
        return Evidence(True, said, found.states) if found.ok else found


def by_search(scheme: str, sizes: Sequence[tuple[int, int]]) -> Check:
    """The mark at what a search finds: see `BySearch`."""
    return BySearch(scheme, sizes)


def _of_file(w: PositionWitness) -> Witness:
    return Witness({"n": w.n, "d": w.d}, {"σ": w.sigma}, w.tensors)


def witness_files(scheme: str, sizes: Sequence[tuple[int, int]]) -> dict[str, str]:
    """The counterexample files of these searches, by name."""
    results = {(n, d): search(scheme, n, d, timeout=HANG).witness for n, d in sizes}
    return {f"{scheme}-n{n}-d{d}.json": dumps(w) for (n, d), w in results.items() if w is not None}


def _separated(s: Statement, w: Witness) -> bool:
    """Whether the atom holds at a witness: in rationals, or with enclosures apart where the terms
    have sines or exponents that are no integers."""
    try:
        return _holds(s.atom, w)
    except ReadingError:
        return enclosed(s.atom, w)


def enclosed(a: Atom, w: Witness) -> bool:
    """Whether enclosures of both sides at a witness show that an atom holds; those of numbers that
    are equal never are apart. The query weight has its factor √d · ln 2."""
    algebra: Any = Intervals()
    log = algebra.functions["log"](algebra.number(Fraction(2)))
    root = algebra.functions["sqrt"](algebra.number(Fraction(_width(w) or 1)))
    units = dict.fromkeys(w.logs, log) | {w.query: root * log}
    tensors: dict[str, Callable[..., Any]] = {}
    for name, rows in w.tensors.items():
        values, by = np.asarray(rows, dtype=object), units.get(name)
        tensors[name] = lambda *i, values=values, by=by: (
            algebra.number(Fraction(values[i])) if by is None
            else algebra.number(Fraction(values[i])) * by
        )  # fmt: skip
    model = Model(w.sizes, w.maps, tensors)
    left, right = (evaluate(t, model, algebra) for t in a.terms)
    found = [apart(x, a.relation, y) for _, x, y in paired(a, w.sizes, left, right)]
    return any(found) if a.some else all(found)


def apart(x: Any, relation: str, y: Any) -> bool:
    """Whether two enclosures show a strict relation of what they enclose."""
    a, b = ends(x), ends(y)
    if relation not in ("≠", "<"):
        return False
    return bool(a[1] < b[0] or (relation == "≠" and b[1] < a[0]))
