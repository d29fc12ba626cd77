"""Bias and mask matrices read as the exact numbers that they are, and B̃ = B minus its row maxima.

A number in JSON or CSV is the decimal fraction that is written (0.1 is 1/10; "1/3" may be written
as text); a float of an .npy file is the binary fraction that it holds. Row maxima are subtracted
exactly: in floats, equal differences come out different and different ones equal.
"""

from __future__ import annotations

import codecs
import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderproof import input_file
from orderproof.symbolic import strict_json
from orderproof.symbolic.counting import PEOPLE

Number = Fraction | None  # None is −∞
LARGEST = 1024  # tokens; 1024! still has fewer digits than Python prints
LARGEST_FILE = 2**29  # bytes: 64 heads of LARGEST tokens in double precision
FILL = 10**4  # what stands for −∞ in a bias is often -FILL or lower
DIGITS = 1000  # no exponent of ten beyond this is read: it would fill the memory
MINUS_INFINITY = {"-inf", "-infinity", "−inf", "−∞", "-∞"}


class MatrixError(ValueError):
    """Not a matrix of finite numbers and −∞: says where, what was given, what expected."""


@dataclass(frozen=True)
class Exact:
    """One head: entry (i, j) is `values[ids[i, j]] / scale`. The values increase; −∞ is None, and
    first. Integers over one denominator, because fractions are slow by the hundred thousand."""

    ids: NDArray[np.int64]
    values: tuple[int | None, ...]
    scale: int = 1

    @property
    def n(self) -> int:
        """The number of tokens."""
        return len(self.ids)

    def number(self, k: int) -> Number:
        """The k-th of the distinct entries."""
        value = self.values[k]
        return None if value is None else Fraction(value, self.scale)

    def entry(self, i: int, j: int) -> Number:
        """The exact entry."""
        return self.number(int(self.ids[i, j]))


