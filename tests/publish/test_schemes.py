"""Position schemes: the book prints the table's cells, and its counterexamples replay."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from orderproof.check.page import TheoremPage
from orderproof.check.prove import run
from orderproof.check.prove.results import OutputError
from orderproof.check.schemes.table import Cell, summary, table
from orderproof.command_line import cli
from orderproof.publish import book, chapters, figures, schemes, site
from orderproof.publish.bibliography import references
from orderproof.publish.book import write_sources
from orderproof.publish.chapters import Text
from orderproof.publish.model import Citation, Link, Paragraph, Table
from orderproof.publish.pdf import TOOLS, TypesettingFailed, build_pdf
from orderproof.publish.schemes import PositionChapter, chapter, citation, file_of, sign
from orderproof.publish.to_text import text, words
from orderproof.replay_file import replay_file
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES
from orderproof.symbolic.schemes.symmetries import SYMMETRIES
from tests.check.schemes.test_table import cells as row_of

pytestmark = pytest.mark.xdist_group("table")  # one process computes it, for all tests of it
DATE = "2026-11-21"
FEW = ("none", "sinusoidal", "alibi", "causal", "documents")
Pages = tuple[TheoremPage, ...]

SCHEMES = (
    Text(
        "schemes",
        "Schemes",
        "All of them.",
        source="{scheme_about}\n\n{scheme_table}\n\n{scheme_notes}\n\n{bias_picture}\n\n"
        "{depth_figure}\n",
    ),
)

needs_tex = pytest.mark.needs(*TOOLS)


def cells_of(name: str) -> tuple[Cell, ...]:
    """A row of the table."""
    return tuple(row_of(name).values())


def cells(names: Sequence[str] = FEW) -> list[Cell]:
    """The rows of some schemes."""
    return [c for name in names for c in cells_of(name)]


def tex_of(pages: Pages, found: PositionChapter, folder: Path) -> str:
    """The text of book.tex."""
    folder.mkdir(exist_ok=True)
    files = write_sources(pages, folder, date=DATE, positions=found, chapters=SCHEMES)
    return files[0].read_text(encoding="utf-8")


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """A book without its pictures: they take the most of its time."""
    monkeypatch.setattr(figures, "find_spec", lambda name: None)


def typeset_table(tex: str) -> dict[str, list[str]]:
    """The signs of the table in the LaTeX, by scheme."""
    found = {}
    signs = {r"$\checkmark$": "✓", r"$\times$": "✗", "--": "–"}
    for line in tex.splitlines():
        named = re.match(r"([a-z][\w-]*)[^&]* & (.*) \\\\$", line)
        if named and named[2].count("&") == len(SYMMETRIES) - 1:
            entries = named[2].split(" & ")
            for typeset, plain in signs.items():
                entries = [e.replace(typeset, plain) for e in entries]
            found[named[1]] = entries
    return found


# ------------------------------------------------------------------------------------ the table
@pytest.mark.usefixtures("undrawn")
def test_the_tables_cells_are_the_books(pages: Pages, tmp_path: Path) -> None:
    """The book would show another verdict, or another n, than the table that was computed."""
    found, expected = chapter(cells()), {n: [sign(c) for c in cells_of(n)] for n in FEW}
    assert typeset_table(tex_of(pages, found, tmp_path)) == expected
    assert expected["alibi"] == ["✗3", "✗3", "✗3", "✗3", "✗3", "✓", "✓", "✓", "✗4"]
    assert expected["none"] == ["✓", "✓", "✓", "✓", "✓", "✓", "–", "–", "✓"]
    row = rf"alibi +{' +'.join(expected['alibi'])}"
    assert re.search(row, text(schemes.overview(found)))
    assert re.search(row, CliRunner().invoke(cli, ["table", "--scheme", "alibi"]).output)


@pytest.mark.usefixtures("undrawn")
def test_an_open_cell_is_shown_as_open(pages: Pages, tmp_path: Path) -> None:
    """What nobody settled would be printed as proved, or as refuted, or end as success."""
    given = cells(("alibi",))
    given[5] = replace(given[5], verdict="open", regime="", reason="not settled for all n")
    given[8] = replace(given[8], verdict="open", regime="", reason="no candidate", witness=None)
    found = chapter(given)
    expected = ["✗3", "✗3", "✗3", "✗3", "✗3", "?", "✓", "✓", "?"]
    tex = tex_of(pages, found, tmp_path)
    assert typeset_table(tex)["alibi"] == expected


def test_every_regime_has_its_note() -> None:
    """A ✓ would look unlimited that holds for some sizes alone."""
    found = chapter(cells())
    assert found.usual == "all n, all d and all weights"
    told = {(note.scheme, s) for note in found.notes for names, _ in note.regimes
            for s in names.split(", ")}  # fmt: skip
    unusual = {(c.scheme, c.symmetry) for c in cells()
               if c.verdict == "proved" and c.regime != found.usual}  # fmt: skip
    assert unusual <= told and ("documents", "blocks") in unusual
    numbered = [(s.name, s.note) for s in found.schemes if s.note]
    assert numbered == [(note.scheme, k) for k, note in enumerate(found.notes, 1)]


def test_a_cell_leads_to_why_it_is_so() -> None:
    """A cell of the table would lead to another cell, to none, or be told without its reason; a
    scheme cite another paper, or cells be counted that are not there."""
    found = chapter(cells())
    (overview, signs, _), anchors = schemes.overview(found), set[str]()
    assert isinstance(signs, Paragraph) and words(signs.words).endswith(summary(cells()))
    for s in found.schemes:
        (of_scheme,) = (b for b in schemes.page(s) if isinstance(b, Table))
        anchors |= {f"{schemes.page_file(s)}#{x}" for x in of_scheme.anchors}
        for c, (symmetry, verdict, _, file, why) in zip(s.cells, of_scheme.rows, strict=True):
            assert (words(symmetry), words(verdict), words(why)) == (c.symmetry, sign(c), c.told)
            assert bool(file) == (c.witness is not None)
        source = Citation((citation(POSITION_SCHEMES[s.name].paper),))
        assert any(source in b.words for b in schemes.page(s) if isinstance(b, Paragraph))
    assert isinstance(overview, Table)
    linked = [x for row in overview.rows for cell in row[1:] for x in cell]
    assert [x.address for x in linked if isinstance(x, Link)] == [
        f"scheme/{c.scheme}.html#{c.symmetry}" for c in cells()
    ]
    assert {x.address for x in linked if isinstance(x, Link)} == anchors


def test_notes_are_numbered_as_in_the_table() -> None:
    """A raised number would lead to the note of another scheme."""
    found = chapter(cells())
    overview, *_ = schemes.overview(found)
    assert isinstance(overview, Table)
    named = {words(row[0]) for row in overview.rows}
    told = [words(b.words) for b in schemes.notes(found) if isinstance(b, Paragraph)]
    assert told[0].startswith("¹ none: blocks: all n = m·2")
    for note in told:
        number, name = re.match(r"([⁰-⁹¹²³]+) ([\w-]+)", note).groups()  # type: ignore[union-attr]
        assert name + number in named


def test_sources_are_references() -> None:
    """A scheme's paper would not be among the references."""
    for s in POSITION_SCHEMES.values():
        assert citation(s.paper) in references(), s.paper
        assert references()[citation(s.paper)].fields["year"] in s.paper
    assert citation("Romero and Cordonnier 2021") == "romero2021"
    with pytest.raises(ValueError, match="no author and year"):
        citation("folklore")


