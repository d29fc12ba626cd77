"""The bank of models with known answers: what follows a permutation is never called a bug, nor what
does not follow it proved."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra `onnx` is missing")
pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")
pytest.importorskip("flint", reason="the extra `onnx` is missing")

from orderproof.numeric.drift.drift import Drift, drift
from orderproof.numeric.drift.proof import _closure
from tests.models.draw import OTHER_SIZES, draw
from tests.models.truth import HERE, read_bank

BANK = read_bank()
N = 4
SAMPLE = ("gram.onnx", "pool_mean.onnx", "window.onnx")


def asked(question: dict[str, Any]) -> bool:
    """Whether `drift` can be asked this: no tokens renamed, none inside a merged axis."""
    plain = all(axis != "values" for _, axis in question["with"])
    return plain and "merged" not in question and "start" not in question


def cases(question: dict[str, Any]) -> list[tuple[tuple[int, ...], bool]]:
    """A permutation that the model follows, and one that it does not, where there are such."""
    sizes = [s for s in question["sizes"] if s > 1]
    n = N if N in sizes else max(sizes)
    group = question["truth"]["groups"].get(str(n))
    followed = _closure(group["generators"], n) if group else {tuple(range(n))}
    every = list(itertools.permutations(range(n)))[1:]
    inside = [s for s in every[::-1] if s in followed][:1]
    outside = [s for s in every[::-1] if s not in followed][:1]
    return [*((s, True) for s in inside), *((s, False) for s in outside)]


def answer(
    model: dict[str, Any], question: dict[str, Any], sigma: tuple[int, ...], folder: Path
) -> Drift:
    """The answer about a model of the bank, with inputs as the bank draws them."""
    dims = model["inputs"][question["input"]]["dims"]
    size = dims[question["axis"]]
    sizes = OTHER_SIZES | ({size: len(sigma)} if isinstance(size, str) else {})
    files = []
    for k, (name, x) in enumerate(draw(model["inputs"], sizes, 1).items()):
        np.save(folder / f"{k}.npy", x)
        files.append(f"{name}={folder / f'{k}.npy'}")
    axis = question["truth"]["output_axis"]
    shown = "none" if axis is None else ",".join(map(str, np.ravel(axis)))
    return drift(
        HERE / model["file"],
        files,
        f"{question['input']}:{question['axis']}",
        [f"{name}:{k}" for name, k in question["with"]],
        question["output"],
        shown,
        ",".join(str(s + 1) for s in sigma),
    )


def judged(models: list[dict[str, Any]], folder: Path) -> tuple[Counter[str], list[str]]:
    """How often each answer was given, and where one is wrong."""
    count: Counter[str] = Counter()
    wrong = []
    for model in models:
        for question in filter(asked, model["questions"]):
            for sigma, follows in cases(question):
                try:
                    found = answer(model, question, sigma, folder)
                except ValueError as e:  # of this input, and said in one line
                    count[f"refused: {str(e)[:60]}"] += 1
                    continue
                said = found.answer
                bad = said == "not rounding" if follows else found.proof.covers
                if bad:
                    wrong.append(f"{model['file']} {question['input']} {sigma}: {said}")
                if not follows and said == "rounding":
                    said = "rounding, though not followed by every input"
                count[said if follows else f"not followed: {said}"] += 1
                if said == "cannot tell":
                    count[f"{model['file']}: {found.reason}"] += 1
    return count, wrong


def test_a_sample_of_the_bank(tmp_path: Path) -> None:
    """A model that follows a permutation would be called wrong, or the other way round."""
    count, wrong = judged([m for m in BANK if m["file"] in SAMPLE], tmp_path)
    assert not wrong
    assert count["rounding"] >= 3 and count["not followed: not rounding"] >= 1


@pytest.mark.slow
def test_the_bank(tmp_path: Path) -> None:
    """As above, of all models; and hardly any would get an answer."""
    count, wrong = judged(BANK, tmp_path)
    print(*count.items(), sep="\n")
    assert not wrong
    known = count["rounding"] + count["not followed: not rounding"]
    assert known >= 0.8 * (known + count["cannot tell"] + count["not followed: cannot tell"])
