"""A prompt's plan: which of its segments can be reordered without changing what the query reads.

A plan lists segments in their order. A segment's position ids and the segments that it attends to
are its own (a start, names), or come from the order (`continue`, `longest`, `earlier`). The last
segment is the query, its last token is the one that reads.

Two orders of one plan are compared token by token. At depth L, with skips, the reading token sees
the rows of the tokens R_{L−1} that it reaches in L − 1 steps (as in `symmetry`). Its output is the
same for all tokens and weights iff those rows are the same in both orders: who is attended to, and
B̃ (a score bias), the offset of ids (rotations), or the ids of all tokens read, R_L (added
positions). With ids and masks that belong to the segments this is `documents_in_parallel`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bias_matrices import generic, t5_bucket
from .exact_matrix import LARGEST, MatrixError

Integers = NDArray[np.int64]
MOST = 32  # segments; every pair of them is tried
LISTED = 6  # segments of which every order is tried
BLOCKED = np.iinfo(np.int64).min
FROM_ORDER = ("continue", "longest")


def _t5(offset: Integers) -> Integers:
    distances, inverse = np.unique(abs(offset), return_inverse=True)
    bucket = np.array([t5_bucket(d) for d in distances.tolist()])[inverse.reshape(offset.shape)]
    return np.asarray(generic(np.arange(32))[bucket + 16 * (offset > 0)])


# A bias from the offsets of ids; rotations tell every offset apart, whatever the query's constant.
BIASES: dict[str, Callable[[Integers], Integers]] = {
    "none": np.zeros_like,
    "alibi": lambda offset: -abs(offset),
    "t5": _t5,
}
SCHEMES = (*BIASES, "rope", "learned", "sinusoidal")


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


@dataclass(frozen=True)
class Plan:
    """Segments in order, the query last, and the scheme of positions."""

    scheme: str
    segments: tuple[Segment, ...]


@dataclass(frozen=True)
class Reading:
    """What may be reordered at one depth: sets of segments in any order among themselves, whether
    that was settled for all orders of each set, and what a swap that is not harmless changes."""

    depth: int
    free: tuple[tuple[str, ...], ...]
    all_orders: bool
    changed: dict[tuple[str, str], str]


@dataclass(frozen=True)
class Laid:
    """An order of the plan, over its tokens in the order of the file: ids and who attends."""

    ids: Integers
    allowed: NDArray[np.bool_]


def readings(plan: Plan) -> list[Reading]:
    """At depth 1, 2 and from the depth on that no longer changes anything."""
    here = lay(plan, plan.segments)
    reach = _reach(here)
    depths = sorted({1, min(2, len(reach)), len(reach)})
    swapped = {}
    movable = plan.segments[:-1]
    for a, b in combinations(range(len(movable)), 2):
        order = list(plan.segments)
        order[a], order[b] = order[b], order[a]
        swapped[a, b] = lay(plan, order)
    return [_reading(plan, here, reach, swapped, depth) for depth in depths]


def _reading(
    plan: Plan,
    here: Laid,
    reach: list[NDArray[np.bool_]],
    swapped: dict[tuple[int, int], Laid],
    depth: int,
) -> Reading:
    names = [s.name for s in plan.segments]
    changed, sets = {}, [{a} for a in range(len(names) - 1)]
    for (a, b), there in swapped.items():
        said = difference(plan, here, there, reach, depth)
        if said is not None:
            changed[names[a], names[b]] = said
    harmless = [pair for pair in swapped if (names[pair[0]], names[pair[1]]) not in changed]
    for a, b in harmless:  # sets in which every swap is harmless
        first = next(s for s in sets if a in s)
        second = next(s for s in sets if b in s)
        if first is not second and all(
            (min(x, y), max(x, y)) in harmless for x in first for y in second
        ):
            sets.remove(second)
            first |= second
    free = [sorted(s) for s in sets if len(s) > 1]
    settled = all(_every_order(plan, here, reach, depth, s) for s in free)
    return Reading(depth, tuple(tuple(names[k] for k in s) for s in free), settled, changed)


def _every_order(
    plan: Plan, here: Laid, reach: list[NDArray[np.bool_]], depth: int, chosen: Sequence[int]
) -> bool:
    """Whether all orders of the chosen segments read the same: by rule, or each of them tried."""
    if all(s.own for s in plan.segments) or len(chosen) == 2:
        return True
    if len(chosen) > LISTED:
        return False
    for moved in permutations(chosen):
        order = list(plan.segments)
        for place, k in zip(chosen, moved, strict=True):
            order[place] = plan.segments[k]
        if difference(plan, here, lay(plan, order), reach, depth) is not None:
            return False
    return True


def lay(plan: Plan, order: Sequence[Segment]) -> Laid:
    """The ids and the mask of the segments in this order."""
    places: dict[str, slice] = {}
    total = 0
    for s in plan.segments:
        places[s.name] = slice(total, total + s.length)
        total += s.length
    ids = np.zeros(total, dtype=np.int64)
    allowed = np.zeros((total, total), dtype=bool)
    following = longest = 0
    for k, s in enumerate(order):
        own = places[s.name]
        if isinstance(s.start, tuple):
            ids[own] = s.start
        else:
            start = {"continue": following, "longest": longest}.get(str(s.start), s.start)
            ids[own] = int(start) + np.arange(s.length)
        following = int(ids[own][-1]) + 1
        longest = max(longest, int(ids[own].max()) + 1)
        seen = [t.name for t in order[:k]] if s.attends is None else s.attends
        for name in seen:
            allowed[own, places[name]] = True
        allowed[own, own] = np.tri(s.length, dtype=bool) if s.causal else True
    return Laid(ids, allowed)


def terms(plan: Plan, laid: Laid) -> Integers:
    """What each row sees of each token's place, BLOCKED where it does not attend."""
    offset = laid.ids - laid.ids[:, None]
    bias = BIASES.get(plan.scheme)
    if bias is None:
        rows = offset if plan.scheme == "rope" else np.zeros_like(offset)
        return np.where(laid.allowed, rows, BLOCKED)
    rows = bias(offset)
    top = np.where(laid.allowed, rows, BLOCKED).max(axis=1, keepdims=True)
    return np.where(laid.allowed, rows - top, BLOCKED)


