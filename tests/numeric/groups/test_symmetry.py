"""The symmetry groups of schemes: against all n! permutations of a model in floats that shares no
code with them, and against the formulas."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from orderproof.numeric.groups import symmetry
from orderproof.numeric.groups.bias_matrices import position
from orderproof.numeric.groups.exact_matrix import Exact, MatrixError, masked
from orderproof.numeric.groups.symmetry import Layer
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES
from tests.numeric.groups.matrices import of_integers
from tests.oracles.permutation_groups import elements

Floats = NDArray[np.float64]


def layer_of(name: str, n: int, **options: object) -> Layer:
    """The layer of a named scheme."""
    return symmetry.of_scheme(position(name, n, **options))


def orders(name: str, n: int, **options: object) -> tuple[int, int, int, int]:
    """The orders of the layer, and of the context at depth 1, 2 and in the limit."""
    found = symmetry.answer(layer_of(name, n, **options))
    context = found.context
    return found.layer.order, context[1].order, context[2].order, context[found.limit].order


def floats(head: Exact) -> Floats:
    """A head in floats."""
    rows = [[head.entry(i, j) for j in range(head.n)] for i in range(head.n)]
    return np.array([[-np.inf if v is None else float(v) for v in row] for row in rows])


def attend(x: Floats, layer: Layer, weights: Floats) -> Floats:
    """The sum over heads of attention with the layer's position terms, from the definitions: a
    bias; keys a(i, j), random for each value of the entry; queries and keys turned by an offset."""
    total = np.zeros_like(x)
    for head, (w_q, w_k, w_v) in zip(layer.heads, weights, strict=True):
        q, k, entries = x @ w_q, x @ w_k, floats(head)
        scores = q @ k.T
        if layer.kind == "A":
            keys = np.random.default_rng(1).normal(size=(len(head.values), x.shape[1]))
            scores = scores + np.einsum("ic,ijc->ij", q, keys[head.ids])
        elif layer.kind == "R":
            turn = np.exp(1j * np.where(np.isinf(entries), 0, entries))
            z = (v[:, 0] + 1j * v[:, 1] for v in (q, k))
            u, v = z
            scores = (u[:, None].conj() * turn * v).real + np.outer(q[:, 2], k[:, 2])
            scores = np.where(np.isinf(entries), -np.inf, scores)
        else:
            scores = scores + entries
        a = np.exp(scores - scores.max(axis=1, keepdims=True))
        total += a / a.sum(axis=1, keepdims=True) @ x @ w_v
    return total


def placed(x: Floats, layer: Layer) -> Floats:
    """The tokens with what is added to them: a random row for each row of the table."""
    rng = np.random.default_rng(2)
    rows = {row: rng.normal(size=x.shape[1]) for row in sorted(set(layer.table))}
    return x + np.array([rows[row] for row in layer.table]) if rows else x


def last_output(x: Floats, layer: Layer, weights: Sequence[Floats]) -> Floats:
    """The last token after layers with skips and a row-wise map between."""
    x = placed(x, layer)
    for each in weights:
        x = x + attend(x, layer, each)
        x = x + np.tanh(x)
    return x[-1]


def with_heads(layer: Layer) -> Layer:
    """The layer with a head of no bias where it has none."""
    return layer if layer.heads else replace(layer, heads=(of_integers(np.zeros((layer.n,) * 2)),))


def seen(layer: Layer, depth: int, seed: int) -> set[tuple[int, ...]]:
    """The σ that fix the last token and leave its output alike, of all (n − 1)!, in floats."""
    layer = with_heads(layer)
    n, d = layer.n, 3
    rng = np.random.default_rng(seed)
    weights = [rng.normal(size=(len(layer.heads), 3, d, d)) * 0.35 for _ in range(depth)]
    x = rng.normal(size=(n, d))
    before = last_output(x, layer, weights)
    found = set()
    for s in itertools.permutations(range(n - 1)):
        sigma = (*s, n - 1)
        if np.abs(last_output(x[list(sigma)], layer, weights) - before).max() < 1e-11:
            found.add(sigma)
    return found


def layer_group(layer: Layer) -> int:
    """How many of all n! permutations commute with a layer of random weights, in floats."""
    layer = with_heads(layer)
    n, d = layer.n, 3
    rng = np.random.default_rng(n)
    weights = rng.normal(size=(len(layer.heads), 3, d, d)) * 0.35
    x = rng.normal(size=(n, d))
    out = attend(placed(x, layer), layer, weights)
    return sum(
        bool(np.abs(attend(placed(x[list(s)], layer), layer, weights) - out[list(s)]).max() < 1e-11)
        for s in itertools.permutations(range(n))
    )


def random_heads(seed: int) -> list[Exact]:
    """One or two heads of 2 to 5 tokens with entries 0, 1 and −∞; rows often equal."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    heads = []
    for _ in range(int(rng.integers(1, 3))):
        allowed = rng.random((n, n)) < 0.5
        allowed[np.arange(n), rng.integers(0, n, n)] = True
        entries = rng.integers(0, 2, (n, n))
        if seed % 2:
            copied = rng.integers(0, n, n)
            allowed, entries = allowed[copied], entries[copied]
        heads.append(masked(of_integers(entries), allowed))
    return heads


