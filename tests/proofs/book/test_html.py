"""The book as a page: what is on it, that it loads nothing, and formulas it must reject."""

from __future__ import annotations

import base64
import io
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from orderproof.proofs.book import html as book_html
from orderproof.proofs.book.book import write_html
from orderproof.proofs.book.html import BadFormula, MissingGlyph
from orderproof.proofs.check.page import Formula, TheoremPage

DATE = "2026-11-21"
Pages = tuple[TheoremPage, ...]

needs_chromium = pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium")


def page_of(pages: Sequence[TheoremPage], folder: Path) -> str:
    """The text of book.html."""
    folder.mkdir(exist_ok=True)
    return write_html(pages, folder, date=DATE).read_text(encoding="utf-8")


def with_words(page: TheoremPage, text: str) -> TheoremPage:
    """The page with other words."""
    return replace(page, words=((text, (0,)), (text, ())))


def with_given(page: TheoremPage, latex: str) -> TheoremPage:
    """The page with another quantifier line."""
    return replace(page, given=Formula(latex, ""))


class Seen(HTMLParser):
    """Tags with their attributes, and whether every tag was closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the tag."""
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "wbr", "mspace"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """It must close the tag opened last."""
        if tag != "mspace":
            assert self.open.pop() == tag


def seen(text: str) -> Seen:
    """The page as a parser sees it."""
    parser = Seen()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    return parser


def test_the_page_runs_and_loads_nothing(pages: Pages, tmp_path: Path) -> None:
    """The page would run a script, or ask the network for a part of itself."""
    text = page_of(pages, tmp_path)
    tags = seen(text).tags
    assert not {t for t, _ in tags} & {"script", "link", "iframe", "img", "object", "base", "form"}
    loads = [a[k] for _, a in tags for k in ("src", "href", "action", "data") if k in a]
    assert loads and all(str(target).startswith("#") for target in loads)
    assert [k for _, a in tags for k in a if k.startswith("on")] == []
    assert re.findall(r"(?:url\(|@import)(.{0,17})", text) == ['"data:font/woff2;']
    assert "default-src 'none'" in text


def test_links_of_the_page_lead_somewhere(pages: Pages, tmp_path: Path) -> None:
    """A link to a theorem or a reference that is not on the page."""
    tags = seen(page_of(pages, tmp_path)).tags
    places = [str(a["id"]) for _, a in tags if "id" in a]
    assert len(places) == len(set(places))
    wanted = {str(a["href"]).removeprefix("#") for _, a in tags if "href" in a}
    assert wanted <= set(places)
    assert {"sum_act", "self_attention_equivariant", "ref-vaswani2017", "trust"} <= wanted


def test_the_font_on_the_page_is_whole(pages: Pages, tmp_path: Path) -> None:
    """Roots, brackets and italics would come from another font, or not at all."""
    data = re.search(r"base64,([A-Za-z0-9+/=]+)", page_of(pages, tmp_path))
    assert data is not None
    font = TTFont(io.BytesIO(base64.b64decode(data[1])))
    assert {ord(c) for c in "𝑍𝜎ℝ∑√⊤≠∀()𝟏"} <= set(font.getBestCmap())
    variants = font["MATH"].table.MathVariants
    stretched = set(variants.VertGlyphCoverage.glyphs)
    assert {font.getBestCmap()[ord(c)] for c in "([{√∑"} <= stretched


def test_words_cannot_become_markup(pages: Pages, tmp_path: Path) -> None:
    """Words from a file would run as a script in the reader's browser."""
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)>&amp;"
    broken = replace(
        with_words(pages[1], evil), title=evil, source=evil, neighbour=(Formula("x", ""), evil)
    )
    text = page_of([broken], tmp_path)
    assert {t for t, _ in seen(text).tags}.isdisjoint({"script", "img"})
    assert text.count("&lt;script&gt;alert(1)") >= 5
    assert "<script>" not in page_of(
        [with_given(pages[0], r"\text{<script>alert(1)</script>}")], tmp_path
    )


def test_every_formula_is_mathml(pages: Pages, tmp_path: Path) -> None:
    """A formula would stand on the page as LaTeX."""
    text = page_of(pages, tmp_path)
    assert text.count("<math") == text.count("</math>") > 100
    assert not re.search(r"\\[a-z]+", re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL))
    assert "<merror" not in text


@pytest.mark.parametrize(
    "latex", [r"\frac{1}{", r"\foo x", "a^b^c", r"\left( x", "a & b", "", r"\href{x}{y}"]
)
def test_an_ill_formed_formula_is_an_error(pages: Pages, tmp_path: Path, latex: str) -> None:
    """The page would show an error, or half a formula; the message names the formula, in a line."""
    with pytest.raises(BadFormula) as caught:
        write_html([with_given(pages[0], latex)], tmp_path, date=DATE)
    assert (repr(latex) if latex else "empty") in str(caught.value)
    assert "\n" not in str(caught.value) and "\x1b" not in str(caught.value)


def test_a_character_that_the_font_lacks_is_an_error(pages: Pages, tmp_path: Path) -> None:
    """It would be drawn from another font, or as a box."""
    with pytest.raises(MissingGlyph, match=r"U\+2AAE|U\+65E5"):
        write_html([with_given(pages[0], r"\text{日}")], tmp_path, date=DATE)


def test_an_unexpected_verdict_stands_out(pages: Pages, tmp_path: Path) -> None:
    """A theorem that stayed open would look like one that did not."""
    assert page_of(pages, tmp_path).count("expected: proved") >= 2
    assert page_of(pages[:2], tmp_path).count("expected: proved") == 0


def test_a_long_formula_may_end_a_line(pages: Pages, tmp_path: Path) -> None:
    """It would be cut at the edge of a phone; a short one needs no cut."""
    assert "<wbr>" in book_html._shown(r"X = a + b + c + d + e + f + g + h + i + j + k + l")
    assert "<wbr>" not in book_html._shown("X = a + b")


@pytest.mark.slow
@needs_chromium
def test_a_browser_draws_the_formulas(pages: Pages, tmp_path: Path) -> None:
    """Formulas without size, a font that is not used, or a page wider than a phone."""
    page_of(pages, tmp_path)
    (tmp_path / "probe.html").write_text(
        """<!DOCTYPE html><iframe src="book.html" width="390" height="800"></iframe><script>
        const frame = document.querySelector("iframe");
        frame.onload = () => frame.contentDocument.fonts.ready.then(() => {
          const page = frame.contentDocument;
          const boxes = [...page.querySelectorAll("math")].map(m => m.getBoundingClientRect());
          const root = page.querySelector("msqrt").getBoundingClientRect();
          document.body.textContent = JSON.stringify({
            formulas: boxes.length, flat: boxes.filter(b => !(b.width * b.height > 0)).length,
            font: [...page.fonts].map(f => f.status).join(), root: root.height > 10,
            wide: page.documentElement.scrollWidth - 390 });
        });</script>"""
    )
    command = [
        "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
        "--allow-file-access-from-files", "--virtual-time-budget=8000",
        f"--user-data-dir={tmp_path / 'profile'}", f"file://{tmp_path / 'probe.html'}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found = re.search(r"\{.*\}", done.stdout)
    assert found is not None, done.stdout
    assert '"flat":0,"font":"loaded","root":true' in found[0]
    count = re.search(r'"formulas":(\d+).*"wide":(-?\d+)', found[0])
    assert count is not None and int(count[1]) > 100 and int(count[2]) <= 0
