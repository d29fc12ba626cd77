"""The numeric mark: both sides of a statement in floating point, against their rounding bounds.

Inputs are drawn as the hypotheses ask: t in place of x where x = t is given, equal entries where
they say so, signs, and then by rejection. Each drawn input is checked against every hypothesis.
All entries zero, and all entries alike, are always among them where the hypotheses admit that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderproof.numeric.rounding import Ball, bounded
from orderproof.proofs.check.sampling import (
    Counts,
    Maps,
    about_indices,
    admits,
    functions_over,
    given_maps,
    moved_sets,
    orbits,
    other_maps,
    signs,
    substituted,
    with_given_maps,
)
from orderproof.symbolic.calculus.terms import Map, Term, map_type, reachable
from orderproof.symbolic.models.builders import number
from orderproof.symbolic.readings.index_arrays import IndexArrays
from orderproof.symbolic.readings.numpy_arrays import Floats, arrays
from orderproof.symbolic.statements.evidence import Check, Evidence
from orderproof.symbolic.statements.statement import Atom, Statement, in_text_order, symbols_of

from .exact import Witness, cases

SEED = 20261121
DRAWS = 1_000  # of maps, until they satisfy the hypotheses
TENSOR_DRAWS = 40  # of tensors, likewise
UNBOUNDED = "no finite bound"  # ends the detail of a mark that says no for want of one


def tensors_of(*terms: Term, sizes: Mapping[str, int], rng: np.random.Generator) -> dict[str, Any]:
    """Random entries for the tensors of terms; for an opaque row-wise map, one that is not linear;
    for an opaque number of two rows, one that is positive and not symmetric."""
    found: dict[str, Any] = {}
    for term in terms:
        for node in reachable(term.node):
            match node.op.kind, node.op.data:
                case "leaf", (name, sets) if name not in found:
                    found[name] = rng.normal(size=[IndexArrays(sizes).size(s) for s in sets])
                case "opaque", (name, _, yields):
                    found[name] = _larger if yields else _weight
    unknown = sorted(name for name, values in found.items() if values is _larger)
    return found | {name: partial(_larger, turn=k) for k, name in enumerate(unknown)}


def _larger(x: NDArray[Any], size: int, turn: int = 0) -> NDArray[Any]:
    """A row-wise map without rounding, and not linear: the larger of two features side by side,
    each map another two. Of error bounds it makes one of its result: |max(a, b) − max(x, y)| ≤
    max(|a − x|, |b − y|)."""
    first = np.arange(turn, turn + size)
    last = x.shape[-1]
    if last == 0:  # of nothing, zeros
        return np.zeros((*x.shape[:-1], size))
    return np.asarray(np.maximum(x[..., first % last], x[..., (first + 1) % last]))


def _weight(to: Any, q: Any, k: Any) -> Any:
    """exp(max(first of q, last of k)), in the arithmetic of a reading."""
    first, last = to.map(lambda x: _feature(x, 0), q), to.map(lambda x: _feature(x, -1), k)
    return to.functions["exp"](to.functions["max"](first, last))


def _feature(x: NDArray[Any], k: int) -> NDArray[Any]:
    """The first or last feature; 0 where there is none."""
    return np.asarray(x[..., k] if x.shape[-1] else np.zeros(x.shape[:-1]))


def weight(q: NDArray[Any], k: NDArray[Any]) -> NDArray[Any]:
    """The same of two rows, for an independent reference."""
    return np.asarray(np.exp(np.maximum(q[0], k[-1])))


Inputs = dict[str, Any]
Reference = Callable[[Inputs], NDArray[Any]]

FLOATS = (np.float64, np.float32)


@dataclass(frozen=True)
class ByNumpy:
    """Both sides in floating point differ by no more than their rounding bounds allow; so do the
    right side before any permutation and an independent reference, where one is given (axes over
    permuted sets first). Random entries are normal numbers times `scale`. The reference is given
    maps that are no permutations too. A bound above the largest value leaves it open."""

    reference: Reference | None = None
    scale: float = 1.0
    dtypes: Sequence[Any] = FLOATS

    def __call__(self, s: Statement) -> Evidence:
        if s.exists or s.atom.some or s.atom.relation == "≠":
            return _contrary(s)
        bare, tally = substituted(s), _Tally()
        for sizes, maps, given, kind in drawn(bare, np.random.default_rng(SEED), self.scale):
            for dtype in self.dtypes:
                pair = [_literal(t, sizes, maps, given, dtype) for t in bare.atom.terms]
                left, right = (_spread(b, t, bare.atom) for b, t in
                               zip(pair, bare.atom.terms, strict=True))  # fmt: skip
                ratio = _ratio(left, right, bare.atom.relation)
                if self.reference is not None and kind == "random":
                    ratio = max(ratio, _against(self.reference, bare, sizes, maps, given, dtype))
                finite = all(np.all(np.isfinite(b.error)) for b in pair)
                if not finite and kind != "random":
                    continue  # a division by 0, say: no number to compare, and no case
                if not (ratio <= 1):
                    told = f"{ratio:.3g} times the bound" if finite else UNBOUNDED
                    said = f"{dtype.__name__}, {kind} inputs, sizes {sizes}: {told}"
                    return Evidence(False, said, refutes=finite and _fails(left, right, bare.atom))
                tally.add(bare, sizes, ratio, left, right, kind)
                if tally.vacuous:
                    return Evidence(None, f"{dtype.__name__}: {tally.vacuous}")
        kinds = " and ".join(d.__name__ for d in self.dtypes)
        return tally.evidence(s, bare, kinds)


def by_numpy(
    reference: Reference | None = None, *, scale: float = 1.0, dtypes: Sequence[Any] = FLOATS
) -> Check:
    """The mark of a claim for all values: see `ByNumpy`."""
    return ByNumpy(reference, scale, dtypes)


class _Tally:
    """What was tried, and how near it came to its bounds."""

    def __init__(self) -> None:
        self.count, self.worst, self.smallest, self.largest = 0, 0.0, float("inf"), 0.0
        self.looked: set[tuple[int, ...]] = set()
        self.vacuous = ""

    def add(
        self, s: Statement, sizes: Counts, ratio: float, left: Ball, right: Ball, kind: str
    ) -> None:
        largest = float(np.max(np.abs(left.value), initial=0))
        largest = max(largest, float(np.max(np.abs(right.value), initial=0)))
        if kind == "random":
            if 0 < largest < np.max(left.error, initial=0):
                self.vacuous = "the bound is vacuous, above every value"
            self.smallest = min(self.smallest, largest)
        self.largest = max(self.largest, largest)
        self.count, self.worst = self.count + 1, max(self.worst, ratio)
        self.looked.add(tuple(sizes[x.name] for x in s.sets))

    def evidence(self, s: Statement, bare: Statement, kinds: str) -> Evidence:
        if not self.count:
            return Evidence(None, f"no inputs that satisfy the hypotheses among {DRAWS} drawn")
        if not (self.smallest > 0 and self.largest > 0):
            return Evidence(None, "all values were zero: nothing was compared")
        share = f"{self.worst:.2f}" if self.worst >= 0.01 else "0.01" if self.worst else "0"
        said = f"{self.count} runs, {kinds}, seed {SEED}: at most {share} of the bound"
        return Evidence(True, said, s.at(bare.sets, self.looked) if bare.sets else s, sweep=True)


def _contrary(s: Statement) -> Evidence:
    """Of a claim for all values that sides differ, a case in which they do not refutes it."""
    if s.exists or s.atom.relation != "≠":
        return Evidence(None, "cases say nothing of some entry, or of what there is")
    bare = substituted(s)
    for sizes, maps, given, _ in drawn(bare, np.random.default_rng(SEED), 1.0):
        left, right = (
            _spread(_literal(t, sizes, maps, given, np.float64), t, bare.atom)
            for t in bare.atom.terms
        )
        if left.value.size and _ratio(left, right, "=") <= 1:
            said = f"sizes {sizes}: no difference beyond rounding"
            return Evidence(False, said, refutes=_fails(left, right, bare.atom))
    return Evidence(None, "the sides differ in these cases, which proves no ≠")


# ------------------------------------------------------------------------------------ the inputs
def drawn(
    s: Statement, rng: np.random.Generator, scale: float
) -> Iterator[tuple[Counts, Maps, Inputs, str]]:
    """Sizes, maps and tensors that satisfy the hypotheses: at moderate sizes four times, once all
    zero and once all alike; and with each set once at its least, and all of them."""
    without: list[Counts] = []  # sizes at which no maps were found
    for trial, (sizes, kinds) in enumerate(_sizes(s)):
        maps = None if sizes in without else _random_maps(s, sizes, trial)
        if maps is None:
            without.append(sizes)
            continue
        for kind in kinds:
            given = _inputs(s, sizes, maps, kind, rng, scale)
            if given is not None:
                yield sizes, maps, given, kind


def _sizes(s: Statement) -> Iterator[tuple[Counts, tuple[str, ...]]]:
    """Sizes, and the kinds of inputs at them."""
    _, moved, others = moved_sets(s)
    usual = {x: 7 - k for k, x in enumerate(moved)} | {x: 3 + k for k, x in enumerate(others)}
    lower = {x: max(s.sizes.lower(x), int(x in functions_over(s))) for x in s.sets}
    tried = [(usual, ("random", "zero", "alike"))] + [(usual, ("random",))] * 3
    tried += [(usual | {x: lower[x]}, ("least",)) for x in s.sets]
    tried += [(lower, ("least",)), ({x: max(k, 1) for x, k in lower.items()}, ("least",))]
    seen: set[tuple[tuple[str, int], ...]] = set()
    cases = sorted(s.sizes.among) or [()]
    for turn, (sizes, kinds) in enumerate(tried):
        chosen = cases if kinds == ("least",) else [cases[-1 - turn % len(cases)]]
        for case in chosen:
            own = dict(zip(s.sizes.of, case, strict=True))
            named = {x.name: own.get(x, k) for x, k in sizes.items()}
            key = tuple(sorted(named.items()))
            if admits(s, named) and not (kinds == ("least",) and key in seen):
                seen.add(key)
                yield named, kinds


def _inputs(
    s: Statement, sizes: Counts, maps: Maps, kind: str, rng: np.random.Generator, scale: float
) -> Inputs | None:
    """Tensors of a kind that satisfy every hypothesis; None if there are none among those drawn."""
    asked = [a for a in in_text_order(s.given) if not about_indices(a)]
    for _ in range(TENSOR_DRAWS if kind in ("random", "least") else 1):
        given = tensors_of(*s.terms, sizes=sizes, rng=rng)
        for name, x in given.items():
            if not callable(x):
                flat = np.zeros(x.shape) if kind == "zero" else np.full(x.shape, 0.5)
                given[name] = x * scale if kind in ("random", "least") else flat
        for name, sign in signs(s.given).items():
            if name in given:
                x = given[name]
                # one weight of four is 0: a mask of which more were hides what differs
                some = np.where(x < -0.67 * scale, 0, np.abs(x))
                given[name] = np.abs(x) + 1 if sign == "<" else some
        for name, first in orbits(s, sizes, maps).items():
            if name in given:
                x = given[name]
                entries = [x[first(i)] for i in np.ndindex(*x.shape)]
                given[name] = np.array(entries).reshape(x.shape)
        given = {k: x if callable(x) else x.astype(np.float32).astype(float)
                 for k, x in given.items()}  # fmt: skip
        failed = next((a for a in asked if not holds_at(a, sizes, maps, given)), None)
        if failed is None:
            return given
        if failed.relation == "=" and not failed.some:
            return None  # of real numbers: other draws will not be equal either
    return None


def holds_at(a: Atom, sizes: Counts, maps: Maps, given: Inputs) -> bool:
    """Whether an atom holds at these values beyond rounding; = only if it holds to the bit."""
    left, right = (_spread(_literal(t, sizes, maps, given, np.float64), t, a) for t in a.terms)
    room = left.error + right.error
    match a.relation:
        case "=":
            found = left.value == right.value
        case "≠":
            found = np.abs(left.value - right.value) > room
        case "<":
            found = right.value - left.value > room
        case _:
            found = (right.value - left.value > room) | ((left.value == right.value) & (room == 0))
    return bool(np.any(found) if a.some else np.all(found))


def _random_maps(s: Statement, sizes: Counts, trial: int) -> Maps | None:
    """Random tables for the maps of a statement, drawn until its hypotheses about indices hold;
    None if none of those drawn satisfies them."""
    about = Statement(Atom(number(0), "=", number(0)), frozenset(filter(about_indices, s.given)))
    maps = (*moved_sets(s)[0],), (*other_maps(s),)
    found = _maps_of(about, *maps, tuple(sorted(sizes.items())), trial)
    return None if found is None else dict(found)


@lru_cache(maxsize=1024)  # claims side by side have their hypotheses in common
def _maps_of(
    s: Statement,
    permutations: tuple[Map, ...],
    others: tuple[Map, ...],
    named: tuple[tuple[str, int], ...],
    trial: int,
) -> Maps | None:
    """Tables for these maps that satisfy what is given; those that it gives by others come last."""
    sizes, rng, given = dict(named), np.random.default_rng([SEED, trial]), given_maps(s)
    late = [a for a in s.given if not symbols_of(a).isdisjoint(given)]
    for _ in range(DRAWS if permutations or others else 1):
        chosen: Maps = {}
        for m in permutations:
            chosen[m.data[0]] = _permutation(trial, sizes[map_type(m)[1].name], rng)
        for m in others:
            dom, cod, _ = map_type(m)
            n = IndexArrays(sizes).size(cod)
            k = IndexArrays(sizes).size(dom[0]) if dom else 1
            if n == 0 and k > 0:
                return None  # into nothing there is no map
            table = [int(x) for x in rng.integers(max(n, 1), size=k)]
            if m not in given:
                chosen[m.data[0]] = table if dom else table[0]
        early = all(a in late or holds_at(a, sizes, chosen, {}) for a in s.given)
        maps = with_given_maps(s, sizes, chosen, _floats) if early else None
        if maps is not None and all(holds_at(a, sizes, maps, {}) for a in late):
            return maps
        if all(k <= 1 for k in sizes.values()):
            return None
    return None


def _floats(t: Term, sizes: Counts, maps: Maps) -> NDArray[Any]:
    """A term about indices in floating point, without rounding."""
    return np.asarray(arrays(t, sizes, maps, {}, Floats(np.float64), literal=True))


def _permutation(trial: int, n: int, rng: np.random.Generator) -> list[int]:
    """A 3-cycle first (a swap is its own inverse and would hide P in place of its transpose)."""
    return (
        [1, 2, 0, *range(3, n)] if trial == 0 and n >= 3 else [int(x) for x in rng.permutation(n)]
    )


# ----------------------------------------------------------------------------------- comparisons
def _literal(term: Term, sizes: Counts, maps: Maps, given: Inputs, dtype: Any) -> Ball:
    """A term to the letter: each definition as it is defined, not as libraries compute it."""
    return bounded(term, sizes, maps, given, dtype, literal=True)


def _spread(ball: Ball, term: Term, a: Atom) -> Ball:
    """A side of an atom over the axes of both sides."""
    axes = [*a.axes]
    order = [term.axes.index(x) for x in axes if x in term.axes]
    place = tuple(slice(None) if x in term.axes else None for x in axes)
    value = np.transpose(np.asarray(ball.value, np.float64), order)[place]
    return Ball(value, np.transpose(ball.error, order)[place])


def _ratio(left: Ball, right: Ball, relation: str) -> float:
    """How much of the bound the difference takes; NaN or no bound at all is infinitely much."""
    with np.errstate(invalid="ignore"):  # ∞ − ∞ is NaN, and rejected below
        difference, bound = np.abs(left.value - right.value), left.error + right.error
    if relation in ("<", "≤"):
        above = right.value - left.value
        fine = above > bound if relation == "<" else above >= -bound
        return 0.0 if np.all(fine) else float("inf")
    if not np.all(np.isfinite(difference) & np.isfinite(bound)):
        return float("inf")
    exact = difference == 0
    with np.errstate(over="ignore"):  # against no bound at all: infinitely much
        ratios = np.where(exact, 0.0, difference / np.where(bound > 0, bound, np.finfo(float).tiny))
    return float(np.max(ratios, initial=0))


def _fails(left: Ball, right: Ball, a: Atom) -> bool:
    """Whether an atom is false of these values beyond rounding: ≠ only where both are exact."""
    above, bound = right.value - left.value, left.error + right.error
    match a.relation:
        case "=":
            found = np.abs(above) > bound
        case "≠":
            found = (above == 0) & (bound == 0)
        case "<":
            found = above + bound <= 0
        case _:
            found = above + bound < 0
    return bool(np.all(found) if a.some else np.any(found))


def _against(
    reference: Reference, s: Statement, sizes: Counts, maps: Maps, given: Inputs, dtype: Any
) -> float:
    """The right side at rest and the independent reference on the same inputs, against twice the
    term's bound (each computes in its own order, within the same bound)."""
    permutations, moved, _ = moved_sets(s)
    moving = {m.data[0] for m in permutations}
    others = {name: table for name, table in maps.items() if name not in moving}
    inputs = {k: v.astype(dtype) if hasattr(v, "astype") else v for k, v in given.items()}
    expected = reference(inputs | others | {"sizes": sizes})
    still = {m.data[0]: list(range(sizes[map_type(m)[1].name])) for m in permutations}
    ball = _literal(s.atom.rhs, sizes, still | others, given, dtype)
    sets = [*s.atom.rhs.sets.values()]
    rows_first = sorted(range(len(sets)), key=lambda k: sets[k] not in moved)
    value, error = (np.transpose(x, rows_first) for x in (ball.value, ball.error))
    if expected.shape != value.shape:
        return float("inf")
    wide = Ball(value.astype(np.float64), error)
    return _ratio(wide, Ball(np.asarray(expected, np.float64), error), "=")


