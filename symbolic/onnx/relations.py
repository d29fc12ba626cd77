"""Which rows of an output should not depend on which rows of the inputs, for each question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

FEW = 8  # rows up to which each is looked at; of more, some
NEAR = (0, 1, 3, 7, 15, 31)  # first rows of those, before the ends of usual windows


@dataclass(frozen=True)
class Layout:
    """For n rows: of which rows of the inputs a row of the output should not know."""

    n: int
    hidden: Mapping[int, frozenset[int]]  # by row of the output; only of those that are looked at
    kept: tuple[int, ...]  # numbers of first rows that alone should give the same first rows
    values: tuple[float, ...] = field(default=())  # of the mask, or ids of documents, row by row

    def groups(self, whole: bool) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Rows of the inputs with all rows of the output that should know of none of them; or with
        (), where the output as a `whole` should not."""
        groups = {hidden: i for i, hidden in self.hidden.items() if hidden}
        for hidden in groups:
            rows = [r for r, others in self.hidden.items() if hidden <= others]
            yield tuple(sorted(hidden)), () if whole else tuple(sorted(rows))

    def rows_hidden_from(self, j: int) -> tuple[int, ...]:
        """The rows of the output that should not know of row j."""
        return tuple(sorted(i for i, hidden in self.hidden.items() if j in hidden))


def some(n: int) -> list[int]:
    """Rows of n that are looked at: each, or of many those at the ends and near usual windows."""
    if n <= FEW:
        return [*range(n)]
    return sorted({k for k in (*NEAR, n // 2 - 1, n - 2, n - 1) if k < n})


def layouts(ask: str, n: int, masked: float = 0.0) -> list[Layout]:
    """The layouts of n rows that are tried; of `padding` the mask has `masked` where it hides."""
    every = frozenset(range(n))
    shorter = tuple(k + 1 for k in some(n) if k + 1 < n)
    if ask == "causal":
        return [Layout(n, {i: frozenset(range(i + 1, n)) for i in some(n)}, shorter)]
    if ask == "isolated":
        return [Layout(n, {i: every - {i} for i in some(n)}, shorter)]
    if ask == "padding":
        ends = (range(n - 1, n), range(1), range(n // 2, n), range(1, 2))
        hides = dict.fromkeys(frozenset(rows) for rows in ends if len(rows) < n)
        return [_padded(n, hidden, masked) for hidden in hides]
    cuts = dict.fromkeys([(1,), (n - 1,), (n // 2,), *([(1, 2)] if n > 2 else [])])
    return [_packed(n, cut) for cut in cuts]


def _padded(n: int, hidden: frozenset[int], masked: float) -> Layout:
    real = 1.0 if masked == 0 else 0.0
    first = min(hidden)
    kept = (first,) if first and len(hidden) == n - first else ()
    values = tuple(masked if k in hidden else real for k in range(n))
    return Layout(n, {i: hidden for i in range(n) if i not in hidden}, kept, values)


def _packed(n: int, cuts: Sequence[int]) -> Layout:
    ids = [sum(k >= cut for cut in cuts) for k in range(n)]
    hidden = {i: frozenset(k for k in range(n) if ids[k] != ids[i]) for i in range(n)}
    return Layout(n, hidden, tuple(cuts), tuple(map(float, ids)))
