"""The command line: what it prints, what it refuses, and with which status it ends."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

from orderproof import __version__, source_tree
from orderproof import command_line as cli
from orderproof.commands.help_text import Command
from orderproof.proofs import catalogue
from orderproof.symbolic.schemes import table_search as search_module
from orderproof.symbolic.schemes.table_search import SearchResult
from orderproof.symbolic.smt.certificate import MANIFEST
from orderproof.symbolic.statements.evidence import Check, Evidence
from orderproof.symbolic.statements.statement import Statement
from tests.commands.running import WHOLE, Run, apart, refused
from tests.judged import answering, loaded

COMMANDS = (
    "prove", "list", "show", "search", "replay", "confirm", "book", "audit", "recheck", "symmetry",
    "table", "distinguish", "decide", "sentences", "cite", "digests",
)  # fmt: skip


# ------------------------------------------------------------------------------------------- help
@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(run: Run, command: str) -> None:
    """A person would not see how a command is used, or the example would not be of it."""
    done = run(command, "--help")
    described = cli.cli.commands[command]
    assert isinstance(described, Command) and described.examples
    for line in described.examples:
        assert f"\n  orderproof {line}\n" in done.out
        assert parsed(line) == command
    assert done.status == 0 and done.err == "" and run(command, "-h") == done
    assert max(map(len, done.out.splitlines())) <= 80


def parsed(line: str) -> str:
    """The command of an example, its options and arguments read but not run."""
    name, *rest = shlex.split(line.partition(" > ")[0])
    whole = click.Context(cli.cli, **cli.cli.context_settings)  # whose options for help are kept
    cli.cli.commands[name].make_context(name, rest, parent=whole)
    return name


def test_an_example_that_is_a_usage_error_is_noticed() -> None:
    """An example in --help would be refused when it is copied."""
    with pytest.raises(click.ClickException):
        parsed("prove --nothing")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_says_how_a_command_ends(run: Run, command: str) -> None:
    """A script could not tell what a status means without a search in the sources."""
    _, found, rest = run(command, "--help").out.partition("\nExit status:\n")
    said = [int(k) for k in re.findall(r"^  (\d)  \S", rest.partition("\n\n")[0], re.MULTILINE)]
    assert found and {0, 2} <= set(said) <= {0, 1, 2, 3} and said == sorted(set(said))


def test_commands_are_listed_by_purpose(run: Run) -> None:
    """A command would be missing from the list, or what it does be cut or run over two lines."""
    printed = run("--help").out
    for purpose, names in cli.PURPOSES.items():
        section = printed.partition(f"\n{purpose}:\n")[2].partition("\n\n")[0].splitlines()
        assert [line.split()[0] for line in section] == list(names)
        assert all(line.endswith(".") and not line.endswith("..") for line in section)
    assert max(map(len, printed.splitlines())) <= 80


def test_a_command_that_may_be_meant_is_named() -> None:
    """Commands are loaded when they are used: of those that are not, none would be suggested."""
    done = apart("sho")
    assert done.status == 2 and "Did you mean 'show'?" in done.err


def test_commands_are_those_tested(run: Run) -> None:
    """A command would have no test, or bare `orderproof` would not say what there is."""
    assert set(cli.cli.list_commands(WHOLE)) == set(COMMANDS)
    bare = run()
    assert bare.status == 0 and all(f"\n  {name} " in bare.out for name in COMMANDS)
    assert run("--version").out == f"orderproof, version {__version__}\n"


def test_the_source_tree_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who cites could not say which files ran; or would be given an identifier of others."""
    swhid = "swh:1:dir:" + "0123456789" * 4
    for found, said, field in (
        (swhid, swhid, True),
        (f"modified since {swhid}", f"modified since {swhid}", False),
        (None, "unknown, neither in a checkout of git nor noted by a build", False),
    ):
        monkeypatch.setattr(source_tree, "identifier", lambda found=found: found)
        for asked in (("--version", "--verbose"), ("--verbose", "--version")):
            lines = run(*asked).out.splitlines()
            assert lines == [f"orderproof, version {__version__}", f"source tree: {said}"]
        entry = run("cite", "sum_act").out
        assert (f"\n  swhid = {{{swhid}}},\n" in entry) is field
        assert (swhid[10:] in entry) is (found is not None)
        assert ("modified since" in entry) is ("modified" in said)
    refused(run("--verbose"), "--verbose: given alone, expected with --version")
    refused(run("--verbose", "list"), "--verbose: given alone, expected with --version")


