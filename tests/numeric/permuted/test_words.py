"""Measurements in words: permutations, entries and arrays as a person reads them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from orderproof.numeric.permuted import words
from orderproof.numeric.permuted.measure import permutation_error


@pytest.mark.parametrize(
    ("sigma", "text"),
    [
        ((0, 1, 2), "σ = [1, 2, 3] = the identity"),
        ((1, 0, 2), "σ = [2, 1, 3] = (1 2)"),
        ((1, 2, 0), "σ = [2, 3, 1] = (1 2 3)"),
        ((2, 0, 1), "σ = [3, 1, 2] = (1 3 2)"),
        ((1, 0, 3, 2), "σ = [2, 1, 4, 3] = (1 2)(3 4)"),
    ],
)
def test_a_permutation_is_a_list_and_cycles_from_one(sigma: tuple[int, ...], text: str) -> None:
    """A person would permute other tokens than those that show the failure."""
    assert words.permutation(sigma) == text


def test_long_permutations_are_cut() -> None:
    """A thousand tokens would fill the screen."""
    cycle = (*range(1, 1000), 0)
    assert words.permutation(cycle).count(" ") < 40
    assert words.permutation(cycle).endswith("(1 2 3 4 5 6 7 8 9 10 11 … 1000)")
    swaps = tuple(i ^ 1 for i in range(1000))
    assert words.cycles(swaps).endswith("(23 24) …")


def test_small_arrays_are_written_whole_and_large_ones_by_what_is_not_zero() -> None:
    """The shrunk input could not be read, or not be typed again."""
    x = np.array([[0, 1], [0.5, 0]], np.float32)
    assert words.array("x", x) == ["x: float32 (2, 2) =", "  [[0, 1],", "   [0.5, 0]]"]
    assert words.array("m", np.array([True, False])) == ["m: bool (2,) =", "  [True, False]"]
    large = np.zeros((2, 30), np.float32)
    assert words.array("x", large) == ["x: float32 (2, 30) = 0"]
    large[1, 4] = 2
    assert words.array("x", large) == ["x: float32 (2, 30) = 0 but x[2, 5] = 2"]
    assert words.array("x", large + 1)[0].endswith(", and 48 more")
    assert words.array("causal", True) == ["causal = True"]


def test_every_kind_of_finding_says_what_it_is() -> None:
    """NaN, chance, or an input that shows nothing would read like an order that is seen."""
    x = np.arange(6.0).reshape(3, 2)
    found = permutation_error(lambda x: np.cumsum(x, 0), x, 0, 0)
    text = "\n".join(words.finding(found, invariant=False))
    assert "P model(x) has" in text and "an estimate" in text
    assert "beyond" not in text and "not finite" not in text
    assert "\nP model" not in "\n".join(words.finding(found, invariant=True))
    infinite = words.finding(replace(found, error=math.nan), False)
    assert infinite[-1] == "an output that is not finite is no agreement"
    chance = words.finding(replace(found, bound=1e3, repeated=2.0, moved=1.0), False)
    assert "the same call, repeated, gave outputs that differ by 2:" in chance[-1]
    steep = words.finding(replace(found, bound=1e3, repeated=0.0, moved=1.0), False)
    assert "moving the inputs by a rounding unit changed the output by 1;" in steep[-1]
    assert "beyond 0.25 of the size of such entries" in steep[-2]
