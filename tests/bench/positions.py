"""The bench of the table scheme × symmetry: all of it from nothing, and each of its witnesses."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence

from orderproof.proofs.scheme_table import Cell, table
from orderproof.symbolic.position_schemes import POSITION_SCHEMES
from orderproof.symbolic.position_search import find
from orderproof.symbolic.search import direct_encoding
from orderproof.symbolic.symmetries import SYMMETRIES

from .measure import Row


def rows(names: Sequence[str], limit: float) -> tuple[Row, Row]:
    """The whole table, and its witnesses."""
    first, cells = whole(names)
    return first, witnesses(cells, limit)


def whole(names: Sequence[str]) -> tuple[Row, list[Cell]]:
    """The table by two processes, against one."""
    times = []
    for jobs in (2, 1):
        start = time.perf_counter()
        cells = table(names, jobs)
        times.append(time.perf_counter() - start)
        if any(c.verdict == "open" for c in cells):
            raise RuntimeError("a cell of the table is open: its time means nothing")
    what = f"table, {len(names)} schemes, {len(SYMMETRIES)} symmetries, 2 processes, against 1"
    ours, other = times
    return Row(what, ours, other, other / ours, "all settled", "all settled"), cells


def witnesses(cells: Sequence[Cell], limit: float) -> Row:
    """Every witness of the table on its own, against the direct encoding of the smallest case."""
    times = []
    for c in cells:
        if c.witness is None or c.smallest is None:
            continue
        s, y = POSITION_SCHEMES[c.scheme], SYMMETRIES[c.symmetry]
        start = time.perf_counter()
        if find(s, y, c.smallest, c.witness.sigma) is None:
            raise RuntimeError(
                f"{c.scheme}, {c.symmetry}: no witness: the comparison means nothing"
            )
        times.append(time.perf_counter() - start)
    answer, other = direct_encoding(2, 1, limit)
    what = f"witness, median of {len(times)}, against the direct encoding of n = 2, d = 1"
    note = f"longest {max(times):.2f} s"
    ours = statistics.median(times)
    return Row(what, ours, other, other / ours, note, answer, answer == "unknown")
