"""Which falsehoods are planted where not all are: a number of each theorem, drawn by a seed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Sample:
    """How many falsehoods of each group (a theorem, the lemmas) to draw at most."""

    seed: str
    counts: Mapping[str, int]

    def of(self, group: str, falsehoods: Iterable[T]) -> list[T]:
        """Those of a group that were drawn, in their order."""
        every = list(falsehoods)
        count = min(self.counts.get(group, 0), len(every))
        kept = Random(f"{self.seed} {group}").sample(range(len(every)), count)
        return [every[k] for k in sorted(kept)]


FEW = 2  # of a group that was audited as it is now


def sample(groups: Sequence[str], most: int, seed: str, audited: Iterable[str] = ()) -> Sample:
    """At most `most` falsehoods: as many of each group, or few of those that were audited as they
    are now, and all others of the rest."""
    known = {*audited}
    old = [group for group in groups if group in known]
    new = [group for group in groups if group not in known]
    if not new:
        return Sample(seed, _spread(old, most, seed))
    few = _spread(old, min(most // 2, FEW * len(old)), seed) if old else {}
    return Sample(seed, few | _spread(new, most - sum(few.values()), seed))


def _spread(groups: Sequence[str], most: int, seed: str) -> dict[str, int]:
    """Equal numbers that add up to `most`; who gets one more is drawn too."""
    each, rest = divmod(most, len(groups))
    more = {*Random(seed).sample(groups, rest)}
    return {g: each + (g in more) for g in groups}
