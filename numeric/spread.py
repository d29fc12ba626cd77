"""The spread of tokens, the largest distance of two rows, and a bound on it after attention.

A head gives token i the score x_i M x_jᵀ for token j, and the output is A X W_V, with A the softmax
of the scores. The scores of tokens i and j differ by (x_i − x_j) M x_kᵀ, which over the keys k
varies by osc = ‖M‖ ‖x_i − x_j‖ s at most, s the spread of X; hence

    rows i and j of A have a total variation of at most tanh(osc/4), and
    ‖Att(X)_i − Att(X)_j‖ ≤ κ ‖x_i − x_j‖,  κ = ‖M‖ ‖W_V‖ s²/4,

with operator norms; any larger numbers, as Frobenius norms, serve as well. The theorem is
position_after_first_layer_contracts; here are the quantities alone, in floating point.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .reference.attention import softmax

Array = npt.NDArray[Any]
NEGLIGIBLE = 1e-9  # a share of κ is told where rounding is less than that of it
SINGULAR = 1e-12  # relative error of κ: singular values of matrices this small are far better


def distances(X: npt.ArrayLike) -> Array:
    """The Euclidean distances of the rows of X, (n, d) to (n, n), in float64; from differences of
    rows, as those from X Xᵀ cancel.

    Errors: ValueError unless X is a matrix of finite numbers.
    """
    x = _matrix("X", X)
    result: Array = np.zeros((len(x), len(x)))
    for i, row in enumerate(x):  # one row at a time: n² d numbers at once may not fit
        result[i] = np.linalg.norm(x - row, axis=1)
    return result


def spread(X: npt.ArrayLike) -> float:
    """The largest distance of two rows of X (n, d); 0.0 for one row or none.

    Errors: ValueError unless X is a matrix of finite numbers.
    """
    return float(np.max(distances(X), initial=0.0))


def operator_norm(W: npt.ArrayLike) -> float:
    """The largest singular value of W (d, e): the largest ‖x W‖ with ‖x‖ = 1; 0.0 if W is empty.

    Errors: ValueError unless W is a matrix of finite numbers.
    """
    w = _matrix("W", W)
    return float(np.linalg.norm(w, 2)) if w.size else 0.0


def score_form(W_Q: npt.ArrayLike, W_K: npt.ArrayLike) -> Array:
    """The matrix M (d, d) of the scores x_i M x_jᵀ, with their scale: W_Q W_Kᵀ / √k for W_Q, W_K of
    shape (d, k), k ≥ 1.

    Errors: ValueError unless the shapes are equal, with k ≥ 1.
    """
    q, k = _matrix("W_Q", W_Q), _matrix("W_K", W_K)
    if q.shape != k.shape or not q.shape[1]:
        raise ValueError(f"given W_Q {q.shape} and W_K {k.shape}, expected both (d, k), k >= 1")
    result: Array = q @ k.T / math.sqrt(q.shape[1])
    return result


def tv_bound(osc: float) -> float:
    """tanh(osc/4): the largest total variation of two softmaxes whose scores s, t are such that
    s − t lies in an interval of length osc ≥ 0.

    Errors: ValueError if osc is negative or NaN.
    """
    if not osc >= 0:
        raise ValueError(f"given osc = {osc}, expected a number of at least 0")
    return math.tanh(osc / 4)


def kappa(M: npt.ArrayLike, W_V: npt.ArrayLike, s: float) -> float:
    """κ = ‖M‖ ‖W_V‖ s²/4, with operator norms: the factor by which a head with the scores x M yᵀ
    (M: (d, d), its scale included; see score_form) and the values x W_V (W_V: (d, e)) at most
    multiplies the distance of two of the tokens, whose spread is s ≥ 0.

    Errors: ValueError if s is negative or NaN, or a matrix is not one of finite numbers.
    """
    if not s >= 0:
        raise ValueError(f"given s = {s}, expected a number of at least 0")
    return operator_norm(M) * operator_norm(W_V) * s * s / 4


def without_skips(M: npt.ArrayLike, W_V: npt.ArrayLike, s: float) -> float:
    """(‖M‖ ‖W_V‖/4) s³: the spread of the output is at most that, for tokens of spread s.

    Errors: as of kappa.
    """
    return kappa(M, W_V, s) * s


def attended(X: npt.ArrayLike, M: npt.ArrayLike, W_V: npt.ArrayLike) -> Array:
    """softmax(X M Xᵀ) X W_V, for X (n, d), n ≥ 1, M (d, d), W_V (d, e): the shape is (n, e).

    Errors: ValueError unless these are matrices of finite numbers whose shapes fit.
    """
    x, m, w = _matrix("X", X), _matrix("M", M), _matrix("W_V", W_V)
    d = x.shape[1]
    if m.shape != (d, d) or w.shape[0] != d:
        raise ValueError(
            f"given X {x.shape}, M {m.shape}, W_V {w.shape}, expected (n, d), (d, d), (d, e)"
        )
    result: Array = softmax(x @ m @ x.T) @ (x @ w)
    return result


def rounding(X: npt.ArrayLike, M: npt.ArrayLike, W_V: npt.ArrayLike) -> float:
    """A bound on the error of the distances of two rows of attended(X, M, W_V), in float64.

    With γₖ = ku/(1 − ku), a score is off by γ of 2d operations times |x| |M| |x|ᵀ, and by 2u times
    itself after the largest is subtracted; e of that is the relative error of a weight, besides
    those of exp and of a sum of n; a value is off by γ of d operations times |x| |W_V| (Higham
    2002, section 3.1). A distance is off by the errors of two rows, of e entries each.

    Errors: as of attended.
    """
    x, m, w = (np.abs(_matrix(name, a)) for name, a in (("X", X), ("M", M), ("W_V", W_V)))
    n, d = x.shape
    largest_score = float(np.max(x @ m @ x.T, initial=0.0))
    largest_value = float(np.max(x @ w, initial=0.0))
    weight = math.expm1(2 * (_gamma(2 * d + 4) * largest_score)) + _gamma(2 * n + 16)
    entry = (weight * (1 + _gamma(d)) + _gamma(n + d)) * largest_value
    return 2 * math.sqrt(w.shape[1]) * entry * (1 + _gamma(w.shape[1] + 4))


def _gamma(k: int) -> float:
    """γₖ = ku/(1 − ku), of k operations in float64."""
    u = 2.0**-53
    return k * u / (1 - k * u)


@dataclass(frozen=True)
class Trials:
    """How many random inputs were tried, how many came out above the bound by more than rounding
    explains, and the largest share of κ ‖x_i − x_j‖ that ‖Att(X)_i − Att(X)_j‖ took, of pairs for
    which rounding is negligible."""

    count: int
    above: int
    largest: float


def kappa_trials(count: int, seed: int) -> Trials:
    """Random tokens and weights of many sizes and scales, against κ: 2 to 24 tokens, widths 1 to
    12; tokens, scores and values each scaled by a factor between 1/100 and 10.

    Errors: ValueError if count is less than 1.
    """
    if count < 1:
        raise ValueError(f"given {count} trials, expected at least 1")
    rng = np.random.default_rng(seed)
    above, best = 0, 0.0
    for _ in range(count):
        n, (d, e) = int(rng.integers(2, 25)), rng.integers(1, 13, size=2)
        scales = 10.0 ** rng.uniform(-2, 1, size=3)
        shapes = ((n, d), (d, d), (d, e))
        X, M, W = (c * rng.normal(size=shape) for c, shape in zip(scales, shapes, strict=True))
        before, after = distances(X), distances(attended(X, M, W))
        bound = kappa(M, W, spread(X)) * before * (1 + SINGULAR)
        error = rounding(X, M, W)
        above += int(not np.all(after <= bound + error))
        pairs = bound > error / NEGLIGIBLE
        best = max(best, float(np.max(after[pairs] / bound[pairs], initial=0.0)))
    return Trials(count, above, best)


def _matrix(name: str, given: npt.ArrayLike) -> Array:
    """The matrix in float64; ValueError where it is none, or has an entry that is not finite."""
    a = np.asarray(given)
    if a.ndim != 2 or a.dtype.kind not in "fiu":
        raise ValueError(f"given {name} of shape {a.shape} and {a.dtype}, expected a real matrix")
    if not np.all(np.isfinite(a)):
        raise ValueError(f"given {name} with NaN or infinity, expected finite numbers")
    return a.astype(np.float64)
