"""The section on position after the first layer: its numbers, its bounds, its figure."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from orderproof.numeric.spread_by_layer import LAYERS, SKIPS
from orderproof.proofs.book import spread_figure, spread_section
from orderproof.proofs.book.bibliography import cited
from orderproof.proofs.book.spread_section import WITH, WrongFigure, row, section
from orderproof.proofs.catalogue import IDS


def test_panels_are_the_stacks() -> None:
    """A panel would be missing, or stand under another name."""
    random, trained = section().panels
    for panels in (random, trained):
        assert [p.skip for p in panels] == list(SKIPS)
        assert [p.title for p in panels] == [WITH[r] for r in SKIPS]
    assert [p.depth for p in random] == [LAYERS] * 3
    assert [p.depth for p in trained] == [6] * 3
    assert [p.layers[-1].number for p in trained] == [4, 6, 6]
    assert trained[2].kappas[0] > 900 and random[2].kappas[1] < 0.51
    assert "all its 6 layers (it has no more)" in section().caption


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("kind", ["position", "content"])
def test_a_bound_below_what_is_measured_is_refused(which: int, kind: str) -> None:
    """The figure would be drawn with a dashed line below a curve."""
    panel = section().panels[which][2]
    layers = list(panel.layers)
    given = getattr(layers[3], kind)
    layers[3] = replace(layers[3], **{kind: replace(given, most=given.measured * 0.999)})
    with pytest.raises(WrongFigure, match=f"with skips: layer 3, {kind}: .* is not between"):
        row(panel.weights, panel.depth, {1.0: layers})
    assert row(panel.weights, panel.depth, {1.0: panel.layers})[0].layers == panel.layers


def test_drawn_lines_are_the_numbers() -> None:
    """A curve would be drawn of other numbers, or a bound of another layer."""
    found = spread_figure.figure(section())
    panels = [p for panels in section().panels for p in panels]
    assert len(found.axes) == len(panels)
    for axes, panel in zip(found.axes, panels, strict=True):
        lines = [[*line.get_ydata()] for line in axes.get_lines()]
        for k, curve in enumerate(zip(*(x.kinds for x in panel.layers), strict=True)):
            measured, most, _ = lines[3 * k : 3 * k + 3]
            assert measured == [x.measured for x in curve]
            assert most == [x.most for x in curve[1:]]
            assert all(m <= b * (1 + 1e-9) for m, b in zip(measured[1:], most, strict=True))
        low, high = axes.get_ylim()
        assert all(low < y < high for line in lines for y in line if y == y)


def test_what_is_cited_exists() -> None:
    """A sentence would cite a theorem or a paper that is not there."""
    assert len(cited(section().citations)) == len(section().citations)
    assert {i for _, ids in spread_section.SAID for i in ids} <= {*IDS}
    assert len(section().sentences) == len(spread_section.SAID) + 1
    assert section().sentences[0] and "κ" in section().sentences[-1]


def test_the_svg_says_what_is_drawn() -> None:
    """A label would be missing, or the figure have no text for those who do not see it."""
    text = spread_figure.svg(section())
    root = ET.fromstring(text)
    assert root.get("aria-label") == section().alt
    said = {t.text for t in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {*WITH.values(), *spread_figure.NAMES, "after layer"} <= said
    assert text == spread_figure.svg(section())


@pytest.mark.slow
def test_another_run_gives_the_same_bytes() -> None:
    """Two runs would make two books."""
    script = (
        "import sys\n"
        "from orderproof.proofs.book import spread_figure as draw, spread_section\n"
        "s = spread_section.section()\n"
        "sys.stdout.buffer.write(draw.svg(s).encode() + draw.pdf(s))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONHASHSEED": "11"},
        capture_output=True,
        check=True,
    )
    assert done.stdout == spread_figure.svg(section()).encode() + spread_figure.pdf(section())


def test_small_numbers_are_read() -> None:
    """κ of a panel would be printed as 0, or as 0.000."""
    given = {0.0: "0", 0.13: "0.13", 980.4: "980", 2.4e-4: "2·10⁻⁴", 1765.0: "1800", 0.5: "0.5"}
    for value, text in given.items():
        assert spread_figure._number(value) == text
    assert spread_section.WITH.keys() == {*SKIPS}
