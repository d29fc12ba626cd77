"""The rules between statements: each is used, and what it concludes holds in all small models."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from orderproof.symbolic.calculus.terms import Set
from orderproof.symbolic.models.builders import POINT, add, moved, permutation, reduce, tensor
from orderproof.symbolic.statements.evidence import Evidence
from orderproof.symbolic.statements.logic import (
    Iff,
    LogicError,
    contraposition,
    cut,
    from_some,
    iff,
    instance,
    one_point,
    there_is,
    to_every,
    weakening,
)
from orderproof.symbolic.statements.statement import Atom, StatementError, sizes
from tests.symbolic.statements.models import falsified, iff_falsified
from tests.symbolic.statements.small_statements import (
    AGREE,
    EVERY,
    FALSE,
    IS_0,
    NOT_EMPTY,
    ONE,
    PRIME,
    ZERO,
    A,
    B,
    M,
    W,
    X,
    Y,
    dropped,
    entry,
    m,
    n,
    op,
    p,
    says,
    shown,
    some,
)

sigma = permutation("σ", n)


# ---------------------------------------------------------------------------------- true uses
X_IS_Y = Atom(X, "=", Y)
USES: dict[str, Callable[[], tuple[tuple[Evidence, ...], Callable[..., Any]]]] = {}


def use(*premises: Evidence) -> Callable[[Callable[..., Any]], None]:
    """A use of a rule, by the name of what it shows."""

    def keep(rule: Callable[..., Any]) -> None:
        USES[rule.__name__] = lambda: (premises, rule)

    return keep


@use(shown(Atom(X, "<", add(X, X)), Atom(X, "<", add(X, X)), Atom(Y, "=", X)))
def weakened_to_not_less(e: Evidence) -> Evidence:
    """< gives ≠, at more hypotheses and fewer sizes."""
    s = says(Atom(X, "≠", add(X, X)), *e.states.given, FALSE, sizes=sizes({n: 2}))
    return weakening(e, s)


@use(shown(Atom(X, "=", X)))
def weakened_to_some(e: Evidence) -> Evidence:
    """Every entry gives some, where there is one."""
    return weakening(e, says(some(X, "=", X), sizes=sizes({n: 1})))


@use(shown(Atom(tensor("G", i=Set("+", (n, POINT))), "=", tensor("G", i=Set("+", (n, POINT))))))
def weakened_to_some_of_a_sum(e: Evidence) -> Evidence:
    """A sum of sets has an element where one of them has."""
    return weakening(e, replace(e.states, atom=replace(e.states.atom, some=True)))


@use(shown(Atom(add(X, Y), "=", add(Y, X)), some(X, "≠", Y)))
def instantiated(e: Evidence) -> Evidence:
    """A term for a tensor."""
    return instance(e, {op(X): add(Y, W).rename({"i": 0})})


@use(shown(Atom(add(X, X), "=", add(Y, Y)), X_IS_Y))
def one_point_used(e: Evidence) -> Evidence:
    """What holds if X = Y holds of some X."""
    return one_point(e, op(X))


@use(shown(Atom(add(X, ONE), "≠", X)))
def existence_of_an_instance(e: Evidence) -> Evidence:
    """There is a tensor, as this term is one; the condition is shown on its own."""
    claimed = says(
        Atom(W, "≠", X), exists=[W], such={Atom(W, "=", add(X, ONE))}, sizes=sizes({n: 1})
    )
    same = Atom(add(X, ONE), "=", add(X, ONE))
    return there_is(claimed, {op(W): add(X, ONE).rename({"i": 0})}, e, shown(same))


@use(shown(Atom(moved(X, i=sigma), "=", moved(Y, i=sigma)), X_IS_Y, Atom(Y, "=", ZERO)))
def contraposed(e: Evidence) -> Evidence:
    """Where the conclusion fails, the hypothesis does."""
    return contraposition(e, X_IS_Y)


@use(shown(some(X, "≠", Y), Atom(entry(X), "≠", entry(Y))))
def a_place_taken(e: Evidence) -> Evidence:
    """What follows from an entry follows from some entry."""
    return from_some(e, some(X, "≠", Y), {"i": p})


@use(shown(Atom(entry(X), "=", entry(Y)), X_IS_Y))
def a_place_left(e: Evidence) -> Evidence:
    """What holds at any place holds everywhere."""
    return to_every(e, X_IS_Y, {"i": p})


@use(shown(Atom(A, "<", B), Atom(A, "<", ONE), Atom(ONE, "≤", B)),
     shown(Atom(A, "≠", B), Atom(A, "<", B), sizes=sizes()))  # fmt: skip
def cut_used(e: Evidence, then: Evidence) -> Evidence:
    """A hypothesis that is shown is no hypothesis."""
    return cut(e, then)


@use(
    shown(Atom(A, "=", A)),
    shown(some(X, "≠", W), Atom(A, "=", A), exists=[W], sizes=sizes({n: 1})),
)
def cut_of_existence(e: Evidence, then: Evidence) -> Evidence:
    """At the sizes of both."""
    return cut(e, then)


@use(
    shown(AGREE, IS_0, sizes=sizes({n: 1})),
    shown(AGREE.opposite(), IS_0.opposite(), sizes=sizes({n: 1}), exists=[X, Y]),
)
def both_halves(e: Evidence, other: Evidence) -> Iff:
    """A X = A Y for all X, Y if and only if A = 0."""
    return iff(e.states, other.states)


@pytest.mark.parametrize("name", USES)
def test_a_rule_concludes_what_is_true(name: str) -> None:
    """A rule would be of no use, or its use here no example: premises and conclusion are true."""
    premises, rule = USES[name]()
    for e in premises:
        assert falsified(e.states, p=PRIME) is None
    found = rule(*premises)
    if isinstance(found, Iff):
        assert iff_falsified(found, p=PRIME) is None
    else:
        assert found.ok and not found.sweep and falsified(found.states, p=PRIME) is None
        assert found.states not in [e.states for e in premises]
        assert all(e.detail in found.detail for e in premises)


# ------------------------------------------------------------------------------- further refusals
SAME = Atom(entry(X), "=", entry(X))  # says only that there is a p
CONTRADICTED = shown(FALSE, IS_0, Atom(A, "≠", ZERO))
GUARDED_TWICE = {
    "instance of what there is": (
        "is no tensor",
        lambda: instance(shown(Atom(W, "=", X), exists=[W]), {op(W): Y.rename({"i": 0})}),
    ),
    "one point, in another hypothesis": (
        "in another hypothesis", lambda: one_point(CONTRADICTED, op(A))
    ),
    "cut, a hypothesis about what there is": (
        "about what there is",
        lambda: cut(shown(Atom(B, "=", B), IS_0), shown(IS_0, Atom(B, "=", B), exists=[A])),
    ),
    "cut, no sizes in common": (
        "no sizes in common",
        lambda: cut(shown(NOT_EMPTY, sizes=sizes({n: 2})),
                    shown(NOT_EMPTY, NOT_EMPTY, sizes=sizes(among={n: [1]}))),
    ),
    "cut, two lists": (
        "listed together in two ways",
        lambda: cut(shown(Atom(M, "=", M), sizes=sizes(among={n: [1]})),
                    shown(NOT_EMPTY, Atom(M, "=", M), sizes=sizes(among={n: [1], m: [1]}))),
    ),
    "iff, two hypotheses that differ": (
        "not one hypothesis",
        lambda: iff(says(AGREE, IS_0, Atom(B, "=", ONE)), says(AGREE.opposite(), IS_0.opposite())),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", GUARDED_TWICE)
def test_some_misuses_are_refused_twice(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the rule's own check there is still no statement: the message alone is its use."""
    check, use = GUARDED_TWICE[what]
    with pytest.raises(LogicError, match=check):
        use()
    dropped(monkeypatch, check)
    with pytest.raises(ValueError) as found:  # of another guard
        use()
    assert not isinstance(found.value, LogicError)


