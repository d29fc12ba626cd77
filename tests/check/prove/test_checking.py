"""Checking: how evidence becomes verdicts, and what a broken check counts for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from orderproof.check.claims import Atom, Evidence, Sentence, differs, holds, sizes
from orderproof.check.marks.exact import compared
from orderproof.check.marks.numeric import by_numpy
from orderproof.check.marks.sympy_entries import by_sympy
from orderproof.check.page import ERROR, RECORDED_ROCQ, Mark, weakest
from orderproof.check.prove import checking, results
from orderproof.check.prove.checking import has_a_model, run, verdict
from orderproof.check.prove.unchecked import kinds
from orderproof.check.rocq.mark import ByRocq
from orderproof.proofs.symbols import X, d, n
from orderproof.publish.theorem import as_text
from orderproof.symbolic.calculus.terms import at
from orderproof.symbolic.models.builders import add, constant, iota, number, tensor, total
from orderproof.symbolic.statements.statement import Sizes, Statement
from tests.judged import answering, claiming, loaded, toy

E = tensor("E", i=n, c=d)
x = tensor("x", i=n)
SETTLES = Mark("kernel", True, 0.0, "", settles=True)
RECORDED = Mark(RECORDED_ROCQ, True, 0.0, "", settles=True)
CONFIRMS = Mark("sympy", True, 0.0, "")
NO, OPEN = (Mark("kernel", ok, 0.0, "") for ok in (False, None))
REFUTES = Mark("numeric", False, 0.0, "", refutes=True)
BROKEN = Mark("kernel", False, 0.0, f"{ERROR}KeyError: gone")


# -------------------------------------------------------------------------------------- verdicts
@pytest.mark.parametrize(
    ("marks", "model", "outcome"),
    [
        ((SETTLES,), True, "proved"),
        ((SETTLES, CONFIRMS), True, "proved"),
        ((SETTLES,), False, "open"),
        ((), True, "open"),
        ((CONFIRMS,), True, "open"),
        ((OPEN,), True, "open"),
        ((SETTLES, OPEN), True, "open"),
        ((NO,), True, "open"),
        ((SETTLES, NO), True, "open"),
        ((REFUTES,), True, "refuted"),
        ((SETTLES, REFUTES), True, "refuted"),
        ((REFUTES, OPEN), True, "refuted"),
        ((SETTLES, BROKEN), True, "open"),
        ((REFUTES, BROKEN), True, "open"),
        ((RECORDED,), True, "recorded"),
        ((CONFIRMS, RECORDED), True, "recorded"),
        ((SETTLES, RECORDED), True, "proved"),
        ((RECORDED,), False, "open"),
        ((RECORDED, NO), True, "open"),
        ((RECORDED, OPEN), True, "open"),
        ((RECORDED, REFUTES), True, "refuted"),
        ((RECORDED, BROKEN), True, "open"),
    ],
)
def test_verdict(marks: tuple[Mark, ...], model: bool, outcome: str) -> None:
    """A claim would be called proved without evidence that settles it, past an undecided one, past
    a failure, or under hypotheses that nothing satisfies."""
    assert verdict(marks, model) == outcome


def test_what_is_expected_does_not_choose_the_verdict() -> None:
    """A true claim with expected="refuted" would come out refuted, and as declared."""
    theorem = loaded("perm_transpose_mul")
    true = replace(theorem.claims[0], expected="refuted")
    page = checking.check(claiming(theorem, true))
    assert page.claims[0].verdict == "proved" and results.ending([page]).status == 1
    false = replace(theorem.neighbour.claim, expected="proved")
    page = checking.check(claiming(theorem, false))
    assert (
        page.claims[0].verdict == page.verdict == "refuted" and results.ending([page]).status == 1
    )
    told = checking.check(claiming(theorem, replace(false, expected="refuted")))
    assert told.claims[0].verdict == "refuted"


def test_evidence_alone_proves_nothing() -> None:
    """Agreement in floats, or for small sizes, would be called a proof for all."""
    theorem = loaded("perm_transpose_mul")
    for marks in ({"sympy": by_sympy}, {"numeric": by_numpy()}, {"toy": answering(True, True)}):
        claim = replace(theorem.claims[0], marks=marks)
        page = checking.check(claiming(theorem, claim), ByRocq())
        assert page.claims[0].marks[0].ok is True and page.verdict == "open"


def test_an_example_does_not_speak_for_every_size() -> None:
    """One counterexample at n = 2 would prove a claim about every n ≥ 2, or about every width."""
    theorem = loaded("not_invariant_self_attention")
    (claim,) = theorem.claims
    s = claim.statement

    def at_two(_: Statement) -> Evidence:
        return Evidence(True, "as told", s.at(s.sets, [(2, 1, 1, 1)]))

    alone = replace(claim, marks={"exact": at_two})
    assert s.sets[0] == n
    assert checking.check(claiming(theorem, alone), ByRocq()).verdict == "open"
    small = alone.stating(sizes=Sizes(of=s.sets, among=frozenset({(2, 1, 1, 1)})))
    assert checking.check(claiming(theorem, small)).verdict == "proved"
    without = alone.stating(sizes=Sizes(of=s.sets[:-1], among=frozenset({(2, 1, 1)})))
    assert checking.check(claiming(theorem, without)).verdict == "open"


def test_a_proof_that_is_missing_refutes_nothing() -> None:
    """A file that Rocq did not check in time would be printed as a disproof."""
    for mark in ("kernel", "smt", "rocq", "sympy", "exact", "interval", "numeric"):
        assert verdict([Mark(mark, False, 0.0, "")], model=True) == "open"


def test_a_proof_of_the_opposite_refutes() -> None:
    """Evidence that there are tensors for which a claim fails would be lost, or refute one about
    other sizes."""
    claim = holds(x, "=", number(0), {}, over=sizes({n: 1}))
    other = differs(x, number(0), {}, over=sizes(among={n: (2,)})).statement
    found = run(lambda s: Evidence(True, "x = 1", other), "toy", claim)
    assert found.refutes and found.ok is False and verdict([found], model=True) == "refuted"
    far = claim.stating(sizes=sizes({n: 3}))
    assert not run(lambda s: Evidence(True, "x = 1", other), "toy", far).refutes
    swept = Evidence(True, "x = 1", other, sweep=True)
    assert not run(lambda s: swept, "toy", claim).refutes


def test_hypotheses_that_nothing_satisfies_settle_nothing() -> None:
    """1 = 0 as a hypothesis would prove every claim; or one that holds of no token alone."""
    a, b = (at(iota(n, "i"), {"i": constant(name, n)()}) for name in "ab")
    for hypotheses in (
        [Atom(number(1), "=", number(0))],
        [Atom(number(0), "<", x), Atom(x, "<", number(0))],
        [Atom(a, "<", b), Atom(b, "<", a)],
        [Atom(x, "=", number(1)), Atom(total(x, "i"), "<", number(0))],
    ):
        claim = toy(rhs=add(X, X), given=frozenset(hypotheses))
        assert not has_a_model(claim.statement)
        theorem = loaded("perm_transpose_mul")
        settled = replace(claim, marks={"toy": answering(True)})
        page = checking.check(claiming(theorem, settled))
        assert page.claims[0].marks[0].settles and page.claims[0].verdict == "open"
        assert page.claims[0].model is False
        assert has_a_model(toy(given=frozenset(hypotheses[:-1])).statement)
    for name in (
        "additive_position_iff",
        "two_causal_layers_see_order",
        "naturality_of_fixed_index",
    ):
        assert all(has_a_model(c.statement, c.marks.values()) for c in loaded(name).claims)


def test_never_proved_without_an_ok_mark() -> None:
    """Some combination of marks would give "proved" although one of them is not ok."""
    for first in (SETTLES, CONFIRMS, NO, OPEN, REFUTES):
        for second in (SETTLES, CONFIRMS, NO, OPEN, REFUTES):
            good = verdict([first, second], model=True) == "proved"
            both = first.ok is True and second.ok is True
            assert good == (both and (first.settles or second.settles))


@pytest.mark.parametrize(
    ("verdicts", "outcome"),
    [
        (["proved", "proved"], "proved"),
        (["proved", "refuted"], "refuted"),
        (["proved", "open"], "open"),
        (["open", "refuted"], "refuted"),
        (["recorded", "proved"], "recorded"),
        (["recorded", "open"], "open"),
        ([], "open"),
    ],
)
def test_weakest(verdicts: Sequence[str], outcome: str) -> None:
    """A theorem would be stronger than one of its claims, or be proved without any."""
    assert weakest(verdicts) == outcome


def checked(*answers: bool | None) -> tuple[str, list[str], int]:
    """The verdicts of a theorem with one claim for each answer, and the exit status."""
    theorem = loaded("perm_transpose_mul")
    one = theorem.claims[0]
    changed = tuple(replace(one, marks={"kernel": answering(ok)}) for ok in answers)
    page = checking.check(claiming(theorem, *changed))
    return page.verdict, [c.verdict for c in page.claims], results.ending([page]).status


def test_check_carries_marks_to_the_page() -> None:
    """A failed or undecided mark would be lost between the check and the exit status."""
    assert checked(True, True) == ("proved", ["proved", "proved"], 0)
    assert checked(True, None) == ("open", ["proved", "open"], 3)
    assert checked(None, False) == ("open", ["open", "open"], 1)


def test_a_check_that_accepts_the_planted_falsehood() -> None:
    """The page would call the neighbour rejected although a check accepts it."""
    theorem = loaded("perm_transpose_mul")
    page = checking.check(theorem)
    assert (
        page.refused == "rejected by kernel, sympy, numeric" and results.ending([page]).status == 0
    )
    marks = {**theorem.neighbour.claim.marks, "sympy": answering(True), "numeric": answering(None)}
    false = replace(theorem.neighbour.claim, marks=marks)
    lenient = checking.check(replace(theorem, planted=replace(theorem.neighbour, claim=false)))
    assert lenient.refused == "rejected by kernel but NOT REJECTED by sympy, numeric"
    assert lenient.verdict == "open" and results.ending([lenient]).status == 1
    assert "NOT REJECTED by sympy" in as_text(lenient)


def test_sentences_name_the_claims_that_say_them() -> None:
    """A sentence that no claim says would stand under what is proved, or name a claim that is not
    there."""
    theorem = loaded("perm_transpose_mul")
    words = (Sentence("Said.", (0, 2)), Sentence("Believed."))
    page = checking.check(replace(theorem, words=words, claims=theorem.claims))
    assert (page.said, page.remarks) == ("Said.", "Believed.")
    shown = as_text(page)
    assert "\nSaid.\n" in shown and "\nRemark: Believed.\n" in shown
    with pytest.raises(
        ValueError, match="perm_transpose_mul: given claim 3, expected one of the claims"
    ):
        replace(theorem, words=(Sentence("Said.", (3,)),))


def test_halves_of_an_iff_are_checked_to_be_that() -> None:
    """Two claims that are no halves of one statement would be printed as if and only if."""
    theorem = loaded("perm_transpose_mul")
    with pytest.raises(ValueError, match="perm_transpose_mul: claims 1 and 2: "):
        kinds(replace(theorem, iffs=((0, 1),)))
    half = holds(X, "=", E, {}, given=[Atom(X, "=", E)])
    other = holds(X, "≠", E, {}, some=True, given=[Atom(X, "≠", E, some=True)])
    both = replace(claiming(theorem, half, other), iffs=((0, 1),))
    assert kinds(both) == ["iff, if", "iff, only if"]


# --------------------------------------------------------------------------- checks that break down
def test_an_error_is_not_ok_and_no_rejection() -> None:
    """A check that breaks down would give a green mark, or would count as a planted falsehood that
    was rejected."""

    def broken(_: Statement) -> Evidence:
        raise ZeroDivisionError("by nought")

    mark = run(broken, "toy", toy())
    assert mark.ok is False and mark.detail == f"{ERROR}ZeroDivisionError: by nought"
    assert not mark.rejects
    assert run(answering(False), "toy", toy()).rejects
    assert not run(answering(None), "toy", toy()).rejects
    assert not run(answering(True), "toy", toy()).rejects
    assert verdict([mark, SETTLES], model=True) == "open"
    theorem = loaded("perm_transpose_mul")
    false = replace(theorem.neighbour.claim, marks={"kernel": broken})
    page = checking.check(replace(theorem, planted=replace(theorem.neighbour, claim=false)))
    assert page.refused == "NOT REJECTED by kernel" and page.verdict == "open"


def test_interruption_is_not_swallowed() -> None:
    """Ctrl-C during a check would be filed as a failed mark, and the run would go on."""

    def interrupted(_: Statement) -> Evidence:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(interrupted, "toy", toy())


# -------------------------------------------------------------------------------------------- atoms
@pytest.mark.parametrize(
    ("relation", "holding", "failing"),
    [("=", (1, 1), (1, 2)), ("≠", (1, 2), (1, 1)), ("<", (1, 2), (1, 1)), ("≤", (1, 1), (2, 1))],
)
def test_compared(relation: str, holding: tuple[int, int], failing: tuple[int, int]) -> None:
    """An atom would be misread, or would hold of a value that is not a number."""
    assert compared(holding[0], relation, holding[1])
    assert not compared(failing[0], relation, failing[1])
    assert compared(Fraction(holding[0]), relation, Fraction(holding[1]))
    nan = float("nan")
    assert not any(compared(a, relation, b) for a, b in ((nan, 1), (1, nan), (nan, nan)))


def test_unknown_relation_is_an_error() -> None:
    """A relation that nobody knows would hold, or fail, in silence."""
    with pytest.raises(ValueError, match="given '>', expected"):
        toy(relation=">")


# ---------------------------------------------------------------------------- pushing and printing
