"""The file that shows an order of a plan's segments to change the output: JSON, read strictly.

It holds the plan, the other order, and tokens and weights; what comes of them is computed by the
replay. Two features. Standard library alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from orderproof.symbolic.counting import JSON, Counting

from .fields import (
    TENSOR_DIGITS,
    Matrix,
    WitnessError,
    fraction_of,
    integer,
    keys_of,
    need,
    parsed,
    rows_of,
)
from .plan import Plan, PlanError, plan_of

FORMAT, VERSION = "orderproof-plan-counterexample", 1
WEIGHTS = ("W_Q", "W_K", "W_V")
UNITS = {"exact": "scores in ln(2)", "interval": "scores in 1"}
TRANSCENDENTAL = ("rope", "rope-partial", "sinusoidal")
ROWS = {
    "learned": 2,
    "shaw": 2,
    "t5": 1,
    "t5-causal": 1,
}  # the entries in a row of the scheme's free table
WIDTH, MAX_N, MAX_DEPTH = 2, 256, 32
KEYS = ("format", "version", "kind", "claim", "plan", "order", "depth", "units", "table", "X",
        "layers", "feature")  # fmt: skip


@dataclass(frozen=True)
class PlanWitness:
    """Tokens X (n×2, in the order of the plan's file), weights of each layer, and the free table of
    the scheme by label, for which the output of the token that reads depends on the order."""

    plan: Plan
    order: tuple[str, ...]
    depth: int
    table: Mapping[str, tuple[Fraction, ...]]
    x: Matrix
    layers: tuple[Mapping[str, Matrix], ...]
    feature: int

    @property
    def kind(self) -> str:
        """ "exact" where all is rational, "interval" where the position term is transcendental."""
        return "interval" if self.plan.scheme in TRANSCENDENTAL else "exact"

    def says(self, c: Counting) -> str:
        """What the file asserts, in one sentence."""
        layers = "1 layer" if self.depth == 1 else f"{self.depth} layers"
        names = [s.name for s in self.plan.segments]
        return (
            f"{layers} of attention with skips, positions {self.plan.scheme}: with the segments in "
            f"the order {', '.join(self.order)} the output of {self.plan.reads_text(c)} is not "
            f"what it is in the order {', '.join(names)}, tokens and weights being the same; "
            f"feature {c(self.feature)}, {c}, differs."
        )


def dumps(w: PlanWitness) -> str:
    """The text of the file, a field a line: the same text for the same witness."""

    def matrix(rows: Matrix) -> list[list[str]]:
        return [[str(v) for v in row] for row in rows]

    values = (
        FORMAT, VERSION, w.kind, w.says(JSON), w.plan.to_json(), list(w.order), w.depth,
        UNITS[w.kind],
        {k: [str(v) for v in row] for k, row in w.table.items()}, matrix(w.x),
        [{name: matrix(layer[name]) for name in WEIGHTS} for layer in w.layers], w.feature,
    )  # fmt: skip
    fields = zip(KEYS, values, strict=True)
    lines = [f"  {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in fields]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def is_plan_file(data: bytes) -> bool:
    """Whether the bytes of a file begin as this format does."""
    return FORMAT.encode() in data[:200]


def parse(data: bytes, name: str) -> PlanWitness:
    """The witness in the bytes of a file; WitnessError, in one line, where they hold none."""
    return parsed(_witness, data, name)


def _witness(data: Any) -> PlanWitness:
    keys_of(data, "file", KEYS)
    need(integer(data["version"], VERSION, VERSION), "version", data["version"], str(VERSION))
    need(data["format"] == FORMAT, "format", data["format"], FORMAT)
    try:
        plan = plan_of(data["plan"])
    except PlanError as e:
        raise WitnessError(str(e)) from None
    need(plan.n <= MAX_N, "plan", plan.n, f"at most {MAX_N} tokens")
    names, order, depth = [s.name for s in plan.segments], data["order"], data["depth"]
    holds = isinstance(order, list) and all(type(x) is str for x in order)
    holds = holds and sorted(order) == sorted(names) and order[-1] == names[-1]
    need(holds, "order", order, f"the names {', '.join(names)} in an order, {names[-1]} last")
    need(integer(depth, 1, MAX_DEPTH), "depth", depth, f"an integer, 1 to {MAX_DEPTH}")
    entry, table, layers = fraction_of(TENSOR_DIGITS), data["table"], data["layers"]
    width = ROWS.get(plan.scheme, 0)
    fits = isinstance(table, dict) and len(table) <= 2 * MAX_N and (width > 0 or not table)
    need(fits, "table", table, "labelled rows" if width else "none for this scheme")
    rows = {k: rows_of([row], f"table.{k[:20]}", 1, width, entry)[0] for k, row in table.items()}
    fits = isinstance(layers, list) and len(layers) == depth
    need(fits, "layers", layers, f"a list of {depth}")
    read = []
    for k, layer in enumerate(layers):
        keys_of(layer, f"layers[{k}]", WEIGHTS)
        read.append(
            {m: rows_of(layer[m], f"layers[{k}].{m}", WIDTH, WIDTH, entry) for m in WEIGHTS}
        )
    x = rows_of(data["X"], "X", plan.n, WIDTH, entry)
    need(integer(data["feature"], 0, WIDTH - 1), "feature", data["feature"], "0 or 1")
    w = PlanWitness(plan, tuple(order), depth, rows, x, tuple(read), data["feature"])
    need(data["kind"] == w.kind, "kind", data["kind"], f"{w.kind} for the scheme {plan.scheme}")
    need(data["units"] == UNITS[w.kind], "units", data["units"], UNITS[w.kind])
    need(data["claim"] == w.says(JSON), "claim", data["claim"], f"the sentence: {w.says(JSON)}")
    return w
