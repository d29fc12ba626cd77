"""`show --latex`, `cite` and `digests`: what is printed, and what is refused in one line."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from orderproof.command_line import cli, main


def printed(*arguments: str) -> str:
    """What a command prints that ends well."""
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    return done.output


def test_unchecked_marks_are_called_declared() -> None:
    """A fragment would say of marks that nobody made that they are there."""
    text = printed("show", "perm_transpose_mul", "--latex")
    assert text.startswith("% perm_transpose_mul: not checked.")
    assert "Not checked; marks declared: kernel, sympy, numeric, rocq." in text


def test_citation_fragment_and_list_have_one_digest() -> None:
    """Whoever compares a paper with the program would find that they differ."""
    found = {
        re.findall(r"[0-9a-f]{64}", printed(*command))[0]
        for command in (
            ("cite", "sum_act"), ("show", "sum_act", "--latex"), ("digests", "sum_act"),
        )
    }  # fmt: skip
    assert len(found) == 1
    assert found != set(re.findall(r"[0-9a-f]{64}", printed("digests", "naturality")))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("show", "given no ID, expected one that `orderproof list` shows"),
        ("show --macros", "--macros: expected show --latex --macros, and nothing else"),
        ("show sum_act --latex --macros", "--macros: expected show --latex --macros, and"),
        ("show sum_act --latex --entries 2", "--entries: given with --latex, expected one of"),
        ("show sum_akt --latex", "theorem 'sum_akt': not in the catalogue; did you mean sum_act?"),
        ("cite sum_akt", "theorem 'sum_akt': not in the catalogue; did you mean sum_act?"),
        ("digests sum_akt", "did you mean sum_act?"),
        ("digests sum_act --check no", "--check: given with IDS, expected one of the two"),
        ("prove sum_act --digests no", "--digests: given with IDS, expected one of the two"),
    ],
)
def test_bad_input_is_one_line(
    line: str, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A mistake on the command line would be a traceback, several lines, or pass."""
    monkeypatch.setattr("sys.argv", ["orderproof", *line.split()])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and says in said.err
