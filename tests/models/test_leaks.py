"""The bank of leaks: every model is what it was declared to be, and planted errors are noticed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from orderproof.symbolic.onnx.who_sees import who_sees
from tests.models import leak_truth
from tests.models.leak_truth import SEEN, BankError, Bench, concluded, measured, truth
from tests.models.leaks import BY_NAME, LEAKS, Leak, main


def check(leak: Leak, folder: Path) -> None:
    """Raise BankError if the model is not as declared."""
    truth(leak, measured(leak, leak.write(folder)))


def test_bank_is_varied() -> None:
    """A bank in which little is broken, or nothing but what is, tests half of what it should."""
    assert len(BY_NAME) == len(LEAKS) >= 42
    broken = [leak for leak in LEAKS if leak.broken]
    assert len(LEAKS) / 2 <= len(broken) < len(LEAKS) * 0.6
    assert all(bool(leak.broken) == bool(leak.contents or leak.number) for leak in LEAKS)
    for ask in ("causal", "isolated", "padding", "documents"):
        found = {(leak.contents, leak.number) for leak in LEAKS if leak.ask == ask}
        assert found >= {(False, False), (True, True), (False, True)}
    repaired = {leak.name for leak in LEAKS if not leak.broken} | {"causal_two"}
    for leak in broken:  # each has its repaired twin, but the two outputs, of which one is
        assert any(leak.name.startswith(f"{name}_") for name in repaired), leak.name
    assert sum(leak.number is None for leak in LEAKS) >= 4
    assert sum(leak.inputs.startswith("int64") for leak in LEAKS) >= 6


def test_bank_shares_nothing_with_what_it_tests() -> None:
    """A truth that is measured by the product's own code would confirm the product's errors."""
    for name in ("leaks.py", "leak_truth.py", "doubles.py"):
        assert "orderproof" not in Path(__file__).with_name(name).read_text("utf-8")


def test_files_are_reproducible(tmp_path: Path) -> None:
    """Weights that differ from run to run would make a failure one that nobody can repeat."""
    leak = BY_NAME["causal_experts_choose"]
    first = leak.write(tmp_path).read_bytes()
    assert leak.write(tmp_path).read_bytes() == first


def test_models_are_written_by_name(tmp_path: Path) -> None:
    """A reader of docs/who_sees_whom.md would get no file, or for a mistyped name nothing."""
    main([str(tmp_path), "causal_tril", "causal_sum"])
    assert {p.name for p in tmp_path.iterdir()} == {"causal_tril.onnx", "causal_sum.onnx"}
    for wrong in ([], [str(tmp_path)], [str(tmp_path), "causal_tril", "causal_trill"]):
        with pytest.raises(SystemExit, match=r"expected FOLDER NAME\.\.\..*causal_tril"):
            main(wrong)


@pytest.mark.parametrize("name", BY_NAME)
def test_truth_is_as_declared(name: str, tmp_path: Path) -> None:
    """A model that is not what its author thought would blame the product, or excuse it."""
    check(BY_NAME[name], tmp_path)


@pytest.mark.parametrize("part", ["contents", "number"])
@pytest.mark.parametrize("name", ["padding_mean", "padding_mean_of_all", "isolated_capacity"])
def test_wrong_declaration_is_noticed(name: str, part: str, tmp_path: Path) -> None:
    """A declaration that is compared in one of its parts alone would be half unchecked."""
    leak = BY_NAME[name]
    with pytest.raises(BankError, match="declared"):
        check(replace(leak, **{part: not getattr(leak, part)}), tmp_path)


def test_forgotten_row_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the row next to a token were not compared, a mask that is off by one would look right."""
    monkeypatch.setattr(
        leak_truth, "forbidden", lambda ask, h: np.triu(np.ones([len(h)] * 2), 2) > 0
    )
    check(BY_NAME["causal_tril"], tmp_path)
    with pytest.raises(BankError, match="measured False, True"):
        check(BY_NAME["causal_tril_off_by_one"], tmp_path)


@pytest.mark.parametrize("name", ["padding_attention", "documents_sum"])
def test_mask_left_as_it_was_is_noticed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If mask or ids did not hide what is changed, what is repaired would look broken."""
    inputs = Bench.inputs

    def all_real(bench: Bench, hiding: Any, *rest: Any) -> dict[str, Any]:
        return inputs(bench, np.ones_like(hiding), *rest)

    monkeypatch.setattr(Bench, "inputs", all_real)
    with pytest.raises(BankError, match="declared False, False; measured True"):
        check(BY_NAME[name], tmp_path)


@pytest.mark.parametrize("part, deviations", [
    ("contents", (0.0, 1e-12)), ("number", (5e-6, 0.0)), ("number", (0.0, 1.0)),
])  # fmt: skip
def test_deviation_between_is_refused(part: str, deviations: tuple[float, ...]) -> None:
    """A deviation that is neither rounding nor a leak, or one arithmetic's alone, is no truth."""
    with pytest.raises(BankError, match="between, or at odds"):
        concluded("a model", part, deviations)
    assert concluded("a model", part, (0.0, 0.0)) is False
    assert concluded("a model", part, (2 * SEEN, 1.0)) is True


def test_output_of_zeros_is_refused(tmp_path: Path) -> None:
    """Of an output that is zero everywhere no relative deviation exists, and all look the same."""
    leak = BY_NAME["causal_sum_reversed"]
    with pytest.raises(BankError, match="nothing but zeros"):
        check(
            replace(leak, text=leak.text + " z = Sub (x, x)", outputs="float[b, n, 4] z"), tmp_path
        )


def answer(report: Any, part: str) -> bool | None:
    """Whether a part depends in any result; None where the axis has one size."""
    found = {getattr(r, part).answer for r in report.results if getattr(r, part) is not None}
    assert found <= {"depends", "unseen"}, f"{part}: {found}"
    return "depends" in found if found else None


@pytest.mark.parametrize("name", BY_NAME)
def test_product_says_the_truth(name: str, tmp_path: Path) -> None:
    """A leak that is missed, or one that is not there, or the wrong part named."""
    leak = BY_NAME[name]
    report = who_sees(leak.write(tmp_path), leak.ask, leak.axis, **leak.options)
    assert (answer(report, "contents"), answer(report, "number")) == (leak.contents, leak.number)
