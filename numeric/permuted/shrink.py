"""A failing input made small: the fewest tokens, then the simplest numbers, that still fail.

Greedy, like Hypothesis or delta debugging: every candidate is judged by the caller, so that no
assumption about the function is made, and what is found is a local minimum within a budget.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .arrays import Array, as_numpy, is_array, like
from .inputs import Pairs, reordered, size_of

CANDIDATES = 600
SECONDS = 5.0  # a model may be slow: no candidate is begun after these
SUBSETS = 8  # candidates for each number of tokens
SIMPLE = (0, 1, 2, 3, -1, -2, -3)

Fails = Callable[[tuple[Any, ...]], bool]


class _Judge:
    """The caller's judgement, within the budget; what raises an error is no failure."""

    def __init__(self, fails: Fails) -> None:
        self.fails = fails
        self.left = CANDIDATES
        self.until = time.monotonic() + SECONDS

    @property
    def over(self) -> bool:
        """Whether the budget is spent."""
        return self.left <= 0 or time.monotonic() > self.until

    def __call__(self, args: tuple[Any, ...]) -> bool:
        if self.over:
            return False
        self.left -= 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return self.fails(args)
        except Exception:  # whatever a model of any library does with an input that it cannot take
            return False


def shrunk(
    args: Sequence[Any], pairs: Pairs, sigma: Sequence[int], fails: Fails
) -> tuple[Any, ...]:
    """Arguments with as few tokens and as simple numbers as were found for which `fails` holds,
    as it does for `args`; `sigma` is a permutation that shows it, where it is looked first."""
    judge = _Judge(fails)
    found = _fewer_tokens(tuple(args), pairs, sigma, judge)
    for k, value in enumerate(found):
        if is_array(value):
            found = _simpler(found, k, judge)
    return found


def _fewer_tokens(
    args: tuple[Any, ...], pairs: Pairs, sigma: Sequence[int], judge: _Judge
) -> tuple[Any, ...]:
    n = size_of(args, pairs)
    for size in _sizes(n):
        for tokens in _subsets(n, size, sigma):
            candidate = reordered(args, pairs, tokens)
            if judge(candidate):
                return _one_by_one(candidate, pairs, judge)
    return _one_by_one(args, pairs, judge) if n <= SUBSETS else args


def _one_by_one(args: tuple[Any, ...], pairs: Pairs, judge: _Judge) -> tuple[Any, ...]:
    """Without one token after another, as long as that still fails."""
    n = size_of(args, pairs)
    for dropped in range(n) if n > 2 else ():
        candidate = reordered(args, pairs, [i for i in range(n) if i != dropped])
        if judge(candidate):
            return _one_by_one(candidate, pairs, judge)
    return args


def _sizes(n: int) -> Iterator[int]:
    """2, 3, 4, then by half more each time, below n."""
    size = 2
    while size < n:
        yield size
        size = max(size + 1, size * 3 // 2)


def _subsets(n: int, size: int, sigma: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Some choices of tokens: the first, the last, those that σ moves, random ones."""
    moved = [i for i in range(n) if sigma[i] != i]
    random = np.random.default_rng([n, size])
    choices = [
        range(size),
        range(n - size, n),
        sorted([*moved, *(i for i in range(n) if sigma[i] == i)][:size]),
        *(sorted(random.choice(n, size, replace=False).tolist()) for _ in range(SUBSETS - 3)),
    ]
    yield from dict.fromkeys(tuple(c) for c in choices)


def _simpler(args: tuple[Any, ...], k: int, judge: _Judge) -> tuple[Any, ...]:
    """Argument k with simpler numbers: rounded, then zeros in ever smaller blocks, then small
    whole numbers one at a time."""
    numbers = as_numpy(args[k])
    shape, flat = numbers.shape, numbers.reshape(-1)

    def tried(candidate: Array) -> bool:
        nonlocal flat
        if judge.over or np.array_equal(candidate, flat):
            return False
        made = (*args[:k], like(args[k], candidate.reshape(shape)), *args[k + 1 :])
        if judge(made):
            flat = candidate
            return True
        return False

    for scale in (1, 4) if flat.dtype.kind == "f" else ():
        if tried(np.rint(flat * scale) / scale):
            break
    block = len(flat)
    while block >= 1:
        for start in range(0, len(flat), block):
            part = slice(start, start + block)
            if not judge.over and np.any(flat[part]):
                tried(_with(flat, part, 0))
        block = block // 2
    for i in [] if judge.over else np.flatnonzero(flat).tolist():
        for value in SIMPLE if flat.dtype.kind != "b" else ():
            if value == flat[i] or tried(_with(flat, slice(i, i + 1), value)):
                break
    return (*args[:k], like(args[k], flat.reshape(shape)), *args[k + 1 :])


def _with(flat: Array, part: slice, value: int) -> Array:
    changed = flat.copy()
    changed[part] = value
    return changed
