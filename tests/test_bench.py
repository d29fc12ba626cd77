"""The bench: every row is there, and each comparison is of two answers to one question."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec

import pytest
from click.testing import CliRunner

from orderproof.proofs.schemes.table import row
from orderproof.symbolic.calculus.terms import reachable
from orderproof.symbolic.smt import solvers
from tests.bench import __main__ as bench
from tests.bench import algebra, measure, positions, stacks


@pytest.mark.slow  # every row once
def test_rows() -> None:
    """A row of the table would be missing, or its ratio would be none."""
    plan = replace(bench.LEAST, limit=0.5, cap=20.0, runs=1)
    rows = [row for _, group in bench.measured(plan) for row in group]
    kinds = [each.what.split(",")[0].split()[0] for each in rows]
    direct = ["witness"] * (2 * len(solvers.find()))
    positions = [*["symmetry"] * 6, *["command"] * 6, "types", "types", "command", "command"]
    positions += ["table", "every", *direct]
    last = [*["prove"] * 3, "audit", "recheck", "site"]
    here = all(find_spec(p) for p in ("onnx", "onnxruntime", "flint"))
    last += ["decide"] * 3 if here else []
    assert kinds == ["search", "push", "sympy", *positions, *last]
    for each in rows:
        assert 0 < each.ratio < math.inf and each.ours > 0 and each.other > 0
        assert math.isclose(each.ratio, each.other / each.ours, rel_tol=1e-9)
    shown = measure.table(rows)
    assert (
        shown.row_count == 27 + len(direct) + 3 * here
        and [c.header for c in shown.columns][-1] == "ratio"
    )


def test_help_has_an_example() -> None:
    """A person would not see how the bench is run, or made smaller."""
    done = CliRunner().invoke(bench.main, ["--help"])
    assert done.exit_code == 0 and "Example: python -m tests.bench" in done.output
    assert all(o in done.output for o in ("--limit", "--cap", "--runs", "--small", "--full"))
    done = CliRunner().invoke(bench.main, ["--small", "--full"])
    assert done.exit_code == 2 and "--small: given with --full" in done.output


def test_rows_are_printed_as_they_are_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The bench would be silent until its end, or not say what it is at."""
    seen = []

    def rows() -> Iterator[measure.Row]:
        for k in (1, 2):
            yield measure.Row(f"row {k}", 1.0, 2.0, 2.0)
            seen.append(capsys.readouterr())

    monkeypatch.setattr(bench, "measured", lambda plan: iter([("a few", rows())]))
    with pytest.raises(SystemExit):
        bench.main([])
    first, second = seen
    assert "row 1 " in first.out and "ratio" in first.out and "s: a few\n" in first.err
    assert second.out.startswith("row 2 ") and "ratio" not in second.out
    assert first.out.splitlines()[-1].index("1.00 s") == second.out.index("1.00 s")
    assert capsys.readouterr().err.endswith("s: done\n")


def test_a_cell_is_cut_off_at_its_cap() -> None:
    """One cell could keep the whole bench waiting, or a cut cell would look like a finished one."""
    with pytest.raises(measure.OutOfTime), measure.capped(0.01):
        time.sleep(60)
    with measure.capped(60):
        pass
    (cut,) = algebra.marks([3], 0.001, 1)
    assert cut.at_least and "> " in measure.shown(cut.other, cut.other_note, cut.at_least)
    assert not next(algebra.marks([2], 60, 1)).at_least


def test_a_comparison_of_wrong_answers_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bench would time an answer that is wrong, and call it fast."""
    monkeypatch.setattr(algebra, "_sides", lambda n, sigma: [(1, 2)])
    for work in (algebra.mark, algebra.simplified):
        with pytest.raises(RuntimeError, match="means nothing"):
            work(2)


def test_the_stack_is_pushed_block_by_block() -> None:
    """The blocks would share their weights, or be one block however deep the stack is."""
    names = {node.op.data[0] for node in reachable(stacks.stack(3).node) if node.op.kind == "leaf"}
    assert {"w_q_0", "w_q_1", "w_q_2", "X"} <= names and "w_q_3" not in names
    blocks = [n for n in reachable(stacks.stack(3).node) if n.op.kind == "apply"]
    assert len(blocks) == 3 and len({n.op for n in blocks}) == 1


def test_the_question_put_to_solvers_is_that_of_the_witness() -> None:
    """The solvers would be asked something else: what is symmetric would be told apart, or what is
    not would not be."""
    with solvers.Process(solvers.find()[0]) as process:
        lacking = positions.direct("window", "permutation", 3, 1, (1, 0, 2))
        assert process.ask(lacking, 20).word == "sat"
        kept = positions.direct("window", "permutation", 3, 1, (0, 1, 2))
        assert process.ask(kept, 20).word == "unsat"


def test_a_solver_that_cannot_state_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row would show the time of a complaint as that of an answer."""
    (found,) = (c for c in row("window") if c.symmetry == "permutation")
    monkeypatch.setattr(positions, "direct", lambda *given: "(assert (sine 1.0))(check-sat)")
    for each in positions.against(found, 0.1, 5):
        assert each.other_note.startswith("cannot state it: ") and not each.at_least
