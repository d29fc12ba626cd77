"""What a person gives: arrays for the inputs of a model, an axis of them, a permutation.

Files are data: nothing in them is unpickled, and what they claim to hold is compared with their
size before memory is asked for. Every mistake is a ModelError of one line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderproof.symbolic.counting import indices
from orderproof.symbolic.onnx.decide import place_of
from orderproof.symbolic.onnx.graph import Graph, ModelError, Tensor
from orderproof.symbolic.onnx.tensors import MAX_ENTRIES

Array = NDArray[Any]
Place = tuple[str, int]


@dataclass(frozen=True)
class Given:
    """The inputs, the axes that σ moves, the first of them asked about, and σ from 0:
    (PX)_i = X_σ(i)."""

    inputs: Mapping[str, Array]
    axes: tuple[Place, ...]
    sigma: tuple[int, ...]

    def moved(self, sigma: Sequence[int] | None = None) -> dict[str, Array]:
        """PX: the inputs with σ, or another permutation, acting on the axes."""
        found = dict(self.inputs)
        for name, axis in self.axes:
            found[name] = np.take(found[name], list(sigma or self.sigma), axis)
        return found


def given(
    graph: Graph,
    files: Sequence[str],
    axis: str | None = None,
    along: Sequence[str] = (),
    sigma: str | None = None,
    seed: int = 0,
) -> Given:
    """The question about a model, from the texts of a command line: `files` as NAME=FILE, or FILE
    alone where there is one input; σ as σ(1), …, σ(n) or as JSON counts, or else a random one."""
    inputs = _inputs(graph, files)
    asked = _asked(graph, inputs) if axis is None else _place(graph, axis, "--axis")
    axes = (asked, *(_place(graph, text, "--with") for text in along))
    if len(set(axes)) < len(axes):
        raise ModelError("--with: given an axis twice, expected each once")
    sizes = [inputs[name].shape[k] for name, k in axes]
    if len(set(sizes)) > 1 or sizes[0] < 2:
        shown = ", ".join(f"{n}:{k} of size {s}" for (n, k), s in zip(axes, sizes, strict=True))
        raise ModelError(f"given {shown}, expected axes of one size of at least 2")
    found = Given(inputs, axes, _sigma(sigma, seed, sizes[0]))
    moved = found.moved()
    if all(np.array_equal(moved[name], inputs[name]) for name, _ in axes):
        expected = "--sigma that changes it" if sigma is not None else "another --seed, or --sigma"
        raise ModelError(
            f"given an input that the permutation leaves as it is, expected {expected}"
        )
    return found


def _sigma(text: str | None, seed: int, n: int) -> tuple[int, ...]:
    """The permutation that was given; or a random one that moves something."""
    if text is None:
        random = np.random.default_rng(seed)
        while True:
            found = tuple(int(k) for k in random.permutation(n))
            if found != tuple(range(n)):
                return found
    try:
        asked = indices([int(part) for part in text.split(",")], n)
    except ValueError:
        asked = None
    if asked is None or asked == tuple(range(n)):
        raise ModelError(
            f"--sigma: given {text[:40]!r}, expected a permutation of 1, …, {n} that moves one, "
            "as 2,1,3 for 3 tokens"
        )
    return asked


def _place(graph: Graph, text: str, what: str) -> Place:
    name, k = place_of(graph, text, what)
    if k < 0:
        raise ModelError(f"{what}: given {text[:60]!r}, expected INPUT:K: no values are renamed")
    return name, k


def _asked(graph: Graph, inputs: Mapping[str, Array]) -> Place:
    """The dynamic axis that the inputs have something to permute on, where there is one."""
    found = [
        (name, k)
        for name, t in graph.inputs.items()
        for k, d in enumerate(t.dims)
        if isinstance(d, str) and inputs[name].shape[k] > 1
    ]
    if len(found) != 1:
        shown = ", ".join(f"{name}:{k}" for name, k in found) or "none"
        raise ModelError(
            "expected --axis INPUT:K, an axis to permute; dynamic, and of size 2 or more: " + shown
        )
    return found[0]


# ---------------------------------------------------------------------------------------- files
def _inputs(graph: Graph, files: Sequence[str]) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for text in files:
        name, file = _named(graph, text)
        if name in found:
            raise ModelError(f"--input: given {name} twice, expected it once")
        found[name] = read(file)
    missing = [name for name in graph.inputs if name not in found]
    if missing:
        raise ModelError(f"--input: given no {missing[0]!r}, expected {missing[0]}=FILE.npy")
    sizes: dict[str, tuple[int, str]] = {}
    for name, t in graph.inputs.items():
        _fits(t, found[name], sizes)
    return found


def _named(graph: Graph, text: str) -> tuple[str, str]:
    for name in sorted(graph.inputs, key=len, reverse=True):
        if text.startswith(f"{name}="):
            return name, text[len(name) + 1 :]
    known = ", ".join(graph.inputs)
    if "=" in text and not Path(text).exists():
        raise ModelError(f"--input: given {text[:60]!r}, expected NAME=FILE.npy, NAME of: {known}")
    if len(graph.inputs) != 1:
        raise ModelError(
            f"--input: given {text[:60]!r}, expected NAME=FILE.npy, as there are several: {known}"
        )
    return next(iter(graph.inputs)), text


def read(file: str) -> Array:
    """The array in a .npy file; ModelError where there is none."""
    path = Path(file)
    try:
        if not path.is_file():
            raise ModelError(
                f"--input: given {file[:80]!r}, which is no file, expected a .npy file"
            )
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)  # maps no more than the file has
        if not isinstance(mapped, np.ndarray):
            mapped.close()
            raise ModelError(f"--input: given {file[:80]!r}, several arrays, expected a .npy file")
        if mapped.size > MAX_ENTRIES:
            raise ModelError(f"--input: given {mapped.size:,} numbers, expected {MAX_ENTRIES:,}")
        return np.array(mapped)
    except ModelError:
        raise
    except OSError as e:
        raise ModelError(f"--input: {file[:80]}: cannot be read ({e.strerror})") from None
    except Exception:  # NumPy has many for what is no such file, and for objects that are pickled
        raise ModelError(
            f"--input: given {file[:80]!r}, expected a .npy file of plain numbers, nothing pickled"
        ) from None


def _fits(t: Tensor, x: Array, sizes: dict[str, tuple[int, str]]) -> None:
    """ModelError unless x is what the model takes; the sizes of its named dimensions are noted."""
    what = f"--input: {t.name}"
    if x.dtype != t.dtype:
        raise ModelError(f"{what}: given {x.dtype.name}, expected {t.dtype.name}")
    shown = f"[{', '.join(map(str, t.dims))}]"
    fits = len(t.dims) == x.ndim and all(
        isinstance(d, str) or d == s for d, s in zip(t.dims, x.shape, strict=True)
    )
    if not fits:
        raise ModelError(f"{what}: given the shape {list(x.shape)}, expected {shown}")
    for d, s in zip(t.dims, x.shape, strict=True):
        if isinstance(d, str) and sizes.setdefault(d, (s, t.name))[0] != s:
            other, where = sizes[d]
            raise ModelError(f"{what}: given {d} = {s}, expected {other}, as in {where}")
    if not x.size:
        raise ModelError(f"{what}: given the shape {list(x.shape)}, expected numbers in it")
    if x.dtype.kind in "fc" and np.isnan(x).any():
        raise ModelError(f"{what}: given NaN, expected numbers")
