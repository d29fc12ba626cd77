"""The counterexample file for any position scheme: JSON that a person can read, read strictly.

What the position term is worth stands in a table of labelled rows: its entries where the scheme
leaves them free, the sines by name where it is the table of sines. A file whose claim, kind, units
or table do not belong to its data is refused, so that what is accepted says one thing only.
Standard library alone.
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
    Matrix,
    Side,
    clip,
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
    tensor_of,
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
TABLES = ("none", "constant", "learned", "sinusoidal")  # added to the tokens, or nothing
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
MAX_SIZE = 64  # of n and d where one layer reads a scheme of TABLES; other replays cost more


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

    def __repr__(self) -> str:
        return f"<PositionWitness {self.scheme}, n = {self.n}, d = {self.d}>"

    @property
    def tensors(self) -> dict[str, Matrix]:
        """X, the table E (n×d) where one of rationals is added, and the weights of one layer."""
        added: dict[str, Matrix] = {}
        if self.scheme in ("constant", "learned"):
            labels = ["0" if self.scheme == "constant" else str(i) for i in range(self.n)]
            added["E"] = tuple(self.table[label] for label in labels)
        return {"X": self.x} | added | dict(self.layers[0])

    @property
    def kind(self) -> str:
        """ "exact" where all is rational, "interval" where the position term is transcendental."""
        return "interval" if self.scheme in TRANSCENDENTAL else "exact"

    def differs(self, c: Counting) -> str:
        """Where both sides differ."""
        sides = "f(PX) and P f(X)" if self.reads == "layer" else "both sides"
        return f"{sides} differ in {place(self.differ, c)}"

    def changes(self, c: Counting) -> str:
        """Which tokens are permuted, and what changes, with the two numbers."""
        row, column = self.differ
        before, after = (number(side[row][column]) for side in (self.rhs, self.lhs))
        feature = f", feature {c(column)}," if self.d > 1 else ""
        if self.reads == "offset":
            when, token = "with every position one later", c(row)
        else:
            when = _permuted(self.sigma, c)
            token = c(self.n - 1 if self.reads == "last" else self.sigma[row])
        return f"{when}, the output of token {token}{feature} changes from {before} to {after}"

    def says(self, c: Counting) -> str:
        """What the file asserts, in one sentence."""
        given = "".join(f", {k} = {v}" for k, v in self.parameters.items())
        layers = "1 layer" if self.depth == 1 else f"{self.depth} layers with skips"
        return (
            f"attention with the position scheme {self.scheme}{given}, {layers}, n = {self.n}, "
            f"d = {self.d}, sigma = {c.images(self.sigma)}, (PX)_i = X_sigma(i): "
            f"{READS[self.reads]} differ in {place(self.differ, c)}, {c}."
        )


def number(pair: tuple[Fraction, Fraction]) -> str:
    """An enclosure as a number: exact where its ends are one, else its first nine digits."""
    low, high = pair
    return str(low) if low == high else f"{float(low):.9f}…"


def _permuted(sigma: Sequence[int], c: Counting) -> str:
    changed = [k for k, s in enumerate(sigma) if s != k]
    if len(changed) == 2:
        return f"when tokens {c(changed[0])} and {c(changed[1])} change places"
    return f"when the tokens are put in the order {', '.join(map(str, c.images(sigma)))}"


def sinusoid_text(row: int, column: int, d: int) -> str:
    """How a file writes an entry of the sinusoidal table (Vaswani et al. 2017, section 3.5)."""
    return f"{'cos' if column % 2 else 'sin'}({row}/10000^({column - column % 2}/{d}))"


def _sinusoids(n: int, d: int, reads: str) -> dict[str, list[str]]:
    """The rows of the table of sines that are read, by label."""
    rows = range(n + (reads == "offset"))
    return {str(i): [sinusoid_text(i, k, d) for k in range(d)] for i in rows}


def dumps(w: PositionWitness) -> str:
    """The text of the file, a field a line: the same text for the same witness."""

    def matrix(rows: Sequence[Sequence[Fraction]]) -> list[list[str]]:
        return [[str(v) for v in row] for row in rows]

    def side(rows: Side) -> list[list[Any]]:
        exact = w.kind == "exact"
        return [[str(a) if exact else [decimal(a), decimal(b)] for a, b in row] for row in rows]

    table = {k: [str(v) for v in row] for k, row in w.table.items()}
    if w.scheme == "sinusoidal":
        table = _sinusoids(w.n, w.d, w.reads)
    values = (
        FORMAT, VERSION, w.kind, w.says(JSON), w.scheme, dict(w.parameters), w.reads, w.depth,
        w.n, w.d,
        list(w.sigma), UNITS[w.kind], table, matrix(w.x),
        [{name: matrix(layer[name]) for name in WEIGHTS} for layer in w.layers],
        side(w.lhs), side(w.rhs), list(w.differ),
    )  # fmt: skip
    lines = [f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in zip(KEYS, values, strict=True)]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def parse(data: bytes, name: str) -> PositionWitness:
    """The witness in the bytes of a file; WitnessError, in one line, where they hold none."""
    return parsed(_witness, data, name)


def _witness(data: Any) -> PositionWitness:
    if isinstance(data, dict) and "format" in data:
        need(data["format"] == FORMAT, "format", data["format"], FORMAT)
    keys_of(data, "file", KEYS)
    need(integer(data["version"], VERSION, VERSION), "version", data["version"], str(VERSION))
    known = (("scheme", PARAMETERS), ("reads", READS), ("kind", UNITS))
    for key, names in known:
        given = data[key]
        need(type(given) is str and given in names, key, given, f"one of: {', '.join(names)}")
    scheme, exact = data["scheme"], data["scheme"] not in TRANSCENDENTAL
    large = scheme in TABLES and integer(data["depth"], 1, 1)
    most_n, most_d = (MAX_SIZE, MAX_SIZE) if large else (MAX_N, MAX_D)
    for key, most in {"depth": MAX_DEPTH, "n": most_n, "d": most_d}.items():
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
    rows = _table(data["table"], scheme, n, d, data["reads"])
    layers = data["layers"]
    fits = isinstance(layers, list) and len(layers) == depth
    need(fits, "layers", layers, f"a list of {depth}")
    read = []
    for k, layer in enumerate(layers):
        keys_of(layer, f"layers[{k}]", WEIGHTS)
        read.append({x: tensor_of(layer[x], f"layers[{k}].{x}", d, d) for x in WEIGHTS})
    side = fraction_of(SIDE_DIGITS)
    height = 1 if data["reads"] == "last" else n
    end = (lambda v, at: (side(v, at),) * 2) if exact else enclosure_of
    lhs, rhs = (rows_of(data[key], key, height, d, end) for key in ("lhs", "rhs"))
    differ = data["differ"]
    holds = isinstance(differ, list) and len(differ) == 2
    holds = holds and integer(differ[0], 0, height - 1) and integer(differ[1], 0, d - 1)
    need(holds, "differ", differ, f"[row, column] within {height} rows and {d} columns")
    x = tensor_of(data["X"], "X", n, d)
    w = PositionWitness(
        scheme, data["parameters"], data["reads"], depth, n, d, tuple(sigma), rows, x,
        tuple(read), lhs, rhs, (differ[0], differ[1]),
    )  # fmt: skip
    need(data["kind"] == w.kind, "kind", data["kind"], f"{w.kind} for the scheme {scheme}")
    need(data["units"] == UNITS[w.kind], "units", data["units"], UNITS[w.kind])
    need(data["claim"] == w.says(JSON), "claim", data["claim"], f"the sentence: {w.says(JSON)}")
    return w


def _table(
    given: Any, scheme: str, n: int, d: int, reads: str
) -> Mapping[str, tuple[Fraction, ...]]:
    """The free rows by label; none of the table of sines, which must be the true one."""
    if scheme == "sinusoidal":
        sines = _sinusoids(n, d, reads)
        need(given == sines, "table", given, f"the sinusoids {clip(str(sines))}")
        return {}
    need(isinstance(given, dict), "table", given, "labelled rows")
    if scheme in TABLES:
        least = {"none": 0, "constant": 1, "learned": n}[scheme]
        most = least + (scheme == "learned")  # a shifted reading has one row more
        labels = {str(i) for i in range(len(given))}
        fits = least <= len(given) <= most and given.keys() == labels
        said = f"the labels 0 to {least - 1}" if least else "no rows"
        need(fits, "table", list(given), f"{said} (scheme {scheme})")
    need(len(given) <= 4 * MAX_SIZE, "table", given, "labelled rows")
    width = d if scheme in VECTORS else 1
    rows = tensor_of(list(given.values()), "table", len(given), width)
    return dict(zip(given, rows, strict=True))
