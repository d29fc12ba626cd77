"""The counterexample file for any position scheme: JSON that a person can read, read strictly.

As witness.py, for the schemes of position_schemes.py: what the position term is worth stands in a
table of labelled rows, where the scheme leaves it free. Standard library alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from orderproof.symbolic.counting import JSON, Counting

from .fields import (
    SIDE_DIGITS,
    TENSOR_DIGITS,
    Matrix,
    Side,
    decimal,
    enclosure_of,
    fraction_of,
    integer,
    keys_of,
    need,
    need_permutation,
    parsed,
    place,
    rows_of,
)

FORMAT, VERSION = "orderproof-position-counterexample", 1
PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "shaw": ("k",), "window": ("w",), "window-causal": ("w",), "prefix": ("p",), "blocks": ("s",),
    "blocks-causal": ("s",), "documents": ("s",), "relative-2d": ("c",),
    "relative-2d-distance": ("c",), "relative-2d-swap": ("c",),
    **dict.fromkeys((
        "none", "constant", "learned", "sinusoidal", "alibi", "alibi-signed", "alibi-causal", "t5",
        "t5-causal", "rope", "rope-causal", "rope-partial", "causal", "circulant", "circulant-even",
    ), ()),
}  # fmt: skip
LEAST = {"k": 0, "w": 0, "p": 0, "s": 1, "c": 1}  # values of parameters
TRANSCENDENTAL = ("sinusoidal", "rope", "rope-causal", "rope-partial")
VECTORS = ("constant", "learned", "documents", "shaw")  # rows of their tables have d entries
READS = {
    "layer": "lhs = f(PX) and rhs = P f(X)",
    "last": "the last rows lhs of f(PX) and rhs of f(X)",
    "offset": "lhs = f(X) with all positions one later and rhs = f(X)",
}
WEIGHTS = ("W_Q", "W_K", "W_V")
UNITS = {
    "exact": "sqrt(d)*ln(2) on W_Q, ln(2) on what is added to scores",
    "interval": "1",
}
KEYS = (
    "format", "version", "kind", "claim", "scheme", "parameters", "reads", "depth", "n", "d",
    "sigma", "units", "table", "X", "layers", "lhs", "rhs", "differ",
)  # fmt: skip
MAX_N, MAX_D, MAX_DEPTH = 16, 4, 4


@dataclass(frozen=True)
class PositionWitness:
    """A symmetry that a scheme lacks, shown at one σ, one X, one choice of weights and table.

    `reads` says what is compared (see READS); of more layers than one each has a skip. `table`
    holds the free entries of the position tensor by label. Sides are rows of enclosures.
    """

    scheme: str
    parameters: Mapping[str, int]
    reads: str
    depth: int
    n: int
    d: int
    sigma: tuple[int, ...]
    table: Mapping[str, tuple[Fraction, ...]]
    x: Matrix
    layers: tuple[Mapping[str, Matrix], ...]
    lhs: Side
    rhs: Side
    differ: tuple[int, int]

    @property
    def kind(self) -> str:
        """ "exact" where all is rational, "interval" where the position term is transcendental."""
        return "interval" if self.scheme in TRANSCENDENTAL else "exact"

    def says(self, c: Counting) -> str:
        """What the file asserts, in one sentence."""
        given = "".join(f", {k} = {v}" for k, v in self.parameters.items())
        layers = "1 layer" if self.depth == 1 else f"{self.depth} layers with skips"
        return (
            f"attention with the position scheme {self.scheme}{given}, {layers}, n = {self.n}, "
            f"d = {self.d}, sigma = {c.images(self.sigma)}, (PX)_i = X_sigma(i): "
            f"{READS[self.reads]} differ in {place(self.differ, c)}, {c}."
        )


def dumps(w: PositionWitness) -> str:
    """The text of the file, a field a line: the same text for the same witness."""

    def matrix(rows: Sequence[Sequence[Fraction]]) -> list[list[str]]:
        return [[str(v) for v in row] for row in rows]

    def side(rows: Side) -> list[list[Any]]:
        exact = w.kind == "exact"
        return [[str(a) if exact else [decimal(a), decimal(b)] for a, b in row] for row in rows]

    values = (
        FORMAT, VERSION, w.kind, w.says(JSON), w.scheme, dict(w.parameters), w.reads, w.depth,
        w.n, w.d,
        list(w.sigma), UNITS[w.kind], {k: [str(v) for v in row] for k, row in w.table.items()},
        matrix(w.x), [{name: matrix(layer[name]) for name in WEIGHTS} for layer in w.layers],
        side(w.lhs), side(w.rhs), list(w.differ),
    )  # fmt: skip
    lines = [f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in zip(KEYS, values, strict=True)]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def is_position_file(data: bytes) -> bool:
    """Whether the bytes of a file begin as this format does."""
    return FORMAT.encode() in data[:200]


def parse(data: bytes, name: str) -> PositionWitness:
    """The witness in the bytes of a file; WitnessError, in one line, where they hold none."""
    return parsed(_witness, data, name)


def _witness(data: Any) -> PositionWitness:
    keys_of(data, "file", KEYS)
    need(integer(data["version"], VERSION, VERSION), "version", data["version"], str(VERSION))
    known = (("format", (FORMAT,)), ("scheme", PARAMETERS), ("reads", READS), ("kind", UNITS))
    for key, names in known:
        given = data[key]
        need(type(given) is str and given in names, key, given, f"one of: {', '.join(names)}")
    scheme, exact = data["scheme"], data["scheme"] not in TRANSCENDENTAL
    limits = {"n": MAX_N, "d": MAX_D, "depth": MAX_DEPTH}
    for key, most in limits.items():
        need(integer(data[key], 1, most), key, data[key], f"an integer, 1 to {most}")
    n, d, depth = data["n"], data["d"], data["depth"]
    keys_of(data["parameters"], "parameters", PARAMETERS[scheme])
    for key, value in data["parameters"].items():
        wanted = f"an integer, {LEAST[key]} to {MAX_N}"
        need(integer(value, LEAST[key], MAX_N), f"parameters.{key}", value, wanted)
    sigma = data["sigma"]
    need_permutation(sigma, n)
    if data["reads"] == "last":
        need(sigma[-1] == n - 1, "sigma", sigma, "the last token left where it is")
    if data["reads"] == "offset":
        need(sigma == list(range(n)), "sigma", sigma, "the identity")
    entry, table = fraction_of(TENSOR_DIGITS), data["table"]
    need(isinstance(table, dict) and len(table) <= 4 * MAX_N, "table", table, "labelled rows")
    width = d if scheme in VECTORS else 1
    rows = {key: rows_of([row], f"table.{key}", 1, width, entry)[0] for key, row in table.items()}
    layers = data["layers"]
    fits = isinstance(layers, list) and len(layers) == depth
    need(fits, "layers", layers, f"a list of {depth}")
    read = []
    for k, layer in enumerate(layers):
        keys_of(layer, f"layers[{k}]", WEIGHTS)
        read.append({x: rows_of(layer[x], f"layers[{k}].{x}", d, d, entry) for x in WEIGHTS})
    side = fraction_of(SIDE_DIGITS)
    height = 1 if data["reads"] == "last" else n
    end = (lambda v, at: (side(v, at),) * 2) if exact else enclosure_of
    lhs, rhs = (rows_of(data[key], key, height, d, end) for key in ("lhs", "rhs"))
    differ = data["differ"]
    holds = isinstance(differ, list) and len(differ) == 2
    holds = holds and integer(differ[0], 0, height - 1) and integer(differ[1], 0, d - 1)
    need(holds, "differ", differ, f"[row, column] within {height} rows and {d} columns")
    x = rows_of(data["X"], "X", n, d, entry)
    w = PositionWitness(
        scheme, data["parameters"], data["reads"], depth, n, d, tuple(sigma), rows, x,
        tuple(read), lhs, rhs, (differ[0], differ[1]),
    )  # fmt: skip
    need(data["kind"] == w.kind, "kind", data["kind"], f"{w.kind} for the scheme {scheme}")
    need(data["units"] == UNITS[w.kind], "units", data["units"], UNITS[w.kind])
    need(data["claim"] == w.says(JSON), "claim", data["claim"], f"the sentence: {w.says(JSON)}")
    return w
