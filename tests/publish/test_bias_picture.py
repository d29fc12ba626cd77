"""The picture of a bias: its entries are the scheme's, and equal bytes in every run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib
import pytest

from orderproof.publish import bias_picture
from orderproof.publish.bias_picture import Strip, WrongPicture, light, strips

FILE = Path(__file__).parents[2] / "docs/alibi.svg"


def test_the_file_is_what_is_drawn() -> None:
    """The README would show another bias than the scheme has; `make readme` was forgotten."""
    text = FILE.read_text(encoding="utf-8")
    assert bias_picture.svg(strips()) + "\n" == text
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
    shown = strips()
    root = ET.fromstring(bias_picture.svg(shown))
    assert root.get("role") == "img" and root.get("aria-label") == bias_picture.alt(shown)
    said = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
    grids = [g for s in shown for g in (s.before, s.after, s.difference)]
    cells = [str(e).replace("-", "−") for grid in grids for row in grid for e in row]
    ends = [str(k + 1) for k in range(6)] * 2 * len(grids)
    assert sorted(t for t in said if t and re.fullmatch(r"−?\d+", t)) == sorted([*cells, *ends])


def test_colours_are_in_order_in_grey() -> None:
    """Printed in grey, a greater value would not be lighter, or a greater change not darker."""
    (values,) = bias_picture._values((tuple(range(8)),))
    assert [light(v) for v in values] == sorted({light(v) for v in values})
    (changes,) = bias_picture._changes(((-2, -1, 0, 1, 2),))
    dark = [light(c) for c in changes]
    assert dark[0] < dark[1] < dark[2] > dark[3] > dark[4]


def test_the_readers_settings_are_not_used_and_stay() -> None:
    """Two readers with other settings of matplotlib would make two books, or lose their own."""
    here = bias_picture.svg(strips()).encode() + bias_picture.pdf(strips())
    others = {"font.size": 30, "figure.facecolor": "red", "savefig.dpi": 9}
    with matplotlib.rc_context(others):
        before = dict(matplotlib.rcParams)
        assert here == bias_picture.svg(strips()).encode() + bias_picture.pdf(strips())
        assert dict(matplotlib.rcParams) == before
    assert b"CreationDate" not in here and b"Matplotlib" not in here


@pytest.mark.slow
def test_equal_bytes_in_another_process(tmp_path: Path) -> None:
    """Two runs would make two books."""
    script = (
        "import sys\nfrom orderproof.publish.bias_picture import pdf, strips\n"
        "sys.stdout.buffer.write(pdf(strips()))"
    )
    (tmp_path / "matplotlibrc").write_text("font.size: 30\nfigure.facecolor: red\n")
    env = os.environ | {"PYTHONHASHSEED": "7", "MATPLOTLIBRC": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, check=True)
    assert done.stdout == bias_picture.pdf(strips())
