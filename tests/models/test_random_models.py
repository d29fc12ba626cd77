"""Answers about models drawn at random are what their own runs show."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
pytest.importorskip("flint", reason="the extra onnx is not installed")

import onnx

from orderproof.symbolic.onnx.decide import decide
from tests.models.random_growing import session
from tests.models.random_judge import Judge
from tests.models.random_models import drawn, judged

QUICK, SLOW = range(4), range(300)


def _no_wrong_answer(seeds: range, folder: Path) -> None:
    wrong = [(s, r.answer, why) for s in seeds for r, why in judged(s, folder) if r and why]
    assert not wrong


def test_few_models_drawn_at_random(tmp_path: Path) -> None:
    """An answer about one of them would be seen to be false in its own runs."""
    _no_wrong_answer(QUICK, tmp_path)


@pytest.mark.slow
def test_models_drawn_at_random(tmp_path: Path) -> None:
    """The same of many, with operators, axes and constants of every kind."""
    _no_wrong_answer(SLOW, tmp_path)


def test_a_model_is_the_same_for_the_same_seed() -> None:
    """A wrong answer could not be looked at again."""
    assert drawn(3)[0] == drawn(3)[0]


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
