"""Bad command lines of every command, generated from its parameters and from their types.

A new command, or option, has its lines by itself: for a file that is read a missing one, a folder,
a pipe, a device and so on, for a number none, a negative and a large one.
"""

from __future__ import annotations

import contextlib
import faulthandler
import functools
import os
import re
import signal
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from click.testing import CliRunner

from orderproof import command_line as cli
from orderproof.check.prove.certificates import certificates
from orderproof.proofs import catalogue
from orderproof.symbolic.schemes.table_search import search
from orderproof.symbolic.witness.scheme_file import dumps
from tests.commands.running import Run
from tests.models.files import model_file
from tests.test_input_file import KINDS

OF = "perm_transpose_mul"
MODEL = "running_mean.onnx"
HANGS = 60.0  # seconds: no line of the table takes one
# Good values, by the names of parameters, of what a command cannot do without.
GOOD: Mapping[str, Mapping[str, str]] = {
    "audit": {"ids": OF},
    "cite": {"name": OF},
    "decide": {"model": "model.onnx", "axis": "x:1"},
    "distinguish": {"first": "a b", "second": "b a", "scheme": "causal"},
    "prove": {"ids": OF},
    "recheck": {"folder": "smt"},
    "replay": {"file": "witness.json"},
    "search": {"scheme": "learned", "n": "2", "d": "1"},
    "show": {"name": OF},
    "symmetry": {"scheme": "alibi", "n": "4"},
    "table": {"names": "window"},
}
SCHEMES = {"window": "window", "prefix": "prefix", "clip": "shaw", "blocks": "blocks",
           "columns": "relative-2d"}  # fmt: skip
# The same where a parameter needs others, or cannot be given with them.
BESIDE: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("audit", "seed"): {"ids": OF, "most": "1"},
    ("audit", "audited"): {"ids": OF, "most": "1"},
    ("digests", "pinned"): {},
    ("prove", "pinned"): {},
    ("replay", "model"): {"file": "about_a_model.json"},
    **{(command, name): {**GOOD[command], "scheme": scheme}
       for command in ("distinguish", "search", "symmetry") for name, scheme in SCHEMES.items()},
    **{("table", name): {"names": scheme} for name, scheme in SCHEMES.items()},
    **{("symmetry", name): {} for name in ("bias", "mask", "table")},
    **{("distinguish", name): {"first": "a b", "second": "b a"}
       for name in ("bias", "mask", "table")},
}  # fmt: skip
SUFFIXES = {"bias": ".npy", "mask": ".csv", "table": ".json"}  # of files that need one
NUMBERS = ("x", "", "nan", "-1", "1e99", "1" + "0" * 20)
# What is good though it is none of the values above, and why.
FINE: Mapping[tuple[str, str, str], str] = {
    **{("audit", "seed", text): "any text is a seed" for text in ("zzz", "")},
    **{("distinguish", name, "zzz bad"): "any words are a prompt" for name in ("first", "second")},
}


class Line(NamedTuple):
    """A command line, and the parameter and value that are bad in it."""

    words: tuple[str, ...]
    parameter: str = ""
    value: str = ""


def bad_values(p: click.Parameter) -> Iterator[str]:
    """Values that are none of this parameter, by its type."""
    kind = getattr(p.type, "kind", "file to read")
    if isinstance(p.type, click.Path):
        yield ""
        if kind == "file to read":
            yield from (f"{kind}{SUFFIXES.get(p.name or '', '')}" for kind in KINDS)
        else:
            yield from ("a file", "a file/below", "a pipe", "null", "a terminal", "/proc/none")
        if kind == "folder to read":
            yield from ("nothing", "folder of pipes")
    elif isinstance(p.type, click.types.IntParamType):
        yield from (*NUMBERS, "1.5")
    elif isinstance(p.type, click.types.FloatParamType):
        yield from (*NUMBERS, "0", "inf")
    elif p.nargs == -1 or (p.required and isinstance(p, click.Argument)):
        yield from ("zzz bad", "")
    else:
        yield from ("zzz", "")


def line(command: click.Command, given: Mapping[str, str]) -> tuple[str, ...]:
    """The command with these values."""
    options = [f"{p.opts[0]}={given[p.name]}" for p in command.params
               if isinstance(p, click.Option) and p.name in given]  # fmt: skip
    arguments = [given[p.name] for p in command.params
                 if isinstance(p, click.Argument) and p.name in given]  # fmt: skip
    return str(command.name), *options, "--", *arguments


