"""Headlines of Rocq on a theorem's page, and claims that Rocq alone proves; Rocq is not run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from orderproof.check.claims import Sentence, TheoremFile
from orderproof.check.marks.numeric import by_numpy
from orderproof.check.marks.sympy_entries import by_sympy
from orderproof.check.page import (
    HEADLINE,
    TheoremPage,
    broken,
)
from orderproof.check.prove import checking, results
from orderproof.check.prove.unchecked import unchecked
from orderproof.check.rocq import claims, headlines, record
from orderproof.check.rocq import mark as rocq_mark
from orderproof.check.rocq.headlines import Compiled, headline
from orderproof.check.rocq.library import CLOSED, HEADLINES, SOURCES, STATEMENTS, ids
from orderproof.check.rocq.mark import ByRocq
from orderproof.check.rocq.run import RocqError
from orderproof.command_line import cli
from orderproof.proofs import catalogue
from orderproof.publish import fragment
from orderproof.publish.theorem import as_text
from tests.judged import answering, claiming, loaded
from tests.test_results import SCHEMA

DEEP = "encoder_equivariant"
FALSE = "not_invariant_self_attention"


@pytest.fixture(autouse=True)
def recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The release's record has two headlines more, which stand on no page of the book."""
    kept = record.load()
    more = {
        f"headline {name}": record.Entry(
            headline(name).digest, record.sources(record.importing(name)), "", CLOSED, True
        )
        for name in (DEEP, FALSE)
    }
    found = replace(kept, entries={**kept.entries, **more})
    monkeypatch.setattr(record, "load", lambda: found)


def alone(**changed: Any) -> TheoremFile:
    """A theorem of headlines alone: one that it states, and one that refutes a false variant."""
    words = (Sentence("At every depth.", headlines=(DEEP,)), Sentence("A remark."))
    parts = {"headlines": (DEEP,), "refuted": (FALSE,), "claims": (), "planted": ()}
    show = loaded("sum_act").show
    return TheoremFile(
        **{"id": "toy", "title": "A toy", "words": words, "source": "none", "show": show}
        | parts
        | changed
    )  # fmt: skip


def confirmed(*marks: str) -> TheoremFile:
    """A theorem with one claim that small cases confirm, and a proof by hand would settle."""
    theorem = loaded("perm_transpose_mul")
    checks = {"sympy": by_sympy, "numeric": by_numpy()}
    claim = replace(theorem.claims[0], marks={m: checks[m] for m in marks})
    return replace(claiming(theorem, claim), planted=theorem.neighbour)


def told(name: str, **changed: Any) -> Compiled:
    """What Rocq says of a headline, as recorded but for what is changed."""
    return replace(Compiled(headline(name).digest, ()), **changed)


# ----------------------------------------------------------------- claims that Rocq alone proves
def test_asked_it_is_proved_or_not() -> None:
    """Where Rocq was run, the record would answer in its place."""
    theorem = confirmed("sympy")
    for ok, verdict, status in ((True, "proved", 0), (False, "open", 1), (None, "open", 3)):
        page = checking.check(theorem, ByRocq({1: answering(ok)}))
        assert (page.verdict, results.ending([page]).status) == (verdict, status)
    page = checking.check(theorem, ByRocq())  # run, and nothing to run it on
    assert (page.verdict, results.ending([page]).status) == ("open", 3)
    assert checking.check(theorem).verdict == "recorded"
    derived = loaded("self_attention_equivariant")  # which the kernel proves
    for ok, status in ((False, 1), (None, 3)):
        page = checking.check(derived, ByRocq({1: answering(ok)}))
        assert (page.verdict, results.ending([page]).status) == ("open", status)


def test_a_mark_that_disagrees_is_not_overruled() -> None:
    """A falsehood would be called recorded, with status 0, against what another mark says."""
    theorem = confirmed("sympy")
    for ok, status in ((False, 1), (None, 3)):
        claim = replace(theorem.claims[0], marks={"toy": answering(ok)})
        page = checking.check(claiming(theorem, claim))
        assert page.verdict == "open" and results.ending([page]).status == status
    false = claiming(theorem, replace(theorem.neighbour.claim, marks={"sympy": by_sympy}))
    assert results.ending([checking.check(false)]).status == 1


