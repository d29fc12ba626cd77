"""Each side condition of each rule between statements stops a falsehood.

A misuse is refused; with that one check taken away it goes through, its premises are true in all
small models, and its conclusion is false in one: so that check is what keeps the rule true.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from orderproof.symbolic.calculus.terms import Op, Set, at
from orderproof.symbolic.models.builders import add, delta, multiply, number, symbol, tensor
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
from orderproof.symbolic.statements.statement import Atom, sizes
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
