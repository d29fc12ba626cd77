"""Whether a planted falsehood is true after all: reasons, checked independently of the marks.

No mark of the claim is asked. A reason is a theorem of the kernel that says it and agrees with
floating point, algebra at small sizes, small values, or the form of the change alone.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import sympy

from orderproof.check.claims import ByKernel, Claim, Counts, Witness
from orderproof.check.marks.bounds import holds_at
from orderproof.check.marks.exact import ByExact
from orderproof.check.marks.inputs import SEED, tensors_of
from orderproof.check.marks.numeric import UNBOUNDED, by_numpy
from orderproof.check.marks.sympy_entries import by_sympy_positive, entrywise, same_simplified
from orderproof.check.prove.checking import run
from orderproof.check.sampling import (
    all_maps,
    cases_at,
    holds_of_numbers,
    least_cases,
    paired,
    substituted,
)
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.readings.entries import Model, evaluate
from orderproof.symbolic.readings.error import ReadingError
from orderproof.symbolic.readings.index_arrays import IndexArrays
from orderproof.symbolic.readings.sympy_entries import Formulas, generic
from orderproof.symbolic.statements.evidence import Evidence
from orderproof.symbolic.statements.statement import Atom, Statement

from .attempts import says
from .fields import weaker
from .same import makes_no_difference

DRAWS = 8  # of values, until a statement that there are some holds
MORE, FEW = 4, 6  # this many sizes, from the least on, are tried in place of all
CASES = 200  # choices of maps at one size, above which none is tried
ENTRIES = 4  # for at most this many entries of tensors all values −1, 0, 1 are tried


def reason(claim: Claim, true: Statement | None, found: Theorem | None, quick: bool = False) -> str:
    """Why a changed claim is true; nothing if no reason is found, or (`quick`) none without values
    and algebra, but for a theorem that was derived."""
    s = claim.statement
    if true is not None and (said := weaker(true, s)):
        return said
    if s.atom.relation in "=≤" and not s.atom.some and s.atom.lhs == s.atom.rhs and not s.exists:
        return "both sides are the same term"
    if said := by_theorem(claim, true, found):
        return said
    if true is not None and (said := only_empty(true, s)):
        return said
    if quick:
        return ""
    with suppress(ReadingError):
        if said := (
            (true and at_new_sizes(true, s)) or by_computing(s) or by_witness(claim) or by_values(s)
        ):
            return said
    if s.exists or not s.tensors:
        return ""
    check = {"=": _simplified, "<": by_sympy_positive}.get(s.atom.relation)
    if check and "kernel" not in claim.marks and not s.atom.some and agrees(claim):
        mark = run(check, "sympy", claim)
        if mark.ok:
            return f"by algebra at small sizes: {mark.detail}; numeric agrees"
    return makes_no_difference(s, true) if true is not None else ""


def _simplified(s: Statement) -> Evidence:
    """By entries that differ by what simplifies to zero, for every permutation of up to three."""
    return entrywise(s, "=", same_simplified, least_cases(substituted(s), 3, {}))


def by_theorem(claim: Claim, true: Statement | None, found: Theorem | None) -> str:
    """By a theorem that was derived, or by the one that the claim cites: of the same atom, it was
    looked at in floating point with the true claim."""
    check = claim.marks.get("kernel")
    cited = check.theorem if isinstance(check, ByKernel) else None
    if cited is not None and true is not None and says(cited, claim.statement):  # noqa: SIM102
        if claim.statement.atom == true.atom:
            return f"cited: a theorem of the kernel, law {cited.law}"
    if found is not None and says(found, claim.statement) and agrees(claim):
        return f"derived: a theorem of the kernel, law {found.law}; numeric agrees"
    return ""


def agrees(claim: Claim) -> bool:
    """Whether both sides agree in floating point, as far as can be decided: small numbers where
    others overflow."""
    for scale in (1.0, 1 / 64):
        mark = run(by_numpy(scale=scale, dtypes=(np.float64,)), "numeric", claim)
        if mark.ok or (mark.ok is False and not mark.detail.endswith(UNBOUNDED)):
            return mark.ok
    return True


def only_empty(true: Statement, s: Statement) -> str:
    """A bound lowered to 0 adds the empty set alone, and over that there is nothing to state."""
    for x, k in true.sizes.least:
        if k > 1 or s.sizes.lower(x) > 0 or x not in s.atom.axes.values() or s.atom.some:
            continue
        if replace(s, sizes=replace(s.sizes, least=s.sizes.least | {(x, 1)})) == true:
            return f"vacuous: at {x.name} = 0 no entry is stated, and all else is the true claim"
    return ""


class _Total(Formulas):
    """x / 0 as some number that x alone determines: what it is to solvers."""

    functions: Mapping[str, Callable[..., Any]] = dict(Formulas.functions) | {
        "div": lambda a, b: a / b if b != 0 else sympy.Function("over_zero", real=True)(a)
    }


def at_new_sizes(true: Statement, s: Statement) -> str:
    """A bound lowered by one adds one size: there an equation holds by algebra, for all entries and
    whatever x / 0 is, or a hypothesis about tensors fails for numbers alone (an empty sum, say)."""
    lower = [(x, k - 1) for x, k in true.sizes.least if s.sizes.lower(x) == k - 1]
    only = s.atom.relation == "=" and not s.atom.some and not s.exists
    same = (s.atom, s.given) == (true.atom, true.given)
    if len(lower) != 1 or not (only and same):
        return ""
    ((new, size),) = lower
    bare = substituted(replace(s, sizes=true.sizes))
    count = 0
    for sizes in _points(bare, 3):
        at = sizes | {new.name: size}
        for _, maps in cases_at(bare, at):
            holds = all(same_simplified(x, y) for x, y in _pairs(bare.atom, at, maps))
            if not holds and not any(_fails(a, at, maps) for a in bare.given):
                return ""
            count += 1
    said = f"at {new.name} = {size}, the only new size, by algebra, in {count} cases"
    return said if count else ""


def _pairs(a: Atom, sizes: Counts, maps: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Both sides at every index, in generic entries."""
    sides = (evaluate(t, generic(t, sizes, maps), _Total()) for t in a.terms)
    return [(x, y) for _, x, y in paired(a, sizes, *sides)]


