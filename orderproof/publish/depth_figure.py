"""The figure of position after the first layer, drawn: a curve for each stack of layers, which
differ in colour and in the shape of their points. Needs matplotlib, of the extra `book`.
"""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from .depth_section import DepthSection

WIDE, HIGH = 5.9, 2.6  # inches
COLOURS, POINTS = ("#d55e00", "#0072b2", "#009e73"), ("s", "o", "^")  # of Okabe and Ito


def figure(section: DepthSection) -> Figure:
    """All curves, on one scale."""
    found = Figure(figsize=(WIDE, HIGH))
    axes = found.add_axes((0.105, 0.15, 0.88, 0.73))
    axes.set_yscale("log")
    for curve, colour, point in zip(section.curves, COLOURS, POINTS, strict=True):
        axes.plot(
            range(len(curve.distances)), curve.distances, color=colour, marker=point, linewidth=1,
            markersize=2.8, label=curve.name, clip_on=False,  # a clip has a name
        )  # fmt: skip
        if (ended := len(curve.distances)) <= curve.layers:
            text = f"equal after layer {ended}, as far as float64 tells"
            axes.text(ended - 0.6, curve.distances[-1], text, fontsize=6.3, va="center")
    depth = max(curve.layers for curve in section.curves)
    axes.set_xlim(-0.03 * depth, depth * 1.03)
    axes.set_xticks(range(0, depth + 1, 6))
    axes.set_xlabel("after layer", fontsize=7, labelpad=1.5)
    axes.set_ylabel("largest distance\nof two tokens", fontsize=7, labelpad=2)
    axes.yaxis.set_major_locator(LogLocator(numticks=6))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axes.tick_params(labelsize=6.5, length=2.5, width=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    found.legend(loc="upper center", ncols=3, fontsize=6.3, frameon=False, borderaxespad=0.3)
    return found
