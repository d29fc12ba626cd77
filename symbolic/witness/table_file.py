"""The counterexample file: JSON that a person can read, read strictly and written whole.

Nothing in a file is run as code, and what it may cost is bounded: see the limits below. A file
whose claim, factor or kind does not belong to its data is refused, so that what is accepted says
one thing only. Of the project only strict_json.py stands below: replay.py needs nothing else.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orderproof.symbolic.counting import JSON, Counting

from .fields import (
    SIDE_DIGITS,
    TENSOR_DIGITS,
    Matrix,
    Side,
    WitnessError,
    clip,
    decimal,
    enclosure_of,
    fraction_of,
    integer,
    keys_of,
    need,
    need_permutation,
    parsed,
    path_text,
    place,
    read_bytes,
    rows_of,
)

FORMAT, VERSION = "orderproof-counterexample", 1
TABLES = ("none", "constant", "learned", "sinusoidal")
TENSORS = ("X", "E", "W_Q", "W_K", "W_V")
FACTORS = {"exact": "sqrt(d)*ln(2) on W_Q", "interval": "1 on W_Q"}
HEAD = ("format", "version", "kind", "claim", "scheme", "n", "d", "sigma", "factor")
KEYS = (*HEAD, "tensors", "lhs", "rhs", "differ")

MAX_SIZE = 64  # of n and d


@dataclass(frozen=True)
class Witness:
    """f(PX) ≠ P f(X) for one σ, one X and one choice of weights.

    `sigma` lists σ(0), …, σ(n−1), with (PX)_i = X_{σ(i)}. `tensors` holds X and E (n×d) and W_Q,
    W_K, W_V (d×d); W_Q is in units of √d·ln 2, so that a score is a multiple of ln 2, except where
    the kind is "interval": there the unit is 1, and E is no part of it, for its entries are the
    sinusoids. `lhs` is f(PX), `rhs` is P f(X), both n×d; `differ` is a place where they differ.
    """

    scheme: str
    n: int
    d: int
    sigma: tuple[int, ...]
    tensors: Mapping[str, Matrix]
    lhs: Side
    rhs: Side
    differ: tuple[int, int]

    @property
    def kind(self) -> str:
        """ "exact" where all is rational, "interval" where the table is transcendental."""
        return "interval" if self.scheme == "sinusoidal" else "exact"

    def differs(self, c: Counting) -> str:
        """Where both sides differ."""
        return f"f(PX) and P f(X) differ in {place(self.differ, c)}"

    def says(self, c: Counting) -> str:
        """What the file asserts, in one sentence."""
        return (
            "f(X) = softmax(Q K^T / sqrt(d)) V with Q = (X + E) W_Q, K = (X + E) W_K, "
            f"V = (X + E) W_V and the {self.scheme} table E, n = {self.n}, d = {self.d}, does not "
            f"commute with sigma = {c.images(self.sigma)}, (PX)_i = X_sigma(i): lhs = f(PX) and "
            f"rhs = P f(X) differ in {place(self.differ, c)}, {c}."
        )


def sinusoid_text(row: int, column: int, d: int) -> str:
    """How a file writes an entry of the sinusoidal table (Vaswani et al. 2017, section 3.5)."""
    return f"{'cos' if column % 2 else 'sin'}({row}/10000^({column - column % 2}/{d}))"


def dumps(w: Witness) -> str:
    """The text of the file: the same text for the same witness, a tensor a line."""
    tensors = {name: [[str(v) for v in row] for row in rows] for name, rows in w.tensors.items()}
    if w.kind == "interval":
        tensors["E"] = _sinusoids(w.n, w.d)
    inner = ",\n".join(f'    "{name}": {json.dumps(tensors[name])}' for name in TENSORS)

    def side(rows: Side) -> list[list[Any]]:
        if w.kind == "exact":
            return [[str(low) for low, _ in row] for row in rows]
        return [[[decimal(low), decimal(high)] for low, high in row] for row in rows]

    values = (
        FORMAT,
        VERSION,
        w.kind,
        w.says(JSON),
        w.scheme,
        w.n,
        w.d,
        list(w.sigma),
        FACTORS[w.kind],
    )
    lines = [f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in zip(HEAD, values, strict=True)]
    lines.append(f'  "tensors": {{\n{inner}\n  }}')
    tail = {"lhs": side(w.lhs), "rhs": side(w.rhs), "differ": list(w.differ)}
    lines += [f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in tail.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def write(path: str | os.PathLike[str], witness: Witness) -> None:
    """Write the file whole or not at all; WitnessError where the folder does not allow it."""
    target = Path(path)
    text = dumps(witness)
    parse(text.encode(), path_text(path))
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        try:
            temporary.write_text(text, encoding="utf-8")
            os.replace(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)
    except (OSError, ValueError) as e:
        why = f"cannot be written ({getattr(e, 'strerror', None) or e})"
        raise WitnessError(f"{path_text(path)}: {why}, expected a writable folder") from None


def read(path: str | os.PathLike[str]) -> Witness:
    """The witness in a file; WitnessError, in one line, where it holds none."""
    return parse(*read_bytes(path))


def parse(data: bytes, name: str) -> Witness:
    """The witness in the bytes of a file; `name` begins each message."""
    return parsed(_witness, data, name)


def _witness(data: Any) -> Witness:
    keys_of(data, "file", KEYS)
    need(integer(data["version"], VERSION, VERSION), "version", data["version"], str(VERSION))
    for key, known in (("format", (FORMAT,)), ("kind", tuple(FACTORS)), ("scheme", TABLES)):
        given = data[key]
        need(type(given) is str and given in known, key, given, f"one of: {', '.join(known)}")
    n, d, scheme, kind = data["n"], data["d"], data["scheme"], data["kind"]
    for key in ("n", "d"):
        need(integer(data[key], 1, MAX_SIZE), key, data[key], f"an integer, 1 to {MAX_SIZE}")
    sigma, differ = data["sigma"], data["differ"]
    need_permutation(sigma, n)
    holds = isinstance(differ, list) and len(differ) == 2
    holds = holds and integer(differ[0], 0, n - 1) and integer(differ[1], 0, d - 1)
    need(holds, "differ", differ, f"[row, column] within {n} rows and {d} columns")

    keys_of(data["tensors"], "tensors", TENSORS)
    tensors: dict[str, Matrix] = {}
    for name in TENSORS:
        given, where = data["tensors"][name], f"tensors.{name}"
        if name == "E" and scheme == "sinusoidal":
            table = _sinusoids(n, d)
            need(given == table, where, given, f"the sinusoids {clip(str(table))}")
            continue
        entry = fraction_of(TENSOR_DIGITS)
        rows = tensors[name] = rows_of(given, where, d if name.startswith("W") else n, d, entry)
        common = math.lcm(*(v.denominator for row in rows for v in row))
        need(
            common < 10**TENSOR_DIGITS,
            where,
            "other ones",
            f"a common denominator below 10^{TENSOR_DIGITS}",
        )
        if name == "E" and scheme == "none":
            need(not any(v for row in rows for v in row), where, given, "zeros (scheme none)")
        if name == "E" and scheme == "constant":
            need(len(set(rows)) == 1, where, given, "equal rows (scheme constant)")

    side = fraction_of(SIDE_DIGITS)
    read_end = enclosure_of if scheme == "sinusoidal" else lambda v, at: (side(v, at),) * 2
    lhs, rhs = (rows_of(data[key], key, n, d, read_end) for key in ("lhs", "rhs"))
    w = Witness(scheme, n, d, tuple(sigma), tensors, lhs, rhs, (differ[0], differ[1]))
    need(kind == w.kind, "kind", kind, f"{w.kind} for the scheme {scheme}")
    need(data["factor"] == FACTORS[kind], "factor", data["factor"], FACTORS[kind])
    need(data["claim"] == w.says(JSON), "claim", data["claim"], f"the sentence: {w.says(JSON)}")
    return w


def _sinusoids(n: int, d: int) -> list[list[str]]:
    return [[sinusoid_text(i, k, d) for k in range(d)] for i in range(n)]