def of_numbers(ids: NDArray[np.int64], numbers: Sequence[Number]) -> Exact:
    """The matrix whose entries are numbered: numbers[ids[i, j]], in any order, repeated or not."""
    scale = math.lcm(*{v.denominator for v in numbers if v is not None})
    whole = [None if v is None else v.numerator * (scale // v.denominator) for v in numbers]
    return _sorted(ids, whole, scale)


def _sorted(ids: NDArray[np.int64], whole: Sequence[int | None], scale: int) -> Exact:
    """Distinct values in increasing order, −∞ first."""
    used = set(whole)
    values: list[int | None] = [None] if None in used else []
    values += sorted(v for v in used if v is not None)
    rank = {v: k for k, v in enumerate(values)}
    codes = np.array([rank[v] for v in whole], dtype=np.int64)
    return Exact(codes[ids], tuple(values), scale)


def masked(matrix: Exact, allowed: NDArray[np.bool_]) -> Exact:
    """The matrix with −∞ where it is not allowed to attend."""
    values = matrix.values if matrix.values[:1] == (None,) else (None, *matrix.values)
    ids = matrix.ids + (len(values) - len(matrix.values))
    return Exact(np.where(allowed, ids, 0), values, matrix.scale)


def with_masks(matrices: Sequence[Exact], allowed: Sequence[NDArray[np.bool_]]) -> list[Exact]:
    """The heads of score biases (one matrix a head) under masks (one, or one a head); either may be
    none. Raises MatrixError where numbers of heads, or of tokens, do not fit."""
    counts = {len(matrices), len(allowed)} - {0, 1}
    if len(counts) > 1:
        raise MatrixError(f"given {len(matrices)} heads of bias and {len(allowed)} of mask")
    heads = list(matrices)
    if not heads:
        heads = [Exact(np.zeros(mask.shape, dtype=np.int64), (0,)) for mask in allowed]
    if allowed:
        count = max(len(heads), len(allowed))
        heads = heads * (count // len(heads))
        masks = list(allowed) * (count // len(allowed))
        for k, (head, mask) in enumerate(zip(heads, masks, strict=True)):
            if mask.shape != head.ids.shape:
                raise MatrixError(
                    f"head {PEOPLE(k)}: given {head.n} tokens and a mask of {len(mask)}"
                )
        heads = [masked(h, m) for h, m in zip(heads, masks, strict=True)]
    for k, head in enumerate(heads):
        if head.n != heads[0].n:
            raise MatrixError(
                f"head {PEOPLE(k)} has {head.n} tokens, head {PEOPLE(0)} has {heads[0].n}"
            )
    return heads


def has_fills(matrix: Exact) -> bool:
    """Whether a finite entry is so low that −∞ may be meant."""
    return any(v is not None and v < -FILL * matrix.scale for v in matrix.values)


def without_row_maxima(matrix: Exact) -> Exact:
    """B̃ = B minus the maximum of each row, exactly. A row of −∞ alone is refused."""
    ids, values = matrix.ids, matrix.values
    top = ids.max(axis=1)
    for i in np.flatnonzero(top == 0) if values[0] is None else ():
        raise MatrixError(
            f"row {PEOPLE(int(i))} is all −∞ (nothing to attend to): softmax is undefined there"
        )
    pairs, inverse = np.unique(top[:, None] * len(values) + ids, return_inverse=True)
    differences: list[int | None] = []
    for pair in pairs.tolist():
        high, low = values[pair // len(values)], values[pair % len(values)]
        differences.append(None if low is None or high is None else low - high)
    return _sorted(inverse.reshape(ids.shape), differences, matrix.scale)


def grouped(matrix: Exact, tolerance: Fraction) -> tuple[Exact, list[tuple[Fraction, Fraction]]]:
    """Entries at most `tolerance` apart, and those so linked, made one; and the groups of more than
    one value, as (least, largest). A value in a group is replaced by the group's largest."""
    group: list[int] = []
    spans: list[list[int | None]] = []
    most = math.floor(tolerance * matrix.scale)
    for value in matrix.values:
        last = spans[-1][1] if spans else None
        if value is not None and last is not None and value - last <= most:
            spans[-1][1] = value
        else:
            spans.append([value, value])
        group.append(len(spans) - 1)
    made = [
        (Fraction(a, matrix.scale), Fraction(b, matrix.scale))
        for a, b in spans
        if a is not None and b is not None and a != b
    ]
    return Exact(np.array(group)[matrix.ids], tuple(b for _, b in spans), matrix.scale), made


# --------------------------------------------------------------------------------------- files
def read(path: Path) -> list[Exact]:
    """The heads of a bias file: a matrix n×n, or several, as .npy, .json or .csv."""
    return [_head(h, k, path, number) for k, h in enumerate(_heads(path))]


def read_mask(path: Path) -> list[NDArray[np.bool_]]:
    """The heads of a mask file: 1 or true where row i may attend to column j, else 0 or false."""
    heads = [_head(h, k, path, _flag) for k, h in enumerate(_heads(path))]
    return [np.array([h.number(k) == 1 for k in range(len(h.values))])[h.ids] for h in heads]


def read_table(path: Path) -> tuple[tuple[Fraction, ...], ...]:
    """The rows of a position table, n×d."""
    heads = _heads(path)
    if len(heads) != 1:
        raise MatrixError(f"{path}: given {len(heads)} tables, expected one")
    rows = _rows(heads[0], "", path)
    numbers: dict[Any, Number] = {}
    if len(rows) > LARGEST:
        raise MatrixError(f"{path}: given {len(rows)} tokens, expected at most {LARGEST}")
    table = []
    for i, row in enumerate(rows):
        read_row = []
        for j, v in enumerate(row):
            entry = _cached(numbers, v, f"{path}: row {PEOPLE(i)}, column {PEOPLE(j)}")
            if entry is None:
                raise MatrixError(f"{path}: row {PEOPLE(i)} has −∞, expected finite positions")
            read_row.append(entry)
        table.append(tuple(read_row))
    return tuple(table)


def _heads(path: Path) -> list[Any]:
    """The heads of a file, each as rows of entries not yet read as numbers."""
    kind = path.suffix.lower()
    if kind not in (".npy", ".json", ".csv"):
        raise MatrixError(f"{path}: given {kind or 'no suffix'}, expected .npy, .json or .csv")
    given = input_file.read(path, LARGEST_FILE, "a matrix", MatrixError)
    try:
        if kind == ".npy":
            return _npy(path, given)
        if kind == ".csv":
            return _csv(given.decode("utf-8-sig"))
        text = given.removeprefix(codecs.BOM_UTF8)
        data = strict_json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
    except (OSError, MemoryError, RecursionError, ValueError, csv.Error) as e:
        if isinstance(e, MatrixError):
            raise
        if kind == ".npy":
            raise MatrixError(f"{path}: not an array of numbers in NumPy's format") from None
        raise MatrixError(f"{path}: not a matrix: {e}") from None
    if not isinstance(data, list) or not data or not isinstance(data[0], list) or not data[0]:
        raise MatrixError(f"{path}: not a matrix: expected a list of rows, or a list of matrices")
    return data if isinstance(data[0][0], list) else [data]


def _npy(path: Path, data: bytes) -> list[Any]:
    array = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    if array.dtype.kind not in "biuf" or array.itemsize > 8:
        raise MatrixError(f"{path}: not a matrix of numbers (floats of at most 64 bits)")
    if array.ndim not in (2, 3) or 0 in array.shape:
        raise MatrixError(f"{path}: given shape {array.shape}, expected (n, n) or (heads, n, n)")
    return [array] if array.ndim == 2 else list(array)


def _csv(text: str) -> list[Any]:
    heads: list[list[list[str]]] = [[]]
    for row in csv.reader(text.splitlines()):
        cells = [c.strip() for c in row]
        if any(cells):
            heads[-1].append(cells)
        elif heads[-1]:
            heads.append([])  # an empty line parts two heads
    found = [h for h in heads if h]
    if not found:
        raise ValueError("given no rows, expected numbers with commas")
    return found


def _rows(head: Any, name: str, path: Path) -> list[Any]:
    """Rows of equal length as a list."""
    if isinstance(head, np.ndarray):
        return list(head.tolist())
    if not isinstance(head, list) or not all(isinstance(r, list) and r for r in head) or not head:
        raise MatrixError(f"{path}: {name}expected a list of rows, each a list of numbers")
    for i, row in enumerate(head):
        if len(row) != len(head[0]):
            given = f"row {PEOPLE(i)} has {len(row)} entries, row {PEOPLE(0)} {len(head[0])}"
            raise MatrixError(f"{path}: {name}{given}")
    return head


def _head(head: Any, k: int, path: Path, read_entry: Any) -> Exact:
    name = f"head {PEOPLE(k)}: " if k else ""
    shape = head.shape if isinstance(head, np.ndarray) else None
    rows = _rows(head, name, path)
    shape = shape or (len(rows), len(rows[0]))
    if shape[0] != shape[1]:
        raise MatrixError(f"{path}: {name}given {shape[0]} × {shape[1]}, expected a square matrix")
    if shape[0] > LARGEST:
        raise MatrixError(f"{path}: {name}given {shape[0]} tokens, expected at most {LARGEST}")

    def place(i: int, j: int) -> str:
        return f"{path}: {name}row {PEOPLE(i)}, column {PEOPLE(j)}"

    seen: dict[Any, Number] = {}
    if isinstance(head, np.ndarray):  # each value is read once
        distinct, first, inverse = np.unique(head, return_index=True, return_inverse=True)
        numbers = distinct[0] < np.inf and np.isfinite(distinct[1:]).all()  # no NaN, no +∞
        if distinct.dtype.kind == "f" and read_entry is number and numbers:
            return _floats(inverse.reshape(shape), distinct.tolist())
        found = [
            _cached(seen, v, place(*divmod(at, len(rows))), read_entry)
            for v, at in zip(distinct.tolist(), first.tolist(), strict=True)
        ]
    else:
        found = [
            _cached(seen, v, place(i, j), read_entry)
            for i, row in enumerate(rows)
            for j, v in enumerate(row)
        ]
        inverse = np.arange(len(found))
    return of_numbers(inverse.reshape(shape), found)


def _floats(ids: NDArray[np.int64], increasing: Sequence[float]) -> Exact:
    """Floats and −∞ as the binary fractions that they are."""
    ratios = [None if v == -math.inf else v.as_integer_ratio() for v in increasing]
    scale = max((r[1] for r in ratios if r), default=1)  # powers of 2
    return Exact(ids, tuple(r and r[0] * (scale // r[1]) for r in ratios), scale)


def _key(value: Any) -> Any:
    """What is read once: True is not 1, and a list cannot be one."""
    return (type(value), value if isinstance(value, str | int | float) else repr(value))


def _cached(seen: dict[Any, Number], value: Any, place: str, read_entry: Any = None) -> Number:
    key = _key(value)
    if key not in seen:
        try:
            seen[key] = (read_entry or number)(value)
        except (ValueError, ZeroDivisionError, OverflowError):
            wanted = "0 or 1" if read_entry is _flag else "a finite number or -inf"
            if read_entry is not _flag and str(value).lower() in ("true", "false"):
                wanted += (
                    "; booleans are for --mask, where true lets through (torch's True may block)"
                )
            given = value if isinstance(value, float) else repr(value)[:40]
            raise MatrixError(f"{place}: given {given}, expected {wanted}") from None
    return seen[key]


def number(value: Any) -> Number:
    """An exact number, or None for −∞; ValueError for anything else."""
    if isinstance(value, bool):
        raise ValueError
    if isinstance(value, float):
        return None if value == -math.inf else Fraction(value)  # NaN and +∞ raise
    if isinstance(value, int):
        return Fraction(value)
    if not isinstance(value, str):
        raise ValueError
    if value.strip().lower() in MINUS_INFINITY:
        return None
    _, _, power = value.lower().partition("e")
    if len(value) > DIGITS or not set(value.strip()) <= set("0123456789+-./eE"):
        raise ValueError  # Fraction would take 1_0, and digits of every script
    if power and abs(int(power)) > DIGITS:
        raise ValueError
    return Fraction(value)


def _flag(value: Any) -> Number:
    """0 or 1, as number, text or boolean."""
    if isinstance(value, bool):
        return Fraction(int(value))
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return Fraction(value.lower() == "true")
    found = number(value)
    if found not in (0, 1):
        raise ValueError
    return found
