"""An order of nodes in which each stands after what it uses."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence


class Cycle(Exception):
    """Nodes that need each other: their numbers, each using a result of the one after it."""

    def __init__(self, nodes: list[int]) -> None:
        super().__init__(str(nodes))
        self.nodes = nodes


def ordered(uses: Sequence[Collection[str]], makes: Sequence[Collection[str]]) -> list[int]:
    """The numbers of the nodes, each after those that make what it uses; else as they were.

    What no node makes needs no place in the order.
    """
    maker = {name: k for k, names in enumerate(makes) for name in names}
    before = [{maker[name] for name in names if name in maker} for names in uses]
    after: list[list[int]] = [[] for _ in uses]
    for k, needed in enumerate(before):
        for j in needed:
            after[j].append(k)
    missing = [len(needed) for needed in before]
    ready = [k for k, count in enumerate(missing) if not count]  # ascending: a heap
    order = []
    while ready:
        k = heapq.heappop(ready)
        order.append(k)
        for j in after[k]:
            missing[j] -= 1
            if not missing[j]:
                heapq.heappush(ready, j)
    if len(order) < len(uses):
        raise Cycle(_a_cycle(before, missing))
    return order


def _a_cycle(before: list[set[int]], missing: list[int]) -> list[int]:
    """Going back from a node that was never ready, one meets a node twice."""
    k = next(k for k, count in enumerate(missing) if count)
    place: dict[int, int] = {}
    while k not in place:
        place[k] = len(place)
        k = min(j for j in before[k] if missing[j])
    return list(place)[place[k] :]