def difference(
    plan: Plan, here: Laid, there: Laid, reach: list[NDArray[np.bool_]], depth: int
) -> str | None:
    """What the reading token sees differently at this depth, as a sentence; None where nothing."""
    rows = reach[min(depth, len(reach)) - 1]
    old, new = terms(plan, here), terms(plan, there)
    label = [f"{s.name}[{k}]" for s in plan.segments for k in range(s.length)]
    for i in np.flatnonzero((old != new).any(axis=1) & rows):
        for j in np.flatnonzero(here.allowed[i] != there.allowed[i]):
            word = "no longer attends to" if here.allowed[i, j] else "attends to"
            return f"{label[i]} {word} {label[j]}"
        offsets = [laid.ids - laid.ids[i] for laid in (here, there)]
        for j in np.flatnonzero(here.allowed[i] & (offsets[0] != offsets[1])):
            return f"{label[i]} sees {label[j]} at offset {offsets[1][j]}, not {offsets[0][j]}"
    if plan.scheme in ("learned", "sinusoidal"):
        read = reach[min(depth, len(reach) - 1)]
        for j in np.flatnonzero((here.ids != there.ids) & read):
            return f"{label[j]} stands at position {there.ids[j]}, not {here.ids[j]}"
    return None


def _reach(laid: Laid) -> list[NDArray[np.bool_]]:
    """R_0, R_1, ... of the last token, until they no longer grow."""
    now = np.zeros(len(laid.ids), dtype=bool)
    now[-1] = True
    found = [now]
    while not np.array_equal(after := now | laid.allowed[now].any(axis=0), now):
        found.append(after)
        now = after
    return found


# ---------------------------------------------------------------------------------------- the file
def read(path: Path) -> Plan:
    """The plan of a JSON file. Raises MatrixError: says what was given and expected."""
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, RecursionError, ValueError) as e:
        reason = (isinstance(e, OSError) and e.strerror) or str(e)
        raise MatrixError(f"{path}: not a plan: {reason}") from None
    try:
        return plan_of(data)
    except MatrixError as e:
        raise MatrixError(f"{path}: {e}") from None


def plan_of(data: Any) -> Plan:
    """The plan that JSON data say."""
    if not isinstance(data, dict) or set(data) != {"scheme", "segments"}:
        raise MatrixError('expected {"scheme": ..., "segments": [...]} and nothing else')
    if data["scheme"] not in SCHEMES:
        raise MatrixError(f"scheme: given {data['scheme']!r}, expected one of {', '.join(SCHEMES)}")
    listed = data["segments"]
    if not isinstance(listed, list) or not 2 <= len(listed) <= MOST:
        raise MatrixError(f"segments: expected a list of 2 to {MOST}")
    segments = tuple(_segment(s, k) for k, s in enumerate(listed))
    names = [s.name for s in segments]
    if len(set(names)) < len(names):
        raise MatrixError(f"segments: names must differ, given {', '.join(names)}")
    for s in segments:
        for name in s.attends or ():
            if name not in names:
                raise MatrixError(f"segment {s.name}: attends to {name!r}, which is no segment")
    if sum(s.length for s in segments) > LARGEST:
        raise MatrixError(f"segments: expected at most {LARGEST} tokens in all")
    return Plan(data["scheme"], segments)


def _segment(data: Any, k: int) -> Segment:
    keys = {"name", "length", "start", "attends", "causal"}
    if not isinstance(data, dict) or not {"name", "length"} <= set(data) <= keys:
        raise MatrixError(f"segment {k}: expected name, length and perhaps start, attends, causal")
    name, length = data["name"], data["length"]
    if not isinstance(name, str) or not name:
        raise MatrixError(f"segment {k}: name: given {name!r}, expected text")
    if not _whole(length) or length < 1:
        raise MatrixError(f"segment {name}: length: given {length!r}, expected a number >= 1")
    start = data.get("start", "continue")
    if isinstance(start, list) and len(start) == length and all(map(_whole, start)):
        start = tuple(start)
    elif not (_whole(start) or (isinstance(start, str) and start in FROM_ORDER)):
        raise MatrixError(
            f"segment {name}: start: given {str(start)[:40]!r}, expected a position below 10^6, "
            f"{length} of them, continue or longest"
        )
    attends, causal = data.get("attends", "earlier"), data.get("causal", True)
    if attends != "earlier" and not (
        isinstance(attends, list) and all(isinstance(a, str) for a in attends)
    ):
        raise MatrixError(f"segment {name}: attends: expected a list of names, or earlier")
    if not isinstance(causal, bool):
        raise MatrixError(f"segment {name}: causal: given {causal!r}, expected true or false")
    named = None if attends == "earlier" else tuple(attends)
    return Segment(name, length, start, named, causal)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**6
