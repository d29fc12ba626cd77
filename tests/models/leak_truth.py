"""The truth about the bank of leaks: forbidden rows changed one at a time in onnxruntime, n <= 5.

`python -m tests.models.leak_truth` measures every model, prints what it found, and ends with 1
where that is not what leaks.py declares. A forbidden row that is changed must leave an output row
as it was, bit for bit; the first m rows alone must give what they give in the longer run, up to
rounding. It shares no code with what is tested by the bank.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnxruntime.capi import onnxruntime_pybind11_state as errors

from tests.models.doubles import in_double
from tests.models.leaks import LEAKS, VOCABULARY, Leak

Array = NDArray[Any]
Inputs = dict[str, Array]
Random = np.random.Generator
Deviations = tuple[float, float | None]  # by contents and by number; None if the axis has one size
# A deviation, relative to the output's largest entry, counts as dependence above SEEN, as none up
# to SAME; a model between the two is refused.
SEEN = 1e-5
SAME = {"contents": 0.0, "number": 1e-6}
SCALES = ((1, 1), (1, 30), (30, 30))  # of the reals that are drawn, and of those that replace them
SIZES = (2, 3, 4, 5)
OTHERS = {"b": 2, "n": 3, "t": 3, "p": 2}  # sizes of the axes that are not asked about


class BankError(Exception):
    """A model that cannot be measured, or is not what was declared: in one line."""


def place(text: str) -> tuple[str, int]:
    """x:1 as the input x and its axis 1."""
    name, axis = text.split(":")
    return name, int(axis)


def draw(shape: Sequence[int], dtype: Any, scale: float, random: Random) -> Array:
    """Reals, numbers of tokens, or bits."""
    if np.dtype(dtype).kind == "f":
        return (scale * random.normal(size=shape)).astype(dtype)
    return random.integers(VOCABULARY if dtype == np.int64 else 2, size=shape).astype(dtype)


def hidings(ask: str, n: int, random: Random) -> Iterator[Array]:
    """What a mask or ids may be: True for real tokens, of which there is one; 1, 1, 2, ..."""
    if ask == "padding":
        yield from (np.arange(n) < m for m in range(1, n))
        yield random.permutation(np.arange(n) < (n + 1) // 2)
    elif ask == "documents":
        yield from (np.cumsum(np.arange(n) % m == 0) for m in (1, 2, 3))
        yield np.cumsum(random.random(n) < 0.5) + 3
    else:
        yield np.ones(n, bool)


def forbidden(ask: str, hiding: Array) -> Array:
    """Whether output row i must not depend on input row j, by [i, j]."""
    n = len(hiding)
    match ask:
        case "causal":
            return np.triu(np.ones((n, n), bool), 1)
        case "isolated":
            return ~np.eye(n, dtype=bool)
        case "padding":  # what the output has at a masked token is of no interest
            return np.outer(hiding, ~hiding)
    return np.asarray(hiding[:, None] != hiding)


def prefixes(ask: str, hiding: Array) -> list[int]:
    """The m for which the first m rows must do without the rest, which is masked or of others."""
    every = range(1, len(hiding))
    if ask == "padding":
        return [m for m in every if not hiding[m:].any()]
    if ask == "documents":
        return [m for m in every if hiding[m - 1] != hiding[m]]
    return list(every)


# What onnxruntime raises of a model that has an operator without a kernel in float64.
NO_KERNEL = (errors.InvalidGraph, errors.NotImplemented, errors.RuntimeException)


class Bench:
    """A model in onnxruntime, in one arithmetic, and how far rows of its outputs deviate."""

    def __init__(self, leak: Leak, model: onnx.ModelProto) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 4
        self.leak, graph = leak, model.graph
        self.session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        kinds = {v.name: v.type.tensor_type for v in (*graph.input, *graph.output)}
        self.dims = {k: [d.dim_param or d.dim_value for d in v.shape.dim] for k, v in kinds.items()}
        self.types = {
            v.name: onnx.helper.tensor_dtype_to_np_dtype(kinds[v.name].elem_type)
            for v in graph.input
        }
        name, axis = place(leak.axis)
        self.dim = self.dims[name][axis]  # a name, or a number where there is one size
        self.changed = [place(text) for text in (leak.axis, *leak.options.get("along", ()))]
        self.hiding = [place(leak.options[k]) for k in ("mask", "ids") if k in leak.options]
        wanted = leak.options.get("output")
        self.outputs = [
            (v.name, self.dims[v.name].index(self.dim) if self.dim in self.dims[v.name] else None)
            for v in graph.output
            if wanted in (None, v.name)
        ]

    def inputs(self, hiding: Array, scale: float, random: Random) -> Inputs:
        """Inputs for an axis as long as the mask or the ids, which all of the batch have."""
        sizes = OTHERS | {self.dim: len(hiding)}
        found = {}
        for name, dtype in self.types.items():
            shape = [d if isinstance(d, int) else sizes[d] for d in self.dims[name]]
            found[name] = draw(shape, dtype, scale, random)
            if name in dict(self.hiding):
                masked = self.leak.options.get("masked", 0)
                values = np.where(hiding, not masked, masked) if hiding.dtype == bool else hiding
                found[name] = np.broadcast_to(values, shape).astype(dtype)
        return found

    def run(self, inputs: Inputs) -> list[Array]:
        """The outputs that are looked at."""
        found: list[Array] = self.session.run([name for name, _ in self.outputs], inputs)
        if not all(np.isfinite(value).all() for value in found):
            raise BankError(f"{self.leak.name}: an output is not finite")
        return found

    def measure(self) -> Deviations:
        """The largest deviations over all forbidden pairs, prefixes and sizes."""
        random, ask = np.random.default_rng(7), self.leak.ask
        fixed = isinstance(self.dim, int)
        contents = number = 0.0
        for n in [self.dim] if fixed else SIZES:
            for scale, other_scale in SCALES:
                for hiding in hidings(ask, n, random):
                    inputs = self.inputs(hiding, scale, random)
                    whole, unseen = self.run(inputs), forbidden(ask, hiding)
                    for j in np.flatnonzero(unseen.any(axis=0)).tolist():
                        other = self.run(self.replaced(inputs, j, other_scale, random))
                        contents = max(contents, *self.apart(whole, other, unseen[:, j]))
                    for m in [] if fixed else prefixes(ask, hiding):
                        # Nobody has id 0: of documents, all rows of the prefix are compared.
                        short = self.run(self.cut(inputs, m))
                        number = max(number, *self.apart(whole, short, hiding[:m] != 0))
        return contents, None if fixed else number

    def replaced(self, inputs: Inputs, j: int, scale: float, random: Random) -> Inputs:
        """The inputs with other values in row j."""
        found = dict(inputs)
        for name, axis in self.changed:
            rows = np.moveaxis(inputs[name].copy(), axis, 0)
            rows[j] = draw(rows[j].shape, rows.dtype, scale, random)
            found[name] = np.moveaxis(rows, 0, axis)
        return found

    def cut(self, inputs: Inputs, m: int) -> Inputs:
        """The first m rows alone."""
        moved = dict([*self.changed, *self.hiding])
        return {
            name: np.take(value, range(m), axis=moved[name]) if name in moved else value
            for name, value in inputs.items()
        }

    def apart(self, whole: list[Array], other: list[Array], rows: Array) -> Iterator[float]:
        """For each output how far these rows deviate; all of it, where it has no such axis."""
        for (_, axis), one, two in zip(self.outputs, whole, other, strict=True):
            largest = np.abs(one).max()
            if not largest > 0:
                raise BankError(f"{self.leak.name}: an output is nothing but zeros")
            if axis is not None:
                one, two = (np.take(value, np.flatnonzero(rows), axis) for value in (one, two))
            yield float(np.abs(one - two).max() / largest)


def measured(leak: Leak, path: Path) -> dict[str, Deviations]:
    """The deviations in float32, and in float64 where onnxruntime has the kernels."""
    model = onnx.load(path)
    found = {"float32": Bench(leak, model).measure()}
    with suppress(*NO_KERNEL):
        found["float64"] = Bench(leak, in_double(model)).measure()
    return found


def concluded(name: str, part: str, deviations: Sequence[float | None]) -> bool | None:
    """Whether these deviations mean dependence; raises BankError where they leave it open."""
    seen = {None if d is None else d > SEEN for d in deviations}
    if len(seen) > 1 or any(d is not None and SAME[part] < d <= SEEN for d in deviations):
        raise BankError(f"{name}: {part}: between, or at odds: {deviations}")
    return seen.pop()


def truth(leak: Leak, found: Mapping[str, Deviations]) -> tuple[bool | None, bool | None]:
    """Whether a row depends on contents and on number of what it must not see; raises BankError
    where that is not what was declared."""
    by_part = zip(SAME, zip(*found.values(), strict=True), strict=True)
    contents, number = (concluded(leak.name, part, every) for part, every in by_part)
    if (contents, number) != (leak.contents, leak.number):
        declared = f"declared {leak.contents}, {leak.number}"
        raise BankError(f"{leak.name}: {declared}; measured {contents}, {number}")
    return contents, number


def main() -> int:
    """Print what is measured of every model; 1 if one is not as declared."""
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        for leak in LEAKS:
            try:
                found = measured(leak, leak.write(Path(folder)))
                for arithmetic, both in found.items():
                    shown = "  ".join("one size" if d is None else f"{d:8.1e}" for d in both)
                    declared = f"declared {leak.contents!s:5} {leak.number!s:5}"
                    print(f"{leak.name:32} {arithmetic} {shown}  {declared} {leak.broken}")
                truth(leak, found)
            except BankError as problem:
                print(problem)
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
