"""What the order of summation explains: measured, and for a last sum over the tokens, bounded.

γₙ is no bound for a network, so that of a network it is *measured*: how far the outputs of several
orders are from that of the order given, once as the file says it, and once with every sum in
float64, rounded once to the model's own type. What goes away was due to how sums are rounded.

Where the output itself is one sum or mean over the tokens, its terms are at hand, and summation.py
bounds what their order can make.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper

from orderproof.numeric.permuted.inputs import permutations_of
from orderproof.numeric.permuted.summation import gamma, order_spread
from orderproof.symbolic.onnx.graph import Graph, ModelError
from orderproof.symbolic.onnx.load import graph_of
from orderproof.symbolic.onnx.run import RunError, Runner

from .given import Given
from .orders import Axes, difference, followed

Array = NDArray[Any]
ORDERS = 8
SUMS = {  # operators that sum, and that onnxruntime has in float64
    "MatMul", "Gemm", "Einsum", "Softmax", "LogSoftmax", "LayerNormalization", "CumSum",
    "ReduceSum", "ReduceMean", "ReduceSumSquare", "ReduceL1", "ReduceL2", "ReduceLogSumExp",
}  # fmt: skip
LEFT = {  # operators that sum, and are left as they are
    "Attention", "AveragePool", "Conv", "ConvTranspose", "GlobalAveragePool", "GroupNormalization",
    "GRU", "If", "InstanceNormalization", "Loop", "LSTM", "ReduceLogSum", "RMSNormalization", "RNN",
    "Scan",
}  # fmt: skip
NARROW = {"float16": TensorProto.FLOAT16, "float32": TensorProto.FLOAT}


@dataclass(frozen=True)
class LastSum:
    """The output is one sum, or mean, of its terms: what their order may make of the entry where
    the two orders differ most."""

    node: str
    terms: int
    same_terms: bool  # whether the terms of both orders are equal to the bit
    bound: float  # no two orders of these terms differ by more
    measured: float  # the largest difference between the orders tried
    orders: int


@dataclass(frozen=True)
class Summation:
    """The largest differences of outputs over some orders: as the file says, and with its sums in
    float64; None where that was not measured, for a reason."""

    orders: int
    as_is: float
    wide: float | None
    nodes: Mapping[str, int]  # operators whose sums were done in float64, and how many
    left: tuple[str, ...]  # operators that sum and were left as they are
    reason: str
    last: LastSum | None


def measure(
    runner: Runner, folder: Path, asked: Given, output: str, axes: Axes, every: bool, seed: int
) -> Summation | None:
    """The summations of a model; other permutations than σ are tried where `every` one leaves the
    true values as they are. None where an output is not finite, or holds no floats."""
    orders = [asked.sigma]
    if every:
        more = permutations_of(len(asked.sigma), ORDERS, seed)
        orders += [s for s in more if s != asked.sigma]
    orders = orders[:ORDERS]
    as_is = _spread(runner, asked, output, axes, orders)
    if as_is is None:
        return None
    wide, nodes, reason = None, Counter[str](), ""
    try:
        model, nodes = widened(runner, asked.inputs, output)
        if nodes:
            wide = _spread(Runner(graph_of(model, folder)), asked, output, axes, orders)
        else:
            reason = "the model has no sums in float16 or float32"
    except (RunError, ModelError) as e:
        reason = f"onnxruntime does not run them in float64: {e}"
    used = {call.op for call in runner.ancestors([output])}
    left = tuple(sorted(used & LEFT))
    last = _last(runner, asked, output) if not axes else None
    return Summation(len(orders), as_is, wide, dict(nodes), left, reason, last)


def _spread(
    runner: Runner, asked: Given, output: str, axes: Axes, orders: Sequence[tuple[int, ...]]
) -> float | None:
    """The largest difference of an output over these orders, undone, from that of the input."""
    y = runner.run(asked.inputs, [output])[output]
    worst = 0.0
    for sigma in orders:
        z = runner.run(asked.moved(sigma), [output])[output]
        gap = difference(z, followed(y, sigma, axes)) if z.dtype.kind == "f" else None
        if gap is None:
            return None
        worst = max(worst, float(gap[0]))
    return worst


def widened(
    runner: Runner, inputs: Mapping[str, Array], output: str
) -> tuple[ModelProto, Counter[str]]:
    """The model with its sums in float64, each result rounded to the type that it had; and how many
    nodes of which operators that are. RunError where a value cannot be had."""
    graph: Graph = runner.graph
    sums = [c for c in runner.ancestors([output]) if c.op in SUMS and not c.domain]
    names = {name for c in sums for name in (*c.inputs, *c.outputs) if name}
    values = runner.run(inputs, sorted(names)) if names else {}
    narrow = {k: NARROW[v.dtype.name] for k, v in values.items() if v.dtype.name in NARROW}
    del values
    first = {c.outputs[0] for c in sums if c.outputs[0] in narrow}
    model = ModelProto()
    model.CopyFrom(graph.proto)
    nodes: list[NodeProto] = []
    made: dict[str, str] = {}
    count: Counter[str] = Counter()

    def name() -> str:
        return f"orderproof wide {len(nodes)} {len(made)}"

    for node in graph.proto.graph.node:
        if not node.output or node.output[0] not in first:
            nodes.append(node)
            continue
        count[node.op_type] += 1
        wide = NodeProto()
        wide.CopyFrom(node)
        for k, source in enumerate(node.input):
            if source not in narrow:
                continue
            if source not in made:
                made[source] = name()
                nodes.append(helper.make_node("Cast", [source], [made[source]], to=11))
            wide.input[k] = made[source]
        back = []
        for k, result in enumerate(node.output):
            if result in narrow:
                wide.output[k] = f"{name()} {k}"
                back.append(helper.make_node("Cast", [wide.output[k]], [result], to=narrow[result]))
        nodes += [wide, *back]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    return model, count


def _last(runner: Runner, asked: Given, output: str) -> LastSum | None:
    """What the order of the last sum may make, where the last node is one over the tokens."""
    graph: Graph = runner.graph
    call = next((c for c in graph.calls if output in c.outputs), None)
    if call is None or call.op not in ("ReduceSum", "ReduceMean") or call.domain:
        return None
    here = runner.run(asked.inputs, [call.input(0), output])
    there = runner.run(asked.moved(), [call.input(0), output])
    terms, moved = here[call.input(0)], there[call.input(0)]
    axes = call.attributes.get("axes")
    if axes is None and call.input(1):
        axes = runner.run(asked.inputs, [call.input(1)])[call.input(1)].tolist()
    if terms.dtype.name not in NARROW and terms.dtype.name != "float64":
        return None
    if axes is None or len(axes) != 1 or terms.shape != moved.shape:
        return None
    axis = int(axes[0]) % terms.ndim
    if terms.shape[axis] != len(asked.sigma):
        return None
    followed_terms = np.take(terms, list(asked.sigma), axis)
    if not np.allclose(moved, followed_terms, rtol=1e-3, atol=1e-3):
        return None  # other things are summed than the tokens
    gap = difference(there[output], here[output])
    if gap is None:
        return None
    entry = gap[1]
    if call.attributes.get("keepdims", 1):
        entry = (*entry[:axis], *entry[axis + 1 :])
    vector = np.moveaxis(terms, axis, -1)[entry]
    try:
        found = order_spread(vector)
    except ValueError:
        return None
    parts, bound, measured = len(vector), found.bound, found.measured
    if call.op == "ReduceMean":
        # Of ŝ₁/n and ŝ₂/n each is rounded once, or as a product with 1/n twice: (2u + u²) |ŝ|/n.
        u = float(np.finfo(vector.dtype).eps) / 2
        size = math.fsum(abs(float(v)) for v in vector)
        bound = (2 * gamma(parts - 1, u) + 5 * u) * size / parts * (1 + 2.0**-20)
        measured /= parts
    return LastSum(
        call.name, parts, bool(np.array_equal(moved, followed_terms)), bound, measured, found.orders
    )
