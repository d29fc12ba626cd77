"""The file that refutes a symmetry of an ONNX file: JSON that a person can read.

It names the ONNX file by its digest, and holds σ, every input tensor as exact numbers, the entry of
the output where both sides differ, and an enclosure of each side. Convention: (PX)_i = X_σ(i).
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

from orderproof.symbolic.counting import JSON, Counting

from ..fields import (
    MAX_BYTES,
    TENSOR_DIGITS,
    Enclosure,
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
)
from .enclosure import apart

FORMAT, VERSION = "orderproof-model-counterexample", 1
KEYS = (
    "format", "version", "claim", "model", "sha256", "data", "n", "sigma", "input", "axis",
    "moving", "inputs", "output", "output_axis", "entry", "bits", "moved", "expected",
)  # fmt: skip
TENSOR = ("shape", "type", "values")
TYPES = ("real", "integer", "truth")
MAX_N, MAX_RANK, MAX_VALUES, MAX_INPUTS, MAX_NAME = 4096, 16, 100_000, 256, 300
MAX_INTEGER = 10**8
BITS = (64, 1024)
LONG = 16  # places of a permutation that is printed whole
_DIGEST = re.compile(r"[0-9a-f]{64}")


OutputAxis = int | tuple[int, ...] | None  # one axis, several that σ moves at once, none


def axes_of(output_axis: OutputAxis) -> tuple[int, ...]:
    """The axes of the output that σ is said to move."""
    if output_axis is None:
        return ()
    return output_axis if isinstance(output_axis, tuple) else (output_axis,)


@dataclass(frozen=True)
class Values:
    """An input tensor: its entries in the order of rows, as fractions whose denominators are powers
    of two, as integers, or as the integers 0 and 1 for truth values."""

    shape: tuple[int, ...]
    type: str
    entries: tuple[Fraction, ...]


@dataclass(frozen=True)
class ModelWitness:
    """An input on which the output does not follow σ. `output_axis` None: it is not unchanged."""

    kind: ClassVar[str] = "model"
    model: str
    sha256: str
    data: tuple[tuple[str, str], ...]  # files beside the model that hold weights, and digests
    sigma: tuple[int, ...]
    input: str
    axis: int
    moving: tuple[tuple[str, int], ...]  # further axes of inputs that σ moves
    inputs: Mapping[str, Values]
    output: str
    output_axis: OutputAxis
    entry: tuple[int, ...]
    bits: int
    moved: Enclosure  # the entry of f(PX)
    expected: Enclosure  # the entry of P f(X), or of f(X)

    def says(self, c: Counting) -> str:
        """What the file asserts, in one sentence."""
        also = "".join(f" and {_axis(*m)}" for m in self.moving)
        other = "f(X)" if self.output_axis is None else "P f(X)"
        return (
            f"the model {self.model}, where sigma = {_images(c, self.sigma)} moves "
            f"{_axis(self.input, self.axis)}{also}, (PX)_i = X_sigma(i): with the inputs given, "
            f"f(PX) and {other} differ in the entry {[c(k) for k in self.entry]} of "
            f"{_named(self.output, self.output_axis)}, in balls of {self.bits} bits, all {c}; "
            "axes are counted from 0."
        )


def _images(c: Counting, sigma: tuple[int, ...]) -> str:
    """A permutation as a list; of a long one the ends."""
    if len(sigma) <= LONG:
        return str(c.images(sigma))
    return f"[{', '.join(str(c(k)) for k in sigma[:3])}, …, {c(sigma[-1])}]"


def _axis(name: str, axis: int) -> str:
    return f"axis {axis} of {name}"


def _named(name: str, axis: OutputAxis) -> str:
    axes = " and ".join(map(str, axes_of(axis)))
    word = "axis" if len(axes_of(axis)) == 1 else "axes"
    return name if axis is None else f"{name}, where sigma moves {word} {axes}"


def dumps(w: ModelWitness) -> str:
    """The text of the file, a field a line: the same text for the same witness."""
    inputs = {
        name: {
            "shape": list(v.shape),
            "type": v.type,
            "values": [str(e) if v.type == "real" else int(e) for e in v.entries],
        }
        for name, v in w.inputs.items()
    }
    values = (
        FORMAT, VERSION, w.says(JSON), w.model, w.sha256, dict(w.data), len(w.sigma),
        list(w.sigma), w.input, w.axis, [list(m) for m in w.moving], inputs, w.output,
        list(w.output_axis) if isinstance(w.output_axis, tuple) else w.output_axis,
        list(w.entry), w.bits, *([decimal(v) for v in s] for s in (w.moved, w.expected)),
    )  # fmt: skip
    fields = zip(KEYS, values, strict=True)
    lines = [f"  {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in fields]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    if len(text.encode()) > MAX_BYTES:
        raise WitnessError(f"given more than {MAX_BYTES} bytes, expected a smaller counterexample")
    return text


def write(w: ModelWitness, path: str | os.PathLike[str]) -> None:
    """Write the file of a witness; WitnessError where it would be too large to be read again."""
    Path(path).write_text(dumps(w), encoding="utf-8")


def parse(data: bytes, name: str) -> ModelWitness:
    """The witness in the bytes of a file; WitnessError, in one line, where they hold none."""
    return parsed(_witness, data, name)


def _name(given: Any, where: str) -> str:
    fits = type(given) is str and 0 < len(given) <= MAX_NAME and given.isprintable()
    need(fits, where, given, "a name")
    return str(given)


def file_name(given: Any, where: str) -> str:
    """The name of a file that stands beside another: no path leads elsewhere."""
    name = _name(given, where)
    plain = name not in (".", "..") and not set(name) & set("/\\:")
    need(plain, where, given, "the name of a file, without a folder")
    return name


def _digest(given: Any, where: str) -> str:
    fits = type(given) is str and _DIGEST.fullmatch(given) is not None
    need(fits, where, given, "a SHA-256 as 64 hexadecimal digits")
    return str(given)


def _dyadic(given: Any, where: str) -> Fraction:
    value = fraction_of(TENSOR_DIGITS)(given, where)
    power = value.denominator & (value.denominator - 1) == 0
    need(power, where, given, "a denominator that is a power of two")
    return value


def _values(given: Any, where: str) -> Values:
    keys_of(given, where, TENSOR)
    shape, kind, entries = (given[k] for k in TENSOR)
    fits = isinstance(shape, list) and len(shape) <= MAX_RANK
    fits = fits and all(integer(s, 0, MAX_VALUES) for s in shape)
    need(fits, f"{where}.shape", shape, "a list of sizes")
    need(type(kind) is str and kind in TYPES, f"{where}.type", kind, f"one of: {', '.join(TYPES)}")
    count = math.prod(shape)
    need(count <= MAX_VALUES, f"{where}.shape", shape, f"at most {MAX_VALUES} entries")
    fits = isinstance(entries, list) and len(entries) == count
    need(fits, f"{where}.values", entries, f"a list of {count}")
    if kind == "real":
        found = [_dyadic(v, f"{where}.values[{k}]") for k, v in enumerate(entries)]
    else:
        low, high = (0, 1) if kind == "truth" else (-MAX_INTEGER, MAX_INTEGER)
        for k, v in enumerate(entries):
            need(integer(v, low, high), f"{where}.values[{k}]", v, f"an integer, {low} to {high}")
        found = [Fraction(v) for v in entries]
    return Values(tuple(shape), kind, tuple(found))


def _witness(data: Any) -> ModelWitness:
    keys_of(data, "file", KEYS)
    need(integer(data["version"], VERSION, VERSION), "version", data["version"], str(VERSION))
    need(data["format"] == FORMAT, "format", data["format"], FORMAT)
    n, sigma = data["n"], data["sigma"]
    need(integer(n, 1, MAX_N), "n", n, f"an integer, 1 to {MAX_N}")
    need_permutation(sigma, n)
    files, given = data["data"], data["inputs"]
    need(isinstance(files, dict) and len(files) <= 64, "data", files, "digests by names of files")
    fits = isinstance(given, dict) and 0 < len(given) <= MAX_INPUTS
    need(fits, "inputs", given, "tensors by names")
    inputs = {_name(k, "inputs"): _values(v, f"inputs.{k[:40]}") for k, v in given.items()}
    moving = data["moving"]
    fits = isinstance(moving, list) and len(moving) <= 2 * MAX_INPUTS
    need(fits, "moving", moving, "a list of pairs of an input and an axis")
    pairs = [_moving(m, f"moving[{k}]", inputs, n) for k, m in enumerate(moving)]
    first = _moving([data["input"], data["axis"]], "input and axis", inputs, n)
    need(len({first, *pairs}) == len(pairs) + 1, "moving", moving, "each axis once")
    output_axis, entry, bits = data["output_axis"], data["entry"], data["bits"]
    fits = isinstance(entry, list) and len(entry) <= MAX_RANK
    fits = fits and all(integer(k, 0, 10**6) for k in entry)
    need(fits, "entry", entry, "a list of indices")
    several = output_axis if isinstance(output_axis, list) else None
    own = [output_axis] if several is None else several
    fits = all(integer(k, 0, len(entry) - 1) for k in own)
    fits = fits and len(set(own)) == len(own)
    fits = output_axis is None or (fits and (several is None or len(several) > 1))
    need(fits, "output_axis", output_axis, "null, an axis of the entry, or a list of several")
    need(integer(bits, *BITS), "bits", bits, f"an integer, {BITS[0]} to {BITS[1]}")
    w = ModelWitness(
        file_name(data["model"], "model"), _digest(data["sha256"], "sha256"),
        tuple((file_name(k, "data"), _digest(v, f"data.{k[:40]}")) for k, v in files.items()),
        tuple(sigma), first[0], first[1], tuple(pairs), inputs, _name(data["output"], "output"),
        output_axis if several is None else tuple(several),
        tuple(entry), bits, enclosure_of(data["moved"], "moved"),
        enclosure_of(data["expected"], "expected"),
    )  # fmt: skip
    need(apart(w.moved, w.expected), "moved", data["moved"], "an enclosure apart from the other")
    need(data["claim"] == w.says(JSON), "claim", data["claim"], f"the sentence: {w.says(JSON)}")
    return w


def _moving(given: Any, where: str, inputs: Mapping[str, Values], n: int) -> tuple[str, int]:
    fits = isinstance(given, list) and len(given) == 2 and type(given[0]) is str
    fits = fits and given[0] in inputs
    need(fits, where, given, "a given input and an axis")
    name, axis = given
    shape = inputs[name].shape
    fits = integer(axis, 0, len(shape) - 1) and shape[axis] == n
    need(fits, where, given, f"an axis of size {n} of {clip(name)}")
    return name, axis
