"""The site: its files and their links, what is refused, and what its pages say."""

from __future__ import annotations

import hashlib
import json
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path
from types import MappingProxyType

import pytest

from orderproof.check.page import Mark, TheoremPage
from orderproof.check.prove.results import OutputError
from orderproof.check.prove.unchecked import unchecked
from orderproof.check.rocq.headlines import headline
from orderproof.check.schemes.table import Cell
from orderproof.proofs import catalogue
from orderproof.publish import figures
from orderproof.publish.bibliography import UnknownCitation
from orderproof.publish.book import BadPage
from orderproof.publish.manifest import Beside, beside, source_of
from orderproof.publish.schemes import cell_url, chapter, file_of, sign
from orderproof.publish.site import MARKER, SITE, files, publish, write_site
from orderproof.replay_file import replay_file
from orderproof.symbolic.readings.rocq_statement import proposition
from tests.check.schemes.test_table import cells as row_of
from tests.packaging.environment import checked
from tests.publish.web.checks import faults, seen

pytestmark = pytest.mark.xdist_group("table")  # one process computes it, for all tests of it
DATE = "2026-11-21"
FEW = ("none", "sinusoidal", "alibi", "causal", "documents")
WORKFLOW = Path(__file__).parents[3] / ".github" / "workflows" / "pages.yml"
Pages = tuple[TheoremPage, ...]


@cache
def made(*pages: TheoremPage) -> Mapping[str, str]:
    """The files of a site that are text."""
    found = files(pages, date=DATE).items()
    return MappingProxyType({n: t for n, t in found if isinstance(t, str)})


def page_of(page: TheoremPage, *others: TheoremPage) -> str:
    """The page of one theorem in a site."""
    return made(page, *others)[f"theorem/{page.id}.html"]


def with_mark(page: TheoremPage, mark: Mark) -> TheoremPage:
    """The page with this mark alone on its first claim."""
    return replace(page, claims=(replace(page.claims[0], marks=(mark,)), *page.claims[1:]))


# ------------------------------------------------------------------------------------ the whole
def test_every_page_is_sound(pages: Pages) -> None:
    """A tag not closed, an id twice, a link that leads nowhere or elsewhere, or a script."""
    found = made(*pages)
    assert faults(files(pages, date=DATE)) == []
    assert {"index.html", "trust.html", "theorems.json", "style.css"} <= set(found)
    assert {f"theorem/{p.id}.{kind}" for p in pages for kind in ("html", "json")} <= set(found)
    text = "".join(t for n, t in found.items() if n.endswith(".html"))
    assert text.count("<math") == text.count("</math>") > 100
    assert not re.search(r"\\[a-z]+", text) and "<merror" not in text


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
    found = dict(made(*pages[:1]))
    found["index.html"] = found["index.html"].replace("</main>", f"{planted}</main>")
    assert any(f.endswith(said) for f in faults(found)), faults(found)
    del found["theorem/sum_act.html"]
    assert "index.html: no file theorem/sum_act.html" in faults(found)


