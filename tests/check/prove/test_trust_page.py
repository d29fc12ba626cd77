"""The trust page: docs/trust.md is that of the claims, and the book's says the same."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from orderproof.check.page import TheoremPage
from orderproof.check.prove import trust_decided, trust_page
from orderproof.check.prove.trust import MARKS, SHARED, joins
from orderproof.proofs import catalogue
from orderproof.publish.book import write_sources
from orderproof.publish.chapters import Text
from orderproof.publish.latex_text import words
from tests.judged import loaded

PAGE = Path(__file__).parents[3] / "docs/trust.md"


def stale(text: str) -> str:
    """The page with one count changed."""
    row = next(line for line in text.splitlines() if line.startswith("| [qkv_equivariant]"))
    return text.replace(row, row.replace("| 5 ", "| 4 ", 1))


@cache
def made() -> str:
    """The page that the claims give."""
    return trust_page.markdown(map(loaded, catalogue.IDS))


def generated(text: str) -> str:
    """A file with the page that the claims give."""
    return trust_page.replaced(text, made())


def test_the_file_has_the_page_of_the_claims() -> None:
    """The page would promise marks that no claim carries; `make readme` was forgotten."""
    text = PAGE.read_text(encoding="utf-8")
    assert generated(text) == text
    assert stale(text) != text
    assert generated(stale(text)) != stale(text)


def test_the_page_is_rewritten_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`make readme` would leave a stale page, or touch what stands around it."""
    monkeypatch.setattr(catalogue, "load", loaded)
    text = PAGE.read_text(encoding="utf-8")
    (tmp_path / "trust.md").write_text(stale(text), encoding="utf-8")
    trust_page.main(tmp_path / "trust.md")
    assert (tmp_path / "trust.md").read_text(encoding="utf-8") == text


@pytest.mark.parametrize("lost", [trust_page.BEGIN, trust_page.END])
def test_a_file_without_the_marker_lines_is_refused(lost: str) -> None:
    """The page would be put at the end of a file, or swallow the rest of it."""
    with pytest.raises(ValueError, match="expected the lines"):
        trust_page.replaced(PAGE.read_text(encoding="utf-8").replace(lost, ""), "")


def test_each_mark_of_a_claim_is_counted_and_explained() -> None:
    """A mark would be left out of the table, or be there without what it asks a reader to
    believe."""
    theorems = [loaded(name) for name in catalogue.IDS]
    text = made()
    table = [[c.strip() for c in line.split("|")[1:-1]] for line in text.splitlines()]
    (head,) = (row for row in table if row[:2] == ["theorem", "claims"])
    for theorem in theorems:
        (row,) = (r for r in table if r and r[0].startswith(f"[{theorem.id}]"))
        told = dict(zip(head[1:], row[1:], strict=True))
        for mark in {m for c in theorem.claims for m in c.declared()}:
            headlines = len(theorem.headlines) if mark == "rocq" else 0
            assert told[mark] == str(sum(mark in c.declared() for c in theorem.claims) + headlines)
            (explained,) = (m for m in MARKS if m.name == mark)
            assert f"| {mark} | {explained.says} | {explained.believe} |" in text
        carried = {m for c in theorem.claims for m in c.declared()}
        assert sum(x != "" for x in row[2:]) == len(
            carried | ({"rocq"} if theorem.headlines else set())
        )


def test_the_book_explains_the_marks_in_the_same_words(
    pages: tuple[TheoremPage, ...], tmp_path: Path
) -> None:
    """The book would ask a reader to believe less than the trust page does."""
    appendix = Text("evidence", source="{trust}\n\n{in_common}")
    written = write_sources(pages, tmp_path, date="2026-11-21", chapters=(appendix,))
    tex = written[0].read_text(encoding="utf-8")
    for mark in MARKS:
        for text in (mark.says, mark.believe):
            assert words(text) in tex
    assert SHARED in made()
    for text in (SHARED, joins()):
        assert all(words(part) in tex for part in re.split(r"[a-z_/]+\.py", text))


def test_what_a_decided_model_rests_on_is_said_in_the_same_words(
    pages: tuple[TheoremPage, ...], tmp_path: Path
) -> None:
    """The trust page, the site and the book would ask a reader to believe different things of a
    decided model."""
    pytest.importorskip("math_core", reason="orderproof[book]")
    from orderproof.publish.site import files
    from orderproof.publish.to_html import plain

    appendix = Text("evidence", source="{trust_decided}")
    written = write_sources(pages, tmp_path, date="2026-11-21", chapters=(appendix,))
    tex = written[0].read_text(encoding="utf-8")
    site = files(pages, date="2026-11-21")["trust.html"]
    text = PAGE.read_text(encoding="utf-8")
    said = [trust_decided.ABOUT]
    said += [x for part in trust_decided.DECIDED for x in (part.says, part.believe)]
    for x in said:
        assert x in text
        assert words(x) in tex
        assert plain(x) in str(site)
    assert f"## {trust_decided.TITLE}" in text
    dropped = text.replace(trust_decided.DECIDED[1].believe, "Nothing.")
    assert generated(dropped) == text != dropped
