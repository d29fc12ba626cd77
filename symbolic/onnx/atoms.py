"""The index sets of a model's dimensions: which are one set, which are made of others.

A dimension of a tensor in ONNX is a number. In the calculus it is a tuple of *atoms*, outermost
first: none for size 1, one for most, several where a reshape merged them. Atoms of one size are
different sets until an operator puts two of them in one place: then `unify` makes them one. A
reshape may split an atom into factors, a slice may cut it into a sum of parts; both hold for every
tensor that has the atom. The axis that a question is about is *whole*: it is never split.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy

from orderproof.symbolic.calculus.terms import Set
from orderproof.symbolic.models.builders import POINT

Size = Any  # a sympy expression of the sizes of dynamic dimensions, all of them at least 1


RESHAPED = "reshaped"  # the hint of a set of places that a reshape chose from others
LARGEST_SIZE = 2**20  # places of an axis: beyond it whole numbers made of sizes are not thought of
MOST_PARTS = 256  # that are joined along one dimension


class Mismatch(Exception):
    """Two dimensions that cannot be one: their sizes, or what they are made of."""


class Whole(Exception):
    """The axis that the question is about would have to be split."""


@dataclass(eq=False)
class Atom:
    """An index set. Merged into another it has a parent, split it has factors, cut it has parts."""

    size: Size
    hint: str  # the name that people know it by
    whole: bool = False
    parent: Atom | None = None
    factors: tuple[Atom, ...] = ()
    parts: tuple[Atom, ...] = ()


Dim = tuple[Atom, ...]


def symbol(name: str) -> Size:
    """The size of a dynamic dimension."""
    return sympy.Symbol(name, integer=True, positive=True)


def quotient(a: Size, b: Size) -> Size | None:
    """a / b, where b divides a for all values of their symbols; else None."""
    found = sympy.cancel(sympy.sympify(a) / b)
    return sympy.expand(found) if found.is_integer else None


def _never_negative(x: Size) -> bool:
    """Whether a size is known to be at least 0: a floor that is taken away is at most what it is
    of."""
    terms = (t.as_coeff_Mul() for t in sympy.Add.make_args(sympy.expand(x)))
    at_least = (c * (f.args[0] if c < 0 and isinstance(f, sympy.floor) else f) for c, f in terms)
    return bool(sympy.expand(sympy.Add(*at_least)).is_nonnegative)


def _named(size: Size, hint: str) -> str:
    """What a fixed dimension is called: d with its size."""
    size = sympy.sympify(size)
    return f"d{size}" if size.is_Integer else hint


def _root(atom: Atom) -> Atom:
    while atom.parent is not None:
        atom = atom.parent
    return atom


@dataclass
class Atoms:
    """All atoms of a reading, with the sizes that had to be equal."""

    equal: dict[Any, Size] = field(default_factory=dict)  # a symbol, and what it must be
    given: set[Any] = field(default_factory=set)  # of these symbols those that a question equates
    limits: list[tuple[Size, Size]] = field(default_factory=list)  # a ≤ b, taken for given
    quotients: set[Any] = field(default_factory=set)  # symbols made for n/k, where k divides n
    names: dict[Atom, str] = field(default_factory=dict)
    every: list[Atom] = field(default_factory=list)

    def new(self, size: Size, hint: str, *, whole: bool = False) -> Dim:
        """A dimension over a set of its own."""
        size = self.canonical(size)
        if size == 1 and not whole:
            return ()
        self.every.append(Atom(size, hint, whole))
        return (self.every[-1],)

    def canonical(self, size: Size) -> Size:
        """A size in the one form in which equal sizes are equal."""
        size = sympy.sympify(size)
        if size.is_Integer or (size.is_Symbol and size not in self.equal):
            return size
        while (after := size.xreplace(self.equal)) != size:
            size = after
        return sympy.expand(size)

    def resolve(self, dim: Dim) -> Dim:
        """The atoms that a dimension is made of by now."""
        if all(atom.parent is None and not atom.factors for atom in dim):
            return dim
        found: list[Atom] = []
        todo = list(reversed(dim))
        while todo:
            atom = _root(todo.pop())
            if atom.factors:
                todo += reversed(atom.factors)
            else:
                found.append(atom)
        return tuple(found)

    def size(self, dim: Dim) -> Size:
        """The number of elements of a dimension."""
        product = sympy.Integer(1)
        for atom in dim:
            product *= _root(atom).size
        return self.canonical(product)

    # ------------------------------------------------------------------- what an operator forces
    def unify(self, a: Dim, b: Dim) -> None:
        """Make two dimensions one; Mismatch where they cannot be, Whole where that would split."""
        left, right = [list(reversed(self.resolve(x))) for x in (a, b)]
        while left and right:
            x, y = _root(left[-1]), _root(right[-1])
            if x is not y and not x.factors and not y.factors:
                sx, sy = self.canonical(x.size), self.canonical(y.size)
                if sx == sy:
                    self._merge(x, y)
                elif 1 in (sx, sy):  # a size that has since become 1: no factor of the other
                    raise Mismatch(f"sizes {sx} and {sy}")
                elif (rest := quotient(sy, sx)) is not None:
                    self.split(y, (sx, rest))
                elif (rest := quotient(sx, sy)) is not None:
                    self.split(x, (sy, rest))
                elif len(left) == len(right) == 1:
                    self.equate(sx, sy)
                else:
                    raise Mismatch(f"sizes {sx} and {sy}")
            if x is y or x.parent is not None or y.parent is not None:
                left.pop(), right.pop()
                continue
            for side, atom in ((left, x), (right, y)):
                if atom.factors:
                    side[-1:] = reversed(self.resolve((atom,)))
        if left or right:
            raise Mismatch(f"sizes {self.size(a)} and {self.size(b)}")

    def equate(self, a: Size, b: Size) -> None:
        """Take two sizes for equal from now on: the model means nothing where they are not."""
        a, b = self.canonical(a), self.canonical(b)
        if a == b:
            return
        for x, y in ((a, b), (b, a)):
            if x.is_Symbol and x not in y.free_symbols:
                self.equal[x] = y
                return
        for rounded in sorted((a - b).atoms(sympy.floor), key=str):  # n = k ⌊n/k⌋: k divides n
            whole, k = rounded.args[0].as_numer_denom()
            if whole.is_Symbol and k.is_Integer:
                self.equal[whole] = k * self._quotient(f"{whole}/{k}")
                if self.canonical(a) == self.canonical(b):
                    return
        raise Mismatch(f"sizes {a} and {b}")

    def _quotient(self, name: str) -> Size:
        """A symbol of this name, with primes where a dimension of the model has it."""
        taken = {s for atom in self.every for s in atom.size.free_symbols}
        while (found := symbol(name)) in taken:
            name += "′"
        self.quotients.add(found)
        return found

    def at_most(self, a: Size, b: Size) -> None:
        """Take a size to be at most another from now on: what is read is not read of others, of
        fewer tokens say."""
        a, b = self.canonical(a), self.canonical(b)
        if not _never_negative(b - a) and (a, b) not in self.limits:
            self.limits.append((a, b))

    def _merge(self, x: Atom, y: Atom) -> None:
        if y.whole or (y.parts and not x.parts):
            x, y = y, x
        if (x.whole and y.parts) or (y.whole and x.parts):
            raise Whole
        if x.parts and y.parts:
            self._same_parts(x, y)
        x.whole = x.whole or y.whole
        y.parent = x

    def _same_parts(self, x: Atom, y: Atom) -> None:
        """Cut the parts of two sums until they have the same sizes, then make each pair one."""
        left, right = [self.leaves(atom) for atom in (x, y)]
        k = 0
        while k < len(left) and k < len(right):
            p, q = _root(left[k]), _root(right[k])
            sp, sq = self.canonical(p.size), self.canonical(q.size)
            if p is not q and sp != sq:
                less = sympy.expand(sq - sp)
                if not (less.is_positive or less.is_negative) or p.factors or q.factors:
                    raise Mismatch(f"parts of sizes {sp} and {sq}")
                if less.is_positive:
                    self.cut(q, (sp, less))
                    right[k : k + 1] = list(q.parts)
                else:
                    self.cut(p, (sq, -less))
                    left[k : k + 1] = list(p.parts)
                continue
            self.unify((p,), (q,))
            k += 1
        if len(left) != len(right):
            raise Mismatch("sums of parts that do not fit")

    # ------------------------------------------------------------------------ splitting, cutting
    def split(self, atom: Atom, sizes: Sequence[Size]) -> None:
        """Make an atom the product of atoms of these sizes, outermost first."""
        atom = _root(atom)
        if atom.whole:
            raise Whole
        if atom.parts:
            raise Mismatch(f"a split of {atom.hint}, which is cut into parts")
        atom.factors = tuple(a for s in sizes for a in self.new(s, _named(s, atom.hint)))

    def cut(self, atom: Atom, sizes: Sequence[Size]) -> None:
        """Make an atom the sum of atoms of these sizes, first to last."""
        atom = _root(atom)
        if atom.whole:
            raise Whole
        if atom.factors or atom.parts:
            raise Mismatch(f"a cut of {atom.hint}, which is split already")
        atom.parts = tuple(self._part(s, _named(s, atom.hint)) for s in sizes)

    def _part(self, size: Size, hint: str) -> Atom:
        self.every.append(Atom(self.canonical(size), hint))
        return self.every[-1]

    def join(self, dims: Sequence[Dim], hint: str) -> Dim:
        """A dimension that is one after the other of these. What is joined of several atoms is a
        part with these as its factors."""
        parts: list[Atom] = []
        for dim in dims:
            own = self.resolve(dim)
            if len(own) > 1 and any(leaf.whole for a in own for leaf in self.leaves(a)):
                raise Mismatch("a join of the axis in question, merged with others")
            if len(own) == 1:
                parts.append(own[0])
            else:
                parts.append(self._part(self.size(own), hint))
                parts[-1].factors = own
        if sum(len(self.leaves(p)) for p in parts) > MOST_PARTS:
            raise Mismatch(f"a join of more than {MOST_PARTS} parts")
        total = self.canonical(sum(p.size for p in parts))
        self.every.append(Atom(total, hint, parts=tuple(parts)))
        return (self.every[-1],)

    def leaves(self, atom: Atom) -> list[Atom]:
        """The parts of an atom, of parts too, in order; an atom without parts is its own."""
        found: list[Atom] = []
        todo = [_root(atom)]
        while todo:
            a = _root(todo.pop())
            if a.parts:
                todo += reversed(a.parts)
            else:
                found.append(a)
        return found

    def pieces(self, atom: Atom, start: Size, stop: Size) -> tuple[int, int]:
        """Which leaves of an atom are its positions start … stop − 1; it is cut where need be. One
        atom may be several of its parts: a cut of the last one makes more of those before it."""
        ends = self.canonical(start), self.canonical(stop)
        for at in ends:
            self._boundary(atom, at)
        return self._boundary(atom, ends[0]), self._boundary(atom, ends[1])

    def _boundary(self, atom: Atom, at: Size) -> int:
        """The number of the leaf that begins at a position, which is made to begin there: wrong
        where one is cut for that, as others may be that are the same."""
        begin = sympy.Integer(0)
        for k, leaf in enumerate(self.leaves(atom)):
            if sympy.expand(at - begin) == 0:
                return k
            end = self.canonical(begin + leaf.size)
            inside = sympy.expand(end - at)
            if inside.is_positive and sympy.expand(at - begin).is_positive:
                self.cut(leaf, (sympy.expand(at - begin), inside))
                return k + 1
            if not inside.is_nonpositive:
                raise Mismatch(f"position {at} of {atom.hint}, of size {atom.size}")
            begin = end
        if sympy.expand(at - begin) == 0:
            return len(self.leaves(atom))
        raise Mismatch(f"position {at} of {atom.hint}, of size {atom.size}")

    # ------------------------------------------------------------------------- in the calculus
    def set(self, atom: Atom) -> Set:
        """The index set of an atom: a symbol, a point; a sum, its parts to the right; of a part
        that was split a product, its factors to the right."""
        atom = _root(atom)
        if atom.parts:
            return of_sets("+", [self.set(a) for a in self.leaves(atom)])
        if atom.factors:
            return of_sets("×", [self.set(a) for a in self.resolve((atom,))])
        if atom.size == 1 and not atom.whole:
            return POINT
        return Set(self.name(atom))

    def name(self, atom: Atom) -> str:
        """The name of an atom's set: what people call it, with primes where others do too."""
        atom = _root(atom)
        if atom not in self.names:
            taken, name = set(self.names.values()), atom.hint
            while name in taken:
                name += "′"
            self.names[atom] = name
        return self.names[atom]


def of_sets(operation: str, sets: Sequence[Set]) -> Set:
    """A + (B + (C + …)), or the same with ×."""
    whole = sets[-1]
    for s in reversed(sets[:-1]):
        whole = Set(operation, (s, whole))
    return whole
