"""Which segments of a prompt's plan can be reordered without changing what the query reads.

Two orders of one plan are compared token by token. At depth L, with skips, the reading token, one
of the query, sees the rows of the tokens R_{L−1} that it reaches in L − 1 steps (as in
`symmetry`). Its output is the same for all tokens and weights iff those rows are the same in both
orders: who is attended to, and B̃ (a score bias), the offset of ids (rotations), or the ids of all
tokens read, R_L (added positions). With ids and masks that belong to the segments this is
`documents_in_parallel`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product
from math import factorial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from orderproof.numeric.groups.bias_matrices import generic
from orderproof.numeric.groups.exact_matrix import MatrixError, read_json
from orderproof.symbolic import strict_json
from orderproof.symbolic.counting import Said
from orderproof.symbolic.schemes.definitions import bucket
from orderproof.symbolic.witness.plan import Plan, PlanError, Segment, plan_of

Integers = NDArray[np.int64]
LISTED = 5  # segments of which every order is tried
ROWS = 64  # that are compared at once
WORK = 2**25  # pairs of tokens that are compared for that
BLOCKED = np.iinfo(np.int64).min
FAR = 128  # T5 tells no distances apart from here on


def _t5(*, two_sided: bool) -> Callable[[Integers, int], Integers]:
    buckets = [bucket(o, two_sided=two_sided) for o in range(-FAR, FAR + 1)]
    values = generic(np.arange(32))[buckets]
    return lambda offset, clip: values[np.clip(offset, -FAR, FAR) + FAR]


# A bias from the offsets of ids, or what relative keys are found by, generic. Rotations tell every
# offset apart, whatever the query's constant.
BIASES: dict[str, Callable[[Integers, int], Integers]] = {
    "none": lambda offset, clip: np.zeros_like(offset),
    "alibi": lambda offset, clip: -abs(offset),
    "alibi-signed": lambda offset, clip: offset,
    "t5": _t5(two_sided=True),
    "t5-causal": _t5(two_sided=False),
    "shaw": lambda offset, clip: generic(np.arange(2 * clip + 1))[np.clip(offset, -clip, clip)
                                                                  + clip],
}  # fmt: skip


@dataclass(frozen=True)
class Reading:
    """What may be reordered at one depth: sets of segments in any order among themselves, whether
    that was settled for all orders of each set, and what a swap that is not harmless changes.
    `others` are the orders beyond those of the sets that are harmless too, where all were tried."""

    depth: int
    free: tuple[tuple[str, ...], ...]
    all_orders: bool
    changed: dict[tuple[str, str], Said]
    others: tuple[tuple[str, ...], ...] | None


@dataclass(frozen=True)
class Laid:
    """An order of the plan, over its tokens in the order of the file: ids and who attends."""

    ids: Integers
    allowed: NDArray[np.bool_]


def readings(plan: Plan) -> list[Reading]:
    """At depth 1, 2 and from the depth on that no longer changes anything."""
    here = lay(plan, plan.segments)
    reach = _reach(plan, here)
    depths = sorted({1, min(2, len(reach)), len(reach)})
    swapped = {}
    movable = plan.segments[:-1]
    for a, b in combinations(range(len(movable)), 2):
        swapped[a, b] = lay(plan, swap(plan, a, b))
    return [_reading(plan, here, reach, swapped, depth) for depth in depths]


def swap(plan: Plan, a: int, b: int) -> list[Segment]:
    """The segments with two of them exchanged."""
    order = list(plan.segments)
    order[a], order[b] = order[b], order[a]
    return order


def _reading(
    plan: Plan,
    here: Laid,
    reach: list[NDArray[np.bool_]],
    swapped: dict[tuple[int, int], Laid],
    depth: int,
) -> Reading:
    names = [s.name for s in plan.segments]
    changed: dict[tuple[str, str], Said] = {}
    sets = [{a} for a in range(len(names) - 1)]
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
    named = tuple(tuple(names[k] for k in s) for s in free)
    if _settled(plan, range(len(names) - 1)):
        return Reading(depth, named, True, changed, ())
    listed = _harmless(plan, here, reach, depth)
    if listed is None:
        settled = [len(s) for s in free] in ([], [2]) or all(_settled(plan, s) for s in free)
        return Reading(depth, named, settled, changed, None)
    of_sets = set(_orders_of(len(names) - 1, free))
    others = [order for order in listed if order not in of_sets]
    settled = of_sets <= set(listed)
    return Reading(
        depth, named, settled, changed, tuple(tuple(names[k] for k in o) for o in others)
    )


def _settled(plan: Plan, among: Collection[int]) -> bool:
    """Whether every order of these segments among their places gives the same ids and the same
    mask: those of each of them are its own, and no other one's depend on which of them comes when.
    `longest` and `earlier` depend on which stand before, and `continue` on the one just before."""
    for k, s in enumerate(plan.segments):
        if k in among:
            if not s.own:
                return False
            continue
        before = sum(m < k for m in among)
        if (s.start == "longest" or s.attends is None) and before not in (0, len(among)):
            return False
        if s.start == "continue" and k - 1 in among:
            return False
    return True


def _orders_of(count: int, sets: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """The orders of so many segments in which each set's places are filled by the set."""
    for chosen in product(*(permutations(s) for s in sets)):
        order = list(range(count))
        for places, moved in zip(sets, chosen, strict=True):
            for place, k in zip(places, moved, strict=True):
                order[place] = k
        yield tuple(order)


