"""`orderproof recheck`: the table, and every bad input told apart by one line and the status."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from orderproof import cli
from orderproof.proofs import catalogue
from orderproof.proofs.catalogue import load
from orderproof.proofs.prove.certificates import certificates
from orderproof.proofs.prove.manifest import record
from orderproof.symbolic.models.builders import tensor
from orderproof.symbolic.smt.chain import by_chain
from orderproof.symbolic.smt.models_of_assumptions import model
from orderproof.symbolic.smt.recheck import Report, Row
from orderproof.symbolic.smt.solvers import Answer, Process, Solver, find
from orderproof.symbolic.statements.statement import Atom, Statement
from tests.symbolic.smt.kept import Kept

THEOREM = "two_causal_layers_see_order"
ROTATION = "sinusoidal_shift_is_rotation"
SHORT = ("offset_invariant_of_alibi", "offset_invariant_of_relative_positions")  # a question each
BOTH = pytest.mark.skipif(len(find()) < 2, reason="needs cvc5 (extra solvers)")


@cache
def files_of(*names: str) -> dict[str, str]:
    """The certificates of these theorems."""
    return {file: text for name in names for file, text in certificates(load(name)).items()}


@pytest.fixture(scope="module")
def started() -> Iterator[Kept]:
    """The processes of solvers, for all tests here."""
    found = Kept()
    yield found
    found.stop()


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch, started: Kept) -> None:
    """A run of the command asks these: to start its own takes longer than all answers here."""
    for module in ("smt.recheck", "onnx.certificates"):
        monkeypatch.setattr(f"orderproof.symbolic.{module}.Process", started.process)


@pytest.fixture
def folder(tmp_path: Path, kept: None) -> Path:
    """The certificates of two theorems, as prove writes them."""
    written(tmp_path, files_of(*SHORT))
    return tmp_path


def written(folder: Path, files: Mapping[str, str]) -> None:
    """These files with a new manifest."""
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    record(folder, files, [THEOREM, *SHORT])


@pytest.fixture
def unasked(monkeypatch: pytest.MonkeyPatch, kept: None) -> None:
    """Solvers that are not asked: every question is unsat, and what it assumes is sat."""

    def ask(self: Process, text: str, *_: object) -> Answer:
        return Answer("unsat" if text in files_of(THEOREM).values() else "sat", 0.1)

    monkeypatch.setattr(Process, "ask", ask)


def run(*arguments: object) -> Result:
    """The command in this process."""
    return CliRunner().invoke(cli.cli, ["recheck", *map(str, arguments)])


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
    """What is checked by both solvers would not be said, or end with another status than 0."""
    folder, files = tmp_path, files_of(THEOREM)
    written(folder, files)
    done = run(folder)
    lines = done.output.splitlines()
    assert done.exit_code == 0 and max(map(len, lines)) <= 120
    assert lines[0].split()[:2] == ["certificate", "verdict"] and "cvc5" in lines[0]
    *table, count, others = lines[1:]
    assert len(table) == len(files) > 10
    assert all(line.split()[1:3] == ["checked", "unsat"] for line in table)
    assert count.startswith(f"{len(files)} of {len(files)} certificates checked by z3 and cvc5, ")
    assert others == "Of 3 other theorems with SMT marks no certificate is here."
    data = json.loads(run(folder, "--json").output)
    assert (data["status"], data["manifest"]) == (0, True)
    assert data["theorems without certificates here"] == 3
    for row in data["files"]:
        assert row["verdict"] == "checked" and row["theorem"] == THEOREM
        assert {a["answer"] for a in row["answers"].values()} == {"unsat"}


def test_a_folder_without_a_manifest(folder: Path) -> None:
    """Who has the certificates alone could not check them, or would not be told what is missing."""
    (folder / "MANIFEST.json").unlink()
    done = run(folder)
    assert done.exit_code == 0 and "No MANIFEST.json" in done.output


def test_bad_input(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A person's mistake would end in a traceback, or as if something had been checked."""
    empty = tmp_path_factory.mktemp("empty")
    some = min(folder.glob("*.smt2"))
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

    def ask(self: Process, text: str, *_: object) -> Answer:
        said = dict(zip(("z3", "cvc5"), words, strict=True))[self._solver.name]
        return Answer(said if text in files_of(*SHORT).values() else "sat", 0.1)

    monkeypatch.setattr(Process, "ask", ask)
    done = run(folder)
    assert done.exit_code == status and said in done.output


def test_one_solver_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain install would fail, or one solver's word pass for two where two were asked for."""
    monkeypatch.setattr("orderproof.symbolic.smt.recheck.find", lambda: find()[:1])
    done = run(folder)
    assert done.exit_code == 0 and "certificates checked by z3, " in done.output
    assert "one solver alone, z3" in done.output and "orderproof[solvers]" in done.output
    assert json.loads(run(folder, "--json").output)["independent"] is False
    done = run(folder, "--independent")
    assert done.exit_code == 3 and "one solver alone, z3" in done.output
    done = run(folder, "--solver", "z3")
    assert done.exit_code == 0 and "one solver alone" not in done.output
    both = run(folder, "--solver", "z3", "--independent")
    assert both.exit_code == 2 and "--independent: given with --solver z3" in both.output