# ------------------------------------------------------------------------------------- the book
def test_the_picture_is_drawn(pages: Pages, tmp_path: Path) -> None:
    """The book would be made without its picture."""
    tex = tex_of(pages, chapter(cells(("none",))), tmp_path)
    drawn = {p.name for p in (tmp_path / "figures").iterdir()}
    assert drawn == {"alibi.pdf", "depth.pdf"}
    assert r"figures/alibi" in tex and "No picture" not in tex


@pytest.mark.usefixtures("undrawn")
def test_counterexamples_are_written_and_replay(pages: Pages, tmp_path: Path) -> None:
    """A counterexample of the table would have no file, or one that does not hold."""
    tex_of(pages, chapter(cells(("alibi", "causal"))), tmp_path)
    written = {f"witnesses/{p.name}" for p in (tmp_path / "witnesses").iterdir()}
    assert written == {file_of(c) for c in cells(("alibi", "causal")) if c.witness}
    for name in sorted(written)[:3]:
        assert replay_file(tmp_path / name).ok


@pytest.mark.usefixtures("undrawn")
def test_without_matplotlib_the_book_says_so(
    pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pictures would be missing without a word, or the book not be made."""
    found = chapter(cells(("alibi",)))
    tex = tex_of(pages, found, tmp_path)
    assert r"\textbf{No picture:} matplotlib is not installed" in tex
    assert r"\includegraphics{figures" not in tex and not (tmp_path / "figures").exists()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert build_pdf(tmp_path, date=DATE) is None
    assert book.skipped() == [
        "Pictures: skipped, matplotlib is not installed (orderproof[book])",
        "PDF: skipped, pdflatex and bibtex and makeindex and latexmk not installed",
    ]


class Work(BaseException):
    """Work was begun."""


@pytest.mark.usefixtures("undrawn")
def test_what_is_missing_is_said_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who waited for all theorems would read then that there will be no site, or no PDF."""

    def begun(*given: object, **more: object) -> None:
        raise Work

    def made() -> None:
        cli.main(["book", "--out", str(out), "--no-cache"], standalone_mode=False)

    out = tmp_path / "out"
    monkeypatch.setattr(run, "prove", begun)
    monkeypatch.setattr(site, "find_spec", lambda name: name)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Work):
        made()
    assert capsys.readouterr().out.splitlines() == book.skipped() and len(book.skipped()) == 2
    (out / "site").mkdir()
    (out / "site" / "a file").touch()
    with pytest.raises(OutputError, match=r"given one without theorems\.json"):
        made()
    shutil.rmtree(out)
    monkeypatch.setattr(site, "find_spec", lambda name: None if name != "fontTools" else name)
    with pytest.raises(site.SiteError) as error:
        made()
    said = "the site: brotli and math-core not installed, expected the extra: pip install "
    assert str(error.value) == f"{said}'orderproof[book]'" and not out.exists()


