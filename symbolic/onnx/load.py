"""A file of ONNX as a `Graph`: any file of any user, read as data and bounded before it is used."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

from orderproof import input_file
from orderproof.symbolic.onnx.graph import Graph, ModelError
from orderproof.symbolic.onnx.inline import inline_functions
from orderproof.symbolic.onnx.order import check_number, check_texts, plain_domain, put_in_order
from orderproof.symbolic.onnx.read_graph import Reader
from orderproof.symbolic.onnx.tensors import Store

OLDEST_OPSET = 13
_MAX_LINE = 400


def load(path: str | os.PathLike[str]) -> Graph:
    """The graph in the file at `path`, or a ModelError that says in one line why there is none.

    Constants that the file keeps beside it, as external data, are mapped into memory, and `proto`
    goes on naming them. An output whose type or shape the file leaves out has the type void, or no
    dimensions; outputs' shapes are what the file claims, and nothing is concluded from them.
    """
    path = Path(path)
    try:
        data = input_file.read(path, input_file.LARGEST_MODEL, "an ONNX model", ModelError)
    except ModelError as error:
        raise ModelError(one_line(str(error))) from None
    try:
        model, sha256 = _parsed(data), hashlib.sha256(data).hexdigest()
        del data  # as large as all constants together
        return graph_of(model, path.parent, sha256)
    except ModelError as error:
        raise ModelError(one_line(f"{path}: {error}")) from None


def graph_of(model: onnx.ModelProto, folder: Path = Path(), sha256: str = "") -> Graph:
    """The graph of a model in memory, external data in `folder`; `model` is changed: its local
    functions are inlined."""
    try:
        if model.ir_version <= 0 or not model.HasField("graph"):
            raise ModelError("not an ONNX model: it has no graph, or no version")
        check_texts(model)
        check_number(model.graph)
        if model.functions:
            inline_functions(model, _versions(model))
            check_number(model.graph)
        put_in_order(model.graph)
        graph = Reader(_versions(model), Store(folder)).graph(model.graph)
        if not graph.outputs:
            raise ModelError("the graph has no outputs")
    except (UnicodeDecodeError, DecodeError) as error:
        raise ModelError(f"a text or message in it is damaged: {error}") from None
    return replace(graph, sha256=sha256, proto=model)


def _parsed(data: bytes) -> Any:
    """The message in the bytes of a file."""
    if not data:
        raise ModelError("the file is empty; an ONNX model was expected")
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except DecodeError:
        raise ModelError(
            f"not an ONNX model, or cut off or damaged: it begins with {data[:8]!r}"
        ) from None
    return model


def _versions(model: onnx.ModelProto) -> dict[str, int]:
    """The operator sets that the model imports, by their domains."""
    versions: dict[str, int] = {}
    for entry in model.opset_import:
        domain = plain_domain(entry.domain)
        if versions.setdefault(domain, entry.version) != entry.version:
            raise ModelError(
                f"operator set {domain or 'ai.onnx'} is imported in the versions "
                f"{versions[domain]} and {entry.version}"
            )
    newest = onnx.defs.onnx_opset_version()
    if not OLDEST_OPSET <= versions.get("", OLDEST_OPSET) <= newest:
        raise ModelError(
            f"operator set {versions['']}; {OLDEST_OPSET} to {newest} are read "
            f"(onnx {onnx.__version__})"
        )
    return versions


def one_line(message: str) -> str:
    """One line that can be printed, whatever is in the names that it quotes."""
    clean = input_file.escaped(message)
    return clean if len(clean) <= _MAX_LINE else clean[: _MAX_LINE - 1] + "…"
