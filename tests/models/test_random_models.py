"""Answers about models drawn at random are what their own runs show."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
pytest.importorskip("flint", reason="the extra onnx is not installed")

import onnx

from orderproof.symbolic.onnx import decide as deciding
from orderproof.symbolic.onnx import operators
from orderproof.symbolic.onnx.decide import decide
from orderproof.symbolic.onnx.reader import CONSTANT, OPERATORS
from tests.models.random_growing import session
from tests.models.random_judge import Judge
from tests.models.random_models import ROUND, drawn, judged

PARTS = 4


def _no_wrong_answer(seeds: range, folder: Path) -> None:
    wrong = [(s, r.answer, why) for s in seeds for r, why in judged(s, folder) if r and why]
    assert not wrong


@pytest.mark.parametrize("part", range(PARTS))
def test_models_of_every_operator(part: int, tmp_path: Path) -> None:
    """An answer about one of them would be seen to be false in its own runs, or there would be a
    traceback in its place."""
    _no_wrong_answer(range(part, ROUND, PARTS), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_more_models_of_every_operator(part: int, tmp_path: Path) -> None:
    """The same of many, with operators, axes and constants of every kind."""
    _no_wrong_answer(range(ROUND + part, 9 * ROUND, PARTS), tmp_path)


def test_no_operator_is_left_out() -> None:
    """A reading could be wrong, or end in a traceback, that no model drawn has."""
    assert operators
    models = (found.model(*outputs) for found, outputs in map(drawn, range(ROUND)))
    seen = {node.op_type for model in models for node in model.graph.node}
    assert {*OPERATORS, *CONSTANT} <= seen


def test_a_wrong_reading_is_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No answer could be found to be false: running sums read as what they sum must be, once their
    translation is not compared."""
    monkeypatch.setattr(deciding, "doubt", lambda *_: "")
    monkeypatch.setitem(OPERATORS, "CumSum", OPERATORS["Identity"])
    seeds = [s for s in range(ROUND) if any(n.op_type == "CumSum" for n in drawn(s)[0].nodes)]
    assert any(why for s in seeds for r, why in judged(s, tmp_path) if r)


def test_a_model_is_the_same_for_the_same_seed() -> None:
    """A wrong answer could not be looked at again."""
    one, other = (found.model(*outputs) for found, outputs in (drawn(3), drawn(3)))
    assert one == other


PLANTED = {
    "equivariant": ("CumSum(x, z)", "Tanh(x)"),
    "not equivariant": ("Tanh(x)", "CumSum(x, z)"),
}


@pytest.mark.parametrize("said", sorted(PLANTED))
def test_a_false_answer_is_seen(said: str, tmp_path: Path) -> None:
    """The judge would call anything right: it is given the answer about one model and another's
    runs, of which it is false."""
    runs, asked = PLANTED[said]
    head = '<ir_version: 9, opset_import: ["" : 18]>'
    head += " g (float[n,3] x) => (float[n,3] y) <int64 z = {0}>"
    model, other = (onnx.parser.parse_model(f"{head} {{ y = {m} }}") for m in (runs, asked))
    onnx.save(other, tmp_path / "asked.onnx")
    (found,) = decide(tmp_path / "asked.onnx").results
    assert found.answer == said
    dims: dict[str, tuple[str | int, ...]] = {"x": ("n", 3)}
    assert Judge(session(model), dims).wrong(found)
    assert not Judge(session(other), dims).wrong(found)
