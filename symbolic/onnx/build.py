"""Tensors from entries at other places: joins, slices, choices, each maybe of another one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy

from orderproof.symbolic.calculus.terms import Ap, Term, at
from orderproof.symbolic.models import builders as b

from .atoms import Dim, Mismatch, Size, Whole
from .dimensions import Dimensions
from .graph import Array
from .pieces import component, copied, inside, joined_terms, pair, point_map
from .values import Choice, Realised, SizeAt, Tensor


@dataclass(frozen=True)
class View:
    """A tensor whose entries along a dimension are those of another one, at these places, or zero
    where the place is −1. Views of views are views of the first: a padding by copies, which a
    convolution takes away again, is one table, and may have a symmetry that its steps have not."""

    base: Tensor
    dim: int
    places: Callable[[SizeAt], Array]


@dataclass
class Builder(Dimensions):
    """All ways to make tensors of tensors."""

    views: dict[Tensor, View] = field(default_factory=dict)

    def put_over(self, t: Tensor, dim: int, new: Dim) -> Tensor:
        """The same with a dimension over other sets of the same size: position k at position k."""
        return self.select(
            t,
            dim,
            [new],
            "",
            lambda _, n: np.arange(n(self.atoms.size(new))),
            f"order in {self.node}",
        )

    def concat(self, parts: Sequence[Tensor], dim: int) -> Tensor:
        """One after the other along a dimension."""
        parts = [p for p in parts if self.sizes(p)[dim] != 0] or list(parts[:1])
        if len(parts) == 1:
            return parts[0]
        rank = len(parts[0].dims)
        if (view := self._joined_views(parts, dim)) is not None:
            return view
        labels = [[*range(dim), ("own", k), *range(dim + 1, rank)] for k in range(len(parts))]
        parts, others = self._labelled(parts, labels, ())
        joined = self.atoms.join([p.dims[dim] for p in parts], "joined")
        self.functions.setdefault("copied", lambda a, i: a + 0 * i)

        def make(r: Realised, terms: list[Term]) -> Term:
            pieces: list[Term] = []
            for p, term in zip(parts, terms, strict=True):
                axes = r.axes(p.dims[dim], dim)
                if len(axes) == 1:
                    (own,) = r.atoms.resolve(p.dims[dim])
                    pieces += self._pieces(r, term, (dim, 0), own)
                else:  # none, or several as one
                    over = list(axes.values())
                    to = {a: component(over, k, (dim, 0)) for k, a in enumerate(axes)}
                    pieces.append(at(term, {a: e for a, e in to.items() if a in term.axes}))
            sets = [r.atoms.set(a) for a in r.atoms.leaves(joined[0])]
            pieces = [copied(t, (dim, 0), s) for t, s in zip(pieces, sets, strict=True)]
            return joined_terms(pieces, sets, (dim, 0))

        dims = [joined if i == dim else others[i] for i in range(rank)]
        varies_along = [i == dim or any(p.varies_along[i] for p in parts) for i in range(rank)]
        return self.tensor(dims, parts, make, varies_along, parts[0].kind)

    def _pieces(self, r: Realised, term: Term, axis: Any, atom: Any) -> list[Term]:
        """A term on each leaf of an axis's atom, over the leaf's set."""
        leaves = r.atoms.leaves(atom)
        if axis not in term.axes:
            return [term] * len(leaves)
        sets = [r.atoms.set(a) for a in leaves]
        return [at(term, {axis: inside(sets, k, axis)}) for k in range(len(leaves))]

    def slice(self, t: Tensor, dim: int, start: Size, stop: Size) -> Tensor:
        """Positions start … stop − 1 of a dimension."""
        size = self.atoms.size(t.dims[dim])
        start, stop = self.atoms.canonical(start), self.atoms.canonical(stop)
        length = self.atoms.canonical(stop - start)
        if start == 0 and sympy.expand(stop - size) == 0:
            return t
        if not t.varies_along[dim]:
            return self._other(t, dim, self.atoms.new(length, "slice"))
        own = self.atoms.resolve(t.dims[dim])
        if len(own) == 1 and own[0].whole:
            self.cuts |= {x for x in (start, stop) if x != 0 and sympy.expand(x - size) != 0}
            if length == 1:
                return self.place(t, dim, start)
        try:
            if len(own) != 1 or length == 0 or self.base(t, dim)[0] is not t:
                raise Mismatch("a slice of dimensions that a reshape merged, or of a view")
            first, last = self.atoms.pieces(own[0], start, stop)
        except (Whole, Mismatch):
            new = self.fresh(length, "chosen")
            return self.select(
                t,
                dim,
                [new],
                "",
                lambda _, n: n(start) + np.arange(n(length)),
                f"slice in {self.node}",
            )
        atoms = self.atoms.leaves(own[0])[first:last]
        points = length == 1
        joined = () if points else (atoms[0],) if len(atoms) == 1 else self.atoms.join(
            [(a,) for a in atoms], "slice"
        )  # fmt: skip

        def make(r: Realised, terms: list[Term]) -> Term:
            (term,) = terms
            axis = (dim, 0)
            if axis not in term.axes:
                return term
            sets = [r.atoms.set(a) for a in r.atoms.leaves(own[0])]
            chosen = range(*r.atoms.pieces(own[0], start, stop))
            if len(chosen) == 1:
                axes = r.axes((r.atoms.leaves(own[0])[chosen[0]],), dim)
                e = Ap(point_map(r), ()) if points else pair([*axes.values()], [*axes])
                return at(term, {axis: inside(sets, chosen[0], e)})
            pieces = [at(term, {axis: inside(sets, k, axis)}) for k in chosen]
            return joined_terms(pieces, [sets[k] for k in chosen], axis)

        dims = [joined if i == dim else d for i, d in enumerate(t.dims)]
        varies_along = [bool(joined) if i == dim else c for i, c in enumerate(t.varies_along)]
        return self.tensor(dims, [t], make, varies_along, t.kind)

    def place(self, t: Tensor, dim: int, at_place: Size) -> Tensor:
        """One place of the axis in question: a constant of its set, which σ may move."""
        size = self.atoms.size(t.dims[dim])
        if not sympy.expand(size - at_place).is_positive:
            self.atoms.at_most(sympy.expand(at_place + 1), size)
        if not at_place.is_nonnegative:  # counted from the end
            self.atoms.at_most(sympy.Integer(0), at_place)

        def make(r: Realised, terms: list[Term]) -> Term:
            (term,) = terms
            axis = (dim, 0)
            if axis not in term.axes:
                return term
            name = f"token {sympy.expand(at_place + 1)}"
            r.maps[name] = at_place
            return at(term, {axis: Ap(b.constant(name, term.sets[axis]), ())})

        dims = [() if i == dim else d for i, d in enumerate(t.dims)]
        varies_along = [i != dim and c for i, c in enumerate(t.varies_along)]
        found = self.tensor(dims, [t], make, varies_along, t.kind)
        self.views[found] = View(t, dim, lambda n: np.asarray([n(at_place)]))
        return found

    def _other(self, t: Tensor, dim: int, new: Dim) -> Tensor:
        """The same along a dimension of another size: nothing differs along it."""
        dims = [new if i == dim else d for i, d in enumerate(t.dims)]
        return self.tensor(dims, [t], lambda r, terms: terms[0], t.varies_along, t.kind)

    def select(
        self, t: Tensor, dim: int, new: Sequence[Dim], source: str, index: Choice, name: str
    ) -> Tensor:
        """Along a dimension the entries at `index`, over new dimensions in its place: as a sum with
        a table of zeros and ones. Where the dimension is the axis that a question is about, the
        table says which permutations it lets pass. `index` gives the positions at given sizes."""
        size = t.dims[dim]

        def places(array: Array | None, at_size: SizeAt) -> Array:
            count = at_size(self.atoms.size(size))
            return np.asarray(index(array, at_size)) % max(count, 1)  # of none there is none

        return self.windows(t, dim, new, places, name, source)

    def windows(
        self, t: Tensor, dim: int, new: Sequence[Dim], places: Choice, name: str, source: str = ""
    ) -> Tensor:
        """Along a dimension the entries at places, zero where a place is −1, over new dimensions.
        New ones as long as the old one, one after the other, are over the same set: place k is
        place k."""
        base, before = self.base(t, dim)
        old = base.dims[dim]
        if (
            len(new)
            and self.atoms.resolve(new[0])
            and self.sizes(base)[dim] == self.atoms.size(new[0])
        ):
            with suppress(Whole, Mismatch):
                self.atoms.unify(new[0], old)

        def values(array: Array | None, at_size: SizeAt) -> Array:
            chosen, n = places_of(array, at_size), at_size(self.atoms.size(old))
            return np.asarray(chosen[..., None] == np.arange(n), dtype=np.float64)

        def places_of(array: Array | None, at_size: SizeAt) -> Array:
            chosen = np.asarray(places(array, at_size))
            if before is None:
                return chosen
            through = np.append(before(at_size), -1)  # −1 is at the end: it stays −1
            return np.asarray(through[chosen])

        table = self.table(name, [*new, old], values, source)
        own = [*((dim, k) for k in range(len(new))), "from"]
        first, last = range(dim), range(dim + 1, len(t.dims))
        found = self.einsum(
            [table, base], [own, [*first, "from", *last]], [*first, *own[:-1], *last]
        )
        found.kind = t.kind
        if len(new) == 1 and not source:
            self.views[found] = View(base, dim, lambda at_size: places_of(None, at_size))
        return found

    def base(self, t: Tensor, dim: int) -> tuple[Tensor, Callable[[SizeAt], Array] | None]:
        """The tensor of which another is a view along a dimension, and the places; else itself."""
        view = self.views.get(t)
        return (view.base, view.places) if view is not None and view.dim == dim else (t, None)

    def _joined_views(self, parts: Sequence[Tensor], dim: int) -> Tensor | None:
        """Views of one tensor along a dimension, one after the other: a view of it."""
        bases = [self.base(p, dim) for p in parts]
        if len({b for b, _ in bases}) > 1 or all(places is None for _, places in bases):
            return None
        (base, _), *_ = bases
        lengths = [self.sizes(p)[dim] for p in parts]

        def places(_: Array | None, n: SizeAt) -> Array:
            return np.concatenate(
                [np.arange(n(length)) if own is None else own(n)
                 for (_, own), length in zip(bases, lengths, strict=True)]
            )  # fmt: skip

        new = self.fresh(sympy.Add(*lengths), "joined")
        return self.windows(base, dim, [new], places, f"copies in {self.node}")
