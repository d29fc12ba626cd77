"""Tensors with the same entries in other dimensions: transposed, reshaped, spread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy

from orderproof.symbolic.calculus.terms import Term

from .atoms import RESHAPED, Dim, Mismatch, Size, Whole, quotient
from .entrywise import Entrywise
from .graph import Array
from .pieces import pairs
from .values import Realised, SizeAt, Tensor


class Dimensions(Entrywise):
    """Other dimensions of the same entries."""

    def permute(self, t: Tensor, order: Sequence[int]) -> Tensor:
        """Dimension i of the result is dimension order[i]."""
        place = {old: new for new, old in enumerate(order)}

        def make(r: Realised, terms: list[Term]) -> Term:
            return terms[0].rename({(i, k): (place[i], k) for i, k in pairs(terms[0])})

        return self.tensor(
            [t.dims[i] for i in order], [t], make, [t.varies_along[i] for i in order], t.kind
        )

    def regroup(self, t: Tensor, dims: Sequence[Dim], varies_along: Sequence[bool]) -> Tensor:
        """The same atoms in the same order, in other dimensions."""

        def make(r: Realised, terms: list[Term]) -> Term:
            flat = [a for i, d in enumerate(t.dims) for a in r.axes(d, i)]
            anew = [a for i, d in enumerate(dims) for a in r.axes(d, i)]
            return terms[0].rename(
                {a: c for a, c in zip(flat, anew, strict=True) if a in terms[0].axes}
            )

        return self.tensor(dims, [t], make, varies_along, t.kind)

    def reshape(self, t: Tensor, sizes: Sequence[Size]) -> Tensor:
        """Other sizes in row-major order: atoms are regrouped, and split where they must be. What
        cannot be split is put in the new order by a table."""
        sizes = [self.atoms.canonical(s) for s in sizes]
        self._same_number(sympy.prod(self.sizes(t)), sympy.prod(sizes))
        sizes = [self.atoms.canonical(s) for s in sizes]
        try:
            return self._regrouped(t, sizes)
        except (Whole, Mismatch):
            return self._in_order(t, sizes)

    def _same_number(self, have: Size, wanted: Size) -> None:
        """The numbers of entries, which must be equal: where they differ by a factor, a dynamic
        dimension has one size alone."""
        rest = sympy.cancel(self.atoms.canonical(have) / self.atoms.canonical(wanted))
        if rest != 1:
            above, below = rest.as_numer_denom()
            self.atoms.equate(sympy.expand(above), sympy.expand(below))

    def _in_order(self, t: Tensor, sizes: Sequence[Size]) -> Tensor:
        """A reshape by a table: what stands at k in row-major order, from k on both sides. Leading
        dimensions that are the same stay, and trailing ones."""
        own = list(self.sizes(t))
        first = 0
        while first < min(len(own), len(sizes)) and own[first] == sizes[first]:
            first += 1
        last = 0
        while last < min(len(own), len(sizes)) - first and own[-1 - last] == sizes[-1 - last]:
            last += 1
        old = t.dims[first : len(own) - last]
        new = [self.fresh(s, RESHAPED) for s in sizes[first : len(sizes) - last]]

        def values(_: Array | None, n: SizeAt) -> Array:
            shape = [[n(self.atoms.size(d)) for d in dims] for dims in (new, old)]
            count = int(np.prod(shape[0]))
            if count > 2048:
                raise ValueError("a reshape whose table would be too large")
            return np.eye(count).reshape(*shape[0], *shape[1])

        table = self.table(f"order in {self.node}", [*new, *old], values)
        head, tail = [("h", k) for k in range(first)], [("t", k) for k in range(last)]
        to, of = ([(x, k) for k in range(len(d))] for x, d in (("n", new), ("o", old)))
        found = self.einsum([table, t], [[*to, *of], [*head, *of, *tail]], [*head, *to, *tail])
        found.kind = t.kind
        return found

    def _regrouped(self, t: Tensor, sizes: Sequence[Size]) -> Tensor:
        """A reshape that regroups atoms."""
        atoms = self.atoms
        todo = [(a, t.varies_along[i]) for i, d in enumerate(t.dims) for a in atoms.resolve(d)][
            ::-1
        ]
        dims: list[Dim] = []
        varies_along: list[bool] = []
        for size in sizes:
            dim: list[Any] = []
            differs, have = False, sympy.Integer(1)
            while have != size:
                if not todo:
                    raise Mismatch(f"reshape of sizes {self.sizes(t)} to {tuple(sizes)}")
                atom, own = todo.pop()
                if atom.factors:  # split since
                    todo += [(a, own) for a in reversed(atoms.resolve((atom,)))]
                    continue
                after = atoms.canonical(have * atom.size)
                if quotient(size, after) is None:
                    need = quotient(size, have)
                    inner = None if need is None else quotient(atoms.canonical(atom.size), need)
                    if need is None or inner is None:
                        raise Mismatch(f"reshape of sizes {self.sizes(t)} to {tuple(sizes)}")
                    atoms.split(atom, (need, inner))
                    todo += [(a, own) for a in reversed(atoms.resolve((atom,)))]
                    continue
                have, differs = after, differs or own
                dim.append(atom)
            dims.append(tuple(dim))
            varies_along.append(differs)
        if any(atoms.canonical(a.size) != 1 for a, _ in todo):
            raise Mismatch(f"reshape of sizes {self.sizes(t)} to {tuple(sizes)}")
        return self.regroup(t, dims, varies_along)

    def expand(self, t: Tensor, sizes: Sequence[Size]) -> Tensor:
        """Broadcast to sizes (1: as it is): along what is new, nothing differs."""
        rank = max(len(sizes), len(t.dims))
        shift = rank - len(t.dims)
        dims: list[Dim] = []
        for i in range(rank):
            own = t.dims[i - shift] if i >= shift else ()
            size = sizes[i - rank + len(sizes)] if i >= rank - len(sizes) else sympy.Integer(1)
            size = self.atoms.canonical(size)
            if size.is_negative:
                raise Mismatch(f"an expansion to size {size}")
            self.atoms.at_most(sympy.Integer(0), size)
            if size == 1 or self.atoms.resolve(own):
                dims.append(own)
                if size != 1 and self.atoms.size(own) != size:
                    self.atoms.equate(self.atoms.size(own), size)
            else:
                dims.append(self.atoms.new(size, "copies"))

        def make(r: Realised, terms: list[Term]) -> Term:
            return terms[0].rename({(i, k): (i + shift, k) for i, k in pairs(terms[0])})

        return self.tensor(dims, [t], make, [False] * shift + list(t.varies_along), t.kind)

    def insert(self, t: Tensor, places: Sequence[int]) -> Tensor:
        """Dimensions of size 1, put so that they stand at these places."""
        rank = len(t.dims) + len(places)
        left = [i for i in range(rank) if i not in places]
        dims = [t.dims[left.index(i)] if i in left else () for i in range(rank)]
        varies_along = [t.varies_along[left.index(i)] if i in left else False for i in range(rank)]
        return self.regroup(t, dims, varies_along)

    def drop(self, t: Tensor, places: Sequence[int]) -> Tensor:
        """The tensor without these dimensions, which must be of size 1."""
        for i in places:
            if self.atoms.resolve(t.dims[i]):
                if self.atoms.size(t.dims[i]) != 1:
                    self.atoms.equate(self.atoms.size(t.dims[i]), sympy.Integer(1))
                raise Mismatch(f"a squeeze of a dimension of size {self.atoms.size(t.dims[i])}")
        left = [i for i in range(len(t.dims)) if i not in places]
        return self.regroup(t, [t.dims[i] for i in left], [t.varies_along[i] for i in left])
