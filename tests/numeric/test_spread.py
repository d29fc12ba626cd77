"""Spread, κ and attention: values by hand, 10,000 random trials, and what must be refused."""

import math

import numpy as np
import pytest

from orderproof.numeric import spread as module
from orderproof.numeric.spread import (
    attended,
    distances,
    kappa,
    kappa_trials,
    operator_norm,
    rounding,
    score_form,
    spread,
    tv_bound,
    without_skips,
)

SEED = 20261122


def test_values_by_hand() -> None:
    """A norm would be another one, or a root or a fourth forgotten."""
    X = [[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]
    assert spread(X) == 5.0
    assert distances(X)[0, 2] == 1.0
    assert operator_norm([[3.0, 0.0], [0.0, -2.0]]) == pytest.approx(3.0)
    assert kappa([[2.0]], [[-3.0]], 2.0) == pytest.approx(6.0)  # 2 · 3 · 2²/4
    assert without_skips([[2.0]], [[-3.0]], 2.0) == pytest.approx(12.0)
    assert tv_bound(4 * math.log(2)) == pytest.approx(3 / 5)
    assert score_form([[1.0, 2.0, 0.0, 0.0]], [[3.0, 4.0, 0.0, 0.0]])[0, 0] == 5.5
    assert spread(np.zeros((0, 3))) == spread(np.zeros((1, 3))) == 0.0


@pytest.mark.parametrize("half", (1e-4, 0.5, math.log(2), 3.0))
def test_two_tokens_reach_the_bound(half: float) -> None:
    """The bound would be larger than need be: two tokens ±1 with the form m reach tanh(m)."""
    X, M, W = [[1.0], [-1.0]], [[half]], [[1.0]]
    share = spread(attended(X, M, W)) / spread(X)
    assert share == pytest.approx(tv_bound(half * 2 * 2), rel=1e-12)
    assert share <= kappa(M, W, 2.0)
    assert not share <= kappa(M, W, 2.0) / 2 or half > 1  # half of κ would be no bound


def test_two_tokens_come_near_to_kappa() -> None:
    """κ would not be the best constant: with small scores the share of it tends to 1."""
    assert spread(attended([[1.0], [-1.0]], [[1e-3]], [[1.0]])) / 2 >= 0.999999 * 1e-3


def test_trials_are_under_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outputs would be further apart than κ says; a bound of a tenth of κ must be exceeded."""
    found = kappa_trials(200, SEED)
    assert (found.count, found.above) == (200, 0)
    assert 0.1 < found.largest <= 1 + 1e-9
    monkeypatch.setattr(module, "kappa", lambda *given: kappa(*given) / 10)
    assert kappa_trials(200, SEED).above > 0


@pytest.mark.slow
def test_ten_thousand_trials(capsys: pytest.CaptureFixture[str]) -> None:
    """None of 10,000 random inputs may be above the bound."""
    found = kappa_trials(10_000, SEED)
    with capsys.disabled():
        print(f"\nseed {SEED}: {found}")
    assert found.above == 0
    assert 0.99 < found.largest <= 1 + 1e-9


def test_rounding_is_small_and_covers_a_longer_format() -> None:
    """The tolerance would hide an error, or be less than what rounding does."""
    rng = np.random.default_rng(SEED)
    X, M, W = rng.normal(size=(6, 3)), rng.normal(size=(3, 3)), rng.normal(size=(3, 2))
    scores = np.longdouble(X) @ np.longdouble(M) @ np.longdouble(X).T
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    exact = weights / weights.sum(axis=1, keepdims=True) @ (np.longdouble(X) @ np.longdouble(W))
    apart = np.linalg.norm((exact[:, None] - exact[None]).astype(float), axis=-1)
    assert np.max(np.abs(apart - distances(attended(X, M, W)))) <= rounding(X, M, W) < 1e-11


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: spread([1.0, 2.0]), "expected a real matrix"),
        (lambda: spread([[math.nan]]), "NaN or infinity"),
        (lambda: operator_norm([[math.inf]]), "NaN or infinity"),
        (lambda: kappa([[1.0]], [[1.0]], -1.0), "at least 0"),
        (lambda: kappa([[1.0]], [[1.0]], math.nan), "at least 0"),
        (lambda: tv_bound(-1.0), "at least 0"),
        (lambda: score_form([[1.0]], [[1.0, 2.0]]), "expected both (d, k)"),
        (lambda: attended([[1.0]], [[1.0, 2.0]], [[1.0]]), "expected (n, d), (d, d), (d, e)"),
        (lambda: kappa_trials(0, SEED), "at least 1"),
    ],
)
def test_bad_input(call, said: str) -> None:
    """A wrong input would give a number all the same."""
    with pytest.raises(ValueError, match=said.replace("(", r"\(").replace(")", r"\)")):
        call()
