"""Recheck, with no solver, that a permutation is outside a group. Standard library alone.

One layer in rational arithmetic: of exp only this is used, that it is positive and strictly
increasing. A stack of layers by enclosures.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from orderproof.symbolic.counting import Counting, Said

from .arithmetic import (
    Ball,
    Outcome,
    ReplayError,
    dot,
    natural_weight,
    product,
)
from .group_file import (
    COSINE,
    SINE,
    Entry,
    GroupWitness,
    RotationWitness,
    RowsWitness,
    StackWitness,
    WeightsWitness,
)

GroupReplay = Outcome[GroupWitness]


def check(w: GroupWitness) -> GroupReplay:
    """Recheck a counterexample from its numbers and σ alone."""
    if isinstance(w, WeightsWitness):
        ok, said = _weights(w)
    elif isinstance(w, RowsWitness):
        ok, said = _rows(w)
    elif isinstance(w, RotationWitness):
        ok, said = _rotation(w)
    else:
        ok, said = _stack(w)
    return GroupReplay("ok" if ok else "refuted", said, w)


def _weights(w: WeightsWitness) -> tuple[bool, Said]:
    """The weight at the column is 1/Σ e^(hₖ − hⱼ) on PX and 1/Σ e^(tₖ − tⱼ) for P f(X). If no
    tₖ − tⱼ is above hₖ − hⱼ and one is below, or none is below and one is above, they differ."""
    i, j = w.row, w.column
    if w.sigma[i] == i and w.of_row != w.of_image:
        return (
            False,
            lambda c: f"sigma fixes row {c(i)}, and yet two rows of the bias are given for it",
        )
    here, there = w.of_row, [w.of_image[s] for s in w.sigma]
    for name, row in (("of_row", here), ("of_image", there)):
        if all(v is None for v in row):
            return False, lambda _, name=name: f"{name} is all -inf, and softmax undefined"
    a, b = here[j], there[j]
    if a is None or b is None:
        ok = (a is None) != (b is None)
        return (
            ok,
            lambda c: (
                f"the weight in row {c(i)} is 0 on one side {'alone' if ok else 'and the other'}"
            ),
        )
    signs = {_above(x, y, b - a) for x, y in zip(here, there, strict=True)} - {0}
    if len(signs) == 1:
        return (
            True,
            lambda c: f"the weight in row {c(i)} is {'less' if 1 in signs else 'more'} for P f(X)",
        )
    return False, lambda c: f"the totals of row {c(i)} cannot be compared term by term"


def _above(here: Entry, there: Entry, gain: Fraction) -> int:
    """The sign of (there − its entry at the column) − (here − its entry at the column)."""
    if here is None or there is None:
        return (there is not None) - (here is not None)
    return (there - here > gain) - (there - here < gain)


def _rows(w: RowsWitness) -> tuple[bool, Said]:
    """X_σ(i) = −E_i, so that PX + E = 0; and token σ(k) of X + E is D_k = E_σ(k) − E_k. Row r of
    P f(X) is Σ e^(±D_r·D_k)·D_k over the k that it sees, up to a positive factor. Each term is at
    least D_k for one sign and at most D_k for the other, strictly where D_k ≠ 0, as at k = r: so
    that the sum is above Σ D_k or below it, as one chooses, and not 0 for one choice."""
    i, e, s = w.row, w.entries, w.sigma
    if i not in w.seen:
        return False, lambda c: f"row {c(i)} does not see its own place"
    if e[s[i]] == e[i]:
        return False, lambda c: f"E is the same at {c(i)} and at sigma({c(i)}) = {c(s[i])}"
    if w.table == "sines":  # sines of different integers differ, π being irrational
        if any(v.denominator != 1 for v in e):
            return False, lambda _: "the entries of which E holds the sines are not integers"
        if {s[k] for k in w.seen} != set(w.seen):
            return (
                False,
                lambda _: "sigma does not keep the places that are seen, and sines are not added",
            )
        return True, lambda c: f"in row {c(i)}, f(PX) is 0 and P f(X) is not"
    total = sum((e[s[k]] - e[k] for k in w.seen), Fraction(0))
    side = "above" if total >= 0 else "below"
    return True, lambda c: f"in row {c(i)}, f(PX) is 0 and P f(X) is {side} 0"


def _rotation(w: RotationWitness) -> tuple[bool, Said]:
    """The score of the one token with a key, at two offsets; all other scores are 0."""
    i, j = w.row, w.column
    if len(w.sigma) < 2:
        return False, lambda _: "one token alone has the weight 1"
    here, there = (_score(by) for by in (j - i, w.sigma[j] - w.sigma[i]))
    word = "less" if there < here else "more"
    reason = "the weight is the same on both sides" if here == there else f"it is {word} for P f(X)"
    return here != there, lambda c: f"the score in row {c(i)} depends on the turn: {reason}"


def _score(by: int) -> Fraction:
    """(1, 0)·R(0, 1): minus the sine of so many turns."""
    c, s = Fraction(1), Fraction(0)
    for _ in range(abs(by)):
        c, s = c * COSINE - s * SINE, s * COSINE + c * SINE
    return -s if by > 0 else s


def _stack(w: StackWitness) -> tuple[bool, Said]:
    """The last token's state after the layers, on PX and on X."""
    try:
        one, other = (_last(w, order)[w.feature] for order in (w.sigma, range(len(w.sigma))))
    except ReplayError as e:
        return False, e.says
    apart = one.hi < other.lo or other.hi < one.lo
    return (
        apart,
        lambda _: f"the last token's outputs {'differ' if apart else 'could not be told apart'}",
    )


def _empty(row: int, c: Counting) -> str:
    return f"row {c(row)} of a bias is all -inf, and softmax undefined"


def _last(w: StackWitness, order: Sequence[int]) -> list[Ball]:
    h = [[Ball.of(v) for v in w.x[i]] for i in order]
    for layer in w.layers:
        after = [list(row) for row in h]
        for bias, weights in zip(w.heads, layer, strict=True):
            q, k, v = (
                product(h, [[Ball.of(a) for a in row] for row in weights[m]])
                for m in ("W_Q", "W_K", "W_V")
            )
            for i, given in enumerate(bias):
                seen = [(j, b) for j, b in enumerate(given) if b is not None]
                if not seen:
                    raise ReplayError(partial(_empty, i))
                shares = [natural_weight(dot(q[i], k[j]) + Ball.of(b), 1) for j, b in seen]
                total = sum(shares[1:], shares[0])
                for c in range(2):
                    mean = dot(shares, [v[j][c] for j, _ in seen]) / total
                    after[i][c] = after[i][c] + mean
        h = after
    return h[-1]
