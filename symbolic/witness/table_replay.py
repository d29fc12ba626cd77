"""Recheck a counterexample with no solver: both sides computed again, by an evaluator of its own.

Trusted for the marks *exact* and *interval*. It shares no code with the search and imports the
standard library and the file format alone. Rational values are `Fraction`s; transcendental ones
are enclosed between integer multiples of 2^-256, every operation rounded outward.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

from .arithmetic import (
    Ball,
    Outcome,
    ReplayError,
    Rows,
    compare,
    dot,
    natural_weight,
    power_of_two,
    product,
    side_of,
    sinusoids,
)
from .fields import Side, place
from .table_file import Witness, read

WEIGHTS = ("W_Q", "W_K", "W_V")


Replay = Outcome[Witness]


def replay(path: str | os.PathLike[str]) -> Replay:
    """Recheck the counterexample in a file; WitnessError where the file holds none."""
    return check(read(path))


def check(w: Witness) -> Replay:
    """Recheck a counterexample: f(PX) and P f(X) from its tensors and σ alone, compared with the
    recorded sides, which must differ at the named place."""
    try:
        lhs, rhs = sides(w)
        compare("lhs", w.kind, lhs, w.lhs)
        compare("rhs", w.kind, rhs, w.rhs)
    except ReplayError as e:
        return Replay("refuted", e.says, w)
    row, column = w.differ
    one, other = w.lhs[row][column], w.rhs[row][column]
    if one[1] < other[0] or other[1] < one[0]:
        return Replay("ok", w.differs, w)
    return Replay("refuted", lambda c: f"both sides agree in {place(w.differ, c)}", w)


def sides(w: Witness) -> tuple[Side, Side]:
    """f(PX) and P f(X), every entry enclosed (by equal ends where the kind is exact)."""
    x, sigma = w.tensors["X"], w.sigma
    permuted = [x[sigma[i]] for i in range(w.n)]
    of_permuted, of_x = _attention(w, permuted), _attention(w, x)
    return side_of(of_permuted), side_of([of_x[sigma[i]] for i in range(w.n)])


# -- the evaluator ---------------------------------------------------------------------------------


def _attention(w: Witness, x: Rows) -> Rows:
    """softmax(Q Kᵀ/√d) V of (x + E), a row at a time (Vaswani et al. 2017, eq. 1)."""
    exact = w.kind == "exact"
    number: Callable[[Fraction], Any] = (lambda v: v) if exact else Ball.of
    weight: Callable[[Any], Any] = power_of_two if exact else (lambda s: natural_weight(s, w.d))
    e = w.tensors["E"] if exact else sinusoids(w.n, w.d)
    h = [[number(a) + b for a, b in zip(*rows, strict=True)] for rows in zip(x, e, strict=True)]
    q, k, v = (product(h, [[number(a) for a in row] for row in w.tensors[m]]) for m in WEIGHTS)
    out = []  # the output, n×d
    for query in q:
        weights = [weight(dot(query, key)) for key in k]
        total = reduce(add, weights)
        out.append([dot(weights, column) / total for column in zip(*v, strict=True)])
    return out


# -- enclosures ------------------------------------------------------------------------------------