def test_without_a_proof_by_hand_it_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim would be said to be recorded from Rocq, which has no proof of it."""
    monkeypatch.setattr(claims, "scripts", lambda theorem: {})
    page = checking.check(confirmed("sympy"))
    assert page.claims[0].marks[-1].detail == "no proof of claim 1 in Rocq"
    assert results.ending([page]).status == 3


# ---------------------------------------------------------------------------------- on the page
def test_headlines_on_a_page() -> None:
    """The page would show another statement than the file has, or would call it proved here."""
    page = checking.check(alone())
    stated, refuted = page.claims
    text = (SOURCES / "Headlines.v").read_text("utf-8")
    assert f"(* id: {DEEP} *)\n{stated.statement.plain}\nProof." in text
    assert stated.statement.plain.endswith("encoder w scale Bs (const_mx 1) X.")
    assert "(* w positive and not constant" in refuted.statement.plain  # clause comments
    assert {c.kind for c in page.claims} == {HEADLINE} and page.given is None
    assert {c.verdict for c in page.claims} == {page.verdict} == {"recorded"}
    assert page.words == (("At every depth.", (0,)), ("A remark.", ())) and page.refuted == (1,)


def test_a_headline_that_rocq_checked() -> None:
    """A headline would be green without what the development says of it, or stay open with it."""
    rocq = rocq_mark.Rocq(Path(), (), 1.0, "8.16.1", {n: told(n) for n in (DEEP, FALSE)})
    page = checking.check(alone(), rocq_mark.by_rocq(rocq, alone()))
    assert page.verdict == "proved" and results.ending([page]).status == 0
    mark = page.claims[0].marks[0]
    assert mark.states == page.claims[0].digest and CLOSED in mark.detail


@pytest.mark.parametrize(
    ("changed", "wrong", "says"),
    [
        ({"digest": "0" * 64}, (), f"{DEEP}: not as in statements.json"),
        ({"axioms": ("cheat",)}, (), f"{DEEP}: rests on cheat"),
        (
            {},
            ("block: not as in statements.json",),
            "not as in statements.json: block: not as in statements.json",
        ),
    ],
)
def test_a_headline_that_is_not_as_recorded(
    changed: dict[str, Any], wrong: tuple[str, ...], says: str
) -> None:
    """A statement, a definition or an axiom that changed would be printed as proved."""
    said = {DEEP: told(DEEP, **changed), FALSE: told(FALSE)}
    rocq = rocq_mark.Rocq(Path(), wrong, 1.0, "8.16.1", said)
    page = checking.check(alone(), rocq_mark.by_rocq(rocq, alone()))
    assert page.claims[0].marks[0].ok is False and page.claims[0].marks[0].detail == says
    assert page.verdict == "open" and results.ending([page]).status == 1


def test_a_headline_that_rocq_did_not_compile() -> None:
    """A headline in a file that was skipped would be green."""
    rocq = rocq_mark.Rocq(Path(), (), 1.0, "8.16.1", {FALSE: told(FALSE)})
    mark = rocq_mark.by_rocq(rocq, alone()).headlines[DEEP]
    assert mark.ok is False and "not among what Rocq compiled" in mark.detail


def test_a_headline_that_does_not_exist() -> None:
    """A page would name a theorem that nobody stated."""
    theorem = alone(headlines=("encoder_equivarient",), words=())
    for page in (checking.check, unchecked):
        with pytest.raises(RocqError, match=r"headline encoder_equivarient: given in no file"):
            page(theorem)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"refuted": ()}, "expected one beside claims, and beside headlines alone"),
        ({"claims": loaded("sum_act").claims}, "expected one beside claims"),
        ({"refuted": (FALSE, DEEP)}, "given a headline twice"),
        ({"words": (Sentence("No.", headlines=("sum_act",)),)}, "given sum_act, expected one of"),
    ],
)
def test_what_a_theorem_of_headlines_must_have(changed: dict[str, Any], says: str) -> None:
    """A theorem without a planted falsehood, or a sentence that no headline says, would stand."""
    with pytest.raises(ValueError, match=says):
        alone(**changed)


# --------------------------------------------------------------------------------- the digest
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_every_headline_can_be_shown(step: int) -> None:
    """A headline would have no statement to show, or one too wide for a page."""
    shown = {name: headline(name) for name in [*ids()][::step]}
    assert len({s.digest for s in shown.values()}) == len(shown) > 20 // step
    assert max(len(x) for s in shown.values() for x in s.source.splitlines()) <= headlines.COLUMNS
    assert all(s.source.endswith(".") and "Proof" not in s.source for s in shown.values())


def test_the_digest_is_of_what_a_statement_means() -> None:
    """A definition that changed would leave the digest as it was; or one that it does not use
    would change it."""
    record = json.loads(STATEMENTS.read_text("utf-8"))
    before = headlines.digest(record, DEEP)
    definitions = record["Encoder"]["definitions"]
    assert "encoder" in definitions
    record["Positions"]["definitions"]["unrelated_to_encoders"] = "= 0"
    assert headlines.digest(record, DEEP) == before
    definitions["encoder"] = definitions["encoder"].replace("foldl", "foldr") + " "
    assert headlines.digest(record, DEEP) != before
    record["Headlines"]["theorems"][FALSE]["assumptions"] = "Axioms:\ncheat : False"
    assert headlines.digest(record, FALSE) != headline(FALSE).digest
    del record["Headlines"]["theorems"][DEEP]
    with pytest.raises(RocqError, match="given in no record"):
        headlines.digest(record, DEEP)


@pytest.mark.parametrize("line", ["  x" * 40, "  (* σ *)", "\\end{verbatim}"])
def test_a_statement_that_the_page_cannot_hold(line: str, tmp_path: Path) -> None:
    """A line would run over the margin, or a character would stop the typesetting."""
    for file in HEADLINES:
        (tmp_path / f"{file}.v").write_text((SOURCES / f"{file}.v").read_text("utf-8"), "utf-8")
    file = tmp_path / "Headlines.v"
    text = file.read_text("utf-8")
    file.write_text(text.replace("  = perm_mx s *m encoder", f"{line}\n  = perm_mx s *m encoder"))
    with pytest.raises(RocqError, match="expected lines of at most 104 ASCII characters"):
        headline(DEEP, tmp_path)


# --------------------------------------------------------------------------------- printing
def pages() -> list[TheoremPage]:
    """A theorem of headlines alone, and one with a claim that Rocq alone proves."""
    return [checking.check(alone()), checking.check(confirmed("sympy"))]


def test_printed() -> None:
    """The reader would not see the statement, or not that it was not checked here."""
    page = pages()[0]
    source = page.claims[0].statement.plain
    narrow = fragment.theorem(page).partition("\\begin{verbatim}\n")[2].partition("\n\\end{verb")[0]
    assert (
        narrow.split() == source.split() and max(map(len, narrow.splitlines())) <= fragment.COLUMNS
    )
    assert broken("    a b c\nd", 7) == "    a b\n        c\nd"
    text = fragment.theorem(page)
    assert "Recorded from Rocq as Rocq states it." in text
    lines = as_text(page).splitlines()
    said = f"(1) recorded from Rocq: headline {DEEP} of Rocq"
    assert max(map(len, lines)) <= 80 and said in lines
    assert f"That a false variant fails: headline {FALSE}." in lines
    assert ") claimed: headline" in as_text(unchecked(alone()))


def test_results() -> None:
    """results.json would break its contract, or say that it was proved."""
    data = json.loads(json.dumps(results.results(pages())))
    jsonschema.validate(data, SCHEMA)
    claim = data["theorems"][0]["claims"][0]
    assert claim["kind"] == "headline" and claim["verdict"] == "recorded"
    assert claim["statement"].startswith("\\begin{verbatim}\nTheorem encoder_equivariant")
    marks = [*claim["marks"], *data["theorems"][1]["claims"][0]["marks"][1:]]
    assert [(m["mark"], m["ok"]) for m in marks] == [("rocq (recorded)", True)] * 2
    assert claim["marks"][0]["states"] == claim["digest"]


def test_prove_counts_what_is_recorded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A recorded theorem would be counted as proved here, or would not be seen."""
    other = "perm_transpose_mul"
    files = {"qkv_equivariant": alone(id="qkv_equivariant"), other: loaded(other)}
    monkeypatch.setattr(catalogue, "load", files.__getitem__)
    given = ["--no-cache", "--jobs", "1", "--out", str(tmp_path)]
    ran = CliRunner().invoke(cli, ["prove", *files, *given])
    said = " ".join(ran.output.split())
    assert "1 theorem proved here, 1 recorded from Rocq. What is recorded: " in said
    assert "`prove --rocq` checks it here." in said
    assert ran.exit_code == 0 and max(map(len, ran.output.splitlines())) <= 100
    assert CliRunner().invoke(cli, ["prove", *files, *given, "--require-checked"]).exit_code == 3
    assert CliRunner().invoke(cli, ["prove", other, *given, "--require-checked"]).exit_code == 0
    files[other] = confirmed("sympy")
    files[other] = claiming(files[other], replace(files[other].claims[0], rocq=""))
    ran = CliRunner().invoke(cli, ["prove", other, *given])
    assert "open, no mark proves it" in " ".join(ran.output.split()) and ran.exit_code == 3
    assert "1 open or failed" in ran.output
