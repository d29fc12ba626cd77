"""The theorems on causal masks: their numbers by hand, and hypotheses left out."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from orderproof.check.claims import Atom
from orderproof.check.prove.run import prove_one
from orderproof.proofs import catalogue
from orderproof.proofs.causal_stacks.two_causal_layers_see_order import END, NEXT, ONE
from orderproof.proofs.symbols import n
from orderproof.symbolic.readings.entries import Model, evaluate
from orderproof.symbolic.readings.rationals import Exact
from orderproof.symbolic.schemes.running_means import weight_of
from tests.judged import loaded, mark, ok


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
    page, files = prove_one("two_causal_layers_see_order")
    assert "5/18 ≠ 11/18" in page.claims[0].marks[0].detail
    assert any(name.endswith(".smt2") for name in files)


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


def test_the_earlier_token_weighs_more() -> None:
    """The chain would hold of any two tokens, or show that the later token weighs more."""
    claim = loaded("two_causal_layers_see_order").claims[1]
    smt, s = claim.marks["smt"], claim.statement
    assert mark(smt, claim).settles
    later, earlier = (weight_of(n, END, token) for token in (NEXT, ONE))
    assert s.atom == Atom(later, "<", earlier)
    assert ok(smt, claim.stating(lhs=earlier, rhs=later)) is not True
    for hypothesis in s.given:
        assert ok(smt, claim.stating(given=s.given - {hypothesis})) is not True


def test_a_causal_mask_is_a_case() -> None:
    """The layer of the theorem would not be that of a causal mask, whose last row is all ones."""
    claim = catalogue.load("causal_last_token_invariant").claims[0]
    whole = next(c for c in claim.rhs.node.args).node  # before the last row is selected
    assert whole.op.kind == "opaque"
    rows = evaluate(
        whole.args[0],
        Model({"n": 2, "d": 1, "d_k": 1}, {}, {
            "C": lambda i, c: Fraction([6, 3][i]), "x": lambda i, c: Fraction(3),
            "g": lambda i, j: Fraction(j <= i),
            "W_Q": lambda c, k: Fraction(0), "W_K": lambda c, k: Fraction(0),
            "W_V": lambda c, r: Fraction(1),
        }),
        Exact(),
    )  # fmt: skip
    assert sorted(rows.values()) == sorted([6 + 6, 3 + Fraction(9, 2), 3 + 4])
