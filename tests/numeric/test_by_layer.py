"""Distances by layer: the definition by hand, and that the theorems hold of what is drawn."""

import numpy as np
import pytest

from orderproof.numeric.by_layer import KAPPA, LAYERS, apart, random_stack

GRID = np.array([[0.0, 0.0], [3.0, 4.0], [10.0, 0.0], [13.0, 5.0]])  # 2 contents, 2 positions


def test_distances_by_hand() -> None:
    """Content and position would be exchanged, or another distance than the largest be taken."""
    assert apart(GRID, 2) == pytest.approx(34**0.5)
    assert apart(GRID[[0, 2, 1, 3]], 2) == pytest.approx(101**0.5)
    assert apart(GRID, 4) == pytest.approx(194**0.5)
    assert apart(GRID, 1) == 0.0


@pytest.mark.parametrize("rows", [GRID[:3], GRID * np.nan, GRID[0]])
def test_rows_that_are_no_grid(rows: np.ndarray) -> None:
    """Rows would be cut off, or NaN be called no distance."""
    with pytest.raises(ValueError, match="expected a multiple of 2 rows of finite numbers"):
        apart(rows, 2)


@pytest.mark.parametrize("seed", range(20))
def test_the_first_layer_is_as_the_theorems_say(seed: int) -> None:
    """What is drawn would be no layer with this κ: with half of it the bounds must fail."""
    (x, y), (_, z) = ([*random_stack(skip, 1, seed)] for skip in (0.0, 1.0))
    assert y <= KAPPA * x and (1 - KAPPA) * x <= z <= (1 + KAPPA) * x
    assert abs(z - x) <= y * (1 + 1e-9)  # the same weights, with a skip and without
    assert not y <= KAPPA * x / 1e3


def test_a_stack_ends_where_nothing_is_resolved() -> None:
    """Rounding would be drawn as if it were a distance; or two runs be two figures."""
    without, with_skips = (list(random_stack(skip)) for skip in (0.0, 1.0))
    assert len(without) < 6 and len(with_skips) == LAYERS + 1
    assert without[-1] < 1e-6 * without[0]
    assert 0.5 * with_skips[0] < with_skips[-1] < 2 * with_skips[0]
    assert with_skips == list(random_stack(1.0))
