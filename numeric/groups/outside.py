"""A concrete witness for a permutation outside the layer's group, as a file that `replay` checks.

Of the bias: with W_Q = 0 each row of weights is the softmax of a row of B̃ alone. Where −∞ and a
number meet, a weight is 0 on one side. Else let j be where B̃[σi, σj] − B̃[i, j] is largest: not all
gains are equal (both rows have the maximum 0), and so the weight at j is larger there. Of added
rows and of rotations see symbolic/witness/group_file.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from orderproof.symbolic.witness.group_file import (
    GroupWitness,
    RotationWitness,
    RowsWitness,
    WeightsWitness,
)
from orderproof.symbolic.witness.group_replay import GroupReplay, check

from .automorphisms import EngineError, Group, Permutation, keeps
from .exact_matrix import Number
from .symmetry import Layer


def outside(layer: Layer, sigma: Sequence[int], source: str) -> GroupReplay | None:
    """The witness that the layer does not commute with σ, confirmed by the replay; None where σ is
    in the group. Raises EngineError where σ is outside and no witness is confirmed."""
    if keeps(layer.colours, sigma):
        return None
    found = _of_heads(layer, sigma, source) or _of_rows(layer, sigma, source)
    replayed = None if found is None else check(found)
    if replayed is None or not replayed.ok:
        raise EngineError(f"{list(sigma)} is outside the group, and no witness was confirmed")
    return replayed


def examples(group: Group) -> list[Permutation]:
    """Swaps outside the group: of two tokens of different orbits, and of two tokens of one orbit
    that is no symmetry; of neighbours where there are such."""
    place = {t: k for k, orbit in enumerate(group.orbits) for t in orbit}
    twin = {t: k for k, twins in enumerate(group.twins) for t in twins}

    def swap(a: int, b: int) -> Permutation:
        sigma = list(range(group.n))
        sigma[a], sigma[b] = b, a
        return tuple(sigma)

    def interchangeable(a: int, b: int) -> bool:
        return a in twin and twin[a] == twin.get(b)

    across = [(a, a + 1) for a in range(group.n - 1) if place[a] != place[a + 1]]
    within = [
        (a, b) for orbit in group.orbits for a, b in _pairs(orbit) if not interchangeable(a, b)
    ]
    return [swap(*pairs[0]) for pairs in (across, within) if pairs]


def _pairs(orbit: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Neighbours in an orbit. Where each such swap is a symmetry, all swaps of the orbit are."""
    yield from pairwise(orbit)


def _of_heads(layer: Layer, sigma: Sequence[int], source: str) -> GroupWitness | None:
    index = np.asarray(sigma)
    for h, head in enumerate(layer.heads):
        there = head.ids[np.ix_(index, index)]
        rows = np.flatnonzero((there != head.ids).any(axis=1))
        if not len(rows):
            continue
        i = int(rows[0])
        hidden = [head.values[k] is None for k in range(len(head.values))]
        masks = [np.array(hidden)[ids[i]] for ids in (head.ids, there)]
        if (masks[0] != masks[1]).any():
            column = int(np.flatnonzero(masks[0] != masks[1])[0])
        elif layer.kind == "R":
            column = int(np.flatnonzero((there[i] != head.ids[i]) & ~masks[0])[0])
        else:
            column = _largest_gain([head.number(k) for k in head.ids[i]],
                                   [head.number(k) for k in there[i]])  # fmt: skip
        if layer.kind == "R" and (masks[0] == masks[1]).all():
            return RotationWitness(source, tuple(sigma), i, column)
        of_row, of_image = ([head.number(k) for k in head.ids[r]] for r in (i, int(index[i])))
        if layer.kind == "R":  # W_Q = 0: nothing is left of a rotation, and of its mask all
            of_row, of_image = ([None if v is None else Fraction(0) for v in row]
                                for row in (of_row, of_image))  # fmt: skip
        term = "keys" if layer.kind == "A" else "bias beside rows" if layer.table else "bias"
        rows_given = tuple(of_row), tuple(of_image)
        return WeightsWitness(source, tuple(sigma), term, h, i, column, *rows_given)
    return None


def _largest_gain(here: Sequence[Number], there: Sequence[Number]) -> int:
    """The first place where there − here is largest."""
    gains = {
        k: b - a
        for k, (a, b) in enumerate(zip(here, there, strict=True))
        if a is not None and b is not None
    }
    return max(gains, key=lambda k: (gains[k], -k))


def _of_rows(layer: Layer, sigma: Sequence[int], source: str) -> GroupWitness | None:
    """Where an added row changes, in its first feature that does."""
    table = layer.table
    i = next((i for i, s in enumerate(sigma) if table and table[i] != table[s]), None)
    if i is None:
        return None
    feature = next(k for k, v in enumerate(table[i]) if v != table[sigma[i]][k])
    seen: Sequence[int] = range(layer.n)
    for head in layer.heads:
        seen = [k for k in seen if head.values[head.ids[i, k]] is not None]
    kind = "sines" if layer.sines else "numbers"
    entries = tuple(row[feature] for row in table)
    return RowsWitness(source, tuple(sigma), kind, entries, i, tuple(seen))
