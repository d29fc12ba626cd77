"""Rechecking certificates: what is refused unread, what each answer comes to, damaged files."""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from orderproof.symbolic.smt import solvers
from orderproof.symbolic.smt.certificate import (
    MANIFEST,
    MAX_BYTES,
    MAX_DEPTH,
    CertificateError,
    load,
    parse,
    read_manifest,
)
from orderproof.symbolic.smt.recheck import Report, chosen, judged, recheck
from orderproof.symbolic.smt.solvers import Answer, Process, Solver, find

from .certificate_texts import (
    GOAL,
    SWAP,
    TEXTS,
    believed,
    certificates_of,
    known,
    refuted,
    vacuous,
    write,
)

BOTH = pytest.mark.skipif(len(find()) < 2, reason="needs cvc5 (extra solvers)")


def refused(text: str | bytes) -> str:
    """The line with which a text is refused."""
    with pytest.raises(CertificateError) as caught:
        parse(text.encode() if isinstance(text, str) else text, "given.smt2")
    message = str(caught.value)
    assert message.startswith("given.smt2: given ") and message.isprintable()
    assert ", expected " in message and len(message) < 200
    return message


# ------------------------------------------------------------------------------------- the text
def test_certificates_are_read() -> None:
    """A certificate of the project would be refused, or another question be put to a solver."""
    for name, text in TEXTS.items():
        found = parse(text.encode(), name)
        assert found.text == text and found.says["theorem"] == "sum_act"
        assert found.assumptions.count("(assert") == text.count("(assert") - 1
        assert "(check-sat)" in found.assumptions


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("(check-sat)\n", "", "0 check-sat"),
        ("(check-sat)\n", "(check-sat)\n(check-sat)\n", "2 check-sat"),
        ("(check-sat)\n", "(check-sat)\n(exit)\n", "the command 'exit'"),
        ("(check-sat)\n", "(check-sat true)\n", "(check-sat) at the end"),
        ("(check-sat)\n", "(check-sat)\n(declare-fun z () Int)\n", "'declare-fun' at the end"),
        ("(set-logic ALL)", "(set-logic ALL)(set-option :timeout 1)", "the command 'set-option'"),
        ("(set-logic ALL)", '(set-logic ALL)(echo "unsat")', "the command 'echo'"),
        ("(set-logic ALL)", "(set-logic ALL)(push 1)", "the command 'push'"),
        ("(set-logic ALL)", '(include "/etc/passwd")', "the command 'include'"),
        ("(set-info :status unsat)", "(set-info :status sat)", "the status 'sat'"),
        (GOAL, "(assert false)\n", "a last assertion about nothing declared"),
        (GOAL, "(assert (not true))\n", "a last assertion about nothing declared"),
        ("; states: ", "; state: ", "a header without 'states'"),
        ("; theorem: ", "; ", "a header without 'theorem'"),
        ("; expected: unsat", "; expected: sat", "the expected answer 'sat'"),
        ("(check-sat)\n", "(check-sat", "open parentheses at the end"),
        ("(check-sat)\n", "(check-sat))\n", "')' on line"),
        ("(check-sat)\n", "(check-sat)\nunsat\n", "'unsat' on line"),
        ("(set-logic ALL)", '(set-logic ALL)"', 'an open "'),
        ("(set-logic ALL)", "(set-logic ALL)|", "an open |"),
        ("(set-logic ALL)", "(set-logic\x00ALL)", "the character '\\x00'"),
        ("(set-logic ALL)", "(set-logic\u202eALL)", "the character '\\u202e'"),
    ],
)
def test_other_texts_are_refused(old: str, new: str, words: str) -> None:
    """A text that asks another question, or prints its own answer, would be put to a solver."""
    assert old in SWAP
    assert words in refused(SWAP.replace(old, new, 1))


def test_texts_that_are_none() -> None:
    """An empty, binary, huge or deeply nested file would crash the reader or the solver."""
    head = SWAP[: SWAP.index("(declare")]
    assert "no assertion" in refused(head + "(check-sat)\n")
    assert "0 check-sat" in refused(head)
    assert "a header without" in refused("")
    assert "no UTF-8 at byte 0" in refused(b"\xff\xfe" + SWAP.encode())
    assert "more than" in refused(b" " * (MAX_BYTES + 1))
    deep = "(not " * MAX_DEPTH
    assert "nested parentheses" in refused(SWAP.replace(GOAL, f"(assert {deep}a"))
    assert "a header without" in refused('{"n": 2}')


