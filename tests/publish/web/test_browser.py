"""The site in a browser that is installed: nothing on the console, no strange glyph, no sideways
scroll on a telephone, nothing that axe objects to. Each check sees a planted fault."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from orderproof.check.page import TheoremPage
from orderproof.check.prove.unchecked import unchecked
from orderproof.proofs import catalogue
from orderproof.publish.schemes import chapter
from orderproof.publish.site import files, publish, write_site
from tests.check.schemes.test_table import cells as row_of
from tests.publish.web import checks

pytestmark = [
    pytest.mark.needs(checks.BROWSERS),
    pytest.mark.xdist_group("table"),
]
DATE = "2026-11-21"
FEW = ("none", "sinusoidal", "alibi", "causal", "documents")
LOOKED_AT = (
    "index.html", "schemes.html", "sentences.html", "trust.html", "references.html",
    "scheme/sinusoidal.html", "scheme/alibi.html", "chapter/four_questions.html",
    "chapter/self_attention.html", "chapter/position_and_depth.html",
    "theorem/self_attention_equivariant.html",
    "theorem/additive_position_iff.html", "theorem/not_equivariant_of_learned_position.html",
    "theorem/attention_is_colour_refinement.html",
)  # fmt: skip
DARK = ("index.html", "schemes.html", "trust.html", "chapter/self_attention.html", LOOKED_AT[-4])
Check = Callable[[Any, Path], object]


def planted(folder: Path, text: str) -> Path:
    """The front page of a site with a fault before its end."""
    page = folder / "planted.html"
    whole = (folder / "index.html").read_text(encoding="utf-8")
    page.write_text(whole.replace("</main>", f"{text}</main>"), encoding="utf-8")
    return page


@pytest.fixture(scope="module")
def started() -> Iterator[Any]:
    """One browser for all tests here."""
    with checks.browser() as found:
        yield found


@pytest.fixture
def small(pages: tuple[TheoremPage, ...], tmp_path: Path) -> Path:
    """A site of three theorems."""
    return write_site(pages, tmp_path, date=DATE).parent


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the catalogue, its marks declared and not made, and of a few schemes."""
    made = [unchecked(catalogue.load(name)) for name in catalogue.IDS]
    found = chapter([c for name in FEW for c in row_of(name).values()])
    told = files(made, date=DATE, positions=found)
    folder = publish(tmp_path_factory.mktemp("site") / "site", told)
    assert checks.faults(told) == []
    return folder


@pytest.mark.slow
def test_a_page_works_in_a_browser(started: Any, small: Path) -> None:
    """The page of a theorem would be broken where readers open it."""
    page = small / "theorem" / "sum_act.html"
    assert checks.console(started, page) == []
    assert checks.sideways(started, page) <= 0
    assert checks.strange_glyphs(started, page) == set()
    assert checks.barriers(started, page) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("check", "text"),
    [
        (checks.console, '<img src="nothing.png" alt="x">'),
        (checks.console, "<script>1</script>"),
        (checks.sideways, '<p style="width: 500px">x</p>'),
        (checks.strange_glyphs, "<math><mi>日</mi></math>"),
        (checks.strange_glyphs, "<math><mi>☃</mi></math>"),
        (checks.strange_glyphs, '<math style="font-family: sans-serif"><mi>x</mi></math>'),
        (checks.barriers, '<img src="style.css">'),
        (checks.barriers, '<details><summary>x</summary><img src="style.css"></details>'),
        (checks.barriers, '<p style="color: #bbb; background: #fff">faint words</p>'),
        (checks.hidden_on_paper, '<div class="chain" style="display: none">x</div>'),
    ],
)
def test_a_fault_is_noticed(started: Any, small: Path, check: Check, text: str) -> None:
    """The checks here would pass what they are there to find."""
    assert not check(started, small / "index.html") or check is checks.sideways
    found = check(started, planted(small, text))
    assert found > 0 if isinstance(found, int) else found


@pytest.mark.slow
@pytest.mark.parametrize("name", LOOKED_AT)
def test_pages_are_clean(started: Any, whole: Path, name: str) -> None:
    """A kind of page would be broken, unreadable in the dark, or closed to a screen reader."""
    page = whole / name
    assert checks.console(started, page) == []
    assert checks.barriers(started, page) == []
    assert name not in DARK or checks.barriers(started, page, "dark") == []
    assert checks.hidden_on_paper(started, page) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", LOOKED_AT[-4:])
def test_formulas_are_drawn_in_the_sites_font(started: Any, whole: Path, name: str) -> None:
    """A reader without a math font would see boxes, or brackets that do not grow."""
    assert checks.strange_glyphs(started, whole / name) == set()


@pytest.mark.slow
def test_no_page_is_wider_than_a_telephone(started: Any, whole: Path) -> None:
    """A reader would scroll sideways, line by line."""
    over = {p.name: checks.sideways(started, p) for p in whole.rglob("*.html")}
    assert {name: pixels for name, pixels in over.items() if pixels > 0} == {}


@pytest.mark.slow
def test_the_site_does_not_depend_on_where_it_is(started: Any, small: Path, tmp_path: Path) -> None:
    """It would work below one address, and not below another."""
    moved = tmp_path / "a folder" / "of someone"
    shutil.copytree(small, moved)
    shutil.rmtree(small)
    assert checks.console(started, moved / "theorem" / "sum_act.html") == []
    assert checks.strange_glyphs(started, moved / "theorem" / "sum_act.html") == set()
