"""The independent reference of attention: hand-computed values, equivariance, dtypes, errors."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orderproof.numeric.reference.attention import (
    attention,
    attention_weights,
    cross_attention,
    generation_step,
    generation_step_unnormalised,
    multi_head_attention,
    self_attention,
    softmax,
)

DTYPES = (np.float64, np.float32)
LN2 = math.log(2.0)


def roundoff(dtype):
    """The unit roundoff u: a rounded operation has a relative error of at most u."""
    return float(np.finfo(dtype).eps) / 2


def gamma(k, u):
    """The relative error of k rounded operations in a row (Higham 2002, lemma 3.1)."""
    return k * u / (1 - k * u)


def close(got, expected, operations):
    """Whether `got` is within so many rounded operations, relative, of the exact value."""
    expected = np.asarray(expected, dtype=np.float64)
    error = np.abs(got.astype(np.float64) - expected)
    return bool(np.all(error <= gamma(operations, roundoff(got.dtype)) * np.abs(expected)))


def rounding_bound(X, Y, W_Q, W_K, W_V):
    """An entrywise bound on the forward error of one head, `cross_attention` in the given dtype.

    Each line bounds the error of one step from those of the steps before. An inner product of
    length k, in any order of summation and with or without fused multiply-add, has an error of at
    most gamma(k) times the product of absolute values (Higham 2002, equation 3.5). The inputs of
    the tests are too large to underflow. The bound itself is evaluated in float64, whose own
    rounding the last factor covers.
    """
    u, d_k, m = roundoff(X.dtype), W_Q.shape[1], len(Y)
    X, Y, W_Q, W_K, W_V = (a.astype(np.float64) for a in (X, Y, W_Q, W_K, W_V))
    Q, K, V = X @ W_Q, Y @ W_K, Y @ W_V
    err_q = gamma(X.shape[1], u) * (np.abs(X) @ np.abs(W_Q))
    err_k = gamma(Y.shape[1], u) * (np.abs(Y) @ np.abs(W_K))
    err_v = gamma(Y.shape[1], u) * (np.abs(Y) @ np.abs(W_V))
    high_q, high_k, high_v = np.abs(Q) + err_q, np.abs(K) + err_k, np.abs(V) + err_v
    # The inner product, and four roundings: sqrt, 1/sqrt, the cast to the dtype, the product.
    err_s = gamma(d_k + 4, u) * (high_q @ high_k.T) + err_q @ high_k.T + np.abs(Q) @ err_k.T
    S, err_s = Q @ K.T / math.sqrt(d_k), err_s / math.sqrt(d_k)
    # The shift is the same for a whole row, so it cancels; its subtraction rounds once.
    top = np.max(err_s, axis=1, keepdims=True)
    err_t = err_s + u * (np.max(S, axis=1, keepdims=True) - S + 2 * top)
    # NumPy's exp is within 4 ulp, and an ulp is at most 2u relative.
    ratio = np.max(np.expm1(err_t) + 8 * u * np.exp(err_t), axis=1, keepdims=True)
    # Numerator, denominator, the m - 1 additions and the division.
    weights = np.exp(S - np.max(S, axis=1, keepdims=True))
    A = weights / np.sum(weights, axis=1, keepdims=True)
    err_a = A * ((1 + ratio) * (1 + gamma(m, u)) / (1 - ratio) - 1)
    bound = gamma(m, u) * ((A + err_a) @ high_v) + err_a @ high_v + A @ err_v
    return bound * (1 + 2.0**-20)


def within(got, expected, tolerance):
    """Whether the two agree entry by entry; NaN on any side means that they do not."""
    error = np.abs(got.astype(np.float64) - expected.astype(np.float64))
    return not bool(np.any(~(error <= tolerance)))


@st.composite
def heads(draw):
    """Inputs and weights of one head, rectangular on purpose, and two permutations."""
    dtype = draw(st.sampled_from(DTYPES))
    n, m = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    d, e, d_k, d_v = (draw(st.integers(1, 6)) for _ in range(4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shapes = ((n, d), (m, e), (d, d_k), (e, d_k), (e, d_v))
    arrays = [rng.uniform(-1, 1, shape).astype(dtype) for shape in shapes]
    rows = draw(st.permutations(range(n)))
    columns = draw(st.permutations(range(m)))
    return arrays, list(rows), list(columns)


def fixed_head(dtype, n=5):
    """One head on fixed random inputs, X = Y in shape."""
    rng = np.random.default_rng(7)
    shapes = ((n, 4), (n, 4), (4, 3), (4, 3), (4, 2))
    return [rng.uniform(-1, 1, shape).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("dtype", DTYPES)
def test_equal_scores_share_the_weight_exactly(dtype):
    """If this fails, softmax does not normalise: n equal scores, n a power of two, give 1/n."""
    assert np.array_equal(softmax(np.full((2, 4), 3, dtype)), np.full((2, 4), 0.25))


@pytest.mark.parametrize("dtype", DTYPES)
def test_scores_in_units_of_ln_2_give_powers_of_two(dtype):
    """If this fails, the weights are not exp of the scores: 0, 0, ln 2 must give 1/4, 1/4, 1/2."""
    got = softmax(np.array([0.0, 0.0, LN2], dtype))
    assert close(got, [0.25, 0.25, 0.5], 16)
    # The twin: base 2 in place of base e.
    assert not close(np.exp2(np.array([0, 0, LN2], dtype)), [0.25, 0.25, 0.5], 16)


@pytest.mark.parametrize("dtype", DTYPES)
def test_attention_by_hand(dtype):
    """If this fails, equation (1) is wrong, its scale included: weights 1/3, 2/3 on 3 and 6."""
    Q = np.array([[2 * LN2, 0, 0, 0]], dtype)  # over sqrt(4) the scores are 0 and ln 2
    K = np.array([[0, 1, 0, 0], [1, 0, 0, 0]], dtype)
    V = np.array([[3, 0], [6, 3]], dtype)
    assert close(attention_weights(Q, K), [[1 / 3, 2 / 3]], 16)
    assert close(attention(Q, K, V), [[5, 2]], 16)
    # The twin: without the scale the weights are 1/5 and 4/5.
    assert not close(attention(2 * Q, K, V), [[5, 2]], 16)


def test_softmax_goes_over_the_keys():
    """If this fails, weights are normalised over the queries: rows must sum to 1, columns not."""
    Q, K, *_ = fixed_head(np.float64)
    A = attention_weights(Q, K)
    assert within(A.sum(axis=-1), np.ones(5), gamma(16, roundoff(A.dtype)))
    assert not within(A.sum(axis=-2), np.ones(5), 2.0**-10)
    assert not within(softmax(Q @ K.T / 2.0, axis=-2), A, 2.0**-10)


def test_large_scores_do_not_overflow():
    """If this fails, softmax is not shifted: exp(1000) overflows in both dtypes."""
    for dtype in DTYPES:
        scores = np.array([1000, 1000, -1000], dtype)
        assert np.array_equal(softmax(scores), np.array([0.5, 0.5, 0]))
        with np.errstate(all="ignore"):
            assert np.isnan(np.exp(scores) / np.sum(np.exp(scores))).any()


@settings(deadline=None)
@given(heads())
def test_two_permutations_within_the_rounding_bound(case):
    """If this fails, attention is not equivariant in its queries and invariant in its memory.

    Both sides have the exact value in common, so they differ by at most twice the forward error.
    """
    (X, Y, *weights), rows, columns = case
    bound = rounding_bound(X, Y, *weights)
    got = cross_attention(X[rows], Y[columns], *weights)
    assert within(got, cross_attention(X, Y, *weights)[rows], 2 * bound[rows])


@pytest.mark.parametrize("count", [30, pytest.param(100, marks=pytest.mark.slow)])
def test_the_bound_bounds_the_error(count):
    """If this fails, the derived tolerance is too small: it is held against a longer float.

    Where long double is no longer than float64, only the float32 cases tell anything.
    """

    @settings(deadline=None, max_examples=count)
    @given(heads())
    def bounds(case):
        (X, Y, *weights), _, _ = case
        exact = cross_attention(*(a.astype(np.longdouble) for a in (X, Y, *weights)))
        error = np.abs(cross_attention(X, Y, *weights).astype(np.longdouble) - exact)
        assert not np.any(~(error <= rounding_bound(X, Y, *weights)))

    bounds()


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_bound_is_not_vacuous(dtype):
    """If this fails, the equivariance tests accept anything: each planted error must exceed it."""
    X, _, *weights = fixed_head(dtype)
    cycle = [1, 2, 0, 4, 3]
    right = self_attention(X, *weights)[cycle]
    tolerance = 2 * rounding_bound(X, X, *weights)[cycle]
    assert np.max(tolerance) < 2.0**12 * roundoff(dtype) * np.max(np.abs(right))
    assert within(self_attention(X[cycle], *weights), right, tolerance)
    inverse = [2, 0, 1, 4, 3]
    places = np.linspace(0, 2.0**-12, 5, dtype=dtype)[:, None]  # a faint position term
    causal = np.tril(np.ones((5, 5), dtype=bool))
    nothing = right.copy()
    nothing[0, 0] = np.nan
    for wrong in (
        self_attention(X[inverse], *weights),
        self_attention(X, *weights),
        self_attention(X[cycle] + places, *weights),
        self_attention(X[cycle], *weights, mask=causal),
        nothing,
    ):
        assert not within(wrong, right, tolerance)


def test_cross_attention_needs_keys_and_values_moved_together():
    """If this fails, a value does not follow its key: moving the values alone must matter."""
    Q, K, *_, W = fixed_head(np.float64)
    V, swap = K @ W, [1, 0, 2, 3, 4]
    assert within(attention(Q, K[swap], V[swap]), attention(Q, K, V), 2.0**-40)
    assert not within(attention(Q, K, V[swap]), attention(Q, K, V), 2.0**-10)


@pytest.mark.parametrize("dtype", DTYPES)
def test_float32_stays_float32(dtype):
    """If this fails, something promotes: a float32 run would then measure float64 rounding."""
    X, Y, W_Q, W_K, W_V = fixed_head(dtype)
    stack = [np.stack([w, w]) for w in (W_Q, W_K, W_V)]
    bias = np.zeros((5, 5), dtype)
    pairs = [(Y[j] @ W_K, Y[j] @ W_V) for j in range(5)]
    results = (
        softmax(X),
        attention_weights(X, Y, bias=bias, mask=bias == 0),
        self_attention(X, W_Q, W_K, W_V, bias=bias),
        multi_head_attention(X, Y, *stack, np.ones((4, 3), dtype)),
        generation_step(X[0] @ W_Q, pairs),
        generation_step_unnormalised(X[0] @ W_Q, pairs),
    )
    assert [result.dtype for result in results] == [np.dtype(dtype)] * len(results)


def test_the_two_dtypes_differ():
    """If this fails, the dtype is ignored: float32 results must be rounded more than float64's."""
    wide, narrow = (self_attention(fixed_head(t)[0], *fixed_head(t)[2:]) for t in DTYPES)
    assert 0 < np.max(np.abs(wide - narrow)) < 2.0**-18


