"""`orderproof recheck`: the table, and every bad input told apart by one line and the status."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from click import ClickException
from click.testing import CliRunner, Result

from orderproof import command_line as cli
from orderproof.check.prove.certificates import certificates
from orderproof.check.prove.manifest import record
from orderproof.proofs import catalogue
from orderproof.proofs.catalogue import load
from orderproof.symbolic.smt.solvers import Answer, Process, find
from orderproof.symbolic.statements.statement import Atom, Statement
from tests.symbolic.smt.certificate_texts import certificates_of, x
from tests.symbolic.smt.kept import Kept

THEOREM = "two_causal_layers_see_order"
ROTATION = "sinusoidal_shift_is_rotation"
SHORT = ("offset_invariant_of_alibi", "offset_invariant_of_relative_positions")  # a question each
BOTH = pytest.mark.skipif(len(find()) < 2, reason="needs cvc5 (extra solvers)")


@cache
def files_of(*names: str) -> dict[str, str]:
    """The certificates of these theorems."""
    return {file: text for name in names for file, text in certificates(load(name)).items()}


@pytest.fixture
def folder(tmp_path: Path, kept_solvers: Kept) -> Path:
    """The certificates of two theorems, as prove writes them."""
    written(tmp_path, files_of(*SHORT))
    return tmp_path


def written(folder: Path, files: Mapping[str, str]) -> None:
    """These files with a new manifest."""
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    record(folder, files, [THEOREM, *SHORT])


def run(*arguments: object) -> Result:
    """The command in this process."""
    return CliRunner().invoke(cli.cli, ["recheck", *map(str, arguments)])


def mistaken(words: str, *arguments: object) -> None:
    """The command says these words of its arguments, and rechecks nothing."""
    command = ["recheck", *map(str, arguments)]
    done = CliRunner().invoke(cli.cli, command, standalone_mode=False)
    shown = (ClickException, *cli._loaded(cli.MISTAKES))  # in one line, without a traceback
    assert isinstance(done.exception, shown), arguments
    assert words in str(done.exception), arguments


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A catalogue of five theorems, of which four have an SMT mark."""
    names = (THEOREM, *SHORT, ROTATION, "self_attention_equivariant")
    on_solvers = import_module("orderproof.commands.recheck")._on_solvers
    on_solvers.cache_clear()
    monkeypatch.setattr(catalogue, "IDS", names)
    yield
    on_solvers.cache_clear()


@BOTH
def test_a_good_folder(tmp_path: Path) -> None:
    """What is checked by both solvers would not be said, or end with another status than 0; of a
    chain with a hole all would be checked."""
    folder, files = tmp_path, files_of(THEOREM)
    written(folder, files)
    done = run(folder)
    lines = done.stdout.splitlines()
    assert done.exit_code == 0 and max(map(len, lines)) <= 120
    assert lines[0].split()[:2] == ["certificate", "verdict"] and "cvc5" in lines[0]
    *table, count, others = lines[1:]
    assert len(table) == len(files) > 10
    assert all(line.split()[1:3] == ["checked", "unsat"] for line in table)
    assert count.startswith(f"{len(files)} of {len(files)} certificates checked by z3 and cvc5, ")
    assert others == "Of 3 other theorems with SMT marks no certificate is here."
    gone = f"{THEOREM}_goal.smt2"
    for name in (gone, "MANIFEST.json"):
        (folder / name).unlink()
    done = run(folder, "--json")
    data = json.loads(done.stdout)
    assert (done.exit_code, data["status"], data["manifest"]) == (3, 3, False)
    assert data["theorems without certificates here"] == 3
    assert [row["file"] for row in data["files"]] == sorted(files)
    for row in data["files"]:
        verdict, answers = ("missing", set()) if row["file"] == gone else ("checked", {"unsat"})
        assert (row["verdict"], row["theorem"]) == (verdict, THEOREM)
        assert {a["answer"] for a in row["answers"].values()} == answers


