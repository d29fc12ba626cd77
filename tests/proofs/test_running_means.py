"""Running means by hand: the theorems on causal masks, their closed forms and counterexamples."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise
from math import prod

import pytest

from orderproof.check.claims import Atom
from orderproof.check.marks.exact import exact_entries
from orderproof.check.prove.run import prove_one
from orderproof.proofs.causal_stacks import not_decoder_block_equivariant_of_causal_mask as block
from orderproof.proofs.causal_stacks.two_causal_layers_see_order import END, NEXT, ONE
from orderproof.proofs.shared.causal import swapped
from orderproof.proofs.symbols import n as TOKENS
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.models.builders import delta, number, tensor
from orderproof.symbolic.readings.entries import Model, evaluate
from orderproof.symbolic.readings.rationals import Exact
from orderproof.symbolic.schemes import running_means
from orderproof.symbolic.schemes.running_means import averaging_layer, causal_weight, weight_of
from tests.judged import loaded, mark, ok

Layer = tuple[Fraction, Fraction]  # r and w: r times the state and w times its running means
MEAN = Fraction(0), Fraction(1)
THREE = [MEAN, (Fraction(1), Fraction(1, 2)), (Fraction(-1), Fraction(3))]


def after(state: list[Fraction], layers: list[Layer]) -> list[Fraction]:
    """A state after causal layers with uniform weights, by running means alone."""
    for skip, share in layers:
        means = [sum(state[: i + 1], Fraction()) / (i + 1) for i in range(len(state))]
        state = [skip * x + share * m for x, m in zip(state, means, strict=True)]
    return state


def last_row(n: int, layers: list[Layer]) -> list[Fraction]:
    """What the last of n tokens weighs each token after the layers."""
    units = ([Fraction(int(i == token)) for i in range(n)] for token in range(n))
    return [after(unit, layers)[-1] for unit in units]


def drawn(rng: random.Random, depth: int) -> list[Layer]:
    """Layers of small fractions, 0 among them."""
    return [
        (Fraction(rng.randint(-6, 6), 4), Fraction(rng.randint(-6, 6), 3)) for _ in range(depth)
    ]


def blind(n: int, layers: list[Layer]) -> bool:
    """Whether all tokens but the last weigh the same."""
    return len(set(last_row(n, layers)[:-1])) <= 1


def entries(term: Term, n: int, **given: Fraction) -> list[Fraction]:
    """The entries of a term for n tokens and these numbers, in order."""
    model = Model({TOKENS.name: n}, {}, {name: lambda x=x: x for name, x in given.items()})
    return [entry for _, entry in sorted(evaluate(term, model, Exact()).items())]


def in_terms(n: int, layers: list[Layer]) -> tuple[list[Fraction], list[Fraction]]:
    """The last row by the terms of the book: by its closed form, and by the product of layers."""
    pairs = [(tensor(f"r_{k}"), tensor(f"w_{k}")) for k in range(len(layers))]
    given = {
        f"{x}_{k}": v for k, pair in enumerate(layers) for x, v in zip("rw", pair, strict=True)
    }
    product = running_means.stacked(
        delta(TOKENS, "i", "j"), *(averaging_layer(TOKENS, *pair) for pair in pairs)
    )
    return entries(causal_weight(TOKENS, pairs), n, **given), entries(product, n, **given)[-n:]


@pytest.mark.parametrize("depth", range(6))
def test_closed_form_is_the_product_of_the_layers(depth: int) -> None:
    """The formula of the book would not be what a stack computes, or the terms be another stack."""
    rng = random.Random(20261122)
    for n in range(1, 9):
        for layers in (drawn(rng, depth) for _ in range(3)):
            assert in_terms(n, layers) == (last_row(n, layers),) * 2


def test_the_closed_form_without_its_signs_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison would accept a formula that is false."""
    monkeypatch.setattr(running_means, "sign", lambda over, power: number(1))
    for n in range(2, 7):
        closed, product = in_terms(n, THREE)
        assert closed != product == last_row(n, THREE)


def test_blind_if_at_most_one_layer_attends() -> None:
    """The condition of the headline would be another than what stacks of up to four layers show:
    at one length of more tokens than layers, and at all of them."""
    rng = random.Random(20261122)
    kinds = set()
    for _ in range(60):
        layers = [
            (r, w if rng.random() < 0.5 else Fraction()) for r, w in drawn(rng, rng.randint(0, 4))
        ]
        degenerate = (Fraction(), Fraction()) in layers or sum(w != 0 for _, w in layers) <= 1
        assert blind(max(len(layers), 1) + 1, layers) == degenerate
        assert all(blind(n, layers) for n in range(1, 8)) == degenerate
        kinds.add(degenerate)
    assert kinds == {True, False}


