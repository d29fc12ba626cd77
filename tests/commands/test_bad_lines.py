"""Every command refuses what is bad in one line, with status 2, and writes nothing."""

from __future__ import annotations

import io
import os
import resource
import subprocess
import sys
from pathlib import Path

import click
import pytest

from orderproof import command_line as cli
from orderproof import input_file
from orderproof.audit import judge
from orderproof.check.claims import StuckError
from orderproof.commands.shared import FILE
from orderproof.numeric.trained import place as checkpoints
from orderproof.proofs import catalogue
from tests.commands.bad_lines import (
    BESIDE,
    FINE,
    GOOD,
    Line,
    bad_lines,
    fault,
    limited,
    line,
    world,
)
from tests.commands.running import ROOT, Run, refused

for extra in ("onnx", "onnxruntime", "flint", "safetensors", "tokenizers", "distributed"):
    pytest.importorskip(extra, reason=f"{extra} is not installed")

COMMANDS = sorted(cli.cli.commands)
LEAST = 200  # lines
SLOW = {"book", "prove"}  # commands whose good line takes long: they are run in other tests


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the lines name; nothing is planted, and no checkpoint is installed."""
    world(tmp_path)
    monkeypatch.setattr(judge, "audit", lambda *given: [])
    monkeypatch.setattr(checkpoints, "find_checkpoint", lambda given: given)
    return tmp_path


def test_there_are_many() -> None:
    """A command would have no bad line, or a type of parameter no bad value."""
    lines = {name: [*bad_lines(name)] for name in COMMANDS}
    assert min(map(len, lines.values())) >= 3 and sum(map(len, lines.values())) >= LEAST
    assert GOOD.keys() | {name for name, _ in BESIDE} | {key[0] for key in FINE} <= lines.keys()


@pytest.mark.parametrize("name", COMMANDS)
def test_bad_lines_are_refused(run: Run, folder: Path, name: str) -> None:
    """A pipe or a device would be waited for; or a mistake end in a traceback, in several lines, in
    a file, or as success."""
    found = []
    for each in bad_lines(name):
        status = 0 if (name, each.parameter, each.value) in FINE else 2
        if said := fault(run, each, status):
            found.append(f"{each.words}: {said}")
    assert "\n".join(found) == ""
    assert (folder / "a file").read_text() == "kept"


def test_files_are_opened_by_one_function(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bad line would be refused before its file is opened, and say nothing of how it is."""

    def reached(*_: object) -> None:
        raise KeyError

    monkeypatch.setattr(input_file, "read", reached)
    monkeypatch.setattr(input_file, "opened", reached)
    lines = [x for name in COMMANDS for x in bad_lines(name) if x.value.startswith("a pipe")]
    of = {id(x): {p.name: p.type for p in cli.cli.commands[x.words[0]].params} for x in lines}
    files = [x for x in lines if of[id(x)][x.parameter] is FILE]
    assert len(files) >= 10
    assert {fault(run, x).partition(":")[0] for x in files} == {"ends in KeyError"}


def test_what_is_fine_is_in_the_table() -> None:
    """An exception would stay that is of no line any more."""
    lines = {(name, each.parameter, each.value) for name in COMMANDS for each in bad_lines(name)}
    assert FINE.keys() <= lines


@pytest.mark.parametrize("name", [name for name in GOOD if name not in SLOW])
def test_the_rest_of_a_line_is_good(run: Run, name: str) -> None:
    """Bad lines would be refused for another reason than the value that is bad in them."""
    assert run(*line(cli.cli.commands[name], GOOD[name])).status == 0


@pytest.mark.parametrize("words", ["serch", "", "--jobs 2 list", "lis"])
def test_what_is_no_command_is_refused(run: Run, words: str) -> None:
    """A mistyped command would give a traceback, or the help of all."""
    refused(run(*words.split(" ")))


@pytest.mark.parametrize(
    ("words", "meant"),
    [("serch", "search"), ("search --sheme learned", "--scheme"), ("list --jsn", "--json")],
)
def test_a_near_miss_is_named(run: Run, words: str, meant: str) -> None:
    """Who mistypes a name would have to look for the right one."""
    refused(run(*words.split()), meant)


