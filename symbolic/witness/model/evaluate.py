"""The value of an ONNX file at given inputs, in ball arithmetic: `evaluate`.

Every float tensor is read as real numbers: what a file holds are dyadic numbers, and the result of
arithmetic is a ball that encloses the true value. Casts between float types change nothing.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from flint import arb, ctx

from . import (
    activations,
    attention,
    control,
    convolution,
    elementwise,
    index,
    linear,
    normalise,
    recurrent,
    reduce,
    shape,
)
from .balls import Array, balls, is_float, native
from .call import Call, Value, attribute, sparse, tensor
from .definition import definition
from .errors import BadModel, EvaluationError, Undecided, UnsupportedOperator
from .partial import Partial, applied

BITS = 128
MAX_DEPTH = 16  # of subgraphs and functions in each other
MAX_STEPS = 10**6  # nodes evaluated, turns of loops counted
OWN = ("", "ai.onnx")
OPERATORS = {
    name: operator
    for family in (
        elementwise, activations, linear, normalise, reduce, shape, index, convolution, attention,
        recurrent, control,
    )
    for name, operator in family.OPERATORS.items()
}  # fmt: skip
Scope = ChainMap[str, Value]
SINGLE = (np.ndarray, np.generic, arb)


def evaluate(
    model: onnx.ModelProto,
    inputs: Mapping[str, Array],
    outputs: Sequence[str] | None = None,
    bits: int = BITS,
) -> dict[str, Array]:
    """The named outputs, or all: floats as object arrays of `arb`, integers and truth values exact.

    Inputs are NumPy arrays, or object arrays of `arb`, by their names. Raises BadModel,
    UnsupportedOperator or Undecided, each in one line that names the node.
    """
    graph = model.graph
    names = [o.name for o in graph.output] if outputs is None else list(outputs)
    with ctx.workprec(bits):
        run = _Run(model)
        scope = _initial(graph, inputs)
        run.nodes(_needed(graph.node, names), scope, names, 0)
        return {name: _result(scope, name) for name in names}


def _result(scope: Scope, name: str) -> Any:
    if name not in scope:
        raise BadModel(f"given the output {name!r}, expected one that the model computes")
    found = scope[name]
    if isinstance(found, Partial):
        raise Undecided(found.reason, name)
    return balls(found) if isinstance(found, np.ndarray) and is_float(found) else found


def _initial(graph: onnx.GraphProto, inputs: Mapping[str, Array]) -> Scope:
    declared = {i.name: i.type for i in graph.input}
    held = {t.name for t in graph.initializer}
    for name in inputs:
        if name not in declared:
            raise BadModel(f"given the input {name!r}, expected one of {sorted(declared)}")
    for name in declared:
        if name not in inputs and name not in held:
            raise BadModel(f"given no input {name!r}, expected one")
    scope: Scope = ChainMap({})
    scope.maps[0] = _Initialisers(graph)
    shapes: dict[str, Sequence[int]] = {t.name: t.dims for t in graph.initializer}
    for name, value in inputs.items():
        scope[name] = found = _fitting(name, value, declared[name])
        shapes[name] = np.shape(found) if isinstance(found, np.ndarray) else ()
    _need_one_size(declared, shapes)
    return scope


def _need_one_size(
    declared: Mapping[str, onnx.TypeProto], shapes: Mapping[str, Sequence[int]]
) -> None:
    """BadModel where a name of dimensions of the inputs stands for two sizes."""
    sizes: dict[str, tuple[int, str]] = {}
    for name, kind in declared.items():
        for dim, size in zip(kind.tensor_type.shape.dim, shapes[name], strict=False):
            known, first = sizes.setdefault(dim.dim_param, (size, name))
            if dim.dim_param and size != known:
                raise BadModel(
                    f"input {name!r}: given {size} for {dim.dim_param!r}, expected {known} as in "
                    f"{first!r}"
                )


class _Initialisers(dict[str, Value]):
    """Values by name; what the model holds is read when it is first asked for."""

    def __init__(self, graph: onnx.GraphProto) -> None:
        super().__init__()
        self._held: dict[str, Any] = {t.name: t for t in graph.initializer}
        self._held |= {t.values.name: t for t in graph.sparse_initializer}

    def __contains__(self, key: object) -> bool:
        return super().__contains__(key) or key in self._held

    def __missing__(self, key: str) -> Value:
        t = self._held[key]
        found = tensor(t) if isinstance(t, onnx.TensorProto) else sparse(t)
        self[key] = found
        return found


def _fitting(name: str, value: Any, kind: onnx.TypeProto) -> Value:
    """An input of the type that the model declares; BadModel where it is another."""
    if not kind.HasField("tensor_type") or not isinstance(value, np.ndarray):
        return value
    x = value if value.dtype == object else native(value)
    declared = kind.tensor_type
    if declared.elem_type == onnx.TensorProto.STRING:
        raise UnsupportedOperator(f"the input {name!r} holds text")
    real = declared.elem_type in elementwise.FLOATS
    whole = not real and declared.elem_type != onnx.TensorProto.BOOL
    if real != is_float(x) or (not real and whole == (x.dtype == np.bool_)):
        word = onnx.TensorProto.DataType.Name(declared.elem_type)
        raise BadModel(f"input {name!r}: given {x.dtype.name}, expected {word}")
    if whole:
        x = _held(name, x, elementwise.integer_type(declared.elem_type, f"the input {name!r} of"))
    if declared.HasField("shape"):
        dims = declared.shape.dim
        fits = len(dims) == x.ndim and all(
            not d.HasField("dim_value") or d.dim_value == s
            for d, s in zip(dims, x.shape, strict=False)
        )
        if not fits:
            shown = [d.dim_value if d.HasField("dim_value") else d.dim_param or "?" for d in dims]
            raise BadModel(f"input {name!r}: given the shape {list(x.shape)}, expected {shown}")
    return x


def _held(name: str, x: Array, dtype: np.dtype[Any]) -> Array:
    """Integers in the type that the model declares, in which they wrap around; BadModel where it
    does not hold them."""
    info = np.iinfo(dtype)
    for v in () if x.size == 0 else (int(x.min()), int(x.max())):
        if not info.min <= v <= info.max:
            raise BadModel(
                f"input {name!r}: given {v}, expected {dtype.name}, {info.min} to {info.max}"
            )
    return x.astype(dtype)


def _used(node: onnx.NodeProto) -> set[str]:
    """The names that a node reads, those of its subgraphs included."""
    found, stack = set(node.input), [node]
    while stack:
        for a in stack.pop().attribute:
            for g in (a.g, *a.graphs):
                for inner in g.node:
                    found |= set(inner.input)
                    stack.append(inner)
                found |= {o.name for o in g.output}
    return found - {""}


def _needed(nodes: Iterable[onnx.NodeProto], names: Sequence[str]) -> list[onnx.NodeProto]:
    """The nodes that the names depend on, in their order."""
    wanted, found = set(names), []
    for node in reversed(list(nodes)):
        if wanted.intersection(node.output):
            found.append(node)
            wanted |= _used(node)
    return found[::-1]


def _versions(imports: Iterable[onnx.OperatorSetIdProto]) -> dict[str, int]:
    return {"" if i.domain in OWN else i.domain: i.version for i in imports}


class _Run:
    """One evaluation: the functions of the model, and how much was done."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.versions = _versions(model.opset_import)
        self.functions = {(f.domain, f.name, f.overload): f for f in model.functions}
        self.steps = 0

    def nodes(
        self,
        nodes: Sequence[onnx.NodeProto],
        scope: Scope,
        keep: Sequence[str],
        depth: int,
        versions: Mapping[str, int] | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> None:
        """Evaluate nodes in their order; a value that nothing later reads is dropped."""
        if depth > MAX_DEPTH:
            raise BadModel(f"given more than {MAX_DEPTH} graphs in each other, expected fewer")
        last: dict[str, int] = {}
        uses = [_used(node) for node in nodes]
        for k, names in enumerate(uses):
            last |= dict.fromkeys(names, k)
        kept, made = set(keep), [name for node in nodes for name in node.output if name]
        if len(made) != len(set(made)):
            twice = next(name for name in made if made.count(name) > 1)
            raise BadModel(f"given two nodes that compute {twice!r}, expected one")
        own = scope.maps[0]
        for k, node in enumerate(nodes):
            self.steps += 1
            label = label_of(node)
            if self.steps > MAX_STEPS:
                raise BadModel(f"given more than {MAX_STEPS} steps, expected fewer", label)
            try:
                results = self._node(node, scope, depth, versions or self.versions, given or {})
            except EvaluationError as e:
                if e.node:
                    raise
                raise type(e)(e.reason, label) from None
            except (ValueError, IndexError, OverflowError) as e:  # NumPy: what does not fit
                raise BadModel(f"given inputs that do not fit ({e})", label) from e
            for name, value in zip(node.output, results, strict=False):
                if name:
                    scope[name] = value
            missing = [name for name in node.output[len(results) :] if name]
            if missing:
                raise BadModel(f"given the output {missing[0]!r}, which it does not have", label)
            for name in uses[k]:
                if last[name] == k and name not in kept and name in own:
                    own.pop(name, None)

    def _node(
        self,
        node: onnx.NodeProto,
        scope: Scope,
        depth: int,
        versions: Mapping[str, int],
        given: Mapping[str, Any],
    ) -> Sequence[Value]:
        values: list[Value] = []
        for name in node.input:
            if name and name not in scope:
                raise BadModel(f"given {name!r} before it is computed, expected nodes in order")
            values.append(scope[name] if name else None)
        attributes: dict[str, Any] = {}
        for a in node.attribute:
            if not a.ref_attr_name:
                attributes[a.name] = attribute(a)
            elif a.ref_attr_name in given:
                attributes[a.name] = given[a.ref_attr_name]
        domain = "" if node.domain in OWN else node.domain
        function = self.functions.get((node.domain, node.op_type, node.overload))
        if function is not None:
            return self._function(function, node, values, attributes, depth)
        if domain not in versions:
            raise BadModel(f"given an operator of {domain or 'ONNX'} without its operator set")
        operator = OPERATORS.get(node.op_type) if domain == "" else None
        if operator is None:
            found = definition(node, domain, versions, values)
            if found is None:
                name = f"{domain}::{node.op_type}" if domain else node.op_type
                raise UnsupportedOperator(f"the operator {name} is not evaluated")
            body, defaults = found
            return self._function(body, node, values, {**defaults, **attributes}, depth)

        def run(graph: onnx.GraphProto, arguments: Sequence[Value]) -> list[Value]:
            inner: Scope = ChainMap(_Initialisers(graph), *scope.maps)
            if len(arguments) != len(graph.input):
                raise BadModel(f"given {len(arguments)} inputs of a subgraph that has others")
            for declared, value in zip(graph.input, arguments, strict=True):
                inner[declared.name] = value
            names = [o.name for o in graph.output]
            self.nodes(list(graph.node), inner, names, depth + 1, versions, given)
            return [_output(inner, name) for name in names]

        wanted = [bool(name) for name in node.output]
        call = Call(node.op_type, versions[domain], values, attributes, wanted, run)
        some = any(isinstance(v, Partial) for v in values)
        found = applied(operator, call) if some else operator(call)
        if isinstance(found, Partial):
            return [found]
        results = [found] if isinstance(found, SINGLE) else found
        # what NumPy gives of one entry is no array: a number, or of balls a ball
        return [np.asarray(v) if isinstance(v, (np.generic, arb)) else v for v in results]

    def _function(
        self,
        function: onnx.FunctionProto,
        node: onnx.NodeProto,
        values: Sequence[Value],
        attributes: Mapping[str, Any],
        depth: int,
    ) -> list[Value]:
        """A function of the model, or of the operator's own definition."""
        defaults = {a.name: attribute(a) for a in function.attribute_proto}
        scope: Scope = ChainMap(dict(zip(function.input, values, strict=False)))
        for name in function.input[len(values) :]:
            scope[name] = None
        versions = {**self.versions, **_versions(function.opset_import)}
        given = {**defaults, **attributes}
        if len(node.output) > len(function.output) or len(values) > len(function.input):
            raise BadModel("given more inputs or outputs than the function has")
        pairs = list(zip(node.output, function.output, strict=False))
        names = [inner for outer, inner in pairs if outer]
        nodes = _needed(function.node, names)
        self.nodes(nodes, scope, names, depth + 1, versions, given)
        return [_output(scope, inner) if outer else None for outer, inner in pairs]


def _output(scope: Scope, name: str) -> Value:
    if name not in scope:
        raise BadModel(f"given the output {name!r} of a subgraph, which is not computed")
    return scope[name]


def label_of(node: onnx.NodeProto) -> str:
    """A node as a message names it."""
    name = node.name or next((o for o in node.output if o), "?")
    shown = name if name.isprintable() and len(name) <= 200 else repr(name)[:200]
    return f"{node.op_type} {shown}"
