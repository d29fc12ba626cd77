"""The pages of schemes and cells: their signs are the table's, their witnesses the files'."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from orderproof.proofs.book.position_chapter import PositionChapter, chapter, file_of, sign
from orderproof.proofs.check.page import TheoremPage
from orderproof.proofs.schemes.table import Cell
from orderproof.proofs.web import grids
from orderproof.proofs.web import pages as site_pages
from orderproof.proofs.web.cells import values_of
from orderproof.proofs.web.pages import files
from orderproof.proofs.web.render import cell_url
from orderproof.symbolic.witness.replay_file import replay_file
from tests.proofs.schemes.test_table import cells as row_of
from tests.proofs.web.checks import faults, seen

pytestmark = pytest.mark.xdist_group("table")  # one process computes it, for all tests of it
DATE = "2026-11-21"
FEW = ("none", "sinusoidal", "alibi", "causal", "documents")
Pages = tuple[TheoremPage, ...]


def cells(names: Sequence[str] = FEW) -> list[Cell]:
    """The rows of some schemes."""
    return [c for name in names for c in row_of(name).values()]


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> PositionChapter:
    """The chapter of a few schemes, without the figure on depth, which takes the most time."""
    monkeypatch.setattr(site_pages, "find_spec", lambda name: None)
    return chapter(cells())


def test_the_sites_cells_are_the_tables(pages: Pages, found: PositionChapter) -> None:
    """A page would show another verdict, or another n, than the table that was computed."""
    made = files(pages, date=DATE, positions=found)
    assert faults(made) == []
    body = (
        str(made["schemes.html"]).partition('<table class="schemes">')[2].partition("</table>")[0]
    )
    shown = re.findall(r'<a href="(cell/[^"]*)"[^>]*>([^<]*)</a>', body)
    assert shown == [(cell_url(c), sign(c)) for c in cells()]
    for c in cells():
        page = str(made[cell_url(c)])
        verdict = re.search(r'<p class="cell-verdict [\w-]+">(\S+) <strong>([\w ]+)</strong>', page)
        assert verdict is not None and verdict.groups() == (sign(c), c.verdict)
        assert c.every_n is None or c.every_n.theorem in page
        assert (c.witness is None) == ('<h2 id="witness">' not in page)
    told = json.loads(str(made["theorems.json"]))["cells"]
    assert [(t["scheme"], t["symmetry"], t["verdict"]) for t in told] == [
        (c.scheme, c.symmetry, c.verdict) for c in cells()
    ]


def test_every_regime_and_reason_is_shown(pages: Pages, found: PositionChapter) -> None:
    """A ✓ would look unlimited that holds for some sizes alone, or would give no reason."""
    made = files(pages, date=DATE, positions=found)
    for c in cells():
        page = re.sub(r"<[^>]*>|_", "", str(made[cell_url(c)]).replace("\u00a0", " "))
        plain = unescape(page)  # W_Q is set with a subscript
        assert c.told.replace("_", "") in plain and c.regime.replace("_", "") in plain


def test_what_is_not_settled_is_shown_as_such(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What nobody settled would look proved, or a refutation at a few n like one for every n."""
    monkeypatch.setattr(site_pages, "find_spec", lambda name: None)
    given = cells(("alibi",))
    given[0] = replace(given[0], every_n=None)
    given[5] = replace(given[5], verdict="open", regime="", reason="not settled for all n")
    made = files(pages, date=DATE, positions=chapter(given))
    table = str(made["schemes.html"])
    assert ">✗3…</a>" in table and '<td class="open">' in table and ">?</a>" in table
    page = str(made[cell_url(given[5])])
    assert "<strong>open</strong>" in page and "not settled for all n" in page


def test_witnesses_are_written_and_replay(
    pages: Pages, found: PositionChapter, tmp_path: Path
) -> None:
    """A page would name a file that does not hold."""
    made = files(pages, date=DATE, positions=found)
    c = row_of("alibi")["shift"]
    path = tmp_path / "w.json"
    path.write_text(str(made[file_of(c)]))
    assert replay_file(path).ok
    assert f'href="../{file_of(c)}"' in str(made[cell_url(c)])


def test_the_values_of_a_witness_are_the_files() -> None:
    """The table of a witness would show other numbers than its file."""
    c = row_of("alibi")["context-2"]
    assert c.witness is not None
    values = values_of(c)
    assert values is not None
    (x,) = (v for name, v in values.values if name.latex == "X")
    entries = [str(e) for row in c.witness.x for e in row]
    assert re.findall(r"-?\d+", x.latex) == re.findall(r"-?\d+", " ".join(entries))
    assert len([n for n, _ in values.values if n.latex.startswith("W_")]) == 3 * c.witness.depth


def test_a_picture_is_of_its_cell(found: PositionChapter) -> None:
    """The page of a symmetry would show what another one changes."""
    portrait = next(s.picture for s in found.schemes if s.name == "alibi")
    for name in ("shift", "reversal"):
        (strip,) = grids.of_cell(row_of("alibi")[name], portrait).strips
        assert strip.symmetry == name
        assert (strip.changed == 0) == (row_of("alibi")[name].verdict == "proved")
    assert grids.of_cell(row_of("alibi")["context-2"], portrait) is portrait


def test_a_picture_says_its_numbers(found: PositionChapter) -> None:
    """One who cannot see it, or its colours, would not know what it shows."""
    for s in found.schemes:
        for drawn, strip in zip(grids.drawn(s.picture), s.picture.strips, strict=True):
            assert strip.caption in drawn.caption
            for grid, entries in zip(
                drawn.grids, (strip.before, strip.after, strip.difference), strict=True
            ):
                (svg,) = (a for tag, a in seen(grid).tags if tag == "svg")
                said = str(svg["aria-label"]).partition(": ")[2]
                assert len(re.split("; | ", said)) == sum(map(len, entries))
                crossed = grid.count('class="cross"')
                assert crossed == sum(e is None for row in entries for e in row)


def test_without_matplotlib_the_page_on_depth_says_so(pages: Pages, found: PositionChapter) -> None:
    """The figure would be missing without a word."""
    made = files(pages, date=DATE, positions=found)
    assert "No picture: matplotlib is not installed" in str(made["depth.html"])
    assert "depth.svg" not in made


def test_a_site_without_the_table_has_no_link_to_it(pages: Pages) -> None:
    """The site that `prove` could write would lead to pages that are not there."""
    made = files(pages, date=DATE)
    assert "schemes.html" not in made and "schemes.html" not in str(made["index.html"])
