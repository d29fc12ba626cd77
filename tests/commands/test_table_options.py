"""`orderproof table`: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from orderproof.command_line import cli
from orderproof.symbolic.schemes.symmetries import SYMMETRIES
from orderproof.symbolic.schemes.tables import SchemeError


def test_table_of_one_scheme(tmp_path: Path) -> None:
    """The table would not say what is proved and what is not, or its files would not replay."""
    done = CliRunner().invoke(
        cli, ["table", "--scheme", "alibi", "--jobs", "1", "--json", "--out", str(tmp_path)]
    )
    assert done.exit_code == 0
    cells = {c["symmetry"]: c for c in json.loads(done.output)}
    assert set(cells) == set(SYMMETRIES)
    assert cells["reversal"]["verdict"] == "proved" and cells["reversal"]["file"] is None
    assert cells["permutation"]["verdict"] == "refuted" and cells["permutation"]["smallest"] == 3
    file = cells["permutation"]["file"]
    again = CliRunner().invoke(cli, ["replay", file])
    assert again.exit_code == 0 and again.output.startswith("confirmed: attention with")
    text = Path(file).read_text("utf-8")
    Path(file).write_text(text.replace('"lhs": [["4/7"]', '"lhs": [["5/7"]'), "utf-8")
    assert CliRunner().invoke(cli, ["replay", file]).exit_code == 1


def test_table_for_a_person() -> None:
    """The signs would not be explained, or a cell would not be."""
    done = CliRunner().invoke(cli, ["table", "--scheme", "causal", "--jobs", "1"])
    assert done.exit_code == 0 and "✗n refuted, n the smallest" in done.output
    lines = [line for line in done.output.splitlines() if line.startswith("causal, ")]
    assert len(lines) == len(SYMMETRIES)
    assert "one layer: proved" in "\n".join(lines)
    assert "\n kernel: the last row of f(PC; x) is that of f(C; x)\n" in done.output


def test_theorems_are_counted() -> None:
    """A person would not see which theorem says for every n what is kept."""
    run = CliRunner()
    asked = ["table", "--scheme", "causal", "--scheme", "none", "--jobs", "1"]
    said = " ".join(run.invoke(cli, asked).output.split())
    rows = json.loads(run.invoke(cli, [*asked, "--json"]).output)
    named = [r["theorem"] for r in rows if r["theorem"]]
    assert named == ["score_bias_iff"] * 4
    assert "Which permutations are kept, for every n: 4 by score_bias_iff." in said
    assert not [r for r in rows if "every_n" in r]


@pytest.mark.slow
def test_parameters() -> None:
    """A parameter would not change the table, or its witness would be of another value."""
    asked = ["table", "--scheme", "shaw", "--clip", "1", "--jobs", "1"]
    done = CliRunner().invoke(cli, [*asked, "--json"])
    cells = {c["symmetry"]: c for c in json.loads(done.output)}
    assert done.exit_code == 0 and cells["context-1"]["verdict"] == "proved"
    assert "k = 1" in cells["context-1"]["regime"]  # not for all k
    assert cells["context-2"]["verdict"] == "refuted" and cells["context-2"]["smallest"] == 3


def test_unknown_scheme() -> None:
    """A typing error would be answered by a traceback, or by another scheme's row."""
    done = CliRunner().invoke(cli, ["table", "--scheme", "alibbi"])
    with pytest.raises(SchemeError, match="did you mean alibi"):
        raise done.exception or AssertionError
