"""Recheck binds: a file to its statement and theorem, a folder to what a theorem rests on, and
assumptions to values for which they hold."""

from __future__ import annotations

import multiprocessing
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from orderproof.symbolic.smt import chain, solvers
from orderproof.symbolic.smt.budget import QUESTION, Answer, Budget
from orderproof.symbolic.smt.certificate import (
    ABOUT,
    Certificate,
    CertificateError,
    lines_of,
    parse,
)
from orderproof.symbolic.smt.recheck import (
    NO_MODEL,
    Report,
    Row,
    assumed,
    judged,
    missing,
    recheck,
    stranger,
)
from orderproof.symbolic.smt.solvers import Process, Solver, find
from orderproof.symbolic.statements.statement import Atom, Statement

from .certificate_texts import (
    KNOWN,
    SUM,
    SWAP,
    TEXTS,
    Lines,
    believed,
    certificates_of,
    known,
    refuted,
    slowly_vacuous,
    vacuous,
    write,
    x,
)
from .kept import Kept

NAME = "sum_act_sum_swap"
SAME = certificates_of("sum_act", Statement(Atom(x, "=", x)))  # x = x under that name
BOTH = pytest.mark.skipif(len(find()) < 2, reason="needs cvc5 (extra solvers)")


def row_of(report: Report, name: str) -> Row:
    """What was said of one file."""
    (row,) = (row for row in report.rows if row.file == f"{name}.smt2")
    return row


def headed(text: str, like: str) -> str:
    """A text whose header says that it is about what that of another text says."""
    own, other = (lines_of(t, ABOUT) for t in (text, like))
    for key in ABOUT:
        for old, new in zip(own[key], other[key], strict=True):
            text = text.replace(f"; {key}: {old}\n", f"; {key}: {new}\n", 1)
    return text


@pytest.mark.usefixtures("kept_solvers")
# ------------------------------------------------------------------------------------ the catalogue
@pytest.mark.parametrize("recorded", [True, False], ids=["manifest", "no manifest"])
def test_x_equals_x_under_the_name_of_a_theorem(tmp_path: Path, recorded: bool) -> None:
    """A file that proves x = x, alone in a folder with a new manifest, was "1 of 1 checked"."""
    (text,) = SAME.values()
    report = recheck(write(tmp_path, recorded, sum_act_goal=text), 60, known)
    row = row_of(report, "sum_act_goal")
    assert (row.verdict, report.status) == ("refused", 2) and "claim: line 1" not in row.reason
    assert row.reason.startswith("serves: line 1: given ")
    true = believed(sum_act_goal=text)  # the file itself is a true certificate, of another theorem
    assert recheck(tmp_path, 60, {"sum_act": true}.get).rows[0].verdict == "checked"


@pytest.mark.usefixtures("kept_solvers")
def test_a_true_statement_around_another_question(tmp_path: Path) -> None:
    """Under a header that says the right things x = x could be asserted."""
    texts = {**TEXTS, "sum_act_goal": headed(SAME["sum_act_goal"], TEXTS["sum_act_goal"])}
    report = recheck(write(tmp_path, **texts), 60, known)
    row = row_of(report, "sum_act_goal")
    assert (row.verdict, report.status) == ("refused", 2)
    assert row.reason.startswith("another question than that of the statement")
    assert {r.verdict for r in report.rows if r is not row} == {"checked"}


@pytest.mark.usefixtures("kept_solvers")
def test_a_true_question_in_the_place_of_another(tmp_path: Path) -> None:
    """The goal could be left out: another lemma of its chain has its name, or its header."""
    for text in (SWAP, headed(SWAP, TEXTS["sum_act_goal"])):
        report = recheck(write(tmp_path, **{**TEXTS, "sum_act_goal": text}), 60, known)
        assert (row_of(report, "sum_act_goal").verdict, report.status) == ("refused", 2)


@pytest.mark.usefixtures("kept_solvers")
def test_a_certificate_of_another_theorem(tmp_path: Path) -> None:
    """A true certificate could be given the name of a theorem, or a theorem's name in it."""
    other = certificates_of("other", refuted())
    both: Mapping[str, Mapping[str, Lines]] = {**KNOWN, "other": believed(**other)}
    (text,) = other.values()
    renamed = recheck(write(tmp_path, sum_act_goal=text), 60, both.get)
    assert (
        "given this name, expected that of one of the 1" in row_of(renamed, "sum_act_goal").reason
    )
    text = text.replace("; theorem: other\n", "; theorem: sum_act\n")
    again = recheck(write(tmp_path, sum_act_goal=text), 60, both.get)
    assert "serves: line 1: given" in row_of(again, "sum_act_goal").reason
    text = text.replace("; theorem: sum_act\n", "; theorem: sum_act_2\n")
    nobody = recheck(write(tmp_path, sum_act_goal=text), 60, both.get)
    assert "expected one of the catalogue" in row_of(nobody, "sum_act_goal").reason
    assert {r.status for r in (renamed, again, nobody)} == {2}


