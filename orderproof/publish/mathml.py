"""Formulas as MathML, by math-core, in characters that the site's own math font has."""

from __future__ import annotations

import base64
import html
import re
import unicodedata
from functools import cache
from pathlib import Path

from markupsafe import Markup

from .line_breaks import groups, letters

FONT = Path(__file__).parent / "web" / "fonts" / "orderproof-math.woff2"
LONG = 20  # letters: a formula longer than this may break over lines
NARROW = 20  # letters: a piece that is wider may be wider than a telephone, and is scrolled there

_WBR = Markup("<wbr>")


class BadFormula(ValueError):
    """A formula that math-core does not read."""


class MissingGlyph(ValueError):
    """A character of a formula that is not in the site's math font."""


@cache
def _glyphs() -> frozenset[int]:
    from fontTools.ttLib import TTFont  # of the extra, as math_core

    with TTFont(FONT) as font:
        return frozenset(font.getBestCmap())


def font_data() -> str:
    """The math font in base64, for a style sheet: browsers load no font file beside a page that
    is opened from a folder."""
    return base64.b64encode(FONT.read_bytes()).decode()


@cache
def inline(latex: str) -> Markup:
    """A formula as inline MathML in display style."""
    from math_core import LatexError, LatexToMathML

    converter = LatexToMathML(fancy_error=False)
    try:
        if not latex.strip():
            raise BadFormula("an empty formula")
        spaced = re.sub(r"(?<=\\\\)\[\d+pt\]", "", latex)  # the space of rows is TeX's matter
        text = converter.convert_with_local_state(spaced, displaystyle=True)
    except LatexError as error:
        raise BadFormula(f"{latex!r}: {' '.join(str(error).split())}") from None
    for c in html.unescape(re.sub(r"<[^>]*>", "", text)):
        if ord(c) not in _glyphs() and unicodedata.category(c) not in ("Cf", "Mn"):
            raise MissingGlyph(f"the math font has no {c!r} (U+{ord(c):04X}), in {latex!r}")
    return Markup(text.replace('<math display="block">', '<math displaystyle="true">', 1))


@cache
def shown(latex: str) -> Markup:
    """A formula; a long one in pieces: a line ends after a comma, or else at another piece."""
    inline(latex)  # an error names the whole formula
    if words := re.fullmatch(r"\\text\{([^{}\\]*)\}", latex.strip()):
        return Markup('<span class="formula">{}</span>').format(words[1])
    if letters(latex) <= LONG:
        return Markup('<span class="formula">{}</span>').format(inline(latex))
    cut = groups(latex)
    # Empty groups: an operator at an end of a piece keeps the space it has within a line.
    found = [
        [inline(f"{'{}' * (n + k > 0)}{piece}{{}}") for k, piece in enumerate(g)]
        for n, g in enumerate(cut)
    ]
    joined = [Markup('<span class="group">{}</span>').format(_WBR.join(g)) for g in found]
    whole = _WBR.join(joined) if len(found) > 1 else _WBR.join(found[0])
    if max(letters(piece) for g in cut for piece in g) <= NARROW:
        return Markup('<span class="formula">{}</span>').format(whole)
    return Markup(
        '<span class="formula wide" tabindex="0" role="group" aria-label="Formula">{}</span>'
    ).format(whole)


def within(latex: str) -> Markup:
    """A formula in a line of words; a long one may break over lines as one that is displayed."""
    if letters(latex) <= LONG:
        return inline(latex)
    return Markup(shown(latex).replace(' class="formula"', "", 1))
