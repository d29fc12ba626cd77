"""Spreads of content and position by layer: definitions by hand, and that the bounds hold."""

from dataclasses import replace

import numpy as np
import pytest

from orderproof.numeric.spread_by_layer import (
    LAYERS,
    SKIPS,
    Kind,
    after,
    exceeded,
    random_stack,
    resolved,
    spreads,
    start,
)

GRID = np.array([[0.0, 0.0], [3.0, 4.0], [10.0, 0.0], [13.0, 5.0]])  # 2 contents, 2 positions


def test_spreads_by_hand() -> None:
    """Content and position would be exchanged, or another distance than the largest."""
    assert spreads(GRID, 2) == (pytest.approx(34**0.5), pytest.approx(101**0.5))
    assert spreads(GRID[[0, 2, 1, 3]], 2) == (pytest.approx(101**0.5), pytest.approx(34**0.5))
    assert spreads(GRID[:2], 2) == (5.0, 0.0)  # one content


def test_rows_that_are_no_grid() -> None:
    """A number of rows that is no number of contents would be cut off, or be a traceback."""
    with pytest.raises(ValueError, match=r"given rows \(4, 2\), expected a multiple of 3 rows"):
        spreads(GRID, 3)


@pytest.mark.parametrize("skip", SKIPS)
def test_bounds_hold_on_random_weights(skip: float) -> None:
    """A dashed line of the figure would be below what is measured, or κ would not be that."""
    layers = list(random_stack(skip))
    assert exceeded(layers) == []
    assert layers[1].kappa == pytest.approx(0.5)
    assert [x.number for x in layers] == [*range(len(layers))]
    assert len(layers) == LAYERS + 1 if skip else len(layers) < 6
    last, first = (max(k.measured for k in x.kinds) for x in (layers[-1], layers[0]))
    assert last < 1e-6 * first if skip < 1 else 0.5 * first < last < 2 * first
    again = list(random_stack(skip))
    assert again == layers  # one seed, one figure


@pytest.mark.parametrize("skip", SKIPS)
@pytest.mark.parametrize(
    "seed", [pytest.param(k, marks=[pytest.mark.slow] * (k > 4)) for k in range(20)]
)
def test_bounds_hold_on_other_weights(skip: float, seed: int) -> None:
    """The bound would hold by luck on the weights of the figure."""
    assert exceeded(list(random_stack(skip, layers=6, seed=seed))) == []


def test_a_wrong_bound_is_found() -> None:
    """A bound that is too low, a NaN, or a least above what is measured would pass."""
    layers = list(random_stack(1.0, layers=3))
    k = layers[2].position
    for wrong in (
        replace(k, most=k.measured * (1 - 1e-6)),
        replace(k, least=k.measured * (1 + 1e-6)),
        replace(k, measured=float("nan")),
    ):
        planted = [*layers[:2], replace(layers[2], position=wrong), layers[3]]
        (said,) = exceeded(planted)
        assert said.startswith("layer 2, position: ")
    quarter = after(1, GRID, 1.5 * GRID, 0.25, 1.0, 2)  # κ = 1/2 would allow this factor
    assert len(exceeded([quarter])) == 2
    assert exceeded([after(1, GRID, 1.5 * GRID, 0.5, 1.0, 2)]) == []


def test_where_nothing_is_resolved() -> None:
    """Rounding would be drawn as if it were a spread."""
    assert resolved(start(GRID, 2), GRID)
    assert not resolved(replace(start(GRID, 2), content=Kind(1e-12, 0, 1)), GRID)
