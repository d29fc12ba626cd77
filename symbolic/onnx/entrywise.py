"""Tensors from tensors: functions entry by entry, sums of products, reductions.

Each way says which dimensions must be one set, and how the term is built once all such demands are
known. Operators (in operators/) are written with these alone, and with those of the files that
stand on this one: dimensions.py and build.py.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from orderproof.symbolic.calculus.terms import Op, Term, build
from orderproof.symbolic.models import builders as b
from orderproof.symbolic.models.attention import softmax_definition

from .atoms import Atoms, Dim, Mismatch, Size, Whole
from .pieces import Labels, labelled, pairs
from .values import Constant, Leaf, Realised, TableAt, Tensor


@dataclass
class Entrywise(ABC):
    """The atoms of one reading, and what its terms are made of."""

    atoms: Atoms = field(default_factory=Atoms)
    functions: dict[str, Callable[..., Any]] = field(default_factory=dict)  # by name, on arrays
    opaque: dict[str, Callable[..., Any]] = field(default_factory=dict)
    node: str = ""  # the call that is being read
    asked: Dim = ()  # the axis that a question is about
    identify: bool = False  # whether constants as long as that axis are over its set
    cuts: set[Size] = field(default_factory=set)  # positions at which that axis is sliced
    tables: list[Tensor] = field(default_factory=list)  # that operators make

    def tensor(
        self,
        dims: Sequence[Dim],
        parts: Sequence[Tensor],
        make: Callable[[Realised, list[Term]], Term],
        varies_along: Sequence[bool],
        kind: str = "f",
    ) -> Tensor:
        """A tensor, noting the call that made it."""
        return Tensor(tuple(dims), tuple(parts), make, tuple(varies_along), kind, node=self.node)

    def sizes(self, t: Tensor) -> tuple[Size, ...]:
        """The size of each dimension."""
        return tuple(self.atoms.size(d) for d in t.dims)

    # ------------------------------------------------------------------------------- leaves
    def leaf(self, name: str, leaf: Leaf, kind: str = "f") -> Tensor:
        """A free tensor: an input, a constant, a table."""
        return self.tensor(
            leaf.dims, (), lambda r, _: r.leaf(name, leaf), [bool(d) for d in leaf.dims], kind
        )

    def constant(self, c: Constant) -> Tensor:
        """A constant as a leaf, over sets of its own: without the axes along which no entry
        differs."""
        dims = tuple(
            self.set_of(s, f"{_short(c.name)}.{k}" if not s.is_Integer else f"d{s}")
            for k, s in enumerate(c.sizes)
        )
        axes = [d if varies else () for d, varies in zip(dims, c.varies_along, strict=True)]
        leaf = Leaf(c.name, "constant", tuple(axes))
        return self.tensor(
            dims, (), lambda r, _: r.leaf(c.name, leaf), [bool(a) for a in axes], c.kind
        )

    def set_of(self, size: Size, hint: str) -> Dim:
        """A dimension of a constant."""
        return self.fresh(size, hint) if self.identify else self.atoms.new(size, hint)

    def identity_matrix(
        self, size: Size, rank: int, row: int, column: int, kind: str = "f"
    ) -> Tensor:
        """δ along two of so many dimensions, the others of size 1."""
        dim = self.set_of(size, "places")
        dims = [dim if k in (row, column) else () for k in range(rank)]

        def make(r: Realised, _: list[Term]) -> Term:
            sets = r.axes(dim, row)
            return b.multiply(
                b.number(1), *(b.delta(s, (row, k), (column, k)) for (_, k), s in sets.items())
            )

        return self.tensor(dims, (), make, [bool(d) for d in dims], kind)

    def table(
        self,
        name: str,
        dims: Sequence[Dim],
        values: TableAt,
        source: str = "",
    ) -> Tensor:
        """A table that the operator makes: of sizes alone, or of a constant of the graph."""
        self.tables.append(self.leaf(name, Leaf(source, "table", tuple(dims), values)))
        return self.tables[-1]

    def number(self, value: Fraction | int) -> Tensor:
        """A rational number."""
        return self.tensor((), (), lambda r, _: b.number(value), ())

    # ------------------------------------------------------------------- entry by entry, and sums
    def function(
        self, name: str, *parts: Tensor, of: Callable[..., Any] | None = None, kind: str = "f"
    ) -> Tensor:
        """A real function entry by entry, with broadcasting; `of` computes it on arrays."""
        rank = max((len(t.dims) for t in parts), default=0)
        labels = [range(rank - len(t.dims), rank) for t in parts]
        return self.pointwise(name, parts, labels, range(rank), of, kind)

    def pointwise(
        self,
        name: str,
        parts: Sequence[Tensor],
        labels: Sequence[Labels],
        out: Labels,
        of: Callable[..., Any] | None = None,
        kind: str = "f",
        over: Sequence[tuple[Any, Dim]] = (),
    ) -> Tensor:
        """A function of entries, each part's dimensions named by labels: dimensions of one label
        are one, and where a label stands twice in one part, its diagonal is taken. `out` orders the
        labels; over those that are not in `out` the values are summed. `over` gives dimensions of
        labels that no part may have."""
        if of is not None:
            self.functions.setdefault(name, of)
        parts, dims = self._labelled(parts, labels, over)
        varies_along: set[Any] = set()
        for t, own in zip(parts, labels, strict=True):
            varies_along |= {x for x, c in zip(own, t.varies_along, strict=True) if c}
        summed = [x for x in dims if x not in out]

        def make(r: Realised, terms: list[Term]) -> Term:
            named = [labelled(t, own) for t, own in zip(terms, labels, strict=True)]
            whole = b.pointwise(name, *named) if name else b.multiply(*named)
            for x in summed:
                for axis, s in r.axes(dims[x], x).items():
                    whole = b.reduce("sum", whole, axis, s)
            place = {x: i for i, x in enumerate(out)}
            return whole.rename({(x, k): (place[x], k) for x, k in pairs(whole)})

        return self.tensor(
            [dims.get(x, ()) for x in out], parts, make, [x in varies_along for x in out], kind
        )

    def _labelled(
        self,
        parts: Sequence[Tensor],
        labels: Sequence[Labels],
        over: Sequence[tuple[Any, Dim]],
    ) -> tuple[list[Tensor], dict[Any, Dim]]:
        """The dimension of each label, size 1 giving way to any other; and the parts. A part whose
        dimension is made of other sets, of the same size, is put over the label's."""
        found, dims = list(parts), dict(over)
        every = [
            (x, d)
            for t, own in zip(parts, labels, strict=True)
            for x, d in zip(own, t.dims, strict=False)
        ]
        for x, d in every:
            atoms = self.atoms.resolve(d)
            if len(atoms) == 1 and atoms[0].whole:
                dims.setdefault(x, d)
        for k, own in enumerate(labels):
            for i, x in enumerate(own):
                dim = found[k].dims[i]
                if not self.atoms.resolve(dim):
                    dims.setdefault(x, ())
                elif not dims.get(x):
                    dims[x] = dim
                else:
                    try:
                        self.atoms.unify(dims[x], dim)
                    except (Whole, Mismatch):
                        if self.atoms.size(dims[x]) != self.atoms.size(dim):
                            raise
                        found[k] = self.put_over(found[k], i, dims[x])
        return found, dims

    @abstractmethod
    def put_over(self, t: Tensor, dim: int, new: Dim) -> Tensor:
        """The same with a dimension over other sets of the same size: position k at position k.
        It is a choice of places, which build.py has."""

    def fresh(self, size: Size, hint: str) -> Dim:
        """A dimension that a choice makes: over the axis in question where it has as many places,
        position k being position k, else over a set of its own."""
        size = self.atoms.canonical(size)
        if self.asked and size.free_symbols and size == self.atoms.size(self.asked):
            return self.asked
        return self.atoms.new(size, hint)

    def einsum(self, parts: Sequence[Tensor], labels: Sequence[Labels], out: Labels) -> Tensor:
        """Sums of products, as einsum has them."""
        return self.pointwise("", parts, labels, out, kind=parts[0].kind)

    def matmul(self, x: Tensor, y: Tensor) -> Tensor:
        """The product of stacks of matrices, as NumPy's matmul has it."""
        if len(x.dims) == 1 or len(y.dims) == 1:
            rows = ["i"] if len(x.dims) > 1 else []
            columns = ["k"] if len(y.dims) > 1 else []
            rank = max(len(x.dims), len(y.dims)) - 2
            lx = [*range(rank - len(x.dims) + 2, rank), *rows, "j"][-len(x.dims) :]
            ly = [*range(rank - len(y.dims) + 2, rank), "j", *columns][-len(y.dims) :]
            return self.einsum([x, y], [lx, ly], [*range(max(rank, 0)), *rows, *columns])
        rank = max(len(x.dims), len(y.dims)) - 2
        lx, ly = ([*range(rank - len(t.dims) + 2, rank)] for t in (x, y))
        return self.einsum([x, y], [[*lx, "i", "j"], [*ly, "j", "k"]], [*range(rank), "i", "k"])

    # --------------------------------------------------------------------------- reductions
    def reduce(self, kind: str, t: Tensor, dims: Sequence[int], keep: bool = True) -> Tensor:
        """sum, prod, max or min over dimensions."""
        left = [i for i in range(len(t.dims)) if keep or i not in dims]
        place = {i: k for k, i in enumerate(left)}

        def make(r: Realised, terms: list[Term]) -> Term:
            (whole,) = terms
            for i in dims:
                for axis, s in r.axes(t.dims[i], i).items():
                    whole = b.reduce(kind, whole, axis, s)
            return whole.rename({(i, k): (place[i], k) for i, k in pairs(whole)})

        new = [() if i in dims else t.dims[i] for i in left]
        return self.tensor(
            new, [t], make, [i not in dims and t.varies_along[i] for i in left], t.kind
        )

    def count(self, dims: Sequence[Dim]) -> Tensor:
        """How many entries there are over some dimensions."""

        def make(r: Realised, _: list[Term]) -> Term:
            sets = [r.atoms.set(a) for d in dims for a in r.atoms.resolve(d)]
            return b.multiply(b.number(1), *map(b.size, sets)) if sets else b.number(1)

        return self.tensor((), (), make, ())

    def mean(self, t: Tensor, dims: Sequence[int], keep: bool = True) -> Tensor:
        """The mean over dimensions."""
        total = self.reduce("sum", t, dims, keep)
        return self.function("div", total, self.count([t.dims[i] for i in dims]))

    def softmax(self, t: Tensor, dim: int) -> Tensor:
        """The softmax over a dimension, as the definition that theorems have."""

        def make(r: Realised, terms: list[Term]) -> Term:
            axes = r.axes(t.dims[dim], dim)
            (x,) = terms
            if len(axes) == 1 and set(axes) <= set(x.axes):
                ((axis, s),) = axes.items()
                return b.call(softmax_definition(s), [x], [[axis]], [axis])
            top = x
            for axis, s in axes.items():
                top = b.reduce("max", top, axis, s)
            whole = shifted = b.exp(b.subtract(x, top))
            for axis, s in axes.items():
                whole = b.reduce("sum", whole, axis, s)
            return b.divide(shifted, whole)

        return self.tensor(t.dims, [t], make, t.varies_along)

    def rowwise(
        self, name: str, t: Tensor, dim: int, of: Callable[..., Any], new: Dim | None = None,
        kind: str = "f",
    ) -> Tensor:  # fmt: skip
        """An operator of which nothing is known but that it makes a row of each row along `dim`
        (over `new`, by default the same), or with new = () a number. `of` takes an array, whose
        last axis is the row, and the size of the new one."""
        target = t.dims[dim] if new is None else new
        # a number of a row is read by the functions of a reading, a row of a row on arrays
        self.opaque[name] = of if target else lambda _, rows: np.asarray(of(rows, 0))

        def make(r: Realised, terms: list[Term]) -> Term:
            binds, yields = r.axes(t.dims[dim], dim), r.axes(target, dim)
            if len(binds) != 1 or len(yields) > 1:
                raise Mismatch(f"{name} along dimensions that a reshape merged")
            op = Op("opaque", (name, (tuple(binds.values()),), tuple(yields.values())))
            return build(op, terms, [list(binds)], [("new", k) for k in range(len(yields))]).rename(
                {("new", k): a for k, a in enumerate(yields)}
            )

        dims = [target if i == dim else d for i, d in enumerate(t.dims)]
        varies_along = [bool(target) if i == dim else c for i, c in enumerate(t.varies_along)]
        return self.tensor(dims, [t], make, varies_along, kind)

    def operator(
        self,
        name: str,
        parts: Sequence[Tensor],
        labels: Sequence[Labels],
        out: Labels,
        new: Mapping[Any, Dim],
        bound: Sequence[Any],
        of: Callable[..., Any],
    ) -> Tensor:
        """An operator of which nothing is known but which dimensions it reads as a whole: those of
        the `bound` labels. It makes dimensions `new` of them, for each index of all the others.
        `of` takes for each part an array whose last axes are its bound dimensions in their order,
        and gives one whose last axes are the new ones, in the order of `new`; the axes before may
        be of size 1."""
        parts, dims = self._labelled(parts, labels, ())
        place = {x: i for i, x in enumerate(out)}
        varies_along: set[Any] = set(new)
        for t, own in zip(parts, labels, strict=True):
            varies_along |= {x for x, c in zip(own, t.varies_along, strict=True) if c}

        def make(r: Realised, terms: list[Term]) -> Term:
            named = [labelled(t, own) for t, own in zip(terms, labels, strict=True)]
            binds = [[r.axes(dims[x], x) for x in own if x in bound] for own in labels]
            self.opaque[name] = _by_dimensions(of, [[len(a) for a in b] for b in binds], len(new))
            made = [(_New(x), r.axes(d, 0)) for x, d in new.items()]
            outs = {(x, k): s for x, axes in made for (_, k), s in axes.items()}
            ins = tuple(tuple(s for a in each for s in a.values()) for each in binds)
            whole = build(
                Op("opaque", (name, ins, tuple(outs.values()))),
                named,
                [[a for x in each for a in x] for each in binds],
                list(outs),
            )
            return whole.rename(
                {
                    (x, k): (place[x.label if isinstance(x, _New) else x], k)
                    for x, k in pairs(whole)
                }
            )  # fmt: skip

        return self.tensor(
            [new.get(x, dims.get(x, ())) for x in out],
            parts,
            make,
            [x in varies_along for x in out],
        )


@dataclass(frozen=True)
class _New:
    """A label of a dimension that an operator makes."""

    label: Any


def _by_dimensions(of: Callable[..., Any], counts: list[list[int]], new: int) -> Any:
    """A function of arrays with an axis for each dimension as one with an axis for each atom."""

    def on_atoms(*arrays: Any, sizes: Sequence[int]) -> Any:
        grouped = []
        for x, own in zip(arrays, counts, strict=True):
            free, shape = x.ndim - sum(own), iter(x.shape[x.ndim - sum(own) :])
            dims = [math.prod(next(shape) for _ in range(k)) for k in own]
            grouped.append(x.reshape([*x.shape[:free], *dims]))
        found = np.asarray(of(*grouped))
        return found.reshape([*found.shape[: found.ndim - new], *sizes])

    return on_atoms


def _short(name: str) -> str:
    return name.rsplit("/", 1)[-1].rsplit(".", 1)[-1] or name
