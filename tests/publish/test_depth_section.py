"""The figure of position after the first layer: its numbers, and what is drawn of them."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from fractions import Fraction

import pytest

from orderproof.numeric.by_layer import LAYERS
from orderproof.publish import depth_figure
from orderproof.publish.depth_section import section
from tests.judged import loaded


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
        "from orderproof.publish import depth_figure as draw, depth_section\n"
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


def test_the_limits_of_kappa_are_as_the_remark_says() -> None:
    """The remark beside κ < 1 would name counterexamples that are none."""
    (said,) = [s.text for s in loaded("position_after_first_layer_skip").words if not s.claims]
    assert "0, 1 to 0, 0" in said and "to −1, −1" in said and "(1, 2, 3) and (2, 3, 4)" in said

    def after(weights: list[list[Fraction]], value: int) -> list[Fraction]:
        tokens = (Fraction(0), Fraction(1))
        means = [sum(a * x for a, x in zip(row, tokens, strict=True)) for row in weights]
        return [x + value * z for x, z in zip(tokens, means, strict=True)]

    half, third, none = Fraction(1, 2), Fraction(1, 3), Fraction(0)
    assert after([[Fraction(1), none], [half, half]], -2) == [0, 0]  # a causal mask
    assert after([[2 * third, third], [third, 2 * third]], -3) == [-1, -1]  # ALiBi, slope ln 2
    assert after([[half, half], [half, half]], -2) == [-1, 0]  # with neither they stay apart
