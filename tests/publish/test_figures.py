"""Pictures: entries and curves are those of schemes and stacks, and equal bytes in every run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib
import pytest

from orderproof.numeric.by_layer import LAYERS
from orderproof.publish import bias_picture, depth_figure
from orderproof.publish.bias_picture import Strip, WrongPicture, light, strips
from orderproof.publish.book import pictures
from orderproof.publish.depth_section import section
from orderproof.publish.schemes import PositionChapter

FILE = Path(__file__).parents[2] / "docs/alibi.svg"
CHAPTER = PositionChapter("", (), (), section())
DRAW = """
import sys
from orderproof.publish.book import pictures
from tests.publish.test_figures import CHAPTER
for ending in ("svg", "pdf"):
    for data in pictures(CHAPTER, ending).values():
        sys.stdout.buffer.write(data if isinstance(data, bytes) else data.encode())
"""


def drawn() -> bytes:
    """Both pictures, for the site and for LaTeX."""
    made = (x for ending in ("svg", "pdf") for x in pictures(CHAPTER, ending).values())
    return b"".join(x if isinstance(x, bytes) else x.encode() for x in made)


def svg(name: str) -> ET.Element:
    """A picture of the site."""
    return ET.fromstring(str(pictures(CHAPTER, "svg")[f"{name}.svg"]))


def labels(root: ET.Element) -> list[str]:
    """What is written in a picture."""
    return [t.text or "" for t in root.iter("{http://www.w3.org/2000/svg}text")]


# -------------------------------------------------------------------------------- equal bytes
def test_the_readers_settings_are_not_used_and_stay() -> None:
    """Two readers with other settings of matplotlib would make two books, or lose their own."""
    here = drawn()
    with matplotlib.rc_context({"font.size": 30, "figure.facecolor": "red", "savefig.dpi": 9}):
        before = dict(matplotlib.rcParams)
        assert here == drawn() and dict(matplotlib.rcParams) == before
    assert b"CreationDate" not in here and b"Matplotlib" not in here


@pytest.mark.slow
def test_equal_bytes_in_another_process(tmp_path: Path) -> None:
    """Two runs would make two books."""
    (tmp_path / "matplotlibrc").write_text("font.size: 30\nfigure.facecolor: red\n")
    env = os.environ | {"PYTHONHASHSEED": "7", "MATPLOTLIBRC": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", DRAW], env=env, capture_output=True, check=True)
    assert done.stdout == drawn()


# ------------------------------------------------------------------ a bias before and after σ
def test_the_file_is_what_is_drawn() -> None:
    """The README would show another bias than the scheme has; `make readme` was forgotten."""
    text = FILE.read_text(encoding="utf-8")
    assert f"{pictures(CHAPTER, 'svg')['alibi.svg']}\n" == text
    assert "any permutation of the tokens of a layer: 16 of 36 entries change" in text
    assert "reversal of the tokens: no entry changes" in text
    assert not re.search(r"<script|href=|<style", text)


@pytest.mark.parametrize("scheme", ["alibi-signed", "causal"])
def test_a_symmetry_that_is_lost_is_not_drawn_as_kept(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The picture would say that a scheme cannot see what it sees, or show what is no bias."""
    monkeypatch.setattr(bias_picture, "SCHEME", scheme)
    with pytest.raises(WrongPicture):
        strips()


def test_the_entries_are_the_bias_at_the_permuted_places() -> None:
    """A picture would show other entries than ALiBi's, or those for the inverse of σ."""
    lost, kept = strips()
    assert lost.before == kept.before
    assert lost.before == tuple(tuple(-abs(i - j) for j in range(6)) for i in range(6))
    assert lost.sigma == (1, 0, 2, 3, 4, 5) and kept.sigma == (5, 4, 3, 2, 1, 0)
    cycle = Strip("permutation", (1, 2, 0), ((0, 1, 2), (3, 4, 5), (6, 7, 8)))
    assert cycle.after == ((4, 5, 3), (7, 8, 6), (1, 2, 0))
    assert cycle.difference[0] == (4, 4, 1) and cycle.changed == 9


def test_the_svg_has_every_number() -> None:
    """A number would be missing or another one."""
    shown, root = strips(), svg("alibi")
    assert root.get("role") == "img" and root.get("aria-label") == bias_picture.alt(shown)
    grids = [g for s in shown for g in (s.before, s.after, s.difference)]
    cells = [str(e).replace("-", "−") for grid in grids for row in grid for e in row]
    ends = [str(k + 1) for k in range(6)] * 2 * len(grids)
    numbers = [t for t in labels(root) if re.fullmatch(r"−?\d+", t)]
    assert sorted(numbers) == sorted([*cells, *ends])


def test_colours_are_in_order_in_grey() -> None:
    """Printed in grey, a greater value would not be lighter, or a greater change not darker."""
    (values,) = bias_picture._values((tuple(range(8)),))
    assert [light(v) for v in values] == sorted({light(v) for v in values})
    (changes,) = bias_picture._changes(((-2, -1, 0, 1, 2),))
    dark = [light(c) for c in changes]
    assert dark[0] < dark[1] < dark[2] > dark[3] > dark[4]


# ------------------------------------------------------------------------- distances layer by layer
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
    root = svg("depth")
    assert root.get("aria-label") == section().alt
    ended = "equal after layer 3, as far as float64 tells"
    assert {*(c.name for c in section().curves), "after layer", ended} <= {*labels(root)}
