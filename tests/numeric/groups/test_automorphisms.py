"""The groups of coloured matrices: against all n! permutations, and against a second engine."""

from __future__ import annotations

import itertools
import math

import igraph
import numpy as np
import pynauty
import pytest
from numpy.typing import NDArray
from sympy.combinatorics import Permutation, PermutationGroup

from orderproof.numeric.groups import automorphisms
from orderproof.numeric.groups import names as group_names
from orderproof.numeric.groups.automorphisms import Encoded, EngineError, Group, group

Matrix = NDArray[np.int64]


def listed(matrix: Matrix) -> set[tuple[int, ...]]:
    """All permutations that keep the matrix, by trying n! of them entry by entry."""
    n = len(matrix)
    return {
        s
        for s in itertools.permutations(range(n))
        if all(matrix[s[i], s[j]] == matrix[i, j] for i in range(n) for j in range(n))
    }


def generated(found: Group) -> set[tuple[int, ...]]:
    """All elements of a small group from its generators."""
    return set(automorphisms.elements(found.n, found.generators, 10_000))


def by_nauty(matrix: Matrix) -> int:
    """The order of the group by nauty, with an undirected graph of another making: for each colour
    a copy of the out- and the in-points."""
    n = len(matrix)
    colours = sorted(set(matrix.flatten().tolist()))
    edges: dict[int, set[int]] = {}
    cells = [set(range(n))]
    for k, colour in enumerate(colours):
        out, inward = n * (2 * k + 1), n * (2 * k + 2)
        cells += [set(range(out, out + n)), set(range(inward, inward + n))]
        for i in range(n):
            edges.setdefault(i, set()).update({out + i, inward + i})
        for i, j in zip(*np.nonzero(matrix == colour), strict=True):
            edges.setdefault(out + int(i), set()).add(inward + int(j))
    size = n * (2 * len(colours) + 1)
    graph = pynauty.Graph(size, False, {k: list(v) for k, v in edges.items()}, cells)
    _, mantissa, exponent, _, _ = pynauty.autgrp(graph)
    return round(mantissa * 10**exponent)


def random_matrix(seed: int, n: int) -> Matrix:
    """A small matrix of few colours; symmetric, of equal rows, or neither."""
    rng = np.random.default_rng(seed)
    m = rng.integers(0, int(rng.integers(1, 4)), (n, n))
    kind = seed % 4
    if kind == 1:
        m = np.triu(m) + np.triu(m, 1).T
    elif kind == 2:
        m = m[rng.integers(0, n, n)]
    elif kind == 3:
        row, (i, j) = m[0], np.indices((n, n))
        m = row[(j - i) % n]
    return m


@pytest.mark.parametrize("n", range(1, 6))
def test_the_group_is_the_one_that_listing_all_permutations_finds(n: int) -> None:
    """Otherwise a group is too large or too small somewhere among small matrices."""
    for seed in range(60):
        matrix = random_matrix(seed, n)
        found = group(matrix)
        assert generated(found) == listed(matrix), matrix
        assert found.order == len(listed(matrix))


def test_the_group_is_the_listed_one_at_six_tokens() -> None:
    """Otherwise 720 permutations show a group that the engine's count does not."""
    for seed in range(8):
        matrix = random_matrix(seed, 6)
        assert generated(group(matrix)) == listed(matrix)


def test_two_engines_agree() -> None:
    """Otherwise BLISS, or our encoding for it, counts another group than nauty does."""
    for seed in range(60):
        matrix = random_matrix(seed, 4 + seed % 9)
        assert group(matrix).order == by_nauty(matrix), matrix


def test_the_generated_order_by_schreier_and_sims_is_the_count() -> None:
    """Otherwise the generators make a smaller group than is printed."""
    for seed in range(40):
        found = group(random_matrix(seed, 7))
        if found.generators:
            perms = [Permutation(list(s)) for s in found.generators]
            assert PermutationGroup(perms).order() == found.order


def test_an_encoding_without_the_hub_counts_another_group() -> None:
    """Otherwise the planted loss of the hub is harmless: each token attends to the next around a
    circle, of which C_8 keeps 8; out- and in-copies alone allow all 40,320."""
    i, j = np.indices((8, 8))
    matrix = ((j - i) % 8 == 1).astype(np.int64)
    encoded = Encoded(matrix)
    assert encoded.count(np.zeros(8, dtype=np.int64)) == group(matrix).order == 8
    edges = [(a - 8, b - 8) for a, b in encoded.edges.tolist() if a >= 8]
    without = igraph.Graph(n=len(encoded.copies), edges=edges)
    assert without.count_automorphisms(color=encoded.copies.tolist()) == math.factorial(8)


def test_a_generator_that_does_not_keep_the_matrix_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise the engine's word is taken for it."""
    monkeypatch.setattr(Encoded, "generators", lambda *_: [(1, 0, 2, 3)])
    i, j = np.indices((4, 4))
    with pytest.raises(EngineError, match="does not keep the matrix"):
        group(abs(i - j))


