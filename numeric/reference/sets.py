"""Pooling, masks as weights and kernel attention from the papers, in NumPy alone, term by term.

A second independent reference: it imports nothing of the project, and computes every sum as it
stands in the paper, by a loop over tokens where the terms are contractions. Arrays are of one
floating dtype, and so is the result.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def kernel_attention(
    Q: Array, K: Array, V: Array, w: Callable[[Array, Array], Any], *, normalised: bool
) -> Array:
    """sum_j w(q_i, k_j) v_j, divided by sum_j w(q_i, k_j) if normalised.

    Shapes: Q (n, d_k), K (m, d_k), V (m, d_v); w takes two rows to a number; the result is
    (n, d_v). Errors: ValueError when shapes do not fit, or when the weights of a query add up to 0.
    Source: Katharopoulos et al. 2020, equation (3).
    """
    _fit(Q, K, V)
    rows = []
    for q in Q:
        weights = [w(q, k) for k in K]
        total = sum((a * v for a, v in zip(weights, V, strict=True)), np.zeros_like(V[0]))
        if normalised:
            whole = sum(weights)
            if whole == 0:
                raise ValueError("kernel attention: the weights of a query add up to 0")
            total = total / whole
        rows.append(total)
    return np.stack(rows).astype(V.dtype)


def linear_attention(Q: Array, K: Array, V: Array, phi: Callable[[Array], Array]) -> Array:
    """phi(q_i)^T (sum_j phi(k_j) v_j^T) / phi(q_i)^T sum_j phi(k_j), with the sums taken once.

    Shapes as in `kernel_attention`; phi takes a row to its features.
    Source: Katharopoulos et al. 2020, equations (4) and (5).
    """
    _fit(Q, K, V)
    state = sum(np.outer(phi(k), v) for k, v in zip(K, V, strict=True))
    norm = sum(phi(k) for k in K)
    return np.stack([phi(q) @ state / (phi(q) @ norm) for q in Q]).astype(V.dtype)


def positive_random_features(omega: Array) -> Callable[[Array], Array]:
    """phi(x) = exp(omega x - |x|^2 / 2) / sqrt(f), for f fixed rows omega of length d_k.

    Source: Choromanski et al. 2021, lemma 1 and equation (5).
    """
    scale = np.asarray(np.sqrt(len(omega)), omega.dtype)
    return lambda x: np.asarray(np.exp(omega @ x - x @ x / 2) / scale)


def sigmoid_attention(Q: Array, K: Array, V: Array, b: Array) -> Array:
    """sum_j sigmoid(q_i . k_j / sqrt(d_k) + b) v_j: no row adds up to 1.

    Shapes as in `kernel_attention`; b is a number. Source: Ramapuram et al. 2024, equation (3).
    """
    scale = np.asarray(np.sqrt(Q.shape[1]), Q.dtype)
    return kernel_attention(
        Q, K, V, lambda q, k: 1 / (1 + np.exp(-(q @ k / scale + b))), normalised=False
    )


def weighted_attention(Q: Array, K: Array, V: Array, G: Array) -> Array:
    """sum_j g_ij exp(q_i . k_j / sqrt(d_k)) v_j over the same sum without v_j: a mask as weights
    g_ij >= 0, of which no query has all 0.

    Shapes: G (n, m), or (m,) for a padding mask, which is the same for every query; the others as
    in `kernel_attention`. With g = exp(bias) it is softmax(scores + bias) V, by Vaswani et al.
    2017, equation (1) and section 3.2.3.
    """
    _fit(Q, K, V)
    scale = np.asarray(np.sqrt(Q.shape[1]), Q.dtype)
    rows = []
    for q, g in zip(Q, np.broadcast_to(G, (len(Q), len(K))), strict=True):
        weights = [a * np.exp(q @ k / scale) for a, k in zip(g, K, strict=True)]
        if not sum(weights) > 0:
            raise ValueError("mask: given weights that let a query look at no key")
        rows.append(sum(a * v for a, v in zip(weights, V, strict=True)) / sum(weights))
    return np.stack(rows).astype(V.dtype)


def pooled_by_query(H: Array, q: Array) -> Array:
    """sum_i a_i h_i with a = softmax(h_i . q / sqrt(d)): one learned query q over the rows of H.

    Shapes: H (n, d), n >= 1, q (d,); the result is (d,).
    Source: Lee et al. 2019, section 3.2, with one seed and one head, without projections.
    """
    scale = np.asarray(np.sqrt(len(q)), q.dtype)
    weights = [np.exp(h @ q / scale) for h in H]
    return np.asarray(sum(a * h for a, h in zip(weights, H, strict=True)) / sum(weights), H.dtype)


def _fit(Q: Array, K: Array, V: Array) -> None:
    if Q.ndim != 2 or K.ndim != 2 or V.ndim != 2 or Q.shape[1] != K.shape[1] or len(K) != len(V):
        raise ValueError(
            f"attention: given Q {Q.shape}, K {K.shape}, V {V.shape}, "
            "expected (n, d_k), (m, d_k), (m, d_v)"
        )