def test_equal_pages_give_equal_bytes(pages: Pages) -> None:
    """Two runs would make two sites; how long a mark took must not show."""
    slow = replace(pages[0].claims[0].marks[0], seconds=99.0)
    first = with_mark(pages[0], replace(slow, seconds=0.0))
    assert made(first) == made(with_mark(pages[0], slow))
    assert made(first) != made(with_mark(pages[0], replace(slow, detail="other")))


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_the_order_of_sets(pages: Pages) -> None:
    """Strings are hashed otherwise in every process."""
    script = (
        "import hashlib, pickle, sys\n"
        "from orderproof.publish.site import files\n"
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


def test_bad_pages_are_errors(pages: Pages, tmp_path: Path) -> None:
    """A name that is no file's, a source that is not in the references, no date; or half a site
    written."""
    lemma, main, _ = pages
    before = write_site([lemma], tmp_path, date=DATE).read_bytes()
    with pytest.raises(BadPage, match="theorem id"):
        write_site([replace(lemma, id="../x")], tmp_path, date=DATE)
    with pytest.raises(UnknownCitation, match="nobody1999"):
        write_site([replace(main, citations=("nobody1999",))], tmp_path, date=DATE)
    with pytest.raises(BadPage, match="expected year-month-day"):
        write_site([lemma], tmp_path, date="2026-13-01")
    assert (tmp_path / SITE / "index.html").read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [SITE]


# -------------------------------------------------------------------------------------- its folder
SMALL = {"index.html": "1", MARKER: "{}", "theorem/a.html": "a"}


def held(folder: Path) -> dict[str, str]:
    """The files of a folder."""
    return {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file()}


def test_a_site_takes_the_place_of_the_last(tmp_path: Path) -> None:
    """A page of a theorem that is gone would stay, or a temporary folder be left."""
    folder = publish(tmp_path / "new" / "site", SMALL)
    assert held(folder) == SMALL
    publish(folder, {MARKER: "{}", "index.html": "2"})
    assert held(folder) == {MARKER: "{}", "index.html": "2"}
    assert [p.name for p in folder.parent.iterdir()] == ["site"]
    assert folder.stat().st_mode & 0o055 == 0o055  # a server may read it


def test_another_folder_is_left_alone(tmp_path: Path) -> None:
    """Someone's files would be deleted, for a folder of this name, or a file where one should be
    give a traceback."""
    site, file = tmp_path / "site", tmp_path / "file"
    site.mkdir()
    publish(site, SMALL)  # an empty one is taken
    (site / MARKER).unlink()
    file.write_text("x")
    before = held(tmp_path)
    with pytest.raises(OutputError, match=r"site: given one without theorems\.json, expected"):
        publish(site, SMALL)
    for folder in (file, file / "site"):
        with pytest.raises(OutputError, match=r"^output folder .*expected") as caught:
            publish(folder, SMALL)
        assert "\n" not in str(caught.value)
    assert held(tmp_path) == before


def test_an_interrupted_run_leaves_the_last_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a site, or none."""
    folder = publish(tmp_path / "site", SMALL)

    def full(*given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "move", full)
    with pytest.raises(OutputError, match="No space left on device"):
        publish(folder, {MARKER: "{}"})
    assert held(folder) == SMALL and [p.name for p in tmp_path.iterdir()] == ["site"]


def test_the_workflow_publishes_what_the_command_writes(tmp_path: Path) -> None:
    """It would be refused by GitHub, or publish a folder that is not there."""
    text = WORKFLOW.read_text(encoding="utf-8")
    assert "orderproof book --rocq --out build\n" in text
    assert f"path: build/{SITE}\n" in text
    broken = tmp_path / "pages.yml"
    broken.write_text(text.replace("runs-on:", "runs:"), encoding="utf-8")
    assert [checked("github-workflows", p)[0] for p in (WORKFLOW, broken)] == [0, 1]


# ---------------------------------------------------------------------------- a theorem, the index
def test_words_cannot_become_markup(pages: Pages) -> None:
    """Words from a file would run as a script in the reader's browser."""
    evil = '"><img src=x onerror=alert(2)><script>alert(1)</script>'
    words = ((evil, (0,)), (evil, ()))
    broken = replace(pages[1], words=words, title=evil, source=evil)
    for name, text in made(broken, pages[0]).items():
        if name.endswith(".html"):
            tags = seen(text).tags
            assert {t for t, _ in tags}.isdisjoint({"script", "img"})
            assert not [a for _, found in tags for a in found if a.startswith("on")]
    assert page_of(broken, pages[0]).count("&lt;script&gt;alert(1)") >= 5


def test_an_unexpected_verdict_stands_out(pages: Pages) -> None:
    """A theorem that stayed open would look like one that did not."""
    assert "expected: proved" in page_of(pages[2], *pages[:2])
    assert "expected: proved" in made(*pages)["index.html"]
    assert "expected" not in made(*pages[:2])["index.html"]


def test_a_theorem_is_stated_whole(pages: Pages) -> None:
    """A sentence that no claim says would stand in the statement; a claim have no anchor; a reason
    lead nowhere; a tool's words be taken for a citation."""
    text = page_of(pages[1], pages[0])
    stated, _, rest = text.partition('aria-label="Statement"')[2].partition("</section>")
    assert "the output rows are permuted alike." in stated and "No row of the output" not in stated
    assert "<em>Remark.</em> No row of the output" in rest
    assert re.findall(r'id="claim-(\d)"', stated) == ["1", "2", "3"]
    assert re.search(r'whatever order \(<a href="../theorem/sum_act.html"[^>]*>', text)
    assert "softmax_conjugate: the sum" in text  # not in this site
    assert re.search(r'<div class="reason"><math[^>]*><msup><mi>Q</mi>', text)
    marked = with_mark(pages[0], Mark("kernel", True, 0.0, "sum_act: Closed"))
    assert "</a> sum_act: Closed" in page_of(marked)


def test_the_witness_of_a_proof_in_words_is_beside_it() -> None:
    """A claim of existence would stand without the values at which it holds."""
    page = unchecked(catalogue.load("not_invariant_self_attention"))
    _, heading, rest = page_of(page).partition('id="witness"')
    assert heading and "It holds at <var>n</var>" in rest and ">2<" in rest
    assert "There are 6 more witnesses" in rest


def test_theorems_are_linked_both_ways(pages: Pages) -> None:
    """A reader would not come from a theorem to what it uses, or to what uses it."""
    lemma, main = pages[:2]
    beside = page_of(main, lemma).partition("<h2>Uses</h2>")[2].partition("<h2>Used by</h2>")[0]
    assert 'href="../theorem/sum_act.html"' in beside
    assert "<code>softmax_<wbr>conjugate</code>" in beside  # not in this site
    users = page_of(lemma, main).partition("<h2>Used by</h2>")[2].partition("<h2>This page")[0]
    assert f'href="../theorem/{main.id}.html"' in users


def test_the_manifest_is_of_the_pages(pages: Pages) -> None:
    """A program would read another verdict, digest or address than a person."""
    found = made(*pages)
    data = json.loads(found["theorems.json"])
    assert [t["id"] for t in data["theorems"]] == [p.id for p in pages]
    for entry, page in zip(data["theorems"], pages, strict=True):
        assert entry["verdict"] == page.verdict and entry["url"] in found
        assert entry["chapter"] == catalogue.CHAPTER_OF[page.id]
        assert [c["digest"] for c in entry["claims"]] == [c.digest for c in page.claims]
        whole = json.loads(found[entry["json"]])
        stated = [c["statement"]["latex"] for c in whole["claims"]]
        assert stated == [c.statement.latex for c in page.claims]
        assert [s["title"] for s in whole["sections"]] == [s.title for s in page.sections]
        assert [c["number"] for c in whole["claims"]] == [*range(1, len(page.claims) + 1)]
        in_rocq = {k + 1: r.proposition for k, r in beside(page).rocq.items()}
        assert in_rocq == {
            c["number"]: c["rocq"]["proposition"] for c in whole["claims"] if c["rocq"]
        }
        for name, n in entry["marks"].items():
            made_ = sum(m.mark == name and m.ok is True for c in page.claims for m in c.marks)
            assert n == {"claims": made_, "of": len(page.claims)}
        assert "seconds" not in found[entry["json"]] and {"words", "for_all"}.isdisjoint(whole)


# ------------------------------------------------------------------------------------ with chapters
@pytest.mark.slow
def test_the_whole_book_is_on_the_site() -> None:
    """A chapter would be missing, or state a theorem under another number than its page, the front
    page and the manifest; or a program not have a proof in words."""
    pages = [unchecked(catalogue.load(name)) for name in catalogue.IDS]
    found = made(*pages)
    assert not [f for f in faults(found) if "#" in f]  # a link to a place that is not there
    entries = {t["id"]: t for t in json.loads(found["theorems.json"])["theorems"]}
    for k, c in enumerate(catalogue.chapters(), 1):
        listed = found["index.html"].partition(f'id="chapter-{c.name}"')[2].partition("<h3")[0]
        assert unescape(re.sub("<[^>]*>", "", c.introduction[:20])) in listed
        for name in c.theorems:
            number = entries[name]["number"]
            assert (
                re.fullmatch(rf"[A-Z]\w+ {k}\.\d+", number) and entries[name]["chapter"] == c.name
            )
            there = re.search(
                rf'id="theorem-{name}"><p class="named"><a href="../theorem/{name}.html">([^<]*)',
                found[f"chapter/{c.name}.html"],
            )
            assert there and there[1] == number and f">{number} (" in listed
            assert f'<p class="under">{number} ' in found[f"theorem/{name}.html"]
        named = rf'class="named">(?:<a [^>]*>)?[A-Z]\w+ {k}\.(\d+)'  # examples too
        counted = re.findall(named, found.get(f"chapter/{c.name}.html", ""))
        assert counted == [str(n) for n in range(1, len(counted) + 1)]
    for question in ("Does attention see the order of its tokens?", "order of the prompt?"):
        asked, answer = found["index.html"].partition(f"{question}</a>")[1:]
        answer = answer.partition("</div>")[0]
        assert asked and "The answer: " in answer and ">By <a " in answer
        assert ">not checked, expected: proved</span>" in answer
    for p in pages:
        assert {*beside(p).rocq} == {k for k, c in enumerate(p.claims) if not c.headline}
    words = {p.id: json.loads(found[f"theorem/{p.id}.json"])["proof"] for p in pages}
    assert {name for name, proof in words.items() if proof} == {p.id for p in pages if p.argument}
    assert "product of swaps" in words["sum_act"] and "{" not in words["sum_act"]


def test_what_is_beside_a_claim_is_of_that_claim() -> None:
    """A reader would compare the claim with the statement of another."""
    theorem = catalogue.load("self_attention_equivariant")
    page = unchecked(theorem)
    found = beside(page)
    assert found.rocq[0].proposition == proposition(theorem.claims[0].statement)
    assert found.rocq[0].how == "Rocq checks a certificate of the derivation"
    assert found.headlines == {theorem.id: headline(theorem.id).source}
    assert source_of(theorem.id) == "proofs/rocq/Headlines.v"
    changed = tuple(replace(c, digest="0" * 64) for c in page.claims)
    assert beside(replace(page, claims=changed)) == Beside()
    assert beside(replace(page, id="no_such_theorem")) == Beside()


# ----------------------------------------------------------------------------------------- schemes
@cache
def cells() -> tuple[Cell, ...]:
    """The rows of some schemes, the last of their cells left open."""
    *settled, last = (c for name in FEW for c in row_of(name).values())
    return (*settled, replace(last, verdict="open", regime="", reason="not settled for all n"))


def row_on_site(made: Mapping[str, str | bytes], c: Cell) -> str:
    """What there is about a cell on the page of its scheme."""
    page, _, name = cell_url(c).partition("#")
    (row,) = re.findall(rf'<tr id="{name}">.*?</tr>', str(made[page]), re.DOTALL)
    return str(row)


def test_the_sites_cells_are_the_tables(
    pages: Pages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page would show another verdict, n, regime or reason than the table that was computed, or
    name a file that does not hold; or what is open would look proved."""
    monkeypatch.setattr(figures, "find_spec", lambda name: None)  # pictures take the most time
    made = files(pages, date=DATE, positions=chapter(cells()))
    assert faults(made) == []
    shown = re.findall(
        r'<a href="(scheme/[^"#]*#[^"]*)"[^>]*>([^<]*)</a>', str(made["schemes.html"])
    )
    assert shown == [(cell_url(c), sign(c)) for c in cells()]
    for c in cells():
        row = row_on_site(made, c)
        assert f'<td class="{c.verdict.replace(" ", "-")}"><span' in row and f">{sign(c)}<" in row
        assert (c.witness is None) == ("witnesses/" not in row)
        plain = unescape(re.sub(r"<[^>]*>|_", "", row)).replace("\u00a0", " ")
        assert c.told.replace("_", "") in plain and c.regime.replace("_", "") in plain
    listed = json.loads(str(made["theorems.json"]))["cells"]
    assert [(t["scheme"], t["symmetry"], t["verdict"], t["url"]) for t in listed] == [
        (c.scheme, c.symmetry, c.verdict, cell_url(c)) for c in cells()
    ]
    shift = row_of("alibi")["shift"]
    path = tmp_path / "w.json"
    path.write_text(str(made[file_of(shift)]))
    assert replay_file(path).ok
    assert f'href="../{file_of(shift)}"' in row_on_site(made, shift)
    assert "No picture: matplotlib is not installed" in str(made["schemes.html"])
    assert not {"alibi.svg", "depth.svg"} & made.keys()
