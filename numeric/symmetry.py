"""What a bias or a mask leaves of the order: the layer's group, and the last token's context group.

The layer (`score_bias_iff`): softmax(QKᵀ + B)V commutes with σ for all weights iff
B̃[σi, σj] = B̃[i, j] for all i, j, where B̃ is B minus its row maxima; several heads, each head.

The context of the last token at depth L, with skips: the σ that fix it and keep B̃[i, ·] for each
row i that it reaches in at most L − 1 steps (i reaches j where some head has B[i, j] > −∞):

    σ(n−1) = n−1,   B̃[σi, σj] = B̃[i, j]   for i in R_{L−1} and all j.

*If*: by induction on the layer l, the state of token i in R_{L−l} on PX is that of σ(i) on X. (The
condition maps each R_k onto itself, so these σ form a group.) *Only if*: a residual stream holds
its own token, so that generic weights tell the states of one layer apart by token and by row of B̃.
The rows outside R_{L−1} are one colour here, and the last token has a colour of its own: the
context group is the group of a coloured matrix again.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import group_names
from .automorphisms import Colours, Group, group
from .exact_matrix import Exact, MatrixError, Number, grouped, masked, without_row_maxima


@dataclass(frozen=True)
class Layer:
    """B̃ of every head, and their joint colours. Of an added table: the classes of equal rows on
    the diagonal, one colour elsewhere, no heads."""

    heads: tuple[Exact, ...]
    colours: Colours

    @property
    def n(self) -> int:
        """The number of tokens."""
        return len(self.colours)


@dataclass(frozen=True)
class Answer:
    """The layer's group, and the context groups by depth; `limit` is the depth from which on the
    context group no longer changes."""

    layer: Group
    context: dict[int, Group]
    limit: int

    def to_json(self) -> dict[str, Any]:
        """The answer as `symmetry --json` prints it."""
        context: dict[str, Any] = {f"depth {k}": _json(self.context[k]) for k in (1, 2)}
        context["limit"] = _json(self.context[self.limit]) | {"depth": self.limit}
        return {"n": self.layer.n} | _json(self.layer) | {"context": context}


def of_heads(matrices: Sequence[Exact], allowed: Sequence[NDArray[np.bool_]] = ()) -> Layer:
    """The layer of score biases (one matrix a head), with masks (one, or one a head)."""
    counts = {len(matrices), len(allowed)} - {0, 1}
    if len(counts) > 1:
        raise MatrixError(f"given {len(matrices)} heads of bias and {len(allowed)} of mask")
    heads = list(matrices)
    if not heads:
        zero = np.zeros(allowed[0].shape, dtype=np.int64)
        heads = [Exact(zero, (0,))] * len(allowed)
    if allowed:
        count = max(len(heads), len(allowed))
        heads = heads * (count // len(heads))
        masks = list(allowed) * (count // len(allowed))
        for k, (head, mask) in enumerate(zip(heads, masks, strict=True)):
            if mask.shape != head.ids.shape:
                raise MatrixError(f"head {k}: given {head.n} tokens and a mask of {len(mask)}")
        heads = [masked(h, m) for h, m in zip(heads, masks, strict=True)]
    lifted = []
    for k, head in enumerate(heads):
        if head.n != heads[0].n:
            raise MatrixError(f"head {k} has {head.n} tokens, head 0 has {heads[0].n}")
        try:
            lifted.append(without_row_maxima(head))
        except MatrixError as e:
            raise MatrixError(f"head {k}: {e}" if len(heads) > 1 else str(e)) from None
    return joined(lifted)


def joined(heads: Sequence[Exact]) -> Layer:
    """The layer of heads from which the row maxima are subtracted."""
    colours = np.zeros_like(heads[0].ids)
    for head in heads:
        pairs = colours * len(head.values) + head.ids
        colours = np.unique(pairs, return_inverse=True)[1].reshape(pairs.shape)
    return Layer(tuple(heads), colours)


def of_classes(classes: Sequence[int] | NDArray[np.int64]) -> Layer:
    """The layer of an added table with these classes of equal rows (`additive_position_iff`)."""
    return Layer((), np.diag(np.asarray(classes, dtype=np.int64) + 1))


def reached(layer: Layer) -> list[NDArray[np.bool_]]:
    """R_0, R_1, ... of the last token, until they no longer grow."""
    n = layer.n
    sees = np.zeros((n, n), dtype=bool) if layer.heads else np.ones((n, n), dtype=bool)
    for head in layer.heads:
        sees |= head.ids >= (1 if head.values[0] is None else 0)
    now = np.zeros(n, dtype=bool)
    now[-1] = True
    found = [now]
    while True:
        after = now | sees[now].any(axis=0)
        if np.array_equal(after, now):
            return found
        found.append(after)
        now = after


def context_colours(layer: Layer, rows: NDArray[np.bool_]) -> Colours:
    """The coloured matrix whose group is the context group, for the reached rows."""
    m = layer.colours + 1
    if layer.heads:  # an added row, though, is read wherever its token is read
        m = np.where(rows[:, None], m, 0)
    m[-1, -1] = m.max() + 1
    return np.asarray(m, dtype=np.int64)


def answer(layer: Layer) -> Answer:
    """The layer's group, and the context groups at depth 1, 2 and in the limit."""
    reach = reached(layer)
    found: dict[int, Group] = {}

    def context(depth: int) -> Group:
        depth = min(depth, len(reach))
        if depth not in found:
            found[depth] = group(context_colours(layer, reach[depth - 1]))
        return found[depth]

    least = context(len(reach)).order
    # The groups shrink with depth, so that those of equal orders are equal.
    limit = 1 + bisect_left(range(1, len(reach)), True, key=lambda d: context(d).order == least)
    depths = {depth: context(depth) for depth in (1, 2, limit)}
    return Answer(group(layer.colours), depths, limit)


