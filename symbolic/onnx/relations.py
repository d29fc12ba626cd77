"""Which rows of an output should not depend on which rows of the inputs, for each question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .graph import Array

FEW = 8  # rows up to which each is looked at; of more, some
NEAR = (0, 1, 3, 7, 15, 31)  # first rows of those, before the ends of usual windows


@dataclass(frozen=True, eq=False)
class Layout:
    """For n rows: of which rows of the inputs a row of the output should not know."""

    hidden: Array  # (n, n) truth values: row of the output, row of the inputs
    kept: tuple[int, ...]  # numbers of first rows that alone should give the same first rows
    values: tuple[float, ...] = ()  # of the mask, or ids of documents, row by row
    last_only: bool = False  # in the last request alone; in others all rows are alike

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.hidden)

    def groups(self) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Rows of the inputs, with all rows of the output that should know of none of them."""
        found = dict.fromkeys(_places(self.hidden[i]) for i in some(self.n))
        yield from ((hidden, self.rows(hidden)) for hidden in found if hidden)

    def rows(self, hidden: Sequence[int]) -> tuple[int, ...]:
        """The rows of the output that should know of none of these rows of the inputs."""
        return _places(np.all(self.hidden[:, list(hidden)], axis=1))


def _places(of: Any) -> tuple[int, ...]:
    return tuple(np.flatnonzero(of).tolist())


def some(n: int) -> list[int]:
    """Rows of n that are looked at: each, or of many those at the ends and near usual windows."""
    if n <= FEW:
        return [*range(n)]
    return sorted({k for k in (*NEAR, n // 2 - 1, n - 2, n - 1) if k < n})


def layouts(ask: str, n: int, masked: float = 0.0, last_id: int | None = None) -> list[Layout]:
    """The layouts of n rows that are tried. A mask has `masked` where it hides; `last_id` is the
    largest id of a document that the model takes, where there is one."""
    shorter = tuple(k + 1 for k in some(n) if k + 1 < n)
    if ask == "causal":
        return [Layout(np.triu(np.ones((n, n), bool), 1), shorter)]
    if ask == "isolated":
        return [Layout(~np.eye(n, dtype=bool), shorter)]
    if ask == "padding":
        ends = dict.fromkeys((range(n - 1, n), range(1), range(n // 2, n), range(1, 2)))
        return [_padded(n, hides, masked) for hides in ends]
    cuts = dict.fromkeys([(1,), (n - 1,), (n // 2,), *([(1, 2)] if n > 2 else [])])
    last = n if last_id is None else last_id
    return [_packed(n, cut, min(1, last - len(cut))) for cut in cuts if len(cut) <= last]


def real(masked: float) -> float:
    """What a mask has at rows that it does not hide."""
    return 1.0 if masked == 0 else 0.0


def _padded(n: int, hides: range, masked: float) -> Layout:
    is_hidden = np.isin(range(n), hides)
    kept = (hides.start,) if hides.start and hides.stop == n else ()
    values = tuple(np.where(is_hidden, masked, real(masked)).tolist())
    return Layout(np.outer(~is_hidden, is_hidden), kept, values)


def _packed(n: int, cuts: Sequence[int], first: int) -> Layout:
    """Documents that begin at these rows, and one at row 0; their ids count from `first` on."""
    ids = np.array([first + sum(k >= cut for cut in cuts) for k in range(n)])
    return Layout(ids[:, None] != ids, tuple(cuts), tuple(map(float, ids.tolist())))
