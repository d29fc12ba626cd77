"""The operator cases of the `onnx` package: each is read into a term and evaluated, or refused."""

from __future__ import annotations

import dataclasses
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from orderproof.symbolic.onnx.arrays import Evaluator, number
from orderproof.symbolic.onnx.graph import Array, Graph, ModelError
from orderproof.symbolic.onnx.reader import Reader, read
from orderproof.symbolic.onnx.run import RunError, Runner
from orderproof.symbolic.onnx.values import Constant, Realised, Refused, Tensor

MODULES = {"And": "and_", "InstanceNormalization": "instance_normalization"}
PASSED, CONSTANT, REFUSED, WRONG, BROKEN = "passed", "constant", "refused", "wrong", "broken"


@dataclasses.dataclass(frozen=True)
class Result:
    """What became of a case: passed, constant (all of its outputs are), refused, wrong or broken
    (an exception of ours), and why."""

    name: str
    op: str
    what: str
    why: str = ""


def cases(*operators: str) -> list[Any]:
    """All cases of single operators that the package has; or, in a tenth of the time, at least
    those in the modules of the package with the names of these operators."""
    from onnx.backend.test.case import node

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # some cases are made with overflows
        for operator in operators:
            import_module(f"{node.__name__}.{MODULES.get(operator, operator.lower())}")
        found: list[Any] = node._NodeTestCases if operators else node.collect_testcases(None)
    return sorted(found, key=lambda case: case.name)


def operator_of(case: Any) -> str:
    """The operator that a case is of: of its name, longest match; the nodes may be its body."""
    nodes = case.model.graph.node
    return str(nodes[0].op_type) if len(nodes) == 1 else _longest(case)


def _longest(case: Any) -> str:
    ops: list[str] = [str(node.op_type) for node in case.model.graph.node]
    plain = case.name.replace("_", "")
    return max((op for op in ops if op.lower() in plain), key=len, default=ops[0])


def evaluated(case: Any) -> Result:
    """A case at its first set of data."""
    from orderproof.symbolic.onnx.load import graph_of

    op = operator_of(case)
    try:
        model = type(case.model)()
        model.CopyFrom(case.model)
        graph = graph_of(model)
    except ModelError as error:
        return Result(case.name, op, REFUSED, f"the file: {error}")
    given, expected = map(arrays, case.data_sets[0])
    if not all(isinstance(x, np.ndarray | np.generic) for x in (*given, *expected)):
        return Result(case.name, op, REFUSED, "an input or output is no tensor")
    inputs = dict(zip(graph.inputs, map(np.asarray, given), strict=True))
    outcome = Result(case.name, op, REFUSED, "nothing read")
    for fixed in _constants(inputs):
        outcome = _caught(case, op, graph, inputs, fixed, expected)
        if outcome.what != REFUSED or outcome.why.startswith("onnxruntime"):
            break
    return outcome


def _caught(case: Any, op: str, *rest: Any) -> Result:
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return _one(case, op, *rest)
    except RunError as error:  # of a constant
        return Result(case.name, op, REFUSED, f"onnxruntime: {error}")
    except Exception as error:  # every kind: that is what is looked for
        return Result(case.name, op, BROKEN, f"{type(error).__name__}: {error}")


def arrays(values: Any) -> list[Any]:
    """Tensors of the package as arrays; the others as they are."""
    from onnx import TensorProto, numpy_helper

    return [numpy_helper.to_array(x) if isinstance(x, TensorProto) else x for x in values]


def _constants(inputs: Mapping[str, Array]) -> Iterator[set[str]]:
    """Which inputs are made constants: none; those that are no floats; all but the first."""
    whole = {name for name, x in inputs.items() if x.dtype.kind in "iub"}
    seen: list[set[str]] = []
    for fixed in (set(), whole - {next(iter(inputs), "")}, whole, set(list(inputs)[1:])):
        if fixed not in seen and len(fixed) < max(1, len(inputs)):
            seen.append(fixed)
            yield fixed


