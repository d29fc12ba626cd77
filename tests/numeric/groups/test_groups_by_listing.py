"""The group of a scheme at n = 6 by listing all 720 permutations in floating point.

Attention is written here once more, in NumPy, from the formula; weights, tokens and the free
entries of a bias are random, so that an output shows every permutation outside the group. A σ
counts as a symmetry where f(PX) and P f(X) differ by rounding at most, by the bound below.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache
from itertools import permutations

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from orderproof.cli import cli

SEED, N, D = 20240607, 6, 3
UNIT = 2.0**-53
Array = NDArray[np.float64]
SIGMAS = np.array(list(permutations(range(N))))


def places() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """i down the rows and j along them."""
    i, j = np.indices((N, N))
    return i, j


def masked(seen: NDArray[np.bool_]) -> Array:
    """0 where a place is seen, −∞ where it is not."""
    return np.where(seen, 0.0, -np.inf)


def alibi(free: Array) -> Array:
    """−|i − j| times a slope."""
    i, j = places()
    return -free[0] * abs(i - j)


def window(free: Array) -> Array:
    """|i − j| ≤ 2"""
    i, j = places()
    return masked(abs(i - j) <= 2)


def circulant_even(free: Array) -> Array:
    """A free number for the shorter way round."""
    i, j = places()
    return free[np.minimum((j - i) % N, (i - j) % N)]


def causal(free: Array) -> Array:
    """j ≤ i"""
    i, j = places()
    return masked(j <= i)


def plane(free: Array) -> Array:
    """Two rows of three: a free number for the distances of rows and of columns."""
    i, j = places()
    return free[3 * abs(i // 3 - j // 3) + abs(i % 3 - j % 3)]


def blocks(free: Array) -> Array:
    """Three blocks of two that do not see one another."""
    i, j = places()
    return masked(i // 2 == j // 2)


SCHEMES: dict[str, tuple[Callable[[Array], Array], list[str], int]] = {  # and the order by hand
    "alibi": (alibi, ["alibi"], 2),
    "window": (window, ["window", "--window", "2"], 2),
    "circulant-even": (circulant_even, ["circulant-even"], 12),
    "causal": (causal, ["causal"], 1),
    "2-D distance": (plane, ["relative-2d-distance", "--rows", "2"], 4),
    "blocks": (blocks, ["blocks", "--blocks", "2,2,2"], 48),
}


def attention(x: Array, bias: Array, w: tuple[Array, Array, Array]) -> Array:
    """softmax(QKᵀ/√d + B) V for a stack of inputs n×d."""
    q, k, v = (x @ m for m in w)
    s = q @ np.swapaxes(k, -1, -2) / math.sqrt(D) + bias
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True)) @ v


def bound(x: Array, bias: Array, w: tuple[Array, Array, Array]) -> float:
    """How far two computed entries can be apart that are equal in exact arithmetic.

    γ(m) = m·u/(1 − m·u) bounds m roundings in a row, in any order (Higham 2002, section 3.1). A
    score is two dot products of d, one of d of their entries, a root, a quotient and a sum: its
    error is at most γ(3d + 4) M with M = |X||W_Q| (|X||W_K|)ᵀ/√d + |B|; the difference to the
    largest of its row twice that and one rounding more: δ. So each exp is off by a factor within
    e^δ and its own 4u, the sum and quotient by as much again and γ(n + 1), the last product by
    γ(n + d). The output is a mean of values at most max |X||W_V|. There are two sides.
    """

    def gamma(m: int) -> float:
        return m * UNIT / (1 - m * UNIT)

    a, (q, k, v) = abs(x), (abs(m) for m in w)
    finite = np.where(np.isfinite(bias), abs(bias), 0.0)
    most = ((a @ q) @ (a @ k).T / math.sqrt(D) + finite).max()
    delta = 2 * gamma(3 * D + 5) * most
    factor = math.expm1(2 * delta + 8 * UNIT + gamma(2 * N + D + 2))
    return float(2 * factor * (a @ v).max())


@cache
def differences(name: str) -> tuple[Array, Array, float]:
    """For each σ the largest difference of f(PX) and P f(X), in all rows, and of the last row; and
    the bound."""
    rng = np.random.default_rng([SEED, sorted(SCHEMES).index(name)])
    x, *w = (rng.normal(size=shape) for shape in ((N, D), *[(D, D)] * 3))
    weights = (w[0], w[1], w[2])
    bias = SCHEMES[name][0](rng.uniform(0.5, 2.0, size=N))
    apart = abs(attention(x[SIGMAS], bias, weights) - attention(x, bias, weights)[SIGMAS])
    return apart.max(axis=(1, 2)), apart[:, -1].max(axis=1), bound(x, bias, weights)


def orders(name: str) -> tuple[int, int]:
    """What the command says: of the layer, and of the context at depth 1."""
    given = ["symmetry", "--scheme", *SCHEMES[name][1], "--n", str(N), "--json"]
    data = json.loads(CliRunner().invoke(cli, given).output)
    return data["order"], data["context"]["depth 1"]["order"]


def counted(name: str) -> tuple[int, int]:
    """How many σ are symmetries of the numbers: of the layer, and with the last token fixed of its
    row."""
    layer, last, tolerance = differences(name)
    fixed = SIGMAS[:, -1] == N - 1
    return int((layer <= tolerance).sum()), int((last[fixed] <= tolerance).sum())


@pytest.mark.parametrize("name", SCHEMES)
def test_listing_finds_the_group(name: str) -> None:
    """The group that is printed would not be that of attention as it is computed."""
    layer, last, tolerance = differences(name)
    inside = layer <= tolerance
    print(
        f"{name}, seed {SEED}: {inside.sum()} of {len(SIGMAS)} within {tolerance:.1e}, the largest "
        f"{layer[inside].max():.1e}; of the others the smallest {layer[~inside].min():.1e}"
    )
    assert counted(name) == orders(name) and counted(name)[0] == SCHEMES[name][2]
    for apart in (layer, last):  # no difference is a matter of the tolerance
        assert not ((apart > tolerance) & (apart <= 1e3 * tolerance)).any()


@pytest.mark.parametrize(("name", "other"), [("alibi", "blocks"), ("causal", "circulant-even")])
def test_the_order_of_another_scheme_does_not_fit(name: str, other: str) -> None:
    """Any order would be confirmed, whatever the numbers say."""
    assert counted(name) != orders(other)


def test_a_bias_of_rows_alone_is_not_seen() -> None:
    """The listing would tell a bias apart that softmax does not: B_ij = b_i has every symmetry."""
    rng = np.random.default_rng(SEED)
    x, *w = (rng.normal(size=shape) for shape in ((N, D), *[(D, D)] * 3))
    weights, bias = (w[0], w[1], w[2]), np.repeat(rng.normal(size=(N, 1)), N, axis=1)
    apart = abs(attention(x[SIGMAS], bias, weights) - attention(x, bias, weights)[SIGMAS])
    assert (apart <= bound(x, bias, weights)).all()
    by_column = abs(attention(x[SIGMAS], bias.T, weights) - attention(x, bias.T, weights)[SIGMAS])
    assert (by_column.max(axis=(1, 2)) <= bound(x, bias.T, weights)).sum() == 1