@BOTH
def test_two_solvers_are_independent(folder: Path) -> None:
    """What two solvers prove would be refused where two are asked for."""
    done = run(folder, "--independent", "--json")
    assert done.exit_code == 0 and json.loads(done.output)["independent"] is True


def test_the_worst_decides() -> None:
    """A refuted file would be hidden behind one that is merely refused, or open."""

    def status(*verdicts: str) -> int:
        both = (Solver("z3", ""), Solver("cvc5", ""))
        return Report(both, tuple(Row("a", v) for v in verdicts), True, False, 0.0).status

    assert status("checked", "checked") == 0
    assert status("open", "checked") == 3
    assert status("open", "refused", "checked") == 2
    for worst in ("refuted", "disagreement", "vacuous"):
        assert status("open", worst, "refused") == 1


# ------------------------------------------------------------------------------------ falsehood 7
def proof_of_nothing(name: str) -> dict[str, str]:
    """A true certificate of x = x, which says that it is the goal of a theorem."""
    x = tensor("x")
    ((served, (o,)),) = by_chain().served(Statement(Atom(x, "=", x))).items()
    about = {"theorem": (name,), "title": (load(name).title,), "serves": (served.line(),)}
    return {f"{name}_goal.smt2": o.smtlib({**about, "model": model(o)})}


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("recorded", [True, False], ids=["manifest", "no manifest"])
def test_x_equals_x_under_the_name_of_a_theorem(tmp_path: Path, recorded: bool) -> None:
    """A file that proves x = x was "1 of 1 checked" under the name of any theorem."""
    files = proof_of_nothing(SHORT[0])
    written(tmp_path, files)
    if not recorded:
        (tmp_path / "MANIFEST.json").unlink()
    done = run(tmp_path)
    assert done.exit_code == 2 and "0 of 1 certificates checked" in done.output
    assert f"{SHORT[0]}_goal.smt2: refused: claim: line 1: given" in done.output


@pytest.mark.usefixtures("kept")
def test_another_theorems_certificates(tmp_path: Path) -> None:
    """True certificates would pass under another theorem's name, in the file or of the file."""
    other = "offset_invariant_of_alibi"
    ((name, text),) = certificates(load(other)).items()
    new = name.replace(other, THEOREM)
    for file, given, words in (
        (new, text, f"given this name, expected that of one of the 1 certificates of {other}"),
        (new, text.replace(other, THEOREM), ""),
        (name, text.replace(other, THEOREM), f"certificates of {THEOREM}"),
        (name, text.replace(f"; theorem: {other}", "; theorem: no_such"), "of the catalogue"),
    ):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        written(folder, {file: given})
        done = run(folder)
        assert done.exit_code == 2 and f"{file}: refused: " in done.output, words
        assert words in done.output and "0 of 1 certificates checked" in done.output


@pytest.mark.parametrize("recorded", [True, False], ids=["manifest", "no manifest"])
@pytest.mark.usefixtures("unasked")
@BOTH
def test_a_lemma_or_the_goal_is_gone(tmp_path: Path, recorded: bool) -> None:
    """A chain with a hole would be all checked."""
    gone = f"{THEOREM}_goal.smt2"
    files = files_of(THEOREM)
    written(tmp_path, {name: text for name, text in files.items() if name != gone})
    if not recorded:
        (tmp_path / "MANIFEST.json").unlink()
    done = run(tmp_path)
    assert done.exit_code == 3 and f"{gone}: missing: " in done.output
    assert f"{len(files) - 1} of {len(files)} certificates checked" in done.output


def test_hostile_files(folder: Path) -> None:
    """A hostile line would end in a traceback, or keep the command for ever."""
    goal = min(folder.glob("*_goal.smt2"))
    text = goal.read_text("utf-8")
    line = next(x for x in text.splitlines() if x.startswith("; serves: "))
    for number, hostile in enumerate(
        ("; serves: " + "[" * 400_000, "; serves: {}", line.replace("[", "[[", 1), line[:-1],
         line + "\n; serves: 7", f"{line}\n; model: (assert false)",
         f"{line}\n; model: (define-fun n0 () Int 0)(check-sat)", f"{line}\n; model: ()")
    ):  # fmt: skip
        written(folder, {goal.name: text.replace(line, hostile)})
        done = run(folder)
        assert done.exit_code == 2 and isinstance(done.exception, SystemExit), number
        said = [x for x in done.output.splitlines() if x.startswith(f"{goal.name}: ")]
        assert len(said) == 1 and said[0].startswith(f"{goal.name}: refused: ")
        assert len(said[0]) < 300


