"""Budgets of solvers: counted in units, the same whatever was asked before; time stops a hang."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
import z3

from orderproof.symbolic.smt import chain, cvc5_process, z3_process
from orderproof.symbolic.smt.budget import ALONE, FALSEHOOD, QUESTION, Answer, Budget
from orderproof.symbolic.smt.obligation import Obligation
from orderproof.symbolic.smt.solvers import Process, Solver, find

x, y, z = z3.Reals("x y z")
f = z3.Function("f", z3.RealSort(), z3.RealSort())
DOUBLING = z3.ForAll([x], f(x + 1) == 2 * f(x))
HARD = Obligation("hard", "a function that doubles is large", (), z3.Implies(DOUBLING, f(y) > 5))
EASY = Obligation("easy", "a square is not negative", (), x * x >= 0)
ORDERED = z3.Implies(z3.And(x > y, y > z, z > 0), x * x * y > z * z * z)
PRODUCTS = Obligation("products", "a product is larger", (), ORDERED)
FEW = Budget(5_000, 5_000)
HANGING = Budget(10**9, 10**9, 0.2)
ASK = pytest.mark.parametrize(
    "ask",
    [
        pytest.param(z3_process.answer, id="z3"),
        pytest.param(
            cvc5_process.answer,
            id="cvc5",
            marks=pytest.mark.skipif(not cvc5_process.installed(), reason="needs cvc5"),
        ),
    ],
)
Ask = Callable[[str, Budget], Answer]


@ASK
def test_units_end_a_question(ask: Ask) -> None:
    """A question would go on until its time is over, which comes sooner on a machine that is busy,
    or end in an answer; or what ended it would not be said."""
    assert ask(HARD.asserted(), FEW) == Answer("unknown", reason="spent its 5,000 units")
    assert ask(EASY.asserted(), FEW) == Answer("unsat")


@ASK
def test_the_least_budget_is_one(ask: Ask) -> None:
    """Few units, shared by the ways of a solver, would be none for one: which to it means any."""
    assert ask(HARD.asserted(), Budget(1, 1)).reason == "spent its 1 units"


@ASK
def test_what_hangs_is_stopped_and_says_so(ask: Ask) -> None:
    """A hang would be taken for a budget that is spent, or for an answer, or have no end."""
    assert ask(HARD.asserted(), HANGING) == Answer("timeout", reason="stopped after 0.2 s")


@pytest.mark.parametrize(
    ("budget", "why"), [(HANGING, "stopped after 0.2 s"), (FEW, "spent its 5,000 units")]
)
def test_the_reason_reaches_the_mark(budget: Budget, why: str) -> None:
    """The words of a mark would not tell a question that was stopped from one without an answer."""
    said = chain.settled([EASY, HARD], "two questions", budget)
    assert said == (None, f"undecided: hard (Z3: {why})")


def test_contradictory_assumptions_are_told() -> None:
    """What proves nothing, since it assumes too much, would be undecided without a reason."""
    told = replace(EASY, assume=(x < 0, x > 0)).outcome()
    assert told == Answer("unknown", reason="Z3, of its assumptions alone: contradictory")


def units(text: str) -> int:
    """What Z3 spends on a text."""
    solver = z3_process.fresh(text)
    assert str(solver.check()) == "unsat"
    return next(int(v) for name, v in solver.statistics() if name == "rlimit count")


def test_what_was_asked_before_makes_no_difference() -> None:
    """A question would have less left of its budget after others, or another answer: in one shared
    context it has, and so a false variant was once undecided in one of several runs."""
    before = units(PRODUCTS.text)
    for n in random.Random(3).sample(range(100), 30):  # formulas with the same names
        shared = z3.Solver()
        shared.add(x * y + n * z > n, y * z < x)
        shared.check()
    assert units(PRODUCTS.text) == before == units(replace(PRODUCTS, name="again").text)


def test_no_setting_of_the_process_reaches_a_question() -> None:
    """A seed that somebody set for Z3 would change what an answer costs, and so the answer."""
    before = units(PRODUCTS.text)
    z3.set_param("smt.random_seed", 17)
    try:
        assert units(PRODUCTS.text) == before
    finally:
        z3.set_param("smt.random_seed", 0)


def test_budgets_are_in_order() -> None:
    """A falsehood would be given more than a truth."""
    for small in (ALONE, FALSEHOOD):
        assert small.z3 <= QUESTION.z3 and small.cvc5 <= QUESTION.cvc5


@pytest.mark.parametrize("solver", find(), ids=lambda s: s.name)
def test_a_process_counts_units(solver: Solver) -> None:
    """`recheck` would give up sooner on a machine that is busy."""
    with Process(solver) as process:
        found = process.ask(HARD.asserted(), 60.0, FEW)
    assert (found.word, found.reason) == ("unknown", "spent its 5,000 units")
