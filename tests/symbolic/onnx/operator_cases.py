"""The operator cases of the `onnx` package: each is run, and is read into a term and evaluated, or
refused."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from onnx import TensorProto, numpy_helper

from orderproof.symbolic.onnx.arrays import Evaluator, number
from orderproof.symbolic.onnx.graph import Array, Graph, ModelError
from orderproof.symbolic.onnx.load import graph_of
from orderproof.symbolic.onnx.reader import Reader, read
from orderproof.symbolic.onnx.run import RunError, Runner
from orderproof.symbolic.onnx.values import Constant, Realised, Refused, Tensor

MODULES = {"And": "and_", "InstanceNormalization": "instance_normalization"}
PASSED, CONSTANT, REFUSED, WRONG, BROKEN = "passed", "constant", "refused", "wrong", "broken"


@dataclass(frozen=True)
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
    ops = [str(node.op_type) for node in case.model.graph.node]
    plain = case.name.replace("_", "")
    named = [op for op in ops if op.lower() in plain] if len(ops) > 1 else []
    return max(named, key=len, default=ops[0])


def graph_of_case(case: Any) -> Graph:
    """The graph of a case, whose model others use too."""
    return graph_of(type(case.model).FromString(case.model.SerializeToString()))


def arrays(values: Any) -> list[Any]:
    """Tensors of the package as arrays; the others as they are."""
    return [numpy_helper.to_array(x) if isinstance(x, TensorProto) else x for x in values]


def agree(found: Any, expected: Any, rtol: float, atol: float) -> bool:
    """Whether an output is as expected, of the same type and shape."""
    if not isinstance(expected, np.ndarray) or found.dtype != expected.dtype:
        return False
    if found.shape != expected.shape or expected.dtype.kind in "OUSb":
        return np.array_equal(found, expected)
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    return np.allclose(found.astype(wide), expected.astype(wide), rtol, atol, equal_nan=True)


def runs_differently(case: Any) -> bool:
    """Whether an output of a case is not as expected; ModelError, RunError."""
    runner, same = Runner(graph_of_case(case)), True
    for given, expected in (map(arrays, data) for data in case.data_sets):
        found = runner.run(dict(zip(runner.graph.inputs, map(np.array, given), strict=True)))
        pairs = zip(found.values(), map(np.asarray, expected), strict=True)
        same &= all(agree(y, e, case.rtol, case.atol) for y, e in pairs)
    return not same


def evaluated(case: Any) -> Result:
    """A case read at its first set of data."""
    result = partial(Result, case.name, operator_of(case))
    try:
        graph = graph_of_case(case)
    except ModelError as error:
        return result(REFUSED, f"the file: {error}")
    given, expected = map(arrays, case.data_sets[0])
    if not all(isinstance(x, np.ndarray | np.generic) for x in (*given, *expected)):
        return result(REFUSED, "an input or output is no tensor")
    inputs = dict(zip(graph.inputs, map(np.asarray, given), strict=True))
    what, why = REFUSED, "nothing read"
    for fixed in _constants(inputs):
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                what, why = _read(case, graph, inputs, fixed, expected)
        except RunError as error:  # of a constant
            return result(REFUSED, f"onnxruntime: {error}")
        except Exception as error:  # every kind: that is what is looked for
            return result(BROKEN, f"{type(error).__name__}: {error}")
        if what != REFUSED:
            break
    return result(what, why)


def _constants(inputs: Mapping[str, Array]) -> Iterator[set[str]]:
    """Which inputs are made constants: none; those that are no floats; all but the first."""
    whole = {name for name, x in inputs.items() if x.dtype.kind in "iub"}
    ways = (set(), whole - {next(iter(inputs), "")}, whole, set(list(inputs)[1:]))
    for k, fixed in enumerate(ways):
        if fixed not in ways[:k] and len(fixed) < max(1, len(inputs)):
            yield fixed


def _read(
    case: Any, graph: Graph, inputs: Mapping[str, Array], fixed: set[str], expected: Any
) -> tuple[str, str]:
    left = {k: v for k, v in graph.inputs.items() if k not in fixed}
    constants = {**graph.constants, **{k: inputs[k] for k in fixed}}
    graph = replace(graph, inputs=left, constants=constants)
    runner = Runner(graph)
    known = {**constants, **inputs}

    def fetch(name: str) -> Array:
        if name not in known:
            known[name] = runner.run({k: inputs[k] for k in left}, [name])[name]
        return known[name]

    reader, _ = read(graph, evaluate=fetch)
    sizes = with_parts(reader, {})
    if not holds_at(reader, sizes):
        return REFUSED, "not read of these sizes"
    what, realised = CONSTANT, Realised(reader.atoms)
    for name, wanted in zip(graph.outputs, expected, strict=True):
        value = reader.values[name]
        if isinstance(value, Refused):
            return REFUSED, value.reason
        what = what if isinstance(value, Constant) else PASSED
        found = value_at(reader, realised, value, sizes, fetch)
        if why := _differs(found, np.asarray(wanted), name, case):
            return WRONG, f"{name}: {why}"
    return what, ""


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
    within = all(of(a) <= of(b) for a, b in reader.atoms.limits)
    return min(sizes.values(), default=1) > 0 and same and within


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


def _differs(found: Any, wanted: Array, name: str, case: Any) -> str:
    if found.shape != wanted.shape:
        return f"shape {found.shape}, expected {wanted.shape}"
    if found.strides == (0,) * found.ndim and found.ndim and np.isnan(found).all():
        return ""  # a constant of which the sizes alone are known
    if wanted.dtype.kind == "O":
        return "text"
    (elem,) = (o.type.tensor_type.elem_type for o in case.model.graph.output if o.name == name)
    rtol, atol = (case.rtol, max(case.atol, 1e-6)) if elem in (1, 10, 11, 16) else (0, 0)
    rtol = {10: 2.0**-8, 16: 2.0**-6}.get(elem, rtol)  # some roundings to 11 and 8 bits
    same = np.allclose(found, wanted.astype(np.float64), rtol=rtol, atol=atol, equal_nan=True)
    return "" if same else f"{found}, expected {wanted}"
