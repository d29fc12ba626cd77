"""What orderproof prints is what is kept here; `python -m tests.goldens.write` writes it anew."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("onnx", reason="the extra onnx is not installed")
pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
pytest.importorskip("flint", reason="the extra onnx is not installed")

from tests.goldens import write

QUICK = [kind for kind, of in write.KINDS.items() if not of.slow]
PIECES = 8  # of a slow golden, so that several processes can share it


@pytest.mark.parametrize("kind", write.KINDS)
def test_nothing_is_kept_that_is_gone(kind: str) -> None:
    """A golden would keep items that nobody compares, or lack some."""
    assert list(write.kept(kind)) == write.KINDS[kind].items()
    assert len(write.kept("refusals")) >= 150


@pytest.mark.parametrize("kind", QUICK)
def test_what_is_printed_is_as_it_was(kind: str) -> None:
    """A statement, a derivation, an answer or a refusal would change, and nobody would read how."""
    assert "\n".join(write.differences(kind, write.KINDS[kind].items())) == ""


@pytest.mark.slow
@pytest.mark.parametrize("piece", range(PIECES))
def test_answers_about_the_bank_are_as_they_were(piece: int) -> None:
    """An answer about a model of the bank would change, and nobody would read how."""
    assert (
        "\n".join(write.differences("decide", write.KINDS["decide"].items()[piece::PIECES])) == ""
    )


def test_refusals_are_one_line_that_begins_alike() -> None:
    """A mistake would end in a traceback, in several lines, or in a status of another meaning."""
    for line, refused in write.kept("refusals").items():
        assert refused["status"] == 2 and "\n" not in refused["error"], line
        assert refused["error"].startswith("orderproof: "), line


def test_a_refusal_that_prints_or_writes_is_none() -> None:
    """What is refused late, or half done, would be kept as a refusal."""
    for line in ("list", "search --scheme learned --n 2 --d 1 --out folder"):
        with pytest.raises(RuntimeError, match="refused, yet printed"):
            write.KINDS["refusals"].made(line)


def test_a_change_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison would pass whatever is printed."""
    of = write.KINDS["list"]
    for kept, made in (({}, of.made), (write.kept("list"), lambda item: of.made(item)[1:])):
        monkeypatch.setattr(write, "kept", lambda _, data=kept: data)
        monkeypatch.setitem(write.KINDS, "list", replace(of, made=made))
        assert next(write.differences("list", ["all"])).startswith("list, all:\n")


def test_what_is_measured_or_found_is_left_out() -> None:
    """A golden would be another on a faster machine, or by another search."""
    for kind in ("symmetry", "search", "table", "decide"):
        text = (Path(write.__file__).parent / f"{kind}.json").read_text("utf-8")
        for field in write.SEARCHED | write.MEASURED:
            assert f'"{field}": ' not in text
    said = "tokens 1 and 2, sigma = [1, 0], output of rope-2d from 0.347… to -1/2, W_2"
    assert write.numbers_hidden(said) == (
        "tokens # and #, sigma = [#], output of rope-2d from # to #, W_2"
    )


def test_the_layout_is_json() -> None:
    """A golden could not be read back, or a long list of numbers would take a line for each."""
    data: Any = {"a": list(range(200)), "b": {"c": "x" * 200, "d": []}, "e": None, "f": [{"ü": 1}]}
    text = write.laid_out(data)
    assert json.loads(text) == data and text.count("\n") == 8
