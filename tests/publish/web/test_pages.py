"""The files of a site of three theorems: what is in them, and what they must not be made of."""

from __future__ import annotations

import hashlib
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path
from types import MappingProxyType

import pytest

from orderproof.check.page import Formula, Section, Table, TheoremPage
from orderproof.check.prove.trust import MARKS, SHARED
from orderproof.publish.bibliography import UnknownCitation
from orderproof.publish.latex_text import curly
from orderproof.publish.web.front import BadDate
from orderproof.publish.web.pages import BadPage, files
from orderproof.publish.web.site import write_site
from tests.publish.web.checks import faults, seen

DATE = "2026-11-21"
Pages = tuple[TheoremPage, ...]


@cache
def made(*pages: TheoremPage) -> Mapping[str, str]:
    """The files of a site that are text."""
    found = files(pages, date=DATE).items()
    return MappingProxyType({n: t for n, t in found if isinstance(t, str)})


def site(pages: Sequence[TheoremPage]) -> Mapping[str, str]:
    """The same, made once."""
    return made(*pages)


def page_of(page: TheoremPage, *others: TheoremPage) -> str:
    """The page of one theorem in a site."""
    return site([page, *others])[f"theorem/{page.id}.html"]


def with_seconds(page: TheoremPage, seconds: float) -> TheoremPage:
    """The page whose marks took another time."""
    claims = tuple(
        replace(c, marks=tuple(replace(m, seconds=seconds) for m in c.marks)) for c in page.claims
    )
    return replace(page, claims=claims)


# ------------------------------------------------------------------------------------ the whole
def test_every_page_is_sound(pages: Pages) -> None:
    """A tag not closed, an id twice, a link that leads nowhere or elsewhere, or a script."""
    found = files(pages, date=DATE)
    assert faults(found) == []
    assert {"index.html", "trust.html", "theorems.json", "style.css"} <= set(found)
    assert {f"theorem/{p.id}.{kind}" for p in pages for kind in ("html", "json")} <= set(found)


@pytest.mark.parametrize(
    ("planted", "said"),
    [
        ('<a href="nowhere.html">x</a>', "no file nowhere.html"),
        ('<a href="trust.html#nothing">x</a>', "no place trust.html#nothing"),
        ('<a href="#nothing">x</a>', "no place #nothing"),
        ('<a href="https://example.org/">x</a>', "https://example.org/ is not of the site"),
        ('<img src="//example.org/x.png" alt="x">', "//example.org/x.png is not of the site"),
        ('<p id="main">x</p>', "id main twice"),
        ("<p><em>x</p>", "p not closed"),
        ("<script>1</script>", "a script, in script"),
        ('<p onclick="x()">x</p>', "a script, in p"),
    ],
)
def test_a_fault_of_a_page_is_noticed(pages: Pages, planted: str, said: str) -> None:
    """The check above would pass what it is there to find."""
    found = files(pages[:1], date=DATE)
    found["index.html"] = str(found["index.html"]).replace("</main>", f"{planted}</main>")
    assert any(f.endswith(said) for f in faults(found)), faults(found)
    del found["theorem/sum_act.html"]
    assert "index.html: no file theorem/sum_act.html" in faults(found)


def test_equal_pages_give_equal_bytes(pages: Pages) -> None:
    """Two runs would make two sites; how long a mark took must not show."""
    two = files(pages[:2], date=DATE)
    assert two == files([with_seconds(p, 99.0) for p in pages[:2]], date=DATE)
    assert two != files(pages[:1], date=DATE)


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_the_order_of_sets(pages: Pages) -> None:
    """Strings are hashed otherwise in every process."""
    script = (
        "import hashlib, pickle, sys\n"
        "from orderproof.publish.web.pages import files\n"
        "made = files(pickle.loads(sys.stdin.buffer.read()), date='2026-11-21')\n"
        "print(hashlib.sha256(repr(made).encode()).hexdigest())\n"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script], input=pickle.dumps(pages), capture_output=True,
            check=True, env={"PYTHONHASHSEED": seed}, cwd=Path(__file__).parents[3],
        ).stdout
        for seed in "12"
    }  # fmt: skip
    assert len(found) == 1 and len(found.pop().strip()) == hashlib.sha256().digest_size * 2


# --------------------------------------------------------------------------------- what is refused
def test_bad_pages_are_errors(pages: Pages) -> None:
    """A name that is no file's, two of one name, an empty chain, a ragged table, a mark that is
    not explained, a source that is not in the references."""
    lemma, main, _ = pages
    ragged = Table(("a", "b"), (("1", "2"), ("3",)))
    other = replace(lemma.claims[0].marks[0], mark="trustme")
    for broken, why in (
        ([replace(lemma, id="../x")], "theorem id"),
        ([lemma, lemma], "theorem id 'sum_act'"),
        ([replace(lemma, sections=(Section("none", ()),))], "a section without lines"),
        ([replace(main, examples=(replace(main.examples[0], parts=(ragged,)),))], "1 cells under"),
        ([replace(lemma, claims=(replace(lemma.claims[0], marks=(other,)),))], "marks: trustme"),
    ):
        with pytest.raises(BadPage, match=why):
            files(broken, date=DATE)
    with pytest.raises(UnknownCitation, match="nobody1999"):
        files([replace(main, citations=("nobody1999",))], date=DATE)


