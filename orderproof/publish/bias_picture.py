"""The picture of a bias before σ and after it, and the difference: ALiBi's, for a σ that it notices
and for one that it does not. PDF for the book, SVG for README.md; equal bytes in every run.

Every entry has its number in it, so that the picture says the same in grey and to the colour-blind.
Needs matplotlib, of the extra `book`.

python -m orderproof.publish.bias_picture docs/alibi.svg
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import matplotlib
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from orderproof.check.prove import results
from orderproof.symbolic.counting import PEOPLE, cycle_text
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES
from orderproof.symbolic.schemes.symmetries import SYMMETRIES, Sigma, holds_at

from . import figures

SCHEME, SIZE = "alibi", 6
SYMMETRIES_SHOWN = (("permutation", False), ("reversal", True))  # whether the scheme has it
TITLES = ("B[i, j]", "B[σ(i), σ(j)]", "difference")
UNIT = "in units of the slope"
CAPTION = f"{TITLES[0]} for n = {SIZE}: the bias, {UNIT}."

CELL, SLOT, GAP, APART = 0.2, 1.58, 0.34, 0.1  # inches: a cell, the least width of a grid, gaps
LEFT, LABELS, WORDS, EDGE = 0.36, 0.28, 0.22, 0.03  # inches: beside and above the grids
BELOW = 0.16  # inches below the grids
NOTHING, LINES = "#ffffff", "#8a8a8a"
VALUES, CHANGES = colormaps["cividis"], colormaps["PuOr"]  # in grey, and to all eyes, in order

Grid = tuple[tuple[int, ...], ...]


class WrongPicture(ValueError):
    """A picture that shows a change where the symmetry holds, or none where it does not."""


@dataclass(frozen=True)
class Strip:
    """Three grids for one σ of one symmetry."""

    symmetry: str
    sigma: Sigma
    before: Grid

    @property
    def after(self) -> Grid:
        """The entries at σ(i), σ(j)."""
        return tuple(tuple(self.before[i][j] for j in self.sigma) for i in self.sigma)

    @property
    def difference(self) -> Grid:
        """After less before."""
        rows = zip(self.after, self.before, strict=True)
        return tuple(tuple(a - b for a, b in zip(*row, strict=True)) for row in rows)

    @property
    def changed(self) -> int:
        """How many entries change."""
        return sum(e != 0 for row in self.difference for e in row)

    @property
    def caption(self) -> str:
        """σ, what it is, and what it changes."""
        total = sum(map(len, self.before))
        count = f"{self.changed} of {total} entries change" if self.changed else "no entry changes"
        return f"{cycle_text(self.sigma)}, {SYMMETRIES[self.symmetry].says}: {count}"


def strips() -> tuple[Strip, ...]:
    """A σ that the scheme notices, and one that it does not; WrongPicture where there is none, or
    the entries do not say so."""
    s, found = POSITION_SCHEMES[SCHEME], []
    f, spots = s.frame(SIZE), [s.spot(i, SIZE) for i in range(SIZE)]
    if s.pair is None or s.value is None:
        raise WrongPicture(f"{SCHEME}: given no bias, expected one")
    before = tuple(tuple(s.value(s.pair(a, b, f)) for b in spots) for a in spots)
    for name, holds in SYMMETRIES_SHOWN:
        y = SYMMETRIES[name]
        among = (g for g in y.generators(s, SIZE) if holds_at(s, y, SIZE, g) == holds)
        sigma = next(among, None)
        if sigma is None or (Strip(name, tuple(sigma), before).changed == 0) != holds:
            raise WrongPicture(f"{SCHEME}, n = {SIZE}: no σ for which {name} is {holds}")
        found.append(Strip(name, tuple(sigma), before))
    return tuple(found)


def alt(shown: Sequence[Strip]) -> str:
    """The caption, and every strip with its entries: what one who cannot see it would miss."""
    said = [CAPTION]
    for strip in shown:
        grids = (strip.before, strip.after, strip.difference)
        rows = (
            f"{title}: {'; '.join(' '.join(map(number, row)) for row in grid)}"
            for title, grid in zip(TITLES, grids, strict=True)
        )
        said.append(f"σ = {strip.caption}. {'. '.join(rows)}.")
    return " ".join(said)


def number(entry: int) -> str:
    """An entry as it is printed."""
    return str(entry).replace("-", "−")


def figure(shown: Sequence[Strip]) -> Figure:
    """All strips, one below the other, laid out in inches."""
    slot = max(SIZE * CELL, SLOT)
    high = WORDS + LABELS + SIZE * CELL + BELOW
    height = len(shown) * high + (len(shown) - 1) * APART + EDGE
    found = Figure(figsize=(LEFT + 3 * slot + 2 * GAP + EDGE, height))
    for down, strip in enumerate(shown):
        top = height - down * (high + APART)
        _text(found, EDGE, top - 0.08, f"σ = {strip.caption}", 7.5, ha="left")
        for across, grid in enumerate((strip.before, strip.after, strip.difference)):
            left = LEFT + across * (slot + GAP) + (slot - SIZE * CELL) / 2
            _text(found, left + SIZE * CELL / 2, top - WORDS - 0.06, TITLES[across], 7.5)
            if across == 0:
                middle = top - WORDS - LABELS - SIZE * CELL / 2
                _text(found, left - 0.24, middle, "query i", 6.5, rotation=90)
                foot = top - WORDS - LABELS - SIZE * CELL - BELOW / 2
                _text(found, left + SIZE * CELL / 2, foot, f"key j; entries {UNIT}", 6.5)
            faces = _changes(grid) if across == 2 else _values(grid)
            _grid(found, left, top - WORDS - LABELS, grid, faces)
    return found


def _grid(figure: Figure, left: float, top: float, grid: Grid, faces: list[list[str]]) -> None:
    """A grid from its upper left corner on; rows and columns are counted from 1."""
    for i, row in enumerate(grid):
        _text(figure, left - 0.09, top - (i + 0.5) * CELL, str(PEOPLE(i)), 6, color="#444444")
        for j, entry in enumerate(row):
            x, y = left + j * CELL, top - (i + 1) * CELL
            if i == 0:
                _text(figure, x + CELL / 2, top + 0.07, str(PEOPLE(j)), 6, color="#444444")
            face = faces[i][j]
            figure.add_artist(
                Rectangle((x, y), CELL, CELL, facecolor=face, edgecolor=LINES, linewidth=0.4,
                          transform=figure.dpi_scale_trans)
            )  # fmt: skip
            dark = "#6e6e6e" if face == NOTHING else "black"
            color = "white" if light(face) < 0.45 else dark
            _text(figure, x + CELL / 2, y + CELL / 2, number(entry), 6.5, color=color)


def _text(
    figure: Figure, x: float, y: float, text: str, size: float, color: str = "black",
    ha: Literal["left", "center"] = "center", rotation: float = 0,
) -> None:  # fmt: skip
    figure.text(x, y, text, fontsize=size, color=color, ha=ha, va="center_baseline",
                rotation=rotation, transform=figure.dpi_scale_trans)  # fmt: skip


def _values(grid: Grid) -> list[list[str]]:
    """The greater the lighter."""
    entries = [e for row in grid for e in row]
    low, high = min(entries), max(entries)
    return [[_hex(VALUES, 0.1 + 0.85 * (e - low) / (high - low)) for e in row] for row in grid]


def _changes(grid: Grid) -> list[list[str]]:
    """White where nothing changes; the greater the change the darker, up and down apart."""
    most = max(abs(e) for row in grid for e in row)

    def face(e: int) -> str:
        up = 1 if e > 0 else -1
        return NOTHING if e == 0 else _hex(CHANGES, 0.5 + (0.08 + 0.34 * abs(e) / most) * up)

    return [[face(e) for e in row] for row in grid]


def _hex(colours: matplotlib.colors.Colormap, at: float) -> str:
    return matplotlib.colors.to_hex(colours(at))


def light(colour: str) -> float:
    """How light a colour is, from 0 to 1 (ITU-R BT.601)."""
    red, green, blue = matplotlib.colors.to_rgb(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue


if __name__ == "__main__":
    found = strips()
    drawn = figures.svg(lambda: figure(found), alt(found))
    results.write(Path(sys.argv[1]), f"{drawn}\n")
