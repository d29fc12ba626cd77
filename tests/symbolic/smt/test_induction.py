"""The SMT obligations: each is proved, each has a false neighbour that is not."""

from dataclasses import replace
from typing import Any

import pytest
import z3

from orderproof.symbolic.smt import z3_process
from orderproof.symbolic.smt.budget import FALSEHOOD
from orderproof.symbolic.smt.induction import (
    ARRAY,
    BOTH,
    SIGMA,
    SUM,
    SUMMING,
    every_permutation,
    generated_by_swaps,
    one_entry,
)
from orderproof.symbolic.smt.laws import PRODUCT
from orderproof.symbolic.smt.lemma import Schema, axiom, induction, lemma
from orderproof.symbolic.smt.obligation import Obligation, written
from orderproof.symbolic.smt.z3_process import answer

SCHEMAS = [
    *one_entry(SUMMING), *generated_by_swaps(), *every_permutation(SUMMING),
    *one_entry(PRODUCT), *every_permutation(PRODUCT),
]  # fmt: skip
ALL = [o for schema in SCHEMAS for o in schema.obligations]
BY_NAME = {o.name: o for o in ALL}
a, c, w, q, other = (z3.Const(x, ARRAY) for x in ("a", "b", "w", "q", "other"))
i, j, k, n = z3.Ints("i j k n")
v, t, u, r, x, y = z3.Reals("v T u R x y")
b, half = z3.Store(a, i, v), z3.Store(a, i, a[j])
PROD = PRODUCT.of


def goal(name: str, false: Any) -> Obligation:
    """An obligation with another goal."""
    return replace(BY_NAME[name], goal=false)


def blind(goal: Any, array: Any, fold: Any) -> Any:
    """That a reduction is blind to σ, with `goal` in place of what σ is known to be."""
    moved = z3.ForAll([k], z3.Implies(z3.And(k >= 0, k <= n), array[1][k] == array[0][SIGMA[k]]))
    return z3.Implies(z3.And(goal, moved), fold(array[1], n + 1) == fold(array[0], n + 1))


WITHIN = z3.ForAll([k], z3.Implies(z3.And(k >= 0, k <= n), z3.And(SIGMA[k] >= 0, SIGMA[k] <= n)))
FALSE = {
    "sum_outside_base": goal("sum_outside_base", SUM(b, 0) == SUM(a, 0) + v),
    "sum_outside_step": goal(
        "sum_outside_step", z3.Implies(i >= n, SUM(b, n + 1) == SUM(a, n + 1))
    ),
    "sum_update_base": goal(
        "sum_update_base", z3.Implies(z3.And(i >= 0, i <= 0), SUM(b, 0) == SUM(a, 0) - a[i] + v)
    ),
    "sum_update_step": goal(
        "sum_update_step",
        z3.Implies(z3.And(i >= 0, i < n + 1), SUM(b, n + 1) == SUM(a, n + 1) + a[i] + v),
    ),
    "sum_swap": goal(
        "sum_swap",
        z3.Implies(
            z3.And(i >= 0, i < n, j >= 0, j < n, i != j),
            SUM(z3.Store(z3.Store(a, i, a[j]), j, other[i]), n) == SUM(a, n),
        ),
    ),
    "sum_permuted_base": goal("sum_permuted_base", SUM(c, 0) == SUM(a, n + 1)),
    "sum_permuted_step": goal("sum_permuted_step", blind(WITHIN, (a, c), SUM)),
    "prod_outside_base": goal("prod_outside_base", PROD(b, 0) == v),
    "prod_outside_step": goal(
        "prod_outside_step", z3.Implies(i >= n, PROD(b, n + 1) == PROD(a, n + 1))
    ),
    "prod_update_base": goal(
        "prod_update_base", z3.Implies(z3.And(i >= 0, i <= 0), PROD(b, 0) == v)
    ),
    "prod_update_step": goal(
        "prod_update_step",
        z3.Implies(z3.And(i >= 0, i < n + 1), PROD(b, n + 1) == PROD(a, n + 1) * v),
    ),
    "prod_swap": goal(
        "prod_swap",
        z3.Implies(
            z3.And(i >= 0, i < n, j >= 0, j < n, i != j),
            PROD(z3.Store(z3.Store(a, i, a[j]), j, other[i]), n) == PROD(a, n),
        ),
    ),
    "prod_permuted_base": goal("prod_permuted_base", PROD(c, 0) == PROD(a, n + 1)),
    "prod_permuted_step": goal("prod_permuted_step", blind(WITHIN, (a, c), PROD)),
}  # fmt: skip


@pytest.mark.parametrize("obligation", ALL, ids=lambda o: o.name)
def test_every_obligation_is_proved(obligation: Obligation) -> None:
    """A step of the induction would not hold: the lemma would stand on nothing."""
    assert obligation.check() is True


@pytest.mark.parametrize("name", list(FALSE))
def test_every_false_neighbour_is_rejected(name: str) -> None:
    """An obligation changed in one place would be proved as well: the check would not look."""
    assert FALSE[name].name == name
    assert FALSE[name].check(FALSEHOOD) is not True


def test_most_false_neighbours_are_refuted() -> None:
    """All would merely be undecided, by a solver that decides nothing."""
    refuted = [name for name, o in FALSE.items() if o.check(FALSEHOOD) is False]
    assert len(refuted) >= len(FALSE) - 2, set(FALSE) - set(refuted)


@pytest.mark.parametrize("obligation", ALL, ids=lambda o: o.name)
def test_contradictory_assumptions_prove_nothing(obligation: Obligation) -> None:
    """From a contradiction everything follows: a vacuous obligation would be a proof."""
    vacuous = replace(obligation, assume=(*obligation.assume, n < 0, n > 0))
    assert vacuous.check() is None


