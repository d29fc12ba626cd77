"""docs/questions.md and docs/who_sees_whom.md against the program: every answer is what `decide`
prints."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("onnx", reason="the extra `onnx` is missing")
pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")
pytest.importorskip("flint", reason="the extra `onnx` is missing")

from tests.models.leaks import BY_NAME
from tests.questions import (
    BUGS,
    MODELS,
    PAGES,
    QUESTIONS,
    ROOT,
    Page,
    Question,
    answer,
    command,
    without_measured,
)


def read(page: Page) -> str:
    """The page as it is in docs/."""
    return (ROOT / "docs" / page.name).read_text(encoding="utf-8")


def compared(text: str) -> str:
    """The words of an answer, for a measured number may be longer, and lines be wrapped by it."""
    return " ".join(without_measured(text).split())


def shown(page: Page, q: Question, printed: str) -> bool:
    """Whether the page shows the command with this answer."""
    shown = f"$ orderproof {command(q)}\n{printed}\n```"
    return compared(shown) in compared(read(page))


SOME = (QUESTIONS[0], *BUGS)  # the others are marked slow


@pytest.mark.parametrize(
    ("page", "q"),
    [
        pytest.param(page, q, marks=() if q in SOME else pytest.mark.slow, id=q.model)
        for page in PAGES
        for q in page.questions
    ],
)
def test_answers_are_what_is_printed(page: Page, q: Question) -> None:
    """A reader would be shown an answer that the program no longer gives."""
    printed, text = answer(q), read(page)
    assert shown(page, q, printed)
    assert not shown(page, q, printed.replace("axis", "no axis", 1))
    changed = printed.replace("moves by ", "moves by 1")  # beside what is not compared
    assert changed == printed or not shown(page, q, changed)
    assert q.title in text and q.link in text and q.means in text and q.asked in text
    assert page.head in text
    assert max(map(len, printed.splitlines())) <= 80


def test_rounding_alone_is_no_part_of_an_answer() -> None:
    """The page would be wrong on another machine, or what is compared would be less than it is."""
    text = "it moves by 2 (rounding: 2e-07)\n    then"
    assert compared("it moves by 2\n      (rounding:\n      0.0003)\n    then") == compared(text)
    for other in (text.replace("by 2", "by 3"), text.replace("then", "now"), text.split("\n")[0]):
        assert compared(other) != compared(text)


@pytest.mark.parametrize(("page", "count"), [(PAGES[0], 10), (PAGES[1], 6)])
def test_there_are_as_many_of_our_models(page: Page, count: int) -> None:
    """A question would be counted that is not there, or be about a file that nobody has."""
    models, links = {q.model for q in page.questions}, [q.link for q in page.questions if q.link]
    assert len(models) == len(page.questions) == count
    assert len(links) == len({*links}) >= 4
    missing = {m for m in models if not (ROOT / MODELS / f"{m}.onnx").exists()}
    assert missing <= {*BY_NAME} and missing in (set(), models)


def test_an_answer_that_is_none_is_refused() -> None:
    """A mistyped command would stand on the page, with its error for an answer."""
    for q in (QUESTIONS[0], BUGS[0]):
        with pytest.raises(ValueError, match="expected INPUT:K"):
            answer(replace(q, options=f"{q.options} --axis z:1"))
    with pytest.raises(ValueError, match="1 of 1 unseen"):
        answer(replace(BUGS[-1], options=BUGS[0].options))
