"""Whether every permutation leaves the constants of the hypotheses as they are, and for which n.

All of them are looked at, entry by entry, at every size up to a bound, and the scope says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .naturality import Hypothesis
from .stabiliser import transpositions

if TYPE_CHECKING:
    from .reading import Reading

BOUND = 64  # tokens up to which constants are looked at


@dataclass
class Settled:
    """For which n all hypotheses hold: up to `bound` (nothing holds where it is below 2); the first
    n at which one fails, or 0."""

    bound: int
    failing: int = 0
    others: set[str] = field(default_factory=set)  # "b = 3": other sizes that were looked at alone


def settle_all(q: Reading, hypotheses: Sequence[Hypothesis], most: int | None) -> Settled:
    """The hypotheses for a dynamic axis; `most` is the largest n of which the model is read."""
    return Settled(*_listed(q, hypotheses, 2, min(BOUND, most or BOUND)))


def _listed(
    q: Reading, hypotheses: Sequence[Hypothesis], first: int, last: int
) -> tuple[int, int, set[str]]:
    """The largest n up to which every swap fixes the constants, of those at which the model has
    them; the first at which one does not, or 0; and which other sizes were looked at alone."""
    bound, others = 0, set[str]()
    for n in range(first, last + 1):
        at_n = q.constants(hypotheses, n)
        if at_n is None or not q.part(n)[1]:
            continue
        others |= q.others(at_n)
        if not all(at_n.fixed(s) for s in transpositions(q.part(n)[1])):
            return bound, n, others
        bound = n
    return bound, 0, others
