"""Times, and the table of ratios."""

from __future__ import annotations

import signal
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from rich.table import Table


@dataclass(frozen=True)
class Row:
    """One comparison: seconds of each side, what is said of the other's answer, and the ratio."""

    what: str
    ours: float
    other: float
    ratio: float
    ours_note: str = ""
    other_note: str = ""
    at_least: bool = False  # the other side was cut off: its time, and the ratio, are lower bounds


class OutOfTime(Exception):
    """A cell that took longer than its cap."""


@contextmanager
def capped(seconds: float) -> Iterator[None]:
    """OutOfTime after that many seconds."""

    def stop(*_: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def seconds(work: Callable[[], object], runs: int) -> float:
    """The median time of several runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def shown(time: float, note: str = "", at_least: bool = False) -> str:
    """A time in a cell."""
    text = f"{1000 * time:.1f} ms" if time < 1 else f"{time:.2f} s"
    return ("> " if at_least else "") + text + (f" ({note})" if note else "")


WIDTHS = {"what": 70, "here": 22, "against": 36, "ratio": 8}


def table(rows: list[Row], header: bool = True) -> Table:
    """Rows in columns of fixed widths, so that they can be printed one by one."""
    result = Table(box=None, pad_edge=False, header_style="bold", show_header=header)
    for column, width in WIDTHS.items():
        justify: Literal["right", "left"] = "right" if column == "ratio" else "left"
        result.add_column(column, justify=justify, width=width, overflow="fold")
    for row in rows:
        result.add_row(
            row.what,
            shown(row.ours, row.ours_note),
            shown(row.other, row.other_note, row.at_least),
            ("> " if row.at_least else "") + f"{row.ratio:.3g}",
        )
    return result
