"""The section on position after the first layer: its numbers, its sentences, its figure."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from orderproof.numeric.by_layer import LAYERS
from orderproof.proofs.book import depth_figure, depth_section
from orderproof.proofs.book.bibliography import cited
from orderproof.proofs.book.depth_section import section
from orderproof.proofs.catalogue import IDS


def test_curves_are_the_stacks() -> None:
    """A curve would be missing, or stand under another name."""
    without, with_skips, trained = section().curves
    assert [c.layers for c in section().curves] == [LAYERS, LAYERS, 6]
    assert [len(c.distances) for c in section().curves] == [3, LAYERS + 1, 7]
    assert "without skips" in without.name and "with skips" in with_skips.name
    assert "trained" in trained.name and min(trained.distances) > 10
    assert "with skips: 0.86, and 0.85 after 24 layers." in section().alt


def test_drawn_lines_are_the_numbers() -> None:
    """A curve would be drawn of other numbers, or be cut off."""
    (axes,) = depth_figure.figure(section()).axes
    lines = [([*map(int, line.get_xdata())], [*line.get_ydata()]) for line in axes.get_lines()]
    assert lines == [([*range(len(c.distances))], [*c.distances]) for c in section().curves]
    (low, high), (left, right) = axes.get_ylim(), axes.get_xlim()
    assert all(low < y < high for _, ys in lines for y in ys)
    assert all(left < x < right for xs, _ in lines for x in xs)


def test_what_is_cited_exists() -> None:
    """A sentence would cite a theorem or a paper that is not there."""
    assert len(cited(section().citations)) == len(section().citations)
    assert {i for _, ids in depth_section.SAID for i in ids} <= {*IDS}
    assert len(section().sentences) == len(depth_section.SAID) + 1


def test_the_svg_says_what_is_drawn() -> None:
    """A label would be missing, or the figure have no text for those who do not see it."""
    text = depth_figure.svg(section())
    root = ET.fromstring(text)
    assert root.get("aria-label") == section().alt
    said = {t.text for t in root.iter("{http://www.w3.org/2000/svg}text")}
    ended = "equal after layer 3, as far as float64 tells"
    assert {*(c.name for c in section().curves), "after layer", ended} <= said
    assert text == depth_figure.svg(section())


@pytest.mark.slow
def test_another_run_gives_the_same_bytes() -> None:
    """Two runs would make two books."""
    script = (
        "import sys\n"
        "from orderproof.proofs.book import depth_figure as draw, depth_section\n"
        "s = depth_section.section()\n"
        "sys.stdout.buffer.write(draw.svg(s).encode() + draw.pdf(s))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONHASHSEED": "11"},
        capture_output=True,
        check=True,
    )
    assert done.stdout == depth_figure.svg(section()).encode() + depth_figure.pdf(section())
