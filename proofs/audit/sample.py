"""Which falsehoods are planted where not all are: a number of each theorem, drawn by a seed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Sample:
    """How many falsehoods of each group (a theorem, the rules, the lemmas) to draw at most."""

    seed: str
    counts: Mapping[str, int]

    def draw(self, group: str, falsehoods: Iterable[T]) -> list[T]:
        """Those of a group that were drawn, in their order."""
        every = list(falsehoods)
        count = min(self.counts.get(group, 0), len(every))
        kept = Random(f"{self.seed} {group}").sample(range(len(every)), count)
        return [every[k] for k in sorted(kept)]


def sample(groups: Sequence[str], most: int, seed: str, audited: Iterable[str] = ()) -> Sample:
    """At most `most` falsehoods: as many of each group, or, where some groups were not audited as
    they are now, one of each that was, and all others of these."""
    known = {*audited}
    new = [g for g in groups if g not in known]
    if not new or len(new) == len(groups):
        return Sample(seed, _spread(groups, most, seed))
    old = _spread([g for g in groups if g in known], min(most // 2, len(groups) - len(new)), seed)
    return Sample(seed, old | _spread(new, most - sum(old.values()), seed))


def _spread(groups: Sequence[str], most: int, seed: str) -> dict[str, int]:
    """Equal numbers that add up to `most`; who gets one more is drawn too."""
    each, rest = divmod(most, len(groups))
    more = {*Random(seed).sample(groups, rest)}
    return {g: each + (g in more) for g in groups}
