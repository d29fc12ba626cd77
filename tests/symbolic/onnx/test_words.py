"""Reasons name a node as the file and its author do, in one line, whatever an exporter noted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="the extra `onnx` is missing")
pytest.importorskip("onnxruntime", reason="the extra `onnx` is missing")

from orderproof.symbolic.onnx.decide import decide  # noqa: E402
from orderproof.symbolic.onnx.graph import Graph  # noqa: E402
from orderproof.symbolic.onnx.load import graph_of  # noqa: E402
from orderproof.symbolic.onnx.reader import read  # noqa: E402
from orderproof.symbolic.onnx.values import Realised  # noqa: E402
from orderproof.symbolic.onnx.words import (  # noqa: E402
    advice,
    node_text,
    refused,
    where_order_enters,
)
from tests.symbolic.onnx.making import parsed, saved  # noqa: E402
from tests.symbolic.onnx.one_operator import graph  # noqa: E402

TEXT = "g (float[n, 4] x) => (float[n, 4] y) {h = Relu(x) y = Mish(h)}"
USER = 'File "/home/a/.venv/lib/torch/nn/modules/linear.py", line 3, in forward\n  x'
STACK = f'File "/home/a/net.py", line 12, in forward\n  self.act(x)\n{USER}'
SCOPES = "['', 'encoder', 'encoder.layers.0', 'mish']"


def noted(**notes: str) -> Graph:
    """The graph of a small model, of whose last node an exporter noted this."""
    model = parsed(TEXT)
    for key, value in notes.items():
        model.graph.node[-1].metadata_props.add(key=f"pkg.torch.onnx.{key}", value=value)
    return graph_of(model)


def test_a_node_is_named_as_its_author_knows_it() -> None:
    """A person would look for the name of an exporter in their own source, in vain."""
    graph = noted(name_scopes=SCOPES, stack_trace=STACK)
    (name,) = [c.name for c in graph.calls if c.op == "Mish"]
    text = "the node Mish(h) → y, from encoder.layers.0, net.py:12"
    assert node_text(name, graph) == text
    assert refused(graph, name, "Mish: no") == f"{text}: no"
    assert node_text(name, noted(stack_trace=USER)) == "the node Mish(h) → y"


@pytest.mark.parametrize(
    "notes",
    [
        {"name_scopes": "['', 'a\x1b[31m\n" + "z" * 5000 + "', 'mish']"},
        {"name_scopes": "'" * 20_001},
        {"name_scopes": "[" * 5000, "stack_trace": "File " * 10_000},
        {"name_scopes": "{'a': 1}", "stack_trace": 'File "a\nb", line 99999999999'},
        {"name_scopes": "['', 'm']", "stack_trace": 'File "\u202e\x1b]0;.py", line 7, in f'},
        {"name_scopes": "__import__('os').getcwd()"},
    ],
)
def test_what_an_exporter_noted_is_no_control_text(notes: dict[str, str]) -> None:
    """A file would write to a terminal, or fill it; or what it says be run."""
    graph = noted(**notes)
    text = node_text(graph.calls[-1].name, graph)
    assert text.startswith("the node Mish(h)") and text.isprintable() and len(text) < 300


@pytest.mark.parametrize(
    ("text", "constants", "says"),
    [
        ("y = Pad(x, c)", [1, 0, 0, 0], "the node Pad(x, c) → y, which pads the axis"),
        ("y = Gather(x, c)", [0, 0], "the numbers in c, by which"),
        ("y = Resize(x, , s)", [1], "the node Resize(x, s) → y, which resizes"),
        ("y = CumSum(x, c)", 0, "the node CumSum(x, c) → y, which takes"),
        (
            "y = ScatterND(x, p, c)",
            np.ones((1, 3), np.float32),
            "the node ScatterND(x, p, c) → y, which",
        ),
    ],
)
def test_a_table_is_called_by_what_its_node_does(text: str, constants: Any, says: str) -> None:
    """A person would read a name that only the reader knows."""
    g = graph(text, "float[n, 3] x", c=constants, s=np.float32([2, 1]), p=[[0]])
    reader, _ = read(g, ("x", 0))
    realised = Realised(reader.atoms)
    realised.of(reader.as_tensor(reader.values["y"]))
    tables = [op.data[0] for op, leaf in realised.leaves.items() if leaf.role == "table"]
    assert [where_order_enters(name, "", g).startswith(says) for name in tables] == [True]


def test_a_reason_says_what_may_help(tmp_path: Path) -> None:
    """A person would be told what is not read, and nothing that they can do."""
    model: Any = parsed(TEXT.replace("Mish", "com.acme.Mish"), domains=["com.acme"])
    model.graph.node[-1].metadata_props.add(key="pkg.torch.onnx.name_scopes", value=SCOPES)
    (result,) = decide(saved(model, tmp_path), "x:0").results
    assert "from encoder.layers.0: operator Mish of domain com.acme is not read" in result.reason
    assert "dynamo=True" in advice(result.reason)
    assert advice("") == ""
