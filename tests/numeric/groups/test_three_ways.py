"""Groups by search, by types of tokens, and by what else there is: by listing what keeps a matrix,
and by the formulas of schemes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from orderproof.numeric.groups import closed_forms, symmetry, three_ways, types
from orderproof.numeric.groups.automorphisms import EngineError, group
from orderproof.numeric.groups.bias_matrices import SCHEMES, Options, position
from orderproof.numeric.groups.exact_matrix import Exact, MatrixError, masked, with_masks
from orderproof.numeric.groups.symmetry import Layer
from orderproof.numeric.groups.types import Terms
from tests.oracles.permutation_groups import elements, listed

DEPTHS = 4
DEFAULTS = Options()
Groups = list[set[tuple[int, ...]]]  # of the layer, and of the context at depth 1, …, DEPTHS


def by_types(terms: Terms) -> Groups:
    """Every permutation, by the types of tokens that all differ."""
    every = list(itertools.permutations(range(terms.n)))
    fixing = [s for s in every if s[-1] == terms.n - 1]
    kept = [types.layer_keeps(terms, every), *types.context_keeps(terms, fixing, DEPTHS)]
    tried = [every, *[fixing] * DEPTHS]
    return [
        {s for s, yes in zip(ss, ks, strict=True) if yes}
        for ss, ks in zip(tried, kept, strict=True)
    ]


def coloured(layer: Layer) -> list[np.ndarray]:
    """The matrices whose groups `symmetry` searches for."""
    reach = symmetry.reached(layer)
    contexts = [symmetry.context_colours(layer, d, reach) for d in range(1, DEPTHS + 1)]
    return [layer.colours, *contexts]


def by_search(layer: Layer) -> Groups:
    """The elements of the groups that are found."""
    found = [group(m) for m in coloured(layer)]
    return [set(elements(layer.n, g.generators, g.order)) for g in found]


def by_formula(name: str, n: int, options: Options) -> dict[int, int]:
    """The orders of the layer (0) and of the context by depth, where there are formulas: from three
    tokens on, and of a circle from five."""
    if n < (5 if name == "circulant-even" else 3):
        return {}
    try:
        answer, _, _ = closed_forms.answer(name, n, options)
    except MatrixError:
        return {}
    orders = {d: g.order for d, g in answer.context.items() if d <= DEPTHS}
    return (
        orders
        | dict.fromkeys(range(answer.limit, DEPTHS + 1), answer.context[answer.limit].order)
        | {0: answer.layer.order}
    )


def schemes(largest: int) -> Iterator[tuple[str, int]]:
    """Every scheme at every size at which it is defined."""
    for name, scheme in SCHEMES.items():
        for n in range(1 + scheme.extra, largest + 1):
            if scheme.fits(n):
                yield name, n


def random_masks(count: int, largest: int) -> Iterator[list[Exact]]:
    """One or two heads of masks; some have few entries, some most."""
    rng = np.random.default_rng(0)
    for _ in range(count):
        n = int(rng.integers(2, largest + 1))
        heads = []
        for _ in range(int(rng.integers(1, 3))):
            allowed = rng.random((n, n)) < rng.choice([0.2, 0.5, 0.8])
            allowed[np.arange(n), rng.integers(0, n, n)] = True
            heads.append(allowed)
        yield with_masks([], heads)


def of_scheme(name: str, n: int, options: Options = DEFAULTS) -> int:
    """How many groups agree, of those that are compared; a difference is an error."""
    found = position(name, n, options)
    layer = symmetry.of_scheme(found)
    ours, formulas = by_types(types.of_scheme(found)), by_formula(name, n, options)
    for k, (a, b, m) in enumerate(zip(ours, by_search(layer), coloured(layer), strict=True)):
        assert a == b == listed(m) and formulas.get(k, len(a)) == len(a), (name, n, k)
    return len(ours)


def of_masks(heads: list[Exact]) -> int:
    """The same of masks; the second way is to list what keeps the matrix."""
    layer = symmetry.of_heads(heads)
    ours, searched = by_types(Terms(tuple(heads))), by_search(layer)
    for a, b, matrix in zip(ours, searched, coloured(layer), strict=True):
        assert a == b == listed(matrix)
    return len(ours)


def test_schemes_agree() -> None:
    """One of the three ways would be wrong about a scheme, at three tokens or fewer."""
    assert sum(of_scheme(name, n) for name, n in schemes(3)) == 5 * len(list(schemes(3)))


def test_random_masks_agree() -> None:
    """One of the three ways would be wrong about a mask."""
    assert sum(map(of_masks, random_masks(12, 4))) == 60


@pytest.mark.slow  # every scheme up to six tokens, and 500 masks
def test_three_ways_agree() -> None:
    """The same at every size of which all permutations are tried."""
    assert sum(of_scheme(name, n) for name, n in schemes(6)) == 5 * len(list(schemes(6)))
    assert sum(map(of_masks, random_masks(500, 6))) == 2500
    for n in (4, 6):
        for k in range(4):
            for name, option in (("window", "window"), ("window-causal", "window"),
                                 ("prefix", "prefix"), ("shaw", "clip")):  # fmt: skip
                of_scheme(name, n, Options(**{option: k}))  # type: ignore[arg-type]
        for sizes in ((1, n - 1), (n - 2, 2), (n,), (2, 1, n - 3)):
            of_scheme("blocks", n, Options(blocks=sizes))
            of_scheme("blocks-causal", n, Options(blocks=sizes))
            of_scheme("documents", n + 1, Options(blocks=sizes))


# --------------------------------------------------------------------------- planted falsehoods
def test_an_engine_without_heads_is_caught() -> None:
    """The comparison would not notice that only the first head is read."""
    caught = 0
    for heads in random_masks(25, 4):
        ours = by_types(Terms(tuple(heads[:1])))
        caught += ours != by_search(symmetry.of_heads(heads))
    assert caught > 3


def test_an_engine_without_multiplicities_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison would not notice that it is not asked how much of a type is seen: tokens that
    attend to the same ones with other weights would be alike."""
    monkeypatch.setattr(types, "equal_shares", lambda a, b, kind="B": a.keys() == b.keys())
    monkeypatch.setattr(
        types._Head, "looks",
        lambda self, now, rng: np.zeros((sum(t.size for t in now), 1), dtype=np.int64),
    )  # fmt: skip
    with pytest.raises(AssertionError, match="alibi"):
        of_scheme("alibi", 3)


