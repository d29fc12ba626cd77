"""The groups of coloured matrices: against all n! permutations, and against nauty."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from sympy.combinatorics import Permutation, PermutationGroup

import orderproof
from orderproof.numeric.groups import individualisation, symmetry
from orderproof.numeric.groups import names as group_names
from orderproof.numeric.groups.automorphisms import EngineError, Group, group, keeps
from orderproof.numeric.groups.bias_matrices import position
from orderproof.numeric.groups.exact_matrix import MatrixError
from orderproof.numeric.groups.individualisation import GaveUp, Search
from orderproof.numeric.groups.refinement import hashed, numbered, pairs, refine
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES
from tests.oracles.permutation_groups import by_nauty, elements, listed

Matrix = NDArray[np.int64]


def generated(found: Group) -> set[tuple[int, ...]]:
    """All elements of a small group from its generators."""
    return set(elements(found.n, found.generators, 10_000))


def counted_alike(found: Group, matrix: Matrix) -> bool:
    """Whether nauty counts as many: in floats, but what is generated has a multiple of its order,
    or a part."""
    return math.isclose(found.order, by_nauty(matrix), rel_tol=1e-9)


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
        assert found.order == len(listed(matrix)) == by_nauty(matrix)


@pytest.mark.parametrize("n", [6, 9, 12, 16, 33, 60])
def test_nauty_finds_the_same_group_of_random_matrices(n: int) -> None:
    """Otherwise the search errs where no listing of permutations reaches."""
    for seed in range(24):
        matrix = random_matrix(seed, n)
        if seed % 2:
            copies = np.kron(np.eye(3, dtype=np.int64), matrix[: n // 3, : n // 3] + 1)
            matrix = shuffled(copies, seed)
        assert counted_alike(group(matrix), matrix), seed


@pytest.mark.parametrize("name", POSITION_SCHEMES)
def test_nauty_finds_the_same_group_of_every_scheme(name: str) -> None:
    """Otherwise the group of a scheme's layer, or of its context, differs between the engines."""
    for n in (7, 12, 24):
        try:
            layer = symmetry.of_scheme(position(name, n))
        except MatrixError:
            continue
        reach = symmetry.reached(layer)
        coloured = [layer.colours, *(symmetry.context_colours(layer, d, reach) for d in (1, 2))]
        for matrix in coloured:
            found = group(matrix)
            assert found.proved and counted_alike(found, matrix), n


# --------------------------------------------------------------------------- strongly regular
def cayley(size: int, steps: set[tuple[int, int]]) -> Matrix:
    """The graph on pairs mod `size` in which these differences are edges."""
    points = list(itertools.product(range(size), repeat=2))
    return np.array([
        [((b[0] - a[0]) % size, (b[1] - a[1]) % size) in steps for b in points] for a in points
    ], dtype=np.int64)  # fmt: skip


SHRIKHANDE = cayley(4, {(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)})
ROOK = cayley(4, {(0, k) for k in (1, 2, 3)} | {(k, 0) for k in (1, 2, 3)})


def paley(p: int) -> Matrix:
    """Edges where the difference is a square mod p."""
    squares = {x * x % p for x in range(1, p)}
    i, j = np.indices((p, p))
    return np.isin((i - j) % p, list(squares)).astype(np.int64)


def triangular(k: int) -> Matrix:
    """Pairs of k points by how many they share: its group is S_k."""
    points = list(itertools.combinations(range(k), 2))
    return np.array([[len({*a} & {*b}) for b in points] for a in points])


def diagonal(blocks: list[Matrix]) -> Matrix:
    """Blocks on the diagonal, and 0 elsewhere."""
    n = sum(map(len, blocks))
    matrix, at = np.zeros((n, n), dtype=np.int64), 0
    for block in blocks:
        matrix[at : at + len(block), at : at + len(block)] = block
        at += len(block)
    return matrix


def shuffled(matrix: Matrix, seed: int = 0) -> Matrix:
    """The matrix with its points in another order."""
    sigma = np.random.default_rng(seed).permutation(len(matrix))
    return matrix[np.ix_(sigma, sigma)]


@pytest.mark.parametrize(
    ("matrix", "order"),
    [
        (SHRIKHANDE, 192),
        (ROOK, 1152),
        (paley(29), 29 * 14),
        (paley(101), 101 * 50),
        (triangular(8), math.factorial(8)),
        (triangular(5) == 0, 120),  # Petersen's graph
        (1 - diagonal([SHRIKHANDE, ROOK]), 192 * 1152),
    ],
)
def test_strongly_regular_graphs(matrix: Matrix, order: int) -> None:
    """Otherwise the search errs where colour refinement tells no two points apart."""
    matrix = shuffled(np.asarray(matrix, dtype=np.int64))
    found = group(matrix)
    assert found.proved and found.order == order and counted_alike(found, matrix)


def test_sixteen_blocks_of_equal_parameters_take_no_time() -> None:
    """Otherwise the search runs away: 8 Shrikhande and 8 rook graphs, which colour refinement
    cannot tell apart, so that the order is proved by exhausting the search."""
    found = group(shuffled(diagonal([SHRIKHANDE] * 8 + [ROOK] * 8)))
    assert found.order == (192 * 1152) ** 8 * math.factorial(8) ** 2
    assert found.proved and not found.tight


