"""The release's record of Rocq: what it answers for, and what it refuses; Rocq is not run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from orderproof.check.claims import TheoremFile
from orderproof.check.page import RECORDED_ROCQ, ROCQ, Mark, TheoremPage
from orderproof.check.prove import checking, results
from orderproof.check.rocq import record
from orderproof.check.rocq.library import AXIOMATIC, AXIOMS, CLOSED, SOURCES
from orderproof.check.rocq.mark import by_rocq, files
from orderproof.check.rocq.record import RECORD, Entry, Record, RecordError
from orderproof.check.rocq.run import RocqError, needed
from orderproof.proofs import catalogue
from tests.judged import loaded

ALONE = "position_after_first_layer_skip"  # three claims that Rocq alone proves
HEADLINES = "attention_is_colour_refinement"
KEPT = record.read(RECORD)


def changed(**fields: object) -> Record:
    """The record with these fields of every entry changed."""
    entries = {name: replace(e, **fields) for name, e in KEPT.entries.items()}  # type: ignore[arg-type]
    return replace(KEPT, entries=entries)


def page(theorem: TheoremFile, kept: Record) -> TheoremPage:
    """A theorem's page by this record."""
    return checking.check(theorem, by_rocq(kept, theorem))


def bare(name: str) -> TheoremFile:
    """A theorem without its other marks, which take their time and change nothing here."""
    theorem = loaded(name)
    claims = tuple(replace(claim, marks={}) for claim in theorem.claims)
    near = tuple(replace(x, claim=replace(x.claim, marks={})) for x in theorem.neighbours)
    return replace(theorem, claims=claims, planted=near)


# ------------------------------------------------------------------------------ what it answers
def test_what_rocq_alone_proves_is_recorded() -> None:
    """A theorem would be open for whoever has no Rocq, or an entry would hold for nothing."""
    found, derived = dict[str, bool | None](), set[str]()
    for theorem in map(catalogue.load, catalogue.IDS):
        rocq = by_rocq(KEPT, theorem)
        for k, check in rocq.checks.items():
            claim = theorem.claims[k - 1]
            found[f"{theorem.id}_{k}"] = check(claim.statement).ok
            derived |= {f"{theorem.id}_{k}"} if "kernel" in claim.marks else set()
        found |= {f"headline {name}": mark.ok for name, mark in rocq.headlines.items()}
    assert {name for name, ok in found.items() if ok} == KEPT.entries.keys()
    assert found.keys() - KEPT.entries.keys() <= derived  # a new theorem, until `make record`


@pytest.mark.parametrize("name", [ALONE, HEADLINES])
def test_recorded_is_a_verdict_of_its_own(name: str) -> None:
    """What nobody checked here would be called proved, or would be called open."""
    found = page(loaded(name), KEPT)
    assert {c.verdict for c in found.claims} == {found.verdict} == {"recorded"}
    assert found.as_declared and found.reads == "recorded from Rocq"
    marks = [m for c in found.claims for m in c.marks if m.settles]
    assert {m.mark for m in marks} == {RECORDED_ROCQ} and len(marks) == len(found.claims)
    assert all(f"by Rocq {KEPT.version} on {KEPT.when}, not run here" in m.detail for m in marks)
    assert results.ending([found]).status == 0
    ending = results.ending([found], require_checked=True)
    assert ending.status == 3 and "no claim by the record of Rocq alone" in str(ending)


def test_a_mark_that_was_made_proves_more() -> None:
    """A theorem that the kernel derived would be called recorded, or would not have the mark."""
    found = page(loaded("self_attention_equivariant"), KEPT)
    (claim,) = found.claims
    assert found.verdict == "proved" and [m.mark for m in claim.marks][-1] == RECORDED_ROCQ
    assert results.ending([found], require_checked=True).status == 0


