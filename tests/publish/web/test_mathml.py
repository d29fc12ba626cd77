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


def test_a_character_that_the_font_lacks_is_an_error() -> None:
    """It would be drawn from another font, or as a box."""
    assert inline("X").startswith("<math")
    with pytest.raises(MissingGlyph, match=r"U\+2AAE|U\+65E5"):
        inline(r"\text{日}")


def test_the_font_is_whole() -> None:
    """Roots, brackets and italics would come from another font, or not at all."""
    font = TTFont(io.BytesIO(base64.b64decode(font_data())))
    assert {ord(c) for c in "𝑍𝜎ℝ∑√⊤≠∀()𝟏"} <= set(font.getBestCmap())
    stretched = set(font["MATH"].table.MathVariants.VertGlyphCoverage.glyphs)
    assert {font.getBestCmap()[ord(c)] for c in "([{√∑"} <= stretched


def test_a_long_formula_may_end_a_line() -> None:
    """It would be cut at the edge of a telephone; a short one needs no cut."""
    long = r"X = a + b + c + d + e + f + g + h + i + j + k + l"
    assert "<wbr>" in shown(long) and "<wbr>" in within(long)
    assert "<wbr>" not in shown("X = a + b") and within("X = a + b") == inline("X = a + b")
    assert 'class="formula"' in shown(long) and "formula" not in within(long)


def test_the_space_between_rows_is_left_to_the_browser() -> None:
    """A matrix would have "[3pt]" among its entries."""
    assert inline(r"\begin{pmatrix} 1 \\[3pt] 2 \end{pmatrix}") == inline(
        r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}"
    )


def test_words_break_as_words_do() -> None:
    """A sentence beside formulas would be cut at the edge of a telephone."""
    assert shown(r"\text{an index counts from 0}") == (
        '<span class="formula">an index counts from 0</span>'
    )
    assert "<math" in shown(r"\text{an index} = 0")


def test_a_piece_that_is_wide_is_scrolled() -> None:
    """The whole page would be wider than a telephone; and all could be reached by keyboard."""
    long = " \\cdot ".join("abcdefghijklmno")
    assert 'class="formula wide" tabindex="0"' in shown(rf"X = \frac{{{long}}}{{2}} + 1")
    assert "tabindex" not in shown(" + ".join("abcdefghijklmno"))
