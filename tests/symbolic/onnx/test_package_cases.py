"""The operator cases, loaded and run: what the loader and the runner make of each operator."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the extra `onnx` is missing")
pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")

from orderproof.symbolic.onnx.graph import ModelError
from orderproof.symbolic.onnx.load import graph_of
from orderproof.symbolic.onnx.run import RunError, Runner
from tests.symbolic.onnx.package_cases import Example, agree, operator_cases

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


@pytest.mark.slow
def test_the_packages_cases_are_loaded_and_run() -> None:
    """An operator's inputs, attributes or constants would be lost between file and run."""
    counts: Counter[str] = Counter()
    names, wrong = [], []
    for name, model, examples in operator_cases():
        names.append(name)
        try:
            runner = Runner(graph_of(model))
            problems = [agree(example, runner.run(example.inputs)) for example in examples]
        except ModelError as error:
            says = str(error)
            counts["refused"] += 1
            assert "are read" in says or "a tensor was expected" in says, (name, says)
        except RunError:
            counts["onnxruntime lacks it"] += 1
        else:
            counts["run"] += 1
            wrong += [f"{name}: {problem}" for problem in problems if problem]
    assert names == sorted(set(names)) and len(names) > 1800
    assert [line for line in wrong if not line.startswith(DIFFER)] == []
    assert len(wrong) < 50 and counts["run"] > 1500, counts


def test_a_wrong_output_does_not_agree() -> None:
    """NaN, another type, another shape or a missing output would count as what was expected."""
    y = np.array([1, 2, np.inf], np.float32)
    example = Example({}, {"y": y}, 1e-3, 1e-7)
    assert agree(example, {"y": y * np.float32(1.0001)}) == ""
    for wrong in (y * 1.01, y * np.nan, -y, y.astype(np.float64), y[:2], y[None]):
        assert agree(example, {"y": wrong})
    assert agree(example, {}) and agree(Example({}, {"y": [y]}, 0, 0), {"y": y})
    nan = np.array([np.nan], np.float32)
    assert agree(Example({}, {"y": nan}, 0, 0), {"y": nan}) == ""
    words = np.array(["a"], object)
    assert agree(Example({}, {"y": words}, 0, 0), {"y": words}) == ""
    assert agree(Example({}, {"y": words}, 0, 0), {"y": np.array(["b"], object)})
