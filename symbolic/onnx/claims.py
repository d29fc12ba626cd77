"""What is claimed of a model: its input changed in one way, and what its output then has to be.

Each claim changes inputs X into others, says what the output has to be there, given f(X), and which
of its entries are compared. A counterexample is an X at which some entry differs.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from orderproof.symbolic.witness.model_file import OutputAxis, axes_of

from .difference import Both
from .draws import permuted
from .graph import Array, Graph, Place
from .run import RunError

Inputs = Mapping[str, Array]
Entry = tuple[int, ...]


@dataclass(frozen=True)
class Permuted:
    """That σ on these axes of inputs moves the output along its axes (None: leaves it alone)."""

    moving: tuple[Place, ...]  # the first is the one in question
    output: str
    output_axis: OutputAxis
    sigma: tuple[int, ...]

    def changed(self, inputs: Inputs) -> dict[str, Array] | None:
        """PX; None where that is X."""
        return permuted(inputs, self.moving, self.sigma)

    def sizes(self, sizes: Mapping[str, int]) -> Mapping[str, int]:
        """Of the dynamic dimensions at PX: those at X."""
        return sizes

    def expected(self, y: Both, shape: tuple[int, ...]) -> Both:
        """P f(X), or f(X); the `shape` is that of f(PX)."""
        if any((a, len(self.sigma)) not in enumerate(shape) for a in axes_of(self.output_axis)):
            raise RunError(
                f"{len(self.sigma)} tokens are permuted, and the output has the shape "
                f"{list(shape)}, in which the axis has another length"
            )
        return y.taken(self.sigma, axes_of(self.output_axis))

    def source(self, entry: Entry) -> Entry:
        """The entry of f(X) with which one of f(PX) is compared."""
        axes = axes_of(self.output_axis)
        return tuple(self.sigma[k] if a in axes else k for a, k in enumerate(entry))

    def compared(self, shape: Sequence[int]) -> Array | None:
        """All entries."""
        return None


@dataclass(frozen=True)
class _Unmoved:
    """That a change of the inputs changes no entry of these rows of an output along its axis (None:
    of all of it)."""

    output: str
    output_axis: int | None
    rows: tuple[int, ...]  # of the output, that are compared

    def source(self, entry: Entry) -> Entry:
        """The entry of f(X) with which one of f(X′) is compared: the same."""
        return entry

    def compared(self, shape: Sequence[int]) -> Array | None:
        """Those in the rows."""
        if self.output_axis is None:
            return None
        found = np.zeros(shape, bool)
        np.moveaxis(found, self.output_axis, 0)[list(self.rows)] = True
        return found


@dataclass(frozen=True, eq=False)
class Replaced(_Unmoved):
    """That other contents of some rows of the inputs do not."""

    replaced: tuple[int, ...]  # rows
    contents: Mapping[Place, Array]  # of those rows, along the axes of these inputs
    last_only: bool = False  # in the last request alone, along axis 0

    def changed(self, inputs: Inputs) -> dict[str, Array] | None:
        """X′: the inputs with other contents in the rows; None where that is X."""
        found = dict(inputs)
        for (name, axis), contents in self.contents.items():
            x = found[name].copy()
            part = x[-1:] if self.last_only else x
            np.moveaxis(part, axis, 0)[list(self.replaced)] = np.moveaxis(contents, axis, 0)
            found[name] = x
        same = all(np.array_equal(found[name], inputs[name]) for name, _ in self.contents)
        return None if same else found

    def sizes(self, sizes: Mapping[str, int]) -> Mapping[str, int]:
        """Of the dynamic dimensions at X′: those at X."""
        return sizes

    def expected(self, y: Both, shape: tuple[int, ...]) -> Both:
        """f(X)."""
        return y


@dataclass(frozen=True)
class Shortened(_Unmoved):
    """That leaving out all but the first rows of the inputs does not."""

    kept: int
    places: tuple[Place, ...]  # every axis that has as many rows
    names: tuple[str, ...]  # of those dimensions

    def changed(self, inputs: Inputs) -> dict[str, Array]:
        """X′: the first rows of the inputs."""
        found = dict(inputs)
        for name, axis in self.places:
            found[name] = np.take(found[name], range(self.kept), axis)
        return found

    def sizes(self, sizes: Mapping[str, int]) -> Mapping[str, int]:
        """Of the dynamic dimensions at X′."""
        return {**sizes, **dict.fromkeys(self.names, self.kept)}

    def expected(self, y: Both, shape: tuple[int, ...]) -> Both:
        """The first rows of f(X), along each axis that f(X′) has so many rows of."""
        pairs = enumerate(zip(y.y64.shape, shape, strict=False))
        return y.taken(range(self.kept), [a for a, (n, m) in pairs if n > m == self.kept])


Claim = Permuted | Replaced | Shortened


def names_of(graph: Graph, places: Iterable[Place]) -> tuple[str, ...]:
    """The names of these axes of inputs, of those that have no fixed size, in order."""
    dims = set(map(graph.dim, places))
    return tuple(sorted(d for d in dims if isinstance(d, str)))


def places_of(graph: Graph, names: Container[str]) -> tuple[Place, ...]:
    """Every axis of an input that has one of the names."""
    dims = ((t.name, k, d) for t in graph.inputs.values() for k, d in enumerate(t.dims))
    return tuple((name, k) for name, k, d in dims if d in names)
