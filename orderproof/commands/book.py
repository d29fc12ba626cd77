"""`orderproof book`: the site, and the book as PDF where a TeX is installed."""

from __future__ import annotations

from pathlib import Path

import click

from orderproof import RELEASED
from orderproof.symbolic.ending import Ending, end

from .help_text import Command
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


@click.command(
    cls=Command,
    statuses={
        0: "all is built that can be",
        1: "a claim failed, or LaTeX did",
        3: "a claim or a cell of the table stayed open",
    },
    examples={
        "book --out build": "build/site/index.html, and build/book.pdf with a TeX",
    },
)
@OUT
@JOBS
@SCHEDULER
@cached
@ROCQ
def book(
    out: Path, jobs: int, scheduler: str | None, cache: Path | None, no_cache: bool, rocq: bool
) -> None:
    """Build the book: a static site, and a PDF where TeX is found.

    Beside the theorems it has the table of position schemes, with their counterexamples. It needs
    the extra orderproof[book], and for the PDF pdflatex and bibtex: without these all else is
    built.
    """
    from orderproof.check.prove import results, run
    from orderproof.check.schemes.table import ending, table
    from orderproof.proofs import catalogue
    from orderproof.publish import book as make
    from orderproof.publish import pdf, schemes, site
    from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES

    site.ready(out)
    names = catalogue.chosen(())
    asked = Development(out, scheduler) if rocq else None
    kept, cells = opened_cache(cache, no_cache, rocq=rocq), opened_cache(cache, no_cache)
    results.writable(out)
    for line in make.skipped():
        click.echo(line)
    with progress("theorems", len(names)) as advance:
        pages, _ = run.prove(names, jobs, advance, asked, cache=kept, scheduler=scheduler)
    with progress("schemes", len(POSITION_SCHEMES)) as advance:
        made = table(jobs=jobs, done=advance, cache=cells, scheduler=scheduler)
        positions = schemes.chapter(made)
    for each in (kept, cells):
        told_troubles(each)
    click.echo(f"Site: {site.write_site(pages, out, date=RELEASED, positions=positions)}")
    try:
        make.write_sources(pages, out, date=RELEASED, positions=positions)
        if path := pdf.build_pdf(out, date=RELEASED):
            click.echo(f"PDF: {path}")
    except pdf.TypesettingFailed as failed:
        click.echo(f"PDF: {failed}", err=True)
        end(Ending(1, "the book as PDF", str(failed).splitlines()[0]))
    end(results.ending(pages).otherwise(ending(made)))
