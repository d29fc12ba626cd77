"""How far apart tokens are that differ in position alone, layer by layer, in float64.

The input is a grid of contents and positions, with a token for each pair of the two. What position
still makes after a layer is the largest distance of two rows with the same content.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from .reference.attention import softmax

SEED = 20261121
LAYERS = 24
CONTENTS, POSITIONS, WIDTH = 4, 6, 32
POSITION_NORM = 0.5  # of a random position vector, about; that of a content vector is 1
KAPPA = 0.5  # ‖M‖ ‖W_V‖ s²/4 at the input of a random stack, s the largest distance of two rows
RESOLUTION = 1e-11  # of float64, relative to the rows, with leeway: below it nothing is measured


def apart(rows: npt.ArrayLike, positions: int) -> float:
    """The largest distance of two rows with the same content: rows (contents · positions, d), and
    row a · positions + b has content a and position b.

    Errors: ValueError where that is no number of contents, or the rows are no finite matrix.
    """
    x = np.asarray(rows, np.float64)
    if x.ndim != 2 or positions < 1 or len(x) % positions or not np.all(np.isfinite(x)):
        raise ValueError(
            f"given rows {x.shape}, expected a multiple of {positions} rows of finite numbers"
        )
    grid = x.reshape(-1, positions, x.shape[1])
    differences = grid[:, :, None] - grid[:, None]  # distances from X Xᵀ would cancel
    return float(np.max(np.linalg.norm(differences, axis=-1), initial=0.0))


def random_stack(skip: float, layers: int = LAYERS, seed: int = SEED) -> Iterator[float]:
    """`apart` of a random grid, and after each of the layers X ↦ skip · X + softmax(X M Xᵀ) X W_V
    of random weights. The numbers drawn do not depend on `skip`; ‖W_V‖ = 1, and ‖M‖ is such that
    κ is KAPPA at the input. It ends where float64 no longer tells the rows apart."""
    draw = np.random.default_rng(seed).standard_normal
    content = draw((CONTENTS, WIDTH)) / np.sqrt(WIDTH)
    position = draw((POSITIONS, WIDTH)) * (POSITION_NORM / np.sqrt(WIDTH))
    x: npt.NDArray[Any] = (content[:, None] + position[None]).reshape(-1, WIDTH)
    form = 4 * KAPPA / apart(x, len(x)) ** 2
    yield apart(x, POSITIONS)
    for _ in range(layers):
        m, w = (a / np.linalg.norm(a, 2) for a in draw((2, WIDTH, WIDTH)))
        x = skip * x + softmax(x @ (form * m) @ x.T) @ (x @ w)
        found = apart(x, POSITIONS)
        if not found > RESOLUTION * np.max(np.abs(x)):
            return
        yield found
