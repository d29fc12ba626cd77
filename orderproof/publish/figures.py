"""The pictures: ALiBi's bias before σ and after it, for a σ that it notices and for one that it
does not; and how far apart tokens are that differ in position alone, layer by layer.

PDF for the book, SVG for pages and README.md; equal bytes in every run. Every entry of the bias has
its number in it, so that the picture says the same in grey and to the colour-blind. What is drawn
is known without matplotlib, of the extra `book`, which draws it.

python -m orderproof.publish.figures docs/alibi.svg
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from orderproof.check.prove.results import write
from orderproof.numeric.by_layer import CONTENTS, KAPPA, LAYERS, POSITIONS, random_stack
from orderproof.symbolic.counting import PEOPLE, cycle_text
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES
from orderproof.symbolic.schemes.symmetries import SYMMETRIES, Sigma, holds_at

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BIAS, DEPTH = "alibi", "depth"  # names of figures
SCHEME, SIZE = "alibi", 6
SYMMETRIES_SHOWN = (("permutation", False), ("reversal", True))  # whether the scheme has it
TITLES = ("B[i, j]", "B[σ(i), σ(j)]", "difference")
UNIT = "in units of the slope"
LIGHT = 0.5  # of colours from 0 to 1 (ITU-R BT.601): darker ones have white numbers
COLOURS, POINTS = ("#d55e00", "#0072b2", "#009e73"), ("s", "o", "^")  # of Okabe and Ito
KEPT = Path(__file__).parent / "data" / "trained_depth.json"  # so that the book needs no weights

SETTINGS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 6.5,
    "path.simplify": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "orderproof",
}
UNSAID = {  # of a file: times, and versions of matplotlib
    "pdf": dict.fromkeys(("Creator", "Producer", "CreationDate")),
    "svg": dict.fromkeys(("Creator", "Date", "Format", "Type")),
}
Grid = npt.NDArray[np.int64]


class WrongPicture(ValueError):
    """A picture that shows a change where the symmetry holds, or none where it does not."""


@dataclass(frozen=True)
class Picture:
    """A caption, a text for those who do not see the picture, and what draws it."""

    caption: str
    alt: str
    draw: Callable[[], Figure]


def pictures() -> Mapping[str, Picture]:
    """The pictures by the names of their files."""
    return {BIAS: bias(), DEPTH: depth()}


def undrawn() -> str:
    """Why there will be no pictures, or nothing."""
    return "" if find_spec("matplotlib") else "matplotlib is not installed (orderproof[book])"


def files(ending: str) -> dict[str, bytes]:
    """The pictures by the names of their files, where matplotlib is installed: with the ending svg
    for a page, with pdf for LaTeX."""
    found = {} if undrawn() else pictures()
    return {f"{name}.{ending}": drawn(picture, ending) for name, picture in found.items()}


def drawn(picture: Picture, ending: str) -> bytes:
    """A picture as `pdf`, a page of its own size, or as `svg`: by the defaults of matplotlib and
    the settings above, not by what the reader has set."""
    from matplotlib import style

    out = io.BytesIO()
    with style.context(SETTINGS, after_reset=True):
        picture.draw().savefig(out, format=ending, metadata=UNSAID[ending])
    return out.getvalue()


# ------------------------------------------------------------------ a bias before and after σ
@dataclass(frozen=True)
class Strip:
    """A bias for one σ of one symmetry: (n, n) entries."""

    symmetry: str
    sigma: Sigma
    before: Grid

    @property
    def grids(self) -> tuple[Grid, Grid, Grid]:
        """The entries, those at σ(i), σ(j), and the difference."""
        after = self.before[np.ix_(self.sigma, self.sigma)]
        return self.before, after, after - self.before

    @property
    def changed(self) -> int:
        """How many entries change."""
        return int(np.count_nonzero(self.grids[2]))

    @property
    def caption(self) -> str:
        """σ, what it is, and what it changes."""
        total = self.before.size
        count = f"{self.changed} of {total} entries change" if self.changed else "no entry changes"
        return f"σ = {cycle_text(self.sigma)}, {SYMMETRIES[self.symmetry].says}: {count}"


def strips() -> tuple[Strip, ...]:
    """A σ that the scheme notices, and one that it does not; WrongPicture where there is none, or
    the entries do not say so."""
    s, found = POSITION_SCHEMES[SCHEME], []
    f, spots = s.frame(SIZE), [s.spot(i, SIZE) for i in range(SIZE)]
    if s.pair is None or s.value is None:
        raise WrongPicture(f"{SCHEME}: given no bias, expected one")
    before = np.array([[s.value(s.pair(a, b, f)) for b in spots] for a in spots])
    for name, holds in SYMMETRIES_SHOWN:
        y = SYMMETRIES[name]
        among = (g for g in y.generators(s, SIZE) if holds_at(s, y, SIZE, g) == holds)
        sigma = next(among, None)
        if sigma is None or (Strip(name, tuple(sigma), before).changed == 0) != holds:
            raise WrongPicture(f"{SCHEME}, n = {SIZE}: no σ for which {name} is {holds}")
        found.append(Strip(name, tuple(sigma), before))
    return tuple(found)


@cache
def bias() -> Picture:
    """The strips, and in words every entry of them."""
    said = [caption := f"{TITLES[0]} for n = {SIZE}: the bias, {UNIT}."]
    for strip in (shown := strips()):
        rows = (
            f"{title}: {'; '.join(' '.join(map(_number, row)) for row in grid)}"
            for title, grid in zip(TITLES, strip.grids, strict=True)
        )
        said.append(f"{strip.caption}. {'. '.join(rows)}.")
    return Picture(caption, " ".join(said), partial(draw_bias, shown))


def _number(entry: np.int64) -> str:
    return str(entry).replace("-", "−")


def draw_bias(shown: Sequence[Strip]) -> Figure:
    """All strips, one below the other; of entries the greater the lighter, of changes the darker,
    up and down apart, and white where nothing changes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.7, 4.3))
    parts = figure.subfigures(len(shown), squeeze=False).flat
    for part, strip in zip(parts, shown, strict=True):
        part.suptitle(strip.caption, fontsize=7.5, x=0.01, ha="left")
        place = {"left": 0.07, "right": 0.99, "bottom": 0.1, "top": 0.76, "wspace": 0.25}
        every = part.subplots(1, 3, gridspec_kw=place)
        for axes, title, grid in zip(every, TITLES, strip.grids, strict=True):
            most = max(1, abs(grid).max())
            colours = ("PuOr", -1.4 * most, 1.4 * most)
            if title != TITLES[2]:
                colours = ("cividis", grid.min() - 1, grid.max())
            mesh = axes.pcolormesh(
                grid, cmap=colours[0], vmin=colours[1], vmax=colours[2],
                edgecolors="#8a8a8a", linewidth=0.4, clip_on=False,
            )  # fmt: skip
            for (i, j), entry in np.ndenumerate(grid):
                dark = light(mesh.to_rgba(entry)) < LIGHT
                axes.text(j + 0.5, i + 0.5, _number(entry), ha="center", va="center_baseline",
                          color="white" if dark else "black")  # fmt: skip
            axes.set_title(title, fontsize=7.5)
            places = [PEOPLE(k) for k in range(SIZE)]
            axes.set_xticks(np.arange(SIZE) + 0.5, places)
            axes.set_yticks(np.arange(SIZE) + 0.5, places)
            axes.tick_params(length=0, labeltop=True, labelbottom=False)
            axes.set(aspect="equal", ylim=(SIZE, 0), frame_on=False)
        every[0].set_ylabel("query i")
        every[0].set_xlabel(f"key j; entries {UNIT}")
    return figure