def test_files_and_manifests(tmp_path: Path) -> None:
    """A file that was edited, a folder in its place, or a broken manifest would pass."""
    write(tmp_path, swap=SWAP)
    rows = read_manifest(tmp_path)
    assert rows is not None
    assert load(tmp_path / "swap.smt2", rows["swap.smt2"]["sha256"]).text == SWAP
    with pytest.raises(CertificateError, match=r"another content, expected that recorded"):
        load(tmp_path / "swap.smt2", "0" * 64)
    (tmp_path / "folder.smt2").mkdir()
    os.mkfifo(tmp_path / "pipe.smt2")
    (tmp_path / "nowhere.smt2").symlink_to(tmp_path / "gone")
    for name in ("folder.smt2", "pipe.smt2", "nowhere.smt2"):
        with pytest.raises(CertificateError, match="not a regular file"):
            load(tmp_path / name, None)
    row = f'"swap.smt2": {json.dumps(rows["swap.smt2"])}'
    twice = f"{{{row}, {row}}}"
    for text in ("", "[]", "{}", "[" * 100_000, '{"../a.smt2": {"sha256": "", "theorem": ""}}',
                 '{"a.smt2": {"theorem": "x"}}', '{"a.smt2": 1}',
                 twice):  # fmt: skip
        (tmp_path / MANIFEST).write_text(text, "utf-8")
        with pytest.raises(CertificateError) as caught:
            read_manifest(tmp_path)
        assert str(caught.value).isprintable()
    (tmp_path / MANIFEST).unlink()
    assert read_manifest(tmp_path) is None
    for make in (Path.mkdir, os.mkfifo, lambda path: path.symlink_to(tmp_path / "gone")):
        make(tmp_path / MANIFEST)
        with pytest.raises(CertificateError, match="not a regular file"):
            read_manifest(tmp_path)
        (tmp_path / MANIFEST).rename(tmp_path / f"old {len(list(tmp_path.iterdir()))}")


def with_more(count: int) -> str:
    """A certificate with so many assertions more."""
    return SWAP.replace(GOAL, "(assert (or true true))\n" * count + GOAL)


def calls_to_read(count: int) -> int:
    """How many functions are called while it is read."""
    data, called = with_more(count).encode(), 0

    def one(*_: object) -> None:
        nonlocal called
        called += 1

    before = sys.getprofile()
    sys.setprofile(one)
    try:
        parse(data, "large")
    finally:
        sys.setprofile(before)
    return called


def test_a_large_text_is_read_in_linear_time() -> None:
    """A file within the limit would keep the reader busy for minutes."""
    few, more, most = (calls_to_read(count) for count in (200, 400, 800))
    assert 0 < most - more <= 2.1 * (more - few)


@pytest.mark.slow
def test_a_large_text_is_read() -> None:
    """A file within the limit would be refused, or overflow the stack of Python."""
    text = with_more(3 * MAX_BYTES // 4 // 24)
    assert len(text) > 700_000 and parse(text.encode(), "large").text == text


# ---------------------------------------------------------------------------------- the verdicts
CERTIFICATE = parse(SWAP.encode(), "swap.smt2")
AS_STATED = Answer("stated", 0.0)


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        ("unsat", "unsat", "checked"),
        ("unsat", "sat", "disagreement"),
        ("sat", "unsat", "disagreement"),
        ("sat", "sat", "refuted"),
        ("sat", "unknown", "refuted"),
        ("unsat", "unknown", "open"),
        ("timeout", "unsat", "open"),
        ("crashed", "unsat", "open"),
        ("unsat", "error", "refused"),
        ("unsat", "something", "open"),
    ],
)
def test_verdicts(first: str, second: str, verdict: str) -> None:
    """A solver that disagrees, gives up or breaks down would count as one that proves."""
    words = {"z3": first, "cvc5": second}
    alone = Answer("sat", 0.0)
    answers = {n: (Answer(w, 0.0, "why"), alone) for n, w in words.items()}
    row = judged(CERTIFICATE, answers, AS_STATED)
    assert row.verdict == verdict
    assert bool(row.reason) == (row.verdict != "checked")


@pytest.mark.parametrize(
    ("word", "verdict"),
    [("misstated", "refused"), ("error", "refused"), ("timeout", "open"), ("crashed", "open")],
)
def test_a_header_that_was_not_compared(word: str, verdict: str) -> None:
    """A header that states something else, or that nobody read, would count as checked."""
    pair = Answer("unsat", 0.0), Answer("sat", 0.0)
    row = judged(CERTIFICATE, {"z3": pair}, Answer(word, 0.0, "why"))
    assert row.verdict == verdict and row.reason