def test_each_command_has_its_file() -> None:
    """A command would have to be looked for: it would not stand in the file of its name."""
    for name, command in cli.cli.commands.items():
        assert command.callback.__module__ == f"orderproof.commands.{name}"
    folder = Path(cli.__file__).with_name("commands")
    others = {p.stem for p in folder.glob("*.py")} - {*COMMANDS, "__init__"}
    assert others == {"shared"} | {n for n in others if n.endswith("_text")}


def test_what_was_removed_is_refused_by_name(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who used an option that was removed would not be told what serves instead; or the table would
    name one that is still there."""
    monkeypatch.setitem(cli.REMOVED, "cite --gone", "`other` serves")
    for name, instead in cli.REMOVED.items():
        command, option = name.split()
        assert not any(option in p.opts for p in cli.cli.commands[command].params)
        refused(run(command, option, "x"), f"{name} was removed: {instead}")


# ------------------------------------------------------------------------------------ bad input
def test_output_of_a_refusal_is_one_line(run: Run) -> None:
    """An argument with line breaks would break the one line of the answer."""
    refused(run("prove", "sum\nact\n"), "not in the catalogue")
    refused(run("replay", "a\nb.json"), "no such file")


def test_output_file_that_is_a_folder(run: Run, tmp_path: Path) -> None:
    """A folder where a file is to be written would give a traceback, or be lost."""
    (tmp_path / "a" / "results.json").mkdir(parents=True)
    refused(
        run("prove", "perm_transpose_mul", "--out", "a"),
        "a/results.json",
        "Is a directory",
    )
    name = "learned-n2-d1.json"
    (tmp_path / "b" / "witnesses" / name).mkdir(parents=True)
    refused(run("search", "--scheme", "learned", "--n", 2, "--d", 1, "--out", "b"), name)
    assert os.listdir(tmp_path / "b" / "witnesses") == [name]


def test_no_checkpoint(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """`confirm` without a checkpoint would not say how to get one."""
    place = import_module("orderproof.numeric.trained.place")
    monkeypatch.setattr(place, "find_checkpoint", lambda model: None)
    refused(run("confirm"), "--model DIR", "make models")


def test_mistakes_are_classes() -> None:
    """An error class would have moved, and a person's mistake would give a traceback again."""
    for module, name in (*cli.MISTAKES, *cli.FAILURES):
        assert issubclass(getattr(import_module(module), name), Exception), name
    assert len(cli._loaded(cli.MISTAKES)) == len(cli.MISTAKES) > 0


def test_our_own_errors_are_not_hidden(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of ours would be passed off as the person's, in one line without a traceback."""

    def broken(name: str) -> Any:
        raise ValueError("ours")

    monkeypatch.setattr(catalogue, "load", broken)
    with pytest.raises(ValueError, match="ours"):
        run("list", "--json")


# -------------------------------------------------------------------------------------- commands
def test_list(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A theorem would be missing from the list, or the list would not fit a terminal."""
    monkeypatch.setattr(catalogue, "load", loaded)
    done = run("list")
    found = done.out.splitlines()
    titles = [f"# {c.title}" for c in catalogue.chapters() if c.theorems]
    assert done.status == 0 and [x for x in found if x.startswith("#")] == titles
    lines = [x for x in found if x and not x.startswith("#")]
    assert tuple(lines[::2]) == catalogue.IDS
    assert all(line.startswith("    ") for line in lines[1::2]) and max(map(len, lines)) <= 80
    rows = json.loads(run("list", "--json").out)
    assert [r["id"] for r in rows] == lines[::2]
    assert [f"    {r['title']}" for r in rows] == lines[1::2]
    words = {r["id"]: r["words"] for r in rows}
    assert words["sum_act"][0]["claims"] == [0, 1, 2, 3, 4] and words["sum_act"][0]["text"]
    remarks = [w for name in words for w in words[name] if not w["claims"] + w["headlines"]]
    keys = {"text", "claims", "headlines"}
    assert remarks and all(w.keys() == keys for r in rows for w in r["words"])


def test_show(run: Run) -> None:
    """A theorem would be shown without its derivation, or its entries without being asked for."""
    done = run("show", "qkv_equivariant", "--entries", 2)
    assert done.status == 0 and "(qkv_equivariant: not checked)" in done.out
    assert "    X_1′_11 = X_1_21\n" in done.out or "= W_Q_11*X_21 + W_Q_21*X_22\n" in done.out
    plain = run("show", "qkv_equivariant")
    assert plain.status == 0 and "X_21" not in plain.out and done.out.startswith(plain.out)
    assert max(map(len, done.out.splitlines())) <= 80
    for options in ((), ("--entries", 2)):  # of places, and under hypotheses
        told = run("show", "constant_sequence_blind", *options)
        assert told.status == 0 and ("\nclaim 3: " in told.out) == bool(options)


def test_show_says_what_was_checked(run: Run) -> None:
    """A mark that is declared would read as one that was made, or --check would make none."""
    name = "perm_transpose_mul"
    declared, checked = run("show", name), run("show", name, "--check")
    assert declared.status == checked.status == 0
    assert f"({name}: not checked)" in declared.out and "proved" not in declared.out
    assert re.search(r"\n    marks: .*kernel, .*sympy", declared.out)
    assert f"({name}: proved)" in checked.out and "\n(1) proved: " in checked.out
    assert "\n    kernel: " in checked.out and "not checked" not in checked.out
    assert "Rocq was not run" in checked.out and "Rocq was" not in declared.out


def fail(monkeypatch: pytest.MonkeyPatch, ok: bool | None) -> None:
    """Let the kernel's mark of every claim come out as this."""
    load = catalogue.load

    def changed(name: str) -> Any:
        theorem = load(name)
        for claim in theorem.claims:
            claim.marks.data["kernel"] = answering(ok)
        return theorem

    monkeypatch.setattr(catalogue, "load", changed)


@pytest.mark.parametrize(("ok", "status", "word"), [(False, 1, "failed"), (None, 3, "undecided")])
def test_prove_says_what_failed(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    ok: bool | None,
    status: int,
    word: str,
) -> None:
    """A claim that failed, or stayed open, would end as success or not be named."""
    fail(monkeypatch, ok)
    done = run("prove", "scores_conjugate", "--out", tmp_path)
    assert done.status == status
    told = 2 + (ok is None)  # of the false variant too, which is not rejected then
    assert done.out.count(f": kernel {word}: as told\n") == told
    assert "0/2" in done.out and "0 theorems proved here, 1 open or failed." in done.out
    shown = run("show", "scores_conjugate", "--check")
    assert shown.status == status and "as told" in shown.out
    written = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert written["theorems"][0]["claims"][0]["marks"][0]["ok"] is ok


def broken_down(_: Statement) -> Evidence:
    """A check that does not run to its end."""
    raise ZeroDivisionError("by nought")


@pytest.mark.parametrize(
    ("check", "status", "line"),
    [
        (answering(None), 3, "undecided: as told"),
        (broken_down, 3, "failed: error: ZeroDivisionError: by nought"),
        (answering(True), 1, "accepts it: as told"),
    ],
)
def test_prove_says_why_a_false_variant_is_not_rejected(
    run: Run, monkeypatch: pytest.MonkeyPatch, check: Check, status: int, line: str
) -> None:
    """A theorem would be open with all its marks as declared, and nothing would say why."""
    theorem = catalogue.load("perm_transpose_mul")
    claim = replace(theorem.neighbour.claim, marks={"smt": check})
    planted = replace(theorem, planted=replace(theorem.neighbour, claim=claim))
    monkeypatch.setattr(catalogue, "load", lambda name: planted)
    done = run("prove", theorem.id, "--jobs", 1)
    assert done.status == status and done.out.splitlines()[1].split()[1] == "open"
    assert f" perm_transpose_mul: false variant: smt {line} " in " ".join(done.out.split())


@pytest.mark.parametrize("expected", ["proved", "refuted"])
def test_prove_says_why_a_verdict_is_not_as_declared(
    run: Run, monkeypatch: pytest.MonkeyPatch, expected: str
) -> None:
    """A claim whose marks are all good would be shown as not declared, and no line say that."""
    theorem = catalogue.load("perm_transpose_mul")
    claims = tuple(replace(c, expected=expected) for c in theorem.claims)
    monkeypatch.setattr(catalogue, "load", lambda name: replace(theorem, claims=claims))
    done = run("prove", theorem.id, "--jobs", 1)
    said = " ".join(done.out.split())
    assert said.count(": proved, declared to be refuted") == 3 * (expected == "refuted")


def test_prove(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`prove` would not write what it says, or print a table that does not fit."""
    monkeypatch.setattr(catalogue, "load", loaded)
    names = ("offset_invariant_of_alibi", "not_equivariant_of_sinusoidal_position")
    done = run("prove", *names, "--out", "made", "--jobs", 1)
    assert done.status == 0 and done.err == ""
    lines = done.out.splitlines()
    assert lines[0].split() == ["theorem", "verdict", "claims", "marks"]
    assert lines[1].split()[:3] == [names[0], "proved", "2/2"]
    assert max(map(len, lines)) <= 100 and "\x1b" not in done.out
    assert lines[-2] == "2 theorems proved here."
    files = {p.relative_to(tmp_path / "made").as_posix() for p in (tmp_path / "made").rglob("*.*")}
    assert "results.json" in files and "book.tex" not in files  # the book is of all theorems
    assert {f"witnesses/sinusoidal-n{n}-d{d}.json" for n in (2, 3) for d in (1, 2)} <= files
    kept = {f.removeprefix("certificates/") for f in files if f.startswith("certificates/")}
    listed = json.loads((tmp_path / "made" / "certificates" / MANIFEST).read_text("utf-8"))
    assert kept == {*listed, MANIFEST} and {listed[f]["theorem"] for f in listed} == {names[0]}
    assert run("recheck", "made/certificates").status == 0
    assert run("replay", "made/witnesses/sinusoidal-n3-d2.json").status == 0


def test_prove_as_json(run: Run, tmp_path: Path) -> None:
    """A program could not read what `prove --json` prints, or it would not be results.json."""

    def no_nan(text: str) -> Any:
        raise AssertionError(text)

    done = run("prove", "perm_transpose_mul", "--json", "--out", tmp_path)
    data = json.loads(done.out, parse_constant=no_nan)
    assert done.status == 0 and data == json.loads((tmp_path / "results.json").read_text("utf-8"))
    seconds = [m["seconds"] for c in data["theorems"][0]["claims"] for m in c["marks"]]
    assert seconds and all(map(math.isfinite, seconds))


@pytest.mark.slow  # with all lemmas, three times
def test_audit(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A falsehood that is accepted would not be named, or the audit would end as success."""
    done = run("audit", "sum_act", "--jobs", 1)  # a sum does not see σ: some mutants are true
    assert done.status == 0 and ", 0 survived." in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    data = json.loads(run("audit", "sum_act", "--jobs", 1, "--json").out)
    status = Counter(p["status"] for p in data["planted"])
    assert status.keys() == {"rejected", "equivalent"} and data["survived"] == []
    assert all(bool(p["reason"]) == (p["status"] == "equivalent") for p in data["planted"])
    assert f"{sum(status.values())} falsehoods planted" in done.out
    assert f"{status['rejected']} rejected\nby every mark" in done.out
    assert f"{status['equivalent']} true after all" in done.out
    for row in data["operators"]:
        (line,) = [x for x in done.out.splitlines() if x.startswith(f"{row['operator']} ")]
        assert str(row["planted"]) in line.split()
    load = catalogue.load

    def lenient(name: str) -> Any:
        theorem = load(name)
        marks = {"sympy": lambda s: Evidence(True, "", s)}
        false = replace(theorem.neighbour.claim, marks=marks)
        return replace(theorem, planted=replace(theorem.neighbour, claim=false))

    monkeypatch.setattr(catalogue, "load", lenient)
    done = run("audit", "perm_transpose_mul", "--jobs", 1)
    assert done.status == 1 and "sympy anew SETTLED" in done.out and ", 1 survived." in done.out
    monkeypatch.setattr(catalogue, "load", load)
    monkeypatch.setattr("orderproof.audit.judge.passes_by_swaps", lambda s: False)
    done = run("audit", "perm_transpose_mul", "--jobs", 1)
    assert done.status == 1 and "told apart by swaps: perm_transpose_mul" in done.out


def test_a_sample_of_the_audit(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A theorem that changed would be drawn from no more than the others, or a part of the audit
    be printed as the whole."""
    counts: list[Any] = []

    def audited(*given: Any) -> list[Any]:
        counts.append(given[-1].counts)
        return []

    monkeypatch.setattr("orderproof.audit.judge.audit", audited)
    listed = run("digests", "sum_act", "perm_transpose_mul").out
    names, options = ("sum_act", "perm_transpose_mul"), ("--sample", 20, "--audited", "list")
    for text in (listed, listed.replace("sum_act ", "sum_act " + "0" * 64 + " #")):
        Path("list").write_text(text, encoding="utf-8")
        done = run("audit", *names, *options, "--seed", "a")
        assert done.status == 0 and "at most 20, drawn by the seed 'a', not all" in done.out
    assert [c["sum_act"] for c in counts] == [2, 9] and counts[0]["perm_transpose_mul"] == 2
    assert all(sum(c.values()) == 20 for c in counts)
    assert json.loads(run("audit", *names, *options, "--json").out)["sample"]["most"] == 20


# ------------------------------------------------------------------------------ search and replay
def found(run: Run, scheme: str = "learned") -> Path:
    """A real counterexample file."""
    done = run("search", "--scheme", scheme, "--n", 2, "--d", 1, "--out", "made", "--json")
    assert done.status == 0
    return Path(json.loads(done.out)["file"])


@pytest.mark.parametrize("scheme", ["learned", "sinusoidal"])
def test_search_and_replay(run: Run, scheme: str) -> None:
    """A counterexample that was found would not be confirmed, or not be said where it is."""
    done = run("search", "--scheme", scheme, "--n", 2, "--d", 1, "--out", "made", "--sigma", "1,0")
    assert done.status == 0 and done.out.startswith(f"witness: {scheme}, n = 2, d = 1\n")
    assert "σ = [2, 1], tokens counted from 1; (PX)[i] = X[σ(i)]\n" in done.out
    path = found(run, scheme)
    assert f"recheck with:\n  orderproof replay {path}" in done.out
    again = run("replay", path)
    said = f"confirmed: attention with the position scheme {scheme}, 1 layer, n = 2, d = 1"
    assert again.status == 0 and again.out.startswith(said)
    data = json.loads(run("replay", path, "--json").out)
    assert data["status"] == "ok" and data["file"] == str(path)


def test_a_large_witness_is_in_its_file(run: Run) -> None:
    """A table of 16 × 24 entries would fill the screen, or the file not be said."""
    done = run("search", "--scheme", "learned", "--n", 16, "--d", 24, "--out", "made")
    assert done.status == 0 and "The tensors and both sides, 16×24, are in the file." in done.out
    assert len(done.out) < 900 and "Written to made" in done.out
    assert "W_V = " in run("search", "--scheme", "learned", "--n", 8, "--d", 8).out


def test_search_as_json(run: Run) -> None:
    """A program would not get the keys that were promised to it."""
    done = run("search", "--scheme", "none", "--n", 2, "--d", 1, "--json")
    data = json.loads(done.out)
    assert (done.status, data["answer"], data["file"]) == (0, "symmetric", None)
    assert data.keys() == {"answer", "file", "scheme", "n", "d", "sigma", "reason"}
    assert not Path("build").exists()


@pytest.mark.parametrize("answer", ["unknown", "none within bound"])
def test_search_that_stays_open(run: Run, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    """A search that found nothing would end as success, or as a failure."""

    def nothing(name: str, n: int, d: int, **_: object) -> SearchResult:
        return SearchResult(answer, name, n, d, None, "as told")

    monkeypatch.setattr(search_module, "search", nothing)
    for extra in ((), ("--json",)):
        done = run("search", "--scheme", "learned", "--n", 2, "--d", 1, *extra)
        assert done.status == 3 and answer in done.out and "as told" in done.out
    assert not Path("build").exists()


def test_search_gives_up_in_time(run: Run) -> None:
    """A search without time to look would claim that it found something, or that nothing is."""
    done = run("search", "--scheme", "alibi", "--n", 6, "--d", 4, "--timeout", "1e-9")
    assert done.status == 3 and done.out.startswith("unknown: alibi, any permutation")


def tamper(path: Path, old: str, new: str) -> None:
    """Change one place of a file."""
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


@pytest.mark.parametrize(
    ("old", "new"),
    [('"lhs": [["32/17"]', '"lhs": [["33/17"]'), ('"X": [["0"]', '"X": [["2"]')],
)
def test_replay_refutes_a_changed_value(run: Run, old: str, new: str) -> None:
    """A counterexample that does not hold would be confirmed, or refused as if it were no file."""
    path = found(run)
    tamper(path, old, new)
    done = run("replay", path)
    assert done.status == 1 and done.out.startswith("REFUTED: ")
    assert json.loads(run("replay", path, "--json").out)["status"] == "refuted"


def test_a_bad_checkpoint_is_found_before_any_theorem_is_checked(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`prove` would check all, and then write nothing since the checkpoint cannot be read."""
    monkeypatch.setenv("ORDERPROOF_MODEL", "nowhere")
    monkeypatch.setattr("orderproof.check.prove.run.prove", lambda *given, **more: 1 / 0)
    refused(run("prove", "--no-cache"), "nowhere", "given no such folder")


def test_replay_refuses_what_is_no_witness(run: Run) -> None:
    """A file that holds no counterexample would give a traceback, or be replayed. (What else the
    reader of files refuses is among its own tests.)"""
    path = found(run)
    assert run("replay", path).status == 0
    tamper(path, '"X": [["0"]', '"X": [["1/0"]')
    refused(run("replay", path), str(path), "given '1/0', expected a fraction")


LOADED = (
    "import atexit; atexit.register(lambda: print(sorted({m.partition('.')[0] for m in sys.modules}"
    " & {'z3', 'cvc5', 'sympy', 'mpmath', 'numpy'}), file=sys.stderr)); "
    "from orderproof.cli import main; main()"
)


def test_what_is_loaded_is_named() -> None:
    """The tests that nothing is loaded would pass whatever is loaded, were a name mistyped."""
    said = apart("list", code=f"import numpy, sympy, z3; {LOADED}").err
    assert said == "['mpmath', 'numpy', 'sympy', 'z3']\n"


def test_replay_loads_no_solver(run: Run) -> None:
    """The recheck of a counterexample would stand on the solver that found it."""
    path = found(run).resolve()
    done = apart("replay", str(path), code=LOADED)
    assert (done.status, done.err) == (0, "[]\n")
    tamper(path, '"version": 1', '"version": 2')
    done = apart("replay", str(path), code=LOADED)
    assert done.status == 2 and done.err.endswith("\n[]\n")


NEEDLESS = (  # modules that are slow to import, each with the commands that need it
    *((name, ()) for name in ("cvc5", "flint", "mpmath", "numpy", "onnx", "platformdirs", "rich",
                              "sympy", "z3")),
    ("markdown_it", ("show",)),
    ("importlib.metadata", ("cite",)), ("orderproof.symbolic.calculus.terms", ("cite", "show")),
    ("orderproof.symbolic.smt.recheck", ()), ("orderproof.symbolic.witness.model_file", ()),
)  # fmt: skip
LIGHT = (("--help",), ("list",), ("cite", "sum_act"), ("show", "sum_act"))


def loaded_by(command: Sequence[str], first: str = "") -> list[str]:
    """Which of the modules that it does not need a command has loaded when it ends."""
    names = [name for name, needed in NEEDLESS if command[0] not in needed]
    done = apart(*command, code=(
        f"import atexit, sys; atexit.register(lambda: print(*({{*{names}}} & {{*sys.modules}}), "
        f"file=sys.stderr)); {first}from orderproof.cli import main; main()"
    ))  # fmt: skip
    assert done.status == 0
    return sorted(done.err.split())


@pytest.mark.parametrize("command", LIGHT, ids=lambda command: command[0])
def test_what_only_reads_loads_what_it_needs(command: tuple[str, ...]) -> None:
    """Help, the catalogue, or one theorem would wait for libraries that compute or draw tables."""
    assert loaded_by(command) == []


def test_what_is_loaded_without_need_is_noticed() -> None:
    """The test above would pass whatever is loaded, were a name mistyped."""
    names = [name for name, _ in NEEDLESS]
    found = loaded_by(("list",), f"import {', '.join(names)}; ")
    assert found == sorted(names)


# Prints how many modules of ours are loaded, in how many of their files a function is called, and
# what else is loaded that reading a theorem does not need.
COUNTED = (
    "import atexit, os, orderproof; entered = set(); "
    "sys.setprofile(lambda frame, event, _: event == "
    "'call' and frame.f_code.co_name != '<module>' and entered.add(frame.f_code.co_filename)); "
    "here = os.path.dirname(orderproof.__file__); "  # a clone may be in a folder of this name too
    "ours = lambda names: sum(n.startswith((here, 'orderproof')) for n in names); "
    "outside = {'sympy', 'mpmath', 'numpy', 'z3', 'flint', 'rich'}; "
    "atexit.register(lambda: (sys.setprofile(None), print(ours(sys.modules), ours(entered), "
    "sorted(outside & set(sys.modules)), file=sys.stderr))); "
    "from orderproof.cli import main; main()"
)
MODULES, ENTERED = 78, 54


def way(*arguments: str, first: str = "") -> tuple[int, int, str]:
    """The modules of ours that a command loads, the files it enters, and other libraries."""
    done = apart(*arguments, code=first + COUNTED)
    modules, entered, libraries = done.err.split(" ", 2)
    assert done.status == 0
    return int(modules), int(entered), libraries.strip()


def test_the_way_to_a_printed_theorem_is_short() -> None:
    """Who reads a theorem would wait for what checks and publishes, and not find the way."""
    modules, entered, libraries = way("show", "self_attention_equivariant")
    assert 30 < modules <= MODULES and 20 < entered <= ENTERED and libraries == "[]"


@pytest.mark.parametrize(
    "link", ["orderproof.check.prove.run", "orderproof.check.marks.numeric", "orderproof.api"]
)
def test_a_link_that_should_not_be_there_is_noticed(link: str) -> None:
    """The test above would pass though `show` imports what makes the marks."""
    modules, _, libraries = way("show", "self_attention_equivariant", first=f"import {link}; ")
    assert modules > MODULES or libraries != "[]"


COMPUTE = {  # theorems whose files compute an example or witnesses as they are read
    "token_output_same_in_any_order", "bag_of_words", "generation_order_independent",
    "equivariant_of_fixed_position_table", "not_equivariant_of_learned_position",
    "not_equivariant_of_sinusoidal_position", "not_equivariant_of_score_bias",
    "sinusoidal_shift_is_rotation", "rope_relative_score",
}  # fmt: skip


@pytest.mark.parametrize("planted", ["", "import numpy; "])
def test_theorems_are_read_without_libraries(planted: str) -> None:
    """A theorem file would load what makes a mark, and every reader of it would wait."""
    names = [name for name in catalogue.IDS if name not in COMPUTE]
    done = apart(code=(
        "from orderproof.proofs import catalogue; "
        "from orderproof.check.prove.unchecked import unchecked; "
        f"[unchecked(catalogue.load(name)) for name in {names}]; {planted}"
        "print(sorted({'sympy', 'mpmath', 'numpy', 'z3', 'flint'} & set(sys.modules)))"
    ))  # fmt: skip
    assert len(names) == len(catalogue.IDS) - len(COMPUTE) and done.err == ""
    assert (done.out == "[]\n") == (planted == ""), done.out


# -------------------------------------------------------------------------------------- at a pipe
@pytest.mark.slow  # loads all libraries; `test_prove` reads the same lines in this process
def test_at_a_pipe(tmp_path: Path) -> None:
    """A log or a program would get colours, a progress bar, or lines too long to read."""
    names = ("perm_transpose_mul", "attention_weights_conjugate")
    done = apart("prove", *names, "--out", str(tmp_path / "b"))
    assert (done.status, done.err) == (0, "") and "\x1b" not in done.out and "\r" not in done.out
    assert max(map(len, done.out.splitlines()[:-1])) <= 100
    assert done.out.splitlines()[1].startswith(f"{names[0]} ")


def test_errors_of_click_become_ours() -> None:
    """The status of bad usage would depend on which library noticed it."""
    assert issubclass(cli.BadInput, click.ClickException) and cli.BadInput("x").exit_code == 2
