"""Rechecking certificates: what is refused unread, what each file comes to, damaged files."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from orderproof.symbolic.smt.certificate import (
    ABOUT,
    MANIFEST,
    MAX_BYTES,
    MAX_DEPTH,
    CertificateError,
    lines_of,
    parse,
    read_manifest,
)
from orderproof.symbolic.smt.recheck import recheck, stranger
from orderproof.symbolic.smt.solvers import find
from orderproof.symbolic.statements.statement import Atom, Statement

from .certificate_texts import (
    GOAL,
    SUM,
    SWAP,
    TEXTS,
    believed,
    certificates_of,
    known,
    refuted,
    vacuous,
    with_model,
    write,
    x,
)


def refused(text: str | bytes) -> str:
    """The line with which a text is refused."""
    with pytest.raises(CertificateError) as caught:
        parse(text.encode() if isinstance(text, str) else text, "given.smt2")
    message = str(caught.value)
    assert message.startswith("given.smt2: given ") and message.isprintable()
    assert ", expected " in message and len(message) < 200
    return message


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
        ("; serves: ", "; served: ", "a header without 'serves'"),
        ("; expected: unsat", "; expected: sat", "the expected answer 'sat'"),
        ("(check-sat)\n", "(check-sat", "open parentheses at the end"),
        ("(check-sat)\n", "(check-sat))\n", "')' on line"),
        ("(check-sat)\n", "(check-sat)\nunsat\n", "'unsat' on line"),
        ("(set-logic ALL)", '(set-logic ALL)"', 'an open "'),
        ("(set-logic ALL)", "(set-logic ALL)|", "an open |"),
        ("(set-logic ALL)", "(set-logic\x00ALL)", "the character '\\x00'"),
        ("(set-logic ALL)", "(set-logic\u202eALL)", "the character '\\u202e'"),
        ("\n", "\r\n", "the character '\\r'"),  # what ends a line for one reader may not for all
        ("(assert", "; a\r(assert", "the character '\\r'"),
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


N = "(define-fun n () Int 0)"


@pytest.mark.parametrize(
    "line",
    [
        "(assert false)", "(assert true)", f"{N}(check-sat)", f"{N} {N}", f"{N} (assert false)", "",
        "n = 0", "(define-fun z () Int 0)", "(define-fun + ((x Int) (y Int)) Int 0)",
        "(define-fun |n| () Int 0)", "(define-fun n () Real 0.5)", "(define-fun n () Bool true)",
        "(define-fun n ((x Int)) Int 0)", "(define-fun S () Real 0.0)", "(define-fun n () Int)",
        "(define-fun n () Int 0 1)", "(define-fun (n) () Int 0)", "(define-fun)", "()", "(",
        "(define-fun-rec n () Int (+ n 1))", "(define-fun n () Int (! 0 :named j))",
        "(define-fun n () Int 0) ; and", "(define-fun n () Int ; 0)", "(declare-fun n () Int)",
        "(define-fun S (x (y Int)) Real 0.0)", "(define-fun S ((x) (y Int)) Real 0.0)",
        "(define-fun S ((x Int) (y Int)) Real 0.0)", '(echo "sat")', "(define-const n Int 0)",
        "(define-sort Int () Real)", "(define-fun n () Int " + "(" * 300 + ")" * 300 + ")",
    ],
)  # fmt: skip
def test_what_is_no_definition_of_what_is_declared_is_refused(line: str) -> None:
    """A line of the model could be a command to the solver, or change what is assumed."""
    assert parse(with_model(SWAP, N).encode(), "x").modelled
    for lines in ((line,), (N.replace("n ", "j "), line)):
        refused(with_model(SWAP, *lines))


def test_a_symbol_is_defined_once() -> None:
    """Of two values the one that suits could be taken."""
    assert "given the model" in refused(with_model(SWAP, N, N))


NO_FILES: dict[str, Callable[[Path], object]] = {
    "a folder": Path.mkdir,
    "a pipe": os.mkfifo,
    "no such file": lambda path: path.symlink_to(path.parent / "gone"),
}


def test_manifests(tmp_path: Path) -> None:
    """A broken manifest, or what is no file in its place, would pass for one, or for none."""
    path = write(tmp_path, swap=SWAP) / MANIFEST
    (name, row), *_ = json.loads(path.read_text("utf-8")).items()
    assert read_manifest(tmp_path) == {name: row}
    once = f"{json.dumps(name)}: {json.dumps(row)}"
    for text in ("", "[]", "{}", "[" * 100_000, '{"../a.smt2": {"sha256": "", "theorem": ""}}',
                 '{"a.smt2": {"theorem": "x"}}', '{"a.smt2": 1}',
                 f"{{{once}, {once}}}"):  # fmt: skip
        path.write_text(text, "utf-8")
        with pytest.raises(CertificateError) as caught:
            read_manifest(tmp_path)
        assert str(caught.value).isprintable()
    path.unlink()
    assert read_manifest(tmp_path) is None
    for number, (what, make) in enumerate(NO_FILES.items()):
        make(path)
        with pytest.raises(CertificateError, match=f"given {what}, expected the manifest"):
            read_manifest(tmp_path)
        path.rename(tmp_path / str(number))


def with_more(count: int) -> str:
    """A certificate with so many assertions more."""
    return SWAP.replace(GOAL, "(assert (or true true))\n" * count + GOAL)


def calls_to_read(count: int) -> int:
    """How many functions are called while it is read."""
    data, called = with_more(count).encode(), 0

    def one(*_: object) -> None:
        nonlocal called
        called += 1

    gc.collect()
    gc.disable()  # what earlier tests left would be finalised, and counted, here
    before = sys.getprofile()
    sys.setprofile(one)
    try:
        parse(data, "large")
    finally:
        sys.setprofile(before)
        gc.enable()
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


# -------------------------------------------------------------------------------------- the folder
def headed(text: str, like: str, *keys: str) -> str:
    """A text whose header says of these keys (or of all of ABOUT) what that of another says."""
    own, other = (lines_of(t, keys or ABOUT) for t in (text, like))
    for key, values in own.items():
        for old, new in zip(values, other[key], strict=True):
            text = text.replace(f"; {key}: {old}\n", f"; {key}: {new}\n", 1)
    return text


def edited(old: str, new: str) -> str:
    """SWAP with the first of these changed."""
    assert old in SWAP
    return SWAP.replace(old, new, 1)


WHOLE = TEXTS["sum_act_goal"]
SAME = certificates_of("sum_act", Statement(Atom(x, "=", x)))["sum_act_goal"]  # x = x, named so
OTHER = certificates_of("other", refuted())["other_goal"]
FALSE = headed(OTHER, WHOLE, "theorem")
EMPTY = certificates_of("sum_act", vacuous())["sum_act_goal"]
WEAKER = certificates_of("sum_act", replace(SUM, given=vacuous().given), "permute")
UNDECLARED = edited("(declare-fun j () Int)\n", "")
NAMED = "given this name, expected that of one of the"
UNSTATED = "a last assertion about nothing declared"
ANOTHER = "another question than that of the statement"

# By the name of a file: what the catalogue knows under it, what it holds, the verdict, the reason.
FILES: dict[str, tuple[str, str, str, str]] = {
    **{name: (text, text, "checked", "") for name, text in TEXTS.items()},
    "x = x, where that is known": (SAME, SAME, "checked", ""),
    "x = x, where another is": (WHOLE, SAME, "refused", "serves: line 1: given "),
    "x = x under the right words": (WHOLE, headed(SAME, WHOLE), "refused", ANOTHER),
    "another lemma": (WHOLE, SWAP, "refused", "obligation: line 1: given "),
    "another lemma under the right words": (WHOLE, headed(SWAP, WHOLE), "refused", ANOTHER),
    "a hypothesis more": (SWAP, WEAKER["sum_act_sum_swap"], "refused", "serves: line 1: given "),
    "another theorem": (WHOLE, FALSE, "refused", "serves: line 1: given"),
    "named for another": (WHOLE, OTHER, "refused", f"{NAMED} 1 certificates of other"),
    "no theorem": (WHOLE, WHOLE.replace("theorem: sum_act", "theorem: sum_act_2"), "refused",
                   "given the theorem 'sum_act_2', expected one of the catalogue"),
    "false_goal": (FALSE, FALSE, "refuted", "says sat"),
    "empty_goal": (EMPTY, EMPTY, "vacuous", "contradict each other"),
    "undeclared": (UNDECLARED, UNDECLARED, "refused", "a definition of what is declared"),
    "idle assertion": (SWAP, edited("(assert ", "(assert (or false true))\n(assert "), "refused",
                       ANOTHER),
    "no goal": (SWAP, edited(GOAL, ""), "refused", UNSTATED),
    "goal for its negation": (SWAP, edited("(not ", "(or "), "refused", UNSTATED),
    "false assumed": (SWAP, edited("(set-logic ALL)", "(set-logic ALL)\n(assert false)"), "refused",
                      ANOTHER),
}  # fmt: skip
# The same of files that are not what the manifest says: with it, and without it.
CHANGED = {
    **{what: (("refused", f"given {what}, expected a certificate"),) * 2 for what in NO_FILES},
    "edited": (("refused", "another content, expected that recorded"), ("refused", ANOTHER)),
    "not listed": (("refused", "not listed in MANIFEST"), ("refused", NAMED)),
    "gone": (("missing", "no such file, expected as MANIFEST"),
             ("missing", "no such file, expected for sum_act")),
    "never there": (("missing", "no such file, expected for sum_act"),) * 2,
}  # fmt: skip


@pytest.mark.usefixtures("kept_solvers")
@pytest.mark.parametrize("recorded", [True, False], ids=["manifest", "no manifest"])
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, recorded: bool) -> None:
    """A file that says or asks something else than the catalogue would be checked, be left out, or
    be refused for what is not wrong with it: alone in a folder x = x was "1 of 1 checked"."""
    listed = {*CHANGED} - {"not listed", "never there"}
    texts = {name: given for name, (_, given, *_) in FILES.items()} | dict.fromkeys(listed, SWAP)
    own = {name: like for name, (like, *_) in FILES.items()}
    own |= dict.fromkeys({*CHANGED} - {"not listed"}, SWAP)
    catalogue = {"sum_act": believed(**own), "other": believed(other_goal=OTHER)}
    write(tmp_path, recorded, **texts)
    for name in ("gone", *NO_FILES):
        (tmp_path / f"{name}.smt2").unlink()
    for name, make in NO_FILES.items():
        make(tmp_path / f"{name}.smt2")
    (tmp_path / "edited.smt2").write_text(SWAP + "\n", "utf-8")
    (tmp_path / "not listed.smt2").write_text(SWAP, "utf-8")

    report = recheck(tmp_path, 60, catalogue.get)
    said = {name: (verdict, words) for name, (_, _, verdict, words) in FILES.items()}
    said |= {name: by[not recorded] for name, by in CHANGED.items()}
    rows = {row.file.removesuffix(".smt2"): row for row in report.rows}
    assert rows.keys() == said.keys() and (report.ending.status, report.recorded) == (1, recorded)
    for name, row in rows.items():
        verdict, words = said[name]
        assert (row.verdict, words in row.reason) == (verdict, True), row
        if verdict == "checked":
            assert [a.word for a in row.answers.values()] == ["unsat"] * len(find())
    assert rows["never there"].says == {"theorem": "sum_act"}
    data = json.loads(json.dumps(report.to_json()))
    assert data["status"] == 1
    assert [r["file"] for r in data["files"]] == [r.file for r in report.rows]


@pytest.mark.parametrize("key", ABOUT)
def test_every_line_about_a_file_is_the_catalogues(key: str) -> None:
    """Words above a true question could claim anything, or stop whoever reads them."""
    name = "sum_act_sum_swap.smt2"
    certificate = parse(SWAP.encode(), name)
    assert stranger(certificate, known) == ""
    (line,) = certificate.about[key]
    old = f"; {key}: {line}\n"
    hostile = ("[" * 10**5, "{}", "null", "9" * 10**5, line[:-1], "", "0 = 1")
    for new in (*(f"; {key}: {said}\n" for said in hostile), f"{old}; {key}: 0 = 1\n",
                f"{old}{old}", f"{old}; {key}: \n", f"; {key}: 0 = 1\n{old}"):  # fmt: skip
        reason = stranger(parse(SWAP.replace(old, new, 1).encode(), name), known)
        assert reason.startswith((f"{key}: ", "given the theorem ")) and len(reason) < 300, reason


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
    assert len(report.rows) == count and report.ending.status == 2
    assert {row.verdict for row in report.rows} == {"refused"}
    (folder / MANIFEST).unlink()
    report = recheck(folder, 60, own.get)  # what the texts alone show
    assert len(report.rows) == count and report.ending.status == 2
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
