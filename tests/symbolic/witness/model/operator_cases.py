"""The cases of operators that the `onnx` package ships, and what the evaluator makes of one."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from importlib import import_module
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from orderproof.symbolic.witness.model.errors import Undecided, UnsupportedOperator
from orderproof.symbolic.witness.model.evaluate import evaluate

RADIUS = 1e-20  # of a ball, relative to 1 or its midpoint

# Expected values that were rounded on the way: within the rounding, and not within the tolerance.
HALF, BFLOAT = 2.0**-10, 2.0**-7
ROUNDED: dict[str, float] = {
    "test_attention_4d_gqa_with_past_and_present_fp16": HALF,
    "test_attention_4d_causal_bf16": BFLOAT,
    "test_attention_4d_padded_kv_bf16": BFLOAT,
    "test_attention_4d_causal_padded_kv_bf16": BFLOAT,
    "test_attention_4d_attn_mask_causal_bf16": BFLOAT,
    "test_attention_3d_causal_bf16": BFLOAT,
    "test_castlike_FLOAT_to_BFLOAT16": BFLOAT,
    "test_cast_FLOAT_to_BFLOAT16": BFLOAT,
    "test_celu_bfloat16": BFLOAT,
    "test_dft_inverse": 1e-6,  # 1.9e-7 where the value is 0: the expected values are of floats
    "test_dft_inverse_opset19": 1e-6,
}


def cases_of(modules: Iterable[str]) -> list[Any]:
    """The cases that some modules of the package define; with no modules, all of them."""
    import onnx.backend.test.case.node as node

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the package casts what overflows
        names = set()
        for module in modules:
            import_module(f"onnx.backend.test.case.node.{module}")
            names.add(module)
        found = list(node._NodeTestCases) if names else list(node.collect_testcases(None))
    return found


def of_operators(found: Iterable[Any], operators: set[str]) -> list[Any]:
    """The cases whose graph applies one of these operators."""
    return [c for c in found if any(n.op_type in operators for n in c.model.graph.node)]


def _array(x: Any) -> Any:
    if isinstance(x, onnx.TensorProto):
        return numpy_helper.to_array(x)
    if isinstance(x, list):
        return [_array(v) for v in x]
    return np.asarray(x) if isinstance(x, np.generic | int | float) else x


def outcome(case: Any) -> str:
    """The word passed; rounded, where the expected values are; refused, with the reason; or what
    differs."""
    tolerance, rounded = ROUNDED.get(case.name.removesuffix("_expanded"), 0.0), False
    for given, expected in case.data_sets:
        inputs = {i.name: _array(x) for i, x in zip(case.model.graph.input, given, strict=False)}
        try:
            found = evaluate(case.model, inputs)
        except (UnsupportedOperator, Undecided) as e:
            return f"refused {type(e).__name__} {e}"
        for declared, wanted in zip(case.model.graph.output, expected, strict=True):
            value, true = found[declared.name], _array(wanted)
            if difference(value, true, case, 0.0):
                wrong = difference(value, true, case, tolerance)
                if wrong:
                    return f"{declared.name}: {wrong}"
                rounded = True
    return "rounded" if rounded else "passed"


def difference(found: Any, wanted: Any, case: Any, more: float) -> str:
    """What differs between an output and the expected one; "" where nothing does."""
    if isinstance(wanted, list):
        if not isinstance(found, list) or len(found) != len(wanted):
            return "another sequence"
        parts = [difference(f, w, case, more) for f, w in zip(found, wanted, strict=True)]
        return next((p for p in parts if p), "")
    wanted = np.asarray(wanted)
    if found.shape != wanted.shape:
        return f"shape {found.shape}, expected {wanted.shape}"
    if found.dtype != object:
        same = found.dtype == wanted.dtype and np.array_equal(found, wanted)
        return "" if same else f"{found.ravel()[:4]}, expected {wanted.ravel()[:4]}"
    if wanted.dtype.kind not in "fV":
        return f"balls, expected {wanted.dtype}"
    flat = found.ravel().tolist()
    middle = np.array([float(v.mid()) for v in flat])
    radius = np.array([float(v.rad()) for v in flat])
    with np.errstate(invalid="ignore"):
        true = wanted.astype(np.float64).ravel()
        near = np.abs(middle - true) <= max(case.atol, more) + max(case.rtol, more) * np.abs(true)
        near |= (middle == true) | (np.isnan(middle) & np.isnan(true))
        if not near.all():
            return f"{middle[~near][:3]}, expected {true[~near][:3]}"
        small = radius <= RADIUS * (1 + np.abs(middle))
        small |= ~np.isfinite(true)
    return "" if small.all() else f"a radius of {radius.max()}"
