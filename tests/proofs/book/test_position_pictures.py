"""Pictures of position schemes: their entries are the scheme's, at σ too, and equal bytes."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib
import pytest

from orderproof.proofs.book import position_figures
from orderproof.proofs.book.position_pictures import (
    GONE,
    NEW,
    Picture,
    Strip,
    WrongPicture,
    grid,
    picture,
    shown,
    strip,
)
from orderproof.symbolic.counting import cycle_text
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES, PositionScheme
from orderproof.symbolic.schemes.search import free_table
from orderproof.symbolic.schemes.symmetries import SYMMETRIES, entry, holds_at

LAYER = [y for y in SYMMETRIES.values() if y.reads == "layer"]
SWAP = (1, 0, 2, 3, 4, 5)


def picture_of(name: str) -> Picture:
    """The picture of a scheme for the first symmetry of a layer that it lacks and has at n = 6."""
    s = POSITION_SCHEMES[name]
    n = next(n for n in range(6, 9) if s.fits(n))
    has = {y.name: all(holds_at(s, y, n, g) for g in y.generators(s, n)) for y in LAYER}
    first = {holds: next((y for y in has if has[y] == holds), None) for holds in (False, True)}
    return picture(s, first[False], first[True])


def agrees(s: PositionScheme, n: int, found: Strip) -> bool:
    """Whether the grid after is made of the scheme's own entries at the places σ(i), σ(j): equal
    numbers for equal entries there and in the grid before."""
    f, spots = s.frame(n), [s.spot(i, n) for i in range(n)]
    numbers: dict[Any, Any] = {}
    for i, row in enumerate(found.before):
        for j, number in enumerate(row):
            key = entry_at(s, spots, f, i, j)
            if numbers.setdefault(key, number) != number:
                return False
    return all(
        numbers[entry_at(s, spots, f, found.sigma[i], found.sigma[j] if s.seen or s.pair else j)]
        == number
        for i, row in enumerate(found.after)
        for j, number in enumerate(row)
    )


def entry_at(s: PositionScheme, spots: Sequence[Any], f: Any, i: int, j: int) -> Any:
    """What the entry is a function of; of a table the row of token i, and the column."""
    if s.own and not s.seen:
        return s.own(spots[i], f), j
    label, own, seen = entry(s, spots[i], spots[j], f)
    return (label, own, seen) if seen else None


@pytest.mark.parametrize("name", POSITION_SCHEMES)
def test_the_entries_are_the_schemes(name: str) -> None:
    """A picture would show other entries than the scheme has, before σ or at σ."""
    s, found = POSITION_SCHEMES[name], picture_of(name)
    assert found.strips
    for part in found.strips:
        assert agrees(s, found.n, part)
        assert sorted(part.sigma) == list(range(found.n))


def test_a_wrong_permutation_is_noticed() -> None:
    """The test above would pass for σ's inverse, which differs for a cycle of three."""
    s, cycle = POSITION_SCHEMES["alibi-signed"], (1, 2, 0, 3, 4, 5)
    found = strip(s, "permutation", 6, cycle, holds=False)
    assert agrees(s, 6, found)
    assert not agrees(s, 6, replace(found, sigma=(2, 0, 1, 3, 4, 5)))
    rows = POSITION_SCHEMES["learned"]
    found = strip(rows, "permutation", 6, cycle, holds=False)
    assert agrees(rows, 6, found)
    assert not agrees(rows, 6, replace(found, sigma=(2, 0, 1, 3, 4, 5)))


def test_a_picture_that_contradicts_the_table_is_an_error() -> None:
    """A kept symmetry would be shown with a change, or a lost one with none."""
    alibi = POSITION_SCHEMES["alibi"]
    with pytest.raises(WrongPicture, match=r"keeps reversal at n = 6, but \(1 2\)"):
        strip(alibi, "reversal", 6, SWAP, holds=True)
    with pytest.raises(WrongPicture, match="breaks permutation at n = 6"):
        strip(alibi, "permutation", 6, (5, 4, 3, 2, 1, 0), holds=False)
    with pytest.raises(WrongPicture, match="no σ for which shift is True"):
        picture(alibi, None, "shift")
    assert strip(alibi, "reversal", 6, (5, 4, 3, 2, 1, 0), holds=True).changed == 0


def test_the_difference() -> None:
    """A change would have the wrong sign, or a place that is seen no more would look unchanged."""
    (found, *_) = picture_of("alibi-causal").strips
    assert found.difference[0] == (0, NEW, None, None, None, None)
    assert found.difference[1] == (GONE, 0, None, None, None, None)
    assert found.difference[2] == (1, -1, 0, None, None, None)  # σ(1) = 2 is nearer to 3
    assert found.changed == 2 + 2 * 4
    assert [shown(e) for e in found.difference[2]] == ["1", "−1", "0", "×", "×", "×"]


