"""A failing input with fewer tokens: the fewest that were found and still fail.

Every candidate is judged by the caller, so that no assumption about the function is made.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .inputs import Pairs, reordered, size_of

CANDIDATES = 200  # that are judged at most: a model may be slow
SUBSETS = 8  # candidates for each number of tokens

Fails = Callable[[tuple[Any, ...]], bool]


def shrunk(
    args: Sequence[Any], pairs: Pairs, sigma: Sequence[int], fails: Fails
) -> tuple[Any, ...]:
    """Arguments with as few tokens as were found for which `fails` holds, as it does for `args`;
    `sigma` is a permutation that shows it, where it is looked first."""
    left = CANDIDATES
    found = tuple(args)

    def failing(tokens: Sequence[int]) -> tuple[Any, ...] | None:
        """The arguments with these tokens alone, where they fail; what raises an error does not."""
        nonlocal left
        if left <= 0:
            return None
        left -= 1
        candidate = reordered(found, pairs, tokens)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return candidate if fails(candidate) else None
        except Exception:  # whatever a model of any library does with an input that it cannot take
            return None

    smaller = map(failing, _subsets(size_of(found, pairs), sigma))
    found = next((candidate for candidate in smaller if candidate is not None), found)
    dropped = 0
    while dropped < (n := size_of(found, pairs)) and n > 2:
        candidate = failing([i for i in range(n) if i != dropped])
        found, dropped = (found, dropped + 1) if candidate is None else (candidate, 0)
    return found


def _subsets(n: int, sigma: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Choices of 2, 3, 4 tokens, then by half more each time, below n: the first, the last, those
    that σ moves, random ones."""
    moved = [i for i in range(n) if sigma[i] != i]
    size = 2
    while size < n:
        random = np.random.default_rng([n, size])
        choices = [
            range(size),
            range(n - size, n),
            sorted([*moved, *(i for i in range(n) if sigma[i] == i)][:size]),
            *(sorted(random.choice(n, size, replace=False).tolist()) for _ in range(SUBSETS - 3)),
        ]
        yield from dict.fromkeys(tuple(c) for c in choices)
        size = max(size + 1, size * 3 // 2)
