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
AT_LEAST = 1_315  # cases that are read: more than that as operators are added
ALWAYS_READ = """
Abs Acos Add And ArgMax ArgMin Asin Atan Cos Clip Concat Div Einsum Elu Erf Exp Expand Flatten Floor
Gather GatherElements Gelu Gemm Greater GroupNormalization HardSigmoid Hardmax InstanceNormalization
IsInf IsNaN LayerNormalization LeakyRelu Less Log LogSoftmax MatMul Max Mean
MeanVarianceNormalization Min Mish Mod Mul Neg PRelu Pow RMSNormalization Reciprocal ReduceMean
ReduceProd ReduceSum Relu Round Selu Shape Sigmoid Sign Size Slice Softmax Softplus Softsign Split
Sqrt Squeeze Sub Sum Swish Tanh ThresholdedRelu Tile Transpose Trilu Unsqueeze Where
"""  # of which no case is refused

REFUSED_CASES = """
Adagrad:2 Adam:2 AffineGrid:4 And:8 ArrayFeatureExtractor:1 Attention:36 BatchNormalization:2
Bernoulli:3 Binarizer:1 BitCast:10 BitShift:28 BitwiseAnd:4 BitwiseNot:3 BitwiseOr:4
BitwiseXor:4 BlackmanWindow:2 Cast:56 CastLike:26 CausalConvWithState:13 Col2Im:5 Compress:5
Constant:23 ConstantOfShape:3 ConvInteger:2 ConvTranspose:11 CumProd:9 DFT:2 DeformConv:4
DequantizeLinear:1 Det:2 Dropout:10 DynamicQuantizeLinear:3 Equal:2 Expand:5 FlexAttention:11
GRU:1 GridSample:18 HammingWindow:2 HannWindow:2 Identity:2 If:3 ImageDecoder:9 LRN:2 LSTM:2
LabelEncoder:4 LinearAttention:14 Loop:3 LpNormalization:6 LpPool:8 MatMulInteger:1 MaxPool:2
MaxUnpool:2 MelWeightMatrix:1 Momentum:3 NonMaxSuppression:10 NonZero:1 Not:3
OptionalGetElement:4 OptionalHasElement:7 Or:8 QLinearConv:1 QLinearMatMul:8 QuantizeLinear:12
RNN:1 RandomUniformLike:3 Range:4 ReduceMax:2 ReduceMin:1 RegexFullMatch:3 Reshape:1 Resize:14
ReverseSequence:3 RoiAlign:3 STFT:2 Scan:4 Scatter:2 SequenceInsert:2 SequenceLength:6
SequenceMap:6 Shrink:2 SplitToSequence:3 StringConcat:5 StringNormalizer:6 StringSplit:6 Sub:2
TensorScatter:3 TfIdfVectorizer:7 TreeEnsemble:2 Unique:7 Upsample:1 Xor:8
"""  # of each operator of which cases are refused, how many; to be lowered when more are read


@cache
def results() -> tuple[Result, ...]:
    """Every case."""
    return tuple(map(evaluated, cases()))


def test_a_sample_of_each_operator_agrees() -> None:
    """Were it to fail, some operator would be read as another function."""
    new = [
        c for c in reversed(cases(*ALWAYS_READ.split())) if c.model.opset_import[0].version >= 13
    ]
    first = {operator_of(case): case for case in new}
    read = [case for op, case in sorted(first.items()) if op in ALWAYS_READ.split()]
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
def test_no_more_cases_are_refused_than_before() -> None:
    """Were it to fail, cases of an operator would be read no more."""
    allowed = {op: int(k) for op, k in (x.split(":") for x in REFUSED_CASES.split())}
    count = Counter(r.op for r in results() if r.what == REFUSED)
    assert {op: k for op, k in count.items() if k > allowed.get(op, 0)} == {}
    assert sum(count.values()) > 0


def test_a_wrong_reading_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were it to fail, no case could fail: Neg read as Abs must be wrong."""
    from orderproof.symbolic.onnx import reader

    (case,) = [c for c in cases("Neg") if c.name == "test_neg"]
    assert evaluated(case).what == PASSED

    def read(r: Any, c: Any, args: list[Any]) -> Any:
        return r.function("abs", r.as_tensor(args[0]), of=abs)

    monkeypatch.setitem(reader.OPERATORS, "Neg", read)
    assert evaluated(case).what == WRONG
