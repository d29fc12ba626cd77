"""From tensors that differ to outputs that do: each argument of a line, once more in NumPy."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from orderproof.proofs.schemes import every_size
from orderproof.proofs.schemes.every_size import everywhere, listed
from orderproof.proofs.schemes.table import cell
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES, pick
from orderproof.symbolic.schemes.sizes import looked_at
from orderproof.symbolic.schemes.symmetries import SYMMETRIES

Array = NDArray[np.float64]
SIZES = range(2, 13)


def weights(scores: Array) -> Array:
    """softmax, row by row"""
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def test_lost_at_even_sizes_alone() -> None:
    """A scheme that has the symmetry at odd n would be refuted for every n."""
    even = replace(
        POSITION_SCHEMES["learned"], own=lambda i, f: (pick(f["n"] % 2 == 0, i.number, 0),)
    )
    y = SYMMETRIES["permutation"]
    found = everywhere(even, y, looked_at(even, y))
    assert found.ground is None and found.replayed == (2, 4, 6, 8)
    c = cell(even, y)
    assert c.verdict == "refuted" and c.every_n is None and c.again == (3, 5, 7)
    assert c.regime == "n = 2, 4, …, 8" and "again at n = 3, 5, 7" in c.reason


def test_lost_at_small_sizes_alone() -> None:
    """What was looked at up to 8 would be said of every n."""
    small = replace(POSITION_SCHEMES["learned"], own=lambda i, f: (pick(f["n"] <= 8, i.number, 0),))
    c = cell(small, SYMMETRIES["reversal"])
    assert c.verdict == "refuted" and c.every_n is None and c.regime == "n = 2, …, 8"
    assert "the position tensors change for" not in c.reason


def test_a_bias_that_softmax_does_not_see(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensors that break a symmetry would be taken for outputs that do: B_ij = b_i."""
    monkeypatch.setattr(every_size, "_shown_at", lambda *given: False)
    rows = replace(POSITION_SCHEMES["circulant"], pair=lambda i, j, f: (i.number,))
    y = SYMMETRIES["permutation"]
    found = everywhere(rows, y, looked_at(rows, y))
    assert found.ground is None and found.replayed == () and found.regime == "n = none"
    assert "the position tensors change for every n ≥ 2" in found.reason


@pytest.mark.parametrize("n", SIZES)
def test_a_rotation_shows_every_offset(n: int) -> None:
    """The output that the argument names would not be that of attention with rotations."""

    def output(i: int, j: int) -> float:
        x = np.zeros((n, 2))
        x[i, 0] = x[j, 1] = 1
        angles = [[float(b - a) for b in range(n)] for a in range(n)]
        c, s = np.cos(angles), np.sin(angles)
        turned = np.array([[c, -s], [s, c]])  # (row, column, query, key)
        scores = np.einsum("ak,klab,bl->ab", x, turned, x) / math.sqrt(2)
        return float((weights(scores) @ x[:, :1])[i, 0])

    g = math.exp(1 / math.sqrt(2))
    seen = {}
    for i in range(n):
        for j in range(n):
            if i != j:
                by_hand = g / (g + math.exp(-math.sin(j - i) / math.sqrt(2)) + n - 2)
                assert math.isclose(output(i, j), by_hand, rel_tol=1e-12)
                seen[j - i] = by_hand
    assert len({round(v, 12) for v in seen.values()}) == 2 * (n - 1)


@pytest.mark.parametrize("n", SIZES[1:])
def test_the_last_row_reads_an_added_table(n: int) -> None:
    """The last output would not be the fraction that the inequality is about, or not grow."""
    for delta in (1.0, math.sin(1), -0.3):
        rows = np.arange(n) * 0.7
        rows[1] = rows[0] + delta
        q = 2 * math.asinh(abs(delta) / 2) / abs(delta)  # √u − 1/√u = |δ|
        x = -rows
        x[-1] += 1

        def last(tokens: Array, q: float = q) -> float:
            return float((weights(q * np.outer(tokens, tokens)) @ tokens)[-1])

        swapped = x.copy()
        swapped[:2] = x[1], x[0]
        g, e, r = math.exp(q), delta**2, 2 * math.cosh(q * delta / 2)
        assert math.isclose(last(x + rows), g / (n - 1 + g), rel_tol=1e-12)
        after = (e * r + g) / (n - 1 + e + g)
        assert math.isclose(last(swapped + rows), after, rel_tol=1e-9) and after > last(x + rows)


@pytest.mark.parametrize("n", [1, *SIZES])
def test_sines_further_on(n: int) -> None:
    """The mean of the differences would not be sin(n)/n."""
    places = np.arange(n + 1)
    tokens = np.sin(places[1:]) - np.sin(places[:-1])
    assert math.isclose((weights(np.zeros((n, n))) @ tokens)[0], math.sin(n) / n, rel_tol=1e-9)


@pytest.mark.parametrize(("first", "n"), [(0, 3), (0, 7), (1, 4), (1, 9)])
def test_columns_of_two_layers(first: int, n: int) -> None:
    """Two layers would not show what one more place sees: a causal mask (prefix 1), and a prefix
    of two with the tokens at its end."""
    i, j = np.indices((n, n))
    a = np.asarray((j <= i) | (j <= first), dtype=float)
    a /= a.sum(axis=1, keepdims=True)

    def last(x: Array) -> float:
        h = x + a @ x
        return float((h + a @ h)[-1])

    one, other = np.eye(n)[first], np.eye(n)[first + 1]
    gain = (a[:, first].sum() - a[:, first + 1].sum()) / n
    assert gain > 0 and math.isclose(last(one) - last(other), gain, rel_tol=1e-9)


@pytest.mark.parametrize("n", SIZES[1:])
def test_a_relative_key_is_a_bias(n: int) -> None:
    """With a first feature 1, W_K = 0, and W_Q on that feature the scores would not be the bias."""
    rng = np.random.default_rng(n)
    keys = rng.normal(size=(n, n))
    x = np.stack([np.ones(n), rng.normal(size=n)], axis=1)
    a = np.stack([keys, np.zeros((n, n))], axis=2)
    w_q, w_v = np.diag([1.0, 0.0]), np.diag([0.0, 1.0])
    shaw = weights(np.einsum("ac,abc->ab", x @ w_q, a)) @ (x @ w_v)
    assert np.allclose(shaw[:, 1], weights(keys) @ x[:, 1], rtol=1e-12, atol=0)


def test_listed() -> None:
    """Sizes in words would be others."""
    assert listed((3, 4, 5, 6)) == "3, …, 6" and listed((4, 6, 8)) == "4, 6, 8"
    assert listed((2, 4, 6, 8)) == "2, 4, …, 8" and listed((2, 3, 5, 6)) == "2, 3, 5, 6"
    assert listed(()) == "none"
