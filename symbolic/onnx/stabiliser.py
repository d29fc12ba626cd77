"""Which permutations leave the constants of the hypotheses as they are, at given sizes.

A constant is an array there, as onnxruntime computes it; 0 and −0 are one number. σ moves it along
the axes that have the tokens on them; of a sum of sets, the tokens' part alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sympy import combinatorics
from sympy.combinatorics import PermutationGroup

from orderproof.symbolic.calculus.terms import Map
from orderproof.symbolic.derive.equations import slots
from orderproof.symbolic.readings.index_arrays import IndexArrays

from .arrays import Evaluator
from .atoms import symbol
from .graph import Array
from .naturality import SIGMA, Hypothesis

Permutation = tuple[int, ...]  # σ(0), …, σ(n − 1)


@dataclass(frozen=True)
class Constants:
    """The arrays of hypotheses at given sizes, and the sizes of index sets."""

    hypotheses: tuple[Hypothesis, ...]
    arrays: tuple[Array, ...]  # of a place: its position
    sizes: dict[str, int]
    depends: dict[str, int]  # other dynamic dimensions that the arrays depend on, and their sizes
    sizes_of_model: Mapping[str, int]  # of all dynamic dimensions

    def fixed(self, sigma: Permutation) -> bool:
        """Whether σ leaves every constant as it is."""
        indices = IndexArrays(self.sizes, {SIGMA: sigma})
        return all(
            np.array_equal(_acted(array, h.motion, indices), array)
            if h.place is None
            else sigma[int(array)] == int(array)
            for h, array in zip(self.hypotheses, self.arrays, strict=True)
        )


def _acted(array: Array, motion: Sequence[Map | None], indices: IndexArrays) -> Array:
    tables = [
        indices.table(m) if m is not None else np.arange(k)
        for m, k in zip(motion, array.shape, strict=True)
    ]
    return np.asarray(array[np.ix_(*tables)] if tables else array)


def constants(
    hypotheses: Sequence[Hypothesis], evaluator: Evaluator, own: Container[str]
) -> Constants:
    """The hypotheses at the sizes of an evaluator; `own` are the dimensions of the axis itself."""
    evaluator.asked.clear()
    arrays = tuple(
        np.asarray(evaluator.size(h.place))
        if h.node is None or h.leaf is None
        else evaluator.leaf(h.leaf)  # bit for bit
        if h.node.op.kind == "leaf"
        else evaluator.term(slots(h.node), np.float64)
        for h in hypotheses
    )
    canonical = evaluator.reader.atoms.canonical
    names = {str(s) for size in evaluator.asked for s in canonical(size).free_symbols}
    for h in hypotheses:
        given = evaluator.reader.varying.get(h.leaf.source, frozenset()) if h.leaf else ()
        names |= {str(s) for x in given for s in canonical(symbol(x)).free_symbols}
    depends = {
        x: evaluator.sizes[x] for x in sorted(names) if x in evaluator.sizes and x not in own
    }
    return Constants(tuple(hypotheses), arrays, evaluator.set_sizes(), depends, evaluator.sizes)


def transpositions(n: int) -> Iterator[Permutation]:
    """The swaps of neighbours, which generate all permutations."""
    for k in range(n - 1):
        yield (*range(k), k + 1, k, *range(k + 2, n))


def generating(n: int) -> list[Permutation]:
    """Two permutations that generate all: a swap, and the cycle of all places."""
    return [(1, 0, *range(2, n)), (*range(1, n), 0)] if n > 1 else []


def stabiliser(found: Sequence[Constants], n: int) -> list[Permutation]:
    """All permutations of n places that leave the constants as they are, by listing: n ≤ 7."""
    return [s for s in itertools.permutations(range(n)) if all(c.fixed(s) for c in found)]


def generators(group: Sequence[Permutation]) -> list[Permutation]:
    """Few permutations that generate a group given by its elements."""
    every, found = set(group), list[Permutation]()
    have = {tuple(range(len(group[0])))}
    for s in sorted(every):
        if s not in have:
            found.append(s)
            have = closure(found)
    return found


def closure(generators: Sequence[Permutation]) -> set[Permutation]:
    """The group that permutations generate."""
    group = PermutationGroup([combinatorics.Permutation(g) for g in generators])
    return {*map(tuple, group.generate(af=True))}


def double_cosets(group: Sequence[Permutation], n: int) -> list[Permutation]:
    """A representative of each double coset G σ G but G itself: if σ is no symmetry of a function
    of which all of G are symmetries, no element of GσG is one."""
    left = set(itertools.permutations(range(n))) - set(group)
    found = []
    while left:
        s = min(left)
        found.append(s)
        left -= {tuple(a[s[b[k]]] for k in range(n)) for a in group for b in group}
    return found
