"""Quoted sentences: rows that the catalogue does not bear out are refused; what is printed."""

from __future__ import annotations

import datetime
import functools
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from orderproof.check.page import Mark, TheoremPage
from orderproof.check.prove.unchecked import unchecked
from orderproof.command_line import cli
from orderproof.proofs import catalogue
from orderproof.proofs.offsets.not_offset_invariant_of_added_rows import FURTHER, HERE
from orderproof.proofs.sentences.quoted import SENTENCES, Cited, Quoted, Verdict
from orderproof.proofs.sentences.spans import SPANS, quotes
from orderproof.publish import book, sentences, site
from orderproof.publish.chapters import Text, texts
from orderproof.publish.sentences import BadQuotation, Entry, checked, of_pages
from orderproof.symbolic.statements.evidence import weigh
from orderproof.symbolic.statements.statement import Atom
from tests.judged import loaded

SENTENCES_ALONE = Text("sentences", "Sentences", "As said.", (), "{sentences}")
PAGE = Path(__file__).parents[2] / "docs/sentences.md"
EQUAL = Cited("self_attention_equivariant", (0,))
REFUTES = Cited("not_invariant_self_attention", (0,))
SPAN = "causal attention enables the model to infer the number of predecessors"
ROW = Quoted(SPAN, "haviv2022", "", Verdict.FALSE, "No.", (EQUAL,), (REFUTES,))