# ------------------------------------------------------------------------- questions about a model
MODELS = Path(__file__).parents[1] / "models"
EQUAL_ROWS = MODELS / "positions_equal_rows.onnx"
FORGED = """; theorem: constant of model deadbeefdead
; title: The constant positions is not moved
; serves: {"model": "deadbeef", "constant": "positions"}
; to prove: whatever I like
; states: whatever
; expected: unsat
(set-logic ALL)
(declare-fun x () Int)
(assert (not (= x x)))
(check-sat)
"""


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What decide writes about a model with a table of equal rows for 8 tokens."""
    for extra in ("onnx", "onnxruntime", "cvc5"):
        pytest.importorskip(extra, reason="the extras `onnx` and `solvers` are missing")
    out = tmp_path_factory.mktemp("decided")
    command = ["decide", str(EQUAL_ROWS), "--axis", "x:1", "--out", str(out)]
    done = CliRunner().invoke(cli.cli, command)
    assert done.exit_code == 0 and len(list((out / "smt").iterdir())) == 2
    return out / "smt"


@pytest.fixture
def decided(questions: Path, tmp_path: Path, kept: None) -> tuple[Path, Path]:
    """The model, and a copy of what decide writes about it."""
    return EQUAL_ROWS, shutil.copytree(questions, tmp_path / "smt")


def test_questions_of_decide_are_compared_with_the_model(decided: tuple[Path, Path]) -> None:
    """What no one compared would look green, or what was compared not say what it is about."""
    model, folder = decided
    done = run(folder)
    *_, count, last = done.output.splitlines()
    assert done.exit_code == 3 and count.startswith("0 of 2 certificates checked by ")
    assert last == "2 unsat, not compared with the model: the option --model FILE compares."
    data = json.loads(run(folder, "--json").output)
    assert (data["status"], data["model"]) == (3, None)
    assert {f["verdict"] for f in data["files"]} == {"unsat, not compared with the model"}
    done = run(folder, "--model", model)
    assert done.exit_code == 0 and "2 of 2 certificates checked by z3 and cvc5" in done.output
    title = "The constant /Slice_output_0 is not moved on axis 0, for n <= 8"
    assert done.output.count(title) == 1
    done = run(folder, "--model", model, "--solver", "z3", "--json")
    data = json.loads(done.output)
    assert data["status"] == 0 and len(data["model"]) == 64
    assert {f["title"] for f in data["files"]} == {title}
    min(folder.iterdir()).unlink()
    done = run(folder, "--model", model)
    assert done.exit_code == 3 and "question 0: missing: " in done.output


def test_a_forged_question_is_no_green_mark(decided: tuple[Path, Path], tmp_path: Path) -> None:
    """Any file that is unsat was "checked" as a theorem about any model."""
    forged = tmp_path / "forged"
    forged.mkdir()
    (forged / "a.smt2").write_text(FORGED, "utf-8")
    done = run(forged)
    assert done.exit_code == 3 and "0 of 1 certificates checked" in done.output
    done = run(forged, "--model", decided[0])
    assert done.exit_code == 2 and "a.smt2: refused: " in done.output
    done = run(decided[1], "--model", MODELS / "class_token.onnx")
    assert done.exit_code == 2 and "0 of 2 certificates checked" in done.output
    assert "given a question of the model" in done.output


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("; given: (−1) · dim_n + 8 ≥ 0\n", ""),
        ("/Slice_output_0", "positions"),
        (", for n <= 8", ", for all n"),
        ('"bound": 8', '"bound": null'),
        ('"bound": 8', '"bound": 7'),
    ],
)
def test_an_edited_question_is_refused(decided: tuple[Path, Path], old: str, new: str) -> None:
    """A question for up to 8 tokens would be shown as one for all, or of another constant."""
    model, folder = decided
    path = max(folder.iterdir())
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    done = run(folder, "--model", model)
    assert done.exit_code == 2 and f"{path.name}: refused: " in done.output
    assert "1 of 3 certificates checked" in done.output  # the question itself is missing
    assert run(folder).exit_code == 3


def test_model_is_for_questions_about_one(
    decided: tuple[Path, Path], folder: Path, tmp_path: Path
) -> None:
    """Certificates of theorems would seem to have been compared with a model."""
    for arguments, words in (
        ((folder, "--model", decided[0]), "--model: given"),
        ((decided[1], "--model", tmp_path / "none.onnx"), "no such file"),
        ((decided[1], "--model", tmp_path), "not a file"),
        ((tmp_path / "none", "--model", decided[0]), "no such folder"),
    ):
        done = CliRunner().invoke(cli.cli, ["recheck", *map(str, arguments)], standalone_mode=False)
        assert isinstance(done.exception, Exception) and words in str(done.exception), arguments
