"""Questions generated from statements: true ones are proved, false ones next to them are not."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import replace

import pytest
import z3

from orderproof.symbolic.models.builders import add, at, multiply, number, tensor, total
from orderproof.symbolic.smt.budget import FALSEHOOD
from orderproof.symbolic.smt.chain import ByChain, Served, by_chain, chain, regenerated
from orderproof.symbolic.smt.question import QuestionError
from orderproof.symbolic.smt.values import Values
from orderproof.symbolic.statements.evidence import weigh
from orderproof.symbolic.statements.statement import Atom, Statement, StatementError, uncovered
from orderproof.symbolic.statements.text import canonical, digest

from .chain_statements import (
    END,
    OUTSIDE,
    A,
    Case,
    S,
    X,
    above,
    all_,
    cases,
    e,
    m,
    moved,
    n,
    one_feature,
    sigma,
    witnesses,
)

CASES = cases()
# Of "keys" there is a quick test of its own; "sum" and "masked" are like the others, and shorter.
LONG = ("outside", "keys", "values", "decreasing", "factors", "prod", "min")
each_case = pytest.mark.parametrize(
    "case",
    [pytest.param(c, id=c.name, marks=[pytest.mark.slow] * (c.name in LONG)) for c in CASES],
)


def impatient(*steps: str, values: Iterable[Atom] = ()) -> ByChain:
    """What is false may stay undecided: few units are enough to say so."""
    return replace(by_chain(*steps, values=values), budget=FALSEHOOD)


@each_case
def test_a_true_statement_is_settled(case: Case) -> None:
    """A claim with an smt mark would stay open."""
    found = by_chain(*case.steps, values=case.values)(case.statement)
    assert found.ok is True, found.detail
    assert weigh(case.statement, found).settles


@each_case
def test_a_false_statement_is_not_proved(case: Case) -> None:
    """A falsehood would be green: a side changed, a size lowered, or a hypothesis dropped."""
    assert case.false
    for false in case.false:
        assert impatient(*case.steps, values=case.values)(false).ok is not True, false


@each_case
def test_evidence_is_of_its_own_statement(case: Case) -> None:
    """What was proved of the true statement would count for a false one."""
    found = by_chain(*case.steps, values=case.values)(case.statement)
    for false in case.false:
        assert not weigh(false, found).settles


@pytest.mark.parametrize("steps", [(), OUTSIDE, ("positive", "scale"), ("permute",), ("agree",)])
def test_no_steps_prove_what_is_false_of_itself(steps: tuple[str, ...]) -> None:
    """An SMT outline once proved Z_O ≠ Z_O and X + X = X: nothing compared it with its terms."""
    output = one_feature(e)
    apart = all_(output, "≠", output, some=True)
    double = all_(add(X, X), "=", X)
    for false in (apart, double):
        assert impatient(*steps)(false).ok is not True


def test_a_sum_depends_on_the_indices_outside_it() -> None:
    """Were the array under a sum one constant, all rows would have one sum."""
    rows = all_(total(S, "j"), "=", total(moved(S, i=sigma), "j"))
    nested = all_(
        total(multiply(A, total(S, "j")), "i"),
        "=",
        total(multiply(A, total(moved(S, i=sigma), "j")), "i"),
    )
    for false in (rows, nested):
        for steps in (("agree",), ("scale",), ("permute",), ("scale", "agree", "permute")):
            assert by_chain(*steps)(false).ok is not True


def test_what_is_given_of_one_place_is_not_known_of_others() -> None:
    """A hypothesis about one token would be used of all: 0 < a(m) does not make Σ a positive."""
    a = tensor("a", j=n)
    given = above(at(a, {"j": END()}))
    false = all_(number(0), "<", total(a, "j"), given)
    for steps in (("positive",), ("present",), ("support",), ("more",)):
        assert by_chain(*steps)(false).ok is not True


def test_hypotheses_that_contradict_each_other_prove_nothing() -> None:
    """A vacuous statement would be green."""
    a = tensor("a", j=n)
    vacuous = all_(total(a, "j"), "=", number(1), above(a), Atom(a, "<", number(0)), least={n: 1})
    assert by_chain()(vacuous).ok is not True
    absurd = all_(a, "=", number(1), Atom(number(1), "=", number(0)))
    assert by_chain()(absurd).ok is None


@pytest.mark.slow
def test_what_is_given_is_a_bijection_at_every_size() -> None:
    """The swap of the first two tokens would be a permutation of one token."""
    keys = witnesses()[0]
    small = by_chain(*keys.steps, values=keys.values)(keys.false[0])
    assert small.ok is not True and "bijection" in small.detail


def test_what_there_is_is_given_by_terms_without_it() -> None:
    """X = X + 1 would give an X."""
    a = tensor("a", j=n)
    s = Statement(Atom(a, "≠", a, True), exists=frozenset({a.node.op}))
    circular = by_chain(values=[Atom(a, "=", add(a, number(1)))])
    assert circular(s).ok is None
    assert by_chain(values=[])(s).ok is None or not weigh(s, by_chain()(s)).settles


def test_unknown_constructors_and_steps_are_refused() -> None:
    """What cannot be read would be left out of the question, or a misspelt step pass unnoticed."""
    assert by_chain("sacle")(all_(A, "=", A)).ok is None
    with pytest.raises(QuestionError, match="sacle"):
        chain(all_(A, "=", A), ("sacle",))
    with pytest.raises(StatementError):
        regenerated(Served("[]", "", ""))


def test_a_chain_without_one_of_its_laws_is_faulty() -> None:
    """A law would be used that nobody proves, or the statement itself not be asked."""
    s = all_(total(A, "j"), "=", number(1), least={m: 1})
    made = chain(s, ("positive", "scale"))
    assert made.fault() == ""
    assert made.statement == made.shows == s
    for k in range(len(made.laws)):
        less = replace(made, laws=(*made.laws[:k], *made.laws[k + 1 :]))
        assert "not proved before" in less.fault()
    assert replace(made, questions=made.questions[:-1]).fault() == "no goal"
    assert "two questions" in replace(made, questions=(*made.questions, made.questions[-1])).fault()


def test_no_law_of_a_chain_can_be_left_out_of_its_questions() -> None:
    """A step would do nothing: the statement follows without the law it names."""
    s = all_(total(A, "j"), "=", number(1), least={m: 1})
    for steps in (("positive",), ("scale",), ()):
        assert by_chain(*steps)(s).ok is not True


# ------------------------------------------------------------------------------------- certificates
def test_certificates_are_made_again_from_the_text_of_their_statement() -> None:
    """A certificate could not be compared with its statement."""
    (case,) = (c for c in CASES if c.name == "masked")
    check = by_chain(*case.steps)
    ((served, questions),) = check.served(case.statement).items()
    text = canonical(case.statement)
    assert (served.statement, served.digest) == (text, digest(case.statement))
    assert Served.of(served.line()) == served
    again = regenerated(served)
    assert {name: o.smtlib() for name, o in again.items()} == {
        o.name: o.smtlib() for o in questions
    }
    for line in (
        served.line().replace(",", ", ", 1),
        served.line().replace("{", '{"digest":"0",', 1),
        "[" * 10**5,
        "[]",
        "{}",
        "1",
        "",
    ):
        with pytest.raises((ValueError, RecursionError)):
            Served.of(line)
    with pytest.raises(StatementError, match="digest"):
        regenerated(replace(served, digest=digest(CASES[0].statement)))


def test_another_statement_gives_another_goal() -> None:
    """A file that proves x = x would pass under the name of another theorem."""
    for case in CASES[:8]:
        true = chain(case.statement, case.steps).questions[-1].smtlib()
        for false in case.false:
            assert chain(false, case.steps).questions[-1].smtlib() != true


def test_names_do_not_depend_on_what_was_built_before() -> None:
    """Two runs would write two certificates, and a reader could not compare them."""
    s = all_(total(A, "j"), "=", number(1), least={m: 1})
    served = Served(canonical(s), digest(s), "positive; scale")
    here = {name: o.smtlib() for name, o in regenerated(served).items()}
    script = (
        "import sys, json\n"
        "from orderproof.symbolic.smt.chain import Served, regenerated\n"
        "made = regenerated(Served.of(sys.stdin.read()))\n"
        "print(json.dumps({name: o.smtlib() for name, o in made.items()}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=served.line(), capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == here


def test_what_there_is_has_the_text_of_its_instance() -> None:
    """A certificate of 'there are' could not be made again."""
    keys = witnesses()[0]
    check = by_chain(*keys.steps, values=keys.values)
    ((served, questions),) = check.served(keys.statement).items()
    again = regenerated(served)
    assert list(again) == [o.name for o in questions] and served.instance
    other = witnesses()[1]
    ((wrong, _),) = by_chain(*other.steps, values=other.values).served(other.statement).items()
    with pytest.raises(StatementError, match="another statement"):
        regenerated(replace(served, instance=wrong.instance))
    found = check(keys.statement)
    assert found.states is not None and uncovered(found.states, keys.statement) == ""


# ------------------------------------------------------------------------------------------- values
def test_values_of_different_functions_have_no_relation() -> None:
    """Two functions would be taken for one, or one function for two."""
    f, g = (z3.Function(name, z3.IntSort(), z3.RealSort()) for name in "fg")
    x, y = z3.Ints("x y")
    values = Values()
    named_ = [values.named(t) for t in (f(x), f(y), g(x), f(x))]
    assert named_[0].eq(named_[3]) and not named_[0].eq(named_[2])
    assert [str(c) for c in values.congruences()] == ["Implies(x == y, v1 == v2)"]