# ---------------------------------------------------------------------------- what it refuses
PLANTED: dict[str, tuple[Record, str]] = {
    "another claim": (changed(digest="0" * 64), "states something else now"),
    "another development": (changed(sources="0" * 64), "rests on files of Rocq that changed"),
    "another certificate": (changed(certificate="0" * 64), "has another certificate now"),
    "an axiom more": (changed(assumptions=f"{AXIOMATIC}cheat"), "rests on an axiom"),
    "an axiom beside": (changed(assumptions=f"{AXIOMATIC}{AXIOMS[0]}, cheat"), "on an axiom"),
    "no words": (changed(assumptions=""), "rests on an axiom"),
    "no entry": (replace(KEPT, entries={}), "is not in it"),
    "no record": (Record("", "", trouble="record.json: given no such file"), "cannot be read"),
}


@pytest.mark.parametrize("name", [ALONE, HEADLINES])
@pytest.mark.parametrize("planted", PLANTED)
def test_a_record_of_something_else(planted: str, name: str) -> None:
    """A claim would be called recorded by what Rocq said of another, or of another proof."""
    kept, why = PLANTED[planted]
    found = page(bare(name), kept)
    assert {c.verdict for c in found.claims} == {found.verdict} == {"open"}
    last = found.claims[0].marks[-1]
    assert last.ok is None and not last.settles and why in last.detail
    assert "prove --rocq checks it" in last.detail and results.ending([found]).status == 3


@pytest.mark.parametrize("planted", PLANTED)
def test_others_prove_it_without_the_record(planted: str) -> None:
    """A theorem that the kernel derived would be open where the record does not hold."""
    found = page(loaded("self_attention_equivariant"), PLANTED[planted][0])
    assert found.verdict == "proved" and all(m.mark != RECORDED_ROCQ for m in found.claims[0].marks)


def test_axioms_of_the_reals_are_known() -> None:
    """What rests on the axioms of the library of real numbers alone would be refused."""
    kept = changed(assumptions=AXIOMATIC + ", ".join(AXIOMS))
    assert page(loaded(HEADLINES), kept).verdict == "recorded"


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (
            lambda raw: raw.replace(b'by": "kernel"', b'by": "kernal"', 1),
            "not those",
        ),
        (lambda raw: raw.replace(b"8.", b"9.", 1), "not those of their SHA-256"),
        (lambda raw: raw[:-1], "not those of their SHA-256"),
        (lambda raw: b"{}\n", "not those of their SHA-256"),
        (lambda raw: record.sealed(b"[]\n"), "expected a record of Rocq as written"),
        (lambda raw: record.sealed(b'{"format": "1"}\n'), "given another format"),
        (
            lambda raw: record.sealed(record.opened(raw).replace(b"d_by", b"d")),
            "as written",
        ),
    ],
)
def test_a_record_that_was_edited(
    spoil: Callable[[bytes], bytes], why: str, tmp_path: Path
) -> None:
    """A record that somebody edited by hand, or that was cut off, would be taken."""
    path = tmp_path / "record.json"
    path.write_bytes(RECORD.read_bytes())
    assert record.load(path) == KEPT
    path.write_bytes(spoil(RECORD.read_bytes()))
    record.read.cache_clear()
    with pytest.raises(RecordError, match=why):
        record.read(path)
    kept = record.load(path)
    assert kept.entries == {} and why in kept.trouble


def test_a_file_that_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A claim would break down, or be called recorded, where what it rests on is gone."""
    with pytest.raises(RocqError, match=r"Calculus\.v: given no such file"):
        record.sources("From orderproof Require Calculus.\n", tmp_path)

    def gone(*_: object) -> str:
        raise RocqError("Calculus.v: given no such file")

    monkeypatch.setattr(record, "sources", gone)
    assert page(bare(ALONE), KEPT).verdict == "open"
    assert page(loaded("self_attention_equivariant"), KEPT).verdict == "proved"


def test_one_recorded_claim_is_enough_to_be_not_checked() -> None:
    """`--require-checked` would be met by a theorem of which some claims are recorded."""
    found = page(loaded("constant_sequence_blind"), KEPT)
    assert {c.verdict for c in found.claims} == {"proved", "recorded"}
    assert results.ending([found], require_checked=True).status == 3


def test_what_is_to_be_refuted_is_not_recorded_as_declared() -> None:
    """A claim that is declared to be false would pass by a record of its proof."""
    claims = tuple(replace(c, expected="refuted") for c in bare(ALONE).claims)
    found = page(replace(bare(ALONE), claims=claims), KEPT)
    assert not found.as_declared and results.ending([found]).status == 1


def test_a_check_that_breaks_down_is_not_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A theorem would be proved although one of its checks ended in an error."""

    def broken(*_: object) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(record, "sources", broken)
    assert page(loaded("self_attention_equivariant"), KEPT).verdict == "open"


