"""A witness that the last token of a stack sees a permutation of the others: tokens and weights.

Candidates are run in floats: attention that looks at places alone (W_Q = 0) and one token that is
1, then small integers by chance. The one that differs is confirmed by the replay, by enclosures.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from orderproof.symbolic.witness.group_file import MAX_STACK, StackWitness
from orderproof.symbolic.witness.group_replay import GroupReplay, check

from .symmetry import Layer

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
TRIES, GAP = 64, 1e-7
NAMES = ("W_Q", "W_K", "W_V")


def search(layer: Layer, sigma: Sequence[int], depth: int, source: str) -> GroupReplay | None:
    """A witness at this depth, confirmed; None where there are too many tokens, heads or layers,
    where a position term is not a bias, or where none was found."""
    sizes = layer.n, depth, len(layer.heads)
    if layer.kind != "B" or layer.table or not layer.heads or max(sizes) > MAX_STACK:
        return None
    heads = tuple(
        tuple(tuple(head.number(int(k)) for k in row) for row in head.ids) for head in layer.heads
    )
    biases = [
        np.array([[-np.inf if v is None else float(v) for v in row] for row in head])
        for head in heads
    ]
    rng = np.random.default_rng(0)
    for k in range(TRIES):
        x = rng.integers(0, 3, (layer.n, 2))
        if k < layer.n:
            x = np.zeros((layer.n, 2), dtype=np.int64)
            x[k, 0] = 1
        weights = rng.integers(-1, 2, (depth, len(heads), 3, 2, 2))
        if k < TRIES // 2:
            weights[:, :, 0] = 0
            weights[:, :, 2] = np.eye(2, dtype=np.int64)
        gap = abs(last(x[list(sigma)], biases, weights) - last(x, biases, weights))
        if gap.max() > GAP:
            layers = tuple(
                tuple(dict(zip(NAMES, map(_fractions, each), strict=True)) for each in per_head)
                for per_head in weights
            )
            feature = int(gap.argmax())
            found = StackWitness(source, tuple(sigma), heads, _fractions(x), layers, feature)
            replayed = check(found)
            if replayed.ok:
                return replayed
    return None


def _fractions(matrix: Integers) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(Fraction(int(v)) for v in row) for row in matrix)


def last(x: Integers, biases: Sequence[Floats], weights: Integers) -> Floats:
    """The last token's state after the layers, each with its skip, in floats."""
    h = x.astype(float)
    for layer in weights:
        added = np.zeros_like(h)
        for bias, (w_q, w_k, w_v) in zip(biases, layer, strict=True):
            scores = (h @ w_q) @ (h @ w_k).T + bias
            share = np.exp(scores - scores.max(axis=1, keepdims=True))
            added += share / share.sum(axis=1, keepdims=True) @ (h @ w_v)
        h = h + added
    return np.asarray(h[-1])
