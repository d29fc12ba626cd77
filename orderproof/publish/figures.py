"""Figures written: PDF for LaTeX, SVG for the page; equal figures give equal bytes.

Needs matplotlib, of the extra `book`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

import matplotlib
from matplotlib.figure import Figure

SETTINGS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "path.simplify": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "orderproof",
}
NOISE = (  # of an SVG: a style that would be the whole page's, and what says nothing
    r"<metadata>.*?</metadata>", r"<defs> <style[^>]*>[^<]*</style> </defs>",
    r' version="1.1"', r' transform="rotate\(-0 [^"]*"',
    r"; stroke-linejoin: miter|; stroke-linecap: square",
)  # fmt: skip
Make = Callable[[], Figure]  # draws a figure under the settings above


def pdf(make: Make) -> bytes:
    """The figure as a page of its own size."""
    out = io.BytesIO()
    with _settings():
        nothing = dict.fromkeys(("Creator", "Producer", "CreationDate"))
        make().savefig(out, format="pdf", metadata=nothing)
    return out.getvalue()


def svg(make: Make, alt: str) -> str:
    """The figure as an element of a page, with a text for those who do not see it. What nothing
    refers to has no name, so none is there twice."""
    out = io.StringIO()
    with _settings():
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        make().savefig(out, format="svg", metadata=nothing)
    text = out.getvalue()
    text = re.sub(r"<!--.*?-->|\s*\n\s*", " ", text[text.index("<svg") :], flags=re.DOTALL)
    for noise in NOISE:
        text = re.sub(noise, "", text)
    used = {*re.findall(r'(?:href="|url\()#([\w-]+)', text)}
    text = re.sub(r' id="([\w-]+)"', lambda m: m[0] if m[1] in used else "", text)
    if "xlink:href" not in text:
        text = re.sub(r' xmlns:xlink="[^"]*"', "", text)
    text = re.sub(r">\s+(?=<|$)", ">", text)
    text = re.sub(r"<g>(<path [^>]*/>|<text [^>]*>[^<]*</text>)</g>", r"\1", text)
    return text.replace("<svg", f'<svg role="img" aria-label="{escape(alt)}"', 1)


@contextmanager
def _settings() -> Iterator[None]:
    """The defaults of matplotlib and the settings above, not what the reader has set."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        for key, value in SETTINGS.items():
            matplotlib.rcParams[key] = value
        yield
