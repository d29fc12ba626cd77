"""The operator cases, loaded and run: what the loader and the runner make of each operator."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra `onnx` is missing")
pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")

from orderproof.symbolic.onnx.graph import ModelError
from orderproof.symbolic.onnx.load import graph_of
from orderproof.symbolic.onnx.run import RunError, Runner
from tests.symbolic.onnx.operator_cases import arrays, cases

# Where onnxruntime and the package differ, by the beginnings of the cases' names, and why.
DIFFER = (
    "test_attention_4d_causal_fp16",  # one unit of half precision
    "test_attention_4d_with_past_and_present_qk_matmul_bias",  # −∞ before the softmax, or not
    "test_cast",  # onnxruntime hands out small floats as bytes
    "test_dft", "test_stft",  # sums near zero against an absolute tolerance of 1e-7
    "test_maxunpool_export_with_output_shape",
    "test_resize_downsample_scales",
    "test_training_dropout",  # random
)  # fmt: skip


def agree(found: Any, expected: Any, rtol: float, atol: float) -> bool:
    """Whether an output is as expected, of the same type and shape."""
    if not isinstance(expected, np.ndarray) or found.dtype != expected.dtype:
        return False
    if found.shape != expected.shape or expected.dtype.kind in "OUSb":
        return np.array_equal(found, expected)
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    return np.allclose(found.astype(wide), expected.astype(wide), rtol, atol, equal_nan=True)


def differing(case: Any) -> list[str]:
    """The outputs of a case that are not as expected; ModelError, RunError."""
    model = type(case.model)()
    model.CopyFrom(case.model)
    runner, wrong = Runner(graph_of(model)), list[str]()
    for given, expected in (map(arrays, data) for data in case.data_sets):
        found = runner.run(dict(zip(runner.graph.inputs, map(np.array, given), strict=True)))
        wrong += [n for (n, y), e in zip(found.items(), map(np.asarray, expected), strict=True)
                  if not agree(y, e, case.rtol, case.atol)]  # fmt: skip
    return wrong


@pytest.mark.slow
def test_the_packages_cases_are_loaded_and_run() -> None:
    """An operator's inputs, attributes or constants would be lost between file and run."""
    counts: Counter[str] = Counter()
    wrong = []
    for case in cases():
        try:
            found = differing(case)
        except ModelError as error:
            counts["refused"] += 1
            assert "are read" in str(error) or "a tensor was expected" in str(error), case.name
        except RunError:
            counts["onnxruntime lacks it"] += 1
        else:
            counts["run"] += 1
            wrong += [case.name] if found else []
    assert [name for name in wrong if not name.startswith(DIFFER)] == []
    assert len(wrong) < 50 and counts["run"] > 1500, counts


def test_a_wrong_output_does_not_agree() -> None:
    """NaN, another type or another shape would count as what was expected."""
    y = np.array([1, 2, np.inf], np.float32)
    assert agree(y * np.float32(1.0001), y, 1e-3, 1e-7)
    for wrong in (y * 1.01, y * np.nan, -y, y.astype(np.float64), y[:2], y[None]):
        assert not agree(wrong, y, 1e-3, 1e-7)
    nan, words = np.array([np.nan], np.float32), np.array(["a"], object)
    assert agree(nan, nan, 0, 0) and agree(words, words, 0, 0)
    assert not agree(words, np.array(["b"], object), 0, 0) and not agree(y, [y], 0, 0)
