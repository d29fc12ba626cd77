"""`orderproof recheck`: the table, and every bad input told apart by one line and the status."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from orderproof import cli
from orderproof.proofs.catalogue import load
from orderproof.proofs.certificates import certificates, record
from orderproof.symbolic.recheck import Report, Row
from orderproof.symbolic.solvers import Answer, Process, Solver, find

BOTH = pytest.mark.skipif(len(find()) < 2, reason="needs cvc5 (extra solvers)")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The certificates of one theorem, as prove writes them."""
    files = certificates(load("not_cross_attention_of_keys_alone"))
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    record(tmp_path, files, ["not_cross_attention_of_keys_alone"])
    return tmp_path


def run(*arguments: object) -> Result:
    """The command in this process."""
    return CliRunner().invoke(cli.cli, ["recheck", *map(str, arguments)])


@BOTH
def test_a_good_folder(folder: Path) -> None:
    """What is checked by both solvers would not be said, or end with another status than 0."""
    done = run(folder)
    lines = done.output.splitlines()
    assert done.exit_code == 0 and max(map(len, lines)) <= 120
    assert lines[0].split()[:2] == ["certificate", "verdict"] and "cvc5" in lines[0]
    assert all(line.split()[1:3] == ["checked", "unsat"] for line in lines[1:3])
    assert lines[3].startswith("2 of 2 certificates checked by z3 and cvc5, ") and len(lines) == 4
    data = json.loads(run(folder, "--json").output)
    assert (data["status"], data["manifest"]) == (0, True)
    for row in data["files"]:
        assert row["verdict"] == "checked" and row["theorem"].startswith("not_cross_attention")
        assert {a["answer"] for a in row["answers"].values()} == {"unsat"}
    (folder / "MANIFEST.json").unlink()
    done = run(folder)
    assert done.exit_code == 0 and "No MANIFEST.json" in done.output


def test_bad_input(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A person's mistake would end in a traceback, or as if something had been checked."""
    empty = tmp_path_factory.mktemp("empty")
    some = next(folder.glob("*.smt2"))
    for arguments, words in (
        ((empty,), "no .smt2 file"),
        ((empty / "none",), "no such folder"),
        ((some,), "not a folder"),
        ((folder, "--solver", "yices"), "yices"),
        ((folder, "--timeout", "0"), "0.0 is not in the range"),
        ((folder, "--timeout", "nan"), "--timeout"),
        ((), "folder"),
    ):
        done = CliRunner().invoke(cli.cli, ["recheck", *map(str, arguments)], standalone_mode=False)
        assert isinstance(done.exception, Exception) and words in str(done.exception), arguments
    some.write_text("no SMT-LIB", "utf-8")
    done = run(folder)
    assert done.exit_code == 2 and f"{some.name}: refused: given another content" in done.output
    (folder / "MANIFEST.json").unlink()
    done = run(folder)
    assert done.exit_code == 2 and f"{some.name}: refused: given a header without" in done.output
    assert "1 of 2 certificates checked" in done.output


def test_hostile_folders(folder: Path) -> None:
    """A pipe would hang the command; a manifest that cannot be read would count as none."""
    os.mkfifo(folder / "z.smt2")
    done = run(folder)
    assert done.exit_code == 2 and "z.smt2: refused: " in done.output
    (folder / "MANIFEST.json").unlink()
    done = run(folder)
    assert done.exit_code == 2 and "not a regular file" in done.output
    (folder / "MANIFEST.json").symlink_to(folder / "gone")
    done = CliRunner().invoke(cli.cli, ["recheck", str(folder)], standalone_mode=False)
    assert "MANIFEST.json: not a regular file" in str(done.exception)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("unsat", "unsat"), 0, "2 of 2 certificates checked"),
        (("unsat", "sat"), 1, "disagreement: cvc5 says sat, z3 unsat"),
        (("sat", "sat"), 1, "refuted: z3, cvc5 says sat"),
        (("unsat", "error"), 2, "refused: no SMT-LIB to cvc5"),
        (("unsat", "unknown"), 3, "open: cvc5: unknown"),
        (("timeout", "unsat"), 3, "open: z3: timeout"),
    ],
)
@BOTH
def test_answers_are_told_apart(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, str], status: int, said: str
) -> None:
    """A disagreement, an error, a time-out and an unknown would look alike, or like success."""

    def ask(self: Process, text: str, seconds: float) -> Answer:
        alone = text.count("(assert") < 2
        return Answer(
            "sat" if alone else dict(zip(("z3", "cvc5"), words, strict=True))[self._solver.name],
            0.1,
        )

    monkeypatch.setattr(Process, "ask", ask)
    done = run(folder)
    assert done.exit_code == status and said in done.output


def test_one_solver_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One solver's word would pass for two, unless that one was asked for."""
    monkeypatch.setattr("orderproof.symbolic.recheck.find", lambda: find()[:1])
    done = run(folder)
    assert done.exit_code == 3 and "One solver alone, z3" in done.output
    done = run(folder, "--solver", "z3")
    assert done.exit_code == 0 and "One solver alone" not in done.output


def test_the_worst_decides() -> None:
    """A refuted file would be hidden behind one that is merely refused, or open."""

    def status(*verdicts: str) -> int:
        solvers = (Solver("z3", ""), Solver("cvc5", ""))
        return Report(solvers, tuple(Row("a", v) for v in verdicts), True, False, 0.0).status

    assert status("checked", "checked") == 0
    assert status("open", "checked") == 3
    assert status("open", "refused", "checked") == 2
    for worst in ("refuted", "disagreement", "vacuous"):
        assert status("open", worst, "refused") == 1
