"""A change that makes no difference: it is found where it makes none, and only there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orderproof.audit.reasons import agrees
from orderproof.audit.same import in_general, makes_no_difference, narrowed
from orderproof.check.claims import Claim
from orderproof.check.marks import sympy_entries as marks
from orderproof.check.marks.numeric import UNBOUNDED, by_numpy
from orderproof.proofs.symbols import d, d_k, n, sigma
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.kernel import hyp, is_theorem
from orderproof.symbolic.calculus.terms import Term, at
from orderproof.symbolic.derive.rewrite import reindexed
from orderproof.symbolic.models.attention import scores, softmax
from orderproof.symbolic.models.builders import (
    add,
    constant,
    contract,
    delta,
    divide,
    exp,
    inverse,
    iota,
    mean,
    moved,
    multiply,
    number,
    opaque,
    reduce,
    size,
    sqrt,
    subtract,
    tensor,
    total,
)
from orderproof.symbolic.statements.statement import Atom, Statement, sizes

Q, K = tensor("Q", i=n, k=d_k), tensor("K", j=n, k=d_k)
b, c = tensor("b", k=d_k), tensor("c", k=d_k)
V = tensor("V", j=n, r=d)
X, Y, S = tensor("X", i=n, c=d), tensor("Y", i=n, c=d), tensor("S", i=n, j=n)
q = constant("q", n)


def attention(keys: Term, queries: Term = Q) -> Term:
    """softmax(Q Kᵀ / √d_k) V"""
    return contract(softmax(scores(queries, keys, "k"), "j"), V, "j")


def equation(lhs: Term, rhs: Term, *given: Atom) -> Statement:
    """lhs = rhs at every entry, under these hypotheses."""
    return Statement(Atom(lhs, "=", rhs), frozenset(given))


def said(changed: Term, before: Term, *given: Atom) -> str:
    """The reason for a left side changed beside any right side."""
    R = tensor("R", **{a: before.sets[a] for a in before.axes})
    return makes_no_difference(equation(changed, R, *given), equation(before, R, *given))


@pytest.mark.parametrize(
    ("changed", "before"),
    [
        (attention(add(K, b)), attention(K)),
        (attention(add(K, c)), attention(add(K, b))),
        (attention(subtract(K, b)), attention(add(K, b))),
        (total(moved(S, j=sigma), "j"), total(S, "j")),
        (total(total(S.rename({"i": "j", "j": "i"}), "j"), "i"), total(total(S, "j"), "i")),
        (multiply(delta(n, "j", "i"), S), multiply(delta(n, "i", "j"), S)),
    ],
)
def test_what_makes_no_difference_is_found(changed: Term, before: Term) -> None:
    """A true mutant would be reported as a falsehood that marks accept: a bias on all keys alike,
    above all, drops out of the softmax."""
    assert "by algebra" in said(changed, before)


@pytest.mark.parametrize(
    ("changed", "before"),
    [
        (attention(K, add(Q, b)), attention(K)),
        (attention(add(K, moved(K, j=sigma))), attention(K)),
        (attention(moved(K, j=sigma)), attention(K)),
        (total(multiply(moved(S, j=sigma), S), "j"), total(multiply(S, S), "j")),
        (moved(S, i=sigma), moved(S, i=inverse(sigma))),
        (multiply(S, S), S),
    ],
)
def test_what_makes_a_difference_is_not_excused(changed: Term, before: Term) -> None:
    """A falsehood that a weak mark accepts would be called true."""
    assert said(changed, before) == ""


def test_only_a_change_of_one_side_is_compared() -> None:
    """A claim with another relation, hypothesis or with both sides changed is another claim."""
    true, biased = equation(attention(K), attention(K)), attention(add(K, b))
    beside = equation(biased, attention(K))
    assert makes_no_difference(beside, true)
    for other in (
        equation(biased, biased),
        replace(beside, atom=replace(beside.atom, relation="≠")),
        replace(beside, sizes=sizes({n: 2})),
        equation(biased, attention(K), Atom(number(1), "=", number(2))),
        true,
    ):
        assert makes_no_difference(other, true) == ""


def test_hypotheses_count() -> None:
    """X at σ⁻¹(q) is X at q where σ fixes q, and not elsewhere."""
    number_of = iota(n, "i")
    fixed = Atom(at(number_of, {"i": sigma(q())}), "=", at(number_of, {"i": q()}))
    sides = at(X, {"i": inverse(sigma)(q())}), at(X, {"i": q()})
    assert said(*sides, fixed) and not said(*sides)


def test_what_is_compared_contains_the_whole_difference() -> None:
    """A part would be called equal, and the rest of the difference forgotten."""
    before = add(exp(S), multiply(S, tensor("a", i=n)))
    changed = add(exp(S), multiply(S, tensor("b", i=n)))
    both = add(exp(moved(S, i=sigma)), multiply(S, tensor("b", i=n)))
    assert [s.node for s, _ in narrowed(changed, before)][-1] is tensor("b", i=n).node
    assert [(s, t) for s, t in narrowed(both, before)] == [(both, before)]
    ((left, right), *_) = in_general(changed, before)
    assert left != right and left.sets == right.sets


def test_what_is_reindexed_by_facts_is_a_theorem_under_them() -> None:
    """The rewriting would change a term elsewhere, or without the hypothesis."""
    number_of = iota(n, "i")
    fact = hyp(at(number_of, {"i": sigma(q())}), at(number_of, {"i": q()}))
    t = exp(at(X, {"i": sigma(q())}))
    th = reindexed(t, [fact])
    assert is_theorem(th) and th.hyps == fact.hyps
    assert th.lhs.node is t.node and th.rhs.node is exp(at(X, {"i": q()})).node
    for other in (exp(at(X, {"i": inverse(sigma)(q())})), moved(X, i=sigma), X):
        assert reindexed(other, [fact]).rhs.node is other.node
    tensors = kernel.hyp(moved(X, i=sigma), X)
    assert reindexed(t, [tensors]).rhs.node is t.node


# --------------------------------------------------------------------------- marks that were weak
def test_an_unknown_map_of_rows_is_not_read_as_linear() -> None:
    """Σ f(X + Y) would be Σ f(X + P Y): true of every linear f, and of no other."""
    left = mean(opaque("f", {"c": "c"}, add(X, Y), {"c": d}), "i")
    right = mean(opaque("f", {"c": "c"}, add(X, moved(Y, i=sigma)), {"c": d}), "i")
    assert by_numpy()(equation(left, right)).ok is False
    assert by_numpy()(equation(left, left)).ok is True


def test_small_sizes_are_not_all_alike() -> None:
    """Over sets of one element a sum is a maximum, and √d is √d_k where both are alike."""
    t = contract(Q, K, "k")
    check = marks.by_sympy_to(3, d=3)
    scaled = [divide(t, sqrt(size(s))) for s in (d_k, d)]
    assert check(equation(*scaled)).ok is False
    largest = reduce("max", multiply(Q, K), "k")
    assert check(equation(t, largest)).ok is False


def test_no_bound_is_no_disagreement() -> None:
    """A true statement about numbers that overflow would be called false, or a false one true."""
    big = exp(exp(exp(multiply(number(9), add(X, number(9))))))
    true = equation(moved(big, i=sigma), moved(big, i=sigma))
    found = by_numpy()(true)
    assert found.ok is False and found.detail.endswith(UNBOUNDED)
    assert agrees(Claim(true, {}))
    false = equation(add(X, X), add(X, moved(X, i=sigma)))
    assert not agrees(Claim(false, {}))
    exact = equation(X, moved(X, i=sigma))  # without rounding the bound is 0
    assert by_numpy()(exact).ok is False and not agrees(Claim(exact, {}))
