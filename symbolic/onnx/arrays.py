"""The value of a model's term at given sizes, on arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from orderproof.symbolic.calculus.terms import Term, reachable
from orderproof.symbolic.readings.numpy_arrays import Floats, arrays

from .atoms import Atoms, Size
from .graph import Array
from .reader import Reader
from .values import Leaf, Realised, Tensor

# ------------------------------------------------------------- zeros and ones that choose places
# An embedding is Σᵥ [index = v] xᵥ in a term: theorems about renamed tokens are about that sum. On
# arrays it is x at the indices, so that a table of 250,000 rows is neither multiplied nor
# converted. Rows that no index chooses have no say then, as in the model: 0 · ∞ would be no number.


@dataclass(frozen=True)
class Chosen:
    """[index = v] for v = 0, …, size − 1 along one axis: all zeros where the index is outside."""

    index: Array  # of size 1 along the axis
    axis: int
    size: int

    def whole(self, dtype: Any) -> Array:
        """The zeros and ones."""
        shape = [self.size if k == self.axis else 1 for k in range(self.index.ndim)]
        return np.asarray(self.index == np.arange(self.size).reshape(shape), dtype=dtype)

    def sum_with(
        self, own: str, x: Array, other: str, out: str, numbers: Callable[[Array], Array]
    ) -> Array | None:
        """The sum of products with x, the axes of both and of the result named by letters as einsum
        has them; None where it does not run over all the places. Of x what is chosen alone is made
        `numbers`, before it is summed."""
        v = own[self.axis]
        if v in out or v not in other or x.shape[other.index(v)] != self.size:
            return None
        left, more = own.replace(v, ""), [k for k in other if k not in own]
        axes = [*left, *more]
        index = np.squeeze(self.index, self.axis)[(..., *[None] * len(more))]
        inside = (index >= 0) & (index < self.size) & (index == np.floor(index))
        at = np.where(inside, index, 0).astype(np.intp)
        places = tuple(
            at if k == v else np.arange(n).reshape([-1 if k == axis else 1 for axis in axes])
            for k, n in zip(other, x.shape, strict=True)
        )
        rows = np.where(inside, numbers(x[places]), 0)
        return np.asarray(np.einsum(f"{''.join(axes)}->{out}", rows))


def ones_at(index: Array, places: Array, size: Array) -> Chosen | Array:
    """[index = place], an index below 0 counted from the end; places and size have the rank of the
    index."""
    counted = np.where(index < 0, index + size, index)
    long = [k for k, n in enumerate(places.shape) if n > 1]
    every = np.arange(places.size, dtype=places.dtype)
    if len(long) == 1 and counted.shape[long[0]] == 1 and np.array_equal(places.ravel(), every):
        return Chosen(counted, long[0], places.size)
    return np.asarray(counted == places, dtype=places.dtype)


# ------------------------------------------------------------------------------ values of terms
class ModelFloats(Floats):
    """Arrays of one dtype, with the functions that a model's operators name; sums over several axes
    are done at once, as the operators do them. Leaves have this dtype once they are used: of a
    table of which rows are chosen, only these."""

    joint = True

    def __init__(self, dtype: Any, functions: Mapping[str, Callable[..., Any]]) -> None:
        super().__init__(dtype)
        every = {**Floats.functions, **functions}
        self.functions = {name: self.function(name, f) for name, f in every.items()}

    def function(self, name: str, f: Callable[..., Any]) -> Callable[..., Any]:
        """A function of an operator as it is called on values of this reading."""
        return f

    def given(self, leaf: Leaf, values: Array) -> Array:
        """What a leaf is in this reading."""
        return values

    def leaf(self, values: Array) -> Array:
        return values

    def map(self, function: Callable[[Array], Array], value: Array | Chosen) -> Array:
        return function(self._numbers(value))

    def contract(self, subscripts: str, a: Array | Chosen, b: Array | Chosen) -> Array:
        axes, out = subscripts.split("->")
        one, other = axes.split(",")
        for x, own, y, its in ((a, one, b, other), (b, other, a, one)):
            if isinstance(x, Chosen) and not isinstance(y, Chosen):
                found = x.sum_with(own, y, its, out, self._numbers)
                if found is not None:
                    return found
        return self._products(subscripts, a, b)

    def _products(self, subscripts: str, a: Array | Chosen, b: Array | Chosen) -> Array:
        return super().contract(subscripts, self._numbers(a), self._numbers(b))

    def _numbers(self, value: Array | Chosen) -> Array:
        if isinstance(value, Chosen):
            return value.whole(self.dtype)
        return np.asarray(value, dtype=self.dtype)


@dataclass
class Evaluator:
    """A reading of a graph at given sizes of its dynamic dimensions. `fetch` gives the value there
    of an input or a constant of the graph."""

    reader: Reader
    realised: Realised
    sizes: Mapping[str, int]
    fetch: Callable[[str], Array]
    fetched: dict[str, Array] = field(default_factory=dict)
    asked: set[Size] = field(default_factory=set)  # of the arrays made since it was emptied
    numbers: dict[Size, int] = field(default_factory=dict)  # few sizes, of thousands of atoms

    def size(self, size: Size) -> int:
        """A size as a number; ValueError where it is none."""
        self.asked.add(size)
        if size not in self.numbers:
            self.numbers[size] = number(self.reader.atoms, size, self.sizes)
        return self.numbers[size]

    def source(self, name: str) -> Array:
        """A tensor of the graph."""
        if name not in self.fetched:
            self.fetched[name] = np.asarray(self.fetch(name))
        return self.fetched[name]

    def leaf(self, leaf: Leaf) -> Array:
        """A free tensor of the term, with an axis for each atom."""
        source = self.source(leaf.source) if leaf.source else None
        value = leaf.table(source, self.size) if leaf.table else source
        atoms = self.reader.atoms
        shape = [self.size(a.size) for d in leaf.dims for a in atoms.resolve(d)]
        if leaf.role == "constant" and source is not None:
            # where it has no entries at all, what stands for them does not matter
            value = source[along(leaf)] if source.size else np.zeros(shape, source.dtype)
        return np.asarray(value).reshape(shape)

    def set_sizes(self) -> dict[str, int]:
        """The size of each index set, by name."""
        atoms = self.reader.atoms
        return {
            atoms.name(a): number(atoms, a.size, self.sizes)
            for a in atoms.every
            if a.parent is None and not a.factors and not a.parts
        }

    def places(self) -> dict[str, int]:
        """The constants of index sets, as positions."""
        return {name: self.size(place) for name, place in self.realised.maps.items()}

    def term(self, term: Term, dtype: Any, reading: type[ModelFloats] = ModelFloats) -> Array:
        """The value of a term, in the order of its axes."""
        to = reading(dtype, self.reader.functions)
        leaves = {n.op: self.realised.leaves.get(n.op) for n in reachable(term.node)}
        tensors: dict[str, Any] = {
            op.data[0]: to.given(leaf, self.leaf(leaf)) for op, leaf in leaves.items() if leaf
        }
        tensors |= {name: to.function(name, f) for name, f in self.reader.opaque.items()}
        with np.errstate(all="ignore"):
            found = arrays(term, self.set_sizes(), self.places(), tensors, to)
        return np.asarray(found)

    def value(
        self, tensor: Tensor, term: Term, dtype: Any, reading: type[ModelFloats] = ModelFloats
    ) -> Array:
        """The value of a tensor's term, with the tensor's dimensions."""
        atoms = self.reader.atoms
        found = self.term(term, dtype, reading)
        axes = [a for i, d in enumerate(tensor.dims) for a in self.realised.axes(d, i)]
        order = [term.axes.index(a) for a in axes if a in term.axes]
        where = tuple(slice(None) if a in term.axes else None for a in axes)
        shape = [self.size(a.size) for d in tensor.dims for a in atoms.resolve(d)]
        full = np.broadcast_to(np.transpose(found, order)[where], shape)
        return np.reshape(full, [self.size(atoms.size(d)) for d in tensor.dims])


def along(leaf: Leaf) -> tuple[slice, ...]:
    """The part of a constant of the graph that is its leaf: along each dimension that the leaf has
    not, the first entry alone."""
    return tuple(slice(None) if dim else slice(0, 1) for dim in leaf.dims)


def number(atoms: Atoms, size: Size, sizes: Mapping[str, int], *, signed: bool = False) -> int:
    """A size at given sizes of dynamic dimensions; ValueError where it is no whole number; nor
    negative, unless `signed`."""
    value = atoms.canonical(size)
    if value.is_Symbol:
        return sizes[value.name]
    if not value.is_Integer:
        value = value.subs({s: sizes[s.name] for s in value.free_symbols})
    if not value.is_Integer or (value < 0 and not signed):
        raise ValueError(f"size {size}: given {dict(sizes)}, expected a whole number")
    return int(value)
