"""The speed of the project as ratios, each measured side by side in one run: `make bench`.

python -m tests.bench --limit 10 --runs 5
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence

import click
from rich.console import Console

from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES

from .algebra import marks
from .groups import groups, whole_groups
from .measure import Row, table
from .positions import rows as positions_rows
from .processes import rechecks, whole
from .rocq import rows as rocq_rows
from .searches import searches
from .stacks import pushes

SMALL = "not_invariant_self_attention"


def measured(
    sizes: list[tuple[int, int]],
    depths: list[int],
    tokens: list[int],
    positions: list[int],
    ids: list[str],
    limit: float,
    cap: float,
    runs: int,
    schemes: Sequence[str] = tuple(POSITION_SCHEMES),
    blocks: Sequence[int] = (12, 48),
) -> list[Row]:
    """All rows."""
    return [
        *searches(sizes, limit, runs),
        *pushes(depths, runs),
        *marks(tokens, cap, runs),
        *groups(positions, cap, min(runs, 3)),
        *whole_groups(positions, min(runs, 3)),
        *positions_rows(schemes, limit),
        *whole(ids, max(1, runs // 2)),
        *rechecks(ids),
        *rocq_rows(blocks),
    ]


@click.command(epilog="Example: python -m tests.bench --limit 10 --runs 5")
@click.option("--limit", default=30.0, show_default=True, help="Seconds for the direct encoding.")
@click.option("--cap", default=60.0, show_default=True, help="Seconds for one cell of simplify.")
@click.option("--runs", default=5, show_default=True, help="Runs of which the median is taken.")
@click.option("--small", is_flag=True, help="The smallest sizes alone.")
def main(limit: float, cap: float, runs: int, small: bool) -> None:
    """Print the table of speed ratios: how many times longer the other way takes."""
    rows = (
        measured([(2, 1)], [1, 2], [2], [8], [SMALL], limit, cap, runs, ["alibi", "causal"], [])
        if small
        else measured(
            [(2, 1), (2, 2), (3, 2)], [1, 10, 100], [2, 3, 4, 5], [8, 64, 512], [], limit, cap, runs
        )
    )
    console = Console(width=None if sys.stdout.isatty() else 140, highlight=False)
    console.print(f"Python {platform.python_version()}, {os.cpu_count()} cores, medians of {runs}")
    console.print(table(rows))


if __name__ == "__main__":
    main()
