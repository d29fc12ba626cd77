"""Local functions of a model, put in the places of their calls."""

from __future__ import annotations

from collections.abc import Iterator

import onnx
from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto

from orderproof.symbolic.onnx.graph import ModelError

MAX_NODES = 200_000
MAX_DEPTH = 30  # of subgraphs in subgraphs; protobuf itself reads no more than 33
_MAX_CALLS = 64  # of functions in functions
_MAX_BYTES = 1 << 31  # of what is copied from the bodies of functions

_Key = tuple[str, str, str]


def plain_domain(domain: str) -> str:
    """A domain's name; ONNX's own has two."""
    return "" if domain == "ai.onnx" else domain


def inline_functions(model: onnx.ModelProto) -> None:
    """Replace each call of a local function in `model` by the function's nodes."""
    if model.functions:
        _Inliner(model).graph(model.graph, (), 0)
        del model.functions[:]


class _Inliner:
    def __init__(self, model: onnx.ModelProto) -> None:
        self.model = model
        self.functions: dict[_Key, FunctionProto] = {}
        for f in model.functions:
            key = (plain_domain(f.domain), f.name, f.overload)
            if not key[0]:  # onnxruntime takes ONNX's own operator
                raise ModelError(f"the function {_label(key)} is of ONNX's own domain")
            if key in self.functions:
                raise ModelError(f"the function {_label(key)} is defined twice")
            self.functions[key] = f
        self.versions = {plain_domain(o.domain): o.version for o in model.opset_import}
        self.matched: set[_Key] = set()
        self.taken = set(_names(model.graph))
        self.counts: dict[str, int] = {}
        self.nodes = self.bytes = 0

    def graph(self, graph: GraphProto, chain: tuple[_Key, ...], depth: int) -> None:
        """Inline in `graph` and its subgraphs. It stands in the functions of `chain`, and in
        `depth` other graphs."""
        if depth > MAX_DEPTH:
            raise ModelError(f"graphs in graphs more than {MAX_DEPTH} deep")
        nodes = [new for node in graph.node for new in self.node(node, chain, depth)]
        del graph.node[:]
        graph.node.extend(nodes)

    def node(self, node: NodeProto, chain: tuple[_Key, ...], depth: int) -> Iterator[NodeProto]:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise ModelError(f"with its functions inlined it has more than {MAX_NODES:,} nodes")
        key = (plain_domain(node.domain), node.op_type, node.overload)
        if key in self.functions:
            yield from self.call(node, key, chain, depth)
            return
        for attribute in node.attribute:
            if attribute.HasField("g"):
                self.graph(attribute.g, chain, depth + 1)
            for g in attribute.graphs:
                self.graph(g, chain, depth + 1)
        yield node

    def call(
        self, node: NodeProto, key: _Key, chain: tuple[_Key, ...], depth: int
    ) -> Iterator[NodeProto]:
        f = self.functions[key]
        if key in chain:
            raise ModelError(f"the function {_label(key)} calls itself")
        if len(chain) >= _MAX_CALLS:
            raise ModelError(f"functions call functions more than {_MAX_CALLS} deep")
        if len(node.input) > len(f.input) or len(node.output) > len(f.output):
            raise ModelError(
                f"{_shown(node)} calls {_label(key)} with {len(node.input)} inputs and "
                f"{len(node.output)} outputs; it has {len(f.input)} and {len(f.output)}"
            )
        self.match_versions(f, key)
        body = _Body(self, f, node)
        for inner in f.node:
            if inner.attribute:
                self.bytes += inner.ByteSize()
            if self.bytes > _MAX_BYTES:
                raise ModelError(f"with its functions inlined it has more than {_MAX_BYTES} bytes")
            copy = NodeProto()
            copy.CopyFrom(inner)
            body.rename(copy, (body.scope,))
            copy.name = self.fresh(f"{body.label}/{inner.name or inner.op_type}")
            yield from self.node(copy, (*chain, key), depth)
        for given, wanted in body.handed_on:
            yield NodeProto(
                op_type="Identity",
                name=self.fresh(f"{body.label}/Identity"),
                input=[given],
                output=[wanted],
            )

    def fresh(self, name: str) -> str:
        """`name`, or one made of it that nothing in the model has."""
        new = name
        while new in self.taken:
            self.counts[name] = self.counts.get(name, 0) + 1
            new = f"{name}_{self.counts[name]}"
        self.taken.add(new)
        return new

    def match_versions(self, f: FunctionProto, key: _Key) -> None:
        """The function's operators mean the same in the model's operator sets."""
        if key in self.matched:
            return
        self.matched.add(key)
        for o in f.opset_import:
            domain = plain_domain(o.domain)
            own = self.versions.get(domain)
            if own is None:
                self.versions[domain] = o.version
                self.model.opset_import.add(domain=domain, version=o.version)
            elif own != o.version:
                for node in _all_nodes(f.node):
                    if plain_domain(node.domain) != domain:
                        continue
                    if _since(node.op_type, domain, own) != _since(node.op_type, domain, o.version):
                        raise ModelError(
                            f"the function {_label(key)} uses {node.op_type} of operator set "
                            f"{o.version}, and the model has operator set {own}"
                        )


