"""The bench: every row is there, and each comparison is of two answers to one question."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from orderproof.symbolic.calculus.terms import reachable
from tests.bench import __main__ as bench
from tests.bench import stacks


@pytest.mark.slow  # every row once
def test_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of the table would be missing, or its ratio would be none."""
    monkeypatch.setattr(bench, "DEPTHS", (1, 2))
    monkeypatch.setattr(
        bench,
        "GROWN",
        {
            "layers": ((1, 4, 0), (2, 4, 0)),
            "width": ((1, 4, 0), (1, 8, 0)),
            "vocabulary": ((1, 4, 5), (1, 4, 50)),
        },
    )
    pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
    rows = [row for group in bench.ROWS for row in group(1)]
    kinds = ["push,", "sympy", "symmetry", "prove", "the"]
    kinds += ["--help,", "list,", "cite,", "show,", "recheck"]
    kinds += ["decide"] * 2 + ["decide,"] * 3
    assert [row.what.split()[0] for row in rows] == kinds
    for row in rows:
        assert row.ours > 0 and row.other > 0
        assert math.isclose(float(row.line().split()[-1]), row.other / row.ours, rel_tol=0.01)


def test_help_has_an_example() -> None:
    """A person would not see how the bench is run, or made smaller."""
    done = CliRunner().invoke(bench.main, ["--help"])
    assert done.exit_code == 0 and "Example: python -m tests.bench" in done.output


def test_a_comparison_of_wrong_answers_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bench would time an answer that is wrong, and call it fast."""
    monkeypatch.setattr(bench, "formulas", lambda term, sizes, maps: {(): object()})
    with pytest.raises(RuntimeError, match="means nothing"):
        list(bench.entries(1))
    monkeypatch.setattr(stacks.tactic, "push", lambda *_: stacks.tactic.Stuck("", ""))
    with pytest.raises(RuntimeError, match="means nothing"):
        stacks.pushing(1)()


def test_a_model_that_is_not_decided_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bench would call it fast to say nothing."""
    decide = pytest.importorskip("orderproof.symbolic.onnx.decide", reason="extra onnx")
    nothing = SimpleNamespace(results=[SimpleNamespace(decided=False)])
    monkeypatch.setattr(decide, "decide", lambda _: nothing)
    for rows in (bench.models, bench.grown):
        with pytest.raises(RuntimeError, match="means nothing"):
            next(rows(1))


def test_the_stack_is_pushed_block_by_block() -> None:
    """The blocks would share their weights, or be one block however deep the stack is."""
    names = {node.op.data[0] for node in reachable(stacks.stack(3).node) if node.op.kind == "leaf"}
    assert {"w_q_0", "w_q_1", "w_q_2", "X"} <= names and "w_q_3" not in names
    blocks = [n for n in reachable(stacks.stack(3).node) if n.op.kind == "apply"]
    assert len(blocks) == 3 and len({n.op for n in blocks}) == 1
