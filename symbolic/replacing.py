"""One part of a term replaced by an equal one, wherever it stands, as a theorem."""

from __future__ import annotations

from . import kernel as k
from .kernel import Theorem
from .moving import slots
from .terms import Node, Term, reachable


def replaced(t: Term, fact: Theorem) -> Theorem | None:
    """t = the same with the left side of the fact replaced by its right side; None if it does not
    occur in t. What stands inside a definition is not looked at."""
    done: dict[Node, Theorem | None] = {}
    for node in reachable(t.node):
        if node is fact.lhs.node:
            done[node] = fact
            continue
        parts = [done[part.node] for part in node.args]
        done[node] = k.cong(slots(node), parts) if any(parts) else None
    return done[t.node]
