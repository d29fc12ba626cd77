"""Families of permutations for all n: their generators, as formulas and as lists.

A transposition in a formula is of any two positions a < b. At a given n the list has those of
neighbours alone, which generate the same group.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import z3

Formula = Any
A, B = z3.Int("a"), z3.Int("b")  # two positions that change places


@dataclass(frozen=True)
class Family:
    """A group at each n, by generators: what is assumed of a, b, n and k; where a position goes;
    and the generators as lists of σ(0), …, σ(n−1). Of an all-or-nothing kind without a and b."""

    name: str
    says: str
    assume: Callable[[Formula, Formula], list[Formula]]
    moved: Callable[[Formula, Formula], Formula]
    generators: Callable[[int, int], list[list[int]]]
    at: bool = False  # whether it needs k


def _swapped(p: Formula, _: Formula) -> Formula:
    return z3.If(p == A, B, z3.If(p == B, A, p))


def _swaps(n: int, *runs: tuple[int, int]) -> list[list[int]]:
    found = []
    for start, end in runs:
        for k in range(max(start, 0), min(end, n) - 1):
            sigma = list(range(n))
            sigma[k], sigma[k + 1] = k + 1, k
            found.append(sigma)
    return found


FAMILIES = {
    f.name: f
    for f in (
        Family(
            "all", "any two tokens change places",
            lambda n, k: [A >= 0, A < B, n > B], _swapped,
            lambda n, k: _swaps(n, (0, n)),
        ),
        Family(
            "all but the first", "any two tokens but the first change places",
            lambda n, k: [A >= 1, A < B, n > B], _swapped,
            lambda n, k: _swaps(n, (1, n)),
        ),
        Family(
            "all but the last", "any two tokens but the last change places",
            lambda n, k: [A >= 0, A < B, n - 1 > B], _swapped,
            lambda n, k: _swaps(n, (0, n - 1)),
        ),
        Family(
            "blocks", "any two of the first k tokens change places, or any two of the others",
            lambda n, k: [A >= 0, A < B, n > B, z3.Or(k > B, k <= A)], _swapped,
            lambda n, k: _swaps(n, (0, k), (k, n)), at=True,
        ),
        Family(
            "reversal", "the tokens stand in the opposite order",
            lambda n, k: [], lambda p, n: n - 1 - p,
            lambda n, k: [list(range(n))[::-1]] if n else [],
        ),
        Family(
            "rotation", "every token moves by one, the last to the front",
            lambda n, k: [], lambda p, n: z3.If(p + 1 < n, p + 1, 0),
            lambda n, k: [[*range(1, n), 0]] if n else [],
        ),
    )
}  # fmt: skip
