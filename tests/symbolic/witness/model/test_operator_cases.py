"""The evaluator against the cases of operators that the `onnx` package ships."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("flint", reason="SKIP: python-flint is not installed (extra onnx)")
pytest.importorskip("onnx", reason="SKIP: onnx is not installed")

import numpy as np
from flint import arb

from orderproof.symbolic.witness.model import balls, evaluate
from orderproof.symbolic.witness.model.call import Call
from tests.symbolic.witness.model.operator_cases import cases_of, of_operators, outcome

OPERATORS = evaluate.OPERATORS
SLOW = {"AveragePool": "averagepool", "MaxPool": "maxpool"}  # the package takes seconds for each
KNOWN = ("passed", "rounded", "refused")
RECORDED = (1884, 1465, 19, 400)  # of all cases: the numbers of these
SAMPLE = {  # a module of the package's cases for each family
    "add", "argmax", "attention", "batch_normalization", "clip", "concat", "conv",
    "convtranspose", "cumsum", "depthtospace", "dft", "div", "einsum", "elu", "equal", "expand",
    "flatten", "gather", "gatherelements", "gathernd", "gelu", "gemm", "globalmaxpool",
    "groupnormalization", "gru", "hardmax", "if_", "instance_normalization", "layernormalization",
    "leakyrelu", "logsoftmax", "loop", "lpnormalization", "lstm", "matmul", "mod",
    "nonzero", "onehot", "pad", "pow", "rangeop", "reduce_log_sum_exp", "reducel2", "reducemax",
    "reducemean", "reducesum", "reshape", "rmsnormalization", "rnn", "rotaryembedding", "round",
    "scan", "scatterelements", "scatternd", "slice", "softmax", "softplus", "split", "squeeze",
    "sub", "tile", "topk", "transpose", "trilu", "unsqueeze", "where",
}  # fmt: skip


@pytest.fixture(scope="module")
def sample() -> list[tuple[Any, str]]:
    """Cases of every family, and what the evaluator makes of each; not those of functions that are
    written out in other operators, which have cases of their own."""
    return [(c, outcome(c)) for c in cases_of(SAMPLE) if "expanded" not in c.name]


def test_a_sample_of_each_family(sample: list[tuple[Any, str]]) -> None:
    """An operator that transformers use would have another value than ONNX says."""
    assert not {c.name: found for c, found in sample if found.split()[0] not in KNOWN}
    assert Counter(found.split()[0] for _, found in sample)["passed"] >= 400


@pytest.mark.slow
def test_every_case_is_passed_or_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    """An operator would have another value than ONNX says, or the evaluator would take on less, or
    more, than is known: the numbers are exact for this release of the package."""
    import onnx

    cases = cases_of(())
    found = {c.name: outcome(c) for c in cases}
    wrong = {n: o for n, o in found.items() if o.split()[0] not in KNOWN}
    assert not wrong
    count = Counter(o.split()[0] for o in found.values())
    with capsys.disabled():
        print(f"\n{len(cases)} operator cases: {dict(count)}")
    assert sum(count.values()) == len(cases)
    if onnx.__version__ == "1.23.2":
        assert (len(cases), *(count[word] for word in KNOWN)) == RECORDED


def attributes(c: Call, **changed: Any) -> Call:
    """The call with other attributes."""
    return replace(c, attributes={**c.attributes, **changed})


def inputs(c: Call, *order: int) -> Call:
    """The call with its inputs in another order."""
    return replace(c, inputs=[c.inputs[k] for k in order])


def without(c: Call, k: int) -> Call:
    """The call without an input."""
    return replace(c, inputs=[None if i == k else x for i, x in enumerate(c.inputs)])


Fault = Callable[[Callable[[Call], Any], Call], Any]


def first(change: Callable[[Any], Any]) -> Fault:
    """A fault in what an operator gives."""

    def of(right: Callable[[Call], Any], c: Call) -> Any:
        found = right(c)
        if isinstance(found, np.ndarray):
            return change(found)
        return [change(found[0]), *found[1:]]

    return of


def blurred(x: Any) -> Any:
    """Balls with a radius that is too large."""
    return balls.mapped(lambda v: v + arb(0, 1e-9), x)


FAULTS: list[tuple[str, str, Fault]] = [
    ("a wrong axis", "Softmax", lambda f, c: f(attributes(c, axis=c.get("axis", -1) + 1 or 1))),
    ("no exponential", "LogSoftmax", first(lambda x: -x)),
    ("the last of equals", "Hardmax", first(lambda x: np.roll(x, 1, axis=-1))),
    ("a radius too large", "Softmax", first(blurred)),
    ("swapped operands", "Sub", lambda f, c: f(inputs(c, 1, 0))),
    ("swapped operands", "Div", lambda f, c: f(inputs(c, 1, 0))),
    ("swapped operands", "Pow", lambda f, c: f(inputs(c, 1, 0))),
    ("rounding down", "Round", lambda f, c: OPERATORS["Floor"](c)),
    ("the other sign", "Mod", lambda f, c: f(attributes(c, fmod=1 - c.get("fmod", 0)))),
    ("no bias", "Gemm", lambda f, c: f(without(c, 2))),
    ("no factor", "Gemm", lambda f, c: f(attributes(c, alpha=1.0))),
    ("factors swapped", "MatMul", lambda f, c: f(inputs(c, 1, 0))),
    ("letters swapped", "Einsum", first(lambda x: x.T if x.ndim > 1 else -x)),
    ("the conjugate", "DFT", lambda f, c: f(attributes(c, inverse=1 - c.get("inverse", 0)))),
    ("no epsilon", "LayerNormalization", lambda f, c: f(attributes(c, epsilon=0.2))),
    ("the last axis alone", "LayerNormalization", lambda f, c: f(attributes(c, axis=-1))),
    ("the mean taken off", "RMSNormalization", lambda f, c: OPERATORS["LayerNormalization"](c)),
    ("one group", "GroupNormalization", lambda f, c: f(attributes(c, num_groups=1))),
    ("scale and shift swapped", "InstanceNormalization", lambda f, c: f(inputs(c, 0, 2, 1))),
    ("mean and variance swapped", "BatchNormalization",
     lambda f, c: f(inputs(c, 0, 1, 2, 4, 3))),
    ("the other norm", "LpNormalization", lambda f, c: f(attributes(c, p=3 - c.get("p", 2)))),
    ("tanh for erf", "Gelu", first(lambda x: x + arb(2) ** -10)),
    ("no slope", "LeakyRelu", lambda f, c: f(attributes(c, alpha=0.0))),
    ("the sum for the mean", "ReduceMean", lambda f, c: OPERATORS["ReduceSum"](c)),
    ("axes left out", "ReduceSum", lambda f, c: f(without(c, 1))),
    ("the minimum", "ReduceMax", lambda f, c: OPERATORS["ReduceMin"](c)),
    ("the first of equals", "ArgMax", lambda f, c: f(attributes(c, select_last_index=0))),
    ("the smallest", "TopK", lambda f, c: f(attributes(c, largest=1 - c.get("largest", 1)))),
    ("forwards", "CumSum", lambda f, c: f(attributes(c, reverse=0))),
    ("the own place counted", "CumSum", lambda f, c: f(attributes(c, exclusive=0))),
    ("axes in order", "Transpose", lambda f, c: f(attributes(c, perm=list(range(3))))),
    ("the inverse order", "Transpose",
     lambda f, c: f(attributes(c, perm=[int(k) for k in np.argsort(c.get("perm", [2, 1, 0]))]))),
    ("columns first", "Reshape", first(lambda x: x.ravel().reshape(x.shape, order="F"))),
    ("another order", "Concat", lambda f, c: f(inputs(c, *range(len(c.inputs))[::-1]))),
    ("parts swapped", "Split", lambda f, c: f(c)[::-1]),
    ("steps left out", "Slice", lambda f, c: f(without(c, 4))),
    ("the first axis", "Gather", lambda f, c: f(attributes(c, axis=0))),
    ("the other axis", "GatherElements", lambda f, c: f(attributes(c, axis=1 - c.get("axis", 0)))),
    ("no batch", "GatherND", lambda f, c: f(attributes(c, batch_dims=0))),
    ("put, not added", "ScatterND", lambda f, c: f(attributes(c, reduction="none"))),
    ("put, not added", "ScatterElements", lambda f, c: f(attributes(c, reduction="none"))),
    ("choices swapped", "Where", lambda f, c: f(inputs(c, 0, 2, 1))),
    ("the other triangle", "Trilu", lambda f, c: f(attributes(c, upper=1 - c.get("upper", 1)))),
    ("another diagonal", "Trilu", lambda f, c: f(without(c, 1))),
    ("edges for mirrors", "Pad", lambda f, c: f(attributes(c, mode="edge"))),
    ("on and off swapped", "OneHot",
     lambda f, c: f(replace(c, inputs=[c[0], c[1], c[2][::-1]]))),
    ("no strides", "Conv", lambda f, c: f(attributes(c, strides=[1, 1]))),
    ("no groups", "ConvTranspose", first(lambda x: x[..., ::-1])),
    ("the padding counted", "AveragePool", lambda f, c: f(attributes(c, count_include_pad=1))),
    ("no dilation", "MaxPool", lambda f, c: f(attributes(c, dilations=[1, 1]))),
    ("blocks the other way", "DepthToSpace", lambda f, c: f(attributes(c, mode="CRD"))),
    ("no scale", "Attention", lambda f, c: f(attributes(c, scale=1.0))),
    ("no causal mask", "Attention", lambda f, c: f(attributes(c, is_causal=0))),
    ("no mask", "Attention", lambda f, c: f(without(c, 3))),
    ("no cap", "Attention", lambda f, c: f(attributes(c, softcap=0.0))),
    ("heads and tokens swapped", "Attention", first(lambda x: x[:, ::-1])),
    ("halves for pairs", "RotaryEmbedding", lambda f, c: f(attributes(c, interleaved=0))),
    ("cos and sin swapped", "RotaryEmbedding",
     lambda f, c: f(inputs(c, 0, 2, 1, *range(3, len(c.inputs))))),
    ("no peepholes", "LSTM", lambda f, c: f(without(c, 7))),
    ("no bias", "GRU", lambda f, c: f(without(c, 3))),
    ("no start", "RNN", first(lambda x: x[::-1] if len(x) > 1 else -x)),
    ("the other branch", "If", lambda f, c: f(replace(c, inputs=[np.asarray(~c[0])]))),
    ("a turn too few", "Loop",
     lambda f, c: f(replace(c, inputs=[c.inputs[0] - 1, *c.inputs[1:]]))),
    ("backwards", "Scan", lambda f, c: f(attributes(
        c, scan_input_directions=[1] * c.get("num_scan_inputs")))),
]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "operator", "fault"),
    [
        pytest.param(*f, id=f"{f[1]}: {f[0]}", marks=[pytest.mark.slow] if f[1] in SLOW else [])
        for f in FAULTS
    ],
)
def test_a_planted_fault_is_noticed(
    sample: list[tuple[Any, str]],
    monkeypatch: pytest.MonkeyPatch,
    what: str,
    operator: str,
    fault: Fault,
) -> None:
    """The cases would pass a wrong operator."""
    right = OPERATORS[operator]
    known = [c for c, found in sample if found == "passed"]
    if operator in SLOW:
        known = [c for c in cases_of({SLOW[operator]}) if outcome(c) == "passed"]
    cases = of_operators(known, {operator})
    assert cases
    monkeypatch.setitem(OPERATORS, operator, lambda c: fault(right, c))

    def noticed(case: Any) -> bool:
        try:
            return outcome(case).partition(" ")[0] not in KNOWN
        except Exception:  # the fault does not fit this case
            return False

    assert any(noticed(c) for c in cases), what
