"""One reading of a graph for one axis: the terms, and what constants are at given sizes.

A graph can be read in more ways than one, each of them right: a constant as long as the axis may be
over its set or over one of its own, and an axis that the model slices may be one set, or a sum.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from orderproof.symbolic.calculus.terms import Set

from .arrays import Evaluator, number
from .atoms import LARGEST_SIZE, Dim, Mismatch, Whole
from .draws import ranges
from .graph import VALUES, Array, Graph, Place, Unsupported
from .naturality import Hypothesis
from .reader import Reader, read
from .run import NotConstant, RunError, Runner
from .stabiliser import Constants, Permutation, constants
from .values import Realised, Value
from .words import NO_RUNNER


@dataclass
class Reading:
    """The terms of a graph's tensors, and the axis in question: its dimension, and the set of the
    tokens that σ permutes, which is all of it or a part."""

    graph: Graph
    asked: Place
    runner: Runner | None
    reader: Reader
    dim: Dim
    cut: bool

    def __post_init__(self) -> None:
        atoms, whole = self.reader.atoms, self.reader.asked
        self.realised, own = Realised(atoms), atoms.resolve(whole)
        one = len(whole) == len(own) == 1 and not own[0].parts
        self.over: Set | None = atoms.set(whole[0]) if one else None

    def value(self, name: str) -> Value | None:
        """A tensor of the graph."""
        return self.reader.values.get(name)

    # ------------------------------------------------------------------------------ sizes
    @property
    def size(self) -> Any:
        """The size of the axis, in the sizes of dynamic dimensions."""
        return self.reader.atoms.size(self.dim)

    @property
    def fixed(self) -> int | None:
        """The size of an axis that has one alone."""
        return int(self.size) if self.size.is_Integer else None

    @property
    def bound(self) -> int | None:
        """The largest size that the model is read for; None where there is none."""
        own = [(a, b) for a, b in self.reader.atoms.limits if self._bounds(a, b)]
        return min((int(b - (a - self.size)) for a, b in own), default=None)

    def _bounds(self, a: Any, b: Any) -> bool:
        """Whether a ≤ b is a bound on the axis itself."""
        return bool(b.is_Integer and sympy.expand(a - self.size).is_Integer)

    def conditions(self) -> tuple[str, ...]:
        """What is taken for given of the sizes, in words; but for the bound."""
        atoms = self.reader.atoms
        equal = [
            f"{b.as_coeff_Mul()[0]} divides {a}"
            if b.free_symbols & atoms.quotients
            else f"{a} = {b}"
            for a, b in atoms.equal.items()
            if a not in atoms.given
        ]
        others = [atoms.canonical(b - a) for a, b in atoms.limits if not self._bounds(a, b)]
        return (*equal, *not_negative(others))

    def scope(self) -> str:
        """The sizes that the reading is about, in words."""
        if self.fixed is not None:
            return f"n = {self.fixed}"
        return "all n" if self.bound is None else f"n <= {self.bound}"

    def sizes_at(self, n: int) -> dict[str, int] | None:
        """The one size at which the axis has n places; None where there is none, or it is made of
        sizes in such a way that there may be several."""
        if self.size.is_Integer:
            return {}
        free = sorted(self.size.free_symbols, key=str)
        if len(free) != 1 or not self.size.is_polynomial(*free) or sympy.degree(self.size) != 1:
            return None
        found = sympy.solve(self.size - n, free[0])
        return {str(free[0]): int(found[0])} if found[0].is_Integer and found[0] > 0 else None

    # -------------------------------------------------------------------------- constants
    def constants(
        self, hypotheses: Sequence[Hypothesis], sizes: Mapping[str, int]
    ) -> Constants | None:
        """The constants at these sizes; None where they cannot be computed."""
        names = sorted({h.leaf.source for h in hypotheses if h.leaf and h.leaf.source})
        try:
            values = self.values_at(names, sizes)
        except (RunError, NotConstant):
            return None
        evaluator = Evaluator(self.reader, self.realised, sizes, values.__getitem__)
        try:
            return constants(hypotheses, evaluator, {str(s) for s in self.size.free_symbols})
        except ValueError:  # of a table: the model means nothing at these sizes
            return None

    def values_at(self, names: Sequence[str], sizes: Mapping[str, int]) -> Mapping[str, Array]:
        """Constants of the graph at these sizes, as the file computes them."""
        if self.runner is None:
            raise RunError(NO_RUNNER)
        return self.runner.constants_at(names, sizes, ranges(self.graph)) if names else {}

    # ------------------------------------------------------------------- the part that moves
    def part(self, n: int) -> tuple[int, int]:
        """The first of the places that σ permutes at n places, and how many they are."""
        atoms, given = self.reader.atoms, self.sizes_at(n) or {}
        start = 0
        for atom in atoms.leaves(atoms.resolve(self.dim)[0]):
            count = number(atoms, atom.size, given)
            if atoms.set(atom) == self.over:
                return start, count
            start += count
        return 0, n

    def embedded(self, sigma: Permutation, n: int) -> Permutation:
        """A permutation of the part as one of all n places."""
        start, count = self.part(n)
        inner = tuple(start + k for k in sigma)
        return (*range(start), *inner, *range(start + count, n))


def not_negative(every: Sequence[Any]) -> list[str]:
    """That these expressions in sizes are at least 0, in words: of those that grow with one size
    the least at which all are."""
    least, found = dict[Any, int](), list[str]()
    for x in map(sympy.expand, every):
        sizes = sorted(x.free_symbols, key=str)
        if len(sizes) == 1 and grows(x):
            (size,) = sizes
            least[size] = max(least.get(size, 0), least_size(x, size))
        elif len(sizes) == 1 and sympy.expand(x + sizes[0]).is_Integer:
            found.append(f"{sizes[0]} <= {sympy.expand(x + sizes[0])}")
        else:
            below = [-t for t in sympy.Add.make_args(x) if t.as_coeff_Mul()[0] < 0]
            found.append(f"{sympy.Add(*below)} <= {sympy.expand(x + sympy.Add(*below))}")
    return [*dict.fromkeys(found), *(f"{size} >= {n}" for size, n in least.items() if n > 1)]


def grows(x: Any) -> bool:
    """Whether an expression does not decrease in any of its sizes."""
    if x.is_Add or isinstance(x, sympy.floor | sympy.ceiling | sympy.Max | sympy.Min):
        return all(map(grows, x.args))
    factor, rest = x.as_coeff_Mul()
    return bool(x.is_number or x.is_Symbol or (factor > 0 and rest is not x and grows(rest)))


def least_size(x: Any, size: Any) -> int:
    """The least size at which an expression that grows with it is at least 0."""
    return bisect_left(range(LARGEST_SIZE), True, 1, key=lambda k: bool(x.subs(size, k) >= 0))


def readings(
    graph: Graph, asked: Place, along: Sequence[Place], runner: Runner | None
) -> Iterator[Reading]:
    """The ways to read a graph, each made when it is needed: first the axis as one set, and
    constants over sets of their own. Mismatch where the axes have not one length."""
    first = reading_of(graph, asked, along, runner)
    yield first
    cuts = sorted(
        first.reader.cuts, key=lambda c: (bool(c.free_symbols), sympy.default_sort_key(c))
    )
    in_parts = [(False, cuts), (True, cuts)] if 0 < len(cuts) <= 4 else []
    for identify, at in [(True, []), *in_parts] if first.fixed is None else []:
        try:
            other = reading_of(graph, asked, along, runner, identify, at)
        except (Mismatch, Whole, Unsupported):
            continue
        yield other


def reading_of(
    graph: Graph,
    asked: Place,
    along: Sequence[Place],
    runner: Runner | None,
    identify: bool = False,
    cuts: Sequence[Any] = (),
) -> Reading:
    """One way to read a graph, as `read` has the options. What is not read when the time is over is
    refused."""
    reader, dim = read(
        graph,
        asked,
        evaluate=None if runner is None else lambda name: runner.run({}, [name])[name],
        relabelled=frozenset(name for name, k in along if k == VALUES),
        identify=identify,
        cuts=cuts,
        along=[place for place in along if place[1] != VALUES],
    )
    return Reading(graph, asked, runner, reader, dim, bool(cuts))
