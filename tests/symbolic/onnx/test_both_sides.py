"""What floats make of a theorem, measured in a run of the file: and what is not called rounding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra `onnx` is missing")
pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")

from orderproof.commands.decide_text import lines
from orderproof.symbolic.onnx import both_sides
from orderproof.symbolic.onnx.both_sides import Rounding, apart
from orderproof.symbolic.onnx.decide import decide
from orderproof.symbolic.onnx.report import Result
from orderproof.symbolic.onnx.run import Runner
from tests.symbolic.onnx.making import parsed, saved

BANK = Path(__file__).parents[2] / "models"
NAN, INF = float("nan"), float("inf")
CENTRED = "m = ReduceMean<axes = [0], keepdims = 1>(x) y = Sub(x, m)"


def answer(model: str | Path, folder: Path, axis: str = "x:0", along: Sequence[str] = ()) -> Result:
    """The one answer about a file, or about a model in text."""
    path = model if isinstance(model, Path) else saved(parsed(model), folder)
    (found,) = decide(path, axis, along, timeout=5).results
    return found


def said(found: Result) -> str:
    """What is printed of an answer, in one line."""
    assert all(len(line) <= 80 for line in lines(found))
    return " ".join(" ".join(lines(found)).split())


def test_a_theorem_in_floats_is_off_by_rounding(tmp_path: Path) -> None:
    """A difference of 1e-7 would be taken for a fault of a model that is proved, or a difference
    of this size be no measurement: some entry must differ."""
    found = answer(BANK / "encoder_post_norm.onnx", tmp_path, "x:1")
    assert found.answer == "equivariant" and isinstance(found.rounding, Rounding)
    assert (found.rounding.dtype, found.rounding.n) == ("float32", 5)
    assert 0 < found.rounding.difference < 1e-5
    assert "at n = 5, f(PX) and P f(X) differed by " in said(found)
    assert "of the largest entry: the theorem is about real numbers, so this is rounding" in (
        said(found)
    )


@pytest.mark.parametrize(
    ("dtype", "least", "most"), [("double", 1e-20, 1e-14), ("float16", 0, 1e-2)]
)
def test_the_type_is_that_of_the_file(
    tmp_path: Path, dtype: str, least: float, most: float
) -> None:
    """What float16 rounds would be held against the digits of float32, or be run in wider floats
    than the file has."""
    found = answer(f"g ({dtype}[n, 4] x) => ({dtype}[n, 4] y) {{{CENTRED}}}", tmp_path)
    name = "float64" if dtype == "double" else dtype
    assert found.answer == "equivariant" and found.rounding.dtype == name
    assert least <= found.rounding.difference <= most and found.rounding.small
    assert f"in {name}, at n = 5, f(PX) and P f(X) " in said(found)


def test_whole_numbers_do_not_differ(tmp_path: Path) -> None:
    """Of whole numbers rounding would be spoken of, or their equality not be said."""
    found = answer("g (int64[n, 4] x) => (int64[n, 4] y) {y = Add(x, x)}", tmp_path)
    assert found.rounding == Rounding("int64", 5, 0.0, 0.0)
    assert "in int64, at n = 5, f(PX) and P f(X) were equal in this run" in said(found)
    assert "rounding" not in said(found)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (0.1, "more than rounding makes by itself"),
        (NAN, "one side is not finite where the other is, or neither is and they differ"),
    ],
)
def test_a_gross_difference_is_not_called_rounding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: float, words: str
) -> None:
    """A fault of the reading or of onnxruntime would be excused: planted is a runtime in which one
    side is off by a tenth, or is no number."""

    class Faulty(Runner):
        """The second run is off."""

        runs = 0

        def run(self, *given: Any, **options: Any) -> dict[str, Any]:
            self.runs += 1
            found = super().run(*given, **options)
            y = found["y"].copy()
            y[0, 0] += wrong if self.runs == 2 else 0
            return {**found, "y": y}

    def faulty(runner: Runner, *given: Any) -> Any:
        return both_sides.measure(Faulty(runner.graph), *given)

    monkeypatch.setattr("orderproof.symbolic.onnx.decide.measure", faulty)
    found = answer(f"g (float[n, 4] x) => (float[n, 4] y) {{{CENTRED}}}", tmp_path)
    assert found.answer == "equivariant" and not found.rounding.small
    assert words in said(found) and "so this is rounding" not in said(found)
    known = found.to_json()["rounding"]["difference"]
    assert known is None if np.isnan(wrong) else known > 0.01


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [
        ([1.0, 2.0], [1.0, 2.0], 0),
        ([1.0, 4.0], [2.0, 4.0], 0.25),
        ([INF, 4.0], [INF, 4.0], 0),
        ([NAN, 4.0], [NAN, 2.0], 0.5),
        ([NAN, 4.0], [1.0, 4.0], NAN),
        ([INF, 4.0], [-INF, 4.0], NAN),
        ([0.0, 0.0], [0.0, 0.0], 0),
        ([1.0], [1.0, 1.0], NAN),
    ],
)
def test_the_share_of_the_largest_entry(one: list[float], other: list[float], share: float) -> None:
    """What is not a number would pass every comparison, or a small entry be the measure."""
    found = Rounding("float32", 5, *apart(np.array(one), np.array(other)))
    assert found.difference == pytest.approx(share, abs=0, nan_ok=True)
    assert found.small is (share == 0)


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        ([1e9, 1], [1e9, 2], "by 1e-9 of the largest entry, and an entry by 0.5 of its size or"),
        ([1, 1], [1, 1.009], "0.009 of its size or more, more than rounding makes by itself"),
        ([INF, 4], [-INF, 4], "not finite where the other is, or neither is and they differ"),
        ([1e9, 1], [1e9, 1 + 1e-6], "so this is rounding"),
        ([1, 2, 3, 1e-7], [1, 2, 3, 2e-7], "so this is rounding"),
        ([1, 0, 0, 0, 1e-40], [1, 0, 0, 0, 1.001e-40], "so this is rounding"),
    ],
)
def test_rounding_is_small_in_each_entry(
    tmp_path: Path, one: list[float], other: list[float], words: str
) -> None:
    """A wrong entry would be called rounding because another is large; or rounding be doubted where
    an entry is near 0 by cancellation, or too small for all its digits."""
    found = answer("g (float[n, 4] x) => (float[n, 4] y) {y = Relu(x)}", tmp_path)
    arrays = (np.array(side, np.float32) for side in (one, other))
    found = replace(found, rounding=Rounding("float32", 5, *apart(*arrays)))
    assert words in said(found)
    assert ("so this is rounding" in said(found)) is found.rounding.small


def test_large_whole_numbers_are_subtracted_exactly() -> None:
    """Two numbers that float64 does not tell apart would be called equal."""
    large = np.array([2**62, 1])
    assert 0 < apart(large, large + 1)[0] < 1e-18
    assert apart(np.array([True, False]), np.array([True, True])) == (1, 1)


def test_what_moves_along_is_moved_once(tmp_path: Path) -> None:
    """A mask would stay where it is, or token numbers be renamed twice, and a theorem seem false
    in floats."""
    graph = answer(BANK / "edge_list.onnx", tmp_path, along=["edge_index:values"])
    assert graph.answer == "equivariant" and graph.rounding.difference < 1e-5
    masked = answer(BANK / "mask_added.onnx", tmp_path, "x:1")
    assert masked.answer == "equivariant" and masked.conditions
    assert masked.rounding.difference < 1e-5


@pytest.mark.parametrize("seen", [1, 2])
def test_an_input_that_tells_nothing_is_drawn_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seen: int
) -> None:
    """Two sides would not differ because no token does, or because no entry is a number."""
    plain = both_sides.inputs_at

    def dull(runner: Runner, sizes: Mapping[str, int], seed: int, limits: Any) -> Any:
        found = plain(runner, sizes, seed, limits)
        return found if seed > seen else {k: 0 * x + (1, NAN)[seed % 2] for k, x in found.items()}

    monkeypatch.setattr(both_sides, "inputs_at", dull)
    found = answer(f"g (float[n, 4] x) => (float[n, 4] y) {{{CENTRED}}}", tmp_path)
    assert found.rounding is not None
    monkeypatch.setattr(both_sides, "SEEDS", tuple(range(seen + 1)))
    assert answer(f"g (float[n, 4] x) => (float[n, 4] y) {{{CENTRED}}}", tmp_path).rounding is None


def test_sizes_are_those_of_the_theorem(tmp_path: Path) -> None:
    """A theorem up to 3 tokens would be held against a run with 5; or one about a fixed axis."""
    rows = "<float[3, 1] w = {1, 1, 1}>"
    text = f"g (float[n, 4] x) => (float[n, 4] y) {rows} {{s = Shape<start = 0, end = 1>(x) " \
        "z = Constant<value_ints = [0]>() c = Slice(w, z, s) y = Add(x, c)}"  # fmt: skip
    found = answer(text, tmp_path)
    assert (found.answer, found.scope, found.rounding.n) == ("equivariant", "n <= 3", 3)
    fixed = answer("g (float[7, 4] x) => (float[7, 4] y) {y = Relu(x)}", tmp_path)
    assert (fixed.scope, fixed.rounding.n) == ("n = 7", 7)


def test_nothing_is_said_without_a_theorem(tmp_path: Path) -> None:
    """A model that sees the order would seem to be measured as if it did not."""
    assert answer(BANK / "running_mean.onnx", tmp_path, "x:1").rounding is None
