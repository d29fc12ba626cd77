"""Tensors from tensors: functions entry by entry, sums of products, reductions; the same entries in
other dimensions; joins, slices, choices of positions.

Each way says which dimensions must be one set, and how the term is built once all such demands are
known. Operators (in operators/) are written with these alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import compress, takewhile
from typing import Any

import numpy as np
import sympy

from orderproof.symbolic.calculus.terms import Ap, Op, Term, at, build
from orderproof.symbolic.models import builders as b
from orderproof.symbolic.models.attention import softmax_definition

from .atoms import RESHAPED, Atoms, Dim, Mismatch, Size, Whole, quotient
from .graph import Array
from .values import (
    Choice,
    Constant,
    Labels,
    Leaf,
    Make,
    Realised,
    SizeAt,
    TableAt,
    Tensor,
    component,
    inside,
    joined_terms,
    labelled,
    pair,
    pairs,
)

View = tuple[Tensor, Callable[[SizeAt], Array]]


@dataclass
class Builder:
    """The atoms of one reading, what its terms are made of, and all ways to make tensors."""

    atoms: Atoms = field(default_factory=Atoms)
    functions: dict[str, Callable[..., Any]] = field(default_factory=dict)  # by name, on arrays
    opaque: dict[str, Callable[..., Any]] = field(default_factory=dict)
    node: str = ""  # the call that is being read
    asked: Dim = ()  # the axis that a question is about
    identify: bool = False  # whether constants as long as that axis are over its set
    cuts: set[Size] = field(default_factory=set)  # positions at which that axis is sliced
    tables: list[Tensor] = field(default_factory=list)  # that operators make
    # of what has the entries of another along a dimension: which one, and at which positions
    views: dict[tuple[Tensor, int], View] = field(default_factory=dict)

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

    def same(
        self, t: Tensor, dims: Sequence[Dim], varies_along: Sequence[bool], kind: str = ""
    ) -> Tensor:
        """The same entries: along dimensions that are new none differs."""
        return self.tensor(dims, [t], lambda _, terms: terms[0], varies_along, kind or t.kind)

    # ------------------------------------------------------------------------------- leaves
    def leaf(self, name: str, leaf: Leaf, kind: str = "f") -> Tensor:
        """A free tensor: an input, a constant, a table."""
        return self.tensor(
            leaf.dims, (), lambda r, _: r.leaf(name, leaf), [bool(d) for d in leaf.dims], kind
        )

    def constant(self, c: Constant) -> Tensor:
        """A constant as a leaf, over sets of its own: without the axes along which no entry
        differs."""
        short = c.name.rsplit("/", 1)[-1].rsplit(".", 1)[-1] or c.name
        dims = tuple(
            self.set_of(s, f"{short}.{k}" if not s.is_Integer else f"d{s}")
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
    ) -> Tensor:
        """A function of entries, each part's dimensions named by labels: dimensions of one label
        are one, and where a label stands twice in one part, its diagonal is taken. `out` orders the
        labels; over those that are not in `out` the values are summed."""
        if of is not None:
            self.functions.setdefault(name, of)
        parts, dims, varies_along = self._labelled(parts, labels)
        summed = [x for x in dims if x not in out]

        def make(r: Realised, terms: list[Term]) -> Term:
            named = [labelled(t, own) for t, own in zip(terms, labels, strict=True)]
            whole = b.pointwise(name, *named) if name else b.multiply(*named)
            for x in summed:
                for axis, s in r.axes(dims[x], x).items():
                    whole = b.reduce("sum", whole, axis, s)
            return labelled(whole, {x: i for i, x in enumerate(out)})

        return self.tensor(
            [dims.get(x, ()) for x in out], parts, make, [x in varies_along for x in out], kind
        )

    def _labelled(
        self, parts: Sequence[Tensor], labels: Sequence[Labels]
    ) -> tuple[list[Tensor], dict[Any, Dim], set[Any]]:
        """The parts, the dimension of each label, size 1 giving way to any other, and the labels
        along which one of them varies. A part whose dimension is made of other sets, of the same
        size, is put over the label's."""
        found, dims = list(parts), dict[Any, Dim]()
        every = [
            (x, d)
            for t, own in zip(parts, labels, strict=True)
            for x, d in zip(own, t.dims, strict=True)
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
        varies = zip(labels, found, strict=True)
        return found, dims, {x for own, t in varies for x in compress(own, t.varies_along)}

    def fresh(self, size: Size, hint: str) -> Dim:
        """A dimension that a choice makes: over the axis in question where it has as many places,
        position k being position k, else over a set of its own."""
        size = self.atoms.canonical(size)
        if self.asked and size.free_symbols and size == self.atoms.size(self.asked):
            return self.asked
        return self.atoms.new(size, hint)

    def einsum(
        self, parts: Sequence[Tensor], labels: Sequence[Labels], out: Labels, kind: str = ""
    ) -> Tensor:
        """Sums of products, as einsum has them."""
        return self.pointwise("", parts, labels, out, kind=kind or parts[0].kind)

    def matmul(self, x: Tensor, y: Tensor) -> Tensor:
        """The product of stacks of matrices, as NumPy's matmul has it."""
        rank = max(len(x.dims), len(y.dims), 2) - 2
        lx = [*range(rank), "i", "j"][-len(x.dims) :]
        ly = [*range(rank), "j", "k"][-len(y.dims) :] if len(y.dims) > 1 else ["j"]
        out = [k for k in (*range(rank), "i", "k") if k in (*lx, *ly)]
        return self.einsum([x, y], [lx, ly], out)

    # --------------------------------------------------------------------------- reductions
    def reduce(self, kind: str, t: Tensor, dims: Sequence[int], keep: bool = True) -> Tensor:
        """sum, prod, max or min over dimensions."""
        left = [i for i in range(len(t.dims)) if keep or i not in dims]

        def make(r: Realised, terms: list[Term]) -> Term:
            (whole,) = terms
            for i in dims:
                for axis, s in r.axes(t.dims[i], i).items():
                    whole = b.reduce(kind, whole, axis, s)
            return labelled(whole, {i: k for k, i in enumerate(left)})

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

    def operator(
        self,
        name: str,
        parts: Sequence[Tensor],
        labels: Sequence[Labels],
        out: Labels,
        new: Mapping[Any, Dim],
        bound: Sequence[Any],
        of: Callable[..., Any],
        kind: str = "f",
    ) -> Tensor:
        """An operator of which nothing is known but which dimensions it reads as a whole: those of
        the `bound` labels. It makes dimensions `new` of them, for each index of all the others.
        `of` takes for each part an array whose last axes are its bound dimensions in their order,
        and the number of new entries; it gives an array whose last axes are the new ones, in the
        order of `new`; the axes before may be of size 1."""
        parts, dims, varies_along = self._labelled(parts, labels)
        place = {x: i for i, x in enumerate(out)}
        varies_along |= {*new}

        def make(r: Realised, terms: list[Term]) -> Term:
            named = [labelled(t, own) for t, own in zip(terms, labels, strict=True)]
            binds = [[r.axes(dims[x], x) for x in own if x in bound] for own in labels]
            made = {  # a label may be of a dimension that is read, and of one that is made
                (("new", x), k): ((place[x], k), s)
                for x, d in new.items()
                for (_, k), s in r.axes(d, 0).items()
            }
            counts = [[len(a) for a in b] for b in binds]
            called = r.name(name, (counts, len(made)))
            self.opaque[called] = _by_dimensions(of, counts, len(new), len(made))
            ins = tuple(tuple(s for a in each for s in a.values()) for each in binds)
            whole = build(
                Op("opaque", (called, ins, tuple(s for _, s in made.values()))),
                named,
                [[a for x in each for a in x] for each in binds],
                list(made),
            )
            return whole.rename(
                {a: made[a][0] if a in made else (place[a[0]], a[1]) for a in pairs(whole)}
            )

        return self.tensor(
            [new.get(x, dims.get(x, ())) for x in out],
            parts,
            make,
            [x in varies_along for x in out],
            kind,
        )

    # ------------------------------------------------- the same entries in other dimensions
    def permute(self, t: Tensor, order: Sequence[int]) -> Tensor:
        """Dimension i of the result is dimension order[i]."""
        place = {old: new for new, old in enumerate(order)}
        return self.tensor(
            [t.dims[i] for i in order], [t], lambda _, terms: labelled(terms[0], place),
            [t.varies_along[i] for i in order], t.kind,
        )  # fmt: skip

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
        # the numbers of entries: where they differ by a factor, a dynamic dimension has one size
        have, wanted = (self.atoms.canonical(sympy.prod(x)) for x in (self.sizes(t), sizes))
        above, below = sympy.cancel(have / wanted).as_numer_denom()
        self.atoms.equate(sympy.expand(above), sympy.expand(below))
        sizes = [self.atoms.canonical(s) for s in sizes]
        try:
            return self._regrouped(t, sizes)
        except (Whole, Mismatch):
            return self._in_order(t, sizes)

    def _in_order(self, t: Tensor, sizes: Sequence[Size]) -> Tensor:
        """A reshape by a table: what stands at k in row-major order, from k on both sides. Leading
        dimensions that are the same stay, and trailing ones."""
        own = self.sizes(t)
        first = _alike(own, sizes)
        last = _alike(own[first:][::-1], sizes[first:][::-1])
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
        labels = [[*to, *of], [*head, *of, *tail]]
        return self.einsum([table, t], labels, [*head, *to, *tail], t.kind)

    def _regrouped(self, t: Tensor, sizes: Sequence[Size]) -> Tensor:
        """A reshape that regroups atoms; Mismatch or Whole where it cannot."""
        atoms = self.atoms
        every = [(a, t.varies_along[i]) for i, d in enumerate(t.dims) for a in atoms.resolve(d)]
        todo, dims, varies_along = every[::-1], list[Dim](), list[bool]()
        for size in sizes:
            dim: list[Any] = []
            differs, have = False, sympy.Integer(1)
            while have != size:
                if not todo:
                    raise Mismatch
                whole, own = todo.pop()
                atom, *rest = atoms.resolve((whole,))  # it may be split since
                todo += [(a, own) for a in reversed(rest)]
                after = atoms.canonical(have * atom.size)
                if quotient(size, after) is None:
                    need = quotient(size, have)
                    inner = None if need is None else quotient(atoms.canonical(atom.size), need)
                    if inner is None:
                        raise Mismatch
                    atoms.split(atom, (need, inner))
                    todo.append((atom, own))
                    continue
                have, differs = after, differs or own
                dim.append(atom)
            dims.append(tuple(dim))
            varies_along.append(differs)
        left = tuple(atom for atom, _ in reversed(todo))
        if any(atoms.canonical(a.size) != 1 for a in left) or (left and not dims):
            raise Mismatch
        if left:  # of dynamic dimensions that have size 1 alone
            dims[-1] += left
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
            self.atoms.at_most(0, size)
            if size == 1 or self.atoms.resolve(own):
                dims.append(own)
                if size != 1:
                    self.atoms.equate(self.atoms.size(own), size)
            else:
                dims.append(self.atoms.new(size, "copies"))
        return self.tensor(
            dims, [t], lambda _, terms: labelled(terms[0], range(shift, rank)),
            [False] * shift + list(t.varies_along), t.kind,
        )  # fmt: skip

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
                raise Mismatch(f"a squeeze of a dimension of size {self.atoms.size(t.dims[i])}")
        left = [i for i in range(len(t.dims)) if i not in places]
        return self.regroup(t, [t.dims[i] for i in left], [t.varies_along[i] for i in left])

    # ------------------------------------------------------------ entries at other positions
    def put_over(self, t: Tensor, dim: int, new: Dim) -> Tensor:
        """The same with a dimension over other sets of the same size: position k at position k."""
        name = f"order in {self.node}"
        return self.windows(t, dim, [new], lambda _, n: np.arange(n(self.atoms.size(new))), name)

    def concat(self, parts: Sequence[Tensor], dim: int) -> Tensor:
        """One after the other along a dimension."""
        parts = [p for p in parts if self.sizes(p)[dim] != 0] or list(parts[:1])
        if len(parts) == 1:
            return parts[0]
        rank = len(parts[0].dims)
        if (view := self._joined_views(parts, dim)) is not None:
            return view
        labels = [[*range(dim), ("own", k), *range(dim + 1, rank)] for k in range(len(parts))]
        parts, others, varies = self._labelled(parts, labels)
        joined = self.atoms.join([p.dims[dim] for p in parts], "joined")
        self.functions.setdefault("copied", lambda a, i: a + 0 * i)

        def make(r: Realised, terms: list[Term]) -> Term:
            axis, pieces = (dim, 0), list[Term]()
            for p, term in zip(parts, terms, strict=True):
                axes = r.axes(p.dims[dim], dim)
                if len(axes) == 1:
                    (atom,) = r.atoms.resolve(p.dims[dim])
                    over = [r.atoms.set(a) for a in r.atoms.leaves(atom)]
                    each = [{axis: inside(over, k, axis)} for k in range(len(over))]
                else:  # none, or several as one
                    over = list(axes.values())
                    each = [{a: component(over, k, axis) for k, a in enumerate(axes)}]
                pieces += [at(term, {a: e for a, e in to.items() if a in term.axes}) for to in each]
            sets = [r.atoms.set(a) for a in r.atoms.leaves(joined[0])]
            along = [  # along an axis that a piece lacks it is the same
                t if axis in t.axes else b.pointwise("copied", t, b.iota(s, axis))
                for t, s in zip(pieces, sets, strict=True)
            ]
            return joined_terms(along, sets, axis)

        dims = [joined if i == dim else others[i] for i in range(rank)]
        varies_along = [i == dim or i in varies for i in range(rank)]
        return self.tensor(dims, parts, make, varies_along, parts[0].kind)

    def slice(self, t: Tensor, dim: int, start: Size, stop: Size, step: int = 1) -> Tensor:
        """Positions start, start + step, … before stop of a dimension."""
        size = self.atoms.size(t.dims[dim])
        start, stop = self.atoms.canonical(start), self.atoms.canonical(stop)
        length = self.atoms.canonical(sympy.ceiling((stop - start) / step))
        if step == 1 and start == 0 and sympy.expand(stop - size) == 0:
            return t
        if not t.varies_along[dim]:
            new = self.fresh(length, "slice")
            return self.same(t, [*t.dims[:dim], new, *t.dims[dim + 1 :]], t.varies_along)
        own = self.atoms.resolve(t.dims[dim])
        if step == 1 and len(own) == 1 and own[0].whole:
            self.cuts |= {x for x in (start, stop) if x != 0 and sympy.expand(x - size) != 0}
            if length == 1:
                return self.place(t, dim, start)
        try:
            if step != 1 or len(own) != 1 or length == 0 or (t, dim) in self.views:
                raise Mismatch
            first, last = self.atoms.pieces(own[0], start, stop)
        except (Whole, Mismatch):
            new, name = self.fresh(length, "chosen"), f"slice in {self.node}"
            return self.windows(
                t, dim, [new], lambda _, n: n(start) + step * np.arange(n(length)), name
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
                if points:
                    r.maps["point"] = 0
                point = Ap(b.constant("point", b.POINT), ())
                e = point if points else pair([*axes.values()], [*axes])
                return at(term, {axis: inside(sets, chosen[0], e)})
            pieces = [at(term, {axis: inside(sets, k, axis)}) for k in chosen]
            return joined_terms(pieces, [sets[k] for k in chosen], axis)

        return self._in_place(t, dim, joined, make)

    def _in_place(self, t: Tensor, dim: int, new: Dim, make: Make) -> Tensor:
        """A tensor made of one, with a dimension along which entries differ in the place of one."""
        dims = [new if i == dim else d for i, d in enumerate(t.dims)]
        varies_along = [bool(new) if i == dim else c for i, c in enumerate(t.varies_along)]
        return self.tensor(dims, [t], make, varies_along, t.kind)

    def place(self, t: Tensor, dim: int, at_place: Size) -> Tensor:
        """One place of the axis in question: a constant of its set, which σ may move."""
        self.atoms.at_most(at_place + 1, self.atoms.size(t.dims[dim]))
        self.atoms.at_most(0, at_place)  # it may be counted from the end

        def make(r: Realised, terms: list[Term]) -> Term:
            (term,) = terms
            axis = (dim, 0)
            if axis not in term.axes:
                return term
            name = f"token {sympy.expand(at_place + 1)}"
            r.maps[name] = at_place
            return at(term, {axis: Ap(b.constant(name, term.sets[axis]), ())})

        found = self._in_place(t, dim, (), make)
        self.views[found, dim] = t, lambda n: np.asarray([n(at_place)])
        return found

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
            through = np.append(before(at_size), -1)  # −1 is at the end: it stays −1
            return np.asarray(through[np.asarray(places(array, at_size))])

        table = self.table(name, [*new, old], values, source)
        own = [*((dim, k) for k in range(len(new))), "from"]
        first, last = range(dim), range(dim + 1, len(t.dims))
        labels = [own, [*first, "from", *last]]
        found = self.einsum([table, base], labels, [*first, *own[:-1], *last], t.kind)
        if len(new) == 1 and not source:
            self.views[found, dim] = base, lambda at_size: places_of(None, at_size)
        return found

    def base(self, t: Tensor, dim: int) -> View:
        """The tensor that has a tensor's entries along a dimension, and the positions that they
        have there, −1 of a zero. Views of views are views of the first: a padding by copies, which
        a convolution takes away again, is one table, and may have a symmetry that its steps have
        not."""
        itself = t, lambda n: np.arange(n(self.atoms.size(t.dims[dim])))
        return self.views.get((t, dim), itself)

    def _joined_views(self, parts: Sequence[Tensor], dim: int) -> Tensor | None:
        """Views of one tensor along a dimension, one after the other: a view of it."""
        bases = [self.base(p, dim) for p in parts]
        (base, _), *others = bases
        if any(b is not base for b, _ in others) or all((p, dim) not in self.views for p in parts):
            return None
        new = self.fresh(sympy.Add(*(self.sizes(p)[dim] for p in parts)), "joined")
        name = f"copies in {self.node}"
        return self.windows(
            base, dim, [new], lambda _, n: np.concatenate([own(n) for _, own in bases]), name
        )


def _by_dimensions(of: Callable[..., Any], counts: list[list[int]], new: int, atoms: int) -> Any:
    """A function of arrays with an axis for each dimension as one with an axis for each atom; of
    rows as readings call it."""

    def on_atoms(*arrays: Any, sizes: Sequence[int]) -> Any:
        grouped = []
        for x, own in zip(arrays, counts, strict=True):
            free, shape = x.ndim - sum(own), iter(x.shape[x.ndim - sum(own) :])
            dims = [math.prod(next(shape) for _ in range(k)) for k in own]
            grouped.append(x.reshape([*x.shape[:free], *dims]))
        found = np.asanyarray(of(*grouped, math.prod(sizes)))
        return found.reshape([*found.shape[: found.ndim - new], *sizes])

    if atoms == 0 and all(own == [1] for own in counts):
        return lambda _, *rows: on_atoms(*rows, sizes=())
    if atoms == 1 and counts == [[1]]:
        return lambda rows, size: on_atoms(rows, sizes=(size,))
    return on_atoms


def _alike(a: Sequence[Size], b: Sequence[Size]) -> int:
    """How many sizes are the same from the first on."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))
