"""A torch module as a small ONNX file with dynamic axes, by either exporter; its record."""

from __future__ import annotations

import io
import logging
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import nn

from tests.models.doubles import Runner
from tests.models.draw import OTHER_SIZES, draw
from tests.models.make.spec import Model
from tests.models.truth import HERE

# What an exporter notes about a node that is of use to a reader; paths of a machine are not.
KEPT = ("pkg.torch.onnx.name_scopes",)


logging.getLogger("torch.onnx").setLevel(logging.ERROR)


def make(model: Model, source: str) -> dict[str, Any]:
    """Write the file, check it against torch, and return what bank.json has about the model."""
    path = HERE / f"{model.name}.onnx"
    if isinstance(model.module, onnx.ModelProto):
        proto, exporter = model.module, model.exporter
    else:
        shake(model.module, zlib.crc32(model.name.encode()))
        proto = exported(model)
        exporter = "torch.export" if model.dynamo else "TorchScript"
    tidy(proto)
    onnx.checker.check_model(proto)
    onnx.save(proto, path)
    if isinstance(model.module, nn.Module):
        compare(model, path)
    versions = {imported.domain: imported.version for imported in proto.opset_import}
    return {
        "about": model.about,
        "exporter": exporter,
        "file": path.name,
        "inputs": {name: given.record() for name, given in model.inputs.items()},
        "opset": versions[""],
        "source": f"make/{source}.py",
        "questions": [question.record() for question in model.questions],
    }


def shake(module: nn.Module, seed: int) -> None:
    """Random weights, none of them the zeros and ones that a new module has: those hide errors."""
    random = torch.Generator().manual_seed(seed)
    module.eval()
    with torch.no_grad():
        for name, value in (*module.named_parameters(), *module.named_buffers()):
            if not value.is_floating_point() or "fixed" in name:
                continue
            noise = torch.randn(value.shape, generator=random)
            if "running_var" in name:
                value.copy_(0.5 + noise.abs())
            elif "norm" in name and name.endswith("weight"):
                value.copy_(1 + 0.5 * noise)
            elif value.dim() < 2:
                value.copy_(0.7 * noise)
            else:
                value.copy_(1.3 * noise / value.shape[-1] ** 0.5)


def exported(model: Model) -> onnx.ModelProto:
    """The module by the exporter that the model names."""
    names = list(model.inputs)
    args = tuple(torch.from_numpy(value) for value in _sample(model, {}).values())
    dynamic = {
        name: {axis: dim for axis, dim in enumerate(given.dims) if isinstance(dim, str)}
        for name, given in model.inputs.items()
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if not model.dynamo:
            buffer = io.BytesIO()
            torch.onnx.export(
                model.module,
                args,
                buffer,
                dynamo=False,
                opset_version=model.opset,
                input_names=names,
                output_names=list(model.outputs),
                dynamic_axes={name: axes for name, axes in dynamic.items() if axes},
            )
            return onnx.load_from_string(buffer.getvalue())
        program = torch.onnx.export(
            model.module,
            args,
            dynamo=True,
            opset_version=model.opset,
            input_names=names,
            output_names=list(model.outputs),
            dynamic_shapes=tuple(dynamic.values()),
            verbose=False,
        )
        proto: onnx.ModelProto = program.model_proto
        return proto


def tidy(proto: onnx.ModelProto) -> None:
    """Without the places in source files that exporters note: they name a machine's folders."""
    proto.doc_string = ""
    del proto.metadata_props[:]
    proto.graph.doc_string = ""
    del proto.graph.metadata_props[:]
    nodes = [*proto.graph.node, *(node for f in proto.functions for node in f.node)]
    values = (*proto.graph.input, *proto.graph.output, *proto.graph.value_info)
    for item in (*nodes, *values, *proto.graph.initializer):
        item.doc_string = ""
        kept = [entry for entry in item.metadata_props if entry.key in KEPT]
        del item.metadata_props[:]
        item.metadata_props.extend(kept)


def _sample(model: Model, more: dict[str, int]) -> dict[str, Any]:
    specs = {name: given.record() for name, given in model.inputs.items()}
    for spec in specs.values():  # torch and onnxruntime may break ties differently
        spec["kind"] = "normal" if spec["kind"] == "coarse" else spec["kind"]
    return draw(specs, {**OTHER_SIZES, **more}, 0)


def compare(model: Model, path: Path) -> None:
    """The file says what the module says, in float64 where it runs so, at two other sizes."""
    run = Runner(path)
    dynamic = {d for given in model.inputs.values() for d in given.dims if isinstance(d, str)}
    allowed = model.questions[0].sizes
    for change in (1, 0):
        more = {name: OTHER_SIZES[name] + change for name in dynamic}
        more["n"] = max(more.get("n", 0) if more.get("n") in allowed else 0, allowed[0])
        inputs = _sample(model, more)
        found = run(inputs)  # before `run.double` is read: the first run may change it
        given = [torch.from_numpy(v) for v in inputs.values()]
        if run.double:
            given = [v.double() if v.dtype == torch.float32 else v for v in given]
        with torch.no_grad():
            expected = (model.module.double() if run.double else model.module.float())(*given)
        expected = expected if isinstance(expected, tuple) else (expected,)
        for name, value in zip(model.outputs, expected, strict=True):
            np.testing.assert_allclose(found[name], value.numpy(), rtol=1e-3, atol=1e-4)
