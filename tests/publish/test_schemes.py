"""Position schemes: the book prints the table's cells, and its counterexamples replay."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from orderproof.check.page import TheoremPage
from orderproof.check.prove import run
from orderproof.check.prove.results import OutputError
from orderproof.check.schemes.table import Cell, summary, table
from orderproof.command_line import cli
from orderproof.publish import chapters, figures, schemes, site
from orderproof.publish.bibliography import references
from orderproof.publish.book import write_sources
from orderproof.publish.chapters import Text
from orderproof.publish.model import Citation, Paragraph, Table
from orderproof.publish.pdf import TOOLS, build_pdf
from orderproof.publish.schemes import PositionChapter, SchemePage, chapter, citation, file_of, sign
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


def cells(*names: str) -> list[Cell]:
    """The rows of some schemes."""
    return [c for name in names or FEW for c in row_of(name).values()]


def tex_of(pages: Pages, found: PositionChapter, folder: Path) -> str:
    """The text of book.tex."""
    folder.mkdir(exist_ok=True)
    files = write_sources(pages, folder, date=DATE, positions=found, chapters=SCHEMES)
    return files[0].read_text(encoding="utf-8")


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """A book without its pictures: they take the most of its time."""
    monkeypatch.setattr(figures, "find_spec", lambda name: None)


def signs(found: PositionChapter) -> dict[str, list[str]]:
    """The signs of the table by what stands before a row: a scheme, and the number of its note."""
    overview, *_ = schemes.overview(found)
    assert isinstance(overview, Table)
    return {words(row[0]): [words(cell) for cell in row[1:]] for row in overview.rows}


# ------------------------------------------------------------------------------------ the table
@pytest.mark.usefixtures("undrawn")
def test_the_tables_cells_are_the_books(pages: Pages, tmp_path: Path) -> None:
    """The book would show another verdict, or another n, than the table that was computed; what
    nobody settled would be printed as proved, or as refuted; cells be counted that are not; a
    counterexample have no file, or one that does not hold; or pictures be missing without a word.
    """
    given = cells()
    k = next(k for k, c in enumerate(given) if c.scheme == "alibi") + 5
    given[k] = replace(given[k], verdict="open", regime="", reason="not settled for all n")
    found = chapter(given)
    row = ["✗3", "✗3", "✗3", "✗3", "✗3", "?", "✓", "✓", "✗4"]
    assert signs(found)["alibi"] == row
    assert signs(found)["none¹"] == ["✓", "✓", "✓", "✓", "✓", "✓", "–", "–", "✓"]
    assert [sign(c) for c in given] == [x for row in signs(found).values() for x in row]
    tex = tex_of(pages, found, tmp_path)
    assert r"alibi & $\times$3 & $\times$3 & $\times$3 & $\times$3 & $\times$3 & ? & " in tex
    assert r"\textbf{No picture:} matplotlib is not installed" in tex
    assert r"\includegraphics{figures" not in tex and not (tmp_path / "figures").exists()
    assert summary(given) in " ".join(text(schemes.overview(found)).split())
    assert re.search(rf"alibi +{' +'.join(row)}".replace("?", "✓"),
                     CliRunner().invoke(cli, ["table", "--scheme", "alibi"]).output)  # fmt: skip
    written = sorted(f"witnesses/{p.name}" for p in (tmp_path / "witnesses").iterdir())
    assert written == sorted(file_of(c) for c in given if c.witness)
    assert all(replay_file(tmp_path / name).ok for name in written[:3])


def test_every_regime_has_its_note() -> None:
    """A ✓ would look unlimited that holds for some sizes alone, or its number lead to the note of
    another scheme."""
    found = chapter(cells())
    assert found.usual == "all n, all d and all weights"
    told = {(page.name, s) for page in found.schemes for names, _ in page.regimes
            for s in names.split(", ")}  # fmt: skip
    unusual = {(c.scheme, c.symmetry) for c in cells()
               if c.verdict == "proved" and c.regime != found.usual}  # fmt: skip
    assert unusual <= told and ("documents", "blocks") in unusual
    said = [words(b.words).split(": ")[0] for b in schemes.notes(found) if isinstance(b, Paragraph)]
    raised = [f"{name}{number}" for number, name in (x.split(" ")[:2] for x in said)]
    assert raised == [name for name in signs(found) if name not in FEW]
    assert text(schemes.notes(found)).startswith("¹ none: blocks: all n = m·2")


def test_sources_are_references() -> None:
    """A scheme's paper would not be among the references, or its page cite another."""
    for s in POSITION_SCHEMES.values():
        assert citation(s.paper) in references(), s.paper
        assert references()[citation(s.paper)].fields["year"] in s.paper
        cited = Citation((citation(s.paper),))
        page = schemes.page(SchemePage(s.name, ()))
        assert any(cited in b.words for b in page if isinstance(b, Paragraph))
    assert citation("Romero and Cordonnier 2021") == "romero2021"
    with pytest.raises(ValueError, match="no author and year"):
        citation("folklore")


# ------------------------------------------------------------------------------------- the book
def test_the_picture_is_drawn(pages: Pages, tmp_path: Path) -> None:
    """The book would be made without its picture."""
    tex = tex_of(pages, chapter(cells("none")), tmp_path)
    drawn = {p.name for p in (tmp_path / "figures").iterdir()}
    assert drawn == {"alibi.pdf", "depth.pdf"}
    assert r"figures/alibi" in tex and "No picture" not in tex


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
    assert capsys.readouterr().out.splitlines() == [
        "Pictures: skipped, matplotlib is not installed (orderproof[book])",
        "PDF: skipped, pdflatex and bibtex and makeindex and latexmk not installed",
    ]
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
def test_the_command_prints_the_chapter(
    pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`orderproof book` would make a book without it, or call an open cell a success."""
    given = cells("none")
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


@pytest.mark.slow
@needs_tex
def test_the_whole_chapter(pages: Pages, tmp_path: Path) -> None:
    """A scheme that the tests above leave out would not be typeset; the table takes more than its
    page."""
    found = chapter(table(jobs=2))
    assert [s.name for s in found.schemes] == [*POSITION_SCHEMES]
    assert all(len(s.cells) == len(SYMMETRIES) for s in found.schemes)
    tex = tex_of(pages, found, tmp_path)
    assert [name for name in POSITION_SCHEMES if not re.search(rf"\n{name}[^&]* & ", tex)] == []
    assert build_pdf(tmp_path, date=DATE) is not None