PLACED = shown(SAME)
RULES: dict[str, Callable[[Evidence], object]] = {
    "weakening": lambda e: weakening(e, says(Atom(A, "=", ONE))),
    "instance": lambda e: instance(e, {op(A): ONE}),
    "one point": lambda e: one_point(e, op(A)),
    "there is": lambda e: there_is(says(Atom(A, "=", B), exists=[A]), {op(A): B}, e),
    "contraposition": lambda e: contraposition(e, IS_0),
    "from some": lambda e: from_some(e, some(X, "=", ONE), {"i": p}),
    "to every": lambda e: to_every(e, Atom(X, "=", X), {"i": p}),
    "cut": lambda e: cut(PLACED, e),
    "cut, first": lambda e: cut(e, PLACED),
}


@pytest.mark.parametrize("rule", RULES)
def test_no_rule_takes_what_is_not_established(rule: str) -> None:
    """Cases, time-outs and failures would become proofs by a step of logic."""
    s = says(Atom(A, "=", ONE), IS_0)
    for e in (
        Evidence(None, "open", s), Evidence(False, "no", s), Evidence(True, "so"),
        Evidence(True, "cases", s, sweep=True), Evidence(False, "no", s, refutes=True),
    ):  # fmt: skip
        with pytest.raises(LogicError, match=f"given what is not established: {e.detail}"):
            RULES[rule](e)


def test_a_statement_cannot_be_made_about_sets_that_are_gone() -> None:
    """A bound on a set of which nothing is said any more would be forgotten."""
    e = shown(Atom(A, "=", A), Atom(reduce("sum", X, "i"), "=", ZERO), sizes=sizes({n: 1}))
    assert instance(e, {op(X): ONE}).states.sizes == sizes({n: 1})  # type: ignore[union-attr]
    one, other = shown(NOT_EMPTY, sizes=sizes({n: 1})), shown(Atom(A, "=", A), NOT_EMPTY)
    with pytest.raises(StatementError, match="sizes: given n"):
        cut(one, other)


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (EVERY, EVERY, EVERY),
        (sizes({n: 1}), sizes({n: 2, m: 1}), sizes({n: 2, m: 1})),
        (sizes({n: 2}), sizes({m: 1}, {n: [1, 2, 3]}), sizes({m: 1}, {n: [2, 3]})),
        (sizes(among={n: [1, 2, 3]}), sizes({n: 2}), sizes(among={n: [2, 3]})),
        (sizes(among={n: [1, 2], m: [3]}), sizes(among={n: [2, 5]}), sizes(among={n: [2], m: [3]})),
        (sizes(among={n: [1, 2]}), sizes({m: 1}), sizes({m: 1}, {n: [1, 2]})),
    ],
)
def test_a_cut_holds_at_the_sizes_of_both(one: Any, other: Any, both: Any) -> None:
    """What was shown for n ≥ 2 would be concluded for every n."""
    same = Atom(M, "=", M)
    e = cut(shown(same, sizes=one), shown(some(M, "≤", M), same, sizes=other))
    assert e.states is not None and e.states.sizes == both