def _harmless(
    plan: Plan, here: Laid, reach: list[NDArray[np.bool_]], depth: int
) -> list[tuple[int, ...]] | None:
    """All orders that read the same; None where there are too many to try."""
    count = len(plan.segments) - 1
    if count > LISTED or factorial(count) * plan.n**2 > WORK:
        return None
    found = []
    for order in permutations(range(count)):
        there = lay(plan, [*(plan.segments[k] for k in order), plan.segments[-1]])
        if difference(plan, here, there, reach, depth) is None:
            found.append(order)
    return found


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
        before = [t.name for t in order[:k] if not t.padding]
        seen = before if s.attends is None else s.attends
        for name in seen:
            allowed[own, places[name]] = True
        allowed[own, own] = np.tri(s.length, dtype=bool) if s.causal else True
    if plan.window is not None:
        near = abs(ids - ids[:, None]) <= plan.window
        allowed &= near | (ids < plan.sinks)
    return Laid(ids, allowed)


def terms(plan: Plan, laid: Laid, rows: Integers) -> tuple[Integers, Integers]:
    """What these rows see of each token's place; and without what is the same for a whole row,
    BLOCKED where it does not attend."""
    offset, allowed = laid.ids - laid.ids[rows][:, None], laid.allowed[rows]
    bias = BIASES.get(plan.scheme)
    if bias is None:
        seen = offset if plan.scheme.startswith("rope") else np.zeros_like(offset)
        return seen, np.where(allowed, seen, BLOCKED)
    seen = bias(offset, plan.clip)
    top = np.where(allowed, seen, BLOCKED).max(axis=1, keepdims=True)
    return seen, np.where(allowed, seen - top, BLOCKED)


def difference(
    plan: Plan, here: Laid, there: Laid, reach: list[NDArray[np.bool_]], depth: int
) -> Said | None:
    """What the reading token sees differently at this depth, as a sentence; None where nothing."""
    if np.array_equal(here.ids, there.ids) and np.array_equal(here.allowed, there.allowed):
        return None
    tokens = [(s.name, k) for s in plan.segments for k in range(s.length)]

    def said(form: str, *named: np.int64) -> Said:
        """The form with these tokens, each as its segment and its number there."""
        some = [tokens[t] for t in named]
        return lambda c: form.format(*(f"{name}[{c(k)}]" for name, k in some))

    reached = np.flatnonzero(reach[min(depth, len(reach)) - 1])[::-1]  # the reading token first
    for start in range(0, len(reached), ROWS):
        rows = reached[start : start + ROWS]
        (seen, old), (later, new) = (terms(plan, laid, rows) for laid in (here, there))
        for r in np.flatnonzero((old != new).any(axis=1)):
            i = rows[r]
            for j in np.flatnonzero(here.allowed[i] != there.allowed[i]):
                word = "no longer attends to" if here.allowed[i, j] else "attends to"
                return said(f"{{}} {word} {{}}", i, j)
            j = np.flatnonzero(here.allowed[i] & (seen[r] != later[r]))[0]
            offsets = [laid.ids[j] - laid.ids[i] for laid in (here, there)]
            return said(f"{{}} sees {{}} at offset {offsets[1]}, not {offsets[0]}", i, j)
    if plan.scheme in ("learned", "sinusoidal"):
        read = reach[min(depth, len(reach) - 1)]
        for j in np.flatnonzero((here.ids != there.ids) & read):
            return said(f"{{}} stands at position {there.ids[j]}, not {here.ids[j]}", j)
    return None


def _reach(plan: Plan, laid: Laid) -> list[NDArray[np.bool_]]:
    """R_0, R_1, ... of the token that reads, until they no longer grow."""
    now = np.zeros(len(laid.ids), dtype=bool)
    now[plan.reads] = True
    found = [now]
    while not np.array_equal(after := now | laid.allowed[now].any(axis=0), now):
        found.append(after)
        now = after
    return found


# ---------------------------------------------------------------------------------------- the file
def read(path: Path) -> Plan:
    """The plan of a JSON file. Raises MatrixError: says what was given and expected."""
    try:
        data = read_json(path)
    except (OSError, strict_json.JsonError) as e:
        reason = (isinstance(e, OSError) and e.strerror) or str(e)
        raise MatrixError(f"{path}: not a plan: {reason}") from None
    try:
        return plan_of(data)
    except PlanError as e:
        raise MatrixError(f"{path}: {e}") from None
