"""Networks that are run: those of the proof that types can be told apart.

`told` runs the construction behind attention_is_colour_refinement: tokens are one-hot vectors,
W_Q = 0 (of keys and rotations: a constant query), the values are those vectors themselves. After
each layer a row-wise map sends every distinct row, the token's own state beside what each head gave
it, to a one-hot vector of its own. Under masks all numbers are fractions; under other terms they
have 60 digits, of which 40 are compared.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from orderproof.numeric.groups.distinguish import Refinement

DIGITS, COMPARED = 60, 40


def told(terms: Refinement, depth: int, seed: int = 0) -> list[list[list[int]]]:
    """For each depth from 0 on and each prompt, which one-hot vector each token has."""
    with mpmath.workdps(DIGITS):
        number: dict[Any, int] = {}
        rows = terms.added or (None,) * max(map(len, terms.prompts))
        states = [
            [number.setdefault((t, rows[i]), len(number)) for i, t in enumerate(tokens)]
            for tokens in terms.prompts
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


def _rows(terms: Refinement, states: Sequence[int], seed: int) -> list[Hashable]:
    """What the row-wise map is given: a token's state, and the mean of one-hot values by head."""
    found: list[Hashable] = []
    for i, own in enumerate(states):
        means = []
        for h in range(len(terms.heads) or 1):
            mean: dict[int, Any] = {}
            for j, state in enumerate(states):
                w = _weight(terms, h, i, j, state, seed)
                if w:
                    mean[state] = mean.get(state, 0) + w
            total = sum(mean.values())
            means.append(tuple((c, _compared(w / total)) for c, w in sorted(mean.items())))
        found.append((own, *means))
    return found


def _weight(terms: Refinement, h: int, i: int, j: int, state: int, seed: int) -> Any:
    if not terms.heads:  # rows are added, and nothing else: all are attended to alike
        return Fraction(1)
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
