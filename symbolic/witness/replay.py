"""Recheck a counterexample of any position scheme with no solver, by an evaluator of its own.

The schemes are written again here, as formulas about places, and attention as loops over numbers:
nothing is shared with the terms, with the search or with position_schemes.py. Standard library.

ALiBi's bias is read with slope ln 2, so that every attention weight is rational. Both sides are
rational functions of g = exp(−slope), with positive denominators, and they differ at g = 1/2; so
their difference is not the zero function, and it has no transcendental root. For a rational slope
other than 0, g is transcendental (Lindemann): the counterexample is one for every such slope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from math import log
from typing import Any

from .arithmetic import (
    ONE,
    Ball,
    Outcome,
    ReplayError,
    compare,
    dot,
    natural_weight,
    power_of_ten_thousand,
    power_of_two,
    product,
    side_of,
    sin_cos,
    sinusoids,
)
from .fields import Side, place
from .scheme_file import PositionWitness

Rows = Sequence[Sequence[Any]]
ROTATED = ("rope", "rope-partial", "rope-causal")
ALIBI: dict[str, Callable[[int, int], int]] = {
    "alibi": lambda i, j: -abs(i - j), "alibi-signed": lambda i, j: j - i,
    "alibi-causal": lambda i, j: j - i,
}  # fmt: skip
BIASES = (*ALIBI, "t5", "t5-causal", "circulant", "circulant-even", "relative-2d",
          "relative-2d-distance", "relative-2d-swap")  # fmt: skip


PositionReplay = Outcome[PositionWitness]


def check(w: PositionWitness) -> PositionReplay:
    """Recheck a counterexample: both sides from its tensors and σ alone, compared with the
    recorded ones, which must differ at the named place."""
    try:
        lhs, rhs = sides(w)
        compare("lhs", w.kind, lhs, w.lhs)
        compare("rhs", w.kind, rhs, w.rhs)
    except ReplayError as e:
        return PositionReplay("refuted", e.says, w)
    row, column = w.differ
    one, other = w.lhs[row][column], w.rhs[row][column]
    if one[1] < other[0] or other[1] < one[0]:
        return PositionReplay("ok", w.differs, w)
    return PositionReplay("refuted", lambda c: f"both sides agree in {place(w.differ, c)}", w)


def sides(w: PositionWitness) -> tuple[Side, Side]:
    """Both sides of the claim, every entry enclosed (by equal ends where the kind is exact)."""
    of_x = _model(w, w.x, 0)
    if w.reads == "offset":
        return side_of(_model(w, w.x, 1)), side_of(of_x)
    permuted = _model(w, [w.x[i] for i in w.sigma], 0)
    if w.reads == "last":
        return side_of(permuted[-1:]), side_of(of_x[-1:])
    return side_of(permuted), side_of([of_x[i] for i in w.sigma])


def _model(w: PositionWitness, x: Rows, shift: int) -> Rows:
    """One layer as it is, or several with skips, the tokens with their position rows first."""
    exact = w.kind == "exact"
    number: Callable[[Fraction], Any] = (lambda v: v) if exact else Ball.of
    h = _added_to(w, x, shift, number)
    for layer in w.layers:
        q, k, v = _projected(h, layer, number)
        out = [_mean(*_row(w, i, q[i], k, v, shift, number)) for i in range(w.n)]
        if w.depth == 1:
            return out
        h = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(h, out, strict=True)]
    return h


def _added_to(w: PositionWitness, x: Rows, shift: int, number: Any) -> Rows:
    """The tokens with what the scheme adds to them."""
    h: Rows = [[number(v) for v in row] for row in x]
    added = _added(w, shift, number)
    if added is None:
        return h
    return [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(h, added, strict=True)]


def _projected(h: Rows, layer: Mapping[str, Rows], number: Any) -> Iterator[Rows]:
    """Queries, keys and values."""
    for name in ("W_Q", "W_K", "W_V"):
        yield product(h, [[number(a) for a in row] for row in layer[name]])


def _mean(weights: Sequence[Any], values: Sequence[Sequence[Any]]) -> list[Any]:
    """The mean of the values with these weights."""
    total = sum(weights[1:], weights[0])
    return [dot(weights, column) / total for column in zip(*values, strict=True)]


def shares(w: PositionWitness, x: Rows, i: int, shift: int = 0) -> list[tuple[Any, list[Any]]]:
    """What row i of the first layer reads: a weight and a value for each place that it sees; the
    weights are not yet divided by their sum. To be shown to a person."""
    number: Callable[[Fraction], Any] = (lambda v: v) if w.kind == "exact" else Ball.of
    h = _added_to(w, x, shift, number)
    q, k, v = _projected(h, w.layers[0], number)
    return list(zip(*_row(w, i, q[i], k, v, shift, number), strict=True))


def _row(
    w: PositionWitness, i: int, q: Sequence[Any], k: Rows, v: Rows, shift: int, number: Any
) -> tuple[list[Any], list[Any]]:
    """The weights and the values that one query reads."""
    weights: list[Any] = []
    values: list[Any] = []
    for j in range(w.n):
        if not _seen(w, i, j, shift):
            continue
        key, bias = list(k[j]), number(Fraction(0))
        if w.scheme == "shaw":
            most = w.parameters["k"]
            a = _entry(w, str(max(-most, min(most, j - i))))
            key = [x + number(y) for x, y in zip(key, a, strict=True)]
        if w.scheme in ROTATED:
            key = _rotated(key, j - i, 2 if w.scheme == "rope-partial" else w.d - w.d % 2)
        if w.scheme in BIASES:
            bias = number(_bias(w, i, j))
        score = dot(q, key)
        exact = w.kind == "exact"
        weights.append(power_of_two(score + bias) if exact else _weight(score, w.d))
        values.append(v[j])
    if not weights:
        raise ReplayError(lambda c: f"row {c(i)} sees no place")
    return weights, values


_weight = lru_cache(1 << 14)(natural_weight)  # few scores differ


def _rotated(key: Sequence[Any], by: int, width: int) -> list[Any]:
    """Pairs of features turned by the angles by/10000^(2m/width) (Su et al. 2021, eq. 15)."""
    out = list(key)
    for m in range(0, width, 2):
        c, s = _turn(by, Fraction(m, width))
        out[m], out[m + 1] = c * key[m] + -(s * key[m + 1]), s * key[m] + c * key[m + 1]
    return out


@cache
def _turn(by: int, power: Fraction) -> tuple[Ball, Ball]:
    """cos and sin of an integer over a power of 10000."""
    angle = Ball(abs(by) * ONE, abs(by) * ONE) / power_of_ten_thousand(power)
    sine = sin_cos("sin", angle)
    return sin_cos("cos", angle), sine if by >= 0 else -sine


def _added(w: PositionWitness, shift: int, number: Any) -> Rows | None:
    """The rows that are added to the tokens."""
    match w.scheme:
        case "constant":
            labels = ["0"] * w.n
        case "learned":
            labels = [str(i + shift) for i in range(w.n)]
        case "documents":
            s = w.parameters["s"]
            labels = [str(i % s + shift) for i in range(w.n - 1)] + [str(s + shift)]
        case "sinusoidal":
            return sinusoids(w.n + shift, w.d)[shift:]
        case _:
            return None
    return [[number(v) for v in _entry(w, label)] for label in labels]


def _entry(w: PositionWitness, label: str) -> tuple[Fraction, ...]:
    if label not in w.table:
        raise ReplayError(f"the table has no row {label}")
    return w.table[label]


def _bias(w: PositionWitness, i: int, j: int) -> Fraction:
    """What is added to the score of query i and key j; a common offset makes no difference."""
    if w.scheme in ALIBI:
        return Fraction(ALIBI[w.scheme](i, j))
    c = w.parameters.get("c", 1)
    labels: dict[str, Callable[[], int | str]] = {
        "t5": lambda: _t5(16, 16 if j > i else 0, abs(j - i)),
        "t5-causal": lambda: _t5(32, 0, max(i - j, 0)),
        "circulant": lambda: (j - i) % w.n,
        "circulant-even": lambda: min((j - i) % w.n, (i - j) % w.n),
        "relative-2d": lambda: f"{j // c - i // c},{j % c - i % c}",
        "relative-2d-distance": lambda: f"{abs(j // c - i // c)},{abs(j % c - i % c)}",
        "relative-2d-swap": lambda: ",".join(
            map(str, sorted((abs(j // c - i // c), abs(j % c - i % c))))
        ),
    }
    return _entry(w, str(labels[w.scheme]()))[0]


def _t5(count: int, first: int, d: int) -> int:
    """The bucket of a distance: exact up to half of the buckets, then by logarithms up to 128."""
    half = count // 2
    if d < half:
        return first + d
    return first + min(count - 1, half + int(log(d / half) / log(128 / half) * (count - half)))


def _seen(w: PositionWitness, i: int, j: int, shift: int) -> bool:
    """Whether query i may look at key j."""
    match w.scheme:
        case "causal" | "alibi-causal" | "t5-causal" | "rope-causal":
            return j <= i
        case "window":
            return abs(i - j) <= w.parameters["w"]
        case "window-causal":
            return 0 <= i - j <= w.parameters["w"]
        case "prefix":
            return j + shift < w.parameters["p"] or j <= i
        case "blocks" | "blocks-causal":
            s = w.parameters["s"]
            before = w.scheme == "blocks" or j <= i
            return before and (i + shift) // s == (j + shift) // s
        case "documents":
            s, query = w.parameters["s"], w.n - 1
            return i == query or (j != query and i // s == j // s)
    return True
