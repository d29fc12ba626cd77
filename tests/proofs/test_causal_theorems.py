"""The theorems on causal masks: their numbers by hand, and their obligations made false."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
import z3

from orderproof.proofs import catalogue
from orderproof.proofs.causal import causal
from orderproof.symbolic.entries import Model, evaluate
from orderproof.symbolic.language import place
from orderproof.symbolic.read_exact import Exact
from orderproof.symbolic.running_means import decreasing, decreasing_account, weight_of
from orderproof.symbolic.terms import Set

N = Set("n")


def means(values: list[Fraction]) -> list[Fraction]:
    """Running means: what a causal layer with uniform weights gives."""
    return [sum(values[: t + 1], Fraction()) / (t + 1) for t in range(len(values))]


def test_eleven_and_five_eighteenths() -> None:
    """The two values of the book would not be those of running means of running means, or the
    page would show others."""
    one, other = ([Fraction(v) for v in x] for x in ((1, 0, 0), (0, 1, 0)))
    assert means(one)[-1] == means(other)[-1] == Fraction(1, 3)
    assert means(means(one))[-1] == Fraction(11, 18)
    assert means(means(other))[-1] == Fraction(5, 18)
    page, files = catalogue.prove_one("two_causal_layers_see_order")
    assert "5/18 ≠ 11/18" in page.claims[0].marks[0].detail
    assert sum(name.endswith(".smt2") for name in files) == len(decreasing())


@pytest.mark.parametrize("n", range(2, 12))
def test_closed_form_is_the_double_mean(n: int) -> None:
    """(1/n) Σ_{i ≥ j} 1/i would not be what token j weighs after two layers."""
    weights = []
    for j in range(1, n + 1):
        unit = [Fraction(int(k == j)) for k in range(1, n + 1)]
        closed = sum((Fraction(1, i) for i in range(j, n + 1)), Fraction()) / n
        assert means(means(unit))[-1] == closed
        weights.append(closed)
    assert all(a > b for a, b in pairwise(weights))
    assert sum(weights, Fraction()) == 1


def test_obligations_are_proved_and_none_survives_a_false_goal() -> None:
    """An obligation would hold of anything: contradictory assumptions, or a goal that is not
    looked at."""
    for o in decreasing():
        assert o.check() is True
        assert replace(o, goal=z3.Not(o.goal)).check() is False
    whole = decreasing()[-1]
    weaker = [a for a in whole.assume if "S(" in str(a) or "R" not in str(a)]
    assert replace(whole, assume=tuple(weaker)).check() is not True  # 1/(a + 1) must be positive


def test_account_is_of_the_earlier_token() -> None:
    """The account would say that a later token weighs more."""
    last, a, b = (place(name, N) for name in "mab")
    account = decreasing_account(N, last, a, b)
    stated = weight_of(N, last, a), ">", weight_of(N, last, b), frozenset(), {}
    assert account.statement == stated
    assert account.statement != decreasing_account(N, last, b, a).statement


def test_a_causal_mask_is_a_case() -> None:
    """The layer of the theorem would not be that of a causal mask, whose last row is all ones."""
    claim = catalogue.load("causal_last_token_invariant").claims[0]
    whole = next(c for c in claim.rhs.node.args).node  # before the last row is selected
    assert whole.op.kind == "opaque"
    rows = evaluate(
        whole.args[0],
        Model({"n": 2, "d": 1, "d_k": 1}, {}, {
            "C": lambda i, c: Fraction([6, 3][i]), "x": lambda i, c: Fraction(3),
            "g": lambda i, j: Fraction(causal(3)[i][j]),
            "W_Q": lambda c, k: Fraction(0), "W_K": lambda c, k: Fraction(0),
            "W_V": lambda c, r: Fraction(1),
        }),
        Exact(),
    )  # fmt: skip
    assert sorted(rows.values()) == sorted([6 + 6, 3 + Fraction(9, 2), 3 + 4])
