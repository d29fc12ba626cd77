"""`orderproof book`: the book as HTML, and as PDF where a TeX is installed."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from orderproof import RELEASED

from .shared import JOBS, OUT, ROCQ, progress, rocq_library


@click.command(epilog="Example: orderproof book --out build")
@OUT
@JOBS
@ROCQ
def book(out: Path, jobs: int, rocq: bool) -> None:
    """Build the book: book.html, and book.pdf where pdflatex and bibtex are installed.

    Exit status: 3 where book.html was not built because the extra orderproof[book] is missing;
    all else that can be built is there then.
    """
    from orderproof.proofs import catalogue
    from orderproof.proofs.book import book as make
    from orderproof.proofs.book import position_chapter
    from orderproof.proofs.prove import results, run
    from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES

    results.writable(out)
    names = catalogue.chosen(())
    asked = rocq_library(out) if rocq else None
    with progress("theorems", len(names)) as advance:
        pages, _ = run.prove(names, jobs, advance, asked)
    with progress("schemes", len(POSITION_SCHEMES)) as advance:
        positions = position_chapter.computed(jobs, advance)
    missing = 0
    try:
        for line in make.build(pages, out, date=RELEASED, positions=positions):
            click.echo(line)
    except make.TypesettingFailed as failed:
        click.echo(f"PDF: {failed}", err=True)
        sys.exit(1)
    except make.MissingExtra as error:
        click.echo(f"HTML: not built: {error}", err=True)
        missing = 3
    sys.exit(results.status(pages) or positions.status or missing)
