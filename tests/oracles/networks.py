"""Networks that are run: those of the proof that types can be told apart, and random ones.

`told` runs the construction behind attention_is_colour_refinement: tokens are one-hot vectors,
W_Q = 0 (of keys and rotations: a constant query), the values are those vectors themselves. After
each layer a row-wise map sends every distinct row, the token's own state beside what each head gave
it, to a one-hot vector of its own. Under masks all numbers are fractions; under other terms they
have 60 digits, of which 40 are compared.

`outputs` runs a network of random weights in double precision, with skips and tanh between.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from orderproof.numeric.groups.types import Terms

Floats = NDArray[np.float64]
DIGITS, COMPARED = 60, 40


def told(
    terms: Terms, inputs: Sequence[Sequence[Hashable]], depth: int, seed: int = 0
) -> list[list[list[int]]]:
    """For each depth from 0 on and each input, which one-hot vector each token has."""
    with mpmath.workdps(DIGITS):
        number: dict[Any, int] = {}
        rows = terms.rows or (None,) * terms.n
        states = [
            [number.setdefault((t, rows[i]), len(number)) for i, t in enumerate(tokens)]
            for tokens in inputs
        ]
        rounds = [states]
        for layer in range(depth):
            number = {}
            states = [
                [number.setdefault(row, len(number)) for row in _rows(terms, given, seed + layer)]
                for given in states
            ]
            rounds.append(states)
        return rounds


def _rows(terms: Terms, states: Sequence[int], seed: int) -> list[Hashable]:
    """What the row-wise map is given: a token's state, and the mean of one-hot values by head."""
    found: list[Hashable] = []
    for i, own in enumerate(states):
        means = []
        for h in range(len(terms.heads)):
            mean: dict[int, Any] = {}
            for j, state in enumerate(states):
                w = _weight(terms, h, i, j, state, seed)
                if w:
                    mean[state] = mean.get(state, 0) + w
            total = sum(mean.values())
            means.append(tuple((c, _compared(w / total)) for c, w in sorted(mean.items())))
        found.append((own, *means))
    return found


def _weight(terms: Terms, h: int, i: int, j: int, state: int, seed: int) -> Any:
    entry = terms.heads[h].entry(i, j)
    if entry is None:
        return 0
    if terms.kind == "B":
        if set(terms.heads[h].values) <= {0, None}:
            return Fraction(1)
        return mpmath.exp(mpmath.mpf(entry.numerator) / entry.denominator)
    if terms.kind == "R":  # exp Re(u e^{io}), u the key of the state
        u = complex(*np.random.default_rng([seed, h, state]).normal(size=2))
        turn = mpmath.expjpi(mpmath.mpf(int(entry)) / mpmath.pi)
        return mpmath.exp((mpmath.mpc(u) * turn).real)
    free = np.random.default_rng([seed, h, int(terms.heads[h].ids[i, j])]).normal()
    return mpmath.exp(mpmath.mpf(free))


def _compared(w: Any) -> Hashable:
    return w if isinstance(w, Fraction | int) else mpmath.nstr(w, COMPARED)


def outputs(
    terms: Terms, inputs: Sequence[Sequence[int]], depth: int, seed: int
) -> list[list[Floats]]:
    """The states after 0, …, depth layers of one network of random weights, for each input."""
    d, heads = 4, len(terms.heads)
    rng = np.random.default_rng(seed)
    words = rng.normal(size=(1 + max(max(t) for t in inputs), d))
    added = {row: rng.normal(size=d) for row in sorted(set(terms.rows))}  # type: ignore[type-var]
    weights = rng.normal(size=(depth, heads, 3, d, d)) / 2
    keys = [rng.normal(size=(len(head.values), d)) for head in terms.heads]
    found = []
    for tokens in inputs:
        x = words[list(tokens)]
        if added:
            x = x + np.array([added[row] for row in terms.rows[: len(tokens)]])
        states = [x]
        for layer in weights:
            update = sum(_attend(terms, h, x, layer[h], keys[h]) for h in range(heads))
            x = x + update
            x = x + np.tanh(x @ layer[0, 0])
            states.append(x)
        found.append(states)
    return found


def _attend(terms: Terms, h: int, x: Floats, weights: Floats, keys: Floats) -> Floats:
    n, head = len(x), terms.heads[h]
    w_q, w_k, w_v = weights
    q, k, ids = x @ w_q, x @ w_k, head.ids[:n, :n]
    numbers = [head.number(m) for m in range(len(head.values))]
    entries = np.array([-np.inf if v is None else float(v) for v in numbers])[ids]
    scores = q @ k.T
    if terms.kind == "A":
        scores = scores + np.einsum("ic,ijc->ij", q, keys[ids])
    elif terms.kind == "R":
        turn = np.exp(1j * np.where(np.isinf(entries), 0, entries))
        u, v = (z[:, 0] + 1j * z[:, 1] for z in (q, k))
        scores = (u[:, None].conj() * turn * v).real + q[:, 2:] @ k[:, 2:].T
    scores = scores + np.where(np.isinf(entries), -np.inf, entries if terms.kind == "B" else 0)
    a = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(a / a.sum(axis=1, keepdims=True) @ x @ w_v)
