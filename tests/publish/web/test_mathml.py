"""Formulas as MathML: what is refused, where lines end, and that the font is whole."""

from __future__ import annotations

import base64
import io

import pytest
from fontTools.ttLib import TTFont

from orderproof.publish.mathml import BadFormula, MissingGlyph, font_data, inline, shown, within


@pytest.mark.parametrize(
    "latex", [r"\frac{1}{", r"\foo x", "a^b^c", r"\left( x", "a & b", "", r"\href{x}{y}"]
)
def test_an_ill_formed_formula_is_an_error(latex: str) -> None:
    """The page would show an error, or half a formula; the message names the formula, in a line."""
    with pytest.raises(BadFormula) as caught:
        shown(latex)
    assert (repr(latex) if latex else "empty") in str(caught.value)
    assert "\n" not in str(caught.value) and "\x1b" not in str(caught.value)


def test_the_font_is_whole() -> None:
    """Roots, brackets and italics would come from another font, or not at all; and a character that
    is not in it from another one, or be drawn as a box."""
    font = TTFont(io.BytesIO(base64.b64decode(font_data())))
    assert {ord(c) for c in "𝑍𝜎ℝ∑√⊤≠∀()𝟏"} <= set(font.getBestCmap())
    stretched = set(font["MATH"].table.MathVariants.VertGlyphCoverage.glyphs)
    assert {font.getBestCmap()[ord(c)] for c in "([{√∑"} <= stretched
    with pytest.raises(MissingGlyph, match=r"U\+65E5"):
        inline(r"\text{日}")


SUM, PRODUCT = (sign.join("abcdefghijklmno") for sign in (" + ", r" \cdot "))


@pytest.mark.parametrize(
    ("latex", "broken", "scrolled"),
    [
        ("X = a + b", False, False),
        (SUM, True, False),
        (rf"X = \frac{{{PRODUCT}}}{{2}} + 1", True, True),
    ],
)
def test_a_long_formula_fits_a_telephone(latex: str, broken: bool, scrolled: bool) -> None:
    """It would be cut at the edge, or the page be wider; and all could be reached by keyboard."""
    for printed in (shown(latex), within(latex)):
        assert ("<wbr>" in printed) == broken
        assert ('class="formula wide" tabindex="0"' in printed) == scrolled
    assert 'class="formula' in shown(latex) and ("formula" in within(latex)) == scrolled
    assert broken or within(latex) == inline(latex)


def test_what_is_no_formula_is_left_as_it_is() -> None:
    """A matrix would have "[3pt]" among its entries; a sentence beside formulas be cut at the edge
    of a telephone."""
    assert inline(r"\begin{pmatrix} 1 \\[3pt] 2 \end{pmatrix}") == inline(
        r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}"
    )
    words = "an index counts from 0"
    assert shown(rf"\text{{{words}}}") == f'<span class="formula">{words}</span>'
    assert "<math" in shown(r"\text{an index} = 0")
