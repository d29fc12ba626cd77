"""The file that shows a permutation outside a symmetry group: JSON that a person can read.

As scheme_file.py, but of one layer with given numbers instead of a named scheme, and with no more
of them than the two outputs that are compared depend on. `source` says where they came from; what
is claimed and rechecked is of the numbers alone. Standard library alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from orderproof.symbolic.counting import JSON, Counting

from .fields import (
    Matrix,
    fraction_of,
    integer,
    keys_of,
    need,
    need_permutation,
    parsed,
    rows_of,
)

FORMAT, VERSION = "orderproof-group-counterexample", 1
MAX_N, MAX_HEADS, DIGITS = 1024, 1024, 1100
MAX_STACK = 16  # tokens, layers and heads of a stack
WEIGHTS = ("W_Q", "W_K", "W_V")
TERMS = {  # what a row of weights is a softmax of, and the weights that leave nothing else
    "bias": "W_Q = 0, so that a score is its bias",
    "bias beside rows": "W_Q = 0, so that a score is its bias, and values from a feature that no "
    "position is added to",
    "keys": "W_K = 0 and every query 1, so that a score is its relative key",
}
TABLES = {"numbers": "", "sines": " (their sines)"}
COSINE, SINE = Fraction(3, 5), Fraction(4, 5)  # a rotation of infinite order
Entry = Fraction | None  # None is −∞


@dataclass(frozen=True)
class WeightsWitness:
    """Row i of the attention weights tells σ: softmax of `of_row` = B[i, ·] on PX, and of
    `of_image` = B[σ(i), ·], read at σ, for P f(X). The token σ(j) has the value 1, others 0."""

    kind: ClassVar[str] = "weights"
    source: str
    sigma: tuple[int, ...]
    term: str
    head: int
    row: int
    column: int
    of_row: tuple[Entry, ...]
    of_image: tuple[Entry, ...]

    def says(self, c: Counting) -> str:
        """What the file asserts, in one sentence."""
        i, image = c(self.row), c(self.sigma[self.row])
        return (
            f"one layer of attention that in head {c(self.head)} adds to the scores the rows given "
            f"for {i} and sigma({i}) = {image}, {_said(self, c)}: with {TERMS[self.term]}, "
            f"W_V = 0 in other heads, value 1 at token {c(self.sigma[self.column])} and 0 at the "
            f"others, f(PX) and P f(X) differ in row {i}."
        )


@dataclass(frozen=True)
class RowsWitness:
    """A feature of the added table E tells σ: all weights project on it, and X = −PᵀE, so that
    f(PX) = Att(0) = 0 and P f(X) = Att(D), D = PE − E. `seen` are the places that the row sees;
    σ keeps the mask. `table` says what the entries are: numbers, or integers of which E holds the
    sines."""

    kind: ClassVar[str] = "rows"
    source: str
    sigma: tuple[int, ...]
    table: str
    entries: tuple[Fraction, ...]
    row: int
    seen: tuple[int, ...]

    def says(self, c: Counting) -> str:
        """What the file asserts, in one sentence."""
        i, image = c(self.row), c(self.sigma[self.row])
        return (
            f"one layer of attention that adds the entries E{TABLES[self.table]} to a feature of "
            f"the tokens, in which {i} sees the places given and sigma({i}) = {image} "
            f"their images, {_said(self, c)}: on that feature with W_Q = 1 or -1, W_K = W_V = 1 "
            f"and X = -P^T E, f(PX) is 0 and P f(X) is not 0 in row {i}."
        )


@dataclass(frozen=True)
class RotationWitness:
    """Queries and keys turned by their places tell σ: the score of row i and of the one token with
    a key is minus the sine of the turn between them."""

    kind: ClassVar[str] = "rotation"
    source: str
    sigma: tuple[int, ...]
    row: int
    column: int

    def says(self, c: Counting) -> str:
        """What the file asserts, in one sentence."""
        return (
            "one layer of attention that turns queries and keys by their places, an angle of "
            f"cos = {COSINE}, sin = {SINE} each, without a mask, {_said(self, c)}: with every "
            f"query (1, 0), the key of token {c(self.sigma[self.column])} (0, 1) and its value 1, "
            f"all other keys and values 0, f(PX) and P f(X) differ in row {c(self.row)}."
        )


@dataclass(frozen=True)
class StackWitness:
    """Layers with skips tell the last token that σ moved the others: tokens X (n×2), the biases of
    the heads, and for each layer and head its weights; attention is softmax(QKᵀ + B)V."""

    kind: ClassVar[str] = "stack"
    source: str
    sigma: tuple[int, ...]
    heads: tuple[tuple[tuple[Entry, ...], ...], ...]
    x: Matrix
    layers: tuple[tuple[Mapping[str, Matrix], ...], ...]
    feature: int

    def says(self, c: Counting) -> str:
        """What the file asserts, in one sentence."""
        return (
            f"{len(self.layers)} layers of attention with skips and the score biases given, "
            f"n = {len(self.sigma)}: with the tokens and weights given, feature {c(self.feature)} "
            "of the last token's output is not the same on PX and on X, "
            f"sigma = {c.images(self.sigma)}, (PX)_i = X_sigma(i), all {c}."
        )


GroupWitness = WeightsWitness | RowsWitness | RotationWitness | StackWitness
HEAD = ("format", "version", "kind", "claim", "source", "n", "sigma")
KEYS = {
    "weights": ("term", "head", "row", "column", "of_row", "of_image"),
    "rows": ("table", "entries", "row", "seen"),
    "rotation": ("row", "column"),
    "stack": ("heads", "x", "layers", "feature"),
}


def _said(w: WeightsWitness | RowsWitness | RotationWitness, c: Counting) -> str:
    return (
        f"n = {len(w.sigma)}, does not commute with sigma = {c.images(w.sigma)}, "
        f"(PX)_i = X_sigma(i), all {c}"
    )


def dumps(w: GroupWitness) -> str:
    """The text of the file, a field a line: the same text for the same witness."""

    def written(value: Any) -> Any:
        if isinstance(value, tuple):
            return [written(v) for v in value]
        if isinstance(value, Mapping):
            return {k: written(v) for k, v in value.items()}
        return "-inf" if value is None else str(value) if isinstance(value, Fraction) else value

    values = (FORMAT, VERSION, w.kind, w.says(JSON), w.source, len(w.sigma), list(w.sigma))
    fields = [*zip(HEAD, values, strict=True)]
    fields += [(key, written(getattr(w, key))) for key in KEYS[w.kind]]
    lines = [f"  {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in fields]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def is_group_file(data: bytes) -> bool:
    """Whether the bytes of a file begin as this format does."""
    return FORMAT.encode() in data[:200]


def parse(data: bytes, name: str) -> GroupWitness:
    """The witness in the bytes of a file; WitnessError, in one line, where they hold none."""
    return parsed(_witness, data, name)


def _witness(data: Any) -> GroupWitness:
    need(isinstance(data, dict), "file", data, f"an object with the keys {', '.join(HEAD)}")
    given: str = data.get("kind")
    need(type(given) is str and given in KEYS, "kind", given, f"one of: {', '.join(KEYS)}")
    keys_of(data, "file", (*HEAD, *KEYS[given]))
    need(integer(data["version"], VERSION, VERSION), "version", data["version"], str(VERSION))
    need(data["format"] == FORMAT, "format", data["format"], FORMAT)
    n, sigma, source = data["n"], data["sigma"], data["source"]
    need(integer(n, 1, MAX_N), "n", n, f"an integer, 1 to {MAX_N}")
    need(type(source) is str and 0 < len(source) <= 200, "source", source, "text, not long")
    need_permutation(sigma, n)
    most = {"head": MAX_HEADS, "row": n - 1, "column": n - 1}
    for key in sorted(most.keys() & data.keys()):
        need(integer(data[key], 0, most[key]), key, data[key], f"an integer, 0 to {most[key]}")
    w = _of_kind(data, given, source, tuple(sigma))
    need(data["claim"] == w.says(JSON), "claim", data["claim"], f"the sentence: {w.says(JSON)}")
    return w


def _of_kind(data: Any, kind: str, source: str, sigma: tuple[int, ...]) -> GroupWitness:
    entry, n = fraction_of(DIGITS), len(sigma)

    def score(value: Any, where: str) -> Entry:
        return None if value == "-inf" else entry(value, where)

    def numbers(key: str, read: Callable[[Any, str], Any]) -> tuple[Any, ...]:
        value = data[key]
        need(isinstance(value, list) and len(value) == n, key, value, f"a list of {n}")
        return tuple(read(v, f"{key}[{k}]") for k, v in enumerate(value))

    if kind == "stack":
        return _stack(data, source, sigma, score)
    row = data["row"]
    if kind == "rows":
        table, seen = data["table"], data["seen"]
        need(type(table) is str and table in TABLES, "table", table, "numbers or sines")
        holds = isinstance(seen, list) and all(integer(k, 0, n - 1) for k in seen)
        holds = holds and seen == sorted(set(seen))
        need(holds, "seen", seen, f"increasing integers, 0 to {n - 1}")
        return RowsWitness(source, sigma, table, numbers("entries", entry), row, tuple(seen))
    column = data["column"]
    if kind == "rotation":
        return RotationWitness(source, sigma, row, column)
    term = data["term"]
    need(type(term) is str and term in TERMS, "term", term, f"one of: {', '.join(TERMS)}")
    return WeightsWitness(
        source, sigma, term, data["head"], row, column,
        numbers("of_row", score), numbers("of_image", score),
    )  # fmt: skip


def _stack(
    data: Any, source: str, sigma: tuple[int, ...], score: Callable[[Any, str], Entry]
) -> StackWitness:
    n, entry, heads, layers = len(sigma), fraction_of(DIGITS), data["heads"], data["layers"]
    need(n <= MAX_STACK, "n", n, f"at most {MAX_STACK}")
    need(sigma[-1] == n - 1, "sigma", list(sigma), "the last token left where it is")
    for key, value in (("heads", heads), ("layers", layers)):
        fits = isinstance(value, list) and 1 <= len(value) <= MAX_STACK
        need(fits, key, value, f"a list of 1 to {MAX_STACK}")
    read = []
    for k, layer in enumerate(layers):
        fits = isinstance(layer, list) and len(layer) == len(heads)
        need(fits, f"layers[{k}]", layer, f"a list of {len(heads)}")
        for h, weights in enumerate(layer):
            keys_of(weights, f"layers[{k}][{h}]", WEIGHTS)
        read.append(tuple(
            {m: rows_of(w[m], f"layers[{k}].{m}", 2, 2, entry) for m in WEIGHTS} for w in layer
        ))  # fmt: skip
    need(integer(data["feature"], 0, 1), "feature", data["feature"], "0 or 1")
    biases = tuple(rows_of(head, f"heads[{h}]", n, n, score) for h, head in enumerate(heads))
    x = rows_of(data["x"], "x", n, 2, entry)
    return StackWitness(source, sigma, biases, x, tuple(read), data["feature"])
