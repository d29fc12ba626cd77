"""The graph: what stands where, which edges are drawn, and that nothing overlaps."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping

import pytest

from orderproof.proofs import catalogue
from orderproof.proofs.web.graph import (
    HIGH,
    WIDE,
    Circular,
    Layout,
    crossings,
    in_lines,
    layout,
)

USES: Mapping[str, tuple[str, ...]] = {
    "lemma": (),
    "other": (),
    "middle": ("lemma",),
    "main": ("middle", "lemma", "other"),
    "last": ("main", "elsewhere"),
    "alone": (),
}


def overlapping(found: Layout) -> list[tuple[str, str]]:
    """Boxes that lie on one another."""
    return [
        (a.id, b.id)
        for a, b in itertools.combinations(found.boxes, 2)
        if abs(a.x - b.x) < WIDE and abs(a.y - b.y) < HIGH
    ]


def test_what_is_used_stands_to_the_left() -> None:
    """An arrow would run backwards, or one that a longer way implies be drawn."""
    found = layout(USES)
    at = {b.id: b for b in found.boxes}
    assert {(e.used, e.user) for e in found.edges} == {
        ("lemma", "middle"), ("middle", "main"), ("other", "main"), ("main", "last"),
    }  # fmt: skip
    assert all(at[e.used].x < at[e.user].x for e in found.edges)
    assert overlapping(found) == []
    assert at["alone"].y > max(b.y for b in found.boxes if b.id != "alone")
    assert all(b.x + WIDE <= found.width and b.y + HIGH <= found.height for b in found.boxes)


def test_boxes_that_overlap_are_noticed() -> None:
    """The check above would pass them."""
    box = layout(USES).boxes[0]
    assert overlapping(Layout(1, 1, (box, box), ())) == [("lemma", "lemma")]


def test_an_edge_ends_at_its_boxes() -> None:
    """A line would begin in the air."""
    found = layout(USES)
    at = {b.id: b for b in found.boxes}
    for edge in found.edges:
        x, y, *_, to, high = map(float, re.findall(r"-?\d+", edge.path))
        a, b = at[edge.used], at[edge.user]
        assert (x, y) == (round(a.x + WIDE), round(a.y + HIGH / 2))
        assert (to, high) == (round(b.x), round(b.y + HIGH / 2))


def test_a_circle_is_an_error() -> None:
    """Two theorems that use one another would be drawn as if one came first."""
    with pytest.raises(Circular, match=r"a → b → a|b → a → b"):
        layout({"a": ("b",), "b": ("a",)})


def test_crossings_are_counted() -> None:
    """An order with more of them would be kept."""
    links = [("a", "d"), ("b", "c")]
    assert crossings([["a", "b"], ["c", "d"]], links) == 1
    assert crossings([["a", "b"], ["d", "c"]], links) == 0
    found = layout({"a": (), "b": (), "c": ("b",), "d": ("a",)})
    at = {b.id: b.y for b in found.boxes}
    assert (at["a"] < at["b"]) == (at["d"] < at["c"])


def test_no_theorem_and_one_are_drawn() -> None:
    """A site of one theorem would end in an error."""
    assert layout({}).boxes == () and len(layout({"a": ()}).boxes) == 1


def test_ids_fit_their_boxes() -> None:
    """A long id would be cut at the edge of its box."""
    for name in catalogue.IDS:
        lines = in_lines(name)
        assert "".join(lines) == name and len(lines) <= 3
        assert all(len(line) <= 21 for line in lines), lines
