"""What a bias or a mask leaves of the order: the layer's group, and the last token's context group.

The layer (`score_bias_iff`): softmax(QKᵀ + B)V commutes with σ for all weights iff
B̃[σi, σj] = B̃[i, j] for all i, j, where B̃ is B minus its row maxima; several heads, each head.
Rows that are added to tokens (`additive_position_iff`): iff the rows at i and σ(i) are equal.

The context of the last token at depth L, with skips: the σ that fix it, keep B̃[i, ·] for each row
i that it reaches in at most L − 1 steps (i reaches j where some head has B[i, j] > −∞), and keep
the added row of each token that it reaches in L:

    σ(n−1) = n−1,   B̃[σi, σj] = B̃[i, j] for i in R_{L−1} and all j,   E[σj] = E[j] for j in R_L.

These are the σ that keep the last token's type at depth L, where all tokens differ, and so those
that keep its output for all weights (attention_is_colour_refinement). *If*: token i in R_{L−l} has
the type T_l on P X that σ(i) has on X. (The condition maps each R_k onto itself, so these σ form a
group.) *Only if*: T_l(i) holds T_{l−1}(i) and the shares at i, and tokens that all differ are types
of their own, so that T_L of the last token holds each row of shares that it reaches in L − 1 steps.
The rows outside R_{L−1} are one colour here, and the last token has a colour of its own: the
context group is the group of a coloured matrix again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderproof.symbolic.counting import PEOPLE

from . import names as group_names
from .automorphisms import Group, group, keeps
from .bias_matrices import Position, Table
from .exact_matrix import Exact, MatrixError, grouped, without_row_maxima
from .refinement import Colours, numbered

THEOREMS = {  # that a σ that changes a tensor of the model changes an output
    "G": "score_bias_iff", "E": "output_differs_of_rows", "A": "output_differs_of_relative_keys",
    "R": "output_differs_of_rotations",
}  # fmt: skip
TYPES = "attention_is_colour_refinement"  # on the types of tokens


@dataclass(frozen=True)
class Layer:
    """The position terms of a layer. `heads` are B̃ of every head (of `kind` "B", or "A": relative
    keys, by entries that stand for generic vectors), or offsets ("R": rotations, nothing to be
    subtracted), and `pairs` their joint colours; `table` are the rows that are added to tokens, if
    any: numbers, or integers whose sines are added (`sines`)."""

    n: int
    heads: tuple[Exact, ...] = ()
    pairs: Colours | None = None
    table: Table = ()
    kind: str = "B"
    sines: bool = False

    @property
    def letters(self) -> str:
        """The tensors of the model that these are (symbolic/schemes/models.py); a bias stands as
        the mask of weights G = exp B̃."""
        own = "E" if self.table else ""
        if not self.heads:
            return own
        hidden = any(None in head.values for head in self.heads)
        return own + {"B": "G", "A": "A", "R": "RG" if hidden else "R"}[self.kind]

    @property
    def colours(self) -> Colours:
        """The coloured matrix whose group is the layer's."""
        return self.coloured(np.ones(self.n, dtype=bool), np.ones(self.n, dtype=bool))

    def coloured(self, reached: NDArray[np.bool_], read: NDArray[np.bool_]) -> Colours:
        """The same, of the pairs in these rows, and of these tokens' added rows."""
        m = np.zeros((self.n, self.n), dtype=np.int64)
        if self.pairs is not None:
            m = np.where(reached[:, None], self.pairs + 1, 0)
        number = {row: k for k, row in enumerate(dict.fromkeys(self.table), 1)}
        own = np.where(read, np.array([number[row] for row in self.table] or [0] * self.n), 0)
        return np.asarray(m + np.diag(own * (int(m.max()) + 1)), dtype=np.int64)


@dataclass(frozen=True)
class Answer:
    """The layer's group, and the context groups by depth; `limit` is the depth from which on the
    context group no longer changes (where all are proved, the least such); `theorems` of the
    catalogue say that there are no other permutations."""

    layer: Group
    context: dict[int, Group]
    limit: int
    theorems: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Answer n = {self.layer.n}: order {self.layer.order}>"

    @property
    def open(self) -> bool:
        """Whether a search met its limit."""
        return any(found.open for found in (self.layer, *self.context.values()))

    def to_json(self) -> dict[str, Any]:
        """The answer as `symmetry --json` prints it."""
        context: dict[str, Any] = {f"depth {k}": _json(self.context[k]) for k in (1, 2)}
        context["limit"] = _json(self.context[self.limit]) | {"depth": self.limit}
        return {"n": self.layer.n} | _json(self.layer) | {"context": context}