def test_contradictory_assumptions_prove_nothing() -> None:
    """A certificate whose assumptions contradict each other would count as checked."""
    pair = Answer("unsat", 0.0), Answer("unsat", 0.0)
    assert judged(CERTIFICATE, {"z3": pair}, AS_STATED).verdict == "vacuous"
    assert judged(CERTIFICATE, {}, AS_STATED).verdict == "open"
    text = SWAP.replace(GOAL, "(assert (and (> n 0) (< n 0)))\n" + GOAL)
    found = parse(text.encode(), "vacuous")
    for solver in find():
        with Process(solver) as process:
            assert process.ask(found.assumptions, 60).word == "unsat"
            assert process.ask(CERTIFICATE.assumptions, 60).word == "sat"


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A report on a folder with everything that can be wrong in it."""
    false, empty = certificates_of("false", refuted()), certificates_of("empty", vacuous())
    texts = {
        **TEXTS,
        **false,
        **empty,
        "undeclared": SWAP.replace("(declare-fun j () Int)\n", ""),
        "pipe": SWAP,
        "edited": SWAP,
    }
    folder = write(tmp_path_factory.mktemp("mixed"), **texts)
    own = {"sum_act": believed(**TEXTS, undeclared=SWAP, pipe=SWAP, edited=SWAP),
           "false": believed(**false), "empty": believed(**empty)}  # fmt: skip
    (folder / "edited.smt2").write_text(SWAP + "\n", "utf-8")
    (folder / "extra.smt2").write_text(SWAP, "utf-8")
    (folder / "pipe.smt2").unlink()
    os.mkfifo(folder / "pipe.smt2")
    (folder / "sum_act_sum_outside_base.smt2").unlink()
    return recheck(folder, 60, own.get)


def test_report(mixed: Report) -> None:
    """A verdict would be another than what is wrong with the file, or a file be left out."""
    rows = {row.file.removesuffix(".smt2"): row for row in mixed.rows}
    wrong = {
        "false_goal": ("refuted", "says sat"),
        "empty_goal": ("vacuous", "contradict each other"),
        "undeclared": ("refused", "a definition of what is declared"),
        "pipe": ("refused", "not a regular file"),
        "edited": ("refused", "another content"),
        "extra": ("refused", "not listed in"),
        "sum_act_sum_outside_base": ("missing", "no such file, expected as MANIFEST"),
    }
    assert rows.keys() == TEXTS.keys() | wrong.keys() and mixed.status == 1 and mixed.recorded
    for name, row in rows.items():
        verdict, words = wrong.get(name, ("checked", ""))
        assert (row.verdict, words in row.reason) == (verdict, True), row
    data = mixed.to_json()
    assert [r["file"] for r in data["files"]] == [r.file for r in mixed.rows]
    assert json.loads(json.dumps(data))["status"] == 1


@pytest.mark.usefixtures("kept_solvers")
@BOTH
def test_a_good_folder(tmp_path: Path) -> None:
    """True certificates would not be checked, or the missing manifest not be noticed."""
    report = recheck(write(tmp_path, recorded=False, **TEXTS), 60, known)
    assert (report.status, report.recorded) == (0, False)
    assert len(report.rows) == len(TEXTS)
    for row in report.rows:
        assert [a.word for a in row.answers.values()] == ["unsat", "unsat"]


@pytest.mark.usefixtures("kept_solvers")
def test_one_solver_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain install would fail, or one solver pass for two where two are asked for."""
    write(tmp_path, **TEXTS)
    monkeypatch.setattr("orderproof.symbolic.smt.recheck.find", lambda: find()[:1])
    assert recheck(tmp_path, 60, known).status == 0
    assert recheck(tmp_path, 60, known, independent=True).status == 3
    assert recheck(tmp_path, 60, known, "z3").status == 0
    for name in ("cvc5", "yices"):
        with pytest.raises(CertificateError, match=f"solver {name}: not found"):
            chosen(name)
    monkeypatch.setattr("orderproof.symbolic.smt.recheck.find", lambda: ())
    with pytest.raises(CertificateError, match="no solver found"):
        chosen(None)


def test_a_time_out_is_open(tmp_path: Path) -> None:
    """A solver that had no time would count as one that proves."""
    write(tmp_path, **{k: t for k, t in TEXTS.items() if "permuted_step" in k})
    report = recheck(tmp_path, 1e-6, known)
    assert report.status == 3 and {row.verdict for row in report.rows} == {"open", "missing"}


@pytest.mark.parametrize(
    "solver",
    [
        pytest.param(solver, id=solver.name, marks=[pytest.mark.slow] * (number > 0))
        for number, solver in enumerate(find())
    ],
)
def test_a_dead_process_is_no_answer(solver: Solver) -> None:
    """A solver that crashes would end the recheck, or its files be taken as checked."""
    before = {*multiprocessing.active_children()}  # those that other tests keep
    with Process(solver) as process:
        assert process.ask(SWAP, 60).word == "unsat"
        process._process.kill()
        process._process.join()
        assert process.ask(SWAP, 60).word == "crashed"
        assert process.ask(SWAP, 60).word == "unsat"
    assert {*multiprocessing.active_children()} <= before


