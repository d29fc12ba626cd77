"""Pictures: entries and curves are those of schemes and stacks, and equal bytes in every run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pytest

from orderproof.numeric.by_layer import random_stack
from orderproof.publish import figures
from orderproof.publish.figures import Strip, WrongPicture, depth, files, light, strips

FILE = Path(__file__).parents[2] / "docs/alibi.svg"
DRAW = """
import sys
from tests.publish.test_figures import drawn
sys.stdout.buffer.write(drawn())
"""


def drawn() -> bytes:
    """Both pictures, for the site and for LaTeX."""
    return b"".join(x for ending in ("svg", "pdf") for x in files(ending).values())


def labels(name: str) -> list[str]:
    """What is written in a picture of the site."""
    return re.findall(r"<text [^>]*>([^<]*)</text>", files("svg")[f"{name}.svg"].decode())


# -------------------------------------------------------------------------------- equal bytes
def test_the_readers_settings_are_not_used_and_stay() -> None:
    """Two readers with other settings of matplotlib would make two books, or lose their own."""
    here = drawn()
    with matplotlib.rc_context({"font.size": 30, "figure.facecolor": "red", "savefig.dpi": 9}):
        before = dict(matplotlib.rcParams)
        assert here == drawn() and dict(matplotlib.rcParams) == before
    assert b"CreationDate" not in here and b"Matplotlib" not in here and b"<dc:date>" not in here


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
    assert files("svg")["alibi.svg"].decode() == text
    assert "any permutation of the tokens of a layer: 16 of 36 entries change" in text
    assert "reversal of the tokens: no entry changes" in text
    assert not re.search(r'<script|href="[^#]', text)


@pytest.mark.parametrize("scheme", ["alibi-signed", "causal"])
def test_a_symmetry_that_is_lost_is_not_drawn_as_kept(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The picture would say that a scheme cannot see what it sees, or show what is no bias."""
    monkeypatch.setattr(figures, "SCHEME", scheme)
    with pytest.raises(WrongPicture):
        strips()


def test_the_entries_are_the_bias_at_the_permuted_places() -> None:
    """A picture would show other entries than ALiBi's, or those for the inverse of σ."""
    place = np.arange(6)
    for strip, sigma in zip(strips(), ((1, 0, 2, 3, 4, 5), (5, 4, 3, 2, 1, 0)), strict=True):
        assert strip.sigma == sigma
        assert np.array_equal(strip.before, -abs(place[:, None] - place))
    cycle = Strip("permutation", (1, 2, 0), np.arange(9).reshape(3, 3))
    _, after, difference = cycle.grids
    assert after.tolist() == [[4, 5, 3], [7, 8, 6], [1, 2, 0]]
    assert difference[0].tolist() == [4, 4, 1] and cycle.changed == 9


def test_every_number_is_there_and_in_its_place() -> None:
    """A number would be missing or another one, in the picture or in its text."""
    grids = [grid for strip in strips() for grid in strip.grids]
    for axes, grid in zip(figures.draw_bias(strips()).get_axes(), grids, strict=True):
        for text in axes.texts:
            (j, i), entry = (int(x) for x in text.get_position()), text.get_text()
            assert entry.replace("−", "-") == str(grid[i, j])
    cells = [str(e).replace("-", "−") for grid in grids for e in grid.flat]
    ends = [str(k + 1) for k in range(6)] * 2 * len(grids)
    numbers = [t for t in labels("alibi") if re.fullmatch(r"−?\d+", t)]
    assert sorted(numbers) == sorted([*cells, *ends])
    said = re.findall(r"−?\d+(?=[ ;.])", figures.bias().alt.partition("B[i, j]: ")[2])
    assert [x for x in cells if x not in said] == [] and len(said) >= len(cells)


def test_colours_are_in_order_in_grey() -> None:
    """Printed in grey, a greater value would not be lighter, or a greater change not darker."""
    values, _, changes = figures.draw_bias(strips()[:1]).get_axes()
    shades = [light(values.collections[0].to_rgba(k)) for k in range(-5, 1)]
    assert shades == sorted(set(shades))
    dark = [light(changes.collections[0].to_rgba(k)) for k in (-1, -0.5, 0, 0.5, 1)]
    assert dark[0] < dark[1] < dark[2] > dark[3] > dark[4]


# ------------------------------------------------------------------------- distances layer by layer
def test_curves_are_the_stacks() -> None:
    """A curve would be missing, cut off, or stand under another name; or its text be another's."""
    (axes,) = depth().draw().axes
    curves = {str(x.get_label()): [*x.get_ydata()] for x in axes.get_lines()}
    without, with_skips, trained = curves
    assert [curves[without], curves[with_skips]] == [[*random_stack(k)] for k in (0.0, 1.0)]
    assert curves[trained] == json.loads(figures.KEPT.read_text(encoding="utf-8"))["apart"]
    assert "without skips" in without and "with skips" in with_skips and "trained" in trained
    assert "with skips: 0.86, and 0.85 after 24 layers." in depth().alt
    (low, high), (left, right) = axes.get_ylim(), axes.get_xlim()
    assert all(low < y < high for ys in curves.values() for y in ys)
    assert all(left < x < right for line in axes.get_lines() for x in line.get_xdata())
    ended = "equal after layer 3, as far as float64 tells"
    assert {*curves, "after layer", ended} <= {*labels("depth")}
