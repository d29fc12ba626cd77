"""How far a function of n tokens is from commuting with permutations, and how far rounding goes.

For y = f(x) and permutations σ the error is the largest entry of |f(P x) − P y|, or of
|f(P x) − y| where f is to be invariant. What rounding alone may make of it is *estimated* from the
function itself: x is moved by a rounding unit of its numbers in random directions, and the same
call is repeated. A moved input draws all roundings inside f anew, so what that does to y is of the
size of what another order of summation does. Then

    bound = FACTOR · (the largest such change of an entry) + c u max |y|,

u being the coarsest relative rounding unit of inputs and output. c is FLOOR; but where what is
permuted holds whole numbers (token ids), which no rounding moves, it is KNOWN: of trained encoders
on token ids, float32 outputs were seen to differ by up to 170 u, and bfloat16 ones by 5 u.

This is an estimate, and no proof, in either direction. Where the bound is beyond SHARE of the
largest output, a fault could have passed unseen: the measurement is blind, and not ok.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .arrays import Array, as_numpy, is_array, unit_of
from .inputs import Axis, arguments, nearby, permutations_of, reordered, size_of

FACTOR = 8.0
FLOOR = 8.0
KNOWN, KNOWN_COARSE = 256.0, 16.0  # the second for numbers of 16 bits
COARSE = 2.0**-11
SHARE = 0.25
DIRECTIONS = 8
PERMUTATIONS = 8

Output = int | str | Callable[[Any], Any] | None
OutputAxis = int | Sequence[int] | None
Numbers = int | float | complex


@dataclass(frozen=True)
class Deviation:
    """What was measured; σ as σ(0), …, σ(n−1), with (P x)_i = x_{σ(i)}; all counted from 0."""

    sigma: tuple[int, ...]  # the worst; the identity where f(x) itself is not finite
    entry: tuple[int, ...]  # the worst of the output
    got: Numbers
    expected: Numbers
    error: float
    bound: float
    moved: float  # the largest change of an entry when x moves by a rounding unit
    repeated: float  # ... when the same call is repeated
    size: float  # the largest |entry| of f(x)
    tried: int  # permutations
    seed: int

    @property
    def finite(self) -> bool:
        """Whether no output has NaN or an infinity."""
        return bool(np.isfinite(self.error))

    @property
    def differs(self) -> bool:
        """Whether the error is beyond the bound; NaN is."""
        return not (self.error <= self.bound)

    @property
    def blind(self) -> bool:
        """Whether the bound is so large that a fault would have passed; not where two outputs
        are equal to the last bit."""
        return not (self.bound <= SHARE * self.size or self.error == 0)

    @property
    def ok(self) -> bool:
        """Whether the outputs agree, within a bound that could have been exceeded."""
        return not self.differs and not self.blind


def permutation_error(
    model: Callable[..., Any],
    x: Any,
    axis: Axis,
    output_axis: OutputAxis,
    *,
    output: Output = None,
    permutations: int = PERMUTATIONS,
    directions: int = DIRECTIONS,
    seed: int = 0,
    factor: float = FACTOR,
    unit: float | None = None,
) -> Deviation:
    """The deviation of model(P x) from P model(x), over two generators of all permutations and
    up to `permutations` random ones; from model(x) where `output_axis` is None. It is an axis, or
    several that are permuted together, as of weights for pairs of tokens.

    x is an array, or a tuple of arguments; `axis` is then pairs (argument, axis) that move
    together. `output` says which of several outputs is meant: by place, key, attribute, or a
    function of what the model returns. `unit` is the relative rounding unit that the model works
    in, where the types of its arrays do not show it.

    Errors: ValueError, in one line, unless axes and shapes fit, x has at least two tokens that
    are not all equal, and no NaN.
    """
    args, pairs = arguments(x, axis)
    n = size_of(args, pairs)
    one = tuple(range(n))

    def call(values: Sequence[Any]) -> tuple[Array, float]:
        given = selected(model(*values), output)
        return as_numpy(given), unit_of(given)

    y, own = call(reordered(args, pairs, one))
    axes = _output_axes(y, output_axis, n)
    worst = _largest(np.where(np.isfinite(y), 0.0, np.inf))
    if worst[0] > 0:  # what stands there is NaN or an infinity
        value = y[worst[1]].item()
        return Deviation(one, worst[1], value, value, *(np.nan,) * 5, tried=0, seed=seed)

    u = max(own, *(unit_of(a) for a in args if is_array(a))) if unit is None else unit
    near = (call(values)[0] for values in nearby(args, u, directions, seed))
    moved = max((_difference(other, y)[0] for other in near), default=0.0)
    repeated = _difference(call(reordered(args, pairs, one))[0], y)[0]
    size = _largest(np.abs(y))[0]
    bound = 0.0  # whole numbers and truth values are to be equal
    if own:
        known = any(unit_of(args[k]) == 0 for k, _ in pairs)
        floor = (KNOWN_COARSE if u >= COARSE else KNOWN) if known else FLOOR
        bound = factor * max(moved, repeated) + floor * u * size

    found, tried = (one, 0.0, (0,) * y.ndim, y, y), 0
    for sigma in permutations_of(n, permutations, seed):
        tried += 1
        got = call(reordered(args, pairs, sigma))[0]
        expected = y
        for along in axes:
            expected = np.take(expected, sigma, along)
        error, entry = _difference(got, expected)
        if tried == 1 or not (error <= found[1]):
            found = (sigma, error, entry, got, expected)
        if not np.isfinite(error):
            break
    sigma, error, entry, got, expected = found
    return Deviation(
        sigma=sigma,
        entry=entry,
        got=got[entry].item(),
        expected=expected[entry].item(),
        error=error,
        bound=bound,
        moved=moved,
        repeated=repeated,
        size=size,
        tried=tried,
        seed=seed,
    )


def selected(returned: Any, output: Output) -> Any:
    """The output that is meant, of what a model returned.

    Errors: ValueError where there are several and none is named, or it is not there.
    """
    several = isinstance(returned, (tuple, list, Mapping))
    names = (
        [*returned] if isinstance(returned, Mapping) else [*range(len(returned))] if several else []
    )
    if output is None:
        if several:
            raise ValueError(f"given several outputs, expected output= one of {names}")
        return returned
    if callable(output):
        return output(returned)
    if isinstance(output, str) and hasattr(returned, output):
        return getattr(returned, output)
    try:
        return returned[output]
    except (KeyError, IndexError, TypeError):
        kind = type(returned).__name__
        raise ValueError(f"given output={output!r} of {kind}, expected one of {names}") from None


def _output_axes(y: Array, axis: OutputAxis, n: int) -> tuple[int, ...]:
    """The axes of an output that hold its tokens; none if it is to be invariant."""
    if not y.size:
        raise ValueError(f"given an output of shape {y.shape}, expected numbers in it")
    if axis is None:
        return ()
    axes = tuple(axis) if isinstance(axis, Sequence) else (axis,)
    if not axes or not all(-y.ndim <= a < y.ndim and y.shape[a] == n for a in axes):
        raise ValueError(
            f"given output_axis {axis} and an output of shape {y.shape}, "
            f"expected an axis of it with {n} tokens"
        )
    return tuple(a % y.ndim for a in axes)


def _largest(size: Array) -> tuple[float, tuple[int, ...]]:
    """The largest entry and its place; NaN is larger than any number."""
    entry = np.unravel_index(int(np.argmax(size)), size.shape)  # argmax takes NaN as the largest
    place = tuple(int(i) for i in entry)
    return float(size[place]), place


def _difference(got: Array, expected: Array) -> tuple[float, tuple[int, ...]]:
    if got.shape != expected.shape:
        raise ValueError(
            f"given outputs of shape {expected.shape} and, for moved tokens, {got.shape}, "
            "expected one shape"
        )
    with np.errstate(all="ignore"):  # infinities are found, and are no error here
        if got.dtype.kind in "biu" and expected.dtype.kind in "biu":
            unlike = got != expected
            size = np.abs(got.astype(np.float64) - expected.astype(np.float64))
            return _largest(np.where(unlike, np.maximum(size, 1), 0.0))
        return _largest(np.abs(got - expected))