@pytest.mark.parametrize("key", ABOUT)
def test_every_line_about_a_file_is_the_catalogues(key: str) -> None:
    """Words above a true question could claim anything: 0 = 1, or another theorem."""
    certificate = parse(SWAP.encode(), f"{NAME}.smt2")
    assert stranger(certificate, known) == ""
    (line,) = certificate.about[key]
    old = f"; {key}: {line}\n"
    for new in (f"; {key}: 0 = 1\n", f"{old}; {key}: 0 = 1\n", f"{old}{old}", f"{old}; {key}: \n",
                f"; {key}: 0 = 1\n{old}"):  # fmt: skip
        found = parse(SWAP.replace(old, new, 1).encode(), f"{NAME}.smt2")
        reason = stranger(found, known)
        assert reason.startswith((f"{key}: ", "given the theorem '0 = 1'")), reason


@pytest.mark.usefixtures("kept_solvers")
def test_hostile_statements_are_compared_as_texts(tmp_path: Path) -> None:
    """A statement that nobody claims would be read, and could stop whoever reads it."""
    (line,) = parse(SWAP.encode(), "x").about["serves"]
    for number, hostile in enumerate(("[" * 10**5, "{}", "null", "9" * 10**5, line[:-1], "")):
        text = SWAP.replace(line, hostile)
        report = recheck(write(tmp_path, **{NAME: text}), 60, known)
        row = row_of(report, NAME)
        assert (row.verdict, report.status) == ("refused", 2), number
        assert row.reason.startswith("serves: line 1: ") and len(row.reason) < 300