def test_a_count_that_the_generators_do_not_reach_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise a wrong count, or a generator left out, is printed as the order."""
    i, j = np.indices((5, 5))
    monkeypatch.setattr(Encoded, "count", lambda *_: 4)
    with pytest.raises(EngineError, match="counts 4"):
        group(abs(i - j))
    monkeypatch.undo()
    monkeypatch.setattr(Encoded, "generators", lambda *_: [])
    with pytest.raises(EngineError, match="generators give 1"):
        group(abs(i - j))


def test_the_engine_is_not_misled_by_the_colours_that_it_leaves_out() -> None:
    """Otherwise a graph of some of the colours, which has more symmetries, answers for all of them:
    around a circle and on a line with one odd entry far from those kept."""
    i, j = np.indices((30, 30))
    for base, order in ((abs(i - j), 2), (np.minimum((j - i) % 30, (i - j) % 30), 60)):
        assert group(base).order == order
        for a, b in ((2, 9), (0, 15), (13, 14)):
            odd = base.copy()
            odd[a, b] = odd[b, a] = 99
            stated = by_nauty(odd)
            assert group(odd).order == stated < order + (stated == order)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        cells = rng.integers(0, 5, (9, 9))[np.ix_(*[np.arange(18) // 2] * 2)]
        matrix = np.where(i[:18, :18] % 2 == j[:18, :18] % 2, cells, cells + 5)
        assert group(matrix).order == by_nauty(matrix)


def test_what_refinement_cannot_tell_is_not_called_proved() -> None:
    """Otherwise an upper bound is claimed where colour refinement leaves room: circles of five and
    of six are both regular of degree 2, and no permutation takes one to the other."""
    m = np.zeros((11, 11), dtype=np.int64)
    for cycle in ([0, 1, 2, 3, 4], [5, 6, 7, 8, 9, 10]):
        for a, b in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
            m[a, b] = m[b, a] = 1
    found = group(m)
    assert found.order == 10 * 12 and not found.proved
    assert found.order == by_nauty(m)


def test_what_is_proved_at_most_scales() -> None:
    """Otherwise the proof of the order fails already for the circle and the line."""
    i, j = np.indices((40, 40))
    for matrix, order in ((abs(i - j), 2), ((j - i) % 40, 40), ((i // 4 == j // 4) * (j <= i), 0)):
        found = group(matrix.astype(np.int64))
        assert found.proved
        assert found.order == (order or math.factorial(10))


def test_refinement_never_parts_an_orbit() -> None:
    """Otherwise the upper bound is too small, and a symmetry would be denied."""
    for seed in range(40):
        matrix = random_matrix(seed, 6)
        hashes = automorphisms._hashed(automorphisms._pairs(matrix))
        colour = automorphisms.refine(hashes, np.diagonal(matrix))
        for orbit in group(matrix).orbits:
            assert len({int(colour[t]) for t in orbit}) == 1


BLOCKS = np.repeat(np.arange(4), 3)
LINE = np.arange(8)


@pytest.mark.parametrize(
    ("matrix", "name"),
    [
        (np.zeros((5, 5)), "S_5"),
        (np.tril(np.ones((4, 4))), "trivial"),
        (BLOCKS[:, None] == BLOCKS, "S_3 ≀ S_4"),
        (abs(LINE[:, None] - LINE), "Z_2 (reversal)"),
        ((LINE - LINE[:, None]) % 8, "C_8"),
        (np.minimum((LINE - LINE[:, None]) % 8, (LINE[:, None] - LINE) % 8), "D_8"),
        (abs(LINE[:, None] - LINE) <= 5, "S_4 × Z_2"),
        ((BLOCKS[:, None] == BLOCKS) & (LINE.repeat(2)[:12, None] >= 0) & np.tri(12, dtype=bool),
         "S_4"),
        (np.isin((LINE[:6] - LINE[:6, None]) % 6, (1, 2, 4, 5)), "S_2 ≀ S_3"),
    ],
)  # fmt: skip
def test_groups_have_their_names(matrix: NDArray[np.float64], name: str) -> None:
    """Otherwise a well-known group is not recognised, or is called by another's name."""
    assert group_names.name(group(matrix.astype(np.int64))) == name


def test_many_equal_blocks_with_order_inside() -> None:
    """Otherwise the group of 80 blocks that keep their order is not named, or takes a minute: each
    level of the chain of stabilisers looks at all points of all generators."""
    block, rank = np.divmod(np.arange(160), 2)
    matrix = (block[:, None] == block) * (2 + rank[:, None] - rank)
    found = group(matrix.astype(np.int64))
    assert found.order == math.factorial(80) and found.proved
    assert group_names.name(found) == "S_80"


def test_numbers_keep_their_order() -> None:
    """Otherwise numbering colours merges two, or large colours fill the memory."""
    for m in (np.array([[3, 0], [7, 3]]), np.array([[10**12, 0], [5, 10**12]])):
        assert (
            automorphisms.numbered(m).tolist()
            == np.unique(m, return_inverse=True)[1].reshape(m.shape).tolist()
        )


def test_a_name_is_of_the_right_order() -> None:
    """Otherwise a name is given that says another order than the count."""
    orders = {"trivial": 1, "Z_2": 2, "Z_2 (reversal)": 2}
    for seed in range(120):
        found = group(random_matrix(seed, 3 + seed % 4))
        name = group_names.name(found)
        if name in orders:
            assert found.order == orders[name]
        elif name is not None and name[:2] in ("S_", "C_", "D_") and name[2:].isdigit():
            k = int(name[2:])
            assert found.order == {"S": math.factorial(k), "C": k, "D": 2 * k}[name[0]]


def test_a_false_name_is_not_given() -> None:
    """Otherwise the group of a square's corners (8) could be taken for C_8, which it is not: no
    element has order 8."""
    i = np.arange(4)
    found = group(np.minimum((i - i[:, None]) % 4, (i[:, None] - i) % 4))
    assert found.order == 8
    assert group_names.name(found) == "S_2 ≀ S_2"
