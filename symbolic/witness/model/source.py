"""The bytes of an ONNX file, their digest, and the model in them with its data beside it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx

from orderproof import input_file

from .errors import BadModel
from .file import file_name


def read(path: str | os.PathLike[str]) -> tuple[onnx.ModelProto, str, tuple[tuple[str, str], ...]]:
    """The model, the digest of its file, and those of the files that hold its external data.

    BadModel where there is no such file, it holds no model, or its data lie outside its folder.
    """
    path, name = Path(path), input_file.shown(path)
    data = input_file.read(path, input_file.LARGEST_MODEL, "an ONNX file", BadModel)
    try:
        model = onnx.load_model_from_string(data)
    except Exception:  # of protobuf, by another name in each release
        raise BadModel(f"{name}: given bytes that are no ONNX model") from None
    if not model.HasField("graph"):
        raise BadModel(f"{name}: given no graph, expected an ONNX model")
    found = []
    for place in sorted(set(_locations(model))):
        try:
            beside = path.parent / file_name(place, "external data")
            found.append((place, _digest(beside)))
        except ValueError:
            raise BadModel(f"{name}: its data {place[:80]!r} are not beside it") from None
    if found:
        try:
            onnx.load_external_data_for_model(model, str(path.parent))
        except Exception as e:  # of onnx's checker, by another name in each release
            raise BadModel(f"{name}: its external data cannot be read ({e})") from None
    return model, hashlib.sha256(data).hexdigest(), tuple(found)


def _digest(path: Path) -> str:
    if path.is_symlink():
        raise ValueError
    with input_file.opened(path, input_file.LARGEST_DATA, "external data") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _locations(model: onnx.ModelProto) -> Iterator[str]:
    """The places of external data, wherever in the model a tensor stands."""
    graphs: list[Any] = [model.graph, *model.functions]
    while graphs:
        graph = graphs.pop()
        tensors = list(getattr(graph, "initializer", ()))
        for node in graph.node:
            for a in node.attribute:
                graphs += [a.g, *a.graphs]
                tensors += [a.t, *a.tensors]
        for t in tensors:
            if t.data_location == onnx.TensorProto.EXTERNAL:
                yield from (e.value for e in t.external_data if e.key == "location")