@pytest.fixture(autouse=True)
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each theorem is built once."""
    monkeypatch.setattr(catalogue, "load", loaded)


def pages(outcome: str) -> list[TheoremPage]:
    """The pages of the theorems behind the row, every claim with this verdict and one mark."""
    found = [unchecked(loaded(cited.theorem)) for cited in (*ROW.fails, *ROW.holds)]
    change = {"verdict": outcome, "marks": (Mark("kernel", True, 0.0, "as told"),)}
    return [replace(p, claims=tuple(replace(c, **change) for c in p.claims)) for p in found]


@functools.cache
def every() -> tuple[Entry, ...]:
    """The sentences, checked."""
    return tuple(checked())


def test_fifteen_sentences_stand_on_the_catalogue() -> None:
    """A sentence would be judged by a theorem that is not there, or that says something else."""
    entries = every()
    assert len(entries) == len({row.text for row in SENTENCES}) == 15
    assert {"dufter2022", "zuo2024", "irie2025", "haviv2022", "s0", "s1", "s2", "s3", ""} == {
        row.source for row in SENTENCES
    }
    for entry in entries:
        assert all(b.numbers for b in (*entry.holds, *entry.fails))


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"holds": (Cited("self_attention_equivarient", (0,)),)}, "expected a theorem of the"),
        ({"holds": (Cited("self_attention_equivariant", (1,)),)}, "given claim 1 of self_att"),
        ({"holds": (Cited("self_attention_equivariant", (-1,)),)}, "given claim -1 of self_att"),
        ({"holds": (Cited("self_attention_equivariant"),)}, "expected the claims of it"),
        ({"holds": (replace(EQUAL, headlines=("sum_act",)),)}, "given sum_act, expected a head"),
        ({"holds": ()}, "expected a claim that says the upheld sentence"),
        ({"fails": ()}, "called false: expected a counterexample"),
        ({"fails": (EQUAL,)}, "called false: expected a counterexample"),
        ({"fails": (REFUTES, EQUAL)}, "called false: expected a counterexample"),
        ({"fails": (Cited("constant_sequence_blind", (0, 2)),)}, "called false: expected"),
        ({"verdict": Verdict.TRUE}, "called true: given a claim that it fails"),
        ({"verdict": Verdict.CONDITION, "fails": ()}, "expected a claim that shows where it"),
        ({"verdict": Verdict.EXISTENTIAL, "fails": (EQUAL,)}, "both a counterexample and an"),
        ({"verdict": Verdict.EXISTENTIAL, "holds": (REFUTES,)}, "both a counterexample and an"),
        ({"verdict": "mostly true"}, "given the verdict 'mostly true'"),
        ({"upheld": ""}, "given no sentence"),
        ({"source": "nobody2022"}, "given the source nobody2022, expected a key of"),
        ({"source": ""}, "given no source"),
        ({"text": "causal attention the model to infer"}, "expected a span"),  # a splice
        ({"text": "causal attention enables a model"}, "expected a span"),
        ({"text": "the model to infer […] causal attention"}, "expected a span"),
        ({"text": "causal attention […]"}, "expected a span"),
        ({"source": "irie2025"}, "given this of Irie 2025, expected a span"),
        ({"text": "the answer is 'no'", "source": "irie2025"}, "expected a span"),
    ],
)
def test_a_wrong_row_is_refused(changed: dict[str, Any], says: str) -> None:
    """A sentence would be called false by a theorem that says it is true, or be judged by none."""
    checked([ROW])
    with pytest.raises(BadQuotation, match=says):
        checked([replace(ROW, **changed)])


def test_what_is_left_out_is_marked() -> None:
    """Words left out would be refused though they are marked, or parts of two spans be spliced."""
    checked([replace(ROW, text="causal attention […] to infer […] its absolute position.")])
    checked([replace(ROW, text="It is invariant", literal=False)])
    assert replace(ROW, text="It is so", literal=False).words == "It is so"
    one, two = (" ".join(s.split()[:4]) for s in SPANS["s0"][2:4])
    assert quotes(f"{one} […] {two}", "s0") and not quotes(f"{two} […] {one}", "s0")
    assert not quotes(f"{one} {two}", "s0")
    inverted = "variant with respect to reordering of the input."
    assert quotes(f"in{inverted}", "dufter2022") and not quotes(inverted, "dufter2022")


def test_the_spans_are_those_that_were_compared_with_their_sources() -> None:
    """A word of a source would be changed where it is kept, and each quotation of it follow."""
    text = json.dumps(SPANS, ensure_ascii=False, sort_keys=True)
    assert hashlib.sha256(text.encode()).hexdigest() == COMPARED


# Of all spans, as they were when each was last compared with its source.
COMPARED = "a29f1c1cb391fcffc16f73a52e6319b8205124c7b3d52c9db270dce133db3fcf"
QUOTED = "“((?:[^“”]|“[^”]*”)+)”"  # marks within marks too
OWN = {  # in quotation marks, and of no source: words that are spoken of
    "verified", "for all", "there are", "ten positions further on", "Invariant", "equivariant",
    "Will be different",
}  # fmt: skip


@functools.cache
def prose() -> tuple[str, ...]:
    """The text of each chapter, each proof in words, and what each theorem says of its source."""
    chapters = [f"{c.introduction}\n{c.source}" for c in texts()]
    theorems = [loaded(name) for name in catalogue.IDS]
    return (*chapters, *(t.argument for t in theorems), *(t.source for t in theorems))


def foreign(text: str) -> set[str]:
    """What a text has in quotation marks that no source says and that is not its own, or that is
    not in the source that it cites right behind."""
    marked = {(" ".join(x.split()), key)
              for x, key in re.findall(rf"{QUOTED}(?:\s*\{{cite (\w+))?", text)}  # fmt: skip
    return {x for x, key in marked if key or x not in OWN
            if not any(quotes(x, k) for k in ([key] if key else SPANS))}  # fmt: skip


def test_chapters_quote_to_the_letter_and_nothing_else() -> None:
    """A chapter would put words into a source's mouth, beside its name or after it, or a theorem be
    said to be from words that its source does not have."""
    assert set().union(*map(foreign, prose())) == set()
    assert all(any(f"“{own}”" in " ".join(x.split()) for x in prose()) for own in OWN)
    assert foreign("The thread {cite s2} says: “norms\nare blind”") == {"norms are blind"}
    others = "the add and norm layer will lose it"
    assert foreign(f"“{others}” {{cite s2}}") == {others}


def test_claims_and_headlines_are_judged_by_what_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence would rest on a claim that the book itself refutes, or a headline that states an
    equality would count as a counterexample."""
    names = ("self_attention_equivariant", "not_invariant_self_attention")
    theorem = replace(loaded(names[0]), headlines=names)
    known = {theorem.id: theorem}
    monkeypatch.setattr(catalogue, "load", lambda name: known.get(name) or loaded(name))
    equal, refutes = (Cited(theorem.id, headlines=(name,)) for name in names)
    assert checked([replace(ROW, fails=(refutes,))])[0].fails[0].numbers == "(3)"
    with pytest.raises(BadQuotation, match="called false: expected a counterexample"):
        checked([replace(ROW, fails=(equal,))])
    wrong = replace(theorem.claims[0], expected="refuted")
    known[theorem.id] = replace(theorem, claims=(wrong, *theorem.claims[1:]))
    with pytest.raises(BadQuotation, match="claim 0 of self_attention_equivariant is not declared"):
        checked([ROW])


def test_docs_have_the_sentences(tmp_path: Path) -> None:
    """`make readme` would leave a stale table, or touch what stands around it; or the page would
    quote another verdict than the data, where `make readme` was forgotten."""
    text = PAGE.read_text(encoding="utf-8")
    stale = text.replace("**false**", "**true**")
    (tmp_path / "sentences.md").write_text(stale, encoding="utf-8")
    sentences.main(tmp_path / "sentences.md")
    assert (tmp_path / "sentences.md").read_text(encoding="utf-8") == text != stale