def test_a_solver_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """One file could keep the recheck waiting for ever."""
    monkeypatch.setattr(solvers, "GRACE", 0.2)
    with Process(find()[0]) as process:
        assert process.ask(SWAP, 60).word == "unsat"
        os.kill(process._process.pid, 19)  # SIGSTOP
        answer = process.ask(SWAP, 0.1)
        assert (answer.word, answer.reason) == ("timeout", "stopped after 0.1 s")
        assert process.ask(SWAP, 60).word == "unsat"


FAKE = """#!/bin/sh
cat > /dev/null
echo {said}
"""


@pytest.mark.parametrize(
    ("said", "word"), [("unsat", "unsat"), ("sat", "sat"), ("'(error \"line 1\")'", "error")]
)
def test_a_program_on_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, word: str
) -> None:
    """Where the package is missing, the program would not be asked, or be asked twice over."""
    program = tmp_path / "z3"
    program.write_text(FAKE.format(said=said), "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert [s.program for s in find()] == [None] * len(find())
    monkeypatch.setattr(solvers.z3_process, "installed", lambda: False)
    found = next(s for s in find() if s.name == "z3")
    assert found.program == str(program)
    with Process(found) as process:
        assert process.ask(SWAP, 60).word == word


# --------------------------------------------------------------------------------- corrupted files
def corrupted(count: int) -> list[tuple[str, bytes]]:
    """Certificates with a byte changed, or cut, at places of a fixed seed, with their names."""
    random, found = Random(11), []
    texts = [(name, text.encode()) for name, text in TEXTS.items()]
    for number in range(count):
        name, whole = random.choice(texts)
        data = bytearray(whole)
        place = random.randrange(len(data))
        if number % 4 == 0:
            del data[place:]
        elif number % 4 == 1:
            del data[place : place + random.randint(1, 8)]
        else:
            new = random.choice((random.randrange(256), *b'()|;"0 n'))
            data[place] = new if new != data[place] else data[place] ^ 1
        found.append((name, bytes(data)))
    return found


@pytest.mark.usefixtures("kept_solvers")
@pytest.mark.parametrize("count", [30, pytest.param(1000, marks=pytest.mark.slow)])
def test_corrupted_certificates(tmp_path: Path, count: int) -> None:
    """A damaged file would end in a traceback, or pass for the one that prove wrote."""
    damaged = {f"{k:04}": pair for k, pair in enumerate(corrupted(count))}
    originals = {number: TEXTS[name] for number, (name, _) in damaged.items()}
    folder = write(tmp_path, **originals)  # recorded as they were
    for number, (_, data) in damaged.items():
        assert data != originals[number].encode()
        (folder / f"{number}.smt2").write_bytes(data)
    own = {"sum_act": believed(**originals)}
    report = recheck(folder, 60, own.get)
    assert len(report.rows) == count and report.status == 2
    assert {row.verdict for row in report.rows} == {"refused"}
    (folder / MANIFEST).unlink()
    report = recheck(folder, 60, own.get)  # what the texts alone show
    assert len(report.rows) == count and report.status == 2
    verdicts = [row.verdict for row in report.rows]
    assert verdicts.count("refused") > 9 * count // 10
    for row in report.rows:
        assert (row.reason + row.file).isprintable() and len(row.reason) < 300
        if row.verdict != "refused":  # the model was hit: whatever it is, the question is the same
            number = row.file[:4]
            assert without_model(damaged[number][1].decode()) == without_model(originals[number])


def without_model(text: str) -> list[str]:
    """A certificate without the values for which its assumptions hold."""
    return [line for line in text.splitlines() if not line.startswith("; model: ")]


Edit = Callable[[str], str]


@pytest.mark.usefixtures("kept_solvers")
@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(
            lambda t: t.replace("(assert ", "(assert (or false true))\n(assert ", 1),
            marks=pytest.mark.slow,
        ),
        pytest.param(lambda t: t.replace(GOAL, ""), marks=pytest.mark.slow),
        lambda t: t.replace("(not ", "(or ", 1),
        lambda t: t.replace("(set-logic ALL)", "(set-logic ALL)\n(assert false)"),
    ],
    ids=["idle", "no goal", "goal for its negation", "false assumed"],
)
def test_edited_certificates(tmp_path: Path, edit: Edit) -> None:
    """A certificate that was made easy to prove would pass by its text, or by its manifest."""
    folder = write(tmp_path, sum_act_sum_swap=SWAP)
    text = edit(SWAP)
    assert text != SWAP
    (folder / "sum_act_sum_swap.smt2").write_text(text, "utf-8")
    assert recheck(folder, 60, known).status == 2
    (folder / MANIFEST).unlink()
    rows = recheck(folder, 60, known).rows
    assert [r.file for r in rows if r.verdict == "refused"] == ["sum_act_sum_swap.smt2"]
