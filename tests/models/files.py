"""The bank's records and files; a model written by hand is text here, and made a file for use."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def read_bank() -> list[dict[str, Any]]:
    """The models of bank.json, in its order."""
    models: list[dict[str, Any]] = json.loads((HERE / "bank.json").read_bytes())["models"]
    return models


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Where this process makes files of text, until it ends."""
    return tempfile.TemporaryDirectory(prefix="orderproof-models-")


@cache
def model_file(name: str) -> Path:
    """The file of a model of the bank, by its name there: alibi.onnx."""
    path = HERE / name
    if path.exists():
        return path
    import onnx.parser

    made = Path(_folder().name) / name
    onnx.save(onnx.parser.parse_model(path.with_suffix(".onnxtxt").read_text("utf-8")), made)
    return made
