"""Where a push gets stuck: the tensor that does not move as it must, and a message for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orderproof.symbolic.calculus.terms import Node, opened
from orderproof.symbolic.models.builders import Motion
from orderproof.symbolic.models.names import name_of, node_name, set_name

from .equations import slots


@dataclass(frozen=True)
class Stuck:
    """Where a push ends: the tensor or constant that does not move as it must, and why."""

    tensor: str
    reason: str

    def __str__(self) -> str:
        return f"stuck at {self.tensor}: {self.reason}"


class Stopped(Exception):
    """Raised where a push cannot go on; `push` returns its `stuck`."""

    def __init__(self, tensor: str, reason: str) -> None:
        super().__init__(reason)
        self.stuck = Stuck(tensor, reason)


def asked(node: Node, own: Motion, want: Motion) -> str:
    """Which axis of a tensor moves otherwise than it must."""
    slot = next(s for s, (a, b) in enumerate(zip(want, own, strict=True)) if a != b)
    over, is_moved = set_name(node.sets[slot]), f"is moved by {name_of(own[slot])}"
    return f"its axis over {over} {is_moved}, not by {name_of(want[slot])}"


def at_fault(node: Node, slot: int, motion: Mapping[Node, Motion]) -> str:
    """The tensor below a node from which an axis that does not move comes."""
    while True:
        t = slots(node)
        op, parts, bound, names = opened(t)
        below = []
        for part, inner in zip(parts, bound, strict=True):
            for place, (a, s) in enumerate(part.sets.items()):
                sets = (t.sets[slot], *t.sets[slot].parts)
                own = a in inner and slot < len(names) and s in sets
                if (a == slot or own) and not motion[part.node][place]:
                    below.append((part.node, place))
        if op.kind == "at" or not below:
            return node_name(node)
        node, slot = below[0]