def of_scheme(found: Position) -> Layer:
    """The layer of a named scheme."""
    head, table, kind = found.head, found.table, found.scheme.tensor or "B"
    if head is None:
        return of_table(table, found.scheme.name == "sinusoidal")
    return joined([head if kind == "R" else without_row_maxima(head)], table, kind)


def of_heads(heads: Sequence[Exact]) -> Layer:
    """The layer of score biases, −∞ where a mask lets nothing through: one matrix a head."""
    lifted = []
    for k, head in enumerate(heads):
        try:
            lifted.append(without_row_maxima(head))
        except MatrixError as e:
            raise MatrixError(f"head {PEOPLE(k)}: {e}" if len(heads) > 1 else str(e)) from None
    return joined(lifted)


def joined(heads: Sequence[Exact], table: Table = (), kind: str = "B") -> Layer:
    """The layer of heads from which the row maxima are subtracted."""
    pairs = np.zeros_like(heads[0].ids)
    for head in heads:
        both = pairs * len(head.values) + head.ids
        pairs = numbered(both)
    return Layer(heads[0].n, tuple(heads), pairs, table, kind)


def of_table(table: Table, sines: bool = False) -> Layer:
    """The layer of an added table (`additive_position_iff`)."""
    return Layer(len(table), table=table, sines=sines)


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


def context_colours(layer: Layer, depth: int, reach: Sequence[NDArray[np.bool_]]) -> Colours:
    """The coloured matrix whose group is the context group at this depth."""
    last = len(reach) - 1
    m = layer.coloured(reach[min(depth - 1, last)], reach[min(depth, last)])
    m[-1, -1] = m.max() + 1
    return m


def answer(
    layer: Layer,
    check: Callable[[], None] = lambda: None,
    note: Callable[[str], None] = lambda stage: None,
) -> Answer:
    """The layer's group, and the context groups at depth 1, 2 and in the limit. `check` is called
    at each step, and what it raises as GaveUp leaves lower bounds; `note` is told each stage."""
    reach = reached(layer)
    found: dict[int, Group] = {}
    note("the group of the layer")
    whole = group(layer.colours, check)

    def context(depth: int) -> Group:
        depth = min(depth, len(reach))
        if depth not in found:
            note(f"the context group at depth {depth}")
            found[depth] = group(context_colours(layer, depth, reach), check)
        return found[depth]

    least = context(len(reach))

    def settled(depth: int) -> bool:
        """The groups shrink with depth, so that those of equal orders are equal."""
        here = context(depth)
        return here.proved and least.proved and here.order == least.order

    limit = 1 + bisect_left(range(1, len(reach)), True, key=settled)
    theorems = (*(THEOREMS[x] for x in layer.letters), TYPES)
    return Answer(whole, {depth: context(depth) for depth in (1, 2, limit)}, limit, theorems)


def context_depths(layer: Layer, sigma: Sequence[int]) -> int | None:
    """Up to which depth σ is in the context group: 0 for none, None for every depth."""
    reach = reached(layer)
    for depth in range(1, len(reach) + 1):
        if not keeps(context_colours(layer, depth, reach), sigma):
            return depth - 1
    return None


def with_tolerance(
    layer: Layer, tolerance: Fraction
) -> tuple[Layer, list[list[tuple[Fraction, Fraction]]]]:
    """The layer with entries of B̃ that are at most `tolerance` apart made one, and what was."""
    merged = [grouped(head, tolerance) for head in layer.heads]
    made = joined([head for head, _ in merged], layer.table, layer.kind)
    return made, [spans for _, spans in merged]


def _json(found: Group) -> dict[str, Any]:
    return {
        "order": found.order,
        "generators": [list(sigma) for sigma in found.generators],
        "orbits": [list(orbit) for orbit in found.orbits],
        "name": group_names.name(found),
        "proved": found.proved,
        "open": found.open,
    }