def test_as_many_tokens_as_layers_do_not_decide() -> None:
    """One token more than layers would be more than is needed: three layers that see order do not
    show it at three tokens, where μ₀ − 4 μ₁ + 3 μ₂ = 0."""
    layers = [(Fraction(-11, 6), Fraction(1)), MEAN, MEAN]
    one, half, third = (prod(r + w / m for r, w in layers) for m in (1, 2, 3))
    assert one - 4 * half + 3 * third == 0
    assert blind(3, layers) and not blind(4, layers)


@pytest.mark.parametrize("n", range(1, 12))
def test_running_means_of_running_means(n: int) -> None:
    """(1/n) Σ_{i ≥ j} 1/i would not be what token j weighs after two layers; or v/t and
    v (2 t − H_t)/t² not be v times the sums of squares after one layer and two."""
    once, twice = (last_row(n, [MEAN] * depth) for depth in (1, 2))
    assert twice == [sum((Fraction(1, i) for i in range(j, n + 1)), Fraction()) / n
                     for j in range(1, n + 1)]  # fmt: skip
    assert all(a > b for a, b in pairwise(twice)) and sum(twice) == 1
    for claim, weights in zip(loaded("causal_variance").claims, (once, twice), strict=True):
        assert entries(claim.rhs, n, v=Fraction(1))[-1] == sum(x * x for x in weights)


def test_eleven_and_five_eighteenths() -> None:
    """The two values of the book would not be those of running means of running means, nor what a
    step of generation gives for two orders, or the page would show others."""
    assert last_row(3, [MEAN])[:2] == [Fraction(1, 3)] * 2
    values = last_row(3, [MEAN] * 2)[:2]
    assert values == [Fraction(11, 18), Fraction(5, 18)]
    page, files = prove_one("two_causal_layers_see_order")
    assert "5/18 ≠ 11/18" in page.claims[0].marks[0].detail
    assert any(name.endswith(".smt2") for name in files)
    step = loaded("generation_order_independent").claims[5]
    for side, value in zip((step.rhs, step.lhs), values, strict=True):
        assert [*exact_entries(side, swapped(2)).values()] == [value]


def test_the_earlier_token_weighs_more() -> None:
    """The chain would hold of any two tokens, or show that the later token weighs more."""
    claim = loaded("two_causal_layers_see_order").claims[1]
    smt, given = claim.marks["smt"], claim.statement.given
    later, earlier = (weight_of(TOKENS, END, token) for token in (NEXT, ONE))
    assert claim.statement.atom == Atom(later, "<", earlier) and mark(smt, claim).settles
    false = [claim.stating(lhs=earlier, rhs=later)]
    false += [claim.stating(given=given - {hypothesis}) for hypothesis in given]
    assert True not in {ok(smt, each) for each in false}


def test_a_causal_mask_is_a_case() -> None:
    """The layer of the theorem would not be that of a causal mask, whose last row is all ones."""
    claim = loaded("causal_last_token_invariant").claims[0]
    whole = next(c for c in claim.rhs.node.args).node  # before the last row is selected
    assert whole.op.kind == "opaque"
    tensors = {
        "C": lambda i, c: Fraction([6, 3][i]), "x": lambda i, c: Fraction(3),
        "g": lambda i, j: Fraction(j <= i), "W_V": lambda c, r: Fraction(1),
    } | dict.fromkeys(("W_Q", "W_K"), lambda c, k: Fraction(0))  # fmt: skip
    rows = evaluate(whole.args[0], Model({"n": 2, "d": 1, "d_k": 1}, {}, tensors), Exact())
    assert sorted(rows.values()) == sorted([6 + 6, 3 + Fraction(9, 2), 3 + 4])


@pytest.mark.parametrize("size", range(2, 7))
def test_a_causal_decoder_block(size: int) -> None:
    """The counterexample would not have the values that its file claims: x minus twice the mean so
    far is 1 or −1, which norms and zero maps keep."""

    def first(x: list[int]) -> list[Fraction]:
        return after([Fraction(t) for t in x], [(Fraction(1), Fraction(-2))])

    x, w = [1, -1, *range(3, 2 * size - 2, 2)], block.witness(size)
    assert [row[0] for row in w.tensors["X"]] == x
    (claim, *_) = loaded("not_decoder_block_equivariant_of_causal_mask").claims
    here, there = first(x), first([x[1], x[0], *x[2:]])
    assert here[:2] == [-1, -1] and there[:2] == [1, 1] and {*here[2:], *there[2:]} <= {1}
    for side, values in ((claim.lhs, there), (claim.rhs, [here[1], here[0], *here[2:]])):
        rows, features = (side.axes.index(a) for a in ("i", "c"))
        got = {(at[rows], at[features]): v for at, v in exact_entries(side, w).items()}
        assert got == {(k, c): v * (1 - 2 * c) for k, v in enumerate(values) for c in (0, 1)}
