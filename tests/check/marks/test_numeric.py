"""The mark numeric: what is drawn, what a difference within or beyond the bounds means."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from orderproof.check.claims import Atom, Claim, holds, sizes
from orderproof.check.marks import bounds, sympy_entries
from orderproof.check.marks import inputs as marks_inputs
from orderproof.check.marks.bounds import holds_at, refuted, shown
from orderproof.check.marks.inputs import SEED, drawn, tensors_of
from orderproof.check.marks.numeric import by_numpy, by_numpy_differs
from orderproof.check.marks.sympy_entries import by_sympy
from orderproof.numeric.reference import attention as reference
from orderproof.numeric.rounding import Ball
from orderproof.proofs.pooling import not_invariant_self_attention
from orderproof.proofs.self_attention import softmax_conjugate
from orderproof.proofs.symbols import SELF, X, d, n, sigma
from orderproof.symbolic.calculus.terms import Term, at
from orderproof.symbolic.models.builders import (
    add,
    call,
    constant,
    define,
    divide,
    exp,
    inverse,
    iota,
    moved,
    multiply,
    number,
    opaque,
    pointwise,
    reduce,
    size,
    sqrt,
    subtract,
    tensor,
    total,
)
from orderproof.symbolic.statements.statement import Statement
from tests.judged import loaded, main_claim, mark, ok, said, under_hypothesis
from tests.symbolic.readings.test_families import X as T
from tests.symbolic.readings.test_families import plant_in_arrays, plant_in_entries, σ

A, S = softmax_conjugate.A, softmax_conjugate.S
ZERO, ONE = number(0), number(1)
x, y = tensor("x", i=n), tensor("y", i=n)


def equal(lhs: Term, rhs: Term, **conditions: Any) -> Claim:
    """lhs = rhs, without marks."""
    return holds(lhs, "=", rhs, {}, **conditions)


def inputs(claim: Claim) -> list[tuple[Any, Any, Any, str]]:
    """What is drawn for a claim."""
    return list(drawn(claim.statement, np.random.default_rng(SEED), 1.0))


# -------------------------------------------------------------------------- what is drawn
def test_zeros_and_ties_are_among_the_inputs() -> None:
    """A claim that is false of equal entries, or of zeros, would pass on random ones."""
    found = inputs(main_claim())
    by_kind = {kind: given for _, _, given, kind in found}
    assert {"random", "zero", "alike", "least"} == set(by_kind)
    assert not by_kind["zero"]["X"].any()
    assert len(np.unique(by_kind["alike"]["X"])) == 1 and by_kind["alike"]["X"].any()
    assert len(np.unique(by_kind["random"]["X"])) == by_kind["random"]["X"].size
    # 1 where the entry is the largest: of two that are, both
    largest = reduce("max", x, "i")
    ties = total(pointwise("at_most", largest, x), "i")
    assert ok(by_numpy(), equal(ties, ONE, over=sizes({n: 1}))) is False
    # x/x = 1 but at 0, where there is no number to compare
    nonzero = pointwise("at_most", pointwise("max", x, pointwise("neg", x)), ZERO)  # 1 at 0
    assert ok(by_numpy(), equal(nonzero, ZERO)) is False


@pytest.mark.parametrize("least", [0, 1])
def test_a_claim_that_is_false_at_the_least_size_alone(least: int) -> None:
    """Sizes 0 and 1 would be tried only if the claim asks for it."""
    at_most = [pointwise("at_most", size(n), number(least - k)) for k in (0, 1)]
    only = subtract(*at_most)  # 1 at this size, 0 at others
    claim = equal(add(total(x, "i"), only), total(x, "i"))
    found = mark(by_numpy(), claim)
    assert found.ok is False and found.refutes
    above = claim.stating(sizes=sizes({n: least + 1}))
    assert ok(by_numpy(), above) is True


def test_features_of_the_least_number() -> None:
    """A claim that is false of no features would pass, d being 3 or more."""
    none = pointwise("at_most", size(d), ZERO)
    claim = equal(add(x, multiply(none, total(total(X, "c"), "i"))), x)
    assert ok(by_numpy(), claim) is True  # a sum of no features is 0
    assert ok(by_numpy(), equal(add(x, none), x)) is False


def test_tensors_are_drawn_in_one_order() -> None:
    """Inputs would depend on which terms the process made first, as those are numbered first; and
    so what a mark says on which theorems were checked before."""
    terms = (X, tensor("A", i=n), tensor("Z", c=d))
    counts = {n.name: 3, d.name: 2}

    def tensors(turn: tuple[Term, ...]) -> dict[str, Any]:
        rng = np.random.default_rng(SEED)
        return tensors_of(*turn, sizes=counts, rng=rng)

    first, *others = map(tensors, itertools.permutations(terms))
    assert first.keys() == {"A", "X", "Z"}
    for other in others:
        assert all(np.array_equal(other[name], x) for name, x in first.items())


def test_every_drawn_input_satisfies_the_hypotheses() -> None:
    """An input that violates a hypothesis would refute a true claim, or carry one."""
    g, e = tensor("g", i=n), tensor("E", i=n, c=d)
    a, b = constant("a", n), constant("b", n)
    one, other = (at(iota(n, "i"), {"i": p()}) for p in (a, b))
    given = [
        Atom(ZERO, "<", g), Atom(ZERO, "≤", y), Atom(moved(e, i=sigma), "=", e),
        Atom(one, "<", other), Atom(ZERO, "<", total(x, "i")), Atom(total(g, "i"), "≠", ONE),
    ]  # fmt: skip
    claim = equal(total(moved(x, i=sigma), "i"), total(x, "i"), given=given)
    found = inputs(claim)
    assert len(found) >= 4
    for sizes_, maps, values, _ in found:
        assert maps["a"] < maps["b"] and np.all(values["g"] > 0) and np.all(values["y"] >= 0)
        assert np.array_equal(values["E"][list(maps["sigma"])], values["E"])
        assert values["x"].sum() > 0
        assert all(holds_at(h, sizes_, maps, values) for h in given)
    zero = dict.fromkeys(("g", "x", "y"), np.zeros(2))
    assert not holds_at(given[0], {"n": 2}, {}, zero) and holds_at(given[1], {"n": 2}, {}, zero)


def test_no_input_is_no_agreement(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hypotheses that nothing drawn satisfies would count as a check that was made."""
    monkeypatch.setattr(marks_inputs, "DRAWS", 50)
    a, b = constant("a", n), constant("b", n)
    one, other = (at(iota(n, "i"), {"i": p()}) for p in (a, b))
    for given in (
        [Atom(one, "<", other), Atom(other, "<", one)],
        [Atom(ONE, "=", ZERO)],
        [Atom(ZERO, "<", y), Atom(y, "<", ZERO)],
    ):
        assert ok(by_numpy(), equal(X, X, given=given)) is None
    small = equal(X, add(X, X), given=[Atom(ZERO, "<", y), Atom(y, "<", ZERO)])
    assert ok(by_numpy(), small) is None  # at n = 0 both hold, and nothing is compared