def test_bad_input(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A person's mistake would end in a traceback, or as if something had been checked."""
    empty = tmp_path_factory.mktemp("empty")
    for arguments, words in (
        ((empty,), "no .smt2 file"),
        ((empty / "none",), "no such folder"),
        ((min(folder.glob("*.smt2")),), "not a folder"),
        ((folder, "--solver", "yices"), "yices"),
        ((folder, "--timeout", "0"), "0.0 is not in the range"),
        ((folder, "--timeout", "nan"), "given nan"),
        ((), "folder"),
    ):
        mistaken(words, *arguments)
    (folder / "MANIFEST.json").unlink()
    (folder / "MANIFEST.json").symlink_to(folder / "gone")
    mistaken("MANIFEST.json: given no such file", folder)


FIRST = f"{SHORT[0]}_goal.smt2"
MISNAMED = f"{SHORT[1]}_goal.smt2"
NOTHING = certificates_of(SHORT[0], Statement(Atom(x, "=", x)))[f"{SHORT[0]}_goal"]
Edit = Callable[[str], Mapping[str, str]]


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda _: {FIRST: "no SMT-LIB"}, f"{FIRST}: refused: given a header without"),
        (lambda _: {FIRST: NOTHING}, f"{FIRST}: refused: title: line 1: given 'Title', expected"),
        (lambda text: {MISNAMED: text},
         f"{MISNAMED}: refused: given this name, expected that of one of the 1 certificates of "),
        (lambda text: {FIRST: text.replace(f"theorem: {SHORT[0]}", "theorem: no_such")},
         f"{FIRST}: refused: given the theorem 'no_such', expected one of the catalogue"),
        (lambda text: {FIRST: text.replace("; serves: ", f"; serves: {'[' * 400_000}")},
         f"{FIRST}: refused: serves: line 1: given "),
    ],
    ids=["no certificate", "x = x", "another name", "no theorem", "hostile"],
)  # fmt: skip
def test_what_is_refused(folder: Path, edit: Edit, said: str) -> None:
    """A file would be checked against another catalogue than ours, or its line fill the screen."""
    (folder / "MANIFEST.json").unlink()
    for name, text in edit((folder / FIRST).read_text("utf-8")).items():
        (folder / name).write_text(text, "utf-8")
    done = run(folder)
    assert done.exit_code == 2 and "1 of 2 certificates checked" in done.stdout
    (line,) = [x for x in done.stdout.splitlines() if ": refused: " in x]
    assert line.startswith(said) and len(line) < 300


def test_folders_with_and_without_a_manifest(folder: Path) -> None:
    """A pipe would hang the command; who has the certificates alone could not check them."""
    os.mkfifo(folder / "z.smt2")
    done = run(folder)
    assert done.exit_code == 2 and "z.smt2: refused: not listed in" in done.stdout
    (folder / "MANIFEST.json").unlink()
    done = run(folder)
    assert done.exit_code == 2 and "z.smt2: refused: given a pipe" in done.stdout
    (folder / "z.smt2").unlink()
    done = run(folder)
    assert done.exit_code == 0 and "No MANIFEST.json" in done.stdout


@BOTH
def test_a_disagreement(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Solvers that disagree would look like a time-out, or like success."""

    def ask(self: Process, text: str, *_: object) -> Answer:
        questions = files_of(*SHORT).values()
        return Answer("unsat" if text in questions and self._solver.name == "z3" else "sat", 0.1)

    monkeypatch.setattr(Process, "ask", ask)
    done = run(folder)
    assert done.exit_code == 1 and "disagreement: cvc5 says sat, z3 unsat" in done.stdout


def test_one_solver_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain install would fail, or one solver's word pass for two where two were asked for."""
    monkeypatch.setattr("orderproof.symbolic.smt.recheck.find", lambda: find()[:1])
    done = run(folder)
    assert done.exit_code == 0 and "certificates checked by z3, " in done.stdout
    assert "one solver alone, z3" in done.stdout and "orderproof[solvers]" in done.stdout
    assert json.loads(run(folder, "--json").output)["independent"] is False
    done = run(folder, "--independent")
    assert done.exit_code == 3 and "one solver alone, z3" in done.stdout
    done = run(folder, "--solver", "z3")
    assert done.exit_code == 0 and "one solver alone" not in done.stdout
    both = run(folder, "--solver", "z3", "--independent")
    assert both.exit_code == 2 and "--independent: given with --solver z3" in both.output


@BOTH
def test_two_solvers_are_independent(folder: Path) -> None:
    """What two solvers prove would be refused where two are asked for."""
    done = run(folder, "--independent", "--json")
    data = json.loads(done.stdout)
    assert done.exit_code == data["status"] == 0 and data["independent"] is data["manifest"] is True
