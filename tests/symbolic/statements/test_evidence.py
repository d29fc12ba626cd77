"""What evidence says of a claim: settled, confirmed, refuted, undecided, or not about it."""

from dataclasses import replace

import pytest

from orderproof.symbolic.calculus.terms import Set
from orderproof.symbolic.models.builders import leaf_of, moved, number, permutation, size, tensor
from orderproof.symbolic.statements.evidence import Evidence, Weight, weigh
from orderproof.symbolic.statements.statement import Atom, Sizes, Statement, sizes

n, m = Set("n"), Set("m")
X, Y, Z = tensor("X", i=n), tensor("Y", i=n), tensor("Z", j=m)
ZERO, sigma = number(0), permutation("σ", n)
GIVEN = Atom(Y, "=", ZERO)
CLAIM = Statement(Atom(X, "=", Y), frozenset({GIVEN}), sizes=sizes({n: 2}))
THERE = Statement(
    Atom(X, "≠", Y, some=True), frozenset({GIVEN}), frozenset({leaf_of(X)}), sizes=sizes({n: 3})
)
UNEQUAL = Statement(Atom(X, "≠", Y), sizes=sizes({n: 1}))
SOMEWHERE = Statement(Atom(X, "≠", Y, some=True), sizes=sizes({n: 1}))


def at(s: Statement, *cases: int) -> Statement:
    """A statement at these sizes of n alone."""
    return s.at((n,), [(k,) for k in cases])


SETTLES, CONFIRMS = Weight(True, "so", settles=True), Weight(True, "so")
WEIGHED = {
    "the claim itself": (CLAIM, CLAIM, False, SETTLES),
    "without its hypothesis": (CLAIM, replace(CLAIM, given=frozenset()), False, SETTLES),
    "all sizes": (CLAIM, replace(CLAIM, sizes=sizes()), False, SETTLES),
    "cases of all of it": (CLAIM, CLAIM, True, CONFIRMS),
    "sizes of its own": (CLAIM, at(CLAIM, 2, 3), False, CONFIRMS),
    "cases at sizes of its own": (CLAIM, at(CLAIM, 2, 3), True, CONFIRMS),
    "without its hypothesis, at sizes of its own": (
        CLAIM, at(replace(CLAIM, given=frozenset()), 2), False, CONFIRMS
    ),
    "the sizes that are claimed": (at(CLAIM, 2, 3), at(CLAIM, 2, 3), False, SETTLES),
    "more than the sizes that are claimed": (at(CLAIM, 2), at(CLAIM, 2, 3), False, SETTLES),
    "witnesses at n = 3, 4": (THERE, at(THERE, 3, 4), False, CONFIRMS),  # falsehood 11
    "witnesses at all sizes that are claimed": (at(THERE, 3), at(THERE, 3, 4), False, SETTLES),
    "a proof that all differ": (UNEQUAL, UNEQUAL, False, SETTLES),
}  # fmt: skip


@pytest.mark.parametrize("what", WEIGHED)
def test_what_covers_settles_and_what_covers_some_sizes_confirms(what: str) -> None:
    """Cases would settle a claim for every n, or a proof would not."""
    claimed, shown, sweep, expected = WEIGHED[what]
    assert weigh(claimed, Evidence(True, "so", shown, sweep)) == expected


NOT_GREEN = {
    "another atom": (CLAIM, replace(CLAIM, atom=Atom(Y, "=", X))),
    "a hypothesis more": (CLAIM, CLAIM.under(Atom(X, "≤", ZERO))),
    "a hypothesis more, at sizes of its own": (CLAIM, at(CLAIM.under(Atom(X, "≤", ZERO)), 2)),
    "for all n ≥ 3": (CLAIM, replace(CLAIM, sizes=sizes({n: 3}))),
    "other sizes": (CLAIM, at(CLAIM, 1)),
    "other sizes too": (CLAIM, at(CLAIM, 1, 2)),  # n = 1 may be where it is shown
    "another list": (at(CLAIM, 2, 5), at(CLAIM, 2, 3)),
    "another symbol that there is": (
        THERE, replace(THERE, exists=frozenset({leaf_of(X), leaf_of(Y)}), given=frozenset())
    ),
    "of other sets": (CLAIM, Statement(Atom(Z, "=", ZERO), sizes=sizes(among={m: [1]}))),
    "of other sets, listed together": (
        CLAIM, Statement(Atom(X, "=", Z), sizes=Sizes(of=(n, m), among=frozenset({(2, 1)})))
    ),
    "of numbers": (CLAIM, Statement(Atom(ZERO, "=", ZERO))),
}  # fmt: skip


@pytest.mark.parametrize("sweep", [False, True])
@pytest.mark.parametrize("what", NOT_GREEN)
def test_evidence_for_another_statement_is_red(what: str, sweep: bool) -> None:
    """A mark would be green on a proof of something else: falsehoods 6 and 11 of the review."""
    claimed, shown = NOT_GREEN[what]
    weight = weigh(claimed, Evidence(True, "so", shown, sweep))
    assert weight == Weight(False, weight.detail)
    assert weight.detail and weight.detail != "so" and "\n" not in weight.detail


