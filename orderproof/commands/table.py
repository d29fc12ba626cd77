"""`orderproof table`: scheme × symmetry, every cell proved, refuted or not applicable."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click

from orderproof.symbolic.counting import PEOPLE
from orderproof.symbolic.ending import end

from .help_text import Command
from .shared import (
    JOBS,
    JSON,
    OUTPUT,
    SCHEDULER,
    WIDTH,
    cached,
    console,
    given_of,
    opened_cache,
    plain_table,
    say,
    scheme_parameters,
    told_troubles,
)

BROKEN = {  # names of columns over two lines, so that the table is no wider
    "permutation": "permu-\ntation", "reversal": "rever-\nsal",
    "context-1": "con-\ntext-1", "context-2": "con-\ntext-2", "context-any": "con-\ntext-\nany",
}  # fmt: skip


@click.command(
    cls=Command,
    statuses={
        0: "each cell is proved, refuted or not applicable",
        3: "a cell is open",
    },
    examples={
        "table": "all schemes against all symmetries",
        "table --scheme window --window 2": "one scheme, with the reasons",
    },
)
@click.option("--scheme", "names", multiple=True, help="Only these schemes (repeat).")
@scheme_parameters
@JOBS
@SCHEDULER
@cached
@click.option("--out", type=OUTPUT, help="Folder for the counterexamples.")
@JSON
def table(
    names: tuple[str, ...],
    jobs: int,
    scheduler: str | None,
    cache: Path | None,
    no_cache: bool,
    out: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Print which symmetries each position scheme keeps or breaks.

    ✓ proved; ✗n refuted with a counterexample at the smallest n; – not applicable; ? open.
    """
    from orderproof.check.prove import results
    from orderproof.check.schemes import table as scheme_table
    from orderproof.publish.schemes import file_of, sign
    from orderproof.symbolic.schemes.definitions import (
        POSITION_SCHEMES,
        parameters,
        position_scheme,
    )
    from orderproof.symbolic.schemes.symmetries import SYMMETRIES
    from orderproof.symbolic.witness.scheme_file import dumps

    chosen = [position_scheme(name).name for name in dict.fromkeys(names)] or [*POSITION_SCHEMES]
    values = parameters(given_of(options))
    for name in chosen:
        position_scheme(name, values)
    if out is not None:
        results.writable(out / "witnesses")
    kept = opened_cache(cache, no_cache)
    cells = scheme_table.table(chosen, jobs, parameters=values, cache=kept, scheduler=scheduler)
    told_troubles(kept)
    files: dict[int, str] = {}
    for k, c in enumerate(cells):
        if out is not None and c.witness is not None:
            path = out / file_of(c)
            results.write(path, dumps(c.witness))
            files[k] = str(path)
    if as_json:
        rows = [c.to_json(files.get(k)) for k, c in enumerate(cells)]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        shown = plain_table(padding=(0, 1, 0, 0))
        for column in ("scheme", *SYMMETRIES):
            shown.add_column(BROKEN.get(column, column), no_wrap=True)
        by_name = {(c.scheme, c.symmetry): c for c in cells}
        for name in chosen:
            row = [by_name[name, y] for y in SYMMETRIES]
            shown.add_row(name, *(sign(c) for c in row))
        console(WIDTH).print(shown)
        click.echo("✓ proved   ✗n refuted, n the smallest   – not applicable   ? open")
        say(scheme_table.summary(cells))
        if len(chosen) < len(POSITION_SCHEMES):
            click.echo(f"Below, tokens, rows and columns are {PEOPLE}.")
        for c in cells if len(chosen) < len(POSITION_SCHEMES) else ():
            where = f" ({c.regime})" if c.regime else ""
            click.echo()
            say(f"{c.scheme}, {SYMMETRIES[c.symmetry].says}: {c.verdict}{where}")
            for reason in re.split(r"; (?![^()]*\))", c.told):  # not at that of f(C; x)
                say(f" {reason}")
    end(scheme_table.ending(cells))
