"""The text and digest of a statement: names make no difference, all else does; hostile texts."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from orderproof.symbolic.calculus.terms import at
from orderproof.symbolic.models.builders import (
    add,
    call,
    define,
    inverse,
    moved,
    multiply,
    number,
    pointwise,
    reduce,
    symbol,
    tensor,
    total,
)
from orderproof.symbolic.statements.statement import Atom, Sizes, Statement, StatementError, sizes
from orderproof.symbolic.statements.text import canonical, digest, parse
from tests.symbolic.statements.odd_statements import (
    BASE,
    EQUAL,
    ODD,
    ONE,
    ZERO,
    C,
    F,
    X,
    Y,
    d,
    m,
    n,
    rho,
    sigma,
)
from tests.symbolic.statements.renaming import renamed


# ------------------------------------------------------------------------------------ names apart
@pytest.mark.parametrize("name", ODD)
def test_names_make_no_difference_to_the_digest(name: str) -> None:
    """The same statement in other letters would be another one; where hypotheses are alike, the
    digest would depend on the order in which a set of them is walked."""
    s = ODD[name]
    for prefix in "abcdefghijklmnopqrst":
        other = renamed(s, prefix.__add__)
        assert other != s or name == "numbers"
        assert canonical(other) == canonical(s)


def test_no_two_odd_statements_have_one_digest() -> None:
    """Two different statements would be cited as one."""
    assert len({digest(s) for s in ODD.values()}) == len(ODD)


@pytest.mark.parametrize("name", ODD)
def test_a_text_is_read_back(name: str) -> None:
    """A certificate would not say which statement it serves."""
    text = canonical(ODD[name])
    again = parse(text)
    assert canonical(again) == text and canonical(parse(canonical(again))) == text
    assert sorted(map(repr, again.sizes.among)) == sorted(map(repr, parse(text).sizes.among))
    assert len(again.given) == len(ODD[name].given) and len(again.such) == len(ODD[name].such)


# ---------------------------------------------------------------------------- and all else counts
def changed_atoms(a: Atom) -> Iterator[Atom]:
    """An atom changed in one place."""
    for relation in "=≠<≤":
        if relation != a.relation:
            yield replace(a, relation=relation)
    yield replace(a, some=not a.some)
    yield Atom(a.rhs, a.relation, a.lhs, a.some)
    yield replace(a, lhs=pointwise("neg", a.lhs))
    yield replace(a, rhs=add(a.rhs, ONE))
    yield replace(a, rhs=number(7))


def mutants(s: Statement) -> Iterator[Statement]:
    """A statement changed in one place: each field, each hypothesis, each size."""
    yield from (replace(s, atom=a) for a in changed_atoms(s.atom))
    inner = add(multiply(X, moved(Y, i=sigma)), C)
    for lhs in (
        add(multiply(X, moved(Y, i=inverse(sigma))), C), add(multiply(X, moved(Y, i=rho)), C),
        add(multiply(X, Y), C), add(multiply(moved(Y, i=sigma), X), C),
        add(C, multiply(X, moved(Y, i=sigma))), add(multiply(X, moved(X, i=sigma)), C),
        add(multiply(X, at(Y, {"i": symbol("σ", (n,), n)("i")})), C),  # no bijection
        add(multiply(X, moved(Y, i=sigma)), tensor("K", k=d)),
        reduce("max", inner, "i"), reduce("min", inner, "i"), reduce("sum", inner, "i"),
    ):  # fmt: skip
        yield replace(s, atom=replace(s.atom, lhs=lhs))
    for name in ("given", "such"):
        atoms = getattr(s, name)
        for a in atoms:
            yield replace(s, **{name: atoms - {a}})
            yield from (replace(s, **{name: atoms - {a} | {b}}) for b in changed_atoms(a))
        yield replace(s, **{name: atoms | {Atom(C, "=", ZERO)}})
    yield replace(s, exists=frozenset(), such=frozenset(), given=s.given | s.such)
    yield replace(s, exists=s.exists | {sigma})
    yield replace(s, exists=frozenset({sigma}))
    for over in (
        Sizes(), sizes({m: 1}), sizes({n: 2}), sizes({m: 1, n: 2}), sizes({n: 1}, {m: [2, 3]}),
        sizes({m: 2}, {n: [2, 3]}), sizes({}, {n: [2, 3]}), sizes({m: 1}, {n: [2]}),
        sizes({m: 1}, {n: [2, 3, 4]}), sizes({m: 1}, {n: [2, 4]}), sizes({}, {n: [2, 3], m: [1]}),
        Sizes(of=(n, m), among=frozenset({(2, 1), (3, 2)})),
        Sizes(of=(n, m), among=frozenset({(2, 2), (3, 1)})),
    ):  # fmt: skip
        yield replace(s, sizes=over)


def test_whatever_is_changed_changes_the_digest() -> None:
    """A statement changed in one place would be cited, and served, as the one that was proved."""
    found = {digest(s): s for s in (BASE, *mutants(BASE))}
    assert len(found) == len({BASE, *mutants(BASE)}) > 80
    for s in found.values():
        assert canonical(parse(canonical(s))) == canonical(s)


def test_a_definition_counts_with_all_that_is_in_it() -> None:
    """Two bodies under one name would be one statement."""
    bodies = [total(F, "i"), reduce("max", F, "i"), total(moved(F, i=sigma), "i"),
              total(add(F, ONE), "i"), total(add(F, F), "i")]  # fmt: skip
    ops = [define(name, [F], body) for body in bodies for name in ("D", "E")]
    ops.append(define("D", [F, tensor("K", i=n)], total(F, "i")))
    calls = [call(op, [X] * len(op.data[1]), [["i"]] * len(op.data[1]), []) for op in ops]
    assert len({digest(Statement(Atom(t, "=", C))) for t in calls}) == len(ops)


@pytest.mark.slow
def test_more_hypotheses_than_can_be_told_apart_are_refused() -> None:
    """A text of thirty hypotheses that are alike would keep the machine busy for ever."""
    alike = frozenset(Atom(tensor(f"H{k}", i=n), "≤", ONE) for k in range(30))
    with pytest.raises(StatementError, match="ways to number those that are written alike"):
        canonical(Statement(EQUAL, alike))
