"""Small models of ONNX for tests, from text or from nodes and arrays; and how bad ones end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import DTypeLike, NDArray
from onnx import ModelProto, NodeProto, ValueInfoProto, helper, numpy_helper

from orderproof.symbolic.onnx.graph import ModelError
from orderproof.symbolic.onnx.load import load
from orderproof.symbolic.onnx.report import Result

OPSET = 17


def parsed(text: str, *, opset: int = OPSET, domains: Sequence[str] = ()) -> ModelProto:
    """The model whose graph, and local functions after it, stand in `text`, as `onnx.parser` reads
    them; `domains` are imported beside ONNX's own."""
    imports = ", ".join([f'"": {opset}', *(f'"{domain}": 1' for domain in domains)])
    return onnx.parser.parse_model(f"<ir_version: 8, opset_import: [{imports}]>\n{text}")


def value(name: str, dims: Sequence[int | str | None], dtype: DTypeLike = "f4") -> ValueInfoProto:
    """An input or output: each dimension a size, a name, or None."""
    element = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    return helper.make_tensor_value_info(name, element, list(dims))


def made(
    nodes: Sequence[NodeProto],
    inputs: Sequence[ValueInfoProto],
    outputs: Sequence[ValueInfoProto],
    constants: Mapping[str, NDArray[Any]] | None = None,
    *,
    opset: int = OPSET,
    domains: Sequence[str] = (),
) -> ModelProto:
    """A model of these nodes, its initialisers from arrays."""
    tensors = [numpy_helper.from_array(array, name) for name, array in (constants or {}).items()]
    graph = helper.make_graph(nodes, "graph", inputs, outputs, tensors)
    imports = [helper.make_opsetid("", opset)]
    imports += [helper.make_opsetid(domain, 1) for domain in domains]
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


def saved(model: ModelProto, folder: Path, name: str = "model.onnx") -> Path:
    """The file that the model was written to, as it is: nothing is checked."""
    path = folder / name
    path.write_bytes(model.SerializeToString())
    return path


def answer(folder: Path, text: str, axis: str = "x:0", along: Sequence[str] = ()) -> Result:
    """What is answered about an axis of the model in the text."""
    from orderproof.symbolic.onnx.decide import decide

    (found,) = decide(saved(parsed(text, opset=18), folder), axis, along).results
    result: Result = found
    return result


def said(found: Result) -> str:
    """An answer in short: its scope and conditions."""
    return "; ".join([found.answer, found.scope, *found.conditions])


def refused(path: Path) -> str:
    """The line with which the file is refused."""
    with pytest.raises(ModelError) as caught:
        load(path)
    line = str(caught.value)
    if not line.isprintable() or len(line) > 400:
        pytest.fail(f"not one line: {line!r}")
    return line