def test_an_unknown_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that gives up would count as a proof, or as a refutation."""
    monkeypatch.setattr(z3.Solver, "check", lambda self: z3.unknown)
    monkeypatch.setattr(z3_process, "answer", z3_process.answer.__wrapped__)  # not from the cache
    assert BY_NAME["sum_swap"].check() is None


@pytest.mark.parametrize("obligation", ALL, ids=lambda o: o.name)
def test_the_exported_text_says_the_same(obligation: Obligation) -> None:
    """The certificate would not parse, or be another question than the one that was checked."""
    text = obligation.smtlib()
    lines = text.splitlines()
    assert lines[0] == f"; obligation: {obligation.name}"
    assert f"; states: {obligation.says}" in lines and "; expected: unsat" in lines
    assert f"; to prove: {written(obligation.goal)}" in lines
    assert sum(line.startswith("; given: ") for line in lines) == len(obligation.assume)
    assert lines[-1] == "(check-sat)" and lines.count("(check-sat)") == 1
    fresh = z3.Solver()
    fresh.from_string(text)
    assert fresh.check() == z3.unsat
    assert answer(replace(obligation, goal=i < i).smtlib(), FALSEHOOD).word != "unsat"


# ------------------------------------------------------------------------------------- the range
P = z3.Function("p", z3.IntSort(), z3.BoolSort())
MORE = axiom("more", "P(n) gives P(n + 1), from 5 on", (n,), z3.Implies(P(n), P(n + 1)), 5)
START = axiom("start", "P(least)", (n,), P(n))


def test_base_and_step_are_made_of_one_formula() -> None:
    """A base at 0 and a step from 1 on would leave the step from 0 to 1 to nobody."""
    for least in (5, 6):
        made = induction(
            "p", "P(n)", (n,), P(n), least, base=(START.at(least),), step=(MORE.at(n),)
        )
        base, step = made.obligations
        assert base.goal.eq(P(z3.IntVal(least))) and step.goal.eq(P(n + 1))
        assert step.assume[0].eq(n >= least) and step.assume[1].eq(P(n))
        assert base.check() is True and step.check() is True
    early = induction("p", "P(n)", (n,), P(n), 4, base=(START.at(4),), step=(MORE.at(n),))
    assert early.obligations[1].check() is False  # P(4) gives nothing


def test_an_instance_carries_its_range() -> None:
    """A lemma for n ≥ 1 could be used at 0."""
    made = lemma("made", "P(n), for n ≥ 1", (n,), P(n), least=1)
    assert made.at(i).formula.eq(z3.Implies(i >= 1, P(i)))
    assert made.at(1).formula.eq(P(z3.IntVal(1)))
    for place, least, ok in ((i, 0, False), (i, 1, True), (i + 1, 0, True), (0, 0, False)):
        goal = z3.IntVal(place) if isinstance(place, int) else place
        using = lemma("using", "", (i,), P(goal), (made.at(place),), least)
        assert using.obligations[0].check() is ok
    with pytest.raises(ValueError, match="given 2 values"):
        _ = made.at(i, j).formula
    with pytest.raises(ValueError, match="expected"):
        Schema("induction", "no range", "", (n,), P(n))


def test_no_lemma_of_the_project_is_assumed() -> None:
    """What is to be proved would be assumed by another name: these are all definitions and laws."""
    axioms = {u.of.name for s in SCHEMAS for u in (*s.uses, *s.start) if u.of.kind == "axiom"}
    ends = {f"{r}_{what}" for r in ("sum", "prod") for what in ("of_nothing", "of_one_more")}
    assert axioms == ends | {"rest", "composed"}


def test_names_are_unique() -> None:
    """Two obligations would be written to one certificate, or one say nothing of what it is."""
    assert len(BY_NAME) == len(ALL)
    assert len({o.says for o in ALL if not o.name.startswith("prod")}) > 9
    assert all(o.says and not o.says.startswith("the same") for o in ALL)


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


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (SUM(b, n + 1) == SUM(a, n) - a[i] + v,
         "Σ_{m<n + 1} a[i ↦ v](m) = (Σ_{m<n} a(m)) − a(i) + v"),
        (z3.Implies(z3.And(i >= 0, i < n), i != j), "i ≥ 0 ∧ i < n ⇒ i ≠ j"),
        (x - (y - v) == 0, "x − (y − v) = 0"),
        (x + (y + v) == x * y * v, "x + (y + v) = x · y · v"),
        ((x + y) * v <= x / (y * v), "(x + y) · v ≤ x / (y · v)"),
        (z3.RealVal("-1/2") <= -x, "−1/2 ≤ −x"),
        (z3.Not(z3.Or(x > y, x < y)), "¬(x > y ∨ x < y)"),
        (z3.If(x >= y, x, y) == x, "(if x ≥ y then x else y) = x"),
        (z3.ForAll([k], BOTH[k] == SIGMA[k]), "∀ k: ρ(k) = σ(k)"),
        (z3.ForAll([k, j], z3.ForAll([i], i + k > j)), "∀ k, j: ∀ i: i + k > j"),
        (z3.ToReal(n) == x, "n = x"),
        (SUM(a, 0) == z3.RealVal(0), "Σ_{m<0} a(m) = 0"),
    ],
)  # fmt: skip
def test_formulas_are_written_in_the_books_notation(formula: Any, text: str) -> None:
    """The header would state another formula than the one that is checked."""
    assert written(formula) == text