def _one(
    case: Any,
    op: str,
    graph: Graph,
    inputs: Mapping[str, Array],
    fixed: set[str],
    expected: Any,
) -> Result:
    left = {k: v for k, v in graph.inputs.items() if k not in fixed}
    constants = {**graph.constants, **{k: inputs[k] for k in fixed}}
    graph = dataclasses.replace(graph, inputs=left, constants=constants)
    runner = Runner(graph)
    fetched: dict[str, Array] = {}
    data = {name: x for name, x in inputs.items() if name not in fixed}

    def fetch(name: str) -> Array:
        if name not in fetched:
            known = inputs if name in graph.inputs else constants
            fetched[name] = known[name] if name in known else runner.run(data, [name])[name]
        return fetched[name]

    reader, _ = read(graph, evaluate=fetch)
    sizes = with_parts(reader, {})
    if not holds_at(reader, sizes):
        return Result(case.name, op, REFUSED, "not read of these sizes")
    problems, read_as = [], Counter[str]()
    realised = Realised(reader.atoms)
    for name, wanted in zip(graph.outputs, expected, strict=True):
        value = reader.values[name]
        if isinstance(value, Refused):
            return Result(case.name, op, REFUSED, value.reason)
        read_as["constant" if isinstance(value, Constant) else "tensor"] += 1
        found = value_at(reader, realised, value, sizes, fetch)
        problems += _differs(name, found, np.asarray(wanted), case)
    if problems:
        return Result(case.name, op, WRONG, problems[0])
    return Result(case.name, op, PASSED if read_as["tensor"] else CONSTANT)


def with_parts(reader: Reader, sizes: Mapping[str, int]) -> dict[str, int]:
    """The sizes with those of parts: of n/2, say, where the reading takes n to be twice that."""
    found = dict(sizes)
    for name, multiple in reader.atoms.equal.items():
        factor, part = multiple.as_coeff_Mul()
        if part.is_Symbol and part.name not in found and str(name) in found:
            found[part.name] = found[str(name)] // int(factor)
    return found


def holds_at(reader: Reader, sizes: Mapping[str, int]) -> bool:
    """Whether what is read is read of these sizes: none is 0, those that it takes to be equal are,
    and those that it bounds are within bounds."""
    of = partial(number, reader.atoms, sizes=sizes, signed=True)
    same = all(of(v) == sizes.get(str(k)) for k, v in reader.atoms.equal.items())
    return (
        min(sizes.values(), default=1) > 0
        and same
        and all(of(a) <= of(b) for a, b in reader.atoms.limits)
    )


def value_at(reader: Reader, realised: Realised, value: Any, sizes: Any, fetch: Any) -> Array:
    """The value of a tensor or constant at given sizes; NaN where only its sizes are known."""
    if isinstance(value, Tensor):
        evaluator = Evaluator(reader, realised, sizes, fetch)
        return evaluator.value(value, realised.of(value), np.float64)
    shape = [number(reader.atoms, s, sizes) for s in value.sizes]
    if value.ints is not None:
        known = [number(reader.atoms, x, sizes, signed=True) for x in value.ints.flat]
        return np.array(known, np.int64).reshape(shape)
    return np.broadcast_to(np.float64(np.nan), shape) if value.array is None else value.array


def _differs(name: str, found: Any, wanted: Array, case: Any) -> list[str]:
    if found.shape != wanted.shape:
        return [f"{name}: shape {found.shape}, expected {wanted.shape}"]
    if found.strides == (0,) * found.ndim and found.ndim and np.isnan(found).all():
        return []  # a constant of which the sizes alone are known
    if wanted.dtype.kind == "O":
        return [f"{name}: text"]
    wanted = wanted.astype(np.float64)
    elem = {o.name: o.type.tensor_type.elem_type for o in case.model.graph.output}[name]
    exact = elem not in (1, 10, 11, 16)
    rtol, atol = (0, 0) if exact else (case.rtol, max(case.atol, 1e-6))
    rtol = {10: 2.0**-8, 16: 2.0**-6}.get(elem, rtol)  # some roundings to 11 and 8 bits
    if np.allclose(found, wanted, rtol=rtol, atol=atol, equal_nan=True):
        return []
    with np.errstate(all="ignore"):
        worst = np.nanmax(np.abs(found - wanted)) if found.size else 0
    return [f"{name}: differs by {worst:.3g}"]
