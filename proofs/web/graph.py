"""The graph of what uses what, laid out in columns: every theorem to the right of what it uses.

An edge that a longer way implies is left out, and what neither uses nor is used stands below. A
long edge runs through a place of its own in each column between its ends; places are ordered by the
mean of their neighbours, the order with the fewest crossings is kept, and heights are the medians
of neighbours as far as the order allows.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median

import networkx as nx

WIDE, HIGH = 150, 50  # of a box
ACROSS, DOWN, THROUGH = 200, 60, 16  # from column to column; from box to box; from edge to edge
EDGE, SWEEPS = 12, 40
LINE = 20  # letters of a line in a box

Place = str | tuple[str, str, int]  # a theorem, or where an edge passes a column


class Circular(ValueError):
    """Theorems that use one another in a circle."""


@dataclass(frozen=True)
class Box:
    """A theorem in the picture, by its upper left corner, its id in lines."""

    id: str
    x: float
    y: float
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Edge:
    """What is used, what uses it, and the way between them as the path of an SVG."""

    used: str
    user: str
    path: str


@dataclass(frozen=True)
class Layout:
    """The whole picture."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]


def layout(uses: Mapping[str, Sequence[str]]) -> Layout:
    """The picture of theorems with those that they use; what is not among the theorems is left
    out. Raises Circular."""
    graph = nx.DiGraph()
    graph.add_nodes_from(uses)
    graph.add_edges_from((u, name) for name, used in uses.items() for u in used if u in uses)
    if not nx.is_directed_acyclic_graph(graph):
        circle = [a for a, _ in nx.find_cycle(graph)]
        raise Circular(f"theorems that use one another: {' → '.join([*circle, circle[0]])}")
    order = {name: k for k, name in enumerate(uses)}
    pairs = sorted(nx.transitive_reduction(graph).edges, key=lambda e: (order[e[0]], order[e[1]]))
    alone = [name for name in uses if not graph.degree(name)]
    graph.remove_nodes_from(alone)
    column = _columns(graph, pairs)
    columns: list[list[Place]] = [[] for _ in range(max(column.values(), default=0) + 1)]
    for name in (name for name in uses if name in column):
        columns[column[name]].append(name)
    ways: dict[tuple[str, str], list[Place]] = {}
    for used, user in pairs:
        between = [(used, user, k) for k in range(column[used] + 1, column[user])]
        for place in between:
            columns[place[2]].append(place)
        ways[used, user] = [used, *between, user]
    links = [link for way in ways.values() for link in itertools.pairwise(way)]
    columns = _ordered(columns, links)
    heights = _heights(columns, links)
    at = {p: (EDGE + k * ACROSS, heights[p]) for k, places in enumerate(columns) for p in places}
    below = max(heights.values(), default=EDGE + HIGH / 2 - DOWN)
    for nth, name in enumerate(alone):  # neither uses nor is used: in rows below the others
        row, across = divmod(nth, len(columns))
        at[name] = EDGE + across * ACROSS, below + (row + 1) * DOWN
    boxes = tuple(Box(name, at[name][0], at[name][1] - HIGH / 2, in_lines(name)) for name in uses)
    return Layout(
        2 * EDGE + (len(columns) - 1) * ACROSS + WIDE,
        max((y for _, y in at.values()), default=0) + HIGH / 2 + EDGE,
        boxes,
        tuple(Edge(a, b, _path([at[p] for p in way])) for (a, b), way in ways.items()),
    )