def test_nothing_of_a_file_is_made_anew_in_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hostile text could stop the whole run, and not only the process that reads it."""

    def never(*_: object) -> None:
        raise AssertionError("read here")

    for name in ("regenerated", "parse", "chain"):
        monkeypatch.setattr(chain, name, never)
    monkeypatch.setattr(chain.Served, "of", never)
    before = {*multiprocessing.active_children()}  # those that other tests keep
    report = recheck(write(tmp_path, **TEXTS), 60, known)
    assert {row.verdict for row in report.rows} == {"checked"}
    assert {*multiprocessing.active_children()} <= before


@pytest.mark.usefixtures("kept_solvers")
# --------------------------------------------------------------------------------------- the folder
@pytest.mark.parametrize("recorded", [True, False], ids=["manifest", "no manifest"])
@pytest.mark.parametrize(
    "gone", ["sum_act_goal", pytest.param("sum_act_sum_outside_base", marks=pytest.mark.slow)]
)
@BOTH
def test_what_is_missing_is_said(tmp_path: Path, recorded: bool, gone: str) -> None:
    """A lemma, or the goal, could be left out of a folder whose files are all checked."""
    left = {name: text for name, text in TEXTS.items() if name != gone}
    report = recheck(write(tmp_path, recorded, **left), 60, known)
    row = row_of(report, gone)
    assert (row.verdict, row.reason) == ("missing", "no such file, expected for sum_act")
    assert report.status == 3 and row.says == {"theorem": "sum_act"}
    assert {r.verdict for r in report.rows if r is not row} == {"checked"}
    if recorded:  # listed, and no more there
        (tmp_path / f"{gone}.smt2").write_text(TEXTS[gone], "utf-8")
        write(tmp_path, **TEXTS)
        (tmp_path / f"{gone}.smt2").unlink()
        report = recheck(tmp_path, 60, known)
        assert row_of(report, gone).verdict == "missing" and report.status == 3
        assert len(report.rows) == len(TEXTS)


def test_only_theorems_that_are_named_are_missed() -> None:
    """A folder with some theorems could never be complete for these."""
    names = KNOWN["sum_act"].keys()
    assert missing(["sum_act"], names, known) == []
    assert missing([], [], known) == []
    assert len(missing(["sum_act"], [], known)) == len(names)


# ---------------------------------------------------------------------------------------- the model
VACUOUS = {name: parse(t.encode(), name) for name, t in certificates_of("v", vacuous()).items()}
AS_STATED = Answer("stated", 0.0)
N = "(define-fun n () Int 0)"


def with_model(text: str, *lines: str) -> str:
    """A certificate with another model."""
    kept = [line for line in text.splitlines(keepends=True) if not line.startswith("; model: ")]
    place = next(k for k, line in enumerate(kept) if line.startswith("; states: "))
    return "".join([*kept[:place], *(f"; model: {line}\n" for line in lines), *kept[place:]])


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
        with pytest.raises(CertificateError, match="given ") as caught:
            parse(with_model(SWAP, *lines).encode(), "x")
        assert str(caught.value).isprintable() and len(str(caught.value)) < 200


def test_a_symbol_is_defined_once() -> None:
    """Of two values the one that suits could be taken."""
    with pytest.raises(CertificateError, match="given the model"):
        parse(with_model(SWAP, N, N).encode(), "x")


def verdict(kept: Kept, solver: Solver, c: Certificate) -> tuple[str, str]:
    """The verdict where this solver alone says of the question what it should."""
    with kept.process(solver) as process:
        pair = Answer("unsat", 0.0), assumed(c, process, 60)
    row = judged(c, {solver.name: pair}, AS_STATED)
    return row.verdict, row.reason


@pytest.mark.parametrize("solver", find(), ids=lambda s: str(s.name))
def test_assumptions_hold_at_the_model_in_the_file(solver: Solver, kept_solvers: Kept) -> None:
    """Assumptions could be called consistent on no ground, or a wrong model not be noticed."""
    assert verdict(kept_solvers, solver, parse(SWAP.encode(), "x")) == ("checked", "")
    for lines in ((), ("(define-fun n () Int (- 1))",)):  # 0 ≤ n is assumed
        said, why = verdict(kept_solvers, solver, parse(with_model(SWAP, *lines).encode(), "x"))
        assert said == "open" and why.startswith("vacuity open"), lines
    free = parse(TEXTS["sum_act_sum_update_base"].encode(), "x")
    assert not free.assumes and not free.modelled
    assert verdict(kept_solvers, solver, free) == ("checked", "")


@pytest.mark.parametrize("solver", find(), ids=lambda s: str(s.name))
def test_assumptions_that_contradict_each_other(solver: Solver, kept_solvers: Kept) -> None:
    """A certificate that assumes 1 = 0 would be checked, with a model or without."""
    (c,) = VACUOUS.values()
    assert verdict(kept_solvers, solver, c)[0] == "vacuous"
    symbol = "T0" if "(declare-fun T0 " in c.text else "v1"
    c = parse(with_model(c.text, f"(define-fun {symbol} () Real 1.0)").encode(), "x")
    assert verdict(kept_solvers, solver, c)[0] == "vacuous"


@pytest.mark.slow
@pytest.mark.parametrize("solver", find(), ids=lambda s: str(s.name))
def test_contradictions_that_are_found_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, solver: Solver
) -> None:
    """Assumptions that take longer to contradict than a solver has were "checked" by it alone."""
    monkeypatch.setattr(solvers, "GRACE", 1.0)
    texts = certificates_of("late", slowly_vacuous(6), modelled=False)
    own = {"late": believed(**texts)}
    report = recheck(write(tmp_path, **texts), 1, own.get, solver.name)
    (row,) = report.rows
    assert row.answers[solver.name].word == "unsat"
    assert (row.verdict, report.status) == ("open", 3) and row.reason.startswith("vacuity open")
    zeros = [f"(define-fun T{k} () Real 0.0)" for k in range(6)]
    texts = {name: with_model(text, *zeros) for name, text in texts.items()}
    (row,) = recheck(write(tmp_path, **texts), 1, own.get, solver.name).rows
    assert row.verdict in ("open", "vacuous") and row.reason, row


def test_assumptions_that_stay_undecided_are_not_taken_to_hold() -> None:
    """The same without the wait: a solver that gives up would count as one that found a model."""

    class Undecided(Process):
        def ask(self, text: str, seconds: float, budget: Budget = QUESTION) -> Answer:
            """What a solver says that had no time."""
            return Answer("unsat" if "(assert (not " in text else "timeout", seconds)

    (text,) = certificates_of("late", slowly_vacuous(2), modelled=False).values()
    zeros = [f"(define-fun T{k} () Real 0.0)" for k in range(2)]
    for said in (text, with_model(text, *zeros)):
        with Undecided(find()[0]) as process:
            pair = process.ask(said, 1), assumed(parse(said.encode(), "late"), process, 1)
        row = judged(parse(said.encode(), "late"), {"z3": pair}, AS_STATED)
        assert row.answers["z3"].word == "unsat"
        assert row.verdict == "open" and row.reason.startswith("vacuity open")


def test_solvers_that_disagree_about_assumptions() -> None:
    """One solver for whom they hold would outvote one for whom they contradict each other."""
    certificate = parse(SWAP.encode(), "x")

    def said(first: str, second: str) -> str:
        pairs = {
            name: (Answer("unsat", 0.0), Answer(word, 0.0))
            for name, word in (("z3", first), ("cvc5", second))
        }
        return judged(certificate, pairs, AS_STATED).verdict

    assert said("sat", "sat") == said("sat", "unknown") == said("timeout", "sat") == "checked"
    assert said("sat", NO_MODEL) == said(NO_MODEL, "sat") == "open"
    assert said("sat", "unsat") == said("unsat", "sat") == "disagreement"
    assert said("unsat", NO_MODEL) == "vacuous"
    for word in (NO_MODEL, "unknown", "error", "timeout", "crashed"):
        assert said(word, NO_MODEL) == said(word, "unknown") == "open"


@pytest.mark.usefixtures("kept_solvers")
def test_a_statement_that_is_weaker_is_another(tmp_path: Path) -> None:
    """A hypothesis more in the statement that is served would go unnoticed."""
    less = replace(SUM, given=vacuous().given)
    texts = certificates_of("sum_act", less, "permute")
    report = recheck(write(tmp_path, **texts), 60, known)
    assert {row.verdict for row in report.rows} == {"refused"} and report.status == 2
