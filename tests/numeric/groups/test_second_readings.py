"""Biases that mean other numbers than they hold: fills for −∞, and rounding noise."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from orderproof.numeric.groups.automorphisms import group
from orderproof.numeric.groups.exact_matrix import Exact, of_numbers
from orderproof.numeric.groups.second_readings import Reading, readings
from orderproof.numeric.groups.symmetry import of_heads

ROWS, COLUMNS = np.indices((8, 8))
SAME = ROWS // 4 == COLUMNS // 4
ALIBI = -np.abs(0.1 * ROWS - 0.1 * COLUMNS)


def exact(entries: NDArray[Any]) -> Exact:
    """The matrix of these floats as they are."""
    numbers = [None if v == -np.inf else Fraction(float(v)) for v in entries.flatten()]
    return of_numbers(np.arange(entries.size).reshape(entries.shape), numbers)


def read(*heads: NDArray[Any]) -> tuple[int, list[Reading]]:
    """The order of the group as given, and the other readings."""
    given = [exact(head) for head in heads]
    layer = of_heads(given)
    return group(layer.colours).order, readings(given, [], layer)


LEAST = [float(np.finfo(kind).min) for kind in (np.float16, np.float32, np.float64)]


@pytest.mark.parametrize(
    ("fill", "said"),
    list(zip([-1e9, -1e4, *LEAST],
             ["-1e9", "-10000", "-65504", "-3.40282e38", "-1.79769e308"], strict=True)),
)  # fmt: skip
def test_a_fill_is_taken_for_minus_infinity(fill: float, said: str) -> None:
    """Otherwise a mask that is filled with a number gets the group of that number alone. Here the
    fill is a little different in two places, as where a bias was added to it."""
    filled = np.where(SAME, 0.0, fill)
    filled[0, 5] = filled[2, 6] = fill * (1.25 if fill > -1e300 else 0.75)
    meant = group(of_heads([exact(np.where(SAME, 0.0, -np.inf))]).colours).order
    order, (reading,) = read(filled)
    assert order < group(reading.layer.colours).order == meant == 2 * 24**2
    assert reading.said.startswith("with entries <= ") and reading.said.endswith(" as −∞")
    _, (reading,) = read(np.where(SAME, 0.0, fill))
    assert reading.said == f"with {said} as −∞"


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_rounding_noise_is_merged(kind: type) -> None:
    """Otherwise ALiBi in floats, whose equal distances came out different, is said to see the
    reversal."""
    slope, i, j = kind(0.1), ROWS.astype(kind), COLUMNS.astype(kind)
    order, (reading,) = read(-np.abs(slope * i - slope * j))
    assert order == 1 and group(reading.layer.colours).order == 2
    unit = "1e-12" if kind is np.float64 else "1e-6"
    assert reading.said == f"with entries at most {unit} apart as equal"
    assert read(-np.abs(slope * i - slope * j) * kind(1000))[1]  # noise grows with the entries


def test_each_head_has_its_own_tolerance() -> None:
    """Otherwise the noise of a large head hides that of a small one, or merges its entries."""
    slopes = 0.1, 100.0, 0.0007
    heads = [-np.abs(slope * ROWS - slope * COLUMNS) for slope in slopes]
    order, (reading,) = read(*heads)
    assert order == 1 and group(reading.layer.colours).order == 2
    assert reading.said == "with entries at most 1e-14 to 1e-12 apart as equal"
    assert [len(head.values) for head in reading.layer.heads] == [8, 8, 8]


def test_both_at_once() -> None:
    """Otherwise noise is measured by the fill, and half of the entries merge."""
    _, found = read(np.where(abs(ROWS - COLUMNS) < 6, ALIBI, -1e9))
    assert [r.said for r in found] == [
        "with -1e9 as −∞",
        "with -1e9 as −∞ and entries at most 1e-12 apart as equal",
    ]
    assert [group(r.layer.colours).order for r in found] == [1, 2]


def test_a_row_of_fills_stays_as_it_is() -> None:
    """Otherwise a padded row, which attends to all alike, is left with nothing to attend to."""
    filled = np.where(COLUMNS <= ROWS, 0.0, -1e9)
    filled[3] = -1e9
    _, (reading,) = read(filled)
    (head,) = reading.layer.heads
    assert [head.entry(3, j) for j in range(8)] == [0] * 8
    assert [head.entry(1, j) for j in range(3)] == [0, 0, None]


def test_a_mask_that_leaves_fills_alone_in_a_row_takes_them_as_numbers() -> None:
    """Otherwise a bias with a mask is refused for what it may mean."""
    head = exact(np.where(COLUMNS <= ROWS, 0.0, -1e9))
    for allowed, count in (
        (np.ones((8, 8), dtype=bool), 1),
        ((COLUMNS > ROWS) | (ROWS == 7), 0),
    ):
        assert len(readings([head], [allowed], of_heads([head], [allowed]))) == count


@pytest.mark.parametrize(
    "entries",
    [
        -abs(ROWS - COLUMNS) * 5000.0,  # steep, and no gap
        np.where(COLUMNS <= ROWS, 0.0, -np.inf),
        np.where(COLUMNS <= ROWS, 0.0, -100.0),
        -abs(ROWS - COLUMNS) * 0.5,
        np.random.default_rng(0).normal(size=(8, 8)),
        np.zeros((8, 8)),
        np.full((8, 8), -1e9),
    ],
)
def test_what_is_neither_has_no_second_reading(entries: NDArray[np.float64]) -> None:
    """Otherwise exact biases are doubted, or a steep bias is cut off."""
    assert read(entries)[1] == []
    assert read(entries, np.where(COLUMNS <= ROWS, 0.0, -1e9))[1] != []  # one head of two is filled


def test_many_distinct_entries_are_no_noise() -> None:
    """Otherwise among many learned entries those that happen to be near are merged."""
    entries = np.random.default_rng(0).normal(size=(200, 200))
    assert read(entries)[1] == []
