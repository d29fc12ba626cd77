"""Small models, and one whose names are markup."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.publish.decided.models import EVIL, EVIL_NODE, MODELS, decided


@pytest.fixture
def encoder() -> Any:
    """An encoder, which is proved to be equivariant."""
    return decided(MODELS / "encoder_post_norm.onnx", "x:1")


@pytest.fixture
def causal() -> Any:
    """A decoder under a causal mask, which is refuted; a theorem holds where the mask is fixed."""
    return decided(MODELS / "decoder_causal.onnx", "x:1")


@pytest.fixture
def mask() -> Any:
    """Attention under a mask that is an input, and moves along."""
    return decided(MODELS / "mask_added.onnx", "x:1")


@pytest.fixture
def evil(tmp_path: Path) -> Any:
    """A model that names its tensors, nodes and sizes as markup and paths."""
    onnx = pytest.importorskip("onnx", reason="orderproof[onnx]")
    import numpy as np

    x, weight, made, y = EVIL
    dims = ["<b>", "}n\\", 4]
    helper, float_ = onnx.helper, onnx.TensorProto.FLOAT
    nodes = [
        helper.make_node("MatMul", [x, weight], [made], name=EVIL_NODE),
        helper.make_node("Softmax", [made], [y], name="</td><img src=x>", axis=-1),
    ]
    array = np.random.default_rng(0).normal(size=(4, 4)).astype(np.float32)
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info(x, float_, dims)],
        [helper.make_tensor_value_info(y, float_, dims)],
        [onnx.numpy_helper.from_array(array, weight)],
    )  # fmt: skip
    opset = [helper.make_opsetid("", 17)]
    path = tmp_path / "&amp;_model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=9), str(path))
    return decided(path, f"{x}:1")