def _fails(a: Atom, sizes: Counts, maps: dict[str, Any]) -> bool:
    """Whether an atom is false at some index, where both sides are the same number."""
    same = [x == y and x.is_number for x, y in _pairs(a, sizes, maps)]
    return a.relation in "≠<" and not a.some and any(same)


def by_computing(s: Statement) -> str:
    """A statement without tensors, at its listed sizes or at a few: computed for all maps."""
    if s.exists or s.tensors:
        return ""
    count, most = 0, 0
    for sizes in _points(s, FEW):
        if not all_maps(s, sizes):
            return ""
        for _, maps in cases_at(s, sizes):
            if not holds_of_numbers(s.atom, sizes, maps):
                return ""
            count, most = count + 1, max(most, *sizes.values(), 0)
    return f"computed for all {count} choices of maps, sizes to {most}" if count else ""


def by_values(s: Statement) -> str:
    """Of what there is, or of an inequality: at its listed sizes, or at a few, for all maps and all
    values −1, 0, 1 of the tensors that it is about for all, it holds beyond rounding, with drawn
    values of the others."""
    if s.atom.relation == "=" and not s.exists:
        return ""
    bare = substituted(s)
    free = [op for op in bare.tensors if op not in bare.exists]
    if any(op.kind != "leaf" for op in free):
        return ""
    rng, count, most = np.random.default_rng(SEED), 0, 0
    plain = Statement(bare.atom, bare.given)
    chosen = [m.data[0] for m in bare.maps if m in bare.exists]
    for sizes in _points(bare):
        shapes = {op.data[0]: [IndexArrays(sizes).size(x) for x in op.data[1]] for op in free}
        entries = sum(math.prod(shape) for shape in shapes.values())
        if entries > ENTRIES:
            continue
        found: dict[str, bool] = {}
        choices = [maps for _, maps in itertools.islice(cases_at(plain, sizes), CASES)]
        if len(choices) == CASES:
            return ""
        every = itertools.product((-1.0, 0.0, 1.0), repeat=entries)
        for maps, values in itertools.product(choices, every):
            key = str(({name: x for name, x in maps.items() if name not in chosen}, values))
            given = _shaped(shapes, values)
            found[key] = found.get(key, False) or _some(bare, sizes, maps, given, rng)
        if not all(found.values()):
            return ""
        count, most = count + len(found), max(most, *sizes.values(), 0)
    if most < 2:
        return ""  # too few entries for a check
    return f"true of all values −1, 0, 1, in {count} cases, sizes to {most}"


