"""Small models for tests of what is written, each decided once."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

MODELS = Path(__file__).parents[2] / "models"
EVIL_NODE = r"\input{/etc/passwd}"
EVIL = ("<script>alert(1)</script>", r"a\b{%$#&_^~}", "../../../etc/x:1", "Größe 重み σ−″ ")
NEEDED = ("onnx", "onnxruntime", "flint")


@cache
def decided(path: Path, axis: str) -> Any:
    """The report about a model, or a skip where what it needs is missing."""
    for package in NEEDED:
        pytest.importorskip(package, reason="orderproof[onnx]")
    from orderproof.symbolic.onnx.decide import decide

    return decide(path, axis)


def other(report: Any, **fields: Any) -> Any:
    """The report with other fields in its first result."""
    first, *rest = report.results
    return replace(report, results=(replace(first, **fields), *rest))