@pytest.mark.parametrize("date", ["", "yesterday", "2026-13-01"])
def test_a_bad_date_is_an_error(pages: Pages, date: str) -> None:
    """Every page would bear a date that is none."""
    with pytest.raises(BadDate, match="expected year-month-day"):
        files(pages, date=date)


def test_nothing_is_written_of_a_bad_page(pages: Pages, tmp_path: Path) -> None:
    """Half a site, or the old one gone."""
    before = write_site(pages, tmp_path, date=DATE).read_bytes()
    with pytest.raises(BadPage):
        write_site([pages[0], pages[0]], tmp_path, date=DATE)
    assert (tmp_path / "site" / "index.html").read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["site"]


# ----------------------------------------------------------------------------------- what is shown
def test_words_cannot_become_markup(pages: Pages) -> None:
    """Words from a file would run as a script in the reader's browser."""
    evil = '<script>alert(1)</script><img src=x onerror=alert(2)>&amp;"'
    broken = replace(
        pages[1], words=((evil, (0,)), (evil, ())), title=evil, source=evil,
        neighbour=(Formula("x", ""), evil),
    )  # fmt: skip
    for name, text in site([broken, replace(pages[0], uses=())]).items():
        if name.endswith(".html"):
            tags = seen(text).tags
            assert {t for t, _ in tags}.isdisjoint({"script", "img"})
            assert not [a for _, found in tags for a in found if a.startswith("on")]
    assert page_of(broken).count("&lt;script&gt;alert(1)") >= 5
    latex = r"\text{<script>alert(1)</script>}"
    assert "<script>" not in page_of(replace(pages[0], given=Formula(latex, "")))


def test_every_formula_is_mathml(pages: Pages) -> None:
    """A formula would stand on a page as LaTeX."""
    text = "".join(t for n, t in site(pages).items() if n.endswith(".html"))
    assert text.count("<math") == text.count("</math>") > 100
    assert not re.search(r"\\[a-z]+", text) and "<merror" not in text


def test_an_unexpected_verdict_stands_out(pages: Pages) -> None:
    """A theorem that stayed open would look like one that did not."""
    assert (
        "expected: proved" in page_of(pages[2]) and "expected: proved" in site(pages)["index.html"]
    )
    assert "expected" not in site(pages[:2])["index.html"]


def test_what_no_claim_says_is_a_remark(pages: Pages) -> None:
    """A sentence that no claim says would stand in the statement, or be lost."""
    text = page_of(pages[1])
    stated, _, rest = text.partition('aria-label="Statement"')[2].partition("</section>")
    assert "the output rows are permuted alike." in stated and "No row of the output" not in stated
    assert "<strong>Remark.</strong> No row of the output" in rest
    assert "Remark" not in page_of(pages[0])


def test_theorems_are_linked_both_ways(pages: Pages) -> None:
    """A reader would not come from a theorem to what it uses, or to what uses it."""
    lemma, main = pages[0], replace(pages[1], uses=("sum_act", "softmax_conjugate"))
    text = site([lemma, main])
    used, users = text["theorem/sum_act.html"], text[f"theorem/{main.id}.html"]
    assert f'href="../theorem/{main.id}.html"' in used.partition("<h2>Used by</h2>")[2]
    beside = users.partition("<h2>Uses</h2>")[2].partition("<h2>Used by</h2>")[0]
    assert 'href="../theorem/sum_act.html"' in beside
    assert "<code>softmax_conjugate</code>" in beside  # not in this site
    assert 'class="card"' in beside  # its preview


def test_an_id_in_words_is_a_link(pages: Pages) -> None:
    """A reason would show an identifier that leads nowhere; the words of a tool are no citation."""
    text = page_of(pages[1], pages[0])
    assert re.search(r'whatever order \(<span class="ref"><a href="../theorem/sum_act.html">', text)
    assert "softmax_conjugate: the sum" in text  # not in this site
    told = replace(pages[0].claims[0].marks[0], detail="sum_act: Closed")
    claim = replace(pages[0].claims[0], marks=(told,))
    assert "</a> sum_act: Closed" in page_of(replace(pages[0], claims=(claim,)))


def test_a_reason_is_set_as_formulas(pages: Pages) -> None:
    """A reason would show Q′ = P Q as words."""
    assert re.search(r'<div class="reason"><math[^>]*><msup><mi>Q</mi>', page_of(pages[1]))


def test_marks_are_explained_in_the_books_words(pages: Pages) -> None:
    """The site would ask a reader to believe less than the README does."""
    text = unescape(site(pages)["trust.html"].replace("<wbr>", ""))
    for mark in MARKS:
        assert curly(mark.says) in text and curly(mark.believe) in text
    assert SHARED in text


def test_the_manifest_is_of_the_pages(pages: Pages) -> None:
    """A program would read another verdict, digest or address than a person."""
    found = site(pages)
    data = json.loads(found["theorems.json"])
    assert [t["id"] for t in data["theorems"]] == [p.id for p in pages]
    for told, page in zip(data["theorems"], pages, strict=True):
        assert told["verdict"] == page.verdict and told["url"] in found
        assert [c["digest"] for c in told["claims"]] == [c.digest for c in page.claims]
        whole = json.loads(found[told["json"]])
        stated = [c["statement"]["latex"] for c in whole["claims"]]
        assert stated == [c.statement.latex for c in page.claims]
        assert [s["title"] for s in whole["derivation"]] == [s.title for s in page.sections]
    assert "seconds" not in found["theorems.json"]