def with_tolerance(
    layer: Layer, tolerance: Fraction
) -> tuple[Layer, list[list[tuple[Fraction, Fraction]]]]:
    """The layer with entries of B̃ that are at most `tolerance` apart made one, and what was."""
    merged = [grouped(head, tolerance) for head in layer.heads]
    return joined([head for head, _ in merged]), [spans for _, spans in merged]


# ------------------------------------------------------------------------------- the other way
@dataclass(frozen=True)
class Outside:
    """Why σ is not in the group: with W_Q = 0 and the values 1 at token σ(j), 0 elsewhere, row i of
    f(PX) is `left` and row i of P f(X) is `right`, and they differ.

    Both rows of weights are softmaxes of the exact rows `here` = B̃[i, ·] and `there` = B̃[σi, σ·].
    At j the gain there − here is the largest and not all gains are equal, so that
    Σ_k e^(there_k − there_j) < Σ_k e^(here_k − here_j): the weight at j is larger there.
    """

    head: int
    row: int
    column: int
    here: tuple[Number, ...]
    there: tuple[Number, ...]

    @property
    def log_weights(self) -> tuple[float, float]:
        """log₁₀ of the two weights at the column, in floats, to be shown."""
        return _log_weight(self.here, self.column), _log_weight(self.there, self.column)


def witness_outside(layer: Layer, sigma: Sequence[int]) -> Outside | None:
    """A concrete witness that the layer does not commute with σ; None where σ is in the group."""
    index = np.asarray(sigma)
    for h, head in enumerate(layer.heads):
        there_ids = head.ids[np.ix_(index, index)]
        rows = np.flatnonzero((there_ids != head.ids).any(axis=1))
        if not len(rows):
            continue
        i = int(rows[0])
        here = tuple(head.number(k) for k in head.ids[i])
        there = tuple(head.number(k) for k in there_ids[i])
        if {k for k, v in enumerate(here) if v is None} != {
            k for k, v in enumerate(there) if v is None
        }:
            column = next(k for k in range(layer.n) if (here[k] is None) != (there[k] is None))
        else:
            gains = {
                k: b - a
                for k, (a, b) in enumerate(zip(here, there, strict=True))
                if a is not None and b is not None
            }
            column = max(gains, key=lambda k: (gains[k], -k))
        return Outside(h, i, column, here, there)
    return None


def confirms(layer: Layer, sigma: Sequence[int], found: Outside) -> bool:
    """Recheck a witness entry by entry, from the matrix and its claim alone."""
    head, i, j = layer.heads[found.head], found.row, found.column
    here = [head.entry(i, k) for k in range(layer.n)]
    there = [head.entry(sigma[i], sigma[k]) for k in range(layer.n)]
    if tuple(here) != found.here or tuple(there) != found.there:
        return False
    a, b = here[j], there[j]
    if a is None or b is None:
        return (a is None) != (b is None)  # a weight of 0, and one that is positive
    below = False  # a gain that is strictly smaller than that at j
    for x, y in zip(here, there, strict=True):
        if (x is None) != (y is None):
            return False
        if x is not None and y is not None:
            if y - x > b - a:
                return False
            below = below or y - x < b - a
    return below


def _log_weight(row: Sequence[Number], column: int) -> float:
    scores = [_float(v) for v in row]
    total = math.fsum(map(math.exp, scores))  # the largest score is 0
    return (scores[column] - math.log(total)) / math.log(10)


def _float(value: Number) -> float:
    """The nearest float to a number <= 0; −∞ where it is below all of them."""
    try:
        return -math.inf if value is None else float(value)
    except OverflowError:
        return -math.inf


def _json(found: Group) -> dict[str, Any]:
    return {
        "order": found.order,
        "generators": [list(sigma) for sigma in found.generators],
        "orbits": [list(orbit) for orbit in found.orbits],
        "name": group_names.name(found),
        "proved": found.proved,
    }
