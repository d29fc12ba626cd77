"""The inputs of a function whose tokens are permuted: which axes move, and how they are moved."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .arrays import Array, as_numpy, is_array, like, taken, unit_of

Pairs = tuple[tuple[int, int], ...]  # an argument and its axis: all of these move together
Axis = int | Sequence[tuple[int, int]]


def arguments(x: Any, axis: Axis) -> tuple[tuple[Any, ...], Pairs]:
    """x as a tuple of arguments, and the pairs (argument, axis) that move together.

    x is one array, whose axis is a number, or a tuple of arguments with pairs. Lists become NumPy
    arrays. Errors: ValueError unless each pair names an axis, all of one size, at least 2, and the
    tokens are not all equal; or where a number is NaN.
    """
    args = tuple(as_given(a) for a in (x if isinstance(x, tuple) else (x,)))
    named = axes_of(args, pairs_of(x, axis))
    for value in args:
        if is_array(value) and np.isnan(as_numpy(value)).any():
            raise ValueError("given an input with NaN, expected numbers")
    if not any(np.any(_differences(args[k], a)) for k, a in named):
        raise ValueError("given tokens that are all equal, expected some that differ")
    return args, named


def axes_of(args: Sequence[Any], pairs: Pairs) -> Pairs:
    """The pairs, their axes counted from the front. Errors: ValueError unless each names an axis,
    all of one size, at least 2."""
    named: list[tuple[int, int]] = []
    for k, a in pairs:
        if not 0 <= k < len(args) or not is_array(args[k]):
            raise ValueError(f"given axis {(k, a)}, expected an array among {len(args)} arguments")
        rank = len(args[k].shape)
        if not -rank <= a < rank:
            shape = tuple(args[k].shape)
            raise ValueError(
                f"given axis {a} and an input of shape {shape}, expected an axis of it"
            )
        named.append((k, a % rank))
    sizes = [int(args[k].shape[a]) for k, a in named]
    if len(set(sizes)) != 1 or sizes[0] < 2:
        raise ValueError(
            f"given {' and '.join(map(str, sizes))} tokens on the named axes, "
            "expected one number of at least 2"
        )
    return tuple(named)


def as_given(value: Any) -> Any:
    """A list as a NumPy array; anything else as it is."""
    return np.array(value) if isinstance(value, list) else value


def pairs_of(x: Any, axis: Any, name: str = "axis") -> Pairs:
    """What `axis` names: pairs (argument, axis) of a tuple, an axis of another x."""
    try:
        if not isinstance(x, tuple):
            return ((0, operator.index(axis)),)
        pairs = tuple((operator.index(k), operator.index(a)) for k, a in axis)
    except (TypeError, ValueError):
        expected = "pairs (argument, axis)" if isinstance(x, tuple) else "a number"
        raise ValueError(f"given {name}={axis!r}, expected {expected}") from None
    if not pairs:
        raise ValueError("given no axis, expected one pair (argument, axis) at least")
    return pairs


def _differences(value: Any, axis: int) -> Array:
    found = as_numpy(value)
    return np.asarray(found != np.take(found, [0], axis))


def size_of(args: Sequence[Any], pairs: Pairs) -> int:
    """The number of tokens."""
    argument, axis = pairs[0]
    return int(args[argument].shape[axis])


def reordered(args: Sequence[Any], pairs: Pairs, order: Sequence[int]) -> tuple[Any, ...]:
    """The arguments with token order[i] at place i; those that do not move are copies too."""
    found = [*copies(args)]
    for k, axis in pairs:
        found[k] = taken(found[k], order, axis)
    return tuple(found)


def copies(args: Sequence[Any]) -> tuple[Any, ...]:
    """Copies of the arguments: a function may write into what it is given."""
    return tuple(copied(a) for a in args)


def copied(value: Any) -> Any:
    """A copy of an array of at least one axis; anything else as it is."""
    if not is_array(value) or not len(value.shape):
        return value
    return taken(value, range(int(value.shape[0])), 0)


def nearby(args: Sequence[Any], unit: float, count: int, seed: int) -> Iterator[tuple[Any, ...]]:
    """The arguments with each number x made x (1 ± 2 unit), the signs random: to both its
    neighbours where `unit` is that of its type. Zeros, whole numbers and truth values stay."""
    random = np.random.default_rng([seed, 1])
    for _ in range(count):
        yield tuple(_near(a, unit, random) for a in args)


def _near(value: Any, unit: float, random: np.random.Generator) -> Any:
    if not is_array(value) or not unit_of(value):
        return copied(value)
    numbers = as_numpy(value)
    signs = random.integers(0, 2, numbers.shape) * 2 - 1
    return like(value, np.asarray(numbers * (1 + 2 * max(unit, unit_of(value)) * signs)))


def with_others(
    args: Sequence[Any], pairs: Pairs, row: int, where: Any, times: float, seed: int
) -> tuple[Any, ...]:
    """The arguments with other contents in this row along each axis, where `where(k, axis)` holds,
    which broadcasts to argument k: truth values flipped; other whole numbers of the range that the
    argument has; and others' numbers at the same place, each by 1/2 to 2 times `times`."""
    random = np.random.default_rng([seed, 3, row, int(times)])
    found = [*copies(args)]
    for k, axis in pairs:
        old = as_numpy(found[k])
        if old.dtype.kind == "b":
            new = ~old
        elif old.dtype.kind in "iu":
            old = old.astype(np.int64)
            least, span = old.min(), int(old.max() - old.min()) + 1
            new = least + (old - least + random.integers(min(1, span - 1), span, old.shape)) % span
        else:
            new = random.permuted(old, axis=axis) * times * random.uniform(0.5, 2.0, old.shape)
        here = np.arange(old.shape[axis]).reshape([-1] + [1] * (old.ndim - 1 - axis)) == row
        found[k] = like(found[k], np.where(here & where(k, axis), new, old))
    return tuple(found)


def permutations_of(n: int, count: int, seed: int) -> Iterator[tuple[int, ...]]:
    """The swap of the first two of n tokens and the cycle of all, which together generate every
    permutation; then random others, `count` of them where there are so many."""
    swap, cycle = (1, 0, *range(2, n)), (*range(1, n), 0)
    seen = {tuple(range(n)), swap, cycle}
    yield swap
    if n > 2:
        yield cycle
    random = np.random.default_rng([seed, 2])
    for _ in range(count):
        sigma = tuple(int(i) for i in random.permutation(n))
        if sigma not in seen:
            seen.add(sigma)
            yield sigma