def _columns(graph: nx.DiGraph, pairs: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Each theorem one column after the last that it uses; one that uses none, before the first
    that uses it."""
    found: dict[str, int] = {}
    for name in nx.topological_sort(graph):
        found[name] = max((found[u] + 1 for u in graph.predecessors(name)), default=0)
    for name in found:
        users = [found[b] for a, b in pairs if a == name]
        if users and not any(graph.predecessors(name)):
            found[name] = min(users) - 1
    return found


def in_lines(name: str) -> tuple[str, ...]:
    """An id in lines that fit a box, each but the last ending with an underscore."""
    lines = [""]
    for part in name.replace("_", "_ ").split(" "):
        if lines[-1] and len(lines[-1]) + len(part) > LINE:
            lines.append("")
        lines[-1] += part
    return tuple(lines)


# ------------------------------------------------------------------------------------------- order
Links = Sequence[tuple[Place, Place]]


def _ordered(columns: list[list[Place]], links: Links) -> list[list[Place]]:
    left, right = _neighbours(links)
    best, fewest = columns, crossings(columns, links)
    now = columns
    for sweep in range(SWEEPS):
        now = [list(places) for places in now]
        forth = sweep % 2 == 0
        beside = left if forth else right
        for k in range(1, len(now)) if forth else range(len(now) - 2, -1, -1):
            rank = {p: i for i, p in enumerate(now[k - 1 if forth else k + 1])}
            own = {p: i for i, p in enumerate(now[k])}
            weight = {p: mean([rank[q] for q in beside.get(p, ())] or [own[p]]) for p in now[k]}
            now[k].sort(key=lambda p, w=weight: w[p])  # type: ignore[misc]
        if (count := crossings(now, links)) < fewest:
            best, fewest = now, count
    return best


def _neighbours(links: Links) -> tuple[dict[Place, list[Place]], dict[Place, list[Place]]]:
    left: dict[Place, list[Place]] = {}
    right: dict[Place, list[Place]] = {}
    for a, b in links:
        left.setdefault(b, []).append(a)
        right.setdefault(a, []).append(b)
    return left, right


def crossings(columns: Sequence[Sequence[Place]], links: Links) -> int:
    """How many pairs of links between two columns cross."""
    place = {p: (k, i) for k, places in enumerate(columns) for i, p in enumerate(places)}
    by_column: dict[int, list[tuple[int, int]]] = {}
    for a, b in links:
        by_column.setdefault(place[a][0], []).append((place[a][1], place[b][1]))
    return sum(
        (a - c) * (b - d) < 0
        for ends in by_column.values()
        for (a, b), (c, d) in itertools.combinations(ends, 2)
    )


# ----------------------------------------------------------------------------------------- heights
def _heights(columns: list[list[Place]], links: Links) -> dict[Place, float]:
    """The height of the middle of every place."""
    left, right = _neighbours(links)
    found: dict[Place, float] = {}
    for places in columns:
        found |= zip(places, _apart(places, [0.0] * len(places)), strict=True)
    for sweep in range(SWEEPS):
        forth = sweep % 2 == 0
        for places in columns if forth else reversed(columns):
            both = (left, right) if sweep > SWEEPS // 2 else ((left,) if forth else (right,))
            wanted = [
                median([found[q] for x in both for q in x.get(p, ())] or [found[p]]) for p in places
            ]
            found |= zip(places, _apart(places, wanted), strict=True)
    least = min(found.values(), default=0.0)
    return {p: y - least + HIGH / 2 + EDGE for p, y in found.items()}


def _apart(places: Sequence[Place], wanted: Sequence[float]) -> list[float]:
    """The heights nearest to those wanted at which places in this order do not overlap: pooled
    where they would, as in a regression on an order."""
    offsets = list(itertools.accumulate(
        (_gap(a, b) for a, b in itertools.pairwise(places)), initial=0.0
    ))[: len(places)]  # fmt: skip
    pools: list[list[float]] = []
    for y, offset in zip(wanted, offsets, strict=True):
        pools.append([y - offset])
        while len(pools) > 1 and mean(pools[-2]) > mean(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    flat = [mean(pool) for pool in pools for _ in pool]
    return [y + offset for y, offset in zip(flat, offsets, strict=True)]


def _gap(a: Place, b: Place) -> float:
    boxes = isinstance(a, str) + isinstance(b, str)
    return (THROUGH, (DOWN + THROUGH) / 2, DOWN)[boxes]


def _path(points: Sequence[tuple[float, float]]) -> str:
    """From the right side of the first box to the left side of the last, level at each column."""
    (x, y), *rest = points
    path = f"M{x + WIDE:.0f} {y:.0f}"
    for k, (to, high) in enumerate(rest):
        start = x + WIDE
        half = (to - start) / 2
        path += f"C{start + half:.0f} {y:.0f} {to - half:.0f} {high:.0f} {to:.0f} {high:.0f}"
        if k < len(rest) - 1:
            path += f"H{to + WIDE:.0f}"
        x, y = to, high
    return path