# ------------------------------------------------------------------------ the files that it needs
@pytest.mark.parametrize(
    ("file", "same"),
    [
        ("Calculus", ("headline", "by hand")),
        ("Encoder", ("certificate", "by hand")),
        ("Causal", ("certificate", "by hand")),
        ("WeightedMeans", ("certificate",)),
        ("Real", ("certificate", "headline", "by hand")),
    ],
)
def test_a_comment_counts_where_the_file_is_needed(
    file: str, same: tuple[str, ...], tmp_path: Path
) -> None:
    """A file that a proof rests on could change unnoticed, or a comment in another would take all
    claims out of the record."""
    for source in SOURCES.glob("*.v"):
        (tmp_path / source.name).write_text(source.read_text("utf-8"), "utf-8")
    with (tmp_path / f"{file}.v").open("a") as out:
        out.write("(* a comment *)\n")
    (certificate,) = files(loaded("self_attention_equivariant")).values()
    texts = {
        "certificate": certificate,
        "headline": record.importing("encoder_equivariant"),
        "by hand": files(loaded("score_bias_iff"))["score_bias_iff_1.v"],
    }
    found = {kind for kind, x in texts.items() if record.sources(x, tmp_path) == record.sources(x)}
    assert found == {*same}


def test_imports_are_understood() -> None:
    """A file that is named in another way would not be among those that a proof rests on."""
    text = """(* Require Import C. *)
From orderproof Require Import A
  B.
From Coq Require Import String.
From orderproof Require D.
From orderproof Require Export E.
"""
    assert needed(text) == {*"ABDE"}
    for other in ("Require Import orderproof.A.\n", "  From orderproof Require A.\n",
                  "From orderproof.x Require A.\n", "Load A.\n"):  # fmt: skip
        with pytest.raises(RocqError, match="expected From FOLDER Require FILES"):
            needed(other)
    for hidden in ('"(*" From orderproof Require A. "*)"\n', '(* "*)" *) Load A. (* " *)\n'):
        with pytest.raises(RocqError, match="expected strings and comments apart"):
            needed(hidden)


# --------------------------------------------------------------- compared with a run, as CI does
def run(*names: str) -> Record:
    """The record of a run of Rocq that accepted the certificates of these theorems."""
    pages, texts = [], dict[str, str]()
    for theorem in map(catalogue.load, names):
        found = page(theorem, KEPT)
        claims = tuple(replace(c, marks=tuple(as_run(m) for m in c.marks)) for c in found.claims)
        pages.append(replace(found, claims=claims))
        texts |= files(theorem)
    return record.made(pages, texts, KEPT.version)


def as_run(mark: Mark) -> Mark:
    """A mark of the record as a run of Rocq makes it."""
    return replace(mark, mark=ROCQ) if mark.mark == RECORDED_ROCQ else mark


FEW = ("sum_act", "self_attention_equivariant", ALONE, HEADLINES)
FRESH = run(*FEW)


def test_a_run_makes_the_record() -> None:
    """The record would not be what a run of Rocq says."""
    kept = replace(KEPT, entries={name: KEPT.entries[name] for name in FRESH.entries})
    assert [*record.differences(kept, FRESH)] == [] and len(FRESH.entries) == 14
    assert {e.proved_by for n, e in FRESH.entries.items() if n.startswith(ALONE)} == {""}
    assert FRESH.entries["sum_act_1"].proved_by == "kernel smt"
    assert [*record.differences(replace(kept, when="long ago"), FRESH)] == []


