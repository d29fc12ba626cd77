"""The figure of position after the first layer, drawn: a panel for each stack of layers.

Position and content differ in colour and in the shape of their points; what κ allows is dashed.
Needs matplotlib, of the extra `book`.
"""

from __future__ import annotations

import math
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from orderproof.numeric.spread_by_layer import Kind

from . import figures
from .spread_section import NAMES, Panel, SpreadSection

WIDE, HIGH = 5.9, 4.3  # inches
COLOURS, POINTS = ("#0072b2", "#d55e00"), ("o", "s")  # of Okabe and Ito: apart to all eyes
FREE: dict[str, Any] = {"clip_on": False}  # nothing is drawn outside, and a clip has a name
BOUND = "what κ allows, from the layer's input"
QUIET, DASHED = "#444444", (0, (3, 2))


def pdf(section: SpreadSection) -> bytes:
    """The figure as a page of its own size."""
    return figures.pdf(lambda: figure(section))


def svg(section: SpreadSection) -> str:
    """The figure as an element of a page."""
    return figures.svg(lambda: figure(section), section.alt)


def figure(section: SpreadSection) -> Figure:
    """All panels; those of a row have one scale."""
    found = Figure(figsize=(WIDE, HIGH))
    rows, columns = len(section.panels), len(section.panels[0])
    grid = found.add_gridspec(
        rows, columns, left=0.105, right=0.985, top=0.82, bottom=0.085, hspace=0.75, wspace=0.12
    )
    for down, panels in enumerate(section.panels):
        low, high = limits(panels)
        for across, panel in enumerate(panels):
            axes = found.add_subplot(grid[down, across])
            axes.set_yscale("log")
            axes.set_ylim(low, high)
            _panel(axes, panel, first=across == 0)
        top = axes.get_position().y1
        found.text(0.105, top + 0.085, _heading(panels[0]), fontsize=8, fontweight="bold")
    found.legend(
        handles=[
            *(
                Line2D([], [], color=c, marker=p, markersize=3.5, linewidth=1.2, label=name)
                for c, p, name in zip(COLOURS, POINTS, NAMES, strict=True)
            ),
            Line2D([], [], color=QUIET, linestyle=DASHED, linewidth=0.9, label=BOUND),
        ],
        loc="upper center", ncols=3, fontsize=6.3, frameon=False, handlelength=2.2,
        columnspacing=1.1, borderaxespad=0.3,
    )  # fmt: skip
    return found


def limits(panels: tuple[Panel, ...]) -> tuple[float, float]:
    """The ends of a row's scale: all that is measured, and the most that κ allows."""
    kinds = [k for p in panels for x in p.layers for k in x.kinds]
    return min(k.measured for k in kinds) / 8, max(k.most for k in kinds) * 40


def _heading(panel: Panel) -> str:
    return f"{panel.weights[0].upper()}{panel.weights[1:]}, {panel.depth} layers"


def _panel(axes: Axes, panel: Panel, *, first: bool) -> None:
    """One stack: two curves, each with its bounds, and the area between them where neither is 0."""
    numbers = [x.number for x in panel.layers]
    both = zip(*(x.kinds for x in panel.layers), strict=True)
    fine = panel.depth > 12
    for kinds, colour, point in zip(both, COLOURS, POINTS, strict=True):
        curve: tuple[Kind, ...] = kinds
        axes.plot(
            numbers, [k.measured for k in curve], color=colour, marker=point, linewidth=1,
            markersize=1.8 if fine else 2.8, zorder=3, **FREE,
        )  # fmt: skip
        most, least = [k.most for k in curve[1:]], [k.least for k in curve[1:]]
        for ends in (most, [k or math.nan for k in least]):
            axes.plot(
                numbers[1:], ends, color=colour, linestyle=DASHED, linewidth=0.8, zorder=2, **FREE
            )
        axes.fill_between(
            numbers[1:], least, most, where=[k > 0 for k in least], color=colour, alpha=0.16,
            linewidth=0, zorder=1, **FREE,
        )  # fmt: skip
    if numbers[-1] < panel.depth:
        axes.text(
            0.99, 0.96, f"equal after layer {numbers[-1] + 1},\nas far as float64 tells",
            transform=axes.transAxes, fontsize=6.3, ha="right", va="top", color=QUIET,
        )  # fmt: skip
    axes.set_title(panel.title, fontsize=7.5, pad=13)
    axes.text(
        0.5, 1.03, _range(panel.kappas), transform=axes.transAxes, fontsize=6.3, ha="center",
        color=QUIET,
    )  # fmt: skip
    axes.set_xlim(-0.03 * panel.depth, panel.depth * 1.03)
    axes.set_xticks(range(0, panel.depth + 1, 6 if fine else 1))
    axes.set_xlabel("after layer", fontsize=7, labelpad=1.5)
    axes.yaxis.set_major_locator(LogLocator(numticks=6))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: _power(v)))
    axes.tick_params(labelsize=6.5, length=2.5, width=0.6, labelleft=first)
    low, high = axes.get_ylim()
    for y in (t for t in axes.yaxis.get_majorticklocs() if low <= t <= high):
        axes.axhline(float(y), color="#dddddd", linewidth=0.5, zorder=0, **FREE)
    axes.spines[["top", "right"]].set_visible(False)
    if first:
        axes.set_ylabel("largest distance\nof two tokens", fontsize=7, labelpad=2)


def _range(kappas: tuple[float, float]) -> str:
    """Between which numbers κ is, in a stack."""
    low, high = (_number(k) for k in kappas)
    return f"κ between {low} and {high}"


def _power(value: float) -> str:
    """10⁻⁶ for 1e-6; 1 and 10 as they are."""
    exponent = round(math.log10(value))
    if exponent in (0, 1):
        return str(10**exponent)
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _number(value: float) -> str:
    """κ to two digits, or to one of what is near 0: 0.49, 980, 2·10⁻⁴."""
    if value >= 0.01:
        return f"{value:.2g}" if value < 100 else f"{float(f'{value:.2g}'):.0f}"
    first, _, exponent = f"{value:.0e}".partition("e")
    return f"{first}·{_power(10.0 ** int(exponent))}" if value > 0 else "0"