def test_an_engine_without_the_own_type_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison would not notice types that forget what they were: no skip."""

    def forgetful(heads: object, now: tuple[types.Integers, ...]) -> tuple[types.Integers, ...]:
        return now

    monkeypatch.setattr(types, "_refined", forgetful)
    with pytest.raises(AssertionError):
        of_scheme("causal", 3)


# ------------------------------------------------------------------------- behind the command
def layer_of(name: str, n: int) -> Layer:
    """The layer of a named scheme."""
    return symmetry.of_scheme(position(name, n))


@pytest.mark.parametrize(
    ("name", "n", "said"),
    [
        ("window", 5, "give the same groups: 120 σ tried."),
        ("learned", 1, "give the same groups: 1 σ tried."),
        ("rope", 4, "give the same groups: 24 σ tried."),
        ("alibi", 12, "agree: 1 generator was tried."),
        ("none", 12, "agree: 6 generators were tried."),
        ("learned", 12, ""),
        ("none", 65, ""),
    ],
)
def test_what_is_confirmed_is_said(name: str, n: int, said: str) -> None:
    """The command would claim a comparison that was not made, or hide one."""
    layer = layer_of(name, n)
    found = three_ways.agreement(layer, symmetry.answer(layer))
    assert found == (f"{three_ways.SAID} {said}" if said else "")


def test_a_wrong_group_is_refused() -> None:
    """The command would print a group that types contradict: too large, too small, or another."""
    for n in (5, 12):
        layer, other = layer_of("alibi", n), layer_of("circulant", n)
        with pytest.raises(EngineError, match="is in the group, and changes the type"):
            three_ways.agreement(layer, symmetry.answer(other))
    layer = layer_of("alibi", 5)
    right = symmetry.answer(layer)
    small = replace(right, layer=symmetry.answer(layer_of("learned", 5)).layer)
    with pytest.raises(EngineError, match="has order 1, and 2 σ keep all types"):
        three_ways.agreement(layer, small)
    stopped = replace(small, layer=replace(small.layer, proved=False))
    assert three_ways.agreement(layer, stopped)
    deep = layer_of("none", 5)
    with pytest.raises(EngineError, match="the context at depth 2"):
        mixed = symmetry.answer(layer_of("causal", 5))
        context = {**mixed.context, 2: symmetry.answer(deep).context[1]}
        three_ways.agreement(layer_of("causal", 5), replace(mixed, context=context))


def test_heads_with_a_bias_beside_masks() -> None:
    """Terms of a layer would lose its bias, its mask or its rows."""
    bias = symmetry.of_scheme(position("alibi", 4)).heads[0]
    allowed = np.tril(np.ones((4, 4), dtype=bool))
    layer = symmetry.of_heads([bias, masked(bias, allowed)])
    assert three_ways.terms_of(layer).heads == layer.heads
    documents = layer_of("documents", 5)
    assert three_ways.terms_of(documents).rows == documents.table
