"""The file that refutes a symmetry of an ONNX file: JSON that a person can read.

It names the ONNX file by its digest, and holds σ, every input tensor as exact numbers, what
onnxruntime computed in float64 for f(PX) and for P f(X), and how far these are apart where they are
furthest. Convention: (PX)_i = X_σ(i); numbers of tokens are renamed by σ⁻¹. Standard library alone.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from types import NoneType, UnionType
from typing import Any, ClassVar, get_args, get_origin, get_type_hints

from orderproof.symbolic.counting import JSON, Counting

from .fields import TENSOR_DIGITS, WitnessError, fraction_of, json_of, keys_of, need, parsed

FORMAT, VERSION = "orderproof-model-counterexample", 2
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


@dataclass(frozen=True)
class Difference:
    """How far f(PX) and P f(X) are apart where they are furthest, run by onnxruntime; finite."""

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
class ModelWitness:
    """An input on which the output does not follow σ. `output_axis` None: it is not unchanged."""

    kind: ClassVar[str] = "model"
    model: str
    sha256: str
    data: tuple[tuple[str, str], ...]  # files beside the model that hold weights, and digests
    sizes: Mapping[str, int]  # of the dynamic dimensions, by name
    sigma: tuple[int, ...]
    input: str
    axis: int
    moving: tuple[tuple[str, int | str], ...]  # further axes of inputs that σ moves, or RENAMED
    inputs: Mapping[str, Values]
    output: str
    output_axis: OutputAxis
    shape: tuple[int, ...]  # of f(PX) and of the other side
    moved: tuple[float, ...]  # f(PX) as `d64` has it, the `recorded` entries
    expected: tuple[float, ...]  # P f(X), or f(X)
    difference: Difference
    evidence: str  # ENCLOSED: the model's term in balls has the sides apart too; or MEASURED
    tie: bool  # whether a choice of the model (a sort, a comparison) is between equal values at X

    def at_entry(self) -> tuple[float, float]:
        """Both values where they are furthest apart: of f(PX), and of the other side."""
        _, place = recorded(self.shape, self.difference.entry)
        return self.moved[place], self.expected[place]

    def says(self, c: Counting) -> str:
        """What the file asserts, in one sentence."""
        also = "".join(f" and {_axis(*m)}" for m in self.moving)
        axes = " and ".join(map(str, axes_of(self.output_axis)))
        axes = f", where sigma moves {'axes' if 'and' in axes else 'axis'} {axes}" if axes else ""
        other = "P f(X)" if axes else "f(X)"
        balls = "enclosed in balls and " if self.evidence == ENCLOSED else ""
        tie = ", at a tie, where the model chooses between equal values" if self.tie else ""
        return (
            f"the model {self.model}, where sigma = {_images(c, self.sigma)} moves "
            f"{_axis(self.input, self.axis)}{also}, (PX)_i = X_sigma(i): with the inputs given, "
            f"f(PX) and {other} differ by more than rounding in the entry "
            f"{[c(k) for k in self.difference.entry]} of {self.output}{axes}, all {c}, "
            f"{balls}measured by onnxruntime{tie}; axes are counted from 0."
        )


def _images(c: Counting, sigma: tuple[int, ...]) -> str:
    """A permutation as a list; of a long one the ends."""
    if len(sigma) <= LONG:
        return str(c.images(sigma))
    return f"[{', '.join(str(c(k)) for k in sigma[:3])}, …, {c(sigma[-1])}]"


def _axis(name: str, axis: int | str) -> str:
    return f"by its inverse the numbers in {name}" if axis == RENAMED else f"axis {axis} of {name}"


def dumps(w: ModelWitness) -> str:
    """The text of the file, a field a line: the same text for the same witness. WitnessError where
    it could not be read again: too large, say, or not beyond rounding."""
    head = {"format": FORMAT, "version": VERSION, "claim": w.says(JSON)}
    texts = {k: json.dumps(v, ensure_ascii=False) for k, v in {**head, **_plain(asdict(w))}.items()}
    text = "{\n" + ",\n".join(f'  "{k}": {v}' for k, v in texts.items()) + "\n}\n"
    _witness(json_of(text.encode(errors="surrogatepass")))
    return text


def parse(data: bytes, name: str) -> ModelWitness:
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


_RECORDS = (Values, Difference, ModelWitness)
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


def _witness(data: Any) -> ModelWitness:
    need(isinstance(data, dict), "file", data, "an object")
    form, version, claim = (data.pop(k, None) for k in ("format", "version", "claim"))
    need(form == FORMAT, "format", form, FORMAT)
    if version == 1:
        raise WitnessError(
            f"given version 1 of {FORMAT} (enclosed by an evaluator that was removed), expected "
            f"version {VERSION}: write it again with orderproof decide MODEL --out DIR"
        )
    need(version == VERSION, "version", version, str(VERSION))
    w: ModelWitness = _read(ModelWitness, data, "")
    _check(w)
    need(claim == w.says(JSON), "claim", claim, f"the sentence: {w.says(JSON)}")
    return w


def _check(w: ModelWitness) -> None:
    """WitnessError where the fields do not go together."""
    n, d = len(w.sigma), w.difference
    need(not set(w.model) & set("/\\"), "model", w.model, "the name of a file, without a folder")
    for digest in (w.sha256, *(digest for _, digest in w.data)):
        need(re.fullmatch(_DIGEST, digest) is not None, "sha256", digest, "64 hexadecimal digits")
    need(all(k > 0 for k in w.sizes.values()), "sizes", dict(w.sizes), "sizes from 1")
    fits = 0 < n <= MAX_N and sorted(w.sigma) == list(range(n))
    need(fits, "sigma", w.sigma, f"a permutation of 0 to n - 1 as a list, n from 1 to {MAX_N}")
    for name, x in w.inputs.items():
        where = f"inputs.{name[:40]}"
        fits = len(x.shape) <= MAX_RANK and all(size >= 0 for size in x.shape)
        fits = fits and math.prod(max(size, 1) for size in x.shape) <= MAX_VALUES
        need(fits, f"{where}.shape", x.shape, f"{MAX_RANK} sizes, {MAX_VALUES} entries at most")
        count = math.prod(x.shape)
        need(len(x.entries) == count, f"{where}.entries", len(x.entries), f"{count} of them")
        need(x.type in TYPES, f"{where}.type", x.type, f"one of: {', '.join(TYPES)}")
        holds, expected = TYPES[x.type]
        for k, v in enumerate(x.entries):
            need(holds(v), f"{where}.entries[{k}]", str(v), expected)
    places = [(w.input, w.axis), *w.moving]
    need(len(set(places)) == len(places), "moving", w.moving, "each axis once")
    for name, axis in places:
        need(name in w.inputs, "moving", name, f"one of the inputs: {', '.join(w.inputs)}")
        x = w.inputs[name]
        fits = any(k == axis and size == n for k, size in enumerate(x.shape))
        fits = fits or (axis == RENAMED and x.type == "integer")
        need(fits, "moving", [name, axis], f"an axis of size {n}, or the values of integers")
    axes = axes_of(w.output_axis)
    fits = all((k, n) in enumerate(w.shape) for k in axes) and len(set(axes)) == len(axes)
    fits = fits and (len(axes) > 1 or not isinstance(w.output_axis, tuple))
    need(fits, "output_axis", w.output_axis, f"null, an axis of size {n}, or several")
    fits = len(d.entry) == len(w.shape)
    fits = fits and all(0 <= k < size for k, size in zip(d.entry, w.shape, strict=True))
    need(fits, "difference.entry", d.entry, f"an entry of the shape {list(w.shape)}")
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
