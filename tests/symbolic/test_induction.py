"""The SMT obligations: each is proved, each has a false neighbour that is not."""

from dataclasses import replace
from typing import Any

import pytest
import z3

from orderproof.symbolic.induction import (
    ARRAY,
    SUM,
    Obligation,
    softmax_rows,
    softmax_shift,
    sum_is_order_blind,
)

ALL = [*sum_is_order_blind(), *softmax_rows(), *softmax_shift()]
BY_NAME = {o.name: o for o in ALL}
a, w, q, other = (z3.Const(x, ARRAY) for x in ("a", "w", "q", "other"))
i, j, k, n = z3.Ints("i j k n")
v, t, u, r = z3.Reals("v T u R")
b = z3.Store(a, i, v)
half = z3.Store(a, i, a[j])


def goal(name: str, false: Any) -> Obligation:
    """An obligation with another goal."""
    return replace(BY_NAME[name], goal=false)


def given(name: str, false: tuple[Any, ...]) -> Obligation:
    """An obligation with other assumptions."""
    return replace(BY_NAME[name], assume=false)


def without(name: str, place: int) -> Obligation:
    """An obligation that lacks one of its assumptions."""
    rest = BY_NAME[name].assume
    return given(name, (*rest[:place], *rest[place + 1 :]))


FALSE = {
    "outside_base": goal("outside_base", SUM(b, 0) == SUM(a, 0) + v),
    "outside_step": goal("outside_step", z3.Implies(i >= n, SUM(b, n + 1) == SUM(a, n + 1))),
    "update_base": goal(
        "update_base", z3.Implies(z3.And(i >= 0, i <= 0), SUM(b, 0) == SUM(a, 0) - a[i] + v)
    ),
    "update_step": goal(
        "update_step",
        z3.Implies(z3.And(i >= 0, i < n + 1), SUM(b, n + 1) == SUM(a, n + 1) + a[i] + v),
    ),
    "swap": goal(
        "swap", SUM(z3.Store(z3.Store(a, i, a[j]), j, other[i]), n) == SUM(a, n)
    ),
    "total_base": goal("total_base", SUM(w, 1) > 1),
    "total_step": without("total_step", 3),
    "entry": without("entry", 0),
    "row_base": goal("row_base", SUM(q, 0) * t == SUM(w, 0) + 1),
    "row_step": goal("row_step", SUM(q, k + 1) * t == SUM(w, k)),
    "row_sum": goal("row_sum", SUM(q, n) == 2),
    "shift_base": goal("shift_base", SUM(q, 0) == 1 + SUM(w, 0)),
    "shift_step": goal("shift_step", SUM(q, k + 1) == SUM(w, k + 1)),
    "shift_entry": goal("shift_entry", (u * w[j]) / r == w[j] / (u * t)),
}  # fmt: skip


@pytest.mark.parametrize("obligation", ALL, ids=lambda o: o.name)
def test_every_obligation_is_proved(obligation: Obligation) -> None:
    """A step of the induction would not hold: the lemma would stand on nothing."""
    assert obligation.check() is True


@pytest.mark.parametrize("name", list(BY_NAME))
def test_every_false_neighbour_is_rejected(name: str) -> None:
    """An obligation changed in one place would be proved as well: the check would not look."""
    assert FALSE[name].name == name
    assert FALSE[name].check() is not True


def test_most_false_neighbours_are_refuted() -> None:
    """All would merely be undecided, by a solver that decides nothing."""
    refuted = [name for name, o in FALSE.items() if o.check() is False]
    assert len(refuted) >= len(FALSE) - 3, set(FALSE) - set(refuted)


SWAP = BY_NAME["swap"].assume


@pytest.mark.parametrize(
    "place", [p for p, h in enumerate(SWAP) if p >= len(SWAP) - 3], ids=["i ≠ j", "first", "second"]
)
def test_a_swap_needs_its_assumptions(place: int) -> None:
    """An assumption of the swap would be idle, or the goal true by accident."""
    answer = without("swap", place).check()
    assert answer is False if place >= len(SWAP) - 2 else answer is not None


@pytest.mark.parametrize("obligation", ALL, ids=lambda o: o.name)
def test_contradictory_assumptions_prove_nothing(obligation: Obligation) -> None:
    """From a contradiction everything follows: a vacuous obligation would be a proof."""
    vacuous = replace(obligation, assume=(*obligation.assume, n < 0, n > 0))
    assert vacuous.check() is None


def test_a_timeout_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that gives up would count as a proof, or as a refutation."""
    monkeypatch.setattr(z3.Solver, "check", lambda self: z3.unknown)
    assert BY_NAME["swap"].check() is None


@pytest.mark.parametrize("obligation", ALL, ids=lambda o: o.name)
def test_the_exported_text_says_the_same(obligation: Obligation) -> None:
    """The certificate would not parse, or be another question than the one that was checked."""
    text = obligation.smtlib()
    first, second, third = text.splitlines()[:3]
    assert first == f"; {obligation.name}: {obligation.says}"
    assert second == "; expected answer: unsat"
    assert third.startswith(("(set-logic", "(", ";"))
    fresh = z3.Solver()
    fresh.from_string(text)
    assert fresh.check() == z3.unsat
    again = z3.Solver()
    again.from_string(FALSE[obligation.name].smtlib())
    assert again.check() != z3.unsat


def test_names_are_unique() -> None:
    """Two obligations would be written to one certificate."""
    assert len(BY_NAME) == len(ALL) == len(FALSE) == 14
    assert all(o.says for o in ALL)


def test_the_axioms_are_those_of_a_sum() -> None:
    """The obligations would be about another function than Σ: checked on sums of real lists."""
    values = [z3.RealVal(x) for x in (3, -1, 4, 1, -5)]
    array = z3.K(z3.IntSort(), z3.RealVal(0))
    for place, x in enumerate(values):
        array = z3.Store(array, place, x)
    solver = z3.Solver()
    solver.add(SUM(array, 0) == 0)
    for m in range(5):
        solver.add(SUM(array, m + 1) == SUM(array, m) + z3.Select(array, m))
    assert solver.check(SUM(array, 5) != 2) == z3.unsat
    assert solver.check(SUM(array, 5) == 2) == z3.sat