@pytest.mark.usefixtures("undrawn")
def test_a_book_without_the_chapter_says_so(pages: Pages, tmp_path: Path) -> None:
    """The sources that `prove` writes would pass for the whole book."""
    (tex, _) = write_sources(pages, tmp_path, date=DATE, chapters=SCHEMES)
    assert "orderproof book adds them" in tex.read_text(encoding="utf-8")
    assert "orderproof book adds them" not in tex_of(pages, chapter(cells(("none",))), tmp_path)


@pytest.mark.usefixtures("undrawn")
def test_the_command_prints_the_chapter(
    pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`orderproof book` would make a book without it, or call an open cell a success."""
    given = cells(("none",))
    monkeypatch.setattr(run, "prove", lambda *given, **more: (pages[:1], {}))
    monkeypatch.setattr(chapters, "texts", lambda: SCHEMES)
    monkeypatch.setattr("orderproof.check.schemes.table.table", lambda **more: given)
    monkeypatch.setenv("PATH", str(tmp_path))
    command = ["book", "--out", str(tmp_path), "--jobs", "1"]
    done = CliRunner().invoke(cli, command)
    assert done.exit_code == 0 and "Site: " in done.output
    assert (tmp_path / "site" / "scheme" / "none.html").exists()
    given[0] = replace(given[0], verdict="open")
    assert CliRunner().invoke(cli, command).exit_code == 3


@needs_tex
@pytest.mark.slow
def test_the_chapter_is_typeset(pages: Pages, tmp_path: Path) -> None:
    """TeX fails on the chapter, a line is too long, or two runs make two books; build_pdf refuses
    the first two."""
    found = chapter(cells(("sinusoidal", "prefix", "documents")))
    made = []
    for name in "ab":
        tex_of(pages, found, tmp_path / name)
        result = build_pdf(tmp_path / name, date=DATE)
        assert result is not None
        made.append(result.read_bytes())
    assert made[0] == made[1]


@needs_tex
@pytest.mark.slow
def test_a_picture_that_is_not_there_is_noticed(pages: Pages, tmp_path: Path) -> None:
    """The book would be typeset without one of its pictures."""
    tex_of(pages, chapter(cells(("alibi",))), tmp_path)
    (tmp_path / "figures" / "alibi.pdf").unlink()
    with pytest.raises(TypesettingFailed, match=r"alibi\.pdf"):
        build_pdf(tmp_path, date=DATE)


@pytest.mark.slow
@needs_tex
def test_the_whole_chapter(pages: Pages, tmp_path: Path) -> None:
    """A scheme that the tests above leave out would not be typeset; the table takes more than its
    page."""
    found = chapter(table(jobs=2))
    assert [s.name for s in found.schemes] == [*POSITION_SCHEMES]
    assert all(len(s.cells) == len(SYMMETRIES) for s in found.schemes)
    assert len(typeset_table(tex_of(pages, found, tmp_path))) == len(POSITION_SCHEMES)
    assert build_pdf(tmp_path, date=DATE) is not None
