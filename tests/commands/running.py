"""Running a command of the command line: in this process, or in one of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from orderproof import command_line as cli

REASON = r"orderproof: expected \S.*, found \S"
ROOT = Path(__file__).resolve().parents[2]
WHOLE = click.Context(cli.cli)
for _name in cli.cli.list_commands(WHOLE):  # each is loaded when it is used: tests go through all
    cli.cli.get_command(WHOLE, _name)


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    status: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run the command line in this process, in an empty folder; what fails has to say why."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["orderproof", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            cli.main()
            raise SystemExit(0)  # what a command that returns comes to
        printed = capsys.readouterr()
        done = Done(int(end.value.code or 0), printed.out, printed.err)
        *_, last = ["", *done.err.splitlines()]
        if done.status and not re.match(REASON if done.status != 2 else "orderproof: ", last):
            pytest.fail(f"given {done}, expected a last line that says why")
        return done

    return command


def apart(*arguments: str, code: str = "from orderproof.cli import main; main()") -> Done:
    """Run the command line in a process of its own, at pipes."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "COLUMNS"))}
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.argv[0] = 'orderproof'; {code}", *arguments],
        cwd=ROOT, env=env, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    return Done(done.returncode, done.stdout, done.stderr)


def refused(done: Done, *words: str) -> None:
    """One line on standard error with these words, status 2, and nothing else."""
    line = done.err.startswith("orderproof: ") and done.err.count("\n") == 1
    if (done.status, done.out) != (2, "") or not line or any(w not in done.err for w in words):
        pytest.fail(f"given {done}, expected one line with {words}, and status 2")
