"""The book as one HTML page: MathML by math-core, a math font inlined, no script."""

from __future__ import annotations

import base64
import html
import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

from fontTools.ttLib import TTFont
from markupsafe import Markup, escape
from math_core import LatexError, LatexToMathML

from orderproof.proofs.check.page import Formula

from .latex import IDENTIFIER, environment
from .latex_text import SUBSCRIPT, UNDER, curly, groups, width

FONT = Path(__file__).parent / "fonts" / "orderproof-math.woff2"
LONG = 22  # letters: a formula longer than this may break over lines

_WBR = Markup("<wbr>")


class BadFormula(ValueError):
    """A formula that math-core does not read."""


class MissingGlyph(ValueError):
    """A character of a formula that is not in the inlined font."""


@cache
def _glyphs() -> frozenset[int]:
    with TTFont(FONT) as font:
        return frozenset(font.getBestCmap())


@cache
def _mathml(latex: str) -> Markup:
    """A formula as inline MathML in display style."""
    converter = LatexToMathML(fancy_error=False)
    try:
        if not latex.strip():
            raise BadFormula("an empty formula")
        text = converter.convert_with_local_state(latex, displaystyle=True)
    except LatexError as error:
        raise BadFormula(f"{latex!r}: {' '.join(str(error).split())}") from None
    for c in html.unescape(re.sub(r"<[^>]*>", "", text)):
        if ord(c) not in _glyphs() and unicodedata.category(c) not in ("Cf", "Mn"):
            raise MissingGlyph(f"the math font has no {c!r} (U+{ord(c):04X}), in {latex!r}")
    return Markup(text.replace('<math display="block">', '<math displaystyle="true">', 1))


def _shown(latex: str) -> Markup:
    """A formula; a long one in pieces: a line ends after a comma, or else at another piece."""
    _mathml(latex)  # an error names the whole formula
    if width(latex) <= LONG:
        return Markup('<span class="formula">{}</span>').format(_mathml(latex))
    # Empty groups: an operator at an end of a piece keeps the space it has within a line.
    found = [
        [_mathml(f"{'{}' * (n + k > 0)}{piece}{{}}") for k, piece in enumerate(g)]
        for n, g in enumerate(groups(latex))
    ]
    if len(found) == 1:
        return Markup('<span class="formula">{}</span>').format(_WBR.join(found[0]))
    joined = (Markup('<span class="group">{}</span>').format(_WBR.join(g)) for g in found)
    return Markup('<span class="formula">{}</span>').format(_WBR.join(joined))


def render(context: dict[str, Any]) -> str:
    """The whole of book.html."""
    numbers = {name: n for n, name in enumerate(context["titles"], 1)}

    def words(value: object) -> Markup:
        """An id as it is; in words, P_σ with its subscript and a theorem by its number."""
        if isinstance(value, Markup):
            return value
        return escape(value) if value in numbers else cited(str(value))

    def plain(text: str) -> Markup:
        under = re.sub(UNDER, r"\1<sub>\2</sub>", str(escape(curly(text))))
        return Markup(re.sub(SUBSCRIPT, r"\1<sub>\2</sub>", under))

    def cited(text: str) -> Markup:
        return Markup(re.sub(IDENTIFIER, link, plain(text)))

    def link(found: re.Match[str]) -> str:
        name = found[0]
        return f'<a href="#{name}">theorem {numbers[name]}</a>' if name in numbers else name

    templates = environment(
        words,
        math=lambda f: _shown(f.latex),
        equal=lambda f: _shown(f"= {f.latex}"),  # a line of a derivation
        plain=plain,  # the words of a tool, in which an id is no citation
        reason=lambda parts: Markup("").join(
            _mathml(p.latex) if isinstance(p, Formula) else cited(p) for p in parts
        ),
        by_number=lambda keys: sorted(keys, key=context["numbers"].__getitem__),
    )
    font = base64.b64encode(FONT.read_bytes()).decode()
    return templates.get_template("book.html.jinja").render(context, font=font)
