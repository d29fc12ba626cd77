"""How large the tensors of a model are at given inputs, before any is computed."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from onnx import ModelProto, ValueInfoProto, shape_inference

from .graph import Dimension

WIDE = 136  # a size of dynamic dimensions above most at which a model is run

Shapes = Mapping[str, Sequence[Dimension]]


class Largest:
    """The entries of the largest tensor that a node of a model computes, as far as ONNX infers
    shapes; `declared` are those of its inputs."""

    def __init__(self, model: ModelProto, declared: Shapes) -> None:
        self._model, self._declared = model, declared
        self._found: dict[Any, int] = {}

    def beyond(self, most: int, given: Mapping[str, tuple[int, ...]]) -> int:
        """The entries at inputs of given shapes, where they are more than this; else 0."""
        shapes = {**self._declared, **{x: s for x, s in given.items() if x in self._declared}}
        every = ((x, k, d) for x, dims in self._declared.items() for k, d in enumerate(dims))
        sizes = (shapes[x][k] for x, k, d in every if isinstance(d, str) and k < len(shapes[x]))
        if all(isinstance(s, int) and s <= WIDE for s in sizes) and self._usual <= most:
            return 0
        entries = self._at(shapes)
        return entries if entries > most else 0

    @cached_property
    def _usual(self) -> int:
        """The entries where dynamic dimensions are up to WIDE: they grow with these, or else are
        the most at the least."""
        return max(
            self._at({
                x: [k if isinstance(d, str) else d for d in dims]
                for x, dims in self._declared.items()
            })
            for k in (2, WIDE)
        )  # fmt: skip

    def _at(self, shapes: Shapes) -> int:
        key = tuple(map(tuple, shapes.values()))
        if key not in self._found:
            model = ModelProto()
            model.CopyFrom(self._model)
            for value in model.graph.input:
                dims = value.type.tensor_type.shape.dim
                for d, size in zip(dims, shapes.get(value.name, ()), strict=False):
                    if isinstance(size, int):
                        d.dim_value = size
            try:
                model = shape_inference.infer_shapes(model, data_prop=True)
            except (shape_inference.InferenceError, ValueError, RuntimeError):
                return 0  # nothing is known of it
            every = (*model.graph.value_info, *model.graph.output)
            self._found[key] = max(map(_entries, every), default=0)
        return self._found[key]


def _entries(value: ValueInfoProto) -> int:
    """The entries of a tensor, a size that is not known counted as one; where one is beyond 64
    bits, more than there can be."""
    dims = value.type.tensor_type.shape.dim
    sizes = [d.dim_value if d.HasField("dim_value") else 1 for d in dims]
    return math.prod(sizes) if min(sizes, default=1) >= 0 else sys.maxsize
