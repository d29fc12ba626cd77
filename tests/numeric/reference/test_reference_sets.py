"""The second reference: against numbers by hand, and against the first where both say the same."""

from __future__ import annotations

import numpy as np
import pytest

from orderproof.numeric.reference import attention as reference
from orderproof.numeric.reference.sets import (
    kernel_attention,
    linear_attention,
    pooled_by_query,
    positive_random_features,
    sigmoid_attention,
    weighted_attention,
)

RNG = np.random.default_rng(7)
Q, K, V = RNG.normal(size=(3, 4)), RNG.normal(size=(5, 4)), RNG.normal(size=(5, 2))


def test_by_hand() -> None:
    """A sum would be divided where it should not be, or taken over the queries."""
    q, k, v = np.array([[1.0]]), np.array([[1.0], [2.0]]), np.array([[10.0], [20.0]])

    def dot(a: np.ndarray, b: np.ndarray) -> float:
        return float(a @ b)

    assert kernel_attention(q, k, v, dot, normalised=False) == [[50.0]]
    assert kernel_attention(q, k, v, dot, normalised=True) == [[50.0 / 3]]
    assert linear_attention(q, k, v, lambda x: x) == [[50.0 / 3]]
    assert weighted_attention(q, 0 * k, v, np.array([3.0, 1.0])) == [[12.5]]
    assert sigmoid_attention(q, 0 * k, v, np.asarray(0.0)) == [[15.0]]
    assert pooled_by_query(v, np.array([0.0])) == [15.0]
    assert positive_random_features(np.zeros((4, 1)))(np.array([0.0])).tolist() == [0.5] * 4


def test_with_exp_it_is_softmax_attention() -> None:
    """The two references would disagree where they compute the same thing, or agree on another."""
    scale = np.sqrt(4)
    softmaxed = kernel_attention(Q, K, V, lambda q, k: np.exp(q @ k / scale), normalised=True)
    expected = reference.attention(Q, K, V)
    assert np.allclose(softmaxed, expected, rtol=1e-13, atol=0)
    wrong = kernel_attention(Q, K, V, lambda q, k: np.exp(q @ k), normalised=True)
    assert not np.allclose(wrong, expected, rtol=1e-3)
    bias = RNG.normal(size=(3, 5))
    masked = weighted_attention(Q, K, V, np.exp(bias))
    assert np.allclose(masked, reference.attention(Q, K, V, bias=bias), rtol=1e-13, atol=0)
    allowed = np.array([True, True, False, True, False])
    padded = weighted_attention(Q, K, V, allowed.astype(float))
    assert np.allclose(padded, reference.attention(Q, K, V, mask=allowed), rtol=1e-13, atol=0)


def test_linear_attention_is_a_kernel() -> None:
    """The sums that all queries share would not be those of the weights φ(q)·φ(k)."""
    phi = positive_random_features(RNG.normal(size=(6, 4)))
    weights = kernel_attention(Q, K, V, lambda q, k: phi(q) @ phi(k), normalised=True)
    assert np.allclose(linear_attention(Q, K, V, phi), weights, rtol=1e-13, atol=0)


def test_bad_input_is_refused() -> None:
    """A query without a key, weights that cancel or shapes that do not fit would give numbers."""
    with pytest.raises(ValueError, match="look at no key"):
        weighted_attention(Q, K, V, np.zeros((3, 5)))
    with pytest.raises(ValueError, match="add up to 0"):
        kernel_attention(Q, K, V, lambda q, k: 0.0, normalised=True)
    with pytest.raises(ValueError, match=r"expected \(n, d_k\)"):
        linear_attention(Q, K, V[:4], lambda x: x)
