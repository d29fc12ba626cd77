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


def decided(path: Path, axis: str) -> Any:
    """The report about a model, or a skip where what it needs is missing: a copy that a test may
    change."""
    for package in NEEDED:
        pytest.importorskip(package, reason="orderproof[onnx]")
    report = _decided(path, axis)
    fresh = (replace(r, evidence=list(r.evidence)) for r in report.results)
    return replace(report, results=tuple(fresh))


@cache
def _decided(path: Path, axis: str) -> Any:
    from orderproof.symbolic.onnx.decide import decide

    return decide(path, axis)
