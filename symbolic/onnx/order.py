"""Names in the graphs and functions of a file: each defined once, and before it is used."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from typing import Any

from google.protobuf.message import Message  # type: ignore[import-untyped]
from onnx import FunctionProto, GraphProto, NodeProto

from orderproof.symbolic.onnx.graph import ModelError

MAX_NODES = 200_000
MAX_DEPTH = 30  # of subgraphs in subgraphs; protobuf itself reads no more than 33
Scope = ChainMap[str, int]  # the node that defines a name, or −1; graphs around it further out


def plain_domain(domain: str) -> str:
    """A domain's name; ONNX's own has two."""
    return "" if domain == "ai.onnx" else domain


def label(node: NodeProto) -> str:
    """A node's name in messages: never empty."""
    return node.name or f"{node.op_type} {next(filter(None, node.output), 'without outputs')}"


def messages(message: Any) -> Iterator[Any]:
    """A message of protobuf, and all messages in it. Other fields are not looked at: protobuf gives
    a copy of a tensor's bytes, which may be as large as the file."""
    todo = [message]
    while todo:
        found = todo.pop()
        yield found
        for field in found.DESCRIPTOR.fields:
            if field.message_type is not None:
                value = getattr(found, field.name)
                if not isinstance(value, Message):
                    todo += value
                elif found.HasField(field.name):
                    todo.append(value)


def check_texts(model: Any) -> None:
    """Raise ModelError where a text is not in UTF-8, for which protobuf gives bytes; what a person
    wrote about the model may be."""
    for message in messages(model):
        for field in message.DESCRIPTOR.fields:
            if field.type == field.TYPE_STRING and field.name != "doc_string":
                value = getattr(message, field.name)
                for part in [value] if isinstance(value, str | bytes) else value:
                    if isinstance(part, bytes):
                        what = f"{field.name} of {message.DESCRIPTOR.name}"
                        raise ModelError(f"{what} is {part[:40]!r}, which is not text in UTF-8")


def subgraphs(node: NodeProto) -> Iterator[GraphProto]:
    """The graphs among the attributes of a node."""
    for a in node.attribute:
        if a.HasField("g"):
            yield a.g
        yield from a.graphs


def all_nodes(nodes: Iterable[NodeProto], depth: int = 0) -> Iterator[NodeProto]:
    """The nodes and those in their subgraphs."""
    if depth > MAX_DEPTH:
        raise ModelError(f"graphs in graphs more than {MAX_DEPTH} deep")
    for node in nodes:
        yield node
        for g in subgraphs(node):
            yield from all_nodes(g.node, depth + 1)


def check_number(graph: GraphProto) -> None:
    """Raise ModelError where a graph has too many nodes, or too many graphs one in another."""
    if any(k >= MAX_NODES for k, _ in enumerate(all_nodes(graph.node))):
        raise ModelError(f"more than {MAX_NODES:,} nodes")


def put_in_order(graph: GraphProto | FunctionProto, outer: Scope | None = None) -> set[str]:
    """Sort the nodes, in subgraphs too, so that each comes after those whose results it uses; the
    names that it uses from `outer`, the graphs around it."""
    outer = Scope() if outer is None else outer
    defined: dict[str, int] = {}
    scope = outer.new_child(defined)
    inputs, constants, outputs = _values(graph)
    _define(defined, constants, -1)
    defaults = set(constants)  # of inputs, in the old form of files
    _define(defined, (name for name in inputs if name not in defaults), -1)
    for k, node in enumerate(graph.node):
        _define(defined, filter(None, node.output), k)
        if node.op_type == "Constant" and not plain_domain(node.domain):
            constants += node.output
    for name in constants:  # onnxruntime takes the outer one
        if name in outer:
            raise ModelError(f"{name} is defined in a graph and again within it")
    free: set[str] = set()
    before: dict[int, list[int]] = {}  # the nodes of which a node uses results
    for k, node in enumerate(graph.node):
        inner = [put_in_order(g, scope) for g in subgraphs(node)]
        used = dict.fromkeys(filter(None, node.input)).keys() | set().union(*inner)
        unknown = [name for name in used if name not in scope]
        if unknown:
            raise ModelError(
                f"{label(node)} uses {min(unknown, key=str)}, which is defined nowhere"
            )
        free.update(name for name in used if name not in defined)
        before[k] = [defined[name] for name in used if defined.get(name, -1) >= 0]
    for name in outputs:
        if name not in scope:
            raise ModelError(f"the output {name} is defined nowhere")
    if any(j >= k for k, made in before.items() for j in made):
        nodes = [graph.node[k] for k in _order(before, graph)]
        del graph.node[:]
        graph.node.extend(nodes)
    return free.union(name for name in outputs if name not in defined)


def _values(graph: GraphProto | FunctionProto) -> tuple[list[str], list[str], list[str]]:
    """The names of inputs, initialisers and outputs."""
    if isinstance(graph, FunctionProto):
        return list(graph.input), [], list(graph.output)
    if graph.sparse_initializer:
        raise ModelError("a sparse initialiser is not read, expected dense ones")
    parts: tuple[Any, ...] = graph.input, graph.initializer, graph.output
    inputs, initialisers, outputs = ([value.name for value in part] for part in parts)
    return inputs, initialisers, outputs


def _define(defined: dict[str, int], names: Iterable[str], by: int) -> None:
    for name in names:
        if not name:
            raise ModelError("an input or initialiser has no name")
        if name in defined:
            raise ModelError(f"{name} is defined twice")
        defined[name] = by


def _order(before: dict[int, list[int]], graph: GraphProto | FunctionProto) -> list[int]:
    try:
        return list(TopologicalSorter(before).static_order())
    except CycleError as error:
        cycle = error.args[1][:0:-1]  # each node uses a result of the next
        first = cycle.index(min(cycle))
        around = " → ".join(label(graph.node[k]) for k in (cycle[first:] + cycle[:first])[:5])
        raise ModelError(f"the graph has a cycle: {around}") from None
