"""Local functions in place of their calls, by the inliner of `onnx`, which is bounded first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from typing import NamedTuple

import onnx
from google.protobuf.message import DecodeError, EncodeError  # type: ignore[import-untyped]
from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, ValueInfoProto
from onnx.inliner import inline_local_functions

from orderproof.symbolic.onnx import order
from orderproof.symbolic.onnx.graph import ModelError
from orderproof.symbolic.onnx.order import (
    all_nodes,
    label,
    plain_domain,
    put_in_order,
    subgraphs,
)

_MAX_CALLS = 64  # of functions in functions, and graphs in graphs
_NODE = 10_000  # bytes that a node counts as, beside its own
_OWN = ("ai.onnx", "com.microsoft", "com.ms.", "org.pytorch")  # how these domains begin

_Key = tuple[str, str, str]


class _Size(NamedTuple):
    """What nodes come to when their calls are inlined."""

    own: int = 0  # bytes
    references: int = 0  # to attributes of the function around them: each becomes a copy
    depth: int = 0  # of calls in calls and graphs in graphs


def inline_functions(model: ModelProto, versions: dict[str, int]) -> None:
    """Replace each call of a local function in `model` by the function's nodes, with the operator
    sets that it imports added to `versions`, those of the model."""
    functions: dict[_Key, FunctionProto] = {}
    for f in model.functions:
        key = _named(f.domain, f.name, f.overload)
        if key[0].startswith(_OWN):  # onnxruntime may take an operator of this name
            raise ModelError(f"the function {_name(key)} is of a domain of onnxruntime's operators")
        if not key[0]:
            raise ModelError(f"the function {_name(key)} is of ONNX's own domain")
        if key in functions:
            raise ModelError(f"the function {_name(key)} is defined twice")
        functions[key] = f
    used = _check_size(model, functions)
    for key, f in used.items():
        try:
            put_in_order(f)  # the library takes a name that it does not define from its caller
        except ModelError as error:
            raise ModelError(f"in the function {_name(key)}: {error}") from None
        results = {name for node in f.node for name in node.output}
        if len(results.intersection(f.output)) < len(f.output):  # onnxruntime refuses these too
            raise ModelError(f"{_name(key)} has an output twice, or one that no node of it makes")
        _match_versions(f, _name(key), versions)
        f.domain = key[0]
    del model.opset_import[:]
    model.opset_import.extend(onnx.helper.make_opsetid(d, v) for d, v in versions.items())
    for f in used.values():
        del f.opset_import[:]
        f.opset_import.extend(model.opset_import)
    _inline(model, used)
    del model.functions[:]


def _inline(model: ModelProto, functions: Mapping[_Key, FunctionProto]) -> None:
    """Inline all calls. The library leaves out an attribute's default, which each call is given
    before; and it reads a graph that a call hands over as if it were in the function."""
    graph = GraphProto(name="graph", input=model.graph.input, output=model.graph.output)
    graph.node.extend(model.graph.node)  # not the initialisers, which may be large
    graph.input.extend(ValueInfoProto(name=tensor.name) for tensor in model.graph.initializer)
    part = ModelProto(ir_version=model.ir_version, opset_import=model.opset_import, graph=graph)
    part.functions.extend(functions.values())
    calls = [
        [node for node in all_nodes(nodes) if _key(node) in functions]
        for nodes in (part.graph.node, *(f.node for f in part.functions))
    ]
    handed_on = {
        key: {a.ref_attr_name for node in own for a in node.attribute}
        for key, own in zip(functions, calls[1:], strict=True)
    }
    for node in chain(*calls):
        key, given = _key(node), {a.name for a in node.attribute}
        f, node.domain = functions[key], key[0]
        if len(node.input) > len(f.input) or len(node.output) > len(f.output):
            raise ModelError(
                f"{label(node)} calls {_name(key)} with {len(node.input)} inputs and "
                f"{len(node.output)} outputs; it has {len(f.input)} and {len(f.output)}"
            )
        left_out = handed_on[key].intersection(f.attribute) - given
        node.attribute.extend(a for a in f.attribute_proto if a.name not in given)
        if left_out or any(subgraphs(node)):
            what = f"without the attribute {min(left_out)}" if left_out else "with a graph"
            raise ModelError(f"{label(node)} calls {_name(key)} {what}, which is not read")
    try:
        inlined = inline_local_functions(part)
    except DecodeError:
        raise ModelError(f"graphs in graphs more than {order.MAX_DEPTH} deep") from None
    except (RuntimeError, EncodeError, onnx.checker.ValidationError):
        inlined = part
    if inlined.functions:
        raise ModelError("its functions cannot be inlined by the library of ONNX")
    del model.graph.node[:]
    model.graph.node.extend(inlined.graph.node)


def _check_size(
    model: ModelProto, functions: Mapping[_Key, FunctionProto]
) -> dict[_Key, FunctionProto]:
    """The functions that the model calls; ModelError where it would be too large, or without end,
    with these inlined."""
    calls: dict[_Key, set[_Key]] = {}
    found = {_key(node) for node in all_nodes(model.graph.node)} & functions.keys()
    while found:
        key = found.pop()
        calls[key] = {_key(node) for node in all_nodes(functions[key].node)} & functions.keys()
        found |= calls[key] - calls.keys()
    sizes: dict[_Key, _Size] = {}
    try:
        for key in TopologicalSorter(calls).static_order():
            size = _size(functions[key].node, sizes)
            default = sum(a.ByteSize() for a in functions[key].attribute_proto)
            sizes[key] = size._replace(own=size.own + (1 + size.references) * default)
            _check(sizes[key])
    except CycleError as error:
        raise ModelError(f"the function {_name(error.args[1][0])} calls itself") from None
    _check(_size(model.graph.node, sizes))
    return {key: functions[key] for key in calls}


def _check(size: _Size) -> None:
    if size.own > order.MAX_NODES * _NODE:
        raise ModelError(f"with its functions inlined it has more than {order.MAX_NODES:,} nodes")
    if size.depth > _MAX_CALLS:
        raise ModelError(f"functions and graphs in one another more than {_MAX_CALLS} deep")


def _size(nodes: Iterable[NodeProto], sizes: Mapping[_Key, _Size]) -> _Size:
    own = references = depth = 0
    for node in nodes:
        inner = [_size(g.node, sizes) for g in subgraphs(node)]
        size = _NODE + node.ByteSize() + sum(s.own for s in inner)
        copies = sum(bool(a.ref_attr_name) for a in node.attribute)
        copies += sum(s.references for s in inner)
        deepest = max((s.depth + 1 for s in inner), default=0)
        if body := sizes.get(_key(node)):  # each reference in it copies an attribute of the call
            size, copies = body.own + body.references * size, body.references * copies
            deepest += body.depth + 1
        own, references, depth = own + size, references + copies, max(depth, deepest)
    return _Size(own, references, depth)


def _match_versions(f: FunctionProto, name: str, versions: dict[str, int]) -> None:
    """Raise ModelError where an operator means another thing in the model's operator set."""
    for o in f.opset_import:
        domain = plain_domain(o.domain)
        own = versions.setdefault(domain, o.version)
        for node in all_nodes(f.node) if own != o.version else ():
            op = node.op_type
            if plain_domain(node.domain) == domain and (
                _since(op, domain, own) != _since(op, domain, o.version)
            ):
                raise ModelError(
                    f"the function {name} uses {op} of operator set {o.version}, and the model has "
                    f"operator set {own}"
                )


def _since(op: str, domain: str, version: int) -> int:
    """The operator set that last changed `op`, up to `version`; 0 where it is not known."""
    try:
        return int(onnx.defs.get_schema(op, version, domain).since_version)
    except (onnx.defs.SchemaError, TypeError):  # a version beyond an int
        return 0


def _key(node: NodeProto) -> _Key:
    return _named(node.domain, node.op_type, node.overload)


def _named(domain: str, name: str, overload: str) -> _Key:
    return plain_domain(domain), name, overload


def _name(key: _Key) -> str:
    return "::".join(part for part in key if part)
