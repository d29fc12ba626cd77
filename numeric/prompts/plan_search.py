"""A witness that an order of a plan's segments changes what the query reads: tokens and weights.

Candidates are run in floats, the simple ones first: one token is 1 and attention looks at places
alone (W_Q = 0; a rotation turns nothing then, and the token that reads, or another one, is 1 too),
then small integers by chance. Later layers carry what the first one saw to the token that reads
with W_Q = 0. The one that differs is confirmed by the replay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from orderproof.symbolic.schemes.definitions import bucket
from orderproof.symbolic.witness.plan import Plan
from orderproof.symbolic.witness.plan_file import MAX_N, ROWS, PlanWitness
from orderproof.symbolic.witness.plan_replay import PlanReplay, check

from .layout import Integers, Laid, lay

Floats = NDArray[np.float64]
Weights = list[dict[str, Integers]]
LN2, GAP = float(np.log(2)), 1e-7
TRIES = 48
ONE, ZERO = np.eye(2, dtype=np.int64), np.zeros((2, 2), dtype=np.int64)


def search(plan: Plan, order: Sequence[str], depth: int) -> PlanReplay | None:
    """A witness at this depth, confirmed; None where the plan is too large or none was found."""
    if plan.n > MAX_N:
        return None
    by_name = {s.name: s for s in plan.segments}
    here, there = lay(plan, plan.segments), lay(plan, [by_name[name] for name in order])
    for x, weights, table in _candidates(plan, here, there, depth):
        gap = abs(output(plan, here, x, weights, table) - output(plan, there, x, weights, table))
        feature = int(gap.argmax())
        if gap[feature] > GAP:
            replayed = check(
                PlanWitness(
                    plan, tuple(order), depth,
                    {str(k): _fractions(row) for k, row in table.items()},
                    tuple(map(_fractions, x)),
                    tuple({m: tuple(map(_fractions, w)) for m, w in layer.items()}
                          for layer in weights),
                    feature,
                )
            )  # fmt: skip
            if replayed.ok:
                return replayed
    return None


def _fractions(row: Sequence[int] | Integers) -> tuple[Fraction, ...]:
    return tuple(Fraction(int(v)) for v in row)


def _candidates(
    plan: Plan, here: Laid, there: Laid, depth: int
) -> Iterator[tuple[Integers, Weights, Mapping[int, Integers]]]:
    """Tokens, the layers' weights, and the scheme's free table."""
    rng = np.random.default_rng(0)
    labels = _labels(plan, here) | _labels(plan, there)
    moved = [*np.flatnonzero((here.allowed != there.allowed).any(axis=0)),
             *np.flatnonzero(here.ids != there.ids), plan.reads]  # fmt: skip
    turned = plan.scheme.startswith("rope")
    carry = {"W_Q": ZERO, "W_K": ZERO, "W_V": ONE}
    for k in range(TRIES):
        alone = k < TRIES // 4
        x = np.zeros((plan.n, 2), dtype=np.int64)
        if alone:
            x[moved[k % len(moved)], 0] = 1
        elif k < TRIES // 2 and turned:
            others = rng.choice(plan.n, min(plan.n, 2), replace=False)
            x[[*others, plan.reads if k % 2 else moved[k % len(moved)]], 0] = 1
        else:
            x = rng.integers(0, 2, (plan.n, 2))
        looking = ZERO if alone and plan.scheme != "shaw" else rng.integers(-1, 2, (2, 2))
        first = {"W_Q": looking, "W_K": ONE if looking.any() else ZERO, "W_V": ONE}
        width = ROWS.get(plan.scheme, 0)
        table = {label: rng.integers(0, 3, width) for label in sorted(labels)} if width else {}
        yield x, [first, *[carry] * (depth - 1)], table


def _labels(plan: Plan, laid: Laid) -> set[int]:
    """What the scheme's free table is asked for."""
    if plan.scheme == "learned":
        return set(laid.ids.tolist())
    offsets = np.unique(laid.ids - laid.ids[:, None])
    if plan.scheme == "shaw":
        return set(np.clip(offsets, -plan.clip, plan.clip).tolist())
    two_sided = plan.scheme == "t5"
    fits = plan.scheme.startswith("t5")
    return {bucket(int(o), two_sided=two_sided) for o in offsets} if fits else set()


def output(
    plan: Plan, laid: Laid, x: Integers, weights: Weights, table: Mapping[int, Integers]
) -> Floats:
    """The state of the token that reads after the layers, each with its skip, in floats."""
    h = x.astype(float)
    offset = laid.ids - laid.ids[:, None]
    bias = np.zeros(offset.shape)
    if plan.scheme == "learned":
        h = h + np.array([table[int(p)] for p in laid.ids])
    elif plan.scheme == "sinusoidal":
        h = h + np.stack([np.sin(laid.ids), np.cos(laid.ids)], axis=1)
    elif plan.scheme.startswith("alibi"):
        bias += -abs(offset) if plan.scheme == "alibi" else offset
    elif plan.scheme.startswith("t5"):
        place, inverse = np.unique(offset, return_inverse=True)
        two_sided = plan.scheme == "t5"
        values = np.array([table[bucket(int(o), two_sided=two_sided)][0] for o in place])
        bias += values[inverse.reshape(offset.shape)]
    unit = 1 if plan.scheme in ("rope", "rope-partial", "sinusoidal") else LN2
    for layer in weights:
        q, k, v = (h @ layer[m] for m in ("W_Q", "W_K", "W_V"))
        scores = q @ k.T
        if plan.scheme == "shaw":
            known = sorted(table)
            keys = np.array([table[o] for o in known])
            index = np.searchsorted(known, np.clip(offset, -plan.clip, plan.clip))
            scores = scores + np.einsum("ic,ijc->ij", q, keys[index])
        elif plan.scheme.startswith("rope"):
            a, b = (u[:, 0] + 1j * u[:, 1] for u in (q, k))
            scores = (a[:, None].conj() * np.exp(1j * offset) * b).real
        scores = np.where(laid.allowed, unit * (scores + bias), -np.inf)
        share = np.exp(scores - scores.max(axis=1, keepdims=True))
        h = h + share / share.sum(axis=1, keepdims=True) @ v
    return np.asarray(h[plan.reads])