@pytest.mark.parametrize(
    ("outcome", "said"),
    [("proved", ""), ("refuted", "refuted"), ("open", "open"), ("recorded", "recorded from Rocq")],
)
def test_the_book_says_how_the_claims_came_out(outcome: str, said: str) -> None:
    """A sentence would stand in the book as settled by claims that are open or refuted, or be as
    good as the first of the claims that it cites."""
    made = pages(outcome)
    (entry,) = of_pages(made, [ROW])
    assert {b.weaker for b in entry.holds} == {said}
    rests = f" (rests in part on what is {said})" if said else ""
    assert entry.judged == ROW.verdict.value + rests
    assert of_pages(made[:1], [ROW]) == []  # a book of some theorems has no such chapter
    (page,) = (p for p in made if p.id == EQUAL.theorem)
    two = replace(page, claims=(replace(page.claims[0], verdict="proved"), page.claims[0]))
    row = replace(ROW, holds=(replace(EQUAL, claims=(0, 1)),), fails=())
    (entry,) = of_pages([two], [row])
    assert entry.holds[0].verdict == outcome and entry.judged.endswith(rests)


@pytest.mark.parametrize("outcome", ["proved", "refuted"])
def test_printed(outcome: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The chapter would be missing, or would not cite what a sentence rests on."""
    monkeypatch.setattr(sentences, "of_pages", lambda pages: of_pages(pages, [ROW]))
    made, warned = pages(outcome), outcome == "refuted"
    tex = book.text(made, datetime.date(2026, 11, 21), chapters=(SENTENCES_ALONE,))
    page = str(site.files(made, date="2026-11-21")["sentences.html"])
    assert f"{{1. ``{SPAN}''}}" in tex and f"1. “{SPAN}”</h" in page and 'id="sentence-1"' in page
    assert r"\cite{haviv2022}" in tex and 'href="references.html#ref-haviv2022"' in page
    assert r"\ref{thm:self_attention_equivariant} (1)" in tex
    assert 'href="theorem/not_invariant_self_attention.html"' in page
    assert ('<span class="verdict open">(refuted)</span>' in page) == warned
    assert (r"\textsc{(refuted)}" in tex) == warned


def test_in_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines would be too long, or a program would find other numbers than the theorem files."""
    monkeypatch.setattr(sentences, "checked", every)
    ran = CliRunner().invoke(cli, ["sentences"])
    assert ran.exit_code == 0 and max(map(len, ran.output.splitlines())) <= 80
    assert (
        "1. “By definition, a Transformer is" in ran.output
        and "abstract [Dufter et al. 2022]. false." in ran.output
    )
    assert "\n15. positional encoding breaks equivariance\n\nfolklore, in subst" in ran.output
    flat = " ".join(ran.output.split())
    assert "By self_attention_equivariant (1); encoder_equivariant (1)–(2);" in flat
    assert "Limits: not_invariant_self_attention (1)." in flat
    data = json.loads(CliRunner().invoke(cli, ["sentences", "--json"]).output)
    assert len(data) == 15 and data[0]["verdict"] == "false" and data[0]["key"] == "dufter2022"
    assert data[0]["fails"][0]["claims"] == [0] and data[-1]["key"] is None


def test_checked_in_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """--check would end as success although a claim behind a sentence is refuted or open."""
    from orderproof.check.prove import run

    monkeypatch.setattr(sentences, "checked", lambda: checked([ROW]))
    monkeypatch.setattr(sentences, "of_pages", lambda made: of_pages(made, [ROW]))
    for outcome, said, status in (
        ("proved", "", 0),
        ("refuted", " (refuted)", 1),
        ("open", " (open)", 3),
    ):
        made = pages(outcome)
        monkeypatch.setattr(run, "prove", lambda *_, made=made: (made, {}))
        ran = CliRunner().invoke(cli, ["sentences", "--check"])
        assert ran.exit_code == status
        assert f"By self_attention_equivariant (1){said}." in ran.output


def test_rows_that_an_offset_leaves_as_they_are_lose_nothing() -> None:
    """Each added table would be said to lose the symmetry under an offset, one with equal rows too:
    the claim is about rows 0 and 1, and false of equal ones."""
    row = next(r for r in SENTENCES if r.text.startswith("breaks permutation symmetry"))
    assert "output_differs_of_rows" in {c.theorem for c in row.holds}  # of all rows that differ
    (lost,) = loaded(row.fails[0].theorem).claims
    alike = replace(lost.statement, given=frozenset({Atom(HERE, "=", FURTHER)}))
    assert weigh(alike, lost.marks["numeric"](alike)).ok is not True
