"""`orderproof book`: the site, and the book as PDF where a TeX is installed."""

from __future__ import annotations

from pathlib import Path

import click

from orderproof import RELEASED
from orderproof.symbolic.ending import Ending, end

from .shared import (
    JOBS,
    OUT,
    ROCQ,
    SCHEDULER,
    Development,
    cached,
    opened_cache,
    progress,
    told_troubles,
)


@click.command(epilog="Example: orderproof book --out build")
@OUT
@JOBS
@SCHEDULER
@cached
@ROCQ
def book(
    out: Path, jobs: int, scheduler: str | None, cache: Path | None, no_cache: bool, rocq: bool
) -> None:
    """Build the site, in the folder site, and book.pdf where pdflatex and bibtex are installed.

    Exit status: 3 where the site was not built because the extra orderproof[book] is missing;
    all else that can be built is there then.
    """
    from orderproof.proofs import catalogue
    from orderproof.proofs.book import book as make
    from orderproof.proofs.book import position_chapter
    from orderproof.proofs.prove import results, run
    from orderproof.proofs.web import site
    from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES

    results.writable(out)
    names = catalogue.chosen(())
    asked = Development(out, scheduler) if rocq else None
    kept, cells = opened_cache(cache, no_cache, rocq=rocq), opened_cache(cache, no_cache)
    with progress("theorems", len(names)) as advance:
        pages, _ = run.prove(names, jobs, advance, asked, cache=kept, scheduler=scheduler)
    with progress("schemes", len(POSITION_SCHEMES)) as advance:
        positions = position_chapter.computed(jobs, advance, cache=cells, scheduler=scheduler)
    for each in (kept, cells):
        told_troubles(each)
    missing = Ending()
    try:
        click.echo(f"Site: {site.write_site(pages, out, date=RELEASED, positions=positions)}")
    except site.MissingExtra as error:
        missing = Ending(3, "the site", f"it not built: {error}")
    try:
        for line in make.build(pages, out, date=RELEASED, positions=positions):
            click.echo(line)
    except make.TypesettingFailed as failed:
        click.echo(f"PDF: {failed}", err=True)
        end(Ending(1, "the book as PDF", str(failed).splitlines()[0]))
    end(results.ending(pages).otherwise(positions.ending).otherwise(missing))