def test_hypotheses_are_honoured() -> None:
    """A claim under P E = E would be checked at tables without it, and fail; or the same claim
    without the hypothesis would pass; or a hypothesis that nothing drawn satisfies be passed
    over."""
    claim = under_hypothesis()
    assert ok(by_numpy(), claim) is True
    assert ok(by_numpy(), claim.stating(given=frozenset())) is False
    odd = claim.stating(given=frozenset({Atom(SELF.Q, "=", ONE)}))
    assert ok(by_numpy(), odd) is None


# ------------------------------------------------------------------------------- what is compared
def ratio_at(monkeypatch: pytest.MonkeyPatch, left: Ball, right: Ball) -> bool | None:
    """What by_numpy says where the two sides are computed as these."""
    answers = itertools.cycle((left, right))
    monkeypatch.setattr(bounds, "bounded", lambda *a, **k: next(answers))
    return ok(by_numpy(), equal(X, X))


def ball(value: float, error: float) -> Ball:
    """A value with a bound, in an array of two axes."""
    return Ball(np.full((2, 2), value), np.full((2, 2), error))


def test_numpy_judges_by_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A difference beyond the sum of both bounds would pass, or one within it would not."""
    e = 2.0**-20
    assert ratio_at(monkeypatch, ball(1, e), ball(1 + 1.999 * e, e)) is True
    assert ratio_at(monkeypatch, ball(1, e), ball(1 + 2.001 * e, e)) is False
    assert ratio_at(monkeypatch, ball(1, 0), ball(1 + e, 0)) is False
    assert ratio_at(monkeypatch, ball(1, 0), ball(1, 0)) is True


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_numpy_rejects_what_is_no_number(monkeypatch: pytest.MonkeyPatch, bad: float) -> None:
    """A NaN, or a bound of infinity, would pass."""
    assert ratio_at(monkeypatch, ball(bad, 1), ball(bad, 1)) is False
    assert ratio_at(monkeypatch, ball(1, bad), ball(1, 1)) is False
    one = Ball(np.array([[1.0, bad], [1.0, 1.0]]), np.zeros((2, 2)))
    assert ratio_at(monkeypatch, one, ball(1, 0)) is False


def test_numpy_compares_something() -> None:
    """Zeros would be compared with zeros, and the mark would be green."""
    zero = multiply(X, ZERO)
    assert said(by_numpy(), equal(zero, zero)) == (
        None,
        "all values were zero: nothing was compared",
    )
    assert ok(by_numpy(), equal(X, X)) is True
    assert ok(by_numpy(), equal(X, moved(X, i=sigma))) is False


def test_numpy_compares_with_the_reference() -> None:
    """A reference that disagrees, in values or in shape, would make no difference; or it would
    refute a claim about which it says nothing."""

    def right(t: Any) -> Any:
        return reference.self_attention(t["X"], t["W_Q"], t["W_K"], t["W_V"])

    claim = main_claim()
    assert ok(by_numpy(right), claim) is True
    for wrong in (
        lambda t: right(t) * 1.01, lambda t: right(t)[::-1], lambda t: right(t).T,
        lambda t: right(t) * np.nan,
    ):  # fmt: skip
        found = mark(by_numpy(wrong), claim)
        assert found.ok is False and not found.refutes


def test_a_sweep_confirms_and_never_settles() -> None:
    """Agreement in floats would be called a proof; or a difference within rounding a disproof."""
    found = mark(by_numpy(), main_claim())
    assert found.ok is True and not found.settles
    assert mark(by_numpy(), equal(X, add(X, X))).refutes


def test_numpy_signs() -> None:
    """Entries that are not positive would be called positive."""
    assert ok(by_numpy(), holds(ZERO, "<", A, {})) is True
    assert mark(by_numpy(), holds(ZERO, "<", S, {})).refutes
    assert ok(by_numpy(), holds(ZERO, "<", multiply(A, ZERO), {})) is False
    assert ok(by_numpy(), holds(ZERO, "≤", multiply(S, S), {})) is True
    assert mark(by_numpy(), holds(multiply(S, S), "≤", ZERO, {})).refutes
    assert mark(by_numpy(), holds(x, "<", x, {})).refutes  # exact, and equal


def test_what_rounding_hides_refutes_nothing() -> None:
    """exp(−800) > 0 and exp(−800) ≠ 0 would be called false, as it is 0 in floating point."""
    tiny = exp(pointwise("neg", number(800)))
    for claim in (holds(ZERO, "<", tiny, {}), holds(tiny, "≠", ZERO, {})):
        found = mark(by_numpy(), claim)
        assert found.ok is False and not found.refutes
    assert mark(by_numpy(), holds(ZERO, "<", pointwise("neg", exp(ONE)), {})).refutes


def test_cases_say_nothing_of_a_difference_for_all_values() -> None:
    """ "X ≠ 0 for all X" would be green as random values differ, or "X ≠ X" would stay open."""
    assert ok(by_numpy(), holds(X, "≠", ZERO, {}, some=True)) is False  # all entries zero are tried
    e = exp(X)
    assert ok(by_numpy(), holds(e, "≠", ZERO, {})) is None
    assert mark(by_numpy(), holds(X, "≠", X, {})).refutes
    assert ok(by_numpy(), replaced_exists(holds(X, "≠", X, {}, some=True))) is None
    assert ok(by_numpy(), holds(X, "=", X, {}, some=True)) is None


def replaced_exists(claim: Claim) -> Claim:
    """That there are such tensors."""
    s = claim.statement
    return replace(claim, statement=Statement(s.atom, exists=frozenset(s.tensors)))


def test_numpy_differs() -> None:
    """Sides that are equal would be said to differ, or sides that differ would not."""
    theorem = loaded("not_invariant_self_attention")
    found = [not_invariant_self_attention.witness(k) for k in (2, 3)]
    claim = theorem.claims[0]
    green = mark(by_numpy_differs(found), claim)
    assert green.ok is True and not green.settles
    assert ok(by_numpy_differs(found), theorem.neighbour.claim) is False
    assert said(by_numpy_differs([]), claim) == (None, "no witness given")
    same = replace(found[0], tensors=found[0].tensors | {"X": [[1], [1]]})
    assert ok(by_numpy_differs([*found, same]), claim) is False
    for relation in "=<≤":
        assert ok(by_numpy_differs(found), claim.stating(relation=relation)) is None
    assert ok(by_numpy_differs(found), claim.stating(some=False)) is None


def test_numpy_reads_definitions_to_the_letter() -> None:
    """A softmax that is defined wrongly would pass, read as libraries compute the right one."""
    row = tensor("s", j=A.sets["j"])
    twice = exp(add(row, row))
    wrong = define("Softmax", [row], divide(twice, total(twice, "j")))
    false = call(wrong, [S], [["j"]], ["j"])
    assert ok(by_numpy(), equal(false, A)) is False
    assert ok(by_numpy(), equal(A, A)) is True
    given = by_numpy(lambda t: reference.softmax(t["S"]).T)
    assert ok(given, equal(A, A)) is True and ok(given, equal(false, false)) is False


def test_numpy_tells_a_vacuous_bound() -> None:
    """A bound above every value would let anything pass as agreement."""
    lost = subtract(add(X, number(10**20)), number(10**20))  # 0, give or take 10⁴
    assert ok(by_numpy(), equal(lost, X)) is not True
    near = add(lost, ONE)
    assert said(by_numpy(), equal(near, add(near, X))) == (
        None,
        "float64: the bound is vacuous, above every value",
    )
    assert ok(by_numpy(), equal(X, X)) is True


def test_a_root_of_what_may_be_negative_is_no_agreement() -> None:
    """NaN on both sides would be agreement; or what the hypotheses ask would not be drawn."""
    assert ok(by_numpy(), equal(sqrt(X), sqrt(X))) is False
    assert ok(by_numpy(), equal(sqrt(X), sqrt(X), given=[Atom(ZERO, "<", X)])) is True
    only = said(by_numpy(dtypes=(np.float64,)), equal(X, X))
    assert only[0] and "float64, seed" in only[1] and "float32" not in only[1]


@pytest.mark.parametrize(
    ("relation", "above", "room", "is_shown", "is_refuted"),
    [
        ("=", 0, 0, True, False), ("=", 0, 1, False, False), ("=", 2, 1, False, True),
        ("≠", 0, 0, False, True), ("≠", 1, 1, False, False), ("≠", 2, 1, True, False),
        ("<", 2, 1, True, False), ("<", 1, 1, False, False), ("<", -1, 1, False, True),
        ("≤", 1, 1, True, False), ("≤", -1, 1, False, False), ("≤", -2, 1, False, True),
        *((r, np.nan, 1, False, False) for r in ("=", "≠", "<", "≤")),
    ],
)  # fmt: skip
def test_what_is_shown_and_refuted_beyond_rounding(
    relation: str, above: float, room: float, is_shown: bool, is_refuted: bool
) -> None:
    """A difference within the rounding bounds would decide a relation, or NaN would."""
    one = Atom(tensor("a"), relation, tensor("b"))
    pair = ball(0, room), ball(above, 0)
    assert (shown(*pair, one), refuted(*pair, one)) == (is_shown, is_refuted)
    every, some = (replace(Atom(X, relation, tensor("Y", **X.sets)), some=k) for k in (False, True))
    zero = np.zeros(2)
    both = Ball(zero, zero + room), Ball(np.array([above, np.nan]), zero)  # of one nothing is known
    assert (shown(*both, every), refuted(*both, every)) == (False, is_refuted)
    assert (shown(*both, some), refuted(*both, some)) == (is_shown, False)


def test_unknown_maps_are_not_alike() -> None:
    """f = g would hold for two unknown maps of rows."""
    f, g = (opaque(name, {"c": "c"}, X, {"h": X.sets["c"]}) for name in "fg")
    assert ok(by_numpy(), equal(f, f)) is True
    assert ok(by_numpy(), equal(f, g)) is False


@pytest.mark.parametrize(
    ("plant", "sympy", "numeric"),
    [(None, False, False), (plant_in_entries, True, False), (plant_in_arrays, False, True)],
)
def test_no_error_turns_two_marks_green(
    plant: Any, sympy: bool, numeric: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """σ read for σ⁻¹ would prove that X moved by the one is X moved by the other, twice."""
    monkeypatch.setattr(sympy_entries, "KNOWN", {})  # entries that were evaluated without the error
    if plant:
        plant("inverse", monkeypatch)
    claim = holds(moved(T, i=inverse(σ)), "=", moved(T, i=σ), {})
    assert (ok(by_sympy, claim), ok(by_numpy(), claim)) == (sympy, numeric)


def test_the_precisions_that_are_named_are_those_tried() -> None:
    """A claim whose bound says nothing in float32 would stay open, or be said to hold in both."""
    for names in (("float64",), ("float32", "float64"), ("float32",)):
        found = mark(by_numpy(dtypes=names), main_claim())
        assert found.ok and re.findall(r"float\d\d", found.detail) == [*names]