def test_the_reason_says_what_was_stated_and_what_is_claimed() -> None:
    """Who made the mistake would have to compare two statements by eye."""
    swapped = replace(CLAIM, atom=Atom(Y, "=", X))
    assert weigh(CLAIM, Evidence(True, "", swapped)).detail == (
        "it says something else: Y = X, claimed X = Y"
    )
    more = CLAIM.under(Atom(X, "≤", ZERO))
    assert weigh(CLAIM, Evidence(True, "", more)).detail == (
        "it needs a hypothesis that is not claimed: X ≤ 0"
    )
    late = replace(CLAIM, sizes=sizes({n: 3}))
    assert weigh(CLAIM, Evidence(True, "", late)).detail == "it is proved for n ≥ 3, not for 2"


@pytest.mark.parametrize("claimed", [UNEQUAL, SOMEWHERE])
def test_cases_say_nothing_of_unequal_for_all_values(claimed: Statement) -> None:
    """Drawn values differ nearly always, whether or not all do: X ≠ Y would be confirmed."""
    for shown in (claimed, at(claimed, 2)):
        weight = weigh(claimed, Evidence(True, "so", shown, sweep=True))
        assert weight == Weight(None, "cases do not prove ≠ for all values")
    assert weigh(CLAIM, Evidence(True, "so", UNEQUAL, sweep=True)).ok is False


def test_cases_of_existence_confirm_it() -> None:
    """≠ of what there is says more than ≠ of what was drawn: a witness is one."""
    assert weigh(THERE, Evidence(True, "so", at(THERE, 3), sweep=True)) == CONFIRMS


@pytest.mark.parametrize("states", [None, CLAIM, THERE])
def test_what_is_not_shown_is_not_green(states: Statement | None) -> None:
    """A time-out, or a check that found nothing, would be a proof."""
    assert weigh(CLAIM, Evidence(None, "open", states)) == Weight(None, "open")
    assert weigh(CLAIM, Evidence(False, "no", states)) == Weight(False, "no")
    assert weigh(CLAIM, Evidence(None, "open", states, refutes=True)) == Weight(None, "open")


def test_what_states_nothing_shows_nothing() -> None:
    """A check that says yes, and not to what, would be green."""
    assert weigh(CLAIM, Evidence(True, "so")) == Weight(None, "so")


REFUTED = {
    "for all of its sizes": (CLAIM.negated(), True),
    "at one size": (at(CLAIM.negated(), 2), True),
    "at one size that is claimed": (at(CLAIM.negated(), 1, 2), True),
    "at another size": (at(CLAIM.negated(), 1), False),
    "without the hypothesis": (Statement(CLAIM.atom).negated(), False),
}


@pytest.mark.parametrize("what", REFUTED)
def test_the_opposite_refutes_where_it_satisfies_what_is_given(what: str) -> None:
    """A claim would be refuted by values that it does not speak of; or a refutation overlooked."""
    shown, refuted = REFUTED[what]
    weight = weigh(CLAIM, Evidence(True, "so", shown))
    assert (weight.ok, weight.settles, weight.refutes) == (False, False, refuted)
    assert (weight.detail == "the opposite holds: so") is refuted
    assert not weigh(CLAIM, Evidence(True, "so", shown, sweep=True)).refutes


def test_a_case_refutes_the_statement_that_was_looked_at_and_no_other() -> None:
    """A case in which another statement is false would refute the claim; then a true claim that is
    expected to be refuted comes out as declared: falsehood 8."""
    assert weigh(CLAIM, Evidence(False, "no", refutes=True)) == Weight(False, "no", refutes=True)
    weaker = (CLAIM, at(CLAIM, 2), CLAIM.under(Atom(X, "≤", ZERO)))
    for s in weaker:  # what the claim gives is false, and so is the claim
        assert weigh(CLAIM, Evidence(False, "no", s, refutes=True)).refutes
    stronger = (replace(CLAIM, given=frozenset()), at(CLAIM, 1), replace(CLAIM, sizes=sizes()))
    for s in (*stronger, THERE, Statement(Atom(Z, "=", ZERO), sizes=sizes(among={m: [1]}))):
        weight = weigh(CLAIM, Evidence(False, "no", s, refutes=True))
        assert (weight.ok, weight.refutes) == (False, False)
        assert weight.detail.startswith("a refutation of something else: ")


def test_numbers_under_a_hypothesis_are_weighed() -> None:
    """Weighing would end in an error where there is nothing that could be there."""
    claim = Statement(Atom(size(n), "=", number(1)), frozenset({Atom(size(n), "≠", ZERO)}))
    assert weigh(claim, Evidence(True, "so", CLAIM)).ok is False
    assert weigh(claim, Evidence(True, "so", claim)).settles


def test_maps_that_there_are_refute_what_is_said_for_all() -> None:
    """A permutation that does not commute would not refute that all do."""
    claim = Statement(Atom(moved(X, i=sigma), "=", X))
    there = at(claim.negated(), 2)
    assert there.exists == {sigma, leaf_of(X)}
    assert weigh(claim, Evidence(True, "so", there)).refutes
    alone = replace(there, exists=frozenset({sigma}))  # for all X, which says more, in other words
    assert not weigh(claim, Evidence(True, "so", alone)).refutes
