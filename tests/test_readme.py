"""README.md against the program: its examples are commands, its excerpts what they print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from orderproof.cli import cli

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^\| `orderproof ([^`]*)`", README, re.MULTILINE)
EXCERPTS = re.findall(r"```text\n\$ orderproof ([^\n]*)\n(.*?)```", README, re.DOTALL)


def parsed(line: str) -> str:
    """The command of an example, its options and arguments read but not run."""
    name, *rest = shlex.split(line)
    whole = click.Context(cli, **cli.context_settings)  # whose options for help are kept
    cli.commands[name].make_context(name, rest, parent=whole)
    return name


def missing(excerpt: str, printed: str) -> list[str]:
    """The lines of an excerpt that are not printed, in this order; … stands for any lines."""
    rest, lost = printed.splitlines(), []
    for line in excerpt.splitlines():
        if line.strip() != "…":
            if line in rest:
                rest = rest[rest.index(line) + 1 :]
            else:
                lost.append(line)
    return lost


def test_every_command_has_an_example_that_it_reads() -> None:
    """A command would be missing from the table, or an example would be a usage error."""
    assert {parsed(line) for line in EXAMPLES} == set(cli.commands)
    with pytest.raises(click.ClickException):
        parsed("prove --nothing")


@pytest.mark.parametrize(("line", "excerpt"), EXCERPTS)
def test_excerpts_are_what_is_printed(
    line: str, excerpt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A newcomer would be shown an output that the program no longer gives."""
    monkeypatch.chdir(tmp_path)
    printed = CliRunner().invoke(cli, shlex.split(line)).output
    assert missing(excerpt, printed) == []
    assert missing(excerpt.replace("P Z", "Pᵀ Z").replace("32/17", "1"), printed) != []


def test_there_are_two_excerpts() -> None:
    """The test above would run over nothing."""
    assert [line.split()[0] for line, _ in EXCERPTS] == ["show", "search"]
