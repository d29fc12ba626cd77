"""Wrong readings of operators: the check sees every one of them, or the term cannot be built."""

from __future__ import annotations

from typing import Any

import pytest

from orderproof.symbolic.onnx.check import check, doubt
from orderproof.symbolic.onnx.graph import Graph, Unsupported
from orderproof.symbolic.onnx.reader import read
from orderproof.symbolic.onnx.run import Runner
from orderproof.symbolic.onnx.values import Realised, Refused
from tests.symbolic.onnx.planted import PLANTED, Patch


def seen(graph: Graph) -> str:
    """What says that a reading of y is not to be relied on; nothing where all agrees."""
    runner = Runner(graph)

    def evaluate(name: str) -> Any:
        return runner.constants_at([name], {"b": 2, "n": 5})[name]

    reader, _ = read(graph, None, evaluate=evaluate)
    value = reader.values["y"]
    if isinstance(value, Refused):
        return f"construction: {value.reason}"
    try:
        tensor = reader.as_tensor(value)
        found = check(reader, Realised(reader.atoms), runner, {"y": tensor})
    except Unsupported as error:
        return f"construction: {error}"
    why = doubt(reader, found, ["y"])
    return f"check: {why}" if why else ""


@pytest.mark.parametrize(("name", "model", "patch"), PLANTED, ids=[name for name, *_ in PLANTED])
def test_planted_fault_is_seen(
    name: str, model: Graph, patch: Patch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were it to fail, this fault of the translator would end in a wrong theorem; and its model,
    read rightly, must be confirmed."""
    assert seen(model) == ""
    patch(monkeypatch)
    why = seen(model)
    print(f"{name}: {why}")
    assert why != ""
