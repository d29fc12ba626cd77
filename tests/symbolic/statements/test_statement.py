"""What a statement refuses to be, and which statement covers or refutes which."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest

from orderproof.symbolic.calculus import kernel as k
from orderproof.symbolic.calculus.terms import Op, Set, Term, at
from orderproof.symbolic.derive.push import push
from orderproof.symbolic.models.builders import (
    POINT,
    add,
    call,
    constant,
    define,
    image,
    leaf_of,
    moved,
    multiply,
    number,
    opaque,
    permutation,
    pointwise,
    size,
    symbol,
    tensor,
    total,
)
from orderproof.symbolic.statements.statement import (
    Atom,
    Sizes,
    Statement,
    StatementError,
    definition,
    kind,
    not_refuted,
    of_theorem,
    scope,
    sizes,
    uncovered,
)
from tests.symbolic.statements.models import Finite, falsified, parts, valued

n, m, d = Set("n"), Set("m"), Set("d")
X, Y, C = tensor("X", i=n), tensor("Y", i=n), tensor("C")
ZERO, ONE = number(0), number(1)
sigma, p = permutation("σ", n), constant("p", n)
EQUAL = Atom(X, "=", Y)


def at_p(t: Term) -> Term:
    """The entry of a tensor over n at the place p."""
    return at(t, {"i": p()})


# ------------------------------------------------------------------------- what is no statement
def one_name_two_types() -> dict[str, tuple[Term, Term]]:
    """Two sides with one name for two things."""
    there, here = tensor("X", i=m), tensor("F", i=n)
    first = define("D", [here], total(here, "i"))
    second = define("D", [here], pointwise("neg", total(here, "i")))
    mapped = define("D", [here], moved(here, i=sigma))
    otherwise = define("D", [here], moved(here, i=permutation("ρ", n)))
    of_n, of_m = (define("D", [C], add(C, size(s))) for s in (n, m))
    unknown = [define("D", [here], opaque(f, {"i": "j"}, here, {"j": n})) for f in ("S", "T")]

    def use(*ops: Op) -> tuple[Term, ...]:
        yields = [range(len(op.data[2].sets)) for op in ops]
        return tuple(
            call(op, [Y], [["i"]], ["i"] if y else []) for op, y in zip(ops, yields, strict=True)
        )

    scalars = tuple(call(op, [C], [[]], []) for op in (of_n, of_m))
    return {
        "a tensor over n and over m": (total(X, "i"), total(there, "i")),
        "a tensor with an axis and without": (X, tensor("X")),
        "two definitions": use(first, second),
        "two definitions, by a map in them": use(mapped, otherwise),
        "two definitions, by an operator in them": use(*unknown),
        "two definitions, by a size in them": scalars,
        "two maps": (moved(X, i=sigma), at(X, {"i": symbol("σ", (n,), n)("i")})),
        "a tensor and a map": (moved(X, i=sigma), tensor("σ", i=n)),
        "a tensor and an index set": (X, tensor("n")),
        "a map and an index set": (at(X, {"i": constant("n", n)()}), ZERO),
        "an operator and a tensor": (opaque("Y", {"i": "j"}, X, {"j": n}), tensor("Y", j=n)),
        "an operator and a definition": (opaque("D", {"i": "i"}, Y, {"i": n}), *use(mapped)),
        "a tensor and a definition": (tensor("D", i=n), *use(mapped)),
        "a tensor and a function": (tensor("exp", i=n), pointwise("exp", X)),
        "a definition and a function": (pointwise("D", Y), *use(mapped)),
    }


@pytest.mark.parametrize("what", one_name_two_types())
def test_one_name_with_two_types_is_refused(what: str) -> None:
    """A false statement would print as a true one: X[i] = X[inl i], or D(Y) = D(Y)."""
    left, right = one_name_two_types()[what]
    with pytest.raises(StatementError, match="of this name"):
        Statement(Atom(left, "=", right))
    with pytest.raises(StatementError, match="of this name"):
        Statement(EQUAL, frozenset({Atom(left, "=", right)}))


def test_one_definition_over_two_sets_is_no_clash() -> None:
    """Softmax over n and over m could not stand in one statement."""
    over = [define("D", [tensor("F", i=s)], total(tensor("F", i=s), "i")) for s in (n, m)]
    left = call(over[0], [X], [["i"]], [])
    right = call(over[1], [tensor("Z", i=m)], [["i"]], [])
    assert Statement(Atom(left, "=", right)).sets == (n, m)


NO_STATEMENTS: dict[str, tuple[str, Callable[[], object]]] = {
    "relation": ("relation: given '>'", lambda: Atom(X, ">", Y)),
    "axes": ("axis i: given m", lambda: Atom(X, "=", tensor("Z", i=m))),
    "exists, unused": ("no such symbol", lambda: Statement(EQUAL, exists=frozenset({leaf_of(C)}))),
    "exists in a hypothesis": (
        "X, which is free there",
        lambda: Statement(EQUAL, frozenset({Atom(X, "=", ZERO)}), frozenset({leaf_of(X)})),
    ),
    "a map exists in a hypothesis": (
        "p, which is free there",
        lambda: Statement(EQUAL, frozenset({Atom(at_p(X), "=", ZERO)}), frozenset({p})),
    ),
    "such, and nothing exists": (
        "given a condition",
        lambda: Statement(EQUAL, such=frozenset({Atom(X, "=", ZERO)})),
    ),
    "an unknown set": ("sizes: given m", lambda: Statement(EQUAL, sizes=sizes({m: 1}))),
    "an unknown listed set": ("given m", lambda: Statement(EQUAL, sizes=sizes(among={m: [1]}))),
    "a set twice": ("one condition", lambda: sizes({n: 1}, {n: [1, 2]})),
    "two lower bounds": ("one condition", lambda: Sizes(frozenset({(n, 1), (n, 2)}))),
    "too few sizes": ("one condition", lambda: Sizes(of=(n, m), among=frozenset({(1,)}))),
    "no cases": ("0 cases", lambda: sizes(among={n: []})),
    "cases of nothing": ("1 cases", lambda: Sizes(among=frozenset({()}))),
    "a size below 0": ("given -1", lambda: sizes(among={n: [-1]})),
    "a bound that says nothing": ("given 0", lambda: Sizes(frozenset({(n, 0)}))),
    "a theorem that is none": (
        "did not issue",
        lambda: of_theorem(replace(k.cong(X, []))),
    ),
    "the negation of an existence": (
        "negation",
        lambda: Statement(EQUAL, exists=frozenset({leaf_of(X)})).negated(),
    ),
}


@pytest.mark.parametrize("what", NO_STATEMENTS)
def test_what_means_nothing_is_refused(what: str) -> None:
    """A statement with a free or doubled symbol would be weighed against evidence."""
    reason, make = NO_STATEMENTS[what]
    with pytest.raises(StatementError, match=reason) as found:
        make()
    assert "\n" not in str(found.value)


# --------------------------------------------------------------------------------------- the atom
ATOMS = [
    Atom(left, relation, right, some)
    for (left, right), relation, some in product(
        [(X, Y), (X, C), (X, X), (C, ONE), (X, tensor("Z", j=n))],
        ["=", "≠", "<", "≤"],
        [False, True],
    )
]


@pytest.mark.parametrize("a", ATOMS, ids=str)
def test_the_opposite_is_the_negation(a: Atom) -> None:
    """Contraposition and iff would conclude what does not follow; sizes 0 to 2, all values."""
    assert a.opposite().opposite() == a != a.opposite()
    _, _, tensors = parts([a])
    seen = set()
    for k_ in range(3):
        for model in valued(Finite({"n": k_}, harsh=False, p=3), (), tensors):
            assert model.holds(a) is not model.holds(a.opposite())
            seen.add(model.holds(a))
    if a.lhs != a.rhs:
        assert seen == {True, False}


def test_names_of_axes_are_no_part_of_an_atom() -> None:
    """A hypothesis would not be found again where its axes have other names."""
    a, b = (
        Atom(tensor("M", **{i: n, j: n}), "=", tensor("N", **{j: n, i: n})) for i, j in ("ij", "ab")
    )
    assert a == b and hash(a) == hash(b)
    assert a != Atom(tensor("M", i=n, j=n), "=", tensor("N", i=n, j=n))  # not transposed


def test_a_definition_gives_a_tensor_by_a_term_without_it() -> None:
    """One point would conclude from X = X + 1, or from one row that equals each of many, that
    something exists."""
    doubled = add(Y, Y)
    assert definition(Atom(X, "=", doubled)) == (leaf_of(X), doubled.rename({"i": 0}))
    row = Atom(tensor("M", i=n, j=m), "=", tensor("B", j=m))
    found = definition(row)
    assert found is not None and found[1].sets == {1: m}
    wide = tensor("B", i=n, j=m)
    for a in (Atom(X, "=", add(X, ONE)), Atom(X, "=", wide), Atom(doubled, "=", X),
              Atom(X, "=", Y, some=True), Atom(X, "≤", Y), Atom(X, "≠", Y)):  # fmt: skip
        assert definition(a) is None


def test_a_formal_is_not_the_tensor_of_its_name() -> None:
    """The formals of definitions are bound: X = D(Y) would not be seen to give X."""
    op = define("D", [X], total(X, "i"))
    assert definition(Atom(X, "=", call(op, [Y], [["i"]], []))) is not None
    assert leaf_of(X) not in Statement(Atom(call(op, [Y], [["i"]], []), "=", ZERO)).tensors


# -------------------------------------------------------------------------------- what covers what
H1, H2 = Atom(Y, "=", ZERO), Atom(X, "≤", ONE)
ATOM = Atom(X, "≠", Y, some=True)
W = leaf_of(X)
SHOWN = Statement(ATOM, frozenset({H1}), frozenset({W}), frozenset({H2}), sizes({n: 3}))
LISTED = replace(SHOWN, sizes=sizes(among={n: [3, 4]}))
WIDE = tensor("A", i=n, k=d)
TWO = Statement(Atom(WIDE, "=", WIDE))
JOINT = replace(TWO, sizes=Sizes(of=(n, d), among=frozenset({(1, 2), (2, 1)})))

UNCOVERED = {
    "another side": (SHOWN, replace(SHOWN, atom=replace(ATOM, rhs=add(Y, X)))),
    "sides exchanged": (SHOWN, replace(SHOWN, atom=Atom(Y, "≠", X, some=True))),
    "another relation": (SHOWN, replace(SHOWN, atom=replace(ATOM, relation="<"))),
    "every for some": (SHOWN, replace(SHOWN, atom=replace(ATOM, some=False))),
    "some for every": (replace(SHOWN, atom=replace(ATOM, some=False)), SHOWN),
    "a hypothesis less": (SHOWN, replace(SHOWN, given=frozenset())),
    "another hypothesis": (SHOWN, replace(SHOWN, given=frozenset({Atom(Y, "=", ONE)}))),
    "a stronger hypothesis for a weaker": (
        SHOWN, replace(SHOWN, given=frozenset({replace(H1, some=True)}))
    ),
    "a condition more": (SHOWN, replace(SHOWN, such=frozenset({H2, Atom(X, "≠", ONE)}))),
    "another condition": (SHOWN, replace(SHOWN, such=frozenset({Atom(X, "≠", ONE)}))),
    "for all, not there is": (SHOWN, Statement(ATOM, frozenset({H1, H2}), sizes=SHOWN.sizes)),
    "there is, not for all": (
        Statement(ATOM, frozenset({H1}), sizes=SHOWN.sizes), replace(SHOWN, such=frozenset())
    ),
    "there is something else": (
        Statement(ATOM, exists=frozenset({W})), Statement(ATOM, exists=frozenset({leaf_of(Y)}))
    ),
    "n ≥ 2 on n ≥ 3": (SHOWN, replace(SHOWN, sizes=sizes({n: 2}))),
    "all n on n ≥ 3": (SHOWN, replace(SHOWN, sizes=sizes())),
    "n = 2, 3 on n ≥ 3": (SHOWN, replace(SHOWN, sizes=sizes(among={n: [2, 3]}))),
    "n ≥ 3 on n = 3, 4": (LISTED, SHOWN),  # falsehood 11
    "n = 3, 5 on n = 3, 4": (LISTED, replace(SHOWN, sizes=sizes(among={n: [3, 5]}))),
    "all on a joint list": (JOINT, TWO),
    "the product of a joint list": (JOINT, replace(TWO, sizes=sizes(among={n: [1, 2], d: [1, 2]}))),
    "one side of a joint list": (JOINT, replace(TWO, sizes=sizes(among={n: [1, 2]}))),
    "the other order of a joint list": (
        JOINT, replace(TWO, sizes=Sizes(of=(d, n), among=frozenset({(1, 2), (2, 2)})))
    ),
    "a listed set against a free one": (
        replace(TWO, sizes=sizes({n: 1}, {d: [1]})), replace(TWO, sizes=sizes({n: 1}))
    ),
    "a free set against a listed one": (
        replace(TWO, sizes=sizes({n: 2})), replace(TWO, sizes=sizes(among={n: [1], d: [1]}))
    ),
    "a condition that alone names a place": (
        Statement(ATOM, exists=frozenset({W}), such=frozenset({Atom(at_p(X), "=", ONE)})),
        Statement(ATOM, exists=frozenset({W})),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", UNCOVERED)
def test_what_was_not_shown_is_not_covered(what: str) -> None:
    """A mark would be green although its evidence says less, or something else."""
    shown, claimed = UNCOVERED[what]
    reason = uncovered(shown, claimed)
    assert reason and "\n" not in reason


def test_an_uncovered_claim_may_be_false() -> None:
    """The check is of use: with a place p in n something is not 0, and for n = 0 nothing is."""
    there = Atom(X, "≠", ZERO, some=True)
    shown = Statement(there, exists=frozenset({W}), such=frozenset({Atom(at_p(X), "=", ONE)}))
    claimed = Statement(there, exists=frozenset({W}))
    assert falsified(shown) is None
    model = falsified(claimed)
    assert model is not None and model.sizes == {"n": 0}
    assert (
        uncovered(shown, claimed)
        == "it is about p, which does not occur in the claim: there may be none"
    )


COVERED = {
    "itself": (SHOWN, SHOWN),
    "axes renamed": (
        SHOWN, replace(SHOWN, atom=Atom(X.rename({"i": "j"}), "≠", Y.rename({"i": "j"}), True))
    ),
    "fewer hypotheses": (replace(SHOWN, given=frozenset()), SHOWN),
    "a condition less": (SHOWN, replace(SHOWN, such=frozenset())),
    "more sizes": (replace(SHOWN, sizes=sizes()), SHOWN),
    "n ≥ 2 for n ≥ 3": (replace(SHOWN, sizes=sizes({n: 2})), SHOWN),
    "n ≥ 3 for n = 3, 4": (SHOWN, LISTED),
    "a larger list": (LISTED, replace(SHOWN, sizes=sizes(among={n: [4]}))),
    "a product for a joint list": (replace(TWO, sizes=sizes(among={n: [1, 2], d: [1, 2]})), JOINT),
    "a joint list in another order": (
        JOINT, replace(TWO, sizes=Sizes(of=(d, n), among=frozenset({(2, 1)})))
    ),
    "a joint list, one of its sets": (replace(TWO, sizes=sizes(among={n: [1, 2]})), JOINT),
    "a permutation that is named no more": (
        Statement(ATOM, exists=frozenset({W}), such=frozenset({Atom(moved(X, i=sigma), "=", X)})),
        Statement(ATOM, exists=frozenset({W})),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", COVERED)
def test_what_was_shown_is_covered(what: str) -> None:
    """Evidence for more than is claimed would not count."""
    assert uncovered(*COVERED[what]) == ""


CLAIM = Statement(EQUAL, frozenset({H1}), sizes=sizes({n: 2}))
NO = CLAIM.negated()


def test_the_negation_says_that_something_satisfies_what_is_given() -> None:
    """A counterexample would not have to satisfy the hypotheses."""
    assert NO.exists == {leaf_of(X), leaf_of(Y)} and NO.such == {H1} and not NO.given
    assert NO.atom == EQUAL.opposite() and NO.sizes == CLAIM.sizes
    assert falsified(CLAIM) is not None and falsified(NO) is None


@pytest.mark.parametrize(
    ("shown", "refuted"),
    [
        (NO, True),
        (NO.at((n,), [(2,)]), True),
        (NO.at((n,), [(1,), (5,)]), True),
        (NO.at((n,), [(1,)]), False),  # no size that is claimed
        (replace(NO, such=frozenset()), False),  # it need not satisfy the hypothesis
        (replace(NO, exists=frozenset({W}), such=frozenset(), given=frozenset({H1})), False),
        (replace(NO, atom=EQUAL), False),
        (replace(NO, atom=replace(NO.atom, some=False)), False),
        (CLAIM, False),
    ],
)
def test_a_refutation_holds_where_it_was_claimed(shown: Statement, refuted: bool) -> None:
    """A claim would be refuted by values that it does not speak of, or at sizes of others."""
    assert (not_refuted(shown, CLAIM) == "") is refuted


def test_what_refutes_a_list_is_at_a_size_of_it() -> None:
    """Lists that have no case in common would refute each other."""
    listed = replace(TWO, atom=Atom(WIDE, "=", ZERO), sizes=JOINT.sizes)
    no = listed.negated()
    assert not_refuted(no, listed) == ""
    for other, refuted in (((2, 1), True), ((1, 1), False)):
        here = no.at((d, n), [other])
        assert (not_refuted(here, listed) == "") is refuted
    assert not_refuted(no.at((n,), [(1,)]), listed)  # of which d is not said


def test_a_claim_that_something_exists_is_not_refuted_by_values() -> None:
    """One value that does not fit would refute that another does."""
    assert not_refuted(NO, replace(SHOWN, sizes=sizes()))


def test_hypotheses_about_numbers_alone_raise_nothing() -> None:
    """Weighing would end in an error where a statement has no tensors and no maps."""
    numbers = Statement(Atom(size(n), "=", ONE), frozenset({Atom(size(n), "≠", ZERO)}))
    assert not_refuted(numbers, numbers)


# ------------------------------------------------------------------------------ what is read off it
def test_a_theorem_states_its_equation_under_its_hypotheses() -> None:
    """A kernel theorem would settle a claim without its hypothesis."""
    pushed = push(multiply(X, Y), {leaf_of(X): (sigma,)}, [k.hyp(moved(Y, i=sigma), Y)])
    th = pushed.theorem  # type: ignore[union-attr]
    fixed = Atom(moved(Y, i=sigma), "=", Y)
    left, right = image(multiply(X, Y), {leaf_of(X): (sigma,)}), moved(multiply(X, Y), i=sigma)
    assert of_theorem(th) == Statement(Atom(left, "=", right), frozenset({fixed}))
    assert uncovered(of_theorem(th), Statement(Atom(left, "=", right)))


def test_scope_and_kind_are_read_off_the_statement() -> None:
    """Words would name sizes that the statement does not have."""
    assert scope(TWO) == "all n, d" and scope(Statement(Atom(ONE, "=", ONE))) == "numbers alone"
    assert scope(replace(TWO, sizes=sizes({n: 2}))) == "all n ≥ 2, d"
    assert scope(JOINT) == "(n, d) = (1, 2), (2, 1)"
    each = replace(TWO, sizes=sizes(among={n: [2, 3, 4], d: [2, 3]}))
    assert scope(each) == "n = 2, 3, 4; d = 2, 3"
    alike = replace(TWO, sizes=sizes(among={n: [2, 3], d: [2, 3]}))
    assert scope(alike) == "n = 2, 3; d = 2, 3"  # not n = d = 2, 3
    assert scope(replace(TWO, sizes=sizes(among={n: [2], d: [2]}))) == "n = d = 2"
    assert [kind(s) for s in (TWO, SHOWN, CLAIM.under(H2))] == ["equality", "exists", "equality"]
    assert kind(replace(TWO, atom=Atom(X, "≠", Y))) == "not"
    assert kind(replace(TWO, atom=Atom(X, "<", Y))) == "inequality"
    two = Statement(Atom(moved(X, i=sigma), "=", at_p(X)))
    assert two.maps == (sigma, p)
    assert Statement(Atom(tensor("B", c=POINT), "=", ZERO)).sets == ()


@pytest.mark.parametrize("size", [True, 1.5, 2.0])
def test_a_size_is_a_whole_number(size: float) -> None:
    """True would be a size, and 2.0 another one than 2."""
    with pytest.raises(StatementError, match="whole numbers"):
        sizes(among={n: [size]})  # type: ignore[list-item]