def light(colour: Sequence[float]) -> float:
    """How light a colour is, from 0 to 1: red, green and blue."""
    return float(np.dot(colour[:3], (0.299, 0.587, 0.114)))


# ------------------------------------------------------------------------- distances layer by layer
@dataclass(frozen=True)
class Curve:
    """One stack of layers, and the distance at its input and after each layer; it ends where
    float64 no longer tells the tokens apart."""

    name: str
    layers: int  # that the stack has
    distances: tuple[float, ...]


@cache
def depth() -> Picture:
    """The curves of two random stacks, which are computed, and of the trained encoder, of which the
    numbers are kept, with the hash of the weights that they were measured on."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    trained, words = tuple(kept["apart"]), ", ".join(kept["words"])
    curves = (
        Curve("random weights, without skips", LAYERS, tuple(random_stack(0.0))),
        Curve("random weights, with skips", LAYERS, tuple(random_stack(1.0))),
        Curve(f"trained encoder {kept['model']}", len(trained) - 1, trained),
    )
    caption = (
        f"The largest distance of two tokens with the same content and other positions, layer by "
        f"layer. The input is a grid, {CONTENTS} contents at each of {POSITIONS} positions, at "
        f"once. Random weights: one head a layer without mask, bias or norm, X ↦ Att(X), with a "
        f"skip X + Att(X), scaled to "
        f"κ = {KAPPA:g} at the input; {LAYERS} layers. The trained encoder {kept['model']} has the "
        f"words {words} for contents, and {len(trained) - 1} layers, with their norms, of which "
        f"the theorems say nothing. A curve "
        f"ends early where float64 tells the tokens no longer apart."
    )
    told = [caption]
    for c in curves:
        first, *later = c.distances
        told.append(f"{c.name}: {first:.2g}, and {later[-1]:.2g} after {len(later)} layers.")
    return Picture(caption, " ".join(told), partial(draw_depth, curves))


def draw_depth(curves: Sequence[Curve]) -> Figure:
    """All curves on one scale; they differ in colour and in the shape of their points."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, NullLocator

    figure = Figure(figsize=(5.9, 2.6), layout="constrained")
    axes = figure.add_subplot()
    axes.set_yscale("log")
    for curve, colour, point in zip(curves, COLOURS, POINTS, strict=True):
        axes.plot(curve.distances, color=colour, marker=point, linewidth=1, markersize=2.8,
                  label=curve.name)  # fmt: skip
        if (ended := len(curve.distances)) <= curve.layers:
            text = f"equal after layer {ended}, as far as float64 tells"
            axes.text(ended - 0.6, curve.distances[-1], text, va="center")
    axes.set_xticks(range(0, max(curve.layers for curve in curves) + 1, 6))
    axes.set_xlabel("after layer")
    axes.set_ylabel("largest distance\nof two tokens")
    axes.yaxis.set_major_locator(LogLocator(numticks=6))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter("{x:g}")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    return figure


if __name__ == "__main__":
    write(Path(sys.argv[1]), drawn(bias(), "svg"))
