"""Uniform causal layers at every depth: the closed form against products of matrices."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from math import comb, prod

import pytest

from orderproof.proofs.causal_stacks.causal_weights_at_every_depth import LAYERS
from orderproof.proofs.symbols import n as TOKENS
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.models.builders import leaf_of
from orderproof.symbolic.readings.entries import Model, evaluate
from orderproof.symbolic.readings.rationals import Exact
from orderproof.symbolic.schemes.running_means import averaging_layer, causal_weight, stacked
from tests.judged import loaded, ok

Layer = tuple[Fraction, Fraction]
HALVES = [(Fraction(0), Fraction(1)), (Fraction(1), Fraction(1, 2)), (Fraction(-1), Fraction(3))]


def last_row(n: int, layers: list[Layer]) -> list[Fraction]:
    """The last row of the product of the layers, by running means alone."""
    columns = []
    for token in range(n):
        state = [Fraction(int(i == token)) for i in range(n)]
        for skip, share in layers:
            means = [sum(state[: i + 1], Fraction()) / (i + 1) for i in range(n)]
            state = [skip * x + share * m for x, m in zip(state, means, strict=True)]
        columns.append(state[-1])
    return columns


def closed(n: int, j: int, layers: list[Layer]) -> Fraction:
    """C(n − 1, j − 1) Σ_k (−1)^k C(n − j, k) Π (r + w/(j + k)), tokens from 1."""
    terms = (
        (-1) ** k * comb(n - j, k) * prod((r + w / (j + k) for r, w in layers), start=Fraction(1))
        for k in range(n - j + 1)
    )
    return comb(n - 1, j - 1) * sum(terms, Fraction())


def drawn(rng: random.Random, depth: int) -> list[Layer]:
    """Layers of small fractions, 0 among them."""
    return [
        (Fraction(rng.randint(-6, 6), 4), Fraction(rng.randint(-6, 6), 3)) for _ in range(depth)
    ]


def blind(n: int, layers: list[Layer]) -> bool:
    """Whether all tokens but the last weigh the same."""
    return len(set(last_row(n, layers)[:-1])) <= 1


def test_closed_form_is_the_product_of_the_layers() -> None:
    """The formula of the book would not be what a stack computes: 648 entries, exactly."""
    rng, compared = random.Random(20261122), 0
    for depth in range(6):
        for n in range(1, 9):
            for _ in range(3):
                layers = drawn(rng, depth)
                row = last_row(n, layers)
                assert row == [closed(n, j, layers) for j in range(1, n + 1)]
                compared += n
    assert compared == 648


def test_the_closed_form_with_another_sign_is_wrong() -> None:
    """The comparison would accept a formula that is false: the sum without its signs."""
    for n in range(2, 9):
        row = last_row(n, HALVES)
        unsigned = [
            comb(n - 1, j) * sum(
                comb(n - 1 - j, k) * prod(r + w / (j + k + 1) for r, w in HALVES)
                for k in range(n - j)
            )
            for j in range(n)
        ]  # fmt: skip
        assert row != unsigned


def test_blind_if_at_most_one_layer_attends() -> None:
    """The condition of the headline would be another than what stacks of up to four layers show:
    at one length of more tokens than layers, and at all of them."""
    rng = random.Random(20261122)
    kinds = set()
    for _ in range(60):
        depth = rng.randint(0, 4)
        layers = drawn(rng, depth)
        for k in range(depth):
            if rng.random() < 0.5:
                layers[k] = (layers[k][0], Fraction())
        degenerate = (Fraction(), Fraction()) in layers or sum(w != 0 for _, w in layers) <= 1
        assert blind(max(depth, 1) + 1, layers) == degenerate
        assert all(blind(n, layers) for n in range(1, 8)) == degenerate
        kinds.add(degenerate)
    assert kinds == {True, False}


def test_as_many_tokens_as_layers_do_not_decide() -> None:
    """One token more than layers would be more than is needed: three layers that see order do not
    show it at three tokens, where μ₀ − 4 μ₁ + 3 μ₂ = 0."""
    plain = (Fraction(0), Fraction(1))
    layers = [(Fraction(-11, 6), Fraction(1)), plain, plain]
    one, half, third = (prod(r + w / m for r, w in layers) for m in (1, 2, 3))
    assert one - 4 * half + 3 * third == 0
    assert blind(3, layers)
    assert not blind(4, layers)


def values(term: Term, n: int, layers: list[Layer]) -> list[Fraction]:
    """The entries of a term of the theorem."""
    given: dict[str, Callable[..., Fraction]] = {}
    for (r, w), (skip, share) in zip(LAYERS, layers, strict=False):
        given |= {leaf_of(r).data[0]: lambda x=skip: x, leaf_of(w).data[0]: lambda x=share: x}
    found = evaluate(term, Model({TOKENS.name: n}, {}, given), Exact())
    return [found[key] for key in sorted(found)]


@pytest.mark.parametrize("depth", [2, 3])
def test_terms_are_the_closed_form(depth: int) -> None:
    """The terms of the claims would be another stack, or another formula."""
    n, pairs, layers = 4, LAYERS[:depth], HALVES[:depth]
    expected = last_row(n, layers)
    assert values(causal_weight(TOKENS, pairs), n, layers) == expected
    whole = stacked(*(averaging_layer(TOKENS, *pair) for pair in pairs))
    assert values(whole, n, layers)[-n:] == expected


def test_squares_of_the_weights() -> None:
    """1/t and (2 t − H_t)/t² would not be the sums of squares after one layer and two."""
    mean = (Fraction(0), Fraction(1))
    for t in range(1, 9):
        harmonic = sum((Fraction(1, i) for i in range(1, t + 1)), Fraction())
        once, twice = (sum(x * x for x in last_row(t, [mean] * depth)) for depth in (1, 2))
        assert once == Fraction(1, t)
        assert twice == (2 * t - harmonic) / t**2


@pytest.mark.parametrize("name", ["causal_variance", "causal_position_recoverable"])
def test_neighbours_are_rejected(name: str) -> None:
    """A quick mark would accept a formula that is false."""
    theorem = loaded(name)
    for near in (theorem.neighbour, *theorem.neighbours):
        assert near is not None
        assert ok(near.claim.marks["numeric"], near.claim) is False
