"""Attention written from the papers, in NumPy alone: what the terms' NumPy reading is held against.

It imports nothing of the project, so an error in the calculus cannot hide here as well. Every
function takes arrays of one floating dtype and computes in that dtype from end to end: float32
stays float32. Axes before the last two are batch axes and broadcast as in `numpy.matmul`.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def softmax(scores: npt.ArrayLike, axis: int = -1) -> Array:
    """Softmax along `axis`, in the shifted form exp(s - max s) / sum exp(s - max s).

    The shift cancels in exact arithmetic and keeps every exponent at or below 0, so that nothing
    overflows. A score of -inf has weight 0. An empty axis gives an empty result.

    Shapes: any, with at least one axis; the result has the same.
    Errors: ValueError when `scores` has no axis, when `axis` is not one of them, or when every
    score along `axis` is -inf: 0/0 has no value.
    Source: Goodfellow, Bengio, Courville, Deep Learning (2016), section 4.1.
    """
    (s,) = _floats(scores=scores)
    if not -s.ndim <= axis < s.ndim:
        raise ValueError(f"softmax: given axis {axis} and scores {s.shape}, expected an axis of it")
    top = np.max(s, axis=axis, keepdims=True, initial=-np.inf)
    if s.shape[axis] and np.any(top == -np.inf):
        raise ValueError(f"softmax: given {s.shape} with a row of -inf, expected a finite score")
    weights = np.exp(s - top)
    result: Array = weights / np.sum(weights, axis=axis, keepdims=True)
    return result


def attention_weights(
    Q: npt.ArrayLike,
    K: npt.ArrayLike,
    *,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
) -> Array:
    """softmax(Q K^T / sqrt(d_k) + bias), over the keys; where `mask` is False the weight is 0.

    Shapes: Q (..., n, d_k), K (..., m, d_k), d_k >= 1; `mask` (boolean, True where a query may
    look) and `bias` (the dtype of Q, -inf allowed) broadcast to (..., n, m), which is the shape of
    the result.
    Errors: ValueError when shapes or dtypes do not fit, or when a query may look at no key.
    Source: Vaswani et al. 2017, equation (1); masking by -inf, section 3.2.3.
    """
    q, k = _floats(Q=Q, K=K)
    if q.ndim < 2 or k.ndim < 2 or q.shape[-1] != k.shape[-1] or q.shape[-1] == 0:
        raise ValueError(
            f"attention: given Q {q.shape}, K {k.shape}, expected (..., n, d_k), (..., m, d_k)"
        )
    # A Python float: multiplying by a NumPy float64 scalar would promote float32 scores.
    scores: Array = _matmul("Q K^T", q, np.swapaxes(k, -1, -2)) * (1.0 / math.sqrt(q.shape[-1]))
    if bias is not None:
        b = np.asarray(bias)
        if b.dtype != scores.dtype:
            raise ValueError(f"attention: given bias of {b.dtype}, expected {scores.dtype}")
        scores = scores + _fit("bias", b, scores.shape)
    if mask is not None:
        allowed = np.asarray(mask)
        if allowed.dtype != np.bool_:
            raise ValueError(f"attention: given mask of {allowed.dtype}, expected booleans")
        scores = np.where(_fit("mask", allowed, scores.shape), scores, -math.inf)
    return softmax(scores)


def attention(
    Q: npt.ArrayLike,
    K: npt.ArrayLike,
    V: npt.ArrayLike,
    *,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
) -> Array:
    """Scaled dot-product attention: softmax(Q K^T / sqrt(d_k)) V.

    Shapes: Q (..., n, d_k), K (..., m, d_k), V (..., m, d_v); the result is (..., n, d_v). With
    m = 0 it is the empty sum, 0. `mask` and `bias` as in `attention_weights`.
    Errors: ValueError when shapes or dtypes do not fit, or when a query may look at no key.
    Source: Vaswani et al. 2017, equation (1).
    """
    q, k, v = _floats(Q=Q, K=K, V=V)
    if k.ndim < 2 or v.ndim < 2 or k.shape[-2] != v.shape[-2]:
        raise ValueError(
            f"attention: given K {k.shape}, V {v.shape}, expected (..., m, d_k), (..., m, d_v)"
        )
    return _matmul("A V", attention_weights(q, k, mask=mask, bias=bias), v)


def cross_attention(
    X: npt.ArrayLike,
    Y: npt.ArrayLike,
    W_Q: npt.ArrayLike,
    W_K: npt.ArrayLike,
    W_V: npt.ArrayLike,
    *,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
) -> Array:
    """One head whose queries come from X and whose keys and values come from the memory Y.

    Shapes: X (..., n, d), Y (..., m, e), W_Q (d, d_k), W_K (e, d_k), W_V (e, d_v); the result is
    (..., n, d_v). `mask` and `bias` as in `attention_weights`.
    Errors: ValueError when shapes or dtypes do not fit, or when a query may look at no key.
    Source: Vaswani et al. 2017, equation (1) and section 3.2.3 (encoder-decoder attention).
    """
    x, y, w_q, w_k, w_v = _floats(X=X, Y=Y, W_Q=W_Q, W_K=W_K, W_V=W_V)
    q, k, v = _matmul("X W_Q", x, w_q), _matmul("Y W_K", y, w_k), _matmul("Y W_V", y, w_v)
    return attention(q, k, v, mask=mask, bias=bias)


def self_attention(
    X: npt.ArrayLike,
    W_Q: npt.ArrayLike,
    W_K: npt.ArrayLike,
    W_V: npt.ArrayLike,
    *,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
) -> Array:
    """One head whose queries, keys and values all come from X: `cross_attention` at Y = X.

    Shapes: X (..., n, d), W_Q (d, d_k), W_K (d, d_k), W_V (d, d_v); the result is (..., n, d_v).
    Errors: ValueError when shapes or dtypes do not fit, or when a query may look at no key.
    Source: Vaswani et al. 2017, equation (1) and section 3.2.3 (self-attention).
    """
    return cross_attention(X, X, W_Q, W_K, W_V, mask=mask, bias=bias)


def multi_head_attention(
    X: npt.ArrayLike,
    Y: npt.ArrayLike,
    W_Q: npt.ArrayLike,
    W_K: npt.ArrayLike,
    W_V: npt.ArrayLike,
    W_O: npt.ArrayLike,
    *,
    mask: npt.ArrayLike | None = None,
    bias: npt.ArrayLike | None = None,
) -> Array:
    """Concat(head_1, ..., head_h) W_O, each head a `cross_attention` from X to Y with its weights.

    Shapes: X (..., n, d), Y (..., m, e), W_Q (h, d, d_k), W_K (h, e, d_k), W_V (h, e, d_v),
    W_O (h d_v, p), h >= 1; the result is (..., n, p). `mask` and `bias` are shared by the heads.
    Errors: ValueError when shapes or dtypes do not fit, or when a query may look at no key.
    Source: Vaswani et al. 2017, section 3.2.2.
    """
    x, y, w_q, w_k, w_v, w_o = _floats(X=X, Y=Y, W_Q=W_Q, W_K=W_K, W_V=W_V, W_O=W_O)
    weights = (w_q, w_k, w_v)
    if any(w.ndim != 3 for w in weights) or len({len(w) for w in weights}) != 1 or not len(w_q):
        given = ", ".join(str(w.shape) for w in weights)
        raise ValueError(f"multi-head attention: given W_Q, W_K, W_V {given}, expected (h, d, d_k)")
    heads = [
        cross_attention(x, y, *head, mask=mask, bias=bias)
        for head in zip(w_q, w_k, w_v, strict=True)
    ]
    return _matmul("Concat(heads) W_O", np.concatenate(heads, axis=-1), w_o)


def grouped_query_attention(
    X: npt.ArrayLike,
    W_Q: npt.ArrayLike,
    W_K: npt.ArrayLike,
    W_V: npt.ArrayLike,
    W_O: npt.ArrayLike,
    group: Sequence[int],
) -> Array:
    """Multi-head self-attention in which query head h uses the key-value head group[h].

    Shapes: X (..., n, d), W_Q (h, d, d_k), W_K (g, d, d_k), W_V (g, d, d_v), W_O (h d_v, p), and
    h numbers below g; the result is (..., n, p). One group, g = 1, is multi-query attention.
    Errors: ValueError when shapes or dtypes do not fit.
    Source: Ainslie et al. 2023, section 2.2; one group, Shazeer 2019, section 3.
    """
    w_k, w_v = np.asarray(W_K), np.asarray(W_V)
    if not all(0 <= g < len(w_k) for g in group):
        raise ValueError(f"grouped heads: given groups {[*group]}, expected below {len(w_k)}")
    index = list(group)
    return multi_head_attention(X, X, W_Q, w_k[index], w_v[index], W_O)


def generation_step(
    q: npt.ArrayLike, cache: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]]
) -> Array:
    """The output of one query over the cached (k, v) pairs: sum_j softmax_j(q.k_j / sqrt(d_k)) v_j.

    Shapes: q (d_k,), each k (d_k,), each v (d_v,), at least one pair; the result is (d_v,).
    Errors: ValueError when shapes or dtypes do not fit, or when the cache is empty.
    Source: Vaswani et al. 2017, equation (1) with one query; the cache of keys and values, Shazeer
    2019 (Fast Transformer Decoding), section 2.4.
    """
    query, keys, values = _cached(q, cache)
    result: Array = attention(query[None, :], keys, values)[0]
    return result


def generation_step_unnormalised(
    q: npt.ArrayLike, cache: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]]
) -> Array:
    """The same step without softmax: sum_j (q.k_j) v_j, added up in the order of the cache.

    Shapes: q (d_k,), each k (d_k,), each v (d_v,), at least one pair; the result is (d_v,).
    Errors: ValueError when shapes or dtypes do not fit, or when the cache is empty.
    Source: Katharopoulos et al. 2020, equation (3) with the dot product itself as similarity and
    no denominator.
    """
    query, keys, values = _cached(q, cache)
    total: Array = np.zeros_like(values[0])
    for k, v in zip(keys, values, strict=True):
        total = total + np.dot(query, k) * v
    return total


def _cached(
    q: npt.ArrayLike, cache: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]]
) -> tuple[Array, Array, Array]:
    """The query, and the cache as a matrix of keys and a matrix of values."""
    if not cache:
        raise ValueError("generation step: given an empty cache, expected at least one (k, v) pair")
    (query,) = _floats(q=q)
    pairs = [tuple(_floats(q=query, k=k, v=v)[1:]) for k, v in cache]
    d_v = pairs[0][1].shape
    for j, (k, v) in enumerate(pairs):
        if query.ndim != 1 or k.shape != query.shape or v.ndim != 1 or v.shape != d_v:
            raise ValueError(
                f"generation step: given q {query.shape} and pair {j} {k.shape}, {v.shape}, "
                f"expected (d_k,), (d_k,) and (d_v,), d_v that of pair 0, {d_v}"
            )
    return query, np.stack([k for k, _ in pairs]), np.stack([v for _, v in pairs])


def _floats(**given: npt.ArrayLike) -> list[Array]:
    """The arguments as arrays, which must share one floating dtype."""
    arrays = {name: np.asarray(value) for name, value in given.items()}
    dtypes = {a.dtype for a in arrays.values()}
    if len(dtypes) != 1 or not all(np.issubdtype(dtype, np.floating) for dtype in dtypes):
        listed = ", ".join(f"{name} {a.dtype}" for name, a in arrays.items())
        raise ValueError(f"attention: given {listed}, expected one floating dtype for all")
    return list(arrays.values())


def _matmul(name: str, left: Array, right: Array) -> Array:
    """The matrix product, with an error that says which one it was."""
    try:
        if left.ndim < 2 or right.ndim < 2:
            raise ValueError
        product: Array = np.matmul(left, right)
    except ValueError:
        raise ValueError(
            f"{name}: given shapes {left.shape} and {right.shape}, "
            "expected (..., a, b) and (..., b, c)"
        ) from None
    return product


def _fit(name: str, array: Array, shape: tuple[int, ...]) -> Array:
    """The array broadcast to the shape of the scores."""
    try:
        fitted: Array = np.broadcast_to(array, shape)
    except ValueError:
        raise ValueError(
            f"attention: given {name} {array.shape}, expected to broadcast to the scores {shape}"
        ) from None
    return fitted
