"""The formulas of proofs in words as they are printed, and those of all chapters by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import groupby
from typing import Any

from orderproof._paths import PROOFS
from orderproof.check.claims import Claim, Neighbour, TheoremFile
from orderproof.check.formulas import Assumed, Meaning, Shown, Stated, Written
from orderproof.check.page import Formula
from orderproof.proofs import CHAPTERS
from orderproof.publish.pages.definitions import meaning
from orderproof.publish.pages.statements import atom, hypotheses, stated, style_of
from orderproof.symbolic.calculus.terms import Name, Term
from orderproof.symbolic.derive.push import Pushed
from orderproof.symbolic.derive.steps import Show, write
from orderproof.symbolic.readings.error import ReadingError
from orderproof.symbolic.readings.notation import equation, in_both
from orderproof.symbolic.readings.scaled import Scaled


class TwoOfOneName(ValueError):
    """Two chapters that give one name to two formulas."""


@cache
def of_chapter(chapter: str) -> Mapping[str, Shown]:
    """The formulas of a chapter by name."""
    if not (PROOFS / chapter / "formulas.py").exists():
        return {}
    found: Mapping[str, Shown] = import_module(f"orderproof.proofs.{chapter}.formulas").FORMULAS
    return found


@cache
def formulas() -> Mapping[str, Shown]:
    """The formulas of all chapters by name; TwoOfOneName where two have the same."""
    found: dict[str, Shown] = {}
    for chapter in CHAPTERS:
        own = of_chapter(chapter)
        if twice := sorted(found.keys() & own.keys()):
            raise TwoOfOneName(f"{chapter}/formulas.py: given {twice[0]}, which another has")
        found |= own
    return found


def printed(shown: Shown) -> Formula:
    """A formula in both notations."""
    match shown:
        case Stated():
            return _statement(shown)
        case Written():
            return _written(shown)
        case Meaning():
            return meaning(shown.item, shown.show.style())
        case Assumed():
            found = hypotheses(shown.given, shown.show.style())
            return in_both(lambda to: to.listed(map(to.of, found)))


def alone(claim: Claim, show: Show, primes: tuple[Pushed, ...] = ()) -> TheoremFile:
    """A claim as a theorem of its own, for what prints those."""
    pushed = (claim.push[1],) if claim.push else ()
    return TheoremFile(
        id="formula", title="", words=(), source="", claims=(claim,), show=show,
        planted=Neighbour(claim, "of none"), pushed=(), primes=(*pushed, *primes),
    )  # fmt: skip


def _statement(shown: Stated) -> Formula:
    """The statement, printed as those of theorems are; without hypotheses that the words say."""
    claim, made = shown.claim, alone(shown.claim, shown.show, shown.primes)
    if shown.told:
        return atom(claim.statement.atom, style_of(made), claim.row, claim.column)
    return stated(claim, made)


def _written(shown: Written) -> Formula:
    """P X; or with values M = a matrix, of which one of a single column lies on its side:
    Zᵀ = (1/2, 1/3)."""
    style, axes = shown.show.style(*shown.primes), (shown.row, shown.column)
    if shown.witness is None:
        return write(shown.term, style, *axes)
    from orderproof.check.marks.exact import exact_entries  # imports NumPy

    found = rows(shown.term, exact_entries(shown.term, shown.witness), shown.row)
    flat = [x for row in found for x in (row if isinstance(row, list) else [row])]
    if len(flat) == len(found):
        found, axes = flat, axes[::-1]
    return equation(write(shown.term, style, *axes), array(found))


def rows(t: Term, entries: Mapping[tuple[int, ...], Any], row: Name | None) -> Any:
    """The entries of a term as nested lists, of two axes with the rows those of `row`. ReadingError
    where one is no fraction, whose unit would be lost."""
    if scaled := [x for x in entries.values() if isinstance(x, Scaled)]:
        raise ReadingError(f"values: given {scaled[0]}, expected fractions")
    if len(t.axes) < 2:
        return [entries[k] for k in sorted(entries)] if t.axes else entries[()]
    turn = t.axes.index(row) if row in t.axes else 0
    places = sorted(entries, key=lambda place: (place[turn], place))
    return [[entries[k] for k in same] for _, same in groupby(places, lambda place: place[turn])]


def array(value: Any) -> Formula:
    """A number, a vector, a matrix; of more axes, its matrices side by side."""
    from orderproof.check.marks.exact import fraction, vector  # imports NumPy

    if not isinstance(value, Sequence):
        return fraction(value)
    if not isinstance(value[0], Sequence):
        return vector(value)
    if len(value) == 1 or isinstance(value[0][0], Sequence):
        parts = [array(part) for part in value]
        return in_both(lambda to: to.listed(map(to.of, parts)))
    each = [[fraction(x) for x in row] for row in value]
    inside = r" \\[3pt] ".join(" & ".join(f.latex for f in row) for row in each)
    plain = "; ".join(", ".join(f.plain for f in row) for row in each)
    return Formula(rf"\begin{{pmatrix}}{inside}\end{{pmatrix}}", f"({plain})")
