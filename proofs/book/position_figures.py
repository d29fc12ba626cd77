"""Pictures of position schemes, drawn: PDF for LaTeX, SVG for the page; equal data, equal bytes.

Every cell has its number in it, so that a picture says the same in grey and to the colour-blind;
what is not seen is crossed out. Needs matplotlib, of the extra `book`.
"""

from __future__ import annotations

from typing import Literal

import matplotlib
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from orderproof.symbolic.counting import PEOPLE

from . import figures
from .position_pictures import GONE, NEW, Changes, Grid, Picture, shown

CELL, SLOT, GAP, APART = 0.2, 1.58, 0.34, 0.1  # inches: a cell, the least width of a grid, gaps
LEFT, LABELS, WORDS, EDGE = 0.36, 0.28, 0.22, 0.03  # inches: beside and above the grids
NOTHING, UNSEEN, LINES = "#ffffff", "#efefef", "#8a8a8a"
VALUES, CHANGES = colormaps["cividis"], colormaps["PuOr"]  # in grey, and to all eyes, in order
SEEN = {NEW: "#d9e6f2", GONE: "#4d4d4d"}


def pdf(picture: Picture) -> bytes:
    """The picture as a page of its own size."""
    return figures.pdf(lambda: _figure(picture))


def svg(picture: Picture) -> str:
    """The picture as an element of a page."""
    return figures.svg(lambda: _figure(picture), picture.alt)


def _figure(picture: Picture) -> Figure:
    """All strips, one below the other, laid out in inches."""
    rows, columns = len(picture.strips[0].before), len(picture.strips[0].before[0])
    slot = max(columns * CELL, SLOT)
    high = WORDS + LABELS + rows * CELL
    count = len(picture.strips)
    height = count * high + (count - 1) * APART + EDGE
    figure = Figure(figsize=(LEFT + 3 * slot + 2 * GAP + EDGE, height))
    for down, strip in enumerate(picture.strips):
        top = height - down * (high + APART)
        _text(figure, EDGE, top - 0.08, f"σ = {strip.caption}", 7.5, ha="left")
        among = [e for row in strip.before for e in row if e is not None]
        grids: tuple[Grid | Changes, ...] = (strip.before, strip.after, strip.difference)
        for across, grid in enumerate(grids):
            left = LEFT + across * (slot + GAP) + (slot - columns * CELL) / 2
            title = (*picture.titles, "difference")[across]
            _text(figure, left + columns * CELL / 2, top - WORDS - 0.06, title, 7.5)
            if across == 0:
                middle = top - WORDS - LABELS - rows * CELL / 2
                _text(figure, left - 0.24, middle, picture.rows, 6.5, rotation=90)
            faces = [
                [_change(e, grid) if across == 2 else _value(e, among) for e in row] for row in grid
            ]
            _grid(figure, left, top - WORDS - LABELS, grid, faces)
    return figure


def _grid(
    figure: Figure, left: float, top: float, grid: Grid | Changes, faces: list[list[str]]
) -> None:
    """A grid from its upper left corner on; rows and columns are counted from 1."""
    for i, row in enumerate(grid):
        _text(figure, left - 0.09, top - (i + 0.5) * CELL, str(PEOPLE(i)), 6, color="#444444")
        for j, entry in enumerate(row):
            x, y = left + j * CELL, top - (i + 1) * CELL
            if i == 0:
                _text(figure, x + CELL / 2, top + 0.07, str(PEOPLE(j)), 6, color="#444444")
            face = faces[i][j]
            inches = figure.dpi_scale_trans
            figure.add_artist(
                Rectangle((x, y), CELL, CELL, facecolor=face, edgecolor=LINES, linewidth=0.4,
                          transform=inches)
            )  # fmt: skip
            if entry is None:
                for ends in ((y, y + CELL), (y + CELL, y)):
                    figure.add_artist(
                        Line2D((x, x + CELL), ends, color=LINES, linewidth=0.4, transform=inches)
                    )
            else:
                said = shown(entry)
                dark = "#6e6e6e" if face == NOTHING else "black"
                _text(figure, x + CELL / 2, y + CELL / 2, said, 6.5 if len(said) < 4 else 5.2,
                      color="white" if _light(face) < 0.45 else dark)  # fmt: skip


def _text(
    figure: Figure, x: float, y: float, text: str, size: float, color: str = "black",
    ha: Literal["left", "center"] = "center", rotation: float = 0,
) -> None:  # fmt: skip
    figure.text(x, y, text, fontsize=size, color=color, ha=ha, va="center_baseline",
                rotation=rotation, transform=figure.dpi_scale_trans)  # fmt: skip


def _value(entry: float | str | None, among: list[float]) -> str:
    """The greater the lighter."""
    if not isinstance(entry, float):
        return UNSEEN
    low, high = min(among), max(among)
    return _hex(VALUES, 0.8 if low == high else 0.1 + 0.85 * (entry - low) / (high - low))


def _change(entry: float | str | None, grid: Grid | Changes) -> str:
    """White where nothing changes; the greater the change the darker, up and down apart."""
    if isinstance(entry, str):
        return SEEN[entry]
    if entry is None:
        return UNSEEN
    if entry == 0:
        return NOTHING
    most = max(abs(e) for row in grid for e in row if isinstance(e, float))
    return _hex(CHANGES, 0.5 + (0.08 + 0.34 * abs(entry) / most) * (1 if entry > 0 else -1))


def _hex(colours: matplotlib.colors.Colormap, at: float) -> str:
    return matplotlib.colors.to_hex(colours(at))


def _light(colour: str) -> float:
    """How light a colour is, from 0 to 1 (ITU-R BT.601)."""
    red, green, blue = matplotlib.colors.to_rgb(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue
