"""What outlines of proofs have in common: obligations that are put together on paper.

An `Account` (schema.py) is linked to its terms by a machine; an `Outline` (obligation.py) is a list
of questions, each of them proved, and words that say how they add up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import z3

from .induction import ARRAY, SUM, SUMMING
from .obligation import Obligation
from .schema import Schema
from .softmax_induction import softmax_rows, softmax_shift

PAPER = "the principle of induction over n"


def sums(*pairs: tuple[Any, Any]) -> Iterator[Any]:
    """S(a, 0) = 0 and S(a, n+1) = S(a, n) + a(n) for these (a, n)."""
    for a, n in pairs:
        yield SUMMING.of(a, 0) == SUMMING.neutral
        yield SUMMING.of(a, n + 1) == SUMMING.op(SUMMING.of(a, n), z3.Select(a, n))


def proved(schemas: Iterable[Schema]) -> tuple[Obligation, ...]:
    """All that these lemmas ask of the solvers."""
    return tuple(o for schema in schemas for o in schema.obligations)


def quotients() -> tuple[Obligation, ...]:
    """Σ w(j)/T = 1 for T = Σ w(j) > 0, whatever the signs of the single w(j)."""
    q, n, t = z3.Const("q", ARRAY), z3.Int("n"), z3.Real("T")
    whole = Obligation(
        "quotients", "S(q, n)·T = S(w, n) and S(w, n) = T > 0: so S(q, n) = 1",
        (t > 0, SUM(q, n) * t == t), SUM(q, n) == 1,
    )  # fmt: skip
    return (*proved(softmax_rows()[1:2]), whole)


def scaled() -> tuple[Obligation, ...]:
    """S(u·w, n) = u·S(w, n); and y/R = x/T where y = u·x and R = u·T, for T > 0 and u > 0."""
    _, shift, _, cancelled, _ = softmax_shift()
    return proved((shift, cancelled))
