"""The marks of identities between sines and cosines: SymPy's steps, and true frequencies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from orderproof.check.claims import Claim, Witness
from orderproof.check.page import Example, Formula
from orderproof.check.sampling import paired
from orderproof.numeric.groups.pi_fraction import no_multiples_below
from orderproof.symbolic.calculus.terms import Op, Set, Term, opened, reachable
from orderproof.symbolic.models.builders import leaf_of
from orderproof.symbolic.readings.entries import Model, evaluate
from orderproof.symbolic.readings.interval import Intervals, ends
from orderproof.symbolic.readings.sympy_entries import formulas
from orderproof.symbolic.schemes.rotations import FREQUENCIES, PAIRS, THETA, rows_differ
from orderproof.symbolic.schemes.trigonometry import same, steps
from orderproof.symbolic.statements.evidence import Check, Evidence
from orderproof.symbolic.statements.statement import Atom, Statement

from .exact import cases, enclosed
from .sympy_entries import entrywise

WIDTHS = (2, 4, 8)  # features: two of each pair
PLACES = ((0, 1, 3), (7, 2, 5), (100, 4000, 17))
NARROW = Fraction(1, 2**100)
TERMS = 24  # of the series of π: its bounds then show so many rows to be distinct


def by_steps(s: Statement) -> Evidence:
    """Both sides, in generic real symbols for up to three pairs, differ by 0 after SymPy's steps
    and modulo c² + s² = 1 of every angle."""
    found = entrywise(s, "=", same, [({PAIRS.name: h}, {}) for h in (1, 2, 3)])
    if not found.ok:
        return found
    said = f"{found.detail}; by steps, and modulo c² + s² = 1"
    return Evidence(True, said, found.states, sweep=True)


def by_true_frequencies(s: Statement) -> Evidence:
    """Both sides, enclosed at ω_k = 10000^(−k/h), meet, and are narrow: cases of an identity for
    all frequencies."""
    if s.exists or s.atom.some or s.atom.relation != "=":
        return Evidence(None, "this check is of = in every entry, for all values")
    widest = Fraction(0)
    for d in WIDTHS:
        for places in PLACES:
            algebra = Intervals()
            tensors = _values(s, places, d, algebra)
            counts = {PAIRS.name: d // 2}
            model = Model(counts, {}, tensors)
            left, right = (evaluate(t, model, algebra) for t in s.atom.terms)
            for _, x, y in paired(s.atom, counts, left, right):
                a, b = ends(x), ends(y)
                if a[1] < b[0] or b[1] < a[0]:
                    said = f"d = {d}, places {places}: the enclosures are apart"
                    return Evidence(False, said, refutes=True)
                widest = max(widest, a[1] - a[0], b[1] - b[0])
    if not widest < NARROW:
        return Evidence(None, "the enclosures are too wide")
    said = f"d = {', '.join(map(str, WIDTHS))}: enclosures meet, narrower than 2^-100"
    looked = {tuple(d // 2 for _ in s.sets) for d in WIDTHS}
    return Evidence(True, said, s.at(s.sets, looked) if s.sets else s, sweep=True)


@dataclass(frozen=True)
class ByEnclosures:
    """At each witness enclosures show the atom: of 'there are', that settles it at these sizes."""

    witnesses: Sequence[Witness]

    def __call__(self, s: Statement) -> Evidence:
        return cases(s, self.witnesses, lambda bare, w: enclosed(bare.atom, w))


def by_enclosures(witnesses: Sequence[Witness]) -> Check:
    """The mark at given witnesses: see `ByEnclosures`."""
    return ByEnclosures(witnesses)


def by_period(over: Set, most: int, frequencies: Atom = FREQUENCIES) -> Check:
    """`rows_differ`, from bounds of π. In the first pair, rows i and j have the squared distance
    2 − 2 cos((i − j)ω), and the others add no less than 0: so rows are equal only if (i − j)ω is a
    multiple of 2π, where |i − j| < `most`."""

    def check(_: Statement) -> Evidence:
        first = at_first(frequencies.rhs)
        if first is None or not first > 0:
            return Evidence(None, f"the first frequency: found {first}, expected a positive number")
        shown = no_multiples_below((first, first), TERMS)
        if not most <= shown:
            return Evidence(None, f"rows below {shown} are shown to be distinct, not {most}")
        said = f"no t with 0 < t < {shown} is a multiple of 2π/{first}, by {TERMS} terms for π"
        return Evidence(True, said, rows_differ(over, most, frequencies))

    return check


def at_first(t: Term) -> Fraction | None:
    """The value of a term at the first index of its axes, of sets of any size but 0, as far as the
    numbers in it give it: 0·x = 0, 0/n = 0 for a size n, e⁰ = 1. None if they do not."""
    op, parts, *_ = opened(t)
    values = [at_first(part) for part in parts]
    match op.kind, op.data[0], values:
        case "number", value, []:
            return Fraction(value)
        case "iota", _, []:
            return Fraction(0)
        case "pointwise", "neg", [Fraction() as x]:
            return -x
        case "pointwise", "exp", [Fraction(numerator=0)]:
            return Fraction(1)
        case "pointwise", "mul", [x, y]:
            return Fraction(0) if 0 in (x, y) else x * y if x and y else None
        case "pointwise", "div", [Fraction(numerator=0), _] if parts[1].node.op.kind == "size":
            return Fraction(0)
    return None


def _values(
    s: Statement, places: tuple[int, ...], d: int, algebra: Any
) -> dict[str, Callable[..., Any]]:
    """ω as it is, the places, and small integers for other tensors."""
    found: dict[str, Callable[..., Any]] = {}
    free = iter(places)
    log = algebra.functions["log"](algebra.number(Fraction(10000)))
    for number_, op in enumerate(_leaves(s)):
        name = str(op.data[0])
        if op == leaf_of(THETA):
            found[name] = lambda k: algebra.functions["exp"](
                -(log * algebra.number(Fraction(2 * k, d)))
            )
        elif not op.data[1]:
            value = algebra.number(Fraction(next(free)))
            found[name] = lambda value=value: value
        else:
            found[name] = lambda k, n=number_: algebra.number(Fraction((3 * k + 2 * n) % 7 - 3))
    return found


def _leaves(s: Statement) -> list[Op]:
    ops = {n.op for t in s.atom.terms for n in reachable(t.node) if n.op.kind == "leaf"}
    return sorted(ops, key=lambda op: str(op.data[0]))


def worked(title: str, claim: Claim) -> Example:
    """The identity for one pair of features, both sides step by step until they are the same."""
    parts: list[str | Formula] = []
    for name, term in (("The left side", claim.lhs), ("The right side", claim.rhs)):
        (value,) = formulas(term, {PAIRS.name: 1}, {}).values()
        for reason, e in steps(value):
            parts += [f"{name}, {reason}:" if reason else f"{name}, for one pair:", _formula(e)]
    return Example(title, tuple(parts))


def _formula(e: Any) -> Formula:
    bare = e.subs({s: sympy.Symbol(s.name.removesuffix("_{1}"), real=True) for s in e.free_symbols})
    return Formula(
        sympy.latex(bare), str(bare).replace("theta", "θ").replace("**2", "²").replace("*", " ")
    )