# ------------------------------------------------------------------------- the check can fail
def plant(monkeypatch: pytest.MonkeyPatch, kind: click.ParamType, does: str) -> None:
    """A command `planted` with an option --file of this type, that does this with it."""

    @click.command("planted")
    @click.option("--file", "name", type=kind)
    def planted(name: Path) -> None:
        if does == "opens":
            Path(name).open().close()
        if does == "prints":
            click.echo("read")
        if does == "writes":
            Path("made").touch()
        if does == "refuses another":
            raise cli.BadInput("given nothing")
        if does != "accepts":
            raise cli.BadInput(f"{name}: given nothing")

    monkeypatch.setitem(cli.cli.commands, "planted", planted)


PLANTED = [
    ("a pipe", "opens", "hangs"),
    ("nothing", "opens", "ends in FileNotFoundError: "),
    ("a folder", "opens", "ends in IsADirectoryError: "),
    ("a pipe", "prints", "prints 'read"),
    ("a pipe", "writes", "writes ['made']"),
    ("a pipe", "refuses another", "refuses something else: "),
    ("a pipe", "accepts", "status 0: "),
]


@pytest.mark.parametrize(("value", "does", "said"), PLANTED)
@pytest.mark.parametrize("kind", [FILE, click.Path()], ids=["ours", "of click"])
def test_a_command_that_reads_by_itself_is_found(
    run: Run, monkeypatch: pytest.MonkeyPatch, kind: click.Path, value: str, does: str, said: str
) -> None:
    """A new command could wait for a pipe, and the table would be green."""
    plant(monkeypatch, kind, does)
    (bad,) = (x for x in bad_lines("planted") if x.value == value)
    assert fault(run, bad, seconds=0.5 if said == "hangs" else 60).startswith(said)


@pytest.mark.parametrize(
    ("words", "parameter", "value"),
    [*(("search --scheme=zzz --n=2 --d=1", "n", value) for value in ("x", "-1", "2", "")),
     ("digests --check=nothing", "ids", "nothing")],
)  # fmt: skip
def test_a_refusal_of_something_else_is_found(
    run: Run, words: str, parameter: str, value: str
) -> None:
    """A bad value would be accepted, and the table be green since something else is refused."""
    bad = Line(tuple(words.split()), parameter, value)
    assert fault(run, bad).startswith("refuses something else: ")


