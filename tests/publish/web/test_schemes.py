"""The pages of schemes: their signs are the table's, their witnesses the files'."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from orderproof.check.page import TheoremPage
from orderproof.check.schemes.table import Cell
from orderproof.publish.schemes import PositionChapter, chapter, file_of, sign
from orderproof.publish.web import pages as site_pages
from orderproof.publish.web.pages import files
from orderproof.publish.web.render import cell_url
from orderproof.replay_file import replay_file
from tests.check.schemes.test_table import cells as row_of
from tests.publish.web.checks import faults

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


def row_on_site(made: Mapping[str, str | bytes], c: Cell) -> str:
    """What stands about a cell on the page of its scheme."""
    page, _, name = cell_url(c).partition("#")
    (found,) = re.findall(rf'<tr id="{name}">.*?</tr>', str(made[page]), re.DOTALL)
    return str(found)


def test_the_sites_cells_are_the_tables(pages: Pages, found: PositionChapter) -> None:
    """A page would show another verdict, or another n, than the table that was computed."""
    made = files(pages, date=DATE, positions=found)
    assert faults(made) == []
    body = (
        str(made["schemes.html"]).partition('<table class="schemes">')[2].partition("</table>")[0]
    )
    shown = re.findall(r'<a href="(scheme/[^"]*#[^"]*)"[^>]*>([^<]*)</a>', body)
    assert shown == [(cell_url(c), sign(c)) for c in cells()]
    for c in cells():
        row = row_on_site(made, c)
        verdict = re.search(r'<td class="([\w-]+)">([^<]*)</td>', row)
        assert verdict is not None
        assert verdict.groups() == (c.verdict.replace(" ", "-"), sign(c))
        assert c.theorem in row
        assert (c.witness is None) == ("witnesses/" not in row)
    told = json.loads(str(made["theorems.json"]))["cells"]
    assert [(t["scheme"], t["symmetry"], t["verdict"]) for t in told] == [
        (c.scheme, c.symmetry, c.verdict) for c in cells()
    ]


def test_every_regime_and_reason_is_shown(pages: Pages, found: PositionChapter) -> None:
    """A ✓ would look unlimited that holds for some sizes alone, or would give no reason."""
    made = files(pages, date=DATE, positions=found)
    for c in cells():
        page = re.sub(r"<[^>]*>|_", "", row_on_site(made, c).replace("\u00a0", " "))
        plain = unescape(page)  # W_Q is set with a subscript
        assert c.told.replace("_", "") in plain and c.regime.replace("_", "") in plain


def test_what_is_not_settled_is_shown_as_such(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What nobody settled would look proved."""
    monkeypatch.setattr(site_pages, "find_spec", lambda name: None)
    given = cells(("alibi",))
    given[5] = replace(given[5], verdict="open", regime="", reason="not settled for all n")
    made = files(pages, date=DATE, positions=chapter(given))
    table = str(made["schemes.html"])
    assert '<td class="open">' in table and ">?</a>" in table
    row = row_on_site(made, given[5])
    assert '<td class="open">?</td>' in row and "not settled for all n" in row


def test_witnesses_are_written_and_replay(
    pages: Pages, found: PositionChapter, tmp_path: Path
) -> None:
    """A page would name a file that does not hold."""
    made = files(pages, date=DATE, positions=found)
    c = row_of("alibi")["shift"]
    path = tmp_path / "w.json"
    path.write_text(str(made[file_of(c)]))
    assert replay_file(path).ok
    assert f'href="../{file_of(c)}"' in row_on_site(made, c)


def test_without_matplotlib_the_page_on_depth_says_so(pages: Pages, found: PositionChapter) -> None:
    """The figure would be missing without a word."""
    made = files(pages, date=DATE, positions=found)
    assert "No picture: matplotlib is not installed" in str(made["depth.html"])
    assert "depth.svg" not in made


def test_a_site_without_the_table_has_no_link_to_it(pages: Pages) -> None:
    """The site that `prove` could write would lead to pages that are not there."""
    made = files(pages, date=DATE)
    assert "schemes.html" not in made and "schemes.html" not in str(made["index.html"])
