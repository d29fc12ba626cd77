"""One node by itself: its attributes, and what it computes on arrays.

The numbers are those of onnx's own reference implementation, which shares no code with
onnxruntime. Where it is wrong for our purposes, or slow, `OWN` in elementwise.py has a function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

import numpy as np
from onnx import NodeProto, defs, helper

from ..graph import Call
from ..reader import Reader
from ..values import Tensor

NUMBERS: dict[str, Any] = {"i": np.int64, "b": np.bool_}  # which terms hold as floats


def attributes(c: Call) -> dict[str, Any]:
    """The attributes of a call; those that it leaves out have the operator's default values."""
    return {**_defaults(c.op, c.version), **c.attributes}


@cache
def _defaults(op: str, version: int) -> dict[str, Any]:
    try:
        schema = defs.get_schema(op, version)
    except defs.SchemaError:  # an older operator set has none
        return {}
    given = (a.default_value for a in schema.attributes.values())
    values = {a.name: helper.get_attribute_value(a) for a in given if a.name}
    return {k: v.decode() if isinstance(v, bytes) else v for k, v in values.items()}


def optional(args: Sequence[Any], k: int) -> Any:
    """The k-th input, None where it is left out."""
    return args[k] if k < len(args) else None


def numbers(
    r: Reader, args: Sequence[Any], k: int, what: str, usual: Sequence[Any] | None = None
) -> list[Any]:
    """The whole numbers of the k-th input, which no data changes; `usual` where it is left out."""
    given = optional(args, k)
    return list(r.ints(given, what).flat) if given is not None or usual is None else [*usual]


def scalar(r: Reader, value: Any) -> Tensor:
    """A number in an attribute, which has 32 bits."""
    return r.number(Fraction(float(np.float32(value))))


def run_node(c: Call, kinds: Sequence[str], output: int = 0, /, **other: Any) -> Callable[..., Any]:
    """What a node computes, as a function on arrays of these kinds ("" is an input left out): one
    of its outputs, in the type of the first array, whatever the node makes it. Attributes in
    `other` replace those of the call; one that is None is left out."""
    given = {k: v for k, v in {**c.attributes, **other}.items() if v is not None}
    inputs = [f"x{k}" if kind else "" for k, kind in enumerate(kinds)]
    while not inputs[-1]:
        inputs.pop()
    count = len(c.outputs) if c.op == "Split" else output + 1  # into so many parts, by default
    node = helper.make_node(c.op, inputs, [f"y{k}" for k in range(count)], **given)
    types = {name: NUMBERS.get(kind) for name, kind in zip(inputs, kinds, strict=False) if name}

    whole = node.SerializeToString()

    def run(*arrays: Any) -> Any:
        pairs = zip(types.items(), arrays, strict=True)
        fed = {name: x if to is None else x.astype(to) for (name, to), x in pairs}
        try:
            with np.errstate(all="ignore"):
                (found,) = _evaluator(whole, c.version).run([node.output[output]], fed)
        except (RuntimeError, TypeError, AssertionError, ArithmeticError, LookupError) as error:
            why = " ".join(str(error).split())
            raise ValueError(f"{c.op} on arrays: {why[:200]}") from error
        return np.asanyarray(found).astype(arrays[0].dtype, copy=False)

    return run


@lru_cache(maxsize=256)  # a model has many nodes alike
def _evaluator(node: bytes, version: int) -> Any:
    from onnx.reference import ReferenceEvaluator

    proto = NodeProto.FromString(node)
    inputs, outputs = (
        list(map(helper.make_empty_tensor_value_info, filter(None, names)))
        for names in (proto.input, proto.output)
    )
    graph = helper.make_graph([proto], "node", inputs, outputs)
    return ReferenceEvaluator(graph, opsets={"": version})
