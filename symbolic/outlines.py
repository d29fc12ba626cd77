"""What outlines of proofs have in common: obligations that are put together on paper.

An `Account` (schema.py) is linked to its terms by a machine; an `Outline` (obligation.py) is a list
of questions, each of them proved, and words that say how they add up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import z3

from .induction import SUMMING
from .obligation import Obligation
from .schema import Schema

PAPER = "the principle of induction over n"


def sums(*pairs: tuple[Any, Any]) -> Iterator[Any]:
    """S(a, 0) = 0 and S(a, n+1) = S(a, n) + a(n) for these (a, n)."""
    for a, n in pairs:
        yield SUMMING.of(a, 0) == SUMMING.neutral
        yield SUMMING.of(a, n + 1) == SUMMING.op(SUMMING.of(a, n), z3.Select(a, n))


def proved(schemas: Iterable[Schema]) -> tuple[Obligation, ...]:
    """All that these lemmas ask of the solvers."""
    return tuple(o for schema in schemas for o in schema.obligations)
