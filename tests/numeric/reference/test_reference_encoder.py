"""The independent encoder: values worked out by hand, loops in place of arrays, planted errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from orderproof.numeric.reference import encoder as r
from orderproof.numeric.reference.attention import grouped_query_attention, multi_head_attention

SHAPES = {
    "W_Q": (2, 4, 3), "b_Q": (2, 3), "W_K": (2, 4, 3), "b_K": (2, 3), "W_V": (2, 4, 2),
    "b_V": (2, 2), "W_O": (2, 2, 4), "b_O": (4,), "W_1": (4, 5), "b_1": (5,), "W_2": (5, 4),
    "b_2": (4,), "gamma_1": (4,), "beta_1": (4,), "gamma_2": (4,), "beta_2": (4,),
}  # fmt: skip


def weights(seed: int = 0) -> dict[str, Any]:
    """Random weights of a block."""
    rng = np.random.default_rng(seed)
    return {k: rng.normal(size=s) for k, s in SHAPES.items()} | {"epsilon": np.asarray(0.5)}


X = np.random.default_rng(1).normal(size=(3, 4))
ONE, ZERO = np.ones(2), np.zeros(2)


def test_norms_by_hand() -> None:
    """A norm would use another mean, variance or epsilon than the papers."""
    x = np.array([[1.0, 3.0]])  # mean 2, variance 1, mean square 5
    normed = r.layer_norm(x, np.array([2.0, 1.0]), np.array([0.0, 1.0]), np.asarray(3.0))
    assert normed.tolist() == [[-1.0, 1.5]]
    assert r.rms_norm(x, np.array([2.0, 1.0]), np.asarray(4.0)).tolist() == [[2 / 3, 1.0]]
    unbiased = (x - 2) / math.sqrt(2 + 3.0)  # planted: divided by d − 1
    assert not np.allclose(r.layer_norm(x, ONE, ZERO, np.asarray(3.0)), unbiased)


def test_activations_by_hand() -> None:
    """ReLU or GELU would be another function."""
    assert r.relu(np.array([-2.0, 0.0, 3.0])).tolist() == [0.0, 0.0, 3.0]
    np.testing.assert_allclose(r.gelu(np.array([0.0, 1.0])), [0.0, 0.841344746], atol=1e-9)
    assert r.gelu(np.ones(2, np.float32)).dtype == np.float32


def by_loops(x: Any, w: dict[str, Any]) -> Any:
    """Multi-head attention with biases, one number at a time."""
    n, d = x.shape
    out = np.zeros((n, d)) + w["b_O"]
    for a in range(len(w["W_Q"])):
        q, k, v = (x @ w[f"W_{p}"][a] + w[f"b_{p}"][a] for p in "QKV")
        for i in range(n):
            powers = [math.exp(sum(q[i] * k[j]) / math.sqrt(q.shape[1])) for j in range(n)]
            for j in range(n):
                out[i] += powers[j] / sum(powers) * (v[j] @ w["W_O"][a])
    return out


def test_heads_with_biases() -> None:
    """Heads would be merged in another order, or a bias would be left out."""
    w = weights()
    np.testing.assert_allclose(r.multi_head(X, w), by_loops(X, w), rtol=1e-12)
    for name in ("b_Q", "b_V", "b_O"):
        assert not np.allclose(r.multi_head(X, w), by_loops(X, w | {name: 0 * w[name]}))
    swapped = w | {"W_O": w["W_O"][::-1]}
    assert not np.allclose(r.multi_head(X, w), by_loops(X, swapped))


def test_grouped_heads() -> None:
    """A head would use the keys of another group, or a group that does not exist."""
    w = weights()
    output = w["W_O"].reshape(-1, 4)
    for group in ([0, 1], [1, 0], [0, 0]):
        keys, values = w["W_K"][group], w["W_V"][group]
        expected = multi_head_attention(X, X, w["W_Q"], keys, values, output)
        got = grouped_query_attention(X, w["W_Q"], w["W_K"], w["W_V"], output, group)
        assert np.array_equal(got, expected)
        other = grouped_query_attention(X, w["W_Q"], w["W_K"], w["W_V"], output, [1, 1])
        assert not np.allclose(got, other)
    with pytest.raises(ValueError, match=r"given groups \[0, 2\], expected below 2"):
        grouped_query_attention(X, w["W_Q"], w["W_K"], w["W_V"], output, [0, 2])


@pytest.mark.parametrize("activation", [r.relu, r.gelu])
def test_norm_orders_differ(activation: Any) -> None:
    """The two orders of the norms would be one, or a stack would repeat a layer's weights."""
    w = weights()
    post, pre = (f(X, w, activation) for f in (r.post_norm_block, r.pre_norm_block))
    assert not np.allclose(post, pre)
    # the last thing that a post-norm block does is a norm; a pre-norm block adds to its input
    rows = (post - w["beta_2"]) / w["gamma_2"]
    np.testing.assert_allclose(rows.mean(axis=-1), 0, atol=1e-12)
    silent = w | {k: 0 * w[k] for k in ("W_O", "b_O", "W_2", "b_2")}
    np.testing.assert_array_equal(r.pre_norm_block(X, silent, activation), X)
    layers = [weights(2), weights(3)]
    stacked = r.encoder(X, layers, r.pre_norm_block, activation)
    twice = r.pre_norm_block(r.pre_norm_block(X, layers[0], activation), layers[1], activation)
    assert np.array_equal(stacked, twice)
    assert not np.allclose(stacked, r.encoder(X, layers[::-1], r.pre_norm_block, activation))
