"""Both sides of an atom in floating point with rounding bounds, and what these show of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderproof.check.claims import Counts, Maps
from orderproof.numeric.rounding import Ball, bounded
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.statements.statement import Atom


def sides(
    a: Atom, sizes: Counts, maps: Maps, given: Mapping[str, Any], dtype: Any, literal: bool = True
) -> tuple[Ball, Ball]:
    """Both sides over the axes of both; `literal`: each definition as it is defined, not as
    libraries compute it."""

    def side(t: Term) -> Ball:
        ball = bounded(t, sizes, maps, given, dtype, literal=literal)
        order = [t.axes.index(x) for x in a.axes if x in t.axes]
        place = tuple(slice(None) if x in t.axes else None for x in a.axes)
        value = np.transpose(np.asarray(ball.value, np.float64), order)[place]
        return Ball(value, np.transpose(ball.error, order)[place])

    return side(a.lhs), side(a.rhs)


def _certain(left: Ball, right: Ball, relation: str) -> NDArray[Any]:
    """In which entries a relation holds whatever the rounding errors are; NaN is in none."""
    above, room = right.value - left.value, left.error + right.error
    match relation:
        case "=":
            return np.asarray((above == 0) & (room == 0))
        case "≠":
            return np.asarray(np.abs(above) > room)
        case "<":
            return np.asarray(above > room)
    return np.asarray(above >= room)


def shown(left: Ball, right: Ball, a: Atom) -> bool:
    """Whether an atom is true of these values beyond rounding: = only where both are exact."""
    found = _certain(left, right, a.relation)
    return bool(np.any(found) if a.some else np.all(found))


def refuted(left: Ball, right: Ball, a: Atom) -> bool:
    """Whether an atom is false of these values beyond rounding: ≠ only where both are exact."""
    swapped = a.relation in ("<", "≤")
    return shown(right, left, a.opposite()) if swapped else shown(left, right, a.opposite())


def holds_at(a: Atom, sizes: Counts, maps: Maps, given: Mapping[str, Any]) -> bool:
    """Whether an atom holds at these values beyond rounding; = only if it holds to the bit."""
    left, right = sides(a, sizes, maps, given, np.float64)
    if a.relation == "=":
        left, right = (Ball(x.value, np.zeros_like(x.error)) for x in (left, right))
    return shown(left, right, a)


def ratio(left: Ball, right: Ball, relation: str) -> float:
    """How much of the bound the difference takes; NaN, or an infinite bound, gives infinity."""
    with np.errstate(invalid="ignore"):  # ∞ − ∞ is NaN, and rejected below
        difference, bound = np.abs(left.value - right.value), left.error + right.error
    if relation in ("<", "≤"):
        above = right.value - left.value
        fine = above > bound if relation == "<" else above >= -bound
        return 0.0 if np.all(fine) else float("inf")
    if not np.all(np.isfinite(difference) & np.isfinite(bound)):
        return float("inf")
    exact = difference == 0
    with np.errstate(over="ignore"):  # against a bound of 0: infinity
        ratios = np.where(exact, 0.0, difference / np.where(bound > 0, bound, np.finfo(float).tiny))
    return float(np.max(ratios, initial=0))
