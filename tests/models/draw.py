"""Random inputs for a model of the bank, and the same inputs with an axis permuted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Inputs = dict[str, Array]

# Sizes of dynamic axes that are not asked about: unlike each other, and small.
OTHER_SIZES = {"b": 2, "m": 3, "n": 4, "e": 7}


def draw(specs: Mapping[str, Mapping[str, Any]], sizes: Mapping[str, int], seed: int) -> Inputs:
    """Values for every input, the dynamic axes of the sizes given by name."""
    random = np.random.default_rng([seed, *sorted(sizes.values())])
    return {name: _one(spec, sizes, random) for name, spec in specs.items()}


def _one(spec: Mapping[str, Any], sizes: Mapping[str, int], random: np.random.Generator) -> Array:
    shape = tuple(d if isinstance(d, int) else sizes[d] for d in spec["dims"])
    dtype = np.dtype(spec["dtype"])
    below = spec.get("below", 0)
    match spec["kind"]:
        case "normal":
            return random.normal(size=shape).astype(dtype)
        case "coarse":  # many ties
            return random.integers(-1, 2, size=shape).astype(dtype)
        case "integers":  # without repetition along the last axis: equal tokens hide a swap
            count = int(np.prod(shape[:-1]))
            rows = [random.permutation(below)[: shape[-1]] for _ in range(count)]
            return np.reshape(rows, shape).astype(dtype)
        case "bits":  # along the last axis at least one is set, and where it can be, one is not
            bits = random.random(shape) < 0.6
            places = random.permuted(np.broadcast_to(np.arange(shape[-1]), shape), axis=-1)
            return np.asarray((bits & (places != 1)) | (places == 0)).astype(dtype)
        case "adjacency":  # not symmetric; every node has an edge to itself
            return (np.eye(shape[-1]) + (random.random(shape) < 0.5) > 0).astype(dtype)
        case "additive":  # a mask that is added to scores
            return random.choice([0.0, -1.0, -20.0], shape).astype(dtype)
        case "places":  # 0, 1, 2, ... along the last axis
            return np.broadcast_to(np.arange(shape[-1]), shape).astype(dtype)
        case "edges":  # pairs of nodes
            return random.integers(0, sizes[below], shape).astype(dtype)
    raise ValueError(f"kind of input {spec['kind']!r}: not known")


def permuted(
    inputs: Inputs, moved: Sequence[tuple[str, int | str]], sigma: tuple[int, ...]
) -> Inputs:
    """The inputs with x'[i] = x[σ(i)] along each axis named; "values" are relabelled by σ⁻¹,
    so that a node that moves from place σ(i) to i is still meant."""
    found = dict(inputs)
    for name, axis in moved:
        if axis == "values":
            found[name] = np.argsort(sigma)[found[name]].astype(found[name].dtype)
        else:
            found[name] = np.take(found[name], sigma, axis=int(axis))
    return found
