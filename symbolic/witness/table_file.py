"""The counterexample file: JSON that a person can read, read strictly and written whole.

Nothing in a file is run as code, and what it may cost is bounded: see the limits below. A file
whose claim, factor or kind does not belong to its data is refused, so that what is accepted says
one thing only. Of the project only strict_json.py stands below: replay.py needs nothing else.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from orderproof.symbolic import strict_json
from orderproof.symbolic.counting import JSON, Counting

FORMAT, VERSION = "orderproof-counterexample", 1
TABLES = ("none", "constant", "learned", "sinusoidal")
TENSORS = ("X", "E", "W_Q", "W_K", "W_V")
FACTORS = {"exact": "sqrt(d)*ln(2) on W_Q", "interval": "1 on W_Q"}
HEAD = ("format", "version", "kind", "claim", "scheme", "n", "d", "sigma", "factor")
KEYS = (*HEAD, "tensors", "lhs", "rhs", "differ")

MAX_BYTES = 2**20
MAX_SIZE = 64  # of n and d
TENSOR_DIGITS = 30  # of a numerator, and of the common denominator of a tensor
SIDE_DIGITS = 4000
PLACES = 20  # decimals of the ends of an enclosure

_FRACTION = re.compile(r"-?(0|[1-9][0-9]*)(/[1-9][0-9]*)?")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]{20}")

W = TypeVar("W")
Matrix = tuple[tuple[Fraction, ...], ...]
Enclosure = tuple[Fraction, Fraction]  # lower and upper end; the same where the value is exact
Side = tuple[tuple[Enclosure, ...], ...]


class WitnessError(ValueError):
    """A counterexample file that is not one: where, what was given and what was expected."""


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


def place(differ: tuple[int, int], c: Counting) -> str:
    """A place in words."""
    return f"row {c(differ[0])}, column {c(differ[1])}"


def sinusoid_text(row: int, column: int, d: int) -> str:
    """How a file writes an entry of the sinusoidal table (Vaswani et al. 2017, section 3.5)."""
    return f"{'cos' if column % 2 else 'sin'}({row}/10000^({column - column % 2}/{d}))"


def decimal(end: Fraction) -> str:
    """A multiple of 10^-20 in full."""
    units = end * 10**PLACES
    if units.denominator != 1:
        raise WitnessError(f"given {end}, expected a multiple of 10^-{PLACES}")
    whole, part = divmod(abs(int(units)), 10**PLACES)
    return f"{'-' if units < 0 else ''}{whole}.{part:0{PLACES}}"


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


def read_bytes(path: str | os.PathLike[str]) -> tuple[bytes, str]:
    """The bytes of a file, one more than allowed at most, and its name for messages."""
    name = path_text(path)
    try:
        if not Path(path).is_file():
            what = "not a file" if Path(path).exists() else "no such file"
            raise WitnessError(f"{name}: {what}, expected a counterexample file")
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as e:
        raise WitnessError(f"{name}: cannot be read ({e.strerror})") from None
    return data, name


def parse(data: bytes, name: str) -> Witness:
    """The witness in the bytes of a file; `name` begins each message."""
    return parsed(_witness, data, name)


def parsed(witness: Callable[[Any], W], data: bytes, name: str) -> W:
    """What `witness` reads in the JSON of a file; WitnessError, in one line, where it is none."""
    try:
        return witness(json_of(data))
    except WitnessError as e:
        raise WitnessError(f"{name}: {e}") from None


class _Unfit(str):
    """A JSON number that no field takes: a float, NaN, an integer of many digits."""

    def __repr__(self) -> str:
        return f"the number {_clip(str(self))}"


def path_text(path: object) -> str:
    """A path as a message shows it."""
    return str(path) if str(path).isprintable() else repr(str(path))


def _clip(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:50]}... ({len(text)} characters)"


def need_permutation(sigma: Any, n: int) -> None:
    """WitnessError where sigma is no permutation of the places 0 to n − 1 as a list."""
    holds = isinstance(sigma, list) and all(integer(i, 0, n - 1) for i in sigma)
    holds = holds and sorted(sigma) == list(range(n))
    need(holds, "sigma", sigma, f"a permutation of 0 to {n - 1} as a list of integers")


def need(holds: bool, where: str, given: object, expected: str) -> None:
    """Refuse what does not hold: where, what was given, what was expected."""
    if not holds:
        raise WitnessError(f"{where}: given {_clip(repr(given))}, expected {expected}")


def json_of(data: bytes) -> Any:
    """The JSON in bytes, read strictly."""
    if len(data) > MAX_BYTES:
        raise WitnessError(f"given more than {MAX_BYTES} bytes, expected a counterexample file")
    try:
        return strict_json.loads(
            data,
            parse_float=_Unfit,
            parse_constant=_Unfit,
            parse_int=lambda text: int(text) if len(text) <= 9 else _Unfit(text),
        )
    except strict_json.JsonError as e:
        raise WitnessError(str(e)) from None


def keys_of(value: Any, where: str, keys: Sequence[str]) -> None:
    """An object with these keys and no others."""
    need(isinstance(value, dict), where, value, f"an object with the keys {', '.join(keys)}")
    for key in keys:
        need(key in value, where, f"no key {key}", f"the keys {', '.join(keys)}")
    for key in value:
        need(key in keys, where, f"the key {key}", f"only the keys {', '.join(keys)}")


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
            need(given == table, where, given, f"the sinusoids {_clip(str(table))}")
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


def integer(value: Any, low: int, high: int) -> bool:
    """Whether a value is an integer within bounds."""
    return type(value) is int and low <= value <= high


def rows_of(
    given: Any, where: str, n: int, d: int, entry: Callable[[Any, str], Any]
) -> tuple[tuple[Any, ...], ...]:
    """A list of n rows of d entries each."""
    need(isinstance(given, list) and len(given) == n, where, given, f"a list of {n} rows")
    for i, row in enumerate(given):
        fits = isinstance(row, list) and len(row) == d
        need(fits, f"{where}[{i}]", row, f"a list of length {d}")
    return tuple(
        tuple(entry(v, f"{where}[{i}][{k}]") for k, v in enumerate(row))
        for i, row in enumerate(given)
    )


def fraction_of(digits: int) -> Callable[[Any, str], Fraction]:
    """What reads a fraction in quotes with at most so many digits."""

    def entry(given: Any, where: str) -> Fraction:
        fits = type(given) is str and _FRACTION.fullmatch(given) is not None
        need(fits, where, given, 'a fraction in quotes such as "-3/2"')
        above, _, below = given.partition("/")
        short = len(above.lstrip("-")) <= digits and len(below) <= digits
        need(short, where, given, f"at most {digits} digits above and below")
        value = Fraction(int(above), int(below or "1"))
        need(str(value) == given, where, given, f"lowest terms, {_clip(str(value))}")
        return value

    return entry


def enclosure_of(given: Any, where: str) -> Enclosure:
    """Two decimals in quotes, the lower first."""
    fits = isinstance(given, list) and len(given) == 2 and all(type(v) is str for v in given)
    fits = fits and all(len(v) <= 90 and _DECIMAL.fullmatch(v) for v in given)
    need(fits, where, given, f"two decimals in quotes with {PLACES} places")
    low, high = (Fraction(v) for v in given)
    canonical = [decimal(low), decimal(high)] == given and low <= high
    need(canonical, where, given, "the lower end first, and no -0")
    return low, high