class _Body:
    """The names and attributes of one call of a function."""

    def __init__(self, inliner: _Inliner, f: FunctionProto, call: NodeProto) -> None:
        self.inliner = inliner
        self.label = call.name or _shown(call)
        self.attributes = {a.name: a for a in f.attribute_proto}
        self.attributes.update((a.name, a) for a in call.attribute)
        self.scope: dict[str, str] = {}  # from a name in the function to the one outside
        self.handed_on: list[tuple[str, str]] = []  # an output that is an input, or another output
        for k, name in enumerate(f.input):
            self.scope[name] = call.input[k] if k < len(call.input) else ""
        for k, name in enumerate(f.output):
            given = call.output[k] if k < len(call.output) else ""
            if name not in self.scope:
                self.scope[name] = given or self.new(name)
            elif given:
                self.handed_on.append((self.scope[name], given))
        for inner in f.node:
            for name in inner.output:
                if name in f.input:
                    raise ModelError(f"the function {f.name} defines its input {name} again")
                if name and name not in self.scope:
                    self.scope[name] = self.new(name)

    def new(self, name: str) -> str:
        return self.inliner.fresh(f"{self.label}/{name}")

    def found(self, name: str, scopes: tuple[dict[str, str], ...]) -> str:
        """The name outside for `name`, seen from the innermost scope. A function sees nothing of
        the graph that calls it: what it does not define gets a name that nothing defines."""
        if not name:
            return ""
        for scope in reversed(scopes):
            if name in scope:
                return scope[name]
        self.scope[name] = self.new(name)
        return self.scope[name]

    def rename(self, node: NodeProto, scopes: tuple[dict[str, str], ...]) -> None:
        inputs = [self.found(name, scopes) for name in node.input]
        outputs = [self.found(name, scopes) for name in node.output]
        node.input[:], node.output[:] = inputs, outputs
        kept = []
        for attribute in node.attribute:
            if attribute.ref_attr_name:
                if attribute.ref_attr_name not in self.attributes:
                    continue  # not given and without a default: the operator's own default holds
                given = AttributeProto()
                given.CopyFrom(self.attributes[attribute.ref_attr_name])
                given.name = attribute.name
                kept.append(given)  # its subgraphs, if any, are of the caller and keep their names
                continue
            if attribute.HasField("g"):
                self.subgraph(attribute.g, scopes)
            for g in attribute.graphs:
                self.subgraph(g, scopes)
            kept.append(attribute)
        if any(a.ref_attr_name for a in node.attribute):
            copies = [AttributeProto.FromString(a.SerializeToString()) for a in kept]
            del node.attribute[:]
            node.attribute.extend(copies)

    def subgraph(self, graph: GraphProto, outer: tuple[dict[str, str], ...]) -> None:
        defined = [v.name for v in graph.input] + [t.name for t in graph.initializer]
        defined += [t.values.name for t in graph.sparse_initializer]
        defined += [name for node in graph.node for name in node.output if name]
        scope = {name: self.new(name) for name in dict.fromkeys(defined)}
        scopes = (*outer, scope)
        for value in (*graph.input, *graph.output):
            value.name = self.found(value.name, scopes)
        for tensor in graph.initializer:
            tensor.name = scope[tensor.name]
        for sparse in graph.sparse_initializer:
            sparse.values.name = scope[sparse.values.name]
        for node in graph.node:
            self.rename(node, scopes)
        del graph.value_info[:], graph.quantization_annotation[:]  # of the old names


def _label(key: _Key) -> str:
    return "::".join(part for part in key if part)


def _shown(node: NodeProto) -> str:
    return node.name or f"{node.op_type} {next((o for o in node.output if o), '')}"


def _since(op: str, domain: str, version: int) -> int:
    """The operator set that last changed `op`, up to `version`; 0 where it is not known."""
    try:
        return int(onnx.defs.get_schema(op, version, domain).since_version)
    except (onnx.defs.SchemaError, TypeError):  # a name that is no text, a version beyond an int
        return 0


def _all_nodes(nodes: object) -> Iterator[NodeProto]:
    for node in nodes:  # type: ignore[attr-defined]
        yield node
        for attribute in node.attribute:
            for g in (attribute.g, *attribute.graphs):
                yield from _all_nodes(g.node)


def _names(graph: GraphProto) -> Iterator[str]:
    for value in (*graph.input, *graph.output):
        yield value.name
    for tensor in graph.initializer:
        yield tensor.name
    for sparse in graph.sparse_initializer:
        yield sparse.values.name
    for node in graph.node:
        yield from node.input
        yield from node.output
        for attribute in node.attribute:
            for g in (attribute.g, *attribute.graphs):
                yield from _names(g)