def bad_lines(name: str) -> Iterator[Line]:
    """The bad lines of a command."""
    command = cli.cli.commands[name]
    good = GOOD.get(name, {})
    for p in command.params:
        if isinstance(p, click.Option) and p.is_flag:
            yield Line((name, f"{p.opts[0]}=1"))
            continue
        beside = BESIDE.get((name, str(p.name)), good)
        for value in bad_values(p):
            yield Line(line(command, {**beside, str(p.name): value}), str(p.name), value)
        if p.required:
            rest = {k: v for k, v in good.items() if k != p.name}
            yield Line(line(command, rest))
    own = {o for p in command.params for o in p.opts}
    others = {o for c in cli.cli.commands.values() for p in c.params for o in p.opts
              if o.startswith("--")} - own  # fmt: skip
    yield Line((name, min(others), "1"))
    yield Line((name, "--no-such-option"))
    if not any(p.nargs == -1 for p in command.params):
        yield Line((*line(command, good), *["extra"] * len(command.params)))


@functools.cache
def good_files() -> Mapping[str, str]:
    """Certificates and counterexamples, as commands write them."""
    found = search("learned", 2, 1).witness
    if found is None:
        raise ValueError("expected a counterexample")
    with tempfile.TemporaryDirectory() as out:
        options = ["--axis", "x:1", "--out", out]
        CliRunner().invoke(cli.cli, ["decide", str(model_file(MODEL)), *options])
        of_model = min(Path(out, "witnesses").iterdir())
        of_a_model = of_model.read_text("utf-8").replace(MODEL, "model.onnx")
    smt = certificates(catalogue.load("offset_invariant_of_alibi"))
    return {
        "witness.json": dumps(found),
        "about_a_model.json": of_a_model,
        **{f"smt/{name}": text for name, text in smt.items()},
    }


def world(folder: Path) -> None:
    """What the lines name: files of every kind, a model, certificates and counterexamples."""
    for suffix in ("", *SUFFIXES.values()):
        for kind, (make, _) in KINDS.items():
            make(folder / f"{kind}{suffix}")
    (folder / "a file").write_text("kept")
    (folder / "smt").mkdir()
    for name, text in good_files().items():
        (folder / name).write_text(text, "utf-8")
    (folder / "folder of pipes").mkdir()
    for file in ("MANIFEST.json", "a.smt2", "config.json", "model.safetensors", "tokenizer.json"):
        os.mkfifo(folder / "folder of pipes" / file)
    (folder / "model.onnx").write_bytes(model_file(MODEL).read_bytes())


class Hung(BaseException):
    """A command that did not end. No `except Exception` of a command takes it."""


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Hung is raised in what takes longer; the process ends where that is in no code of Python."""

    def stop(*_: object) -> None:
        raise Hung

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    faulthandler.dump_traceback_later(2 * seconds + HANGS, file=2, exit=True)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        faulthandler.cancel_dump_traceback_later()


def is_about(message: str, bad: Line) -> bool:
    """Whether a refusal names the parameter that is bad in the line, quotes its value or, if that
    is the name of a file, begins with it or with one below it."""
    (param,) = (p for p in cli.cli.commands[bad.words[0]].params if p.name == bad.parameter)
    option, metavar = param.opts[0], (param.metavar or param.opts[0].upper()).strip("[]")
    name = option.strip("-")
    words = [option, metavar, f"{name}: given", f"given {name} =", repr(bad.value)]
    found = [rf"(?<![\w-]){re.escape(word)}(?![\w-])" for word in words]
    if isinstance(param.type, click.Path) and bad.value:
        found.append(rf"(?<![\w-]){re.escape(bad.value)}(/\S+)?[:,] ")
    return any(re.search(pattern, message) for pattern in found)


def here() -> set[str]:
    """All that is in the current folder."""
    return {path.as_posix() for path in Path().rglob("*")}


def fault(run: Run, bad: Line, status: int = 2, seconds: float = HANGS) -> str:
    """How a command does other than refuse a line in one line; empty where it does that."""
    before = here()
    try:
        with limited(seconds):
            done = run(*bad.words)
    except Hung:
        return "hangs"
    except (Exception, pytest.fail.Exception) as error:
        return f"ends in {type(error).__name__}: {error}"
    if done.status != status:
        return f"status {done.status}: {done.err}"
    if status == 2 and (done.err.count("\n") != 1 or not done.err.startswith("orderproof: ")):
        return f"prints {done.err!r}"
    if status == 2 and bad.parameter and not is_about(done.err, bad):
        return f"refuses something else: {done.err!r}"
    if status == 2 and done.out:
        return f"prints {done.out[:100]!r}"
    return f"writes {sorted(here() ^ before)}" if status == 2 and here() != before else ""
