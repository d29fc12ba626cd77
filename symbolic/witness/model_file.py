"""The file of a counterexample about an ONNX file: JSON that a person can read.

It names the ONNX file by its digest, and holds every input tensor X as exact numbers, how it is
changed, what onnxruntime computed in float64 for the changed input and what had to come out, and
how far these are apart where they are furthest. A `ModelWitness` refutes a symmetry: X is permuted,
(PX)_i = X_σ(i), and numbers of tokens are renamed by σ⁻¹. A `DependenceWitness` shows that rows of
the output depend on rows of X that they should not depend on. Standard library alone.
"""

from __future__ import annotations

import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from types import NoneType, UnionType
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

from orderproof.symbolic.counting import JSON, Counting

from .fields import TENSOR_DIGITS, WitnessError, fraction_of, json_of, keys_of, need, parsed
from .questions import QUESTIONS

FORMAT, VERSION = "orderproof-model-counterexample", 2
DEPENDENCE = "orderproof-dependence-counterexample"  # version 1
FORMS = FORMAT, DEPENDENCE
EVIDENCE = ENCLOSED, MEASURED = "enclosed", "measured"
KINDS = {"real": "f", "integer": "iu", "truth": "b"}  # of NumPy's types, by ours
TYPES: dict[str, tuple[Callable[[Fraction], bool], str]] = {
    "real": (lambda v: Fraction(float(v)) == v, "a number that float64 holds"),
    "integer": (lambda v: v.denominator == 1 and abs(v) <= 10**8, "an integer up to 10^8"),
    "truth": (lambda v: v in (0, 1), "0 or 1"),
}
RENAMED = "values"  # in place of an axis: the numbers of tokens in an input, which are renamed
MAX_N, MAX_RANK, MAX_VALUES, MAX_NAME = 4096, 16, 100_000, 300
WHOLE = 10_000  # entries of an output that are all kept; of a larger one, the entry that differs
LONG = 16  # places of a permutation that is printed whole
_DIGEST, _FLOAT = r"[0-9a-f]{64}", r"nan|-?(inf|\d+\.\d+|\d+(\.\d+)?e[+-]\d+)"

OutputAxis = int | tuple[int, ...] | None  # one axis, several that σ moves at once, none


def axes_of(output_axis: OutputAxis) -> tuple[int, ...]:
    """The axes of the output that σ is said to move."""
    if output_axis is None:
        return ()
    return output_axis if isinstance(output_axis, tuple) else (output_axis,)


def recorded(shape: Sequence[int], entry: Sequence[int]) -> tuple[slice, int]:
    """Which entries of an output a file holds, row by row: all, or of many that entry alone; and
    where among them that entry is."""
    count, place = math.prod(shape), 0
    for size, k in zip(shape, entry, strict=True):
        place = place * size + k
    return (slice(place, place + 1), 0) if count > WHOLE else (slice(0, count), place)


