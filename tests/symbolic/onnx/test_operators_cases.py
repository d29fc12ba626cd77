"""The operator cases of the `onnx` package: what is read agrees, and what is not is refused."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from tests.symbolic.onnx.operator_cases import (
    BROKEN,
    CONSTANT,
    PASSED,
    REFUSED,
    WRONG,
    Result,
    cases,
    evaluated,
    operator_of,
)

TOTAL = 1884
AT_LEAST = 1281  # cases that are read: more than that as operators are added
ALWAYS_READ = frozenset(
    {
        "Abs",
        "Acos",
        "Add",
        "And",
        "ArgMax",
        "ArgMin",
        "Asin",
        "Atan",
        "Cos",
        "Clip",
        "Concat",
        "Div",
        "Einsum",
        "Elu",
        "Erf",
        "Exp",
        "Expand",
        "Flatten",
        "Floor",
        "Gather",
        "GatherElements",
        "Gelu",
        "Gemm",
        "Greater",
        "GroupNormalization",
        "HardSigmoid",
        "Hardmax",
        "InstanceNormalization",
        "IsInf",
        "IsNaN",
        "LayerNormalization",
        "LeakyRelu",
        "Less",
        "Log",
        "LogSoftmax",
        "MatMul",
        "Max",
        "Mean",
        "MeanVarianceNormalization",
        "Min",
        "Mish",
        "Mod",
        "Mul",
        "Neg",
        "PRelu",
        "Pow",
        "RMSNormalization",
        "Reciprocal",
        "ReduceMean",
        "ReduceProd",
        "ReduceSum",
        "Relu",
        "Round",
        "Selu",
        "Shape",
        "Sigmoid",
        "Sign",
        "Size",
        "Slice",
        "Softmax",
        "Softplus",
        "Softsign",
        "Split",
        "Sqrt",
        "Squeeze",
        "Sub",
        "Sum",
        "Swish",
        "Tanh",
        "ThresholdedRelu",
        "Tile",
        "Transpose",
        "Trilu",
        "Unsqueeze",
        "Where",
    }
)  # of which no case is refused


@cache
def results() -> tuple[Result, ...]:
    """Every case."""
    return tuple(map(evaluated, cases()))


def test_a_sample_of_each_operator_agrees() -> None:
    """Were it to fail, some operator would be read as another function."""
    new = [c for c in reversed(cases()) if c.model.opset_import[0].version >= 13]
    first = {operator_of(case): case for case in new}
    read = [case for op, case in sorted(first.items()) if op in ALWAYS_READ]
    found = [evaluated(case) for case in read if "expanded" not in case.name]
    assert len(found) >= 55
    assert [r for r in found if r.what not in (PASSED, CONSTANT)] == []


@pytest.mark.slow
def test_every_case_agrees_or_is_refused_by_name() -> None:
    """Were it to fail, a model could be read as another one, or end in an error of ours."""
    found = results()
    assert len(found) == TOTAL
    assert [r for r in found if r.what in (WRONG, BROKEN)] == []
    count = Counter(r.what for r in found)
    print(f"{count[PASSED]} passed, {count[CONSTANT]} constant, {count[REFUSED]} refused by name")
    assert count[PASSED] >= AT_LEAST
    assert all(r.why for r in found if r.what == REFUSED)


@pytest.mark.slow
def test_the_operators_that_are_read_whole() -> None:
    """Were it to fail, an operator would be read less often than before."""
    refused = {
        r.op
        for r in results()
        if r.what == REFUSED and "the file" not in r.why and "expanded" not in r.name
    }
    assert sorted(ALWAYS_READ & refused) == []


def test_a_wrong_reading_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were it to fail, no case could fail: Neg read as Abs must be wrong."""
    from orderproof.symbolic.onnx import reader

    (case,) = [c for c in cases() if c.name == "test_neg"]
    assert evaluated(case).what == PASSED

    def read(r: Any, c: Any, args: list[Any]) -> Any:
        return r.function("abs", r.as_tensor(args[0]), of=abs)

    monkeypatch.setitem(reader.OPERATORS, "Neg", read)
    assert evaluated(case).what == WRONG
