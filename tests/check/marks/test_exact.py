"""The marks exact and interval: what witnesses establish of 'there are', and what they do not."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from orderproof.check.claims import Atom, Claim, Set, Witness, differs, holds, sizes
from orderproof.check.marks import exact as witnesses
from orderproof.check.marks.exact import by_exact, by_search
from orderproof.check.marks.numeric import by_numpy_differs
from orderproof.check.marks.waves import by_enclosures
from orderproof.proofs.pooling import not_invariant_self_attention
from orderproof.proofs.symbols import n, sigma
from orderproof.symbolic.calculus.terms import Term, at
from orderproof.symbolic.models.builders import (
    add,
    constant,
    divide,
    iota,
    leaf_of,
    moved,
    multiply,
    number,
    permutation,
    pointwise,
    tensor,
    total,
)
from orderproof.symbolic.readings.interval import Intervals
from orderproof.symbolic.schemes.table_search import SearchResult
from orderproof.symbolic.statements.statement import Sizes
from tests.judged import loaded, mark, ok, said

x, y, z = tensor("x", i=n), tensor("y", i=n), tensor("z")
ZERO, ONE = number(0), number(1)
TWO = sizes(among={n: (2,)})


def moves(**conditions: Any) -> Claim:
    """For all σ under the hypotheses there is x: P x ≠ x."""
    return differs(moved(x, i=sigma), x, {}, every={sigma}, **conditions)


def at_n(k: int, table: tuple[int, ...], values: list[int]) -> Witness:
    """Values of x at n = k, with a table of σ."""
    return Witness({"n": k}, {"sigma": table}, {"x": values})


# ------------------------------------------------------------------------- every map, every size
NOT_ONE = Atom(moved(iota(n, "i"), i=sigma), "≠", iota(n, "i"), some=True)  # σ ≠ 1
CHECKS = (by_exact, by_enclosures, by_numpy_differs)


@pytest.mark.parametrize("check", CHECKS)
def test_a_witness_for_each_permutation(check: Any) -> None:
    """A claim about every σ would be settled by witnesses for some."""
    claim = moves(given=[NOT_ONE], over=TWO)
    swap = at_n(2, (1, 0), [0, 1])
    assert ok(check([swap]), claim) is True
    found = said(check([swap]), moves(over=TWO))
    assert found[0] is False and "no witness at sizes {'n': 2}, maps ((0, 1),)" in found[1]
    three = moves(given=[NOT_ONE], over=sizes(among={n: (3,)}))
    some = [at_n(3, t, [0, 1, 2]) for t in ((1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))]
    assert ok(check(some), three) is False
    assert ok(check([*some, at_n(3, (0, 2, 1), [0, 1, 2])]), three) is True
    assert ok(check([]), claim) is None


@pytest.mark.parametrize("check", CHECKS)
def test_a_witness_of_what_is_not_claimed(check: Any) -> None:
    """A witness at which the sides are equal, that violates a hypothesis or a condition, or of a
    size that is not listed, would be passed over."""
    claim = moves(given=[NOT_ONE], over=TWO)
    swap, equal = at_n(2, (1, 0), [0, 1]), at_n(2, (1, 0), [1, 1])
    assert ok(check([swap, equal]), claim) is False
    assert ok(check([swap, at_n(2, (0, 1), [0, 1])]), claim) is False
    three = at_n(3, (1, 0, 2), [0, 1, 2])
    assert said(check([swap, three]), claim) == (
        False,
        "sizes {'n': 3} are not among those of the claim",
    )
    positive = claim.stating(such=frozenset({Atom(ZERO, "<", x)}))
    assert ok(check([swap]), positive) is False
    assert ok(check([at_n(2, (1, 0), [1, 2])]), positive) is True


def test_sizes_that_no_witness_has() -> None:
    """A claim for n = 2 and 3, or for every n ≥ 2, would be settled at n = 2."""
    swap = at_n(2, (1, 0), [0, 1])
    for over in (sizes(among={n: (2, 3)}), sizes({n: 2}), sizes()):
        found = mark(by_exact([swap]), moves(given=[NOT_ONE], over=over))
        assert not found.settles
    assert mark(by_exact([swap]), moves(given=[NOT_ONE], over=TWO)).settles
    # at n = 1 there is no σ ≠ 1: nothing is claimed there, and nothing is needed
    assert mark(by_exact([swap]), moves(given=[NOT_ONE], over=sizes(among={n: (1, 2)}))).settles
    assert not mark(by_exact([swap]), moves(over=sizes(among={n: (1, 2)}))).settles


def test_what_a_witness_lacks() -> None:
    """A witness without a size, a map or a tensor would be read as one that has it, or what is
    given would not be of its type."""
    claim = moves(given=[NOT_ONE], over=TWO)
    good = at_n(2, (1, 0), [0, 1])
    assert said(by_exact([replace(good, sizes={})]), claim) == (
        False,
        "a witness gives no size of n",
    )
    for bad in (
        replace(good, maps={}), replace(good, tensors={}), replace(good, maps={"sigma": (0, 0)}),
        replace(good, maps={"sigma": (1, 2)}), replace(good, tensors={"x": [1, 2, 3]}),
    ):  # fmt: skip
        assert ok(by_exact([bad]), claim) is False


def test_a_tensor_that_is_any_is_not_chosen() -> None:
    """A claim about every x would be settled by a witness with one, or by a condition that gives
    it."""
    both = differs(moved(x, i=sigma), y, {}, every={leaf_of(x)}, over=TWO)
    w = Witness({"n": 2}, {"sigma": (1, 0)}, {"x": [0, 1], "y": [5, 5]})
    for check in CHECKS:
        found = said(check([w]), both)
        assert found == (None, "x is universally quantified, and a witness fixes its values")
    given = both.stating(given=frozenset({Atom(x, "=", iota(n, "i"))}))
    assert ok(by_exact([w]), given) is True  # a hypothesis gives it
    chosen = both.stating(such=frozenset({Atom(x, "=", y)}), exists=frozenset({leaf_of(y), sigma}))
    assert ok(by_exact([w]), chosen) is None


def test_values_say_nothing_of_all_values() -> None:
    """Two values that differ would prove that tensors differ whatever they are."""
    w = at_n(2, (1, 0), [0, 1])
    assert by_numpy_differs([w])(holds(x, "≠", y, {}, some=True).statement).ok is None
    assert ok(by_enclosures([w]), holds(x, "≠", y, {}, some=True)) is None
    equal = holds(total(moved(x, i=sigma), "i"), "=", total(x, "i"), {})
    found = mark(by_exact([w]), equal)  # a case of it: confirmed, and no more
    assert found.ok is True and not found.settles
    assert mark(by_exact([w]), equal.stating(rhs=add(equal.rhs, ONE))).refutes
    assert ok(by_exact([w]), equal.stating(sizes=sizes({n: 3}))) is False
    assert ok(by_exact([]), equal) is None


def test_conditions_hold_of_the_query_weight_with_its_factor() -> None:
    """W_Q = 1 would hold of a witness whose query weight is √d·ln 2."""
    q = tensor("W_Q")
    claim = differs(multiply(q, z), z, {}, such=[Atom(q, "=", ONE)])
    w = Witness({}, {}, {"W_Q": 1, "z": 1})
    assert ok(by_exact([w]), claim) is False
    plain = differs(multiply(z, z), z, {}, such=[Atom(z, "=", number(2))])
    assert ok(by_exact([Witness({}, {}, {"z": 2})]), plain) is True
    assert ok(by_exact([Witness({}, {}, {"z": 3})]), plain) is False


# ---------------------------------------------------------------------------- without free tensors
t = Set("t")
a, b = constant("a", t), constant("b", t)
ONE_, OTHER = (at(iota(t, "i"), {"i": p()}) for p in (a, b))


def test_a_claim_without_tensors_is_computed() -> None:
    """A claim about two places would be settled although some pair of them, or some size, was not
    looked at."""
    four = sizes(among={t: (4,)})
    claim = holds(ONE_, "≠", OTHER, {}, given=[Atom(ONE_, "<", OTHER)], over=four)
    found = mark(by_exact([]), claim)
    assert found.settles and found.detail.startswith("6 cases: all maps")
    assert mark(by_exact([]), claim.stating(given=frozenset())).refutes
    assert mark(by_exact([]), claim.stating(relation="=")).refutes
    assert ok(by_exact([]), claim.stating(sizes=sizes())) is None  # of sizes there is no end
    never = claim.stating(given=claim.statement.given | {Atom(OTHER, "<", ONE_)})
    assert said(by_exact([]), never) == (None, "no case satisfies what is given")
    many = permutation("pi", t)
    fixed = holds(moved(iota(t, "i"), i=many), "≤", number(3), {}, over=four)
    assert mark(by_exact([]), fixed).settles  # all 24
    assert mark(by_exact([]), fixed.stating(rhs=number(2))).refutes


# --------------------------------------------------------------------------------- exact witnesses
def test_exact() -> None:
    """Equal sides would be said to differ, or one entry that fits would settle a claim of all."""
    theorem = loaded("not_invariant_self_attention")
    found = [not_invariant_self_attention.witness(size) for size in (2, 3, 4)]
    claim, false = theorem.claims[0], theorem.neighbour.claim
    evidence = by_exact(found)(claim.statement)
    assert evidence.ok and evidence.detail.startswith("3 cases; n = 2")
    assert "1/2 ≠ 2/3" in evidence.detail
    assert ok(by_exact(found), false) is False
    same = differs(claim.rhs, claim.rhs, {}, over=claim.statement.sizes)
    assert ok(by_exact(found), same) is False
    assert said(by_exact([]), claim) == (None, "no witness given")
    # at n = 3 the third row does not move: enough for some entry, not for every one
    assert ok(by_exact(found[1:]), claim.stating(some=False)) is False
    assert ok(by_exact(found), claim.stating(relation="=", some=False)) is False


@pytest.mark.slow  # `test_sizes_that_no_witness_has` sees it of small claims
@pytest.mark.parametrize("which", [0, 1])
def test_a_bound_lowered_by_one_is_seen(which: int) -> None:
    """A claim for n ≥ 1 would be green where its witnesses begin at n = 2, or for d = 1, 2 where
    they are of d = 1."""
    (claim,) = loaded("not_invariant_self_attention").claims
    over = claim.statement.sizes
    lower = Sizes(frozenset((s, k - 1) for s, k in over.least), over.of, over.among)
    wider = Sizes(over.least, over.of, over.among | {tuple(2 for _ in over.of)})
    false = claim.stating(sizes=(lower, wider)[which])
    settling = {name: check for name, check in claim.marks.items() if mark(check, claim).settles}
    assert settling and all(mark(check, claim).ok for check in claim.marks.values())
    for check in settling.values():
        assert not mark(check, false).settles


def test_witnesses_of_the_book_run_to_8() -> None:
    """The exact mark of "for every n ≥ 2" would be made at fewer sizes than it is said to be."""
    (claim,) = loaded("not_invariant_self_attention").claims
    assert said(by_exact([not_invariant_self_attention.witness(2)]), claim)[1].startswith("1 case;")
    assert said(claim.marks["exact"], claim)[1].startswith("7 cases; n = 2")


def test_a_quotient_of_zero_is_no_value() -> None:
    """0/0 would be some number, and settle a claim."""
    claim = differs(divide(z, z), ZERO, {})
    assert ok(by_exact([Witness({}, {}, {"z": 1})]), claim) is True
    assert ok(by_exact([Witness({}, {}, {"z": 0})]), claim) is False


# ----------------------------------------------------------------------------------------- searches
SIZES = ((2, 1), (2, 2), (3, 1), (3, 2))


@pytest.mark.parametrize("scheme", ["learned", "sinusoidal"])
def test_search(scheme: str) -> None:
    """Equal sides would be said to differ at the witness that a search found for others."""
    theorem = loaded(f"not_equivariant_of_{scheme}_position")
    claim = theorem.claims[0]
    assert said(by_search(scheme, SIZES), claim) == (
        True,
        "replayed at (n, d) = (2, 1), (2, 2), (3, 1), (3, 2)",
    )
    assert mark(by_search(scheme, SIZES), claim).settles
    for false in (
        theorem.neighbour.claim,
        claim.stating(lhs=claim.rhs),
        claim.stating(relation="=", some=False),
    ):
        assert ok(by_search(scheme, SIZES), false) is False
    assert ok(by_search(scheme, ()), claim) is None
    assert not mark(by_search(scheme, SIZES[:3]), claim).settles  # one of the sizes is missing
    if scheme == "learned":  # rows of sines are no rationals; of the other table the claim says
        assert not mark(by_search("sinusoidal", SIZES), claim).settles  # itself what it is


@pytest.mark.parametrize(
    ("answer", "green"), [("unknown", None), ("none within bound", None), ("symmetric", False)]
)
def test_search_that_finds_nothing(
    monkeypatch: pytest.MonkeyPatch, answer: str, green: bool | None
) -> None:
    """A search without a witness would prove the claim of existence; or one that gave up, or that
    looked within a bound, would refute it; or it would give up on a machine that is busy."""

    def nothing(name: str, n: int, d: int, *, timeout: float) -> SearchResult:
        assert timeout >= 600
        return SearchResult(answer, name, n, d, None, "as told")

    claim = loaded("not_equivariant_of_learned_position").claims[0]
    monkeypatch.setattr(witnesses, "search", nothing)
    found = said(by_search("learned", SIZES), claim)
    assert found[0] is green and found[1].startswith("n = 2, d = 1: ")


def test_search_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    """A witness whose recorded values are not the computed ones would count."""
    real = witnesses.search("learned", 2, 1)
    assert real.witness is not None
    tampered = replace(real.witness, lhs=real.witness.rhs, rhs=real.witness.lhs)
    claim = loaded("not_equivariant_of_learned_position").claims[0]
    monkeypatch.setattr(witnesses, "search", lambda *_, timeout: replace(real, witness=tampered))
    found = said(by_search("learned", SIZES), claim)
    assert found[0] is False and "the recorded value is not the computed one" in found[1]


# --------------------------------------------------------------------------------------- enclosures
def test_enclosures_that_touch_show_nothing() -> None:
    """sin² + cos² ≠ 1 would be shown by two roundings, or an equality by enclosures that meet."""

    def square(name: str) -> Term:
        return multiply(pointwise(name, z), pointwise(name, z))

    one = Witness({}, {}, {"z": 1})
    touching = differs(add(square("sin"), square("cos")), ONE, {})
    assert ok(by_enclosures([one]), touching) is False
    assert ok(by_enclosures([one]), differs(square("sin"), ONE, {})) is True
    assert ok(by_enclosures([one]), touching.stating(relation="=")) is False
    assert ok(by_enclosures([one]), differs(ZERO, square("sin"), {}).stating(relation="<")) is True
    assert ok(by_enclosures([one]), differs(square("sin"), ZERO, {}).stating(relation="<")) is False


# ------------------------------------------------------------------------------- by enclosures
@pytest.mark.parametrize(
    ("relation", "sides", "shown"),
    [
        ("≠", (1, 2), True), ("≠", (2, 1), True), ("≠", (1, 1), False), ("<", (1, 2), True),
        ("<", (2, 1), False), ("<", (1, 1), False), ("=", (1, 2), False), ("=", (1, 1), False),
        ("≤", (1, 2), False),
    ],
)  # fmt: skip
def test_enclosures_show_strict_relations_alone(
    relation: str, sides: tuple[int, int], shown: bool
) -> None:
    """Numbers whose enclosures are apart would be called equal, or those that meet, different."""
    x, y = (Intervals().number(Fraction(side)) for side in sides)
    assert witnesses.apart(x, relation, y) is shown


def test_a_tensor_in_units_of_ln_2_has_them_in_enclosures() -> None:
    """A side would be enclosed at other values than those that the witness is printed with."""
    k = Set("k_of_units")
    one, two = (tensor(name, i=k) for name in ("one_of_units", "two_of_units"))
    w = Witness({"k_of_units": 1}, {}, {"one_of_units": [1], "two_of_units": [Fraction(7, 10)]},
                logs=("one_of_units",))  # fmt: skip
    assert witnesses.enclosed(Atom(one, "<", two), w)
    assert not witnesses.enclosed(Atom(one, "<", two), replace(w, logs=()))
