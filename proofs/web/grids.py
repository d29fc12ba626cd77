"""Pictures of position schemes as SVG: the tensor, the tensor after σ, and the difference.

Every cell has its number in it, and what is not seen is crossed out, so that a picture says the
same in grey; colours are left to the style sheet, light and dark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from orderproof.proofs.book.position_pictures import (
    GONE,
    NEW,
    Changes,
    Grid,
    Picture,
    Strip,
    WrongPicture,
    picture,
    shown,
)
from orderproof.proofs.schemes.table import Cell
from orderproof.symbolic.counting import PEOPLE
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES
from orderproof.symbolic.schemes.symmetries import SYMMETRIES

SIDE, EDGE, HEAD, WIDE = 30, 22, 40, 44  # of a cell, left of a grid, above it, the widest number


@dataclass(frozen=True)
class Drawn:
    """A strip as it stands on a page: its caption and its grids."""

    caption: str
    grids: tuple[Markup, ...]


def of_cell(cell: Cell, portrait: Picture) -> Picture:
    """The picture of a scheme for the symmetry of one cell, where that moves the tokens of one
    layer and shows at the size of a picture; else the scheme's own."""
    y = SYMMETRIES[cell.symmetry]
    if y.reads != "layer" or cell.verdict not in ("proved", "refuted"):
        return portrait
    s = POSITION_SCHEMES[cell.scheme]
    try:
        kept = cell.symmetry if cell.verdict == "proved" else None
        return picture(s, None if kept else cell.symmetry, kept)
    except WrongPicture:  # no σ of the family shows it at this size
        return portrait


def drawn(p: Picture) -> tuple[Drawn, ...]:
    """The strips of a picture."""
    found = []
    for strip in p.strips:
        titles = (*p.titles, "difference")
        grids: tuple[Grid | Changes, ...] = (strip.before, strip.after, strip.difference)
        found.append(
            Drawn(
                f"σ = {strip.caption}",
                tuple(
                    _svg(title, grid, strip, change=k == 2)
                    for k, (title, grid) in enumerate(zip(titles, grids, strict=True))
                ),
            )
        )
    return tuple(found)


def _svg(title: str, grid: Grid | Changes, strip: Strip, *, change: bool) -> Markup:
    """One grid: rows and columns are counted from 1."""
    texts = [[shown(e) for e in row] for row in grid]
    side = WIDE if any(len(t) > 3 for row in texts for t in row) else SIDE
    columns, rows = len(grid[0]), len(grid)
    width, height = EDGE + columns * side + 2, HEAD + rows * SIDE + 2
    among = [abs(e) if change else e for row in (grid if change else strip.before)
             for e in row if isinstance(e, float)]  # fmt: skip
    out = [f'<text class="title" x="{EDGE + columns * side / 2:g}" y="14">{escape(title)}</text>']
    for j in range(columns):
        out.append(_label(EDGE + (j + 0.5) * side, HEAD - 7, PEOPLE(j)))
    for i, row in enumerate(grid):
        y = HEAD + i * SIDE
        out.append(_label(EDGE / 2, y + SIDE / 2 + 4, PEOPLE(i)))
        for j, entry in enumerate(row):
            x = EDGE + j * side
            out.append(_box(x, y, side, *_face(entry, among, change=change)))
            if entry is None:
                down = f"M{x} {y}l{side} {SIDE}"
                out.append(f'<path class="cross" d="{down}M{x} {y + SIDE}l{side} -{SIDE}"/>')
            else:
                faint = ' class="nothing"' if change and entry == 0 else ""
                at = f'x="{x + side / 2:g}" y="{y + SIDE / 2 + 4:g}"'
                out.append(f"<text{faint} {at}>{texts[i][j]}</text>")
    said = f"{title}: {'; '.join(' '.join(row) for row in texts)}"
    return Markup(
        f'<svg class="grid" role="img" aria-label="{escape(said)}" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">{"".join(out)}</svg>'
    )


def _label(x: float, y: float, number: int) -> str:
    return f'<text class="label" x="{x:g}" y="{y:g}">{number}</text>'


def _box(x: float, y: float, side: int, kind: str, tone: float) -> str:
    opacity = f' fill-opacity="{tone:.2f}"' if tone else ""
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{side}" height="{SIDE}"{opacity}/>'


def _face(entry: float | str | None, among: Sequence[float], *, change: bool) -> tuple[str, float]:
    """The class of a cell, and how much of its colour: the greater the more."""
    if entry is None:
        return "unseen", 0
    if isinstance(entry, str):
        return {NEW: "new", GONE: "gone"}[entry], 0.5
    if change:
        return ("nothing", 0) if entry == 0 else (
            "up" if entry > 0 else "down", 0.2 + 0.5 * abs(entry) / max(among)
        )  # fmt: skip
    low, high = min(among), max(among)
    return "value", 0.3 if low == high else 0.06 + 0.6 * (entry - low) / (high - low)