def test_masked_keys_count_for_nothing():
    """If this fails, a mask leaks: masking keys must equal leaving them out, bit for bit."""
    Q, K, *_, W = fixed_head(np.float64)
    V = K @ W
    mask = np.array([True, True, False, True, False])
    expected = attention(Q, K[mask], V[mask])
    masked = attention(Q, K, V, mask=mask)
    biased = attention(Q, K, V, bias=np.where(mask, 0.0, -np.inf))
    assert within(masked, expected, 2.0**-48)
    assert np.array_equal(masked, biased)
    assert not within(attention(Q, K, V, mask=~mask), expected, 2.0**-10)


def test_the_bias_is_added_after_the_scale():
    """If this fails, the bias is scaled too: ln 2 on one of two equal keys must give 1/3, 2/3."""
    zero = np.zeros((2, 4))
    got = attention_weights(zero[:1], zero, bias=np.array([0, LN2]))
    assert close(got, [[1 / 3, 2 / 3]], 16)
    assert not close(attention_weights(zero[:1], zero, bias=np.array([0, LN2 / 2])), got, 16)


def test_heads_are_concatenated_in_order():
    """If this fails, heads are mixed up: each must meet its own rows of W_O, in order."""
    X, Y, *weights = fixed_head(np.float64)
    other = [-w for w in weights[:1]] + [2 * w for w in weights[1:]]
    stacks = [np.stack(pair) for pair in zip(weights, other, strict=True)]
    W_O = np.random.default_rng(3).uniform(-1, 1, (4, 3))
    expected = cross_attention(X, Y, *weights) @ W_O[:2] + cross_attention(X, Y, *other) @ W_O[2:]
    assert within(multi_head_attention(X, Y, *stacks, W_O), expected, 2.0**-45)
    swapped = [stack[::-1] for stack in stacks]
    assert not within(multi_head_attention(X, Y, *swapped, W_O), expected, 2.0**-10)


def test_leading_axes_are_batch_axes():
    """If this fails, a batch mixes its members: each must come out as it does alone."""
    X, Y, *weights = fixed_head(np.float64)
    batch = self_attention(np.stack([X, Y]), *weights)
    alone = np.stack([self_attention(X, *weights), self_attention(Y, *weights)])
    assert within(batch, alone, 2.0**-48)
    assert not within(batch[::-1], alone, 2.0**-10)


@pytest.mark.parametrize("dtype", DTYPES)
def test_generation_step_by_hand(dtype):
    """If this fails, [A, B] -> C is wrong: scores 0 and ln 2, so the values weigh 1/3 and 2/3."""
    q = np.array([LN2], dtype)
    a = (np.array([0], dtype), np.array([3, 0], dtype))
    b = (np.array([1], dtype), np.array([6, 3], dtype))
    for cache in ([a, b], [b, a]):
        assert close(generation_step(q, cache), [5, 2], 16)
        assert close(generation_step_unnormalised(q, cache), [6 * LN2, 3 * LN2], 4)
    mispaired = [(a[0], b[1]), (b[0], a[1])]
    assert not close(generation_step(q, mispaired), [5, 2], 16)
    assert not close(generation_step_unnormalised(q, mispaired), [6 * LN2, 3 * LN2], 4)


