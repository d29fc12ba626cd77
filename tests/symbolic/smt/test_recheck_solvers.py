"""What solvers answer to certificates, and what each answer comes to: verdicts, assumptions that
hold at the model in a file, and processes that die or hang."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

import pytest

from orderproof.symbolic.smt import chain, solvers
from orderproof.symbolic.smt.budget import QUESTION, Answer, Budget
from orderproof.symbolic.smt.certificate import Certificate, CertificateError, parse
from orderproof.symbolic.smt.recheck import (
    NO_MODEL,
    STATUS,
    Report,
    Row,
    assumed,
    chosen,
    judged,
    recheck,
)
from orderproof.symbolic.smt.solvers import Process, Solver, find

from .certificate_texts import (
    SWAP,
    TEXTS,
    believed,
    certificates_of,
    known,
    slowly_vacuous,
    vacuous,
    with_model,
    write,
)
from .kept import Kept

CERTIFICATE = parse(SWAP.encode(), "swap.smt2")
AS_STATED = Answer("stated", 0.0)
EACH = pytest.mark.parametrize("solver", find(), ids=lambda s: str(s.name))


# ---------------------------------------------------------------------------------- the verdicts
@pytest.mark.parametrize(
    ("answers", "verdict", "words"),
    [  # of z3 and cvc5: to the question, and (sat where it is not said) to the assumptions
        (("unsat", "unsat"), "checked", ""),
        (("unsat", "sat"), "disagreement", "cvc5 says sat, z3 unsat"),
        (("sat", "unsat"), "disagreement", "z3 says sat, cvc5 unsat"),
        (("sat", "sat"), "refuted", "z3, cvc5 says sat"),
        (("sat", "unknown"), "refuted", "z3 says sat"),
        (("unsat", "unknown"), "open", "cvc5: unknown"),
        (("timeout", "unsat"), "open", "z3: timeout"),
        (("crashed", "unsat"), "open", "z3: crashed"),
        (("unsat", "error"), "refused", "no SMT-LIB to cvc5: why"),
        (("unsat", "something"), "open", "cvc5: something"),
        ((), "open", "vacuity open: its assumptions are not shown to hold (no solver)"),
        (("unsat/unsat",), "vacuous", "contradict each other (z3): it proves nothing"),
        (("unsat/sat", "unsat/unknown"), "checked", ""),
        (("unsat/timeout", "unsat/sat"), "checked", ""),
        (("unsat/sat", f"unsat/{NO_MODEL}"), "open", "vacuity open"),
        ((f"unsat/{NO_MODEL}", "unsat/sat"), "open", "vacuity open"),
        (("unsat/sat", "unsat/unsat"), "disagreement", "hold to z3, not to cvc5"),
        (("unsat/unsat", "unsat/sat"), "disagreement", "hold to cvc5, not to z3"),
        (("unsat/unsat", f"unsat/{NO_MODEL}"), "vacuous", "contradict each other (z3)"),
        *(
            ((f"unsat/{word}", f"unsat/{other}"), "open", "vacuity open")
            for word in (NO_MODEL, "unknown", "error", "timeout", "crashed")
            for other in (NO_MODEL, "unknown")
        ),
    ],
)
def test_verdicts(answers: tuple[str, ...], verdict: str, words: str) -> None:
    """A solver that disagrees, gives up or breaks down would count as one that proves, or outvote
    one for whom the assumptions contradict each other."""
    pairs = {}
    for name, said in zip(("z3", "cvc5"), answers, strict=False):
        question, _, assumptions = said.partition("/")
        pairs[name] = Answer(question, 0.0, "why"), Answer(assumptions or "sat", 0.0)
    row = judged(CERTIFICATE, pairs, AS_STATED)
    assert (row.verdict, words in row.reason) == (verdict, True), row
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


def test_the_worst_decides() -> None:
    """A refuted file would be hidden behind one that is merely refused, or open."""

    def status(*verdicts: str) -> int:
        both = (Solver("z3", ""), Solver("cvc5", ""))
        return Report(both, tuple(Row("a", v) for v in verdicts), True, False, 0.0).ending.status

    assert status("checked", "checked") == 0
    assert status("open", "checked") == status("missing", "checked") == 3
    assert status("open", "refused", "checked") == 2
    for worst in ("refuted", "disagreement", "vacuous"):
        assert status("open", worst, "refused") == 1
    assert status(*STATUS) == 1


# ---------------------------------------------------------------------------------------- the model
VACUOUS = {name: parse(t.encode(), name) for name, t in certificates_of("v", vacuous()).items()}


def verdict(kept: Kept, solver: Solver, c: Certificate) -> tuple[str, str]:
    """The verdict where this solver alone says of the question what it should."""
    with kept.process(solver) as process:
        pair = Answer("unsat", 0.0), assumed(c, process, 60)
    row = judged(c, {solver.name: pair}, AS_STATED)
    return row.verdict, row.reason


@EACH
def test_assumptions_hold_at_the_model_in_the_file(solver: Solver, kept_solvers: Kept) -> None:
    """Assumptions could be called consistent on no ground, or a wrong model not be noticed."""
    assert verdict(kept_solvers, solver, parse(SWAP.encode(), "x")) == ("checked", "")
    for lines in ((), ("(define-fun n () Int (- 1))",)):  # 0 ≤ n is assumed
        said, why = verdict(kept_solvers, solver, parse(with_model(SWAP, *lines).encode(), "x"))
        assert said == "open" and why.startswith("vacuity open"), lines
    free = parse(TEXTS["sum_act_sum_update_base"].encode(), "x")
    assert not free.assumes and not free.modelled
    assert verdict(kept_solvers, solver, free) == ("checked", "")


@EACH
def test_assumptions_that_contradict_each_other(solver: Solver, kept_solvers: Kept) -> None:
    """A certificate that assumes 1 = 0 would be checked, with a model or without."""
    (c,) = VACUOUS.values()
    assert verdict(kept_solvers, solver, c)[0] == "vacuous"
    symbol = "T0" if "(declare-fun T0 " in c.text else "v1"
    c = parse(with_model(c.text, f"(define-fun {symbol} () Real 1.0)").encode(), "x")
    assert verdict(kept_solvers, solver, c)[0] == "vacuous"


@pytest.mark.slow
@EACH
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
    assert (row.verdict, report.ending.status) == ("open", 3) and row.reason.startswith(
        "vacuity open"
    )


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


# ----------------------------------------------------------------------------------- the processes
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


def test_a_solver_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another solver, or none, would be asked in the place of the one that was named."""
    monkeypatch.setattr("orderproof.symbolic.smt.recheck.find", lambda: find()[:1])
    assert chosen("z3") == chosen(None) == find()[:1]
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
    assert report.ending.status == 3 and {row.verdict for row in report.rows} == {"open", "missing"}


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


def test_a_terminal_ends_it_without_a_word(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """An interruption would print the traceback of each solver beside the line that tells of it."""
    with Process(find()[0]) as process:
        for moment in ("start", "_start"):  # when it begins, and when it is ready
            of = SpawnProcess if moment == "start" else Process
            plain = getattr(of, moment)

            def then(one: Any, plain: Callable[[Any], None] = plain) -> None:
                plain(one)
                if isinstance(one, SpawnProcess):
                    assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
                os.kill(getattr(one, "_process", one).pid, signal.SIGINT)

            with monkeypatch.context() as patch:
                patch.setattr(of, moment, then)
                assert process.ask(SWAP, 60).word == "crashed"
        assert process.ask(SWAP, 60).word == "unsat"
    assert capfd.readouterr() == ("", "")


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
    ("said", "word"),
    [
        ("unsat", "unsat"),
        ("sat", "sat"),
        ("'(error \"line 1\")'", "error"),
        ("'(error \"line 1\") unsat'", "error"),
    ],
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
