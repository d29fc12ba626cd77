"""The report on the translation: how the term was compared with the model, and what was read."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from orderproof.symbolic.calculus.terms import Term, reachable
from orderproof.symbolic.onnx.report import Report, Result
from orderproof.symbolic.onnx.values import Tensor


def as_json(report: Report) -> dict[str, Any]:
    """The report as JSON has it; a number that is not finite is null."""
    graph = report.graph
    return {
        "model": report.model,
        "opset": graph.opset if graph is not None else None,
        "operators": _counted(graph.calls) if graph is not None else {},
        "results": [_result(report, r) for r in report.results],
    }


def term_of(r: Result) -> Term | None:
    """The term of the output; None where it has none, or is a constant."""
    if r.realised is None or not isinstance(r.value, Tensor):
        return None
    return r.realised.of(r.value)  # type: ignore[no-any-return]


def _result(report: Report, r: Result) -> dict[str, Any]:
    term = term_of(r)
    return {
        "input": r.input,
        "axis": r.axis,
        "output": r.output,
        "operators": operators(report, r.output),
        "leaves": leaves(r, term) if term is not None else [],
        "comparisons": [
            {
                "sizes": dict(c.sizes),
                "seed": c.seed,
                "weights": "random" if c.random_weights else "given",
                "error": _finite(c.error),
                "tolerance": _finite(c.tolerance),
                "spread": _finite(c.spread),
                "agrees": c.agrees,
                "problem": c.problem,
            }
            for c in r.checks
        ],
    }


def _finite(x: float) -> float | None:
    return x if math.isfinite(x) else None


def _counted(calls: Any) -> dict[str, int]:
    named = Counter(f"{c.domain}.{c.op}".lstrip(".").removeprefix("ai.onnx.") for c in calls)
    return dict(sorted(named.items(), key=lambda item: (-item[1], item[0])))


def operators(report: Report, output: str) -> dict[str, int]:
    """The operators that an output is made by, and how often each is."""
    if report.graph is None:
        return {}
    needed, found = {output}, []
    for call in reversed(report.graph.calls):
        if needed.intersection(call.outputs):
            found.append(call)
            needed.update(call.inputs)
    return _counted(found)


def leaves(r: Result, term: Term) -> list[dict[str, Any]]:
    """The free tensors of a term: inputs, constants, and tables that operators are."""
    found = []
    for node in reachable(term.node):
        leaf = r.realised.leaves.get(node.op)
        if leaf is not None:
            sizes = [str(r.realised.atoms.size(d)) for d in leaf.dims]
            name = str(node.op.data[0])
            found.append({"name": name, "source": leaf.source, "role": leaf.role, "sizes": sizes})
    order = {"input": 0, "constant": 1, "table": 2}
    return sorted(found, key=lambda x: (order.get(x["role"], 3), x["name"]))
