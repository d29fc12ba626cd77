"""`orderproof table`: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from orderproof.cli import cli
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
    assert done.exit_code == 0 and "✗n refuted from n tokens on" in done.output
    lines = [line for line in done.output.splitlines() if line.startswith("causal, ")]
    assert len(lines) == len(SYMMETRIES)
    assert "one layer: proved" in "\n".join(lines)
    assert "\n kernel: the last row of f(PC; x) is that of f(C; x)\n" in done.output


def test_grounds_are_counted_and_explained() -> None:
    """A person would not see which theorems refutations rest on, or what a sign means."""
    run = CliRunner()
    asked = ["table", "--scheme", "causal", "--scheme", "none", "--jobs", "1"]
    said = " ".join(run.invoke(cli, asked).output.split())
    rows = json.loads(run.invoke(cli, [*asked, "--json"]).output)
    grounds = [r["every_n"] for r in rows if r["verdict"] == "refuted"]
    by = [sum(g == {"theorem": t} for g in grounds)
          for t in ("score_bias_iff", "output_differs_of_columns")]  # fmt: skip
    assert by == [4, 2] and len(grounds) == sum(by)
    assert "every n: 4 by score_bias_iff, 2 by output_differs_of_columns." in said
    assert "… refuted at n" not in said
    assert "†" not in said
    plain = run.invoke(cli, ["table", "--scheme", "alibi-signed", "--jobs", "1"]).output
    assert plain.count("✗3") == 3 and "†" not in plain


@pytest.mark.slow
def test_parameters() -> None:
    """A parameter would not change the table, or its witness would be of another value."""
    asked = ["table", "--scheme", "shaw", "--param", "k=1", "--jobs", "1"]
    done = CliRunner().invoke(cli, [*asked, "--json"])
    cells = {c["symmetry"]: c for c in json.loads(done.output)}
    assert done.exit_code == 0 and cells["context-1"]["verdict"] == "proved"
    assert "k = 1" in cells["context-1"]["regime"]  # not for all k
    assert cells["context-2"]["verdict"] == "refuted" and cells["context-2"]["every_n"] is None
    done = CliRunner().invoke(cli, asked)
    assert "✗3…" in done.output and "the symmetry may hold again" in done.output
    assert "not, only at the sizes looked at (…)" in " ".join(done.output.split())


def test_unknown_scheme() -> None:
    """A typing error would be answered by a traceback, or by another scheme's row."""
    done = CliRunner().invoke(cli, ["table", "--scheme", "alibbi"])
    with pytest.raises(SchemeError, match="did you mean alibi"):
        raise done.exception or AssertionError