def by_witness(claim: Claim) -> str:
    """Of what there is, without anything that it is about for all: at every listed size one of the
    claim's witnesses makes all of it true, in SymPy's numbers."""
    s, check = claim.statement, claim.marks.get("exact")
    bare = substituted(s)
    every = [x for x in (*bare.tensors, *bare.maps) if x not in bare.exists]
    if not isinstance(check, ByExact) or every or set(bare.sizes.of) != set(bare.sets):
        return ""
    if not bare.sizes.among:
        return ""  # no size is listed, and nothing would be checked
    for case in sorted(bare.sizes.among):
        sizes = {x.name: k for x, k in zip(bare.sizes.of, case, strict=True)}
        own = [w for w in check.witnesses if {k: w.sizes.get(k) for k in sizes} == sizes]
        if not any(all(_at(a, w) for a in (bare.atom, *bare.given, *bare.such)) for w in own):
            return ""
    return f"true at the claim's witnesses, in SymPy's numbers, at {len(bare.sizes.among)} sizes"


def _at(a: Atom, w: Witness) -> bool:
    """Whether an atom holds at a witness."""
    width = sympy.Integer(np.asarray(w.tensors.get(w.query, [1])).shape[-1])
    units = dict.fromkeys(w.logs, sympy.log(2)) | {w.query: sympy.sqrt(width) * sympy.log(2)}

    def entry(name: str) -> Callable[..., Any]:
        values = np.asarray(w.tensors[name], dtype=object)
        return lambda *i: sympy.Rational(values[i]) * units.get(name, 1)

    model = Model(w.sizes, w.maps, {name: entry(name) for name in w.tensors})
    sides = (evaluate(t, model, Formulas()) for t in a.terms)
    found = (_related(x - y, a.relation) for _, x, y in paired(a, w.sizes, *sides))
    return any(found) if a.some else all(found)


def _related(difference: Any, relation: str) -> bool:
    value = sympy.sympify(difference)
    match relation:
        case "=":
            return value.equals(0) is True
        case "≠":
            return value.equals(0) is False
        case "<":
            return value.is_negative is True
    return value.is_nonpositive is True


def _shaped(shapes: dict[str, list[int]], values: Sequence[float]) -> dict[str, Any]:
    """Arrays of these shapes with these entries."""
    left, found = list(values), {}
    for name, shape in shapes.items():
        size = math.prod(shape)
        found[name] = np.array(left[:size]).reshape(shape)
        left = left[size:]
    return found


def _some(
    s: Statement, sizes: Counts, maps: dict[str, Any], given: Any, rng: np.random.Generator
) -> bool:
    """Whether values are found at which all that is to hold does, beyond rounding; where what is
    given does not hold there is nothing to find."""
    if not all(holds_at(a, sizes, maps, given) for a in s.given):
        return True
    for draw in range(DRAWS if s.exists else 1):
        drawn = tensors_of(*s.terms, sizes=sizes, rng=rng)
        drawn = {k: x if callable(x) else x * (draw > 0) for k, x in drawn.items()} | given
        if all(holds_at(a, sizes, maps, drawn) for a in (s.atom, *s.such)):
            return True
    return False


def _points(s: Statement, many: int = MORE) -> Iterator[Counts]:
    """The listed sizes; with each, a few of every set that is not listed."""
    free = [x for x in s.sets if x not in s.sizes.of]
    columns: list[range] = [range(s.sizes.lower(x), s.sizes.lower(x) + many) for x in free]
    for case in sorted(s.sizes.among) or [()]:
        own = dict(zip(s.sizes.of, case, strict=True))
        for more in itertools.product(*columns):
            yield {x.name: k for x, k in (own | dict(zip(free, more, strict=True))).items()}