# ------------------------------------------------------------------------------------- in floats
@pytest.mark.parametrize("most", [5, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", POSITION_SCHEMES)
def test_listing_all_permutations_in_floats_gives_the_order(name: str, most: int) -> None:
    """Otherwise a random layer, or the last token of one, two or three layers with skips, commutes
    with more or fewer permutations than the exact group has."""
    listed = 0
    for n in range(2, most + 1):
        try:
            layer = layer_of(name, n)
        except MatrixError as e:
            assert "blocks of 2" in str(e) or "multiple of 2" in str(e)
            continue
        assert layer_group(layer) == len(set(members(layer))), n
        if n < most:
            check_context(layer)
        listed += 1
    assert listed >= 2


@pytest.mark.parametrize(
    "name",
    [pytest.param("blocks", marks=pytest.mark.slow), "blocks-causal",
     pytest.param("documents", marks=pytest.mark.slow)],
)  # fmt: skip
def test_listing_all_permutations_of_blocks(name: str) -> None:
    """Otherwise blocks commute with other permutations than those found."""
    for n, blocks in ((5, (2, 3)), (5, (2, 2, 1)), (6, (3, 3)), (6, (2, 2, 2))):
        extra = int(name == "documents")
        if n + extra < 7:
            layer = layer_of(name, n + extra, blocks=blocks)
            assert layer_group(layer) == symmetry.group(layer.colours).order
            check_context(layer)


def members(layer: Layer) -> list[tuple[int, ...]]:
    """All elements of the layer's group."""
    found = symmetry.group(layer.colours)
    return list(elements(found.n, found.generators, 1000))


def check_context(layer: Layer, deepest: int = 3) -> None:
    """The context groups at depth 1, 2, 3, against all permutations in floats."""
    reach = symmetry.reached(layer)
    for depth in range(1, deepest + 1):
        found = symmetry.group(symmetry.context_colours(layer, min(depth, len(reach)), reach))
        assert set(elements(found.n, found.generators, 1000)) == seen(layer, depth, 5), depth


@pytest.mark.parametrize("count", [15, pytest.param(60, marks=pytest.mark.slow)])
def test_context_groups_of_random_heads_in_floats(count: int) -> None:
    """Otherwise the statement of the context group is false: rows that are reached in fewer steps
    than is said do matter, or others do."""
    for seed in range(count):
        check_context(symmetry.of_heads(random_heads(seed)))


@pytest.mark.parametrize("n", [4, pytest.param(5, marks=pytest.mark.slow)])
def test_chains_in_which_much_is_out_of_reach(n: int) -> None:
    """Otherwise a row that the last token does not reach, or reaches through a mask late, counts:
    masks with few entries, a chain to the last token, two heads, an added table of two rows."""
    orders = set()
    for seed in range(40):
        rng = np.random.default_rng(seed)
        heads = []
        for _ in range(1 + seed % 2):
            allowed = rng.random((n, n)) < 0.2
            allowed[np.arange(n), rng.integers(0, n, n)] = True
            allowed[n - 1, rng.integers(0, n - 1)] = True
            heads.append(masked(of_integers(rng.integers(0, 2, (n, n)) * (seed % 3 == 0)), allowed))
        layer = symmetry.of_heads(heads)
        if seed % 4 == 3:
            table = tuple((Fraction(int(k)),) for k in rng.integers(0, 2, n))
            layer = symmetry.joined(layer.heads, table)
        check_context(layer, deepest=4)
        orders.add(tuple(g.order for g in symmetry.answer(layer).context.values()))
    assert len(orders) > 4


def test_a_context_group_with_one_row_too_few_is_found_out() -> None:
    """Otherwise the comparison in floats accepts the planted claim that two causal layers see as
    little as one."""
    layer = layer_of("causal", 4)
    one = symmetry.group(symmetry.context_colours(layer, 1, symmetry.reached(layer)))
    claimed = set(elements(4, one.generators, 100))
    assert claimed == seen(layer, 1, 0)
    assert claimed != seen(layer, 2, 0)


# ---------------------------------------------------------------------------------- the formulas
@pytest.mark.parametrize("w", range(5))
def test_windows_in_general(w: int) -> None:
    """Otherwise n! for n <= w + 1, and 2·max(2w + 2 − n, 0)! beyond, is false: it is, for w = 0,
    where a token sees itself alone and every permutation is a symmetry."""
    for n in range(1, 13):
        stated = math.factorial(n) if n <= w + 1 else 2 * math.factorial(max(2 * w + 2 - n, 0))
        found = orders("window", n, window=w)[0]
        assert found == (stated if w else math.factorial(n)), n


def test_prefixes_in_general() -> None:
    """Otherwise a prefix of p tokens leaves other than p! for n > p, or n! for n <= p."""
    for p in range(1, 5):
        for n in range(1, 9):
            assert orders("prefix", n, prefix=p)[0] == math.factorial(min(n, p))


@pytest.mark.parametrize("sizes", [(1, 1), (2, 2), (3, 3, 3, 2), (4, 4, 2, 1, 1), (5, 2, 2)])
def test_blocks_in_general(sizes: tuple[int, ...]) -> None:
    """Otherwise blocks leave other than Π (s!)^m m!, with order inside other than Π m!."""
    counts = {s: sizes.count(s) for s in sizes}
    within = math.prod(math.factorial(s) for s in sizes)
    between = math.prod(math.factorial(m) for m in counts.values())
    n = sum(sizes)
    assert orders("blocks", n, blocks=sizes)[0] == within * between
    assert orders("blocks-causal", n, blocks=sizes)[0] == between
    found = orders("documents", n + 1, blocks=sizes)
    assert found[0] == found[2] == found[3] == between


def test_planes_in_general() -> None:
    """Otherwise a plane keeps other than 1, 4, and 8 where rows and columns are interchangeable."""
    for rows, columns in ((2, 3), (3, 3), (3, 4), (4, 4)):
        n = rows * columns
        assert orders("relative-2d", n, columns=columns)[0] == 1
        assert orders("relative-2d-distance", n, columns=columns)[0] == 4
        assert orders("relative-2d-swap", n, columns=columns)[0] == (8 if rows == columns else 4)


def test_row_constants_do_not_count() -> None:
    """Otherwise B_ij = b_i, which has no stabiliser, is taken to break the symmetry."""
    rows = of_integers(np.repeat(np.arange(5)[:, None], 5, axis=1))
    assert symmetry.group(symmetry.of_heads([rows]).colours).order == 120
    columns = of_integers(np.repeat(np.arange(5)[None], 5, axis=0))
    assert symmetry.group(symmetry.of_heads([columns]).colours).order == 1


def test_heads_meet_each_with_its_own_row_constants() -> None:
    """Otherwise two heads are added up, or one row constant is taken off both."""
    i, j = np.indices((5, 5))
    mirror = of_integers(-abs(i - j) + 7 * i)
    around = of_integers((j - i) % 5)
    assert symmetry.group(symmetry.of_heads([mirror]).colours).order == 2
    assert symmetry.group(symmetry.of_heads([around]).colours).order == 5
    assert symmetry.group(symmetry.of_heads([mirror, around]).colours).order == 1
    assert symmetry.group(symmetry.of_heads([mirror, mirror]).colours).order == 2


def test_an_added_table_keeps_the_permutations_of_equal_rows() -> None:
    """Otherwise additive_position_iff is read wrongly, for the layer or for its last token."""
    rows = tuple((Fraction(k),) for k in (0, 1, 0, 1, 1, 0))
    found = symmetry.answer(symmetry.of_table(rows))
    assert found.layer.order == 36 and found.layer.orbits == ((0, 2, 5), (1, 3, 4))
    assert [found.context[k].order for k in (1, 2)] == [12, 12] and found.limit == 1


def test_nearly_equal_slopes_are_told_apart_and_merged_on_request() -> None:
    """Otherwise a slope of 1/10 stored in floats passes for exact, or --tol does nothing."""
    i, j = np.indices((6, 6))
    stored = (-0.1 * abs(i - j))[2]
    assert len(set((stored[1:] - stored[:-1]).round(12))) < len(set(stored[1:] - stored[:-1]))
    tenths = of_integers(-abs(i - j) * 10**9 + (i == 5) * (j == 0), unit=Fraction(1, 10**10))
    layer = symmetry.of_heads([tenths])
    assert symmetry.group(layer.colours).order == 1
    merged, spans = symmetry.with_tolerance(layer, Fraction(1, 10**6))
    assert symmetry.group(merged.colours).order == 2
    assert len(spans[0]) == 1


def test_the_limit_is_the_first_depth_that_no_longer_changes() -> None:
    """Otherwise the depth that is named is not the least."""
    for name, n, limit in (("window", 8, 6), ("causal", 6, 2), ("none", 6, 1), ("alibi", 6, 1)):
        layer = layer_of(name, n)
        found = symmetry.answer(layer)
        reach = symmetry.reached(layer)
        depths = range(1, len(reach) + 1)
        groups = [symmetry.group(symmetry.context_colours(layer, k, reach)) for k in depths]
        sizes = [g.order for g in groups]
        assert found.limit == limit == 1 + sizes.index(sizes[-1])