def with_entry(name: str, **fields: object) -> Record:
    """The run with one entry changed."""
    entry: Entry = replace(FRESH.entries[name], **fields)  # type: ignore[arg-type]
    return replace(FRESH, entries={**FRESH.entries, name: entry})


@pytest.mark.parametrize(
    ("kept", "says"),
    [
        (with_entry("sum_act_1", digest="0" * 64), "sum_act_1: recorded with another digest"),
        (with_entry("sum_act_1", sources="0" * 64), "recorded with another sources"),
        (with_entry("sum_act_1", certificate=""), "recorded with another certificate"),
        (with_entry("sum_act_1", assumptions=f"{AXIOMATIC}cheat"), "with another assumptions"),
        (with_entry("sum_act_1", proved_by=""), "recorded with another proved_by"),
        (replace(FRESH, version="8.0"), f"version: recorded 8.0, the run was of {KEPT.version}"),
        (
            replace(FRESH, entries={**FRESH.entries, "x_1": FRESH.entries["sum_act_1"]}),
            "x_1: recorded, and not in the run",
        ),
        (
            replace(FRESH, entries={n: e for n, e in FRESH.entries.items() if n != "sum_act_1"}),
            "sum_act_1: not recorded",
        ),
        (Record("", "", trouble="record.json: given no such file"), "no such file"),
    ],
)
def test_a_record_that_a_run_does_not_bear_out(
    kept: Record, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """CI would let a release say of Rocq what it did not say."""
    (line,) = record.differences(kept, FRESH)
    assert says in line
    fresh = tmp_path / "fresh.json"
    fresh.write_bytes(record.written(FRESH))
    path = tmp_path / "record.json"
    if kept.entries:
        path.write_bytes(record.written(kept))
    monkeypatch.setattr(record, "RECORD", path)
    assert record.main([str(fresh)]) == 1
    said = capsys.readouterr().out
    assert says in said and "1 difference from the record; `make record` writes it anew\n" in said


def test_written_and_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`make record` would not write what CI then compares, or a mistake would write something."""
    fresh, kept = tmp_path / "fresh.json", tmp_path / "record.json"
    fresh.write_bytes(record.written(FRESH))
    monkeypatch.setattr(record, "RECORD", kept)
    assert record.main([str(fresh)]) == 1 and not kept.exists()
    stale = tmp_path / "stale.json"
    stale.write_bytes(record.written(replace(FRESH, development="0" * 64)))
    for more in ([], ["--write"]):
        assert record.main([str(stale), *more]) == 1 and not kept.exists()
    assert "of other files of Rocq than these" in capsys.readouterr().out
    record.read.cache_clear()
    assert record.main([str(fresh), "--write"]) == 0 == record.main([str(fresh)])
    assert kept.read_bytes() == fresh.read_bytes() and len([*tmp_path.iterdir()]) == 3
    said = capsys.readouterr().out
    assert "14 claims accepted by Rocq, 0 differences from the record\n" in said
    for wrong in ([], ["a", "b"], [str(tmp_path / "none.json")]):
        assert record.main(wrong) == 2


def test_what_rocq_did_not_accept_has_no_entry() -> None:
    """A run in which Rocq refused a claim would record it."""
    found = page(bare(ALONE), KEPT)
    marks = tuple(replace(as_run(m), settles=False, ok=False) for m in found.claims[0].marks)
    for ok in (False, True, None):  # a part of the claim alone, where it is ok
        claims = (replace(found.claims[0], marks=tuple(replace(m, ok=ok) for m in marks)),)
        assert record.made([replace(found, claims=claims)], {}, "8").entries == {}
    odd = Mark(ROCQ, True, 0.0, "accepted", settles=True)
    with pytest.raises(RocqError, match="expected what it rests on"):
        record.assumptions(odd)
    assert record.assumptions(replace(odd, detail=f"x accepted: {CLOSED}")) == CLOSED
