"""`orderproof audit`: planted falsehoods, and a table of which mark rejected which."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orderproof.symbolic.ending import Ending, end

from .help_text import Command
from .shared import FILE, JOBS, JSON, SCHEDULER, WIDTH, console, plain_table, progress

if TYPE_CHECKING:
    from orderproof.audit.sample import Sample

ORDER = ("kernel", "sympy", "smt", "numeric", "exact", "interval", "rocq", "axes")  # of the columns


@click.command(
    cls=Command,
    statuses={
        0: "no false statement was accepted",
        1: "one was accepted, or a planted transpose shows under swaps alone",
    },
    examples={
        "audit": "every falsehood, beside every theorem",
        "audit --sample 300 --seed a": "at most 300 of them, drawn by a seed",
    },
)
@click.argument("ids", nargs=-1)
@JOBS
@SCHEDULER
@click.option(
    "--sample", "most", type=click.IntRange(1, 1_000_000), metavar="N",
    help="Plant N falsehoods at most, drawn by --seed, some of each theorem.",
)  # fmt: skip
@click.option("--seed", default="", help="What --sample draws by.  [default: the version]")
@click.option(
    "--audited", type=FILE, metavar="FILE",
    help="With --sample: draw most from theorems that state something else than in this list.",
)  # fmt: skip
@click.option("--verbose", is_flag=True, help="List every equivalent with its reason.")
@JSON
def audit(
    ids: tuple[str, ...],
    jobs: int,
    scheduler: str | None,
    most: int | None,
    seed: str,
    audited: Path | None,
    verbose: bool,
    as_json: bool,
) -> None:
    """Plant false statements before every mark: none may accept one.

    The claims of all theorems, or of those with these IDS, are changed in one part each. A changed
    statement may be true after all: then a reason is checked and given. One that no mark accepts
    and that small cases confirm is open. A hypothesis that can be left out is reported as
    superfluous.

    With --sample it is an audit of some falsehoods, and says so. A list for --audited is what
    `orderproof digests` printed when all of them were planted.
    """
    from orderproof.audit import judge as planted
    from orderproof.audit.planted import SEED
    from orderproof.proofs import catalogue

    if most is None and (seed or audited):
        raise click.UsageError(
            f"{'--seed' if seed else '--audited'}: given without --sample, expected with it"
        )
    names = catalogue.chosen(ids)
    part = _sample(planted.groups(names), most, seed, audited) if most else None
    with progress("theorems", len(names) + 2) as advance:
        found = planted.audit(names, jobs, advance, scheduler, part)
    rows = planted.rows(found)
    survived = [o for o in found if o.status == "SURVIVED"]
    swaps = [o for o in found if o.swaps is not None]
    told = [o for o in swaps if not o.swaps]
    if as_json:
        data = {
            "seed": SEED,
            "sample": {"most": most, "seed": part.seed} if part else None,
            "operators": [asdict(row) for row in rows],
            "planted": [{**asdict(o), "status": o.status} for o in found],
            "survived": [str(o) for o in survived],
            "told apart by swaps": [str(o) for o in told],
            "superfluous": [str(o) for o in found if o.superfluous],
        }
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        _show(rows)
        for o in found:
            if o.status == "SURVIVED" or (verbose and o.status == "equivalent"):
                click.echo(f"{'superfluous' if o.superfluous else o.status}: {o}")
        for o in told:
            click.echo(f"told apart by swaps: {o}")
        _summary(found, swaps, SEED)
        if part:
            click.echo(f"A sample of at most {most}, drawn by the seed {part.seed!r}, not all.")
    if survived:
        end(Ending(1, "no falsehood to survive", str(len(survived))))
    if told:
        known = "no planted transpose to fail under swaps, which are their own inverses"
        end(Ending(1, known, str(len(told))))


def _sample(groups: list[str], most: int, seed: str, listed: Path | None) -> Sample:
    """A sample of `most` falsehoods, most of them of theorems that state something else than a
    list of digests says, and of lemmas, of which it says nothing."""
    from orderproof import __version__
    from orderproof.audit.sample import sample
    from orderproof.check.prove import digests
    from orderproof.proofs import catalogue

    pinned = digests.read(listed) if listed else {}
    here = [name for name in groups if name in pinned and name in catalogue.IDS]
    same = [n for n in here if digests.of_theorem(catalogue.load(n)) == pinned[n]]
    return sample(groups, most, seed or __version__, same)


def _show(rows: list[Any]) -> None:
    """Operators by marks: how many were rejected, out of how many where not all were."""
    met = dict.fromkeys(mark for row in rows for mark in row.rejected)
    marks = sorted(met, key=lambda m: (ORDER.index(m) if m in ORDER else len(ORDER), m))
    table = plain_table(padding=(0, 1, 0, 0))
    table.add_column("changed", overflow="fold")
    for column in ("planted", *marks, "true", "open"):
        table.add_column(column, justify="right", overflow="fold")
    for row in rows:
        cells = [row.rejected.get(mark, (0, 0)) for mark in marks]
        said = ["" if not met else str(no) if no == met else f"{no}/{met}" for no, met in cells]
        counts = (str(row.equivalents or ""), str(row.open or ""))
        table.add_row(row.operator, str(row.planted), *said, *counts)
    console(WIDTH).print(table)


def _summary(found: list[Any], swaps: list[Any], seed: int) -> None:
    count = Counter(o.status for o in found)
    click.echo(
        f"{len(found)} falsehoods planted (seed {seed}): {count['rejected']} rejected\nby "
        f"every mark of their claim,"
    )
    click.echo(
        f"{count['equivalent']} true after all (each with a reason that was checked), "
        f"{count['open']} open\n(confirmed by a sweep at its own sizes, settled by no mark), "
        f"{count['SURVIVED']} survived."
    )
    if superfluous := sum(o.superfluous for o in found):
        click.echo(f"{superfluous} hypotheses are superfluous (--verbose lists them).")
    if swaps:
        click.echo(
            f"Of {len(swaps)} with P for its transpose, {sum(o.swaps for o in swaps)} pass where "
            "all permutations are their own\ninverses: for these a test needs a 3-cycle."
        )
