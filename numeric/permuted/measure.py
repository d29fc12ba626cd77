"""How far a function of n tokens is from commuting with permutations, and how far rounding goes.

For y = f(x) and permutations σ the error of an entry is that of |f(P x) − P y|, or of |f(P x) − y|
where f is to be invariant. What rounding alone may make of it is *estimated* from the function
itself: x is moved by a rounding unit of its numbers in random directions, and the same call is
repeated. A moved input draws all roundings inside f anew, so what that does to y is of the size of
what another order of summation does.

Each entry e has a bound of its own, so that a large one hides no other:

    scale(e) = max(|y_e|, S)
    bound(e) = FACTOR · max(moved_e, m scale(e), r scale(e)) + c u scale(e)

S is a scale of the whole output, which an entry needs that is near 0 because large terms cancel in
it: its own size says nothing of their roundings. It is the largest |y| that is at most SPAN times
the lower quartile of those that are not 0; so it is the largest of an output whose entries are of
one size, and neither a large entry nor a block of them, of less than three quarters, raises it.
Fills, such as −1e9 at what a mask hides, are left out however many they are (`_ordinary`).

moved_e is the largest change of this entry. It can be 0 by chance, as where a ReLU is about to
open: m is therefore the median of moved/scale over the entries that moved. r is the largest change
of an entry, over its scale, when the same call is repeated: chance, as of dropout, is everywhere.

u is the coarsest relative rounding unit of inputs and output. c is FLOOR; but where what is
permuted holds whole numbers (token ids), which no rounding moves, it is KNOWN, and S is the largest
|y| that is no fill: of trained encoders on token ids, float32 outputs were seen to differ by up to
170 u of the largest, and bfloat16 ones by 5 u.

This is an estimate, and no proof, in either direction. Where the bound of an entry is beyond SHARE
of its size, a fault could have passed unseen: the measurement is blind, and not ok. Its size is
then scale(e), or moved_e / 2u, that of the terms that cancel in it, if these are not more than
CANCEL times the largest |y| that is no fill: what moves by more is not explained by cancellation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .arrays import Array, as_numpy, is_array, unit_of
from .inputs import Axis, arguments, copies, nearby, permutations_of, reordered, size_of

FACTOR = 8.0
FLOOR = 8.0
KNOWN, KNOWN_COARSE = 256.0, 16.0  # the second for numbers of 16 bits
COARSE = 2.0**-11
SHARE = 0.25
SPAN = 64.0  # how much larger than the lower quartile an entry of the same scale may be
CANCEL = 4.0  # how much larger than the largest entry terms may be that cancel
GAP = 256.0  # how much larger than all other entries a fill is
DIRECTIONS = 8
PERMUTATIONS = 8

Output = int | str | Callable[[Any], Any] | None
OutputAxis = int | Sequence[int] | None
Numbers = int | float | complex
Place = tuple[int, ...]


@dataclass(frozen=True)
class Difference:
    """How far outputs that should agree differ: the worst entry, counted from 0."""

    entry: tuple[int, ...]  # of the output; what follows is about this one
    got: Numbers
    expected: Numbers
    error: float
    bound: float
    moved: float  # how far it may change when x moves by a rounding unit
    repeated: float  # ... when the same call is repeated
    size: float  # its scale; that of the terms where they are what the bound is judged by
    tried: int  # outputs that were compared; 0 where f(x) itself is not finite
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
        """Whether the bound is so large that a fault would have passed; not where the outputs
        are equal to the last bit."""
        return not (self.bound <= SHARE * self.size or self.error == 0)

    @property
    def ok(self) -> bool:
        """Whether the outputs agree, within a bound that could have been exceeded."""
        return not self.differs and not self.blind


@dataclass(frozen=True)
class Deviation(Difference):
    """What was measured; σ as σ(0), …, σ(n−1), with (P x)_i = x_{σ(i)}; all counted from 0."""

    sigma: tuple[int, ...]  # the worst; the identity where f(x) itself is not finite


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

    def call(values: Sequence[Any]) -> Any:
        return selected(model(*values), output)

    first = call(copies(args))
    axes = output_axes(as_numpy(first), output_axis, n)

    def permuted() -> Iterator[Compared]:
        for sigma in permutations_of(n, permutations, seed):
            yield Compared(sigma, call(reordered(args, pairs, sigma)), axes, sigma)

    known = any(unit_of(args[k]) == 0 for k, _ in pairs)
    how: dict[str, Any] = {"directions": directions, "seed": seed, "factor": factor, "unit": unit}
    sigma, found = difference(call, args, first, [permuted()], known, **how)
    return Deviation(sigma=tuple(range(n)) if sigma is None else sigma, **vars(found))


class Compared(NamedTuple):
    """An output, and what it should be: these rows of f(x), along each of the axes."""

    label: Any
    given: Any
    axes: Sequence[int]
    rows: Sequence[int]
    counts: Any = True  # where it counts: a truth value, or an array that broadcasts to it


def difference(
    call: Callable[[Sequence[Any]], Any],
    args: Sequence[Any],
    first: Any,
    stages: Sequence[Iterable[Compared]],
    known: bool,
    *,
    counts: Any = True,
    directions: int = DIRECTIONS,
    seed: int = 0,
    factor: float = FACTOR,
    unit: float | None = None,
) -> tuple[Any, Difference]:
    """The worst difference of outputs from what they should be by `first` = call(args), and the
    label of that output; None where `first` is not finite.

    Where outputs of one stage differ, later stages are not looked at. `known`: what is changed
    between them is moved by no rounding. `counts`: where `first` counts, as in Compared.
    """
    whole = as_numpy(first)
    y = np.where(counts, whole, whole.dtype.type(0))
    strange = np.argwhere(~np.isfinite(y))
    if len(strange):  # what stands there is NaN or an infinity
        place = tuple(int(i) for i in strange[0])
        value = y[place].item()
        return None, Difference(place, value, value, *(np.nan,) * 5, tried=0, seed=seed)

    def change(values: Sequence[Any]) -> Array:
        size = np.where(counts, _difference(as_numpy(call(values)), y), 0.0)
        return np.where(np.isnan(size), np.inf, size)  # by which nothing can be judged

    own = unit_of(first)
    u = max(own, *(unit_of(a) for a in args if is_array(a))) if unit is None else unit
    moved = np.zeros(y.shape)
    for values in nearby(args, u, directions, seed):
        moved = np.maximum(moved, change(values))
    repeated = change(copies(args))
    floor = (KNOWN_COARSE if u >= COARSE else KNOWN) if known else FLOOR
    terms = moved / (2 * u) if u else np.zeros(y.shape)
    terms = np.where(terms <= CANCEL * _largest(y), terms, 0.0)
    scale, moved, repeated = _pooled(y, moved, repeated, known)
    bound = factor * np.maximum(moved, repeated) + floor * u * scale
    if not own:  # whole numbers and truth values are to be equal
        bound = np.zeros(y.shape)
    size = np.where(bound <= SHARE * scale, scale, np.maximum(scale, terms))

    label, found, worst, tried = None, None, (-1.0, 0.0), 0
    for stage in stages:
        for one in stage:
            tried += 1
            places = np.arange(y.size).reshape(y.shape)  # of the expected entries in y
            for axis in one.axes:
                places = np.take(places, one.rows, axis)
            got, expected = as_numpy(one.given), y.reshape(-1)[places]
            error = np.where(one.counts, _difference(got, expected), 0.0)
            rank, entry = _worst(error, bound.reshape(-1)[places], size.reshape(-1)[places])
            if found is not None and rank <= worst:
                continue
            place = _place(int(places[entry]), y.shape)
            label, worst = one.label, rank
            found = Difference(
                entry=entry,
                got=got[entry].item(),
                expected=expected[entry].item(),
                error=float(error[entry]),
                bound=float(bound[place]),
                moved=float(moved[place]),
                repeated=float(repeated[place]),
                size=float(size[place]),
                tried=0,
                seed=seed,
            )
        if found is not None and found.differs:
            break
    if found is None:
        raise RuntimeError("nothing was compared")
    return label, replace(found, tried=tried)


def selected(returned: Any, output: Output) -> Any:
    """The output that is meant, of what a model returned: a mapping's by its key, a tuple's or a
    list's by its place or its field, another object's by its attribute. An array is one output, at
    place 0; its own attributes and rows are no outputs.

    Errors: ValueError where there are several and none is named, or it is not there.
    """
    names: list[Any] = []
    if isinstance(returned, Mapping):
        names = [*returned]
    elif isinstance(returned, (tuple, list)):
        names = [*range(len(returned))]
    elif is_array(returned):
        names = [0]
    if output is None:
        if names and not is_array(returned):
            raise ValueError(f"given several outputs, expected output= one of {names}")
        return returned
    if callable(output):
        return output(returned)
    if is_array(returned) and output in (0, -1):
        return returned
    try:
        if not is_array(returned):
            return _named(returned, output)
    except (KeyError, IndexError, TypeError):
        pass
    kind = type(returned).__name__
    raise ValueError(f"given output={output!r} of {kind}, expected one of {names}")


def _named(returned: Any, output: int | str) -> Any:
    """An output by its name, of what holds several."""
    if not isinstance(output, str) or isinstance(returned, (Mapping, list)):
        return returned[output]
    if isinstance(returned, tuple):  # its methods are no outputs, as `count`
        known = output in getattr(returned, "_fields", ())
    else:
        known = hasattr(returned, output)
    return getattr(returned, output) if known else returned[output]


def output_axes(y: Array, axis: OutputAxis, n: int) -> tuple[int, ...]:
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


def _pooled(y: Array, moved: Array, repeated: Array, known: bool) -> tuple[Array, Array, Array]:
    """The scale of each entry of y, and how far it may move and be off when the call is repeated,
    of what was seen of it and of the others; as the head of this file says."""
    size = _size(y)
    plain = _ordinary(y)
    whole = 0.0
    if plain.size:
        most = np.inf if known else SPAN * plain[(plain.size - 1) // 4]
        whole = plain[plain <= most][-1]
    scale = np.maximum(size, whole)
    unit = scale if scale.any() else np.ones(y.shape)  # of nothing but 0: one for all
    shares = (moved / unit)[moved > 0]
    usual = np.median(shares) if shares.size else 0.0
    return scale, np.maximum(moved, usual * unit), (repeated / unit).max() * unit


def _ordinary(y: Array) -> Array:
    """The sizes of the entries of y that are neither 0 nor fills, in rising order.

    A fill is what people write where a mask hides: −1e9, −65504. Fills are more than GAP times
    larger than every other entry and than 1, of one sign, and equal but for a factor of 2. There
    may be several of different sizes. Complex numbers are no fills.
    """
    if y.dtype.kind == "c":
        return np.sort(np.abs(y[y != 0]), axis=None)
    values = np.sort(y[y != 0].astype(np.float64), axis=None)
    size = np.sort(np.abs(values))
    with np.errstate(over="ignore"):
        while gaps := np.flatnonzero(size[1:] > GAP * np.maximum(size[:-1], 1.0)).tolist():
            least, largest = size[gaps[-1] + 1], size[-1]
            one_sign = values[0] > -least or values[-1] < least
            if not one_sign or largest > 2 * least:
                break
            values = values[np.abs(values) < least]
            size = size[: gaps[-1] + 1]
    return size


def _largest(y: Array) -> float:
    """The largest |y| that is no fill; 0 where there is none."""
    plain = _ordinary(y)
    return float(plain[-1]) if plain.size else 0.0


def _worst(error: Array, bound: Array, size: Array) -> tuple[tuple[float, float], Place]:
    """The worst entry and how bad it is: beyond its bound, else not to be judged, else the nearest
    to its bound; NaN is worse than any number."""
    with np.errstate(all="ignore"):
        near = np.where(error == 0, 0.0, error / bound)
        unseen = np.where(error == 0, 0.0, bound / size)
    differs, blind = ~(error <= bound), ~(bound <= SHARE * size) & (error != 0)
    kind, by = 0.0, near
    if differs.any():
        kind, by = 2.0, np.where(differs, near, 0.0)
    elif blind.any():
        kind, by = 1.0, np.where(blind, unseen, 0.0)
    entry = _place(int(np.argmax(by)), error.shape)  # argmax takes NaN as the largest
    share = float(by[entry])
    return (kind, np.inf if np.isnan(share) else share), entry


def _place(flat: int, shape: tuple[int, ...]) -> Place:
    return tuple(int(i) for i in np.unravel_index(flat, shape))


def _size(y: Array) -> Array:
    """|y| in float64: of the least whole number too, whose size is none of its type."""
    return np.asarray(np.abs(y.astype(np.float64) if y.dtype.kind in "biu" else y))


def _difference(got: Array, expected: Array) -> Array:
    """The size of the difference of each entry; at least 1 of whole numbers that differ."""
    if got.shape != expected.shape:
        raise ValueError(
            f"given outputs of shape {expected.shape} and, for changed tokens, {got.shape}, "
            "expected one shape"
        )
    with np.errstate(all="ignore"):  # infinities are found, and are no error here
        if got.dtype.kind in "biu" and expected.dtype.kind in "biu":
            size = np.abs(got.astype(np.float64) - expected.astype(np.float64))
            return np.asarray(np.where(got != expected, np.maximum(size, 1), 0.0))
        return np.asarray(np.abs(got - expected))