def by_numpy_differs(witnesses: Sequence[Witness]) -> Check:
    """At each witness the two sides differ, in floating point, by more than rounding explains."""

    def check(s: Statement) -> Evidence:
        least = [float("inf")]

        def holds(bare: Statement, w: Witness) -> bool:
            for dtype in FLOATS:
                given = {k: np.asarray(v, dtype=float) for k, v in w.tensors.items()}
                if w.query in given:
                    width = given[w.query].shape[-1]
                    given[w.query] = given[w.query] * np.sqrt(width) * np.log(2.0)
                given |= {name: given[name] * np.log(2.0) for name in w.logs}
                left, right = (
                    _spread(bounded(t, w.sizes, w.maps, given, dtype), t, bare.atom)
                    for t in bare.atom.terms
                )
                gap = np.abs(left.value - right.value) - left.error - right.error
                best = float(np.nanmax(gap, initial=-1.0))
                if not (best > 0):
                    return False
                least[0] = min(least[0], best)
            return True

        if s.atom.relation != "≠" or not s.atom.some:
            return Evidence(None, "this check is of ≠ in some entry")
        found = cases(s, witnesses, holds)
        one = len(witnesses) == 1
        subject = "1 witness differs" if one else f"{len(witnesses)} witnesses differ"
        said = f"{subject} by at least {least[0]:.3g} beyond rounding"
        if found.ok is not True:
            return found
        return Evidence(True, said, found.states, sweep=True)

    return check
