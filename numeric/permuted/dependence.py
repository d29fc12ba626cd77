"""Whether rows of a function's output depend, at one x, on input rows that they must not depend on.

    causal     row i of the output, on rows j > i of the input
    isolated   row i of the output, on every other row: the requests of a batch
    padding    rows of the output that a mask shows, or all of it, on rows that the mask hides

Of some rows j the contents are replaced, alone and by larger ones; then the last rows are taken
away. What must not change is compared by the bounds of `measure`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .arrays import Array, as_numpy, unit_of
from .inputs import Axis, arguments, axes_of, copies, pairs_of, reordered, size_of, with_others
from .measure import Compared, Difference, Output, OutputAxis, difference, output_axes, selected

SOURCES = 8
LARGER = (1.0, 8.0)  # a row is replaced by numbers of the size that x has, and by larger ones


@dataclass(frozen=True)
class Dependence(Difference):
    """What was compared of which rows, counted from 0; the worst of it where nothing differs."""

    ask: str
    n: int
    source: int | None  # the input row with other contents; None where `kept` rows were left alone
    kept: int
    row: int | None  # of the output; None where it has no such axis
    shorter: tuple[int, ...]  # sizes that were compared with n; none if f raised errors at them


def dependence_error(
    model: Callable[..., Any],
    x: Any,
    axis: Axis,
    output_axis: OutputAxis,
    ask: str,
    *,
    mask: Any = None,
    masked: float = 0.0,
    output: Output = None,
    **how: Any,
) -> Dependence:
    """How far outputs change that must not, as `ask` ("causal", "isolated", "padding") says.

    x, `axis` and `output` are as for permutation_error, and so are `seed`, `factor` and `unit` in
    `how`. Of several output axes, as of weights for pairs of tokens, the first is that of the rows.
    `mask`, for padding alone, is a pair (argument, axis), with the value `masked` at what it
    hides; its other axes are those of its batch. An output without an axis of n rows, or for which
    `output_axis` is (), is compared as a whole.

    Errors: ValueError, in one line, unless axes and shapes fit, x has at least two rows that are
    not all equal, and no NaN, and the mask hides some and leaves some.
    """
    args, pairs = arguments(x, axis)
    n = size_of(args, pairs)
    hidden, cut = np.zeros(n, bool), pairs
    candidates = [*range(ask == "causal", n)]
    if ask == "padding":
        cut = axes_of(args, (*pairs, *pairs_of(args, [mask], "mask")))
        hidden = _hidden(as_numpy(args[cut[-1][0]]) == masked, cut[-1][1], masked)
        pairs = tuple((k, a) for k, a in pairs if k != cut[-1][0])
        if not pairs:
            raise ValueError(f"given axis={axis!r} of the mask alone, expected one that it hides")
        candidates = np.flatnonzero(hidden.reshape(n, -1).any(1)).tolist()

    def call(values: Sequence[Any]) -> Any:
        return selected(model(*values), output)

    first = call(copies(args))
    shape = as_numpy(first).shape
    axes: tuple[int, ...] = ()
    counts: Array = np.array(True)
    if ask != "padding" or (output_axis != () and n in shape):
        axes = output_axes(as_numpy(first), output_axis, n)
        counts = _along(~hidden, shape, axes[0])
    rows = _along(np.arange(n), shape, axes[0]) if axes else np.array(0)
    shorter: list[int] = []

    def where(k: int, a: int) -> Any:
        return ask != "padding" or _along(hidden, args[k].shape, a)

    def contents() -> Iterator[Compared]:
        for j in _spread(candidates):
            held = {"causal": rows < j, "isolated": rows != j, "padding": counts}[ask]
            for times in LARGER:
                changed = with_others(args, pairs, j, where, times, how.get("seed", 0))
                with np.errstate(all="ignore"):  # large numbers, where nothing is compared
                    given = call(changed)
                yield Compared((j, n), given, axes, range(n), held)

    def number() -> Iterator[Compared]:
        left = 1 + int(np.flatnonzero((~hidden).reshape(n, -1).any(1))[-1])
        for m in sorted({left} - {n} if ask == "padding" else {1, n - 1}):
            try:
                given = call(reordered(args, cut, range(m)))
            except Exception:  # whatever a model of any library does with fewer rows
                continue
            wanted = tuple(m if (a in axes and size == n) else size for a, size in enumerate(shape))
            if as_numpy(given).shape != wanted:  # it does not take fewer rows either
                continue
            shorter.append(m)
            held = np.take(counts, range(m), axes[0]) if axes else counts
            yield Compared((None, m), given, axes, range(m), held)

    known = any(unit_of(args[k]) == 0 for k, _ in pairs)
    stages = [contents(), number()]
    label, found = difference(call, args, first, stages, known, counts=counts, **how)
    source, kept = label or (None, n)
    row = found.entry[axes[0]] if axes else None
    return Dependence(
        ask=ask, n=n, source=source, kept=kept, row=row, shorter=tuple(shorter), **vars(found)
    )


def _hidden(hidden: Array, axis: int, masked: float) -> Array:
    """Where a mask hides tokens: their axis first, and no axis of size 1 after it."""
    if not hidden.any() or hidden.all():
        raise ValueError(
            f"given a mask that hides {'all' if hidden.any() else 'no'} tokens, "
            f"expected {masked:g} at some, and at some not"
        )
    first = np.moveaxis(hidden, axis, 0)
    return first.reshape([len(first), *(size for size in first.shape[1:] if size > 1)])


def _along(values: Array, shape: Sequence[int], axis: int) -> Array:
    """Values whose first axis is that of the rows, in a form that broadcasts to a shape with rows
    along `axis`; of their other axes, each is the next one of the same size."""
    form = [1] * len(shape)
    form[axis] = len(values)
    place, before = -1, 0
    for size in values.shape[1:]:
        left = (a for a in range(place + 1, len(shape)) if a != axis and shape[a] == size)
        place = next(left, len(shape))
        if place == len(shape):
            raise ValueError(
                f"given a mask for {' and '.join(map(str, values.shape[1:]))} sequences and an "
                f"array of shape {tuple(shape)}, expected axes of it with them"
            )
        form[place] = size
        before += place < axis
    return np.moveaxis(values, 0, before).reshape(form)


def _spread(candidates: Sequence[int]) -> list[int]:
    """SOURCES of the candidates, spread over them, each with its neighbour; all if they are few."""
    if len(candidates) <= SOURCES:
        return [*candidates]
    starts = np.linspace(0, len(candidates) - 2, SOURCES // 2).astype(int)
    return [candidates[k] for start in starts for k in (start, start + 1)]
