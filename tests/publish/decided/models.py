"""Small models for tests of what is written, each decided once; and one whose names are markup."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.models.files import model_file

EVIL = r"<script> ../\input{/x} a\b{%$#&_^~} Größe 重 σ "  # before each name


@cache
def decided(name: str, axis: str = "x:1") -> Any:
    """The report about a model of the bank, or a skip where what it needs is missing."""
    for package in ("onnx", "onnxruntime", "flint"):
        pytest.importorskip(package, reason="orderproof[onnx]")
    from orderproof.symbolic.onnx.decide import decide

    return decide(model_file(f"{name}.onnx") if "/" not in name else Path(name), axis)


def evil(folder: Path) -> Any:
    """The report about a model that names its tensors, nodes and sizes as markup and paths."""
    compose = pytest.importorskip("onnx.compose", reason="orderproof[onnx]")
    from tests.symbolic.onnx.making import parsed, saved

    text = """g (float[b, n, 2] x) => (float[b, n, 2] y) <float[2, 2] w = {1, 2, 3, 5}>
        {[node] m = MatMul(x, w)  [last] y = Softmax<axis = -1>(m)}"""
    model = compose.add_prefix(parsed(text), EVIL)
    for end in (model.graph.input[0], model.graph.output[0]):
        end.type.tensor_type.shape.dim[1].dim_param = "}n\\<b>"
    return decided(str(saved(model, folder, "&amp;_model.onnx")), f"{EVIL}x:1")


def other(report: Any, **fields: Any) -> Any:
    """The report with other fields in its first result."""
    first, *rest = report.results
    return replace(report, results=(replace(first, **fields), *rest))