def test_an_isomorphism_that_is_missed_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the comparisons with other engines cannot fail: planted, the search tells all
    components apart, or denies every image."""
    matrix = diagonal([SHRIKHANDE, SHRIKHANDE])
    assert group(matrix).order == 2 * 192**2 == by_nauty(matrix)
    monkeypatch.setattr(Search, "_isomorphism", lambda *_: None)
    assert not counted_alike(group(matrix), matrix)
    monkeypatch.undo()
    monkeypatch.setattr(Search, "_matched", lambda *_: None)
    assert not counted_alike(group(SHRIKHANDE), SHRIKHANDE)


def test_a_generator_that_does_not_keep_the_matrix_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise the search's word is taken for it."""
    swap = np.array([0, 1]), np.array([1, 0])
    monkeypatch.setattr(Search, "group", lambda *_: individualisation.Found(2, [swap]))
    i, j = np.indices((4, 4))
    with pytest.raises(EngineError, match="does not keep the matrix"):
        group(abs(i - j))


def test_components_that_do_not_fit_together_are_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise isomorphisms of components that contradict the matrix pass for "none"."""

    def turned(self: Search, a: object, b: object) -> object:
        found = true(self, a, b)  # type: ignore[arg-type]
        return found and (found[0], np.roll(found[1], 1))

    true = Search._isomorphism
    monkeypatch.setattr(Search, "_isomorphism", turned)
    with pytest.raises(EngineError):
        group(diagonal([SHRIKHANDE, SHRIKHANDE]))


def test_what_moves_is_looked_up_entry_by_entry() -> None:
    """Otherwise a permutation passes that changes an entry of a row or a column that it moves."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        matrix, sigma = rng.integers(0, 2, (4, 4)), rng.permutation(4)
        assert keeps(matrix, sigma) == all(
            matrix[sigma[i], sigma[j]] == matrix[i, j] for i in range(4) for j in range(4)
        )


# ----------------------------------------------------------------------------------- the limit
def after(steps: int) -> Callable[[], None]:
    """A check that gives up after so many steps."""
    left = itertools.count(steps, -1)

    def check() -> None:
        if next(left) <= 0:
            raise GaveUp

    return check


@pytest.mark.parametrize(
    ("parts", "stops"),
    [
        ((2, 1), range(0, 240, 30)),
        pytest.param((3, 2), range(0, 400, 25), marks=pytest.mark.slow),
    ],
)
def test_a_search_that_gives_up_leaves_a_checked_lower_bound(
    parts: tuple[int, int], stops: range
) -> None:
    """Otherwise an interrupted search is called proved, or gives a group that is too large; or a
    generator that was found is lost."""
    matrix = shuffled(diagonal([SHRIKHANDE] * parts[0] + [ROOK] * parts[1]))
    whole, orders = group(matrix), []
    for steps in (*stops, 10**6):
        found = group(matrix, after(steps))
        assert all(keeps(matrix, sigma) for sigma in found.generators)
        perms = [Permutation(list(s)) for s in found.generators]
        reached = PermutationGroup(perms).order() if perms else 1
        assert found.order <= reached <= whole.order and whole.order % reached == 0
        assert found.proved == (found.order == whole.order), steps
        if not found.proved:
            assert group_names.name(found) is None
        orders.append(found.order)
    assert orders[0] == 1 and orders[-1] == whole.order and len(set(orders)) > 3


def test_the_clock_gives_up() -> None:
    """Otherwise a limit in seconds is not kept."""
    assert not group(SHRIKHANDE, individualisation.until(0)).proved
    assert group(SHRIKHANDE, individualisation.until(math.inf)).proved


def test_no_module_imports_the_engine_that_is_compared_with() -> None:
    """Otherwise a package under Apache-2.0 needs one under the GPL."""
    folder = Path(orderproof.__file__).resolve().parents[1]
    for file in (f for part in ("orderproof", "numeric", "symbolic", "proofs")
                 for f in (folder / part).rglob("*.py")):  # fmt: skip
        said = re.search(r"^ *(?:import|from) +pynauty", file.read_text("utf-8"), re.M)
        assert not said, file


def test_refinement_never_parts_an_orbit() -> None:
    """Otherwise the upper bound is too small, and a symmetry would be denied."""
    for seed in range(40):
        matrix = random_matrix(seed, 6)
        colour, _ = refine(hashed(pairs(matrix)), np.diagonal(matrix))
        for orbit in group(matrix).orbits:
            assert len({int(colour[t]) for t in orbit}) == 1


def test_refinement_does_not_depend_on_the_numbering() -> None:
    """Otherwise isomorphic components are told apart, by colours or by the trace."""
    for seed in range(40):
        matrix = random_matrix(seed, 9)
        sigma = np.random.default_rng(seed).permutation(9)
        colour, trace = refine(hashed(pairs(matrix)), np.diagonal(matrix))
        moved = matrix[np.ix_(sigma, sigma)]
        again, same = refine(hashed(pairs(moved)), np.diagonal(moved))
        assert trace == same and (again == colour[sigma]).all()
    traces = {refine(hashed(pairs(m)), np.zeros(16))[1] for m in (SHRIKHANDE, ROOK, 1 - ROOK)}
    assert len(traces) == 2  # of the same parameters, and of others


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
            numbered(m).tolist() == np.unique(m, return_inverse=True)[1].reshape(m.shape).tolist()
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


def test_a_swap_in_a_cycle_makes_all_permutations_where_it_is_of_neighbours() -> None:
    """Otherwise a group is called symmetric for a cycle and a swap of places that are not next to
    each other in it, as the corners of a square are not."""
    around = (*range(1, 66), 0)
    for other, symmetric in ((1, True), (65, True), (33, False)):
        swap = list(range(66))
        swap[0], swap[other] = other, 0
        assert group_names._is_symmetric(range(66), [around, tuple(swap)]) is symmetric
