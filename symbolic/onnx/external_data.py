"""The files of external data that a model names: where they are, and their digests."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
from google.protobuf.message import Message  # type: ignore[import-untyped]

from orderproof import input_file

from .graph import ModelError
from .order import text


def inside(folder: Path, location: str, what: str) -> Path:
    """The file at `location`, links followed, where it is in `folder`, itself without links."""
    try:
        path = (folder / location).resolve()
        found = bool(location) and not os.path.isabs(location) and path.is_relative_to(folder)
    except (OSError, RuntimeError, ValueError):  # a loop of links, a null character
        found = False
    if not found or "\\" in location:
        raise ModelError(
            f"{what}: given {location[:100]!r}, expected a relative path in the model's folder"
        )
    return path


def digests(model: onnx.ModelProto, folder: Path) -> tuple[tuple[str, str], ...]:
    """The name of each, from the folder of the model's file, and its SHA-256, sorted. ModelError,
    in one line, where one cannot be read, or does not lie in that folder without links."""
    root = folder.resolve()
    return tuple((name, _digest(root, name)) for name in sorted(set(_locations(model))))


def _digest(root: Path, name: str) -> str:
    called = f"external data {name[:80]!r}"
    if inside(root, name, called) != root / name:
        raise ModelError(f"{called}: given a path with links, expected a file beside the model")
    with input_file.opened(
        root / name, input_file.LARGEST_DATA, "a file", ModelError, called
    ) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _locations(message: Any) -> Iterator[str]:
    """What the tensors of external data name, wherever in the model they are."""
    if isinstance(message, onnx.TensorProto):
        if message.data_location == onnx.TensorProto.EXTERNAL:
            entries = [e for e in message.external_data if e.key == "location"]
            yield from (text(e.value, f"the external data of {message.name!r}") for e in entries)
        return
    for field, value in message.ListFields():
        if field.message_type is not None:
            for part in [value] if isinstance(value, Message) else value:
                yield from _locations(part)
