"""A prompt's plan: segments in their order, and the scheme of positions. Standard library alone.

A segment's position ids and the segments that it attends to are its own (a start, names), or come
from the order (`continue`, `longest`, `earlier`). The last segment is the query, and one token of
it reads: its last, if no other is named.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

from orderproof.symbolic.counting import PEOPLE, Counting

MOST, TOKENS, IDS = 32, 1024, 10**6  # segments, tokens in all, and below what an id stays
FROM_ORDER = ("continue", "longest")
SCHEMES = ("none", "alibi", "alibi-signed", "t5", "t5-causal", "shaw", "rope", "rope-partial",
           "learned", "sinusoidal")  # fmt: skip
CLIP, MAX_CLIP = 2, 128  # the largest offset that relative keys (shaw) tell apart
OPTIONS = ("window", "sinks", "clip", "reader")
KEYS = ("name", "length", "start", "attends", "causal", "padding")


class PlanError(ValueError):
    """Not a plan: says where, what was given, what expected."""


@dataclass(frozen=True)
class Segment:
    """A stretch of tokens; `start` is an id, ids, or a rule; `attends` names, or None: earlier.
    Nobody attends to `padding`, and it attends to nobody."""

    name: str
    length: int
    start: int | tuple[int, ...] | str
    attends: tuple[str, ...] | None
    causal: bool
    padding: bool = False

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
            "causal": self.causal, **({"padding": True} if self.padding else {}),
        }  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """Segments in order, the query last, and the scheme of positions. With a `window`, a token sees
    of what it attends to only those whose id differs from its own by at most so much, and those
    with an id below `sinks`. `reader` is the number of the token of the query that reads."""

    scheme: str
    segments: tuple[Segment, ...]
    window: int | None = None
    sinks: int = 0
    clip: int = CLIP
    reader: int = -1

    @property
    def n(self) -> int:
        """The number of tokens."""
        return sum(s.length for s in self.segments)

    @property
    def reads(self) -> int:
        """The token that reads, among all in the order of the file."""
        return self.n - 1 if self.reader < 0 else self.n - self.segments[-1].length + self.reader

    def reads_text(self, c: Counting) -> str:
        """The token that reads, in words."""
        which = "the last token" if self.reader < 0 else f"token {c(self.reader)}, {c},"
        return f"{which} of {self.segments[-1].name}"

    def to_json(self) -> dict[str, Any]:
        """The plan as its file has it."""
        given = {k: getattr(self, k) for k in OPTIONS if getattr(self, k) != getattr(Plan, k)}
        segments = [s.to_json() for s in self.segments]
        return {"scheme": self.scheme, **given, "segments": segments}


def plan_of(data: Any) -> Plan:
    """The plan that JSON data say; PlanError where they say none."""
    if not isinstance(data, dict) or not {"scheme", "segments"} <= set(data):
        raise PlanError('expected {"scheme": ..., "segments": [...]}')
    for key in sorted(map(str, set(data) - {"scheme", "segments", *OPTIONS})):
        wanted = f"expected scheme, segments and perhaps {', '.join(OPTIONS)}"
        raise PlanError(
            f"given {key[:40]!r}, {wanted}; a mask or bias of another form: symmetry --mask, --bias"
        )
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
            if name in (t.name for t in segments if t.padding):
                raise PlanError(f"segment {s.name}: attends to {name[:40]!r}, which is padding")
            if name not in names:
                raise PlanError(f"segment {s.name}: attends to {name[:40]!r}, which is no segment")
            if name == s.name:
                raise PlanError(f"segment {name}: attends to itself: say causal, true or false")
    if sum(s.length for s in segments) > TOKENS:
        raise PlanError(f"segments: expected at most {TOKENS} tokens in all")
    if segments[-1].padding:
        raise PlanError(f"segment {segments[-1].name}: given padding, but the last segment reads")
    return Plan(scheme, segments, **_options(data, scheme, segments[-1].length))


def _options(data: dict[str, Any], scheme: str, length: int) -> dict[str, int]:
    """What a plan says besides its scheme and its segments."""
    given = {key: data[key] for key in OPTIONS if key in data}
    ends = {"window": IDS, "sinks": IDS, "clip": MAX_CLIP + 1, "reader": length}
    for key, value in given.items():
        if not _whole(value) or value >= ends[key]:
            more = ", a token of the last segment" if key == "reader" else ""
            wanted = f"expected a number from 0 to {ends[key] - 1}{more}"
            raise PlanError(f"{key}: given {str(value)[:40]!r}, {wanted}")
    if "clip" in given and scheme != "shaw":
        raise PlanError(f"clip: given for the scheme {scheme}, expected the scheme shaw")
    if "sinks" in given and "window" not in given:
        raise PlanError("sinks: given without a window, which would be all that is seen")
    return given


def _segment(data: Any, k: int) -> Segment:
    if not isinstance(data, dict) or not {"name", "length"} <= set(data) <= set(KEYS):
        raise PlanError(
            f"segment {PEOPLE(k)}: expected name, length and perhaps {', '.join(KEYS[2:])}"
        )
    name, length = data["name"], data["length"]
    if not isinstance(name, str) or not name or len(name) > 40:
        raise PlanError(
            f"segment {PEOPLE(k)}: name: given {str(name)[:40]!r}, expected text, not long"
        )
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
    padding = data.get("padding", False)
    if not isinstance(padding, bool):
        raise PlanError(f"segment {name}: padding: given {padding!r}, expected true or false")
    if padding and data.get("attends", []) != []:
        raise PlanError(f"segment {name}: given padding and attends, expected one of them")
    named = () if padding else None if attends == "earlier" else tuple(attends)
    return Segment(name, length, start, named, causal, padding)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < IDS
