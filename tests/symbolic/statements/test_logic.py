"""The rules between statements: what a use of each concludes holds in all small models, and each
side condition stops a falsehood.

A misuse is refused; with that one check taken away it goes through, its premises are true in all
small models, and its conclusion is false in one: so that check is what keeps the rule true.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from orderproof.symbolic.calculus.terms import Op, Set, at
from orderproof.symbolic.models.builders import (
    POINT,
    add,
    delta,
    moved,
    multiply,
    number,
    permutation,
    reduce,
    symbol,
    tensor,
)
from orderproof.symbolic.statements import logic
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
    N,
    W,
    X,
    Y,
    dropped,
    entry,
    m,
    n,
    op,
    p,
    r,
    says,
    shown,
    some,
)


@dataclass(frozen=True)
class Misuse:
    """The check that stops it, by its words; what the rule is given; the rule; and the function
    that refuses, with what it says instead, where it is another than `_need`."""

    check: str
    premises: tuple[Evidence, ...]
    use: Callable[..., Evidence | Iff]
    instead: tuple[str, Any] | None = None


COVERED = ("uncovered", lambda *_: "")
DEFINED = ("definition", lambda a: (a.lhs.node.op, a.rhs) if a.lhs.node.op.kind == "leaf" else None)
SAME = Atom(entry(X), "=", entry(X))  # says only that there is a p
SHIFTED = at(M, {"j": symbol("g", (m,), m)("j")})
PRODUCT = tensor("G", i=Set("×", (n, m)))
DIAGONAL, TWICE = at(N, {"i": "k", "j": "k"}), at(N, {"i": p(), "j": p()})
SOMEWHERE = some(X, "≠", ZERO)


def weaker(**changed: Any) -> Callable[[Evidence], Evidence]:
    """Weakening to a statement with these fields, which is not weaker."""

    def use(e: Evidence) -> Evidence:
        assert e.states is not None
        return weakening(e, replace(e.states, **changed))

    return use


def none(*_: Any) -> Any:
    """No conditions."""
    return frozenset()


DIFFERENT = shown(some(X, "≠", Y), some(X, "≠", Y))
LESS, NOT_MORE = (shown(Atom(A, rel, B), Atom(A, rel, B)) for rel in ("<", "≤"))
THERE = shown(Atom(W, "=", X), exists=[W], such=[Atom(add(W, Y), "=", add(X, Y))])
AT_A_PLACE = shown(some(W, "≠", ZERO), exists=[W], such=[Atom(entry(W), "=", ONE)])
REFLEXIVE, OF_TWO, OF_PRODUCT = (shown(Atom(t, "=", t)) for t in (X, M, PRODUCT))

WEAKENING = {
    "every from some": Misuse(
        "an entry somewhere", (DIFFERENT,), weaker(atom=Atom(X, "≠", Y))
    ),
    "some from every, of nothing": Misuse(
        "an entry somewhere", (REFLEXIVE,), weaker(atom=some(X, "=", X))
    ),
    "some from every, where one of two sets may be empty": Misuse(
        "an entry somewhere", (OF_TWO,), weaker(atom=some(M, "=", M), sizes=sizes({n: 1}))
    ),
    "some from every, of a product": Misuse(
        "an entry somewhere", (OF_PRODUCT,),
        weaker(atom=some(PRODUCT, "=", PRODUCT), sizes=sizes({n: 1})),
    ),
    "less from not more": Misuse(
        "something else", (NOT_MORE,), weaker(atom=Atom(A, "<", B)), COVERED
    ),
    "equal from less": Misuse("something else", (LESS,), weaker(atom=Atom(A, "=", B)), COVERED),
    "a hypothesis dropped": Misuse("is not claimed", (LESS,), weaker(given=none()), COVERED),
    "a condition more": Misuse(
        "does not say", (THERE,), weaker(such=frozenset({Atom(W, "=", Y)})), COVERED
    ),
    "a condition dropped, with its place": Misuse(
        "there may be none", (AT_A_PLACE,), weaker(such=none()), COVERED
    ),
    "more sizes": Misuse(
        "not for 0", (shown(NOT_EMPTY, sizes=sizes({n: 1})),), weaker(sizes=EVERY), COVERED
    ),
    "for all from there is": Misuse(
        "the claim does not", (THERE,), weaker(exists=none(), such=none()), COVERED
    ),
}  # fmt: skip

INSTANCE = {
    "a function": Misuse(
        "is no tensor", (shown(Atom(multiply(A, ZERO), "=", ZERO)),),
        lambda e: instance(e, {Op("pointwise", ("mul", 2)): ONE}),
    ),
    "a term with an axis of the statement": Misuse(
        "axes", (shown(Atom(M, "=", SHIFTED), Atom(M, "=", X)),),
        lambda e: instance(e, {op(X): M.rename({"i": 0})}),
    ),
    "a term of what there is": Misuse(
        "depend on itself", (shown(Atom(W, "=", X), exists=[W]),),
        lambda e: instance(e, {op(X): add(W, ONE).rename({"i": 0})}),
    ),
    "an axis lost": Misuse(
        "is lost", (shown(NOT_EMPTY, SOMEWHERE),), lambda e: instance(e, {op(X): ONE})
    ),
    "a place lost": Misuse(
        "there may be none", (shown(NOT_EMPTY, SAME),), lambda e: instance(e, {op(X): ONE})
    ),
}  # fmt: skip

ONE_POINT = {
    "a term with the tensor itself": Misuse(
        "by one equation", (shown(FALSE, Atom(A, "=", add(A, ONE))),),
        lambda e: one_point(e, op(A)), DEFINED,
    ),
    "a term with more axes": Misuse(
        "by one equation", (shown(Atom(M, "=", SHIFTED), Atom(X, "=", M)),),
        lambda e: one_point(e, op(X)), DEFINED,
    ),
    "an equation at some place": Misuse(
        "by one equation", (shown(NOT_EMPTY, some(X, "=", ZERO)),),
        lambda e: one_point(e, op(X)), DEFINED,
    ),
    "another relation": Misuse(
        "by one equation", (shown(FALSE, Atom(A, "<", ZERO)),),
        lambda e: one_point(e, op(A)), DEFINED,
    ),
}  # fmt: skip

POINTED = at(delta(n, 0, "q"), {"q": p()})
HERE = says(some(X, "≠", ZERO), exists=[X])
THERE_IS = {
    "a place that there is": Misuse(
        "a term for each tensor", (shown(Atom(ONE, "=", ONE)),),
        lambda e: there_is(
            replace(says(Atom(entry(X), "=", ONE)), exists=frozenset({op(X), p})), {op(X): ONE}, e
        ),
    ),
    "a tensor that is any": Misuse(
        "a term for each tensor", (shown(Atom(ZERO, "=", ZERO)),),
        lambda e: there_is(says(IS_0), {op(A): ZERO}, e),
    ),
    "a term with an axis of the claim": Misuse(
        "axes", (OF_TWO,),
        lambda e: there_is(says(Atom(M, "=", X), exists=[X]), {op(X): M.rename({"i": 0})}, e),
    ),
    "an axis lost": Misuse(
        "is lost", (shown(Atom(ONE, "≠", ZERO, some=True)),),
        lambda e: there_is(HERE, {op(X): ONE}, e),
    ),
    "a place in the term alone": Misuse(
        "there may be none", (shown(some(POINTED, "≠", ZERO)),),
        lambda e: there_is(HERE, {op(X): POINTED}, e),
    ),
    "a condition that is not shown": Misuse(
        "is not shown", (shown(Atom(Y, "=", Y)),),
        lambda e: there_is(
            says(Atom(X, "=", Y), exists=[X], such=[Atom(X, "=", W)]),
            {op(X): Y.rename({"i": 0})}, e,
        ),
    ),
    "a condition that is shown under more": Misuse(
        "is not shown", (shown(some(Y, "≠", ZERO), some(Y, "≠", ZERO)),),
        lambda e: there_is(HERE, {op(X): Y.rename({"i": 0})}, e),
    ),
    "a condition that is shown for fewer sizes": Misuse(
        "is not shown", (shown(some(add(Y, ONE), "≠", Y), sizes=sizes({n: 1})),),
        lambda e: there_is(
            says(some(X, "≠", Y), exists=[X]), {op(X): add(Y, ONE).rename({"i": 0})}, e
        ),
    ),
}  # fmt: skip

CONTRAPOSITION = {
    "what there is": Misuse(
        "no such hypothesis",
        (shown(Atom(A, "≠", number(2)), IS_0, exists=[B], such=[Atom(A, "<", B)]),),
        lambda e: contraposition(e, IS_0),
    ),
}

OF_M, IN_ROW = some(M, "=", ONE), some(at(M, {"j": r()}), "=", ONE)
IS_1 = Atom(entry(X), "=", ONE)
PLACES = {
    "one place for two axes": Misuse(
        "for each axis, of its set", (shown(IN_ROW, Atom(at(M, {"i": p()}), "=", ONE)),),
        lambda e: from_some(e, OF_M, {"i": p}),
    ),
    "one place twice": Misuse(
        "of its own", (shown(some(DIAGONAL, "=", ONE), Atom(TWICE, "=", ONE)),),
        lambda e: from_some(e, some(N, "=", ONE), {"i": p, "j": p}),
    ),
    "a place that is in the hypothesis": Misuse(
        "in the atom itself", (shown(FALSE, Atom(entry(X), "≠", entry(X))),),
        lambda e: from_some(e, some(X, "≠", entry(X)), {"i": p}),
    ),
    "from every": Misuse(
        "is not a hypothesis", (shown(NOT_EMPTY, SAME),),
        lambda e: from_some(e, Atom(X, "=", X), {"i": p}),
    ),
    "a place that is in the atom": Misuse(
        "in something else", (shown(Atom(entry(X), "≠", ZERO), IS_1),),
        lambda e: from_some(e, some(X, "=", ONE), {"i": p}),
    ),
    "a place that is in another hypothesis": Misuse(
        "in something else",
        (shown(some(multiply(X, Y), "=", ONE), IS_1, Atom(entry(Y), "=", ONE)),),
        lambda e: from_some(e, some(X, "=", ONE), {"i": p}),
    ),
    "a place that is in a condition": Misuse(
        "in something else",
        (shown(Atom(B, "=", ONE), IS_1, exists=[B], such=[Atom(entry(X), "=", B)]),),
        lambda e: from_some(e, some(X, "=", ONE), {"i": p}),
    ),
    "to every, one place twice": Misuse(
        "of its own",
        (shown(Atom(TWICE, "=", ZERO), Atom(DIAGONAL, "=", ZERO)),),
        lambda e: to_every(e, Atom(N, "=", ZERO), {"i": p, "j": p}),
    ),
    "to every, a place that is in the atom": Misuse(
        "in the atom itself", (shown(SAME),),
        lambda e: to_every(e, Atom(X, "=", entry(X)), {"i": p}),
    ),
    "to some": Misuse(
        "is not what is shown", (shown(SAME),), lambda e: to_every(e, some(X, "=", X), {"i": p})
    ),
    "to every entry of another": Misuse(
        "is not what is shown", (shown(SAME),), lambda e: to_every(e, Atom(X, "=", Y), {"i": p})
    ),
    "to every, what there is": Misuse(
        "may depend on the place", (shown(Atom(entry(X), "=", A), exists=[A]),),
        lambda e: to_every(e, Atom(X, "=", A), {"i": p}),
    ),
    "to every, a place that is in a hypothesis": Misuse(
        "in something else", (shown(Atom(entry(X), "=", ONE), IS_1),),
        lambda e: to_every(e, Atom(X, "=", ONE), {"i": p}),
    ),
}  # fmt: skip

VANISHES = Atom(multiply(A, X), "=", ZERO)
DIFFER = shown(AGREE.opposite(), IS_0.opposite(), exists=[X, Y], sizes=sizes({n: 1}))
AB = multiply(A, B)
SCALED = Atom(multiply(AB, X), "=", multiply(AB, Y))
TWO = {
    "cut by what there is": Misuse(
        "is not a hypothesis",
        (shown(Atom(A, "=", ONE), exists=[A]), shown(Atom(A, "≠", ZERO), Atom(A, "=", ONE))), cut,
    ),
    "cut, a place lost": Misuse(
        "there may be none", (shown(SAME), shown(NOT_EMPTY, SAME)), cut
    ),
    "iff, there is in the first half": Misuse(
        "conditions on what there is",
        (shown(Atom(B, "=", ONE), IS_0, exists=[B]),
         shown(Atom(B, "≠", ONE, True), IS_0.opposite(), exists=[B])),
        lambda one, other: iff(one.states, other.states),
    ),
    "iff, a condition with a place": Misuse(
        "conditions on what there is",
        (shown(VANISHES, IS_0),
         shown(VANISHES.opposite(), IS_0.opposite(), exists=[X], such=[IS_1])),
        lambda one, other: iff(one.states, other.states),
    ),
    "iff, other atoms": Misuse(
        "atoms are not opposite",
        (shown(AGREE, IS_0), shown(Atom(A, "≠", ZERO), IS_0.opposite())),
        lambda one, other: iff(one.states, other.states),
    ),
    "iff, other hypotheses": Misuse(
        "hypotheses are not opposite",
        (shown(SCALED, Atom(B, "=", ZERO), sizes=sizes({n: 1})),
         shown(SCALED.opposite(), Atom(AB, "=", ONE), exists=[X, Y], sizes=sizes({n: 1}))),
        lambda one, other: iff(one.states, other.states),
    ),
    "iff, sizes of one half alone": Misuse(
        "sizes are not the same", (shown(AGREE, IS_0), DIFFER),
        lambda one, other: iff(one.states, other.states),
    ),
}  # fmt: skip

MISUSES = {
    f"{rule}: {what}": u
    for rule, group in (
        ("weakening", WEAKENING),
        ("instance", INSTANCE),
        ("one point", ONE_POINT),
        ("there is", THERE_IS),
        ("contraposition", CONTRAPOSITION),
        ("places", PLACES),
        ("two", TWO),
    )
    for what, u in group.items()
}


@pytest.mark.parametrize("what", MISUSES)
def test_without_its_check_a_misuse_proves_a_falsehood(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A side condition is missing; or it stops nothing, and then it should go."""
    u = MISUSES[what]
    for e in u.premises:
        assert e.states is not None and falsified(e.states, p=PRIME) is None
    with pytest.raises(LogicError, match=u.check) as found:
        u.use(*u.premises)
    assert "\n" not in str(found.value)
    if u.instead:
        monkeypatch.setattr(logic, *u.instead)
    else:
        dropped(monkeypatch, u.check)
    made = u.use(*u.premises)
    if isinstance(made, Iff):
        assert iff_falsified(made, p=PRIME) is not None
    else:
        assert made.states is not None and falsified(made.states, p=PRIME) is not None


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