@dataclass(frozen=True)
class Values:
    """An input tensor: its entries in the order of rows, as fractions whose denominators are powers
    of two, as integers, or as the integers 0 and 1 for truth values."""

    shape: tuple[int, ...]
    type: str
    entries: tuple[Fraction, ...]

    def along(self, axis: int, rows: Sequence[int], last_only: bool = False) -> set[Fraction]:
        """The numbers in some rows along an axis; of the last along axis 0, if of that only."""
        step, size = math.prod(self.shape[axis + 1 :]), self.shape[axis]
        every = self.entries[-math.prod(self.shape[1:]) :] if last_only else self.entries
        return {e for k, e in enumerate(every) if k // step % size in rows}


@dataclass(frozen=True)
class Difference:
    """How far both sides are apart where they are furthest, run by onnxruntime; finite."""

    d32: float  # in float32
    d64: float  # in float64, or where a kernel has no 64 bits, of what it was fed a little off
    scale: float  # the largest entry of the output
    rounding: float  # the most that rounding may explain: what is not beyond it says nothing
    entry: tuple[int, ...]

    @property
    def seen(self) -> bool:
        """Whether both are beyond rounding; not a number is not."""
        return self.d32 > self.rounding and self.d64 > self.rounding


@dataclass(frozen=True)
class Recorded(ABC):
    """What was run: a file, its inputs X, and both sides of what is refuted."""

    kind: ClassVar[str] = "model"
    form: ClassVar[tuple[str, int]]  # name and version of the file
    model: str
    sha256: str
    data: tuple[tuple[str, str], ...]  # files beside the model that hold weights, and digests
    sizes: Mapping[str, int]  # of the dynamic dimensions, by name
    inputs: Mapping[str, Values]
    output: str
    shape: tuple[int, ...]  # of both sides
    moved: tuple[float, ...]  # f of the changed input as `d64` has it, the `recorded` entries
    expected: tuple[float, ...]  # what it had to be
    difference: Difference
    evidence: str  # ENCLOSED: the model's term in balls has the sides apart too; or MEASURED
    tie: bool  # whether a choice of the model (a sort, a comparison) is between equal values at X

    def at_entry(self) -> tuple[float, float]:
        """Both values where they are furthest apart: of the changed input, and what had to be."""
        _, place = recorded(self.shape, self.difference.entry)
        return self.moved[place], self.expected[place]

    def says(self, c: Counting) -> str:
        """What the file asserts, in one sentence."""
        change, sides, where = self.changes(c)
        balls = "enclosed in balls and " if self.evidence == ENCLOSED else ""
        tie = ", at a tie, where the model chooses between equal values" if self.tie else ""
        return (
            f"the model {self.model}, {change}: with the inputs given, {sides} differ by more than "
            f"rounding in the entry {[c(k) for k in self.difference.entry]} of {self.output}"
            f"{where}, all {c}, {balls}measured by onnxruntime{tie}; axes are counted from 0."
        )

    def input_of(self, name: str, where: str) -> Values:
        """An input by its name; WitnessError where there is none."""
        need(name in self.inputs, where, name, f"one of the inputs: {', '.join(self.inputs)}")
        return self.inputs[name]

    @abstractmethod
    def changes(self, c: Counting) -> tuple[str, str, str]:
        """How X is changed, the two sides, and what of the output is compared."""

    @abstractmethod
    def check(self) -> None:
        """WitnessError where the fields do not go together."""


@dataclass(frozen=True)
class ModelWitness(Recorded):
    """An input on which the output does not follow σ. `output_axis` None: it is not unchanged."""

    form: ClassVar[tuple[str, int]] = FORMAT, VERSION
    sigma: tuple[int, ...]
    input: str
    axis: int
    moving: tuple[tuple[str, int | str], ...]  # further axes of inputs that σ moves, or RENAMED
    output_axis: OutputAxis

    def changes(self, c: Counting) -> tuple[str, str, str]:
        """That σ acts, on f(PX) and P f(X), or f(X)."""
        also = "".join(f" and {_axis(*m)}" for m in self.moving)
        axes = " and ".join(map(str, axes_of(self.output_axis)))
        axes = f", where sigma moves {'axes' if 'and' in axes else 'axis'} {axes}" if axes else ""
        change = (
            f"where sigma = {_images(c, self.sigma)} moves {_axis(self.input, self.axis)}{also}, "
            "(PX)_i = X_sigma(i)"
        )
        return change, f"f(PX) and {'P f(X)' if axes else 'f(X)'}", axes

    def check(self) -> None:
        """WitnessError where σ, or what it moves, does not fit."""
        n = len(self.sigma)
        fits = 0 < n <= MAX_N and sorted(self.sigma) == list(range(n))
        need(
            fits, "sigma", self.sigma, f"a permutation of 0 to n - 1 as a list, n from 1 to {MAX_N}"
        )
        places = [(self.input, self.axis), *self.moving]
        need(len(set(places)) == len(places), "moving", self.moving, "each axis once")
        for name, axis in places:
            x = self.input_of(name, "moving")
            fits = any(k == axis and size == n for k, size in enumerate(x.shape))
            fits = fits or (axis == RENAMED and x.type == "integer")
            need(fits, "moving", [name, axis], f"an axis of size {n}, or the values of integers")
        axes = axes_of(self.output_axis)
        fits = all((k, n) in enumerate(self.shape) for k in axes) and len(set(axes)) == len(axes)
        fits = fits and (len(axes) > 1 or not isinstance(self.output_axis, tuple))
        need(fits, "output_axis", self.output_axis, f"null, an axis of size {n}, or several")


@dataclass(frozen=True)
class DependenceWitness(Recorded):
    """An input on which rows of the output depend on rows of the inputs that they should not depend
    on: on their contents, or where there are none in `contents`, on that they are there."""

    form: ClassVar[tuple[str, int]] = DEPENDENCE, 1
    ask: str  # of QUESTIONS
    places: tuple[tuple[str, int], ...]  # inputs and axes; the first is the one in question
    rows_changed: tuple[int, ...]  # along these axes
    contents: tuple[Values, ...]  # that are put there, of each place; or () where rows are left out
    last_only: bool  # whether in the last request alone, along axis 0
    given: tuple[tuple[str, int], ...]  # that say what may depend on what: a mask, or ids, first
    masked: float | None  # what a mask has where it hides; null for other questions
    output_axis: int | None
    rows: tuple[int, ...]  # of the output, that should not depend on those; () of all of it

    @property
    def n(self) -> int:
        """The number of rows of the inputs."""
        name, axis = self.places[0]
        return self.inputs[name].shape[axis]

    @property
    def row(self) -> int | None:
        """The row of the output that changed; None where it has no such axis."""
        return None if self.output_axis is None else self.difference.entry[self.output_axis]

    def changes(self, c: Counting) -> tuple[str, str, str]:
        """That rows are replaced or left out, on f(X') and f(X)."""
        rows = ", ".join(str(c(k)) for k in self.rows_changed)
        along = " and ".join(_axis(*p) for p in self.places)
        many = "rows" if len(self.rows_changed) > 1 else "row"
        how = f"{'are' if many == 'rows' else 'is'} {'replaced' if self.contents else 'left out'}"
        row, axis = self.row, self.output_axis
        where = "" if row is None else f", in its row {c(row)} along axis {axis}"
        how += " in the last request" if self.last_only else ""
        hides = "" if self.masked is None else f": {self.given[0][0]}, where it is {self.masked:g}"
        change = f"where {many} {rows} along {along} {how} in X' ({QUESTIONS[self.ask]}{hides})"
        return change, "f(X') and f(X)", where

    def check(self) -> None:
        """WitnessError where the rows, or what is put there, do not fit."""
        need(self.ask in QUESTIONS, "ask", self.ask, f"one of: {', '.join(QUESTIONS)}")
        need(bool(self.places), "places", self.places, "one axis at least")
        sizes = {size for name, axis in self.places for size in self._size(name, axis, "places")}
        need(len(sizes) == 1, "places", self.places, "axes of one size")
        (n,), changed, kept = sizes, self.rows_changed, 0
        fits = bool(changed) and _rising(changed, n)
        need(fits, "rows_changed", changed, f"rows below {n}, in rising order")
        if self.contents:
            count = len(self.places)
            need(len(self.contents) == count, "contents", len(self.contents), f"{count} of them")
            kept = n
        else:
            kept = changed[0]
            fits = kept > 0 and changed == (*range(kept, n),)
            need(fits, "rows_changed", changed, "the last ones, and not all")
        for k, (name, at) in enumerate(self.places[: len(self.contents)]):
            given, x = self.inputs[name], self.contents[k]
            shape = (*given.shape[:at], len(changed), *given.shape[at + 1 :])
            if self.last_only:
                need(at > 0, "last_only", True, f"{name} with requests along axis 0")
                shape = (1, *shape[1:])
            expected = f"{given.type} values of shape {list(shape)}"
            fits = (x.shape, x.type) == (shape, given.type)
            need(fits, f"contents[{k}]", [x.type, x.shape], expected)
            _check_values(x, f"contents[{k}]")
        axis, rows = self.output_axis, self.rows
        fits = axis is None or (axis, kept) in enumerate(self.shape)
        need(fits, "output_axis", axis, f"null, or an axis of size {kept}")
        fits = not rows if axis is None else self.row in rows and _rising(rows, kept)
        need(fits, "rows", rows, f"rows below {kept} of the output, in rising order, all compared")
        need(bool(self.contents) or not self.last_only, "last_only", True, "contents")
        fits = self._unrelated(n)
        need(fits, "rows", rows, f"rows as the question has them: {QUESTIONS[self.ask]}")

    def _size(self, name: str, axis: int, where: str) -> tuple[int, ...]:
        shape = self.input_of(name, where).shape
        need(0 <= axis < len(shape), where, [name, axis], f"an axis of {name}")
        return shape[axis : axis + 1]

    def _unrelated(self, n: int) -> bool:
        """Whether what is compared should not depend on what is changed."""
        for name, axis in self.given:
            need(self._size(name, axis, "given") == (n,), "given", [name, axis], f"size {n}")
            need(name not in dict(self.places), "given", name, "an input that is not changed")
        need((self.masked is None) == (self.ask != "padding"), "masked", self.masked,
             "a number for padding, else null")  # fmt: skip
        rows, changed = self.rows, self.rows_changed
        if self.ask == "causal":
            return bool(rows) and rows[-1] < changed[0]
        if self.ask == "isolated":
            return bool(rows) and not set(rows) & set(changed)
        need(bool(self.given), "given", self.given, "a mask, or ids of documents")
        name, axis = self.given[0]
        x = self.inputs[name]
        if self.last_only:
            need(axis > 0, "last_only", True, f"{name} with requests along axis 0")
        here, there = (x.along(axis, r, self.last_only) for r in (changed, rows or range(n)))
        if self.ask == "documents":
            need(x.type == "integer", "given", [name, axis], "whole numbers as ids of documents")
            return bool(rows) and not here & there
        hidden = {Fraction(self.masked or 0)}
        return here == hidden and (not hidden & there if rows else there > hidden)


def _rising(rows: Sequence[int], below: int) -> bool:
    """Whether these are rows in rising order, from 0 on and below a number."""
    return all(0 <= a < b for a, b in zip(rows, (*rows[1:], below), strict=True))


def _images(c: Counting, sigma: tuple[int, ...]) -> str:
    """A permutation as a list; of a long one the ends."""
    if len(sigma) <= LONG:
        return str(c.images(sigma))
    return f"[{', '.join(str(c(k)) for k in sigma[:3])}, …, {c(sigma[-1])}]"


def _axis(name: str, axis: int | str) -> str:
    return f"by its inverse the numbers in {name}" if axis == RENAMED else f"axis {axis} of {name}"


def dumps(w: Recorded) -> str:
    """The text of the file, a field a line: the same text for the same witness. WitnessError where
    it could not be read again: too large, say, or not beyond rounding."""
    form, version = w.form
    head = {"format": form, "version": version, "claim": w.says(JSON)}
    own = dict.fromkeys(f.name for f in fields(w) if f.name not in _COMMON)  # before what was run
    every = {**head, **own, **_plain(asdict(w))}
    texts = {k: json.dumps(v, ensure_ascii=False) for k, v in every.items()}
    text = "{\n" + ",\n".join(f'  "{k}": {v}' for k, v in texts.items()) + "\n}\n"
    _witness(json_of(text.encode(errors="surrogatepass")))
    return text


def parse(data: bytes, name: str) -> Recorded:
    """The witness in the bytes of a file; WitnessError, in one line, where they hold none."""
    return parsed(_witness, data, name)


def _plain(value: Any) -> Any:
    """A value as JSON has it: numbers other than integers in quotes."""
    match value:
        case dict():
            return {k: _plain(v) for k, v in value.items()}
        case tuple():
            return [_plain(v) for v in value]
        case float():
            return repr(float(value))
        case Fraction():
            return str(value)
    return value


_COMMON = {f.name for f in fields(Recorded)}
_RECORDS = (Values, Difference, ModelWitness, DependenceWitness)
_FORMS = {tuple: list, float: str, Fraction: str, **dict.fromkeys((Mapping, *_RECORDS), dict)}
_WORDS = {list: "a list", dict: "an object", str: "text in quotes", int: "an integer",
          bool: "true or false", NoneType: "null"}  # fmt: skip


def _read(expected: Any, given: Any, where: str) -> Any:
    """The value of the expected type that `_plain` writes as what is given."""
    kinds = get_args(expected) if isinstance(expected, UnionType) else (expected,)
    forms: dict[Any, Any] = {_FORMS.get(get_origin(k) or k, k): k for k in kinds}
    need(type(given) in forms, where, given, " or ".join(_WORDS[form] for form in forms))
    kind = forms[type(given)]
    if get_origin(kind) is tuple:
        each = get_args(kind)
        each = each[:1] * len(given) if ... in each else each
        need(len(each) == len(given), where, given, f"a list of {len(each)}")
        return tuple(_read(each[k], v, f"{where}[{k}]") for k, v in enumerate(given))
    if get_origin(kind) is Mapping:
        _, each = get_args(kind)
        items = given.items()
        return {_read(str, k, where): _read(each, v, f"{where}.{k[:40]}") for k, v in items}
    if kind in _RECORDS:
        hints, names = get_type_hints(kind), [f.name for f in fields(kind)]
        keys_of(given, where or "file", names)
        return kind(**{k: _read(hints[k], given[k], f"{where}.{k}".strip(".")) for k in names})
    if kind is Fraction:
        return fraction_of(TENSOR_DIGITS)(given, where)
    if kind is float:
        fits = re.fullmatch(_FLOAT, given) is not None and repr(float(given)) == given
        need(fits, where, given, 'a float as Python writes it, such as "0.5"')
        return float(given)
    if kind is str:
        need(0 < len(given) <= MAX_NAME and given.isprintable(), where, given, "a name")
    return given


def _witness(data: Any) -> Recorded:
    need(isinstance(data, dict), "file", data, "an object")
    form, version, claim = (data.pop(k, None) for k in ("format", "version", "claim"))
    kind = DependenceWitness if form == DEPENDENCE else ModelWitness
    need(form == kind.form[0], "format", form, FORMAT)
    if (form, version) == (FORMAT, 1):
        raise WitnessError(
            f"given version 1 of {FORMAT} (enclosed by an evaluator that was removed), expected "
            f"version {VERSION}: write it again with orderproof decide MODEL --out DIR"
        )
    need(version == kind.form[1], "version", version, str(kind.form[1]))
    w: Recorded = _read(kind, data, "")
    _check(w)
    need(claim == w.says(JSON), "claim", claim, f"the sentence: {w.says(JSON)}")
    return w


def _check_values(x: Values, where: str) -> None:
    fits = len(x.shape) <= MAX_RANK and all(size >= 0 for size in x.shape)
    fits = fits and math.prod(max(size, 1) for size in x.shape) <= MAX_VALUES
    need(fits, f"{where}.shape", x.shape, f"{MAX_RANK} sizes, {MAX_VALUES} entries at most")
    count = math.prod(x.shape)
    need(len(x.entries) == count, f"{where}.entries", len(x.entries), f"{count} of them")
    need(x.type in TYPES, f"{where}.type", x.type, f"one of: {', '.join(TYPES)}")
    holds, expected = TYPES[x.type]
    for k, v in enumerate(x.entries):
        need(holds(v), f"{where}.entries[{k}]", str(v), expected)


def _check(w: Recorded) -> None:
    """WitnessError where the fields do not go together."""
    d = w.difference
    need(not set(w.model) & set("/\\"), "model", w.model, "the name of a file, without a folder")
    for digest in (w.sha256, *(digest for _, digest in w.data)):
        need(re.fullmatch(_DIGEST, digest) is not None, "sha256", digest, "64 hexadecimal digits")
    need(all(k > 0 for k in w.sizes.values()), "sizes", dict(w.sizes), "sizes from 1")
    for name, x in w.inputs.items():
        _check_values(x, f"inputs.{name[:40]}")
    fits = len(d.entry) == len(w.shape)
    fits = fits and all(0 <= k < size for k, size in zip(d.entry, w.shape, strict=True))
    need(fits, "difference.entry", d.entry, f"an entry of the shape {list(w.shape)}")
    w.check()
    held, _ = recorded(w.shape, d.entry)
    count = held.stop - held.start
    for key, side in (("moved", w.moved), ("expected", w.expected)):
        need(len(side) == count, key, len(side), f"{count} entries")
    finite = all(0 <= v < math.inf for v in (d.d32, d.d64, d.scale, d.rounding))
    need(finite and d.seen, "difference", d, "finite d32 and d64 beyond rounding")
    one, other = w.at_entry()
    near = abs(abs(one - other) - d.d64) <= 1e-6 * d.d64
    need(near, "difference.d64", d.d64, f"how far {one!r} and {other!r} are apart")
    need(w.evidence in EVIDENCE, "evidence", w.evidence, f"one of: {', '.join(EVIDENCE)}")
