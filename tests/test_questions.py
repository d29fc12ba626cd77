"""docs/questions.md against the program: every answer is what `decide` prints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("onnx", reason="the extra `onnx` is missing")
pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")
pytest.importorskip("flint", reason="the extra `onnx` is missing")

from tests.questions import QUESTIONS, ROOT, Question, answer, command, without_measured

PAGE = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")


def shown(q: Question, printed: str) -> bool:
    """Whether the page shows the command with this answer."""
    shown = f"$ orderproof {command(q)}\n{printed}\n```"
    return without_measured(shown) in without_measured(PAGE)


SOME = QUESTIONS[:1]  # the others are marked slow


@pytest.mark.parametrize(
    "q",
    [q if q in SOME else pytest.param(q, marks=pytest.mark.slow) for q in QUESTIONS],
    ids=[q.model for q in QUESTIONS],
)
def test_answers_are_what_is_printed(q: Question) -> None:
    """A reader would be shown an answer that the program no longer gives."""
    printed = answer(q)
    assert shown(q, printed)
    assert not shown(q, printed.replace("for", "not for", 1))
    assert q.title in PAGE and q.link in PAGE and q.means in PAGE and q.asked in PAGE
    assert max(map(len, printed.splitlines())) <= 80


def test_there_are_ten_of_our_models() -> None:
    """A question would be counted that is not there, or be about a file that nobody has."""
    assert len({q.model for q in QUESTIONS}) == len({q.link for q in QUESTIONS}) == 10
    assert all(Path(ROOT / "tests" / "models" / f"{q.model}.onnx").exists() for q in QUESTIONS)


def test_an_answer_that_is_none_is_refused() -> None:
    """A mistyped command would stand on the page, with its error for an answer."""
    with pytest.raises(ValueError, match="expected INPUT:K"):
        answer(replace(QUESTIONS[0], options="--axis z:1"))
