"""How far apart content and position keep tokens, layer by layer, beside what κ says.

The input is a grid: a contents and b positions, and a token for each pair of the two, so that two
rows with the same content differ by their positions alone, and the other way round. After a layer

    the spread of position is the largest distance of two rows with the same content,
    the spread of content is the largest distance of two rows with the same position.

A layer X ↦ r X + Att(X), whose skip is scaled by r ≥ 0, multiplies the distance of any two rows by
a factor between r − κ and r + κ (position_after_first_layer_contracts is r = 0, and
position_after_first_layer_skip r = 1; for another r, divide the layer by r). So it does the largest
distance among the rows of a grid, with the κ of all rows together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .spread import Array, attended, kappa, operator_norm, spread

SEED = 20261121
LAYERS = 24
SKIPS = (0.0, 0.5, 1.0)  # the scales of the skip that are looked at
CONTENTS, POSITIONS, WIDTH = 4, 6, 32
POSITION_NORM = 0.5  # of a random position vector, about; that of a content vector is 1
KAPPA = 0.5  # at the input of a random stack: all its matrices are scaled to that
RESOLUTION = 1e-11  # of float64, relative to the rows, with leeway: below it nothing is measured


@dataclass(frozen=True)
class Kind:
    """One of the two spreads after a layer, and the least and the most that κ allows for it."""

    measured: float
    least: float
    most: float


@dataclass(frozen=True)
class Layer:
    """What is measured after attention and skip of layer `number`, counted from 1; at the input,
    number 0, the bounds are the values themselves and κ is 0."""

    number: int
    kappa: float
    position: Kind
    content: Kind

    @property
    def kinds(self) -> tuple[Kind, Kind]:
        """Position and content."""
        return self.position, self.content


def spreads(X: npt.ArrayLike, positions: int) -> tuple[float, float]:
    """The spread of position and that of content, for the rows of a grid, (a · positions, d): row
    a · positions + b has content a and position b.

    Errors: ValueError where the rows are not a whole number of contents, or X is no finite matrix.
    """
    x = np.asarray(X)
    if x.ndim != 2 or positions < 1 or len(x) % positions:
        raise ValueError(f"given rows {x.shape}, expected a multiple of {positions} rows")
    grid = x.reshape(-1, positions, x.shape[1])
    return (
        max((spread(rows) for rows in grid), default=0.0),
        max(spread(grid[:, b]) for b in range(positions)),
    )


def start(X: npt.ArrayLike, positions: int) -> Layer:
    """The input of a stack."""
    return Layer(0, 0.0, *(Kind(s, s, s) for s in spreads(X, positions)))


def after(
    number: int, before: npt.ArrayLike, X: npt.ArrayLike, factor: float, skip: float, positions: int
) -> Layer:
    """Layer `number`, from its input and its output, where κ = `factor` and the skip's scale is
    `skip`."""
    bounds = [
        (max(skip - factor, 0.0) * s, (skip + factor) * s) for s in spreads(before, positions)
    ]
    kinds = (Kind(s, *b) for s, b in zip(spreads(X, positions), bounds, strict=True))
    return Layer(number, factor, *kinds)


def random_stack(skip: float, layers: int = LAYERS, seed: int = SEED) -> Iterator[Layer]:
    """The layers X ↦ skip · X + Att(X) of random weights on a random grid, one head each. The
    numbers drawn do not depend on `skip`. Matrices are scaled so that ‖W_V‖ = 1 and κ = KAPPA at
    the input. It ends where a spread falls below what float64 resolves."""
    draw = np.random.default_rng(seed).standard_normal
    content = draw((CONTENTS, WIDTH)) / np.sqrt(WIDTH)
    position = draw((POSITIONS, WIDTH)) * (POSITION_NORM / np.sqrt(WIDTH))
    x: Array = (content[:, None] + position[None]).reshape(-1, WIDTH)
    form = 4 * KAPPA / spread(x) ** 2
    yield start(x, POSITIONS)
    for number in range(1, layers + 1):
        m, w = (_scaled(draw((WIDTH, WIDTH)), norm) for norm in (form, 1.0))
        before, x = x, skip * x + attended(x, m, w)
        found = after(number, before, x, kappa(m, w, spread(before)), skip, POSITIONS)
        if not resolved(found, x):
            return
        yield found


def resolved(layer: Layer, X: npt.ArrayLike) -> bool:
    """Whether both spreads of the rows X are above what float64 resolves at their size."""
    least = min(k.measured for k in layer.kinds)
    return bool(least > RESOLUTION * np.max(np.abs(X)))


def exceeded(layers: Sequence[Layer]) -> list[str]:
    """Each layer after which a spread is not between its bounds, in words; rounding is allowed
    one part in 10⁹."""
    leeway = 1e-9
    return [
        f"layer {layer.number}, {name}: {k.measured:.6g} is not between {k.least:.6g} and "
        f"{k.most:.6g}"
        for layer in layers
        for name, k in zip(("position", "content"), layer.kinds, strict=True)
        if not k.least * (1 - leeway) <= k.measured <= k.most * (1 + leeway)
    ]


def _scaled(m: Array, norm: float) -> Array:
    result: Array = m * (norm / operator_norm(m))
    return result