def test_an_empty_name_is_refused_for_every_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--out ""` would write into the current folder."""
    bad = Line(("planted", "--file="), "name", "")
    for kind, said in ((FILE, ""), (click.Path(), "status 0: ")):
        plant(monkeypatch, kind, "accepts")
        assert fault(run, bad) == said


# --------------------------------------------------------------------------- standard output
@pytest.mark.parametrize("name", COMMANDS)
def test_standard_output_that_is_closed(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """`>&-` would end in a traceback, or the next file that is opened take its descriptor."""
    monkeypatch.setattr(sys, "stdout", None)
    done = run(*line(cli.cli.commands[name], GOOD.get(name, {})))
    refused(done, "standard output: given it closed")


@pytest.mark.parametrize(("line", "status"), [("list --no", 2), ("list", 1)])
def test_standard_error_that_is_closed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, status: int
) -> None:
    """The reason would stand on standard output, in the JSON that a program reads there."""

    def stuck(*_: object) -> None:
        raise StuckError("planted")

    monkeypatch.setattr(catalogue, "load", stuck)
    monkeypatch.setattr(sys, "argv", ["orderproof", *line.split(), "--json"])
    for closed in (False, True):
        with monkeypatch.context() as patch, pytest.raises(SystemExit) as ended:
            if closed:
                patch.setattr(sys, "stderr", None)
            cli.main()
        printed = capsys.readouterr()
        assert (ended.value.code, printed.out, not printed.err) == (status, "", closed)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("line", ["list", "cite sum_act"])  # more than a buffer holds, and less
def test_output_for_which_there_is_no_room(line: str) -> None:
    """A full disk would end in a traceback, or cut what a script goes on with and say nothing."""
    command = [sys.executable, "-c", "from orderproof.cli import main; main()", *line.split()]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=BUFFERED)
    said = "orderproof: expected room for what is written, found none left on the device\n"
    assert (done.returncode, done.stderr) == (2, said)
    with open("/dev/full", "wb") as full:  # nor is there room for the line
        done = subprocess.run(command, stdout=full, stderr=full, text=True, env=BUFFERED)
    assert done.returncode == 2


BUFFERED = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}


@pytest.mark.parametrize("words", ["list", "list --json", "--help", "--version", "list --no"])
@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_a_closed_pipe_ends_quietly(words: str, closed: str) -> None:
    """`| head -1` would give status 1, as a failed claim does; or a traceback when Python ends,
    and status 120."""
    reader, writer = os.pipe()
    os.close(reader)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, closed: writer}
    done = subprocess.run(
        [sys.executable, "-m", "orderproof", *words.split()], **streams, cwd=ROOT, env=BUFFERED
    )
    os.close(writer)
    reaches = (closed == "stderr") is (words == "list --no")
    assert done.returncode == (141 if reaches else 2 if words == "list --no" else 0)
    assert not done.stderr or not reaches


def test_what_is_in_a_buffer_meets_a_closed_pipe() -> None:
    """Python would fail to write it when it ends, with a traceback and status 120."""
    reader, writer = os.pipe()
    os.close(reader)
    code = "print('in a buffer'); from orderproof.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "list", "--no"], stdout=writer, stderr=subprocess.PIPE,
        text=True, cwd=ROOT, env=BUFFERED,
    )  # fmt: skip
    os.close(writer)
    assert (done.returncode, done.stderr.count("\n")) == (141, 1)


CANNOT = "File too large; expected one to write\n"
WRITING = {  # a command that writes files, its status where there is no room, and its errors
    "prove sum_act --no-cache --out o": (
        2, f"orderproof: output file o/certificates/sum_act_goal.smt2: {CANNOT}",
    ),
    "table --scheme none --cache c": (0, f"scheme-none.json: {CANNOT}"),
    "table --scheme learned --no-cache --out o": (2, f".json: {CANNOT}"),
    "search --scheme learned --n 2 --d 1 --out o": (
        2, f"orderproof: output file o/witnesses/learned-n2-d1.json: {CANNOT}",
    ),
    "symmetry --scheme alibi --n 3 --out o": (2, f".json: {CANNOT}"),
    "decide model.onnx --axis x:1 --out o": (2, f".json: {CANNOT}"),
}  # fmt: skip


@pytest.mark.parametrize("words", WRITING)
def test_files_for_which_there_is_no_room(folder: Path, words: str) -> None:
    """A full disk would end in a traceback, or pass for a claim that failed; or what was proved be
    refused since it cannot be kept."""
    status, ends = WRITING[words]
    done = subprocess.run(
        [sys.executable, "-m", "orderproof", *words.split()], cwd=folder, capture_output=True,
        text=True, check=False, env=os.environ | {"PYTHONPATH": str(ROOT)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )  # fmt: skip
    said = done.stderr.startswith("orderproof: ") and done.stderr.count("\n") == 1
    assert (done.returncode, said, done.stderr.endswith(ends)) == (status, True, True), done


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in SLOW | {"confirm"}])
def test_a_reader_that_stops_early(
    monkeypatch: pytest.MonkeyPatch, folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """`orderproof list | head -1` would end in a traceback: here the reader has stopped already."""
    reader, writer = os.pipe()
    os.close(reader)
    monkeypatch.chdir(folder)
    words = line(cli.cli.commands[name], GOOD.get(name, {}))
    monkeypatch.setattr(sys, "argv", ["orderproof", *words])
    with open(writer, "wb", 0) as raw:
        text = io.TextIOWrapper(raw, write_through=True)
        monkeypatch.setattr(sys, "stdout", text)
        with pytest.raises(SystemExit) as ended, limited(60):
            cli.main()
        monkeypatch.undo()
        text.detach()
    assert (ended.value.code, capsys.readouterr().err) == (141, "")
