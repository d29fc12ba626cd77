"""Small models for tests of what is written, each decided once; and one whose names are markup."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.models.files import model_file

EVIL_NODE = r"\input{/etc/passwd}"
EVIL = ("<script>alert(1)</script>", r"a\b{%$#&_^~}", "../../../etc/x:1", "Größe 重み σ−″ ")


@cache
def decided(name: str, axis: str = "x:1") -> Any:
    """The report about a model of the bank, or a skip where what it needs is missing."""
    for package in ("onnx", "onnxruntime", "flint"):
        pytest.importorskip(package, reason="orderproof[onnx]")
    from orderproof.symbolic.onnx.decide import decide

    return decide(model_file(f"{name}.onnx") if "/" not in name else Path(name), axis)


def evil(folder: Path) -> Any:
    """The report about a model that names its tensors, nodes and sizes as markup and paths."""
    onnx = pytest.importorskip("onnx", reason="orderproof[onnx]")
    import numpy as np

    x, weight, made, y = EVIL
    helper, dims = onnx.helper, ["<b>", "}n\\", 4]
    nodes = [
        helper.make_node("MatMul", [x, weight], [made], name=EVIL_NODE),
        helper.make_node("Softmax", [made], [y], name="</td><img src=x>", axis=-1),
    ]
    ends = ([helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, dims)] for name in (x, y))
    array = np.random.default_rng(0).normal(size=(4, 4)).astype(np.float32)
    graph = helper.make_graph(nodes, "g", *ends, [onnx.numpy_helper.from_array(array, weight)])
    path = folder / "&amp;_model.onnx"
    made_of = {"opset_imports": [helper.make_opsetid("", 17)], "ir_version": 9}
    onnx.save(helper.make_model(graph, **made_of), path)
    return decided(str(path), f"{x}:1")


def other(report: Any, **fields: Any) -> Any:
    """The report with other fields in its first result."""
    first, *rest = report.results
    return replace(report, results=(replace(first, **fields), *rest))
