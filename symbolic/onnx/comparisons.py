"""All comparisons of one output's term with the model, at several sizes and weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .check import Comparison, Ran, compare, random_weights, sample_sizes
from .refute import ranges
from .run import RunError
from .values import Tensor

if TYPE_CHECKING:
    from .reading import Reading


def comparisons(q: Reading, value: Tensor, output: str) -> list[Comparison]:
    """The term of an output against the model, at several sizes, with the weights and others."""
    found: list[Comparison] = []
    if q.runner is None:
        return found
    q.realised.of(value)  # so that its leaves are known
    names = sorted({x.source for x in q.realised.leaves.values() if x.source} | {output})
    limits = {name: (0, top) for name, top in ranges(q.graph).items()}
    for seed, sizes in enumerate(sample_sizes(q.reader, {}, 3)):
        for weights in ({}, random_weights(q.graph.constants, seed + 7)):
            inputs = q.runner.random_inputs(sizes, seed, limits)
            try:
                values = q.runner.run(inputs, names, weights)
                if not np.isfinite(values[output].astype(np.float64)).any():
                    inputs = {k: np.abs(x) if x.dtype.kind == "f" else x for k, x in inputs.items()}
                    values = q.runner.run(inputs, names, weights)  # roots, logarithms
            except RunError:
                continue
            ran = Ran({**inputs, **values}.__getitem__)
            error, tolerance, spread, problem = compare(
                q.reader, q.realised, value, output, ran, sizes
            )
            found.append(Comparison(sizes, seed, bool(weights), error, tolerance, spread, problem))
    return found