@pytest.mark.parametrize("name", POSITION_SCHEMES)
def test_free_entries_are_those_of_the_search(name: str) -> None:
    """A picture would number what a scheme leaves free otherwise than its counterexamples do."""
    s = POSITION_SCHEMES[name]
    n = 7 if s.extra else 6
    table = free_table(s, n, 1)
    if not table or name == "constant":
        return
    f, spots = s.frame(n), [s.spot(i, n) for i in range(n)]
    for i, row in enumerate(grid(s, n)):
        for j, number in enumerate(row):
            if number is not None:
                at = spots[j] if s.seen else spots[i]
                key = s.own(at, f) if s.own else s.label(s.pair(spots[i], spots[j], f), f)  # type: ignore[misc]
                text = ",".join(map(str, key)) if isinstance(key, tuple) else str(key)
                assert table[text] == (number,)


def test_words_are_made_from_the_entries() -> None:
    """The caption, or what is read to one who cannot see the picture, would be of another one."""
    found = picture_of("causal")
    assert found.caption == "G[i, j] for n = 6: 1 where i sees j; crossed: i does not see j."
    assert (
        "σ = (1 2), any permutation of the tokens of a layer: 2 of 36 entries change." in found.alt
    )
    assert "G[σ(i), σ(j)]: 1 1 × × × ×; × 1 × × × ×; 1 1 1" in found.alt
    assert "difference: 0 new × × × ×; gone 0 × × × ×" in found.alt
    (kept,) = picture_of("none").strips
    assert kept.caption.endswith("no entry changes")
    assert cycle_text((1, 2, 0, 4, 3)) == "(1 2 3)(4 5)"
    assert cycle_text((0, 1)) == "the identity"


# --------------------------------------------------------------------------------------- drawn
def test_the_svg_has_every_number_and_nothing_else() -> None:
    """A number would be missing or another one, a style or a name would leak into the page."""
    found = picture_of("relative-2d-distance")
    text = position_figures.svg(found)
    root = ET.fromstring(text)
    assert root.get("role") == "img" and root.get("aria-label") == found.alt
    said = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
    cells = [
        shown(e)
        for part in found.strips
        for rows in (part.before, part.after, part.difference)
        for row in rows
        for e in row
    ]
    ends = [str(k + 1) for k in range(found.n)] * 2 * 3 * len(found.strips)
    numbers = [t for t in said if t and re.fullmatch(r"−?\d+", t)]
    assert sorted(numbers) == sorted([*cells, *ends])
    assert not re.search(r"<style|<script| id=|url\(|href|<!|<\?", text)
    assert re.findall(r"https?://[^\"]*", text) == ["http://www.w3.org/2000/svg"]


def test_what_is_not_seen_is_crossed() -> None:
    """A place that is not seen would look like one with no bias."""
    text = position_figures.svg(picture_of("causal"))
    lines = re.findall(r'<path d="M [\d. ]+L [\d. ]+" style="fill: none', text)
    assert len(lines) == 2 * 15 * 3 - 2 * 1  # above the diagonal; of the difference one less
    assert text.count(f"fill: {position_figures.UNSEEN}") == 15 * 3 - 1


def test_colours_are_in_order_in_grey() -> None:
    """Printed in grey, a greater value would not be lighter, or a number would not be legible."""
    values = [float(k) for k in range(8)]
    light = [position_figures._light(position_figures._value(v, values)) for v in values]
    assert light == sorted(light) and len(set(light)) == 8
    changes = ((-2.0, -1.0, 1.0, 2.0),)
    dark = [position_figures._light(position_figures._change(e, changes)) for e in changes[0]]
    assert dark[0] < dark[1] < 1 and dark[3] < dark[2] < 1


def test_equal_data_gives_equal_bytes() -> None:
    """Two runs, or two readers with other settings of matplotlib, would make two books."""
    found = picture_of("prefix")
    here = position_figures.svg(found).encode() + position_figures.pdf(found)
    others = {"font.size": 30, "figure.facecolor": "red", "savefig.dpi": 9}
    with matplotlib.rc_context(others):
        assert here == position_figures.svg(found).encode() + position_figures.pdf(found)
    assert b"CreationDate" not in here and b"Matplotlib" not in here


@pytest.mark.slow
def test_equal_data_gives_equal_bytes_in_another_process(tmp_path: Path) -> None:
    """Two runs, or two readers with other settings of matplotlib, would make two books."""
    found = picture_of("prefix")
    here = position_figures.svg(found).encode() + position_figures.pdf(found)
    (tmp_path / "matplotlibrc").write_text("font.size: 30\nfigure.facecolor: red\nsavefig.dpi: 9\n")
    script = (
        "import sys, pickle\n"
        "from orderproof.proofs.book import position_figures as draw\n"
        "found = pickle.loads(sys.stdin.buffer.read())\n"
        "sys.stdout.buffer.write(draw.svg(found).encode() + draw.pdf(found))\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", script],
        input=pickle.dumps(found),
        env=os.environ | {"PYTHONHASHSEED": "7", "MATPLOTLIBRC": str(tmp_path)},
        capture_output=True,
        check=True,
    )
    assert done.stdout == here


def test_the_readers_settings_stay() -> None:
    """Drawing would change how the reader's own figures look."""
    before = dict(matplotlib.rcParams)
    position_figures.svg(picture_of("learned"))
    assert dict(matplotlib.rcParams) == before