def test_the_generation_step_is_the_last_row():
    """If this fails, generating differs from attending: one query over the cache is one row."""
    X, _, W_Q, W_K, W_V = fixed_head(np.float64)
    cache = list(zip(X @ W_K, X @ W_V, strict=True))
    rows = self_attention(X, W_Q, W_K, W_V)
    assert within(generation_step(X[-1] @ W_Q, cache), rows[-1], 2.0**-48)
    assert not within(generation_step(X[-1] @ W_Q, cache), rows[0], 2.0**-10)


def test_no_tokens_at_all():
    """If this fails, sizes 0 are special: no query gives no row, an empty memory the sum 0."""
    X, Y, *weights = fixed_head(np.float64)
    assert self_attention(X[:0], *weights).shape == (0, 2)
    assert np.array_equal(cross_attention(X, Y[:0], *weights), np.zeros((5, 2)))


ONES = np.ones((2, 3))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: softmax(np.array(1.0)), "axis -1 and scores ()"),
        (lambda: softmax(np.array([1, 2])), "scores int64, expected one floating dtype"),
        (lambda: softmax(np.full((1, 2), -np.inf)), "(1, 2) with a row of -inf"),
        (lambda: attention(ONES, np.ones((2, 4)), ONES), "Q (2, 3), K (2, 4), expected"),
        (lambda: attention(ONES, ONES, np.ones((4, 3))), "K (2, 3), V (4, 3), expected"),
        (lambda: attention(ONES[0], ONES, ONES), "Q (3,), K (2, 3), expected"),
        (lambda: attention(ONES[:, :0], ONES[:, :0], ONES), "Q (2, 0), K (2, 0), expected"),
        (lambda: attention(ONES, ONES.astype(np.float32), ONES), "K float32, V float64, expected"),
        (lambda: attention(ONES, ONES, ONES, mask=np.ones((2, 2))), "mask of float64, expected"),
        (lambda: attention(ONES, ONES, ONES, mask=np.ones(3, bool)), "mask (3,), expected"),
        (lambda: attention(ONES, ONES, ONES, mask=np.zeros(2, bool)), "a row of -inf"),
        (lambda: attention(ONES, ONES, ONES, bias=np.ones(2, np.float32)), "bias of float32"),
        (lambda: self_attention(ONES, ONES, ONES, ONES), "X W_Q: given shapes (2, 3) and (2, 3)"),
        (lambda: multi_head_attention(*[ONES] * 6), "(2, 3), (2, 3), (2, 3), expected (h, d, d_k)"),
        (lambda: generation_step(ONES[0], []), "an empty cache, expected at least one"),
        (lambda: generation_step(ONES[0], [(ONES[0], ONES[0]), (ONES[0], ONES)]), "pair 1 (3,)"),
        (lambda: generation_step_unnormalised(ONES[0], [(ONES[0, :2], ONES[0])]), "pair 0 (2,)"),
    ],
)
def test_bad_shapes_get_one_line(call, said):
    """If this fails, a wrong call is accepted, or its message does not say given and expected."""
    with pytest.raises(ValueError, match="expected") as caught:
        call()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
