"""A prompt's plan: segments in their order, and the scheme of positions. Standard library alone.

A segment's position ids and the segments that it attends to are its own (a start, names), or come
from the order (`continue`, `longest`, `earlier`). The last segment is the query.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

MOST, TOKENS, IDS = 32, 1024, 10**6  # segments, tokens in all, and below what an id stays
FROM_ORDER = ("continue", "longest")
SCHEMES = ("none", "alibi", "alibi-signed", "t5", "shaw", "rope", "rope-partial", "learned",
           "sinusoidal")  # fmt: skip


class PlanError(ValueError):
    """Not a plan: says where, what was given, what expected."""


@dataclass(frozen=True)
class Segment:
    """A stretch of tokens; `start` is an id, ids, or a rule; `attends` names, or None: earlier."""

    name: str
    length: int
    start: int | tuple[int, ...] | str
    attends: tuple[str, ...] | None
    causal: bool

    @property
    def own(self) -> bool:
        """Whether its ids and whom it attends to are its own, whatever the order."""
        return self.start not in FROM_ORDER and self.attends is not None

    def to_json(self) -> dict[str, Any]:
        """The segment as a plan's file has it."""
        return {
            "name": self.name, "length": self.length,
            "start": list(self.start) if isinstance(self.start, tuple) else self.start,
            "attends": "earlier" if self.attends is None else list(self.attends),
            "causal": self.causal,
        }  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """Segments in order, the query last, and the scheme of positions."""

    scheme: str
    segments: tuple[Segment, ...]

    @property
    def n(self) -> int:
        """The number of tokens."""
        return sum(s.length for s in self.segments)

    def to_json(self) -> dict[str, Any]:
        """The plan as its file has it."""
        return {"scheme": self.scheme, "segments": [s.to_json() for s in self.segments]}


def plan_of(data: Any) -> Plan:
    """The plan that JSON data say; PlanError where they say none."""
    if not isinstance(data, dict) or set(data) != {"scheme", "segments"}:
        raise PlanError('expected {"scheme": ..., "segments": [...]} and nothing else')
    scheme = data["scheme"]
    if not isinstance(scheme, str) or scheme not in SCHEMES:
        near = difflib.get_close_matches(str(scheme), SCHEMES, n=3, cutoff=0.4) or SCHEMES
        raise PlanError(f"scheme: given {str(scheme)[:40]!r}, nearest: {', '.join(near)}")
    listed = data["segments"]
    if not isinstance(listed, list) or not 2 <= len(listed) <= MOST:
        raise PlanError(f"segments: expected a list of 2 to {MOST}")
    segments = tuple(_segment(s, k) for k, s in enumerate(listed))
    names = [s.name for s in segments]
    if len(set(names)) < len(names):
        raise PlanError(f"segments: names must differ, given {', '.join(names)[:200]}")
    for s in segments:
        for name in s.attends or ():
            if name not in names:
                raise PlanError(f"segment {s.name}: attends to {name[:40]!r}, which is no segment")
            if name == s.name:
                raise PlanError(f"segment {name}: attends to itself: say causal, true or false")
    if sum(s.length for s in segments) > TOKENS:
        raise PlanError(f"segments: expected at most {TOKENS} tokens in all")
    return Plan(scheme, segments)


def _segment(data: Any, k: int) -> Segment:
    keys = {"name", "length", "start", "attends", "causal"}
    if not isinstance(data, dict) or not {"name", "length"} <= set(data) <= keys:
        raise PlanError(f"segment {k}: expected name, length and perhaps start, attends, causal")
    name, length = data["name"], data["length"]
    if not isinstance(name, str) or not name or len(name) > 40:
        raise PlanError(f"segment {k}: name: given {str(name)[:40]!r}, expected text, not long")
    if not _whole(length) or length < 1:
        given = str(length)[:40]
        raise PlanError(f"segment {name}: length: given {given}, expected a number >= 1")
    start = data.get("start", "continue")
    if isinstance(start, list) and len(start) == length and all(map(_whole, start)):
        start = tuple(start)
    elif not (_whole(start) or (isinstance(start, str) and start in FROM_ORDER)):
        raise PlanError(
            f"segment {name}: start: given {str(start)[:40]!r}, expected a position below 10^6, "
            f"{length} of them, continue or longest"
        )
    attends, causal = data.get("attends", "earlier"), data.get("causal", True)
    if attends != "earlier" and not (
        isinstance(attends, list) and all(isinstance(a, str) for a in attends)
    ):
        raise PlanError(f"segment {name}: attends: expected a list of names, or earlier")
    if not isinstance(causal, bool):
        raise PlanError(f"segment {name}: causal: given {causal!r}, expected true or false")
    named = None if attends == "earlier" else tuple(attends)
    return Segment(name, length, start, named, causal)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < IDS
