"""The speed of the project as ratios, each measured side by side in one run: `make bench`.

python -m tests.bench --full
"""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import click
from rich.console import Console

from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES

from .algebra import marks
from .decide import rows as decide_rows
from .groups import groups, whole_groups
from .measure import Row, table
from .positions import DIRECT
from .positions import rows as positions_rows
from .processes import rechecks, whole
from .rocq import rows as rocq_rows
from .searches import searches
from .site import rows as site_rows
from .stacks import pushes

SMALL = "not_invariant_self_attention"


@dataclass(frozen=True)
class Plan:
    """What is measured, and for how long."""

    sizes: tuple[tuple[int, int], ...]  # n, d of searches
    depths: tuple[int, ...]  # of stacks that are pushed through
    tokens: tuple[int, ...]  # for the sympy mark
    positions: tuple[int, ...]  # n of groups
    ids: tuple[str, ...]  # theorems that are proved and audited; none: all
    schemes: tuple[str, ...]
    blocks: tuple[int, ...]  # of encoders whose certificate Rocq checks
    limit: float  # seconds for the direct encoding
    cap: float  # seconds for what else may take for ever
    runs: int  # of which the median is taken


FULL = Plan(
    sizes=((2, 1), (2, 2), (3, 2)), depths=(1, 10, 100), tokens=(2, 3, 4, 5),
    positions=(8, 64, 512), ids=(), schemes=tuple(POSITION_SCHEMES), blocks=(12, 48),
    limit=30, cap=60, runs=5,
)  # fmt: skip
USUAL = replace(
    FULL, sizes=((2, 1), (2, 2)), tokens=(2, 3, 4), positions=(8, 64), ids=(SMALL,),
    schemes=tuple(dict.fromkeys(name for name, _ in DIRECT)), blocks=(), limit=5, cap=5, runs=3,
)  # fmt: skip
LEAST = replace(
    USUAL, sizes=((2, 1),), depths=(1, 2), tokens=(2,), positions=(8,), schemes=("alibi", "causal"),
)  # fmt: skip


def measured(plan: Plan) -> Iterator[tuple[str, Iterator[Row]]]:
    """Groups of rows by name; a row is measured when it is asked for."""
    few = min(plan.runs, 3)
    yield "searches", searches(plan.sizes, plan.limit, plan.runs)
    yield "stacks of blocks", pushes(plan.depths, plan.runs)
    yield "the sympy mark", marks(plan.tokens, plan.cap, plan.runs)
    yield "symmetry groups", groups(plan.positions, plan.cap, few)
    yield "the command symmetry", whole_groups(plan.positions, few)
    yield "the table of schemes", positions_rows(plan.schemes, plan.limit)
    yield "the commands prove and audit", whole(list(plan.ids), max(1, plan.runs // 2))
    yield "certificates", rechecks(list(plan.ids))
    yield "the site", site_rows(list(plan.ids), 1)
    yield "the command decide", decide_rows(few)
    yield "Rocq", rocq_rows(plan.blocks)


@click.command(epilog="Example: python -m tests.bench --limit 10 --runs 5")
@click.option("--limit", type=float, help="Seconds for the direct encoding (5; --full: 30).")
@click.option("--cap", type=float, help="Seconds for one cell (5; --full: 60).")
@click.option("--runs", type=int, help="Runs of which the median is taken (3; --full: 5).")
@click.option("--small", is_flag=True, help="The smallest sizes alone: about a minute.")
@click.option("--full", is_flag=True, help="All sizes, theorems and schemes: about half an hour.")
def main(limit: float | None, cap: float | None, runs: int | None, small: bool, full: bool) -> None:
    """Print the table of speed ratios, each row when it is measured: how many times longer the
    other way takes. Within five minutes, unless --full."""
    if small and full:
        raise click.UsageError("--small: given with --full, expected one of the two options")
    plan = LEAST if small else FULL if full else USUAL
    own = {"limit": limit, "cap": cap, "runs": runs}
    plan = replace(plan, **{k: v for k, v in own.items() if v is not None})
    console = Console(width=None if sys.stdout.isatty() else 140, highlight=False)
    console.print(
        f"Python {platform.python_version()}, {os.cpu_count()} cores, medians of {plan.runs}"
    )
    console.print(table([]))
    start = time.perf_counter()
    for name, rows in measured(plan):
        click.echo(f"{time.perf_counter() - start:4.0f} s: {name}", err=True)
        for row in rows:
            console.print(table([row], header=False))
    click.echo(f"{time.perf_counter() - start:4.0f} s: done", err=True)


if __name__ == "__main__":
    main()
