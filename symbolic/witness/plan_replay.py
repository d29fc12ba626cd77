"""Recheck with no solver that an order of a plan's segments changes the output of a token.

The plan is laid out and attention computed by loops over tokens, sharing nothing with the search
or with numeric/prompts/layout.py: of each layer those rows that what reads depends on. Rational
where the scheme is (with slope ln 2 the weights of ALiBi are powers of 2), else enclosed: turns and
sines by an angle of 1 a place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from math import log
from typing import Any

from .arithmetic import (
    ONE,
    Ball,
    Outcome,
    ReplayError,
    dot,
    natural_weight,
    power_of_two,
    product,
    sin_cos,
)
from .plan import Plan
from .plan_file import PlanWitness

Rows = Sequence[Sequence[Any]]


PlanReplay = Outcome[PlanWitness]


def check(w: PlanWitness) -> PlanReplay:
    """Recheck a counterexample: the output of the token that reads in both orders."""
    try:
        here, there = (
            output(w, order)[w.feature] for order in ([s.name for s in w.plan.segments], w.order)
        )
    except ReplayError as e:
        return PlanReplay("refuted", e.says, w)
    if isinstance(here, Ball):
        apart = here.hi < there.lo or there.hi < here.lo
        shown = ", ".join(f"{(v.lo + v.hi) / (2 * ONE):.6g}" for v in (here, there))
    else:
        apart, shown = here != there, f"{here}, {there}"
    if apart:
        return PlanReplay("ok", lambda _: f"the outputs are {shown}", w)
    return PlanReplay("refuted", lambda _: f"the outputs are the same in both orders: {shown}", w)


def laid(plan: Plan, order: Sequence[str]) -> tuple[list[int], list[set[int]]]:
    """For each token, in the order of the file: its id, and the tokens that it attends to."""
    first: dict[str, int] = {}
    for s in plan.segments:
        first[s.name] = sum(t.length for t in plan.segments if t.name in first)
    by_name = {s.name: s for s in plan.segments}
    ids, reads = [0] * plan.n, [set[int]() for _ in range(plan.n)]
    following = longest = 0
    for place, name in enumerate(order):
        s = by_name[name]
        if isinstance(s.start, tuple):
            own = list(s.start)
        else:
            start = {"continue": following, "longest": longest}.get(str(s.start), s.start)
            own = [int(start) + k for k in range(s.length)]
        following, longest = own[-1] + 1, max(longest, max(own) + 1)
        before = [t for t in order[:place] if not by_name[t].padding]
        others = before if s.attends is None else s.attends
        whole = {first[t] + k for t in others for k in range(by_name[t].length)}
        for k in range(s.length):
            ids[first[name] + k] = own[k]
            last = k + 1 if s.causal else s.length
            reads[first[name] + k] = whole | {first[name] + m for m in range(last)}
    if plan.window is not None:
        for i, seen in enumerate(reads):
            near = {j for j in seen if abs(ids[i] - ids[j]) <= plan.window}
            reads[i] = near | {j for j in seen if ids[j] < plan.sinks}
    return ids, reads


def output(w: PlanWitness, order: Sequence[str]) -> list[Any]:
    """The state of the token that reads after the layers, each with its skip."""
    ids, reads = laid(w.plan, order)
    exact = w.kind == "exact"
    number: Callable[[Fraction], Any] = (lambda v: v) if exact else Ball.of
    h = [[number(v) for v in row] for row in w.x]
    if w.plan.scheme in ("learned", "sinusoidal"):
        h = [[a + b for a, b in zip(row, _added(w, p), strict=True)]
             for row, p in zip(h, ids, strict=True)]  # fmt: skip
    for layer, rows in zip(w.layers, _needed(w.plan.reads, reads, len(w.layers)), strict=True):
        q, k, v = (product(h, [[number(a) for a in r] for r in layer[m]])
                   for m in ("W_Q", "W_K", "W_V"))  # fmt: skip
        after = list(h)  # a row that is not needed stays as it was, and is not read again
        for i in rows:
            seen = sorted(reads[i])
            weights = [_weight(w, q[i], k[j], ids[j] - ids[i]) for j in seen]
            total = sum(weights[1:], weights[0])
            mean = [dot(weights, [v[j][c] for j in seen]) / total for c in range(len(h[i]))]
            after[i] = [a + b for a, b in zip(h[i], mean, strict=True)]
        h = after
    return h[w.plan.reads]


def _needed(reader: int, reads: Sequence[set[int]], depth: int) -> list[set[int]]:
    """The rows of each layer's output that what reads depends on: itself, what it attends to, …"""
    found = [{reader}]
    for _ in range(depth - 1):
        found.append(found[-1].union(*(reads[i] for i in found[-1])))
    return found[::-1]


def _added(w: PlanWitness, place: int) -> list[Any]:
    """What is added to a token with this id: a row of the table, or sine and cosine."""
    if w.plan.scheme == "learned":
        return list(_row(w, place))
    c, s = _turn(place)
    return [s, c]


def _weight(w: PlanWitness, q: Sequence[Any], k: Sequence[Any], offset: int) -> Any:
    """The weight of a key at this offset, not yet divided by the total of its row."""
    scheme, bias = w.plan.scheme, Fraction(0)
    if scheme == "alibi":
        bias = Fraction(-abs(offset))
    elif scheme == "alibi-signed":
        bias = Fraction(offset)
    elif scheme in ("t5", "t5-causal"):
        bias = _row(w, _bucket(offset, one_sided=scheme == "t5-causal"))[0]
    elif scheme == "shaw":
        a = _row(w, max(-w.plan.clip, min(w.plan.clip, offset)))
        k = [x + y for x, y in zip(k, a, strict=True)]
    elif scheme in ("rope", "rope-partial"):
        c, s = _turn(offset)
        k = [c * k[0] + -(s * k[1]), s * k[0] + c * k[1]]
    score = dot(q, k)
    return power_of_two(score + bias) if w.kind == "exact" else _exp(score)


@lru_cache(1 << 14)  # few scores differ
def _exp(score: Ball) -> Ball:
    return natural_weight(score, 1)


def _row(w: PlanWitness, label: int) -> tuple[Fraction, ...]:
    if str(label) not in w.table:
        raise ReplayError(f"the table has no row {label}")
    return w.table[str(label)]


def _bucket(offset: int, *, one_sided: bool) -> int:
    """T5's bucket, exact up to half of a side and by logarithms up to 128: 16 a side, or 32 for
    what lies before, and 0 for all that lies after."""
    half = 16 if one_sided else 8
    side = 16 if offset > 0 and not one_sided else 0
    d = max(0, -offset) if one_sided else abs(offset)
    if d < half:
        return side + d
    return side + min(2 * half - 1, half + int(log(d / half) / log(128 / half) * half))


@cache
def _turn(by: int) -> tuple[Ball, Ball]:
    """cos and sin of an integer: powers of e^i, by squaring."""
    one, nought = Ball(ONE, ONE), Ball(0, 0)
    c, s = one, nought
    a, b = sin_cos("cos", one), sin_cos("sin", one)
    m = abs(by)
    while m:
        if m & 1:
            c, s = c * a + -(s * b), c * b + s * a
        a, b = a * a + -(b * b), a * b + a * b
        m >>= 1
    return c, (s if by >= 0 else -s)
