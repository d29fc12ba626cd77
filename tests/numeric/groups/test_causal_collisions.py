"""The search for two sequences that two causal layers cannot tell apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from orderproof.numeric.groups.bias_matrices import position
from orderproof.numeric.groups.distinguish import of_scheme
from tests.oracles.causal_collisions import (
    Halves,
    TypeOf,
    collisions,
    first_layer,
    types,
)


def letter_alone(letter: int, count: int, t: int) -> Hashable:
    """What no layer tells: the letter, and not its share."""
    return letter


def share_alone(letter: int, count: int, t: int) -> Hashable:
    """A first layer without a skip connection: the share, and not the letter."""
    return Fraction(count, t)


def one_by_one(n: int, type_of: TypeOf) -> list[tuple[str, ...]]:
    """The same sets by comparing all sequences, with up to n/2 letters b."""
    alike = defaultdict(list)
    for word in map("".join, product("ab", repeat=n)):
        if word.count("b") <= n // 2:
            known = [
                type_of("ab".index(x), word[: t + 1].count("b"), t + 1) for t, x in enumerate(word)
            ]
            alike[frozenset(Counter(known).items()), known[-1]].append(word)
    return sorted(tuple(same) for same in alike.values() if len(same) > 1)


@pytest.mark.parametrize("n", [*range(1, 17), pytest.param(24, marks=pytest.mark.slow)])
def test_no_collision_is_known(n: int) -> None:
    """The conjecture would be false already, or a length without collisions would have one."""
    assert collisions(n) == []


@pytest.mark.parametrize("type_of", [first_layer, letter_alone, share_alone])
def test_the_search_finds_what_comparing_all_sequences_finds(type_of: TypeOf) -> None:
    """A search that finds nothing would be one that cannot find anything."""
    for n in range(1, 9):
        assert sorted(collisions(n, type_of)) == one_by_one(n, type_of), n
    assert (collisions(8, type_of) == []) == (type_of is not letter_alone)


def test_collisions_of_the_letters_alone() -> None:
    """The sets would lack sequences, or join those that end differently."""
    assert ("aab", "aba") not in collisions(3, letter_alone)
    assert ("aba", "baa") in collisions(3, letter_alone)


def test_equal_sums_of_different_types_are_no_collision(monkeypatch: pytest.MonkeyPatch) -> None:
    """An accident of the random numbers would be reported as a counterexample."""

    class Constant:
        def integers(self, high: int, dtype: type[np.uint64]) -> np.uint64:
            return dtype(1)

    monkeypatch.setattr(np.random, "default_rng", lambda seed: Constant())
    assert collisions(7) == []
    assert sorted(collisions(6, letter_alone)) == one_by_one(6, letter_alone)


def test_all_sequences_are_gone_through() -> None:
    """A collision among those left out would be missed."""
    for n in range(1, 10):
        halves = Halves(n, lambda letter, count, t: np.uint64(0))
        words = [w for total in range(n + 1) for w in halves.words(total, np.zeros(1, np.uint64))]
        assert sorted(words) == ["".join(w) for w in product("ab", repeat=n)]
        assert all(w.count("b") == n for w in halves.words(n, np.zeros(1, np.uint64)))


def test_the_types_are_those_of_colour_refinement() -> None:
    """The search would be about other layers than the theorem, or than `distinguish`."""
    n = 6
    words = ["".join(w) for w in product("ab", repeat=n)]
    refined = of_scheme(position("causal", n), words)
    _, first, second = (now for _, now in zip(range(3), refined.refine(), strict=False))
    numbers: dict[Hashable, int] = {}
    for k, word in enumerate(words):
        for i, known in enumerate(types(word)):
            assert numbers.setdefault(known, first[k, i]) == first[k, i]
    assert len(set(numbers.values())) == len(numbers)
    assert len({second[k, n - 1] for k in range(len(words))}) == len(words)


def test_types_of_a_word() -> None:
    """The types would be other than the letter and its share so far."""
    assert types("aba") == [(0, Fraction(0)), (1, Fraction(1, 2)), (0, Fraction(1, 3))]


def test_a_collision_stays_one() -> None:
    """Shorter sequences could collide where those of one length do not."""
    for shorter, longer in (
        (collisions(n, letter_alone), collisions(n + 1, letter_alone)) for n in (4, 6)
    ):
        for first, second, *_ in shorter:
            assert any({first + "a", second + "a"} <= {*same} for same in longer)


@pytest.mark.parametrize("n", [0, 33, -1])
def test_lengths_that_are_not_searched(n: int) -> None:
    """A length that fills the memory, or is none, would be gone through."""
    with pytest.raises(ValueError, match="expected 1 to 32"):
        collisions(n)
