"""`orderproof prove`: every theorem checked; the table of verdicts and marks, and the files."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table

from orderproof import RELEASED, interruption
from orderproof.symbolic.counting import count
from orderproof.symbolic.ending import Ending, end

from .confirm import confirmation, ending, show_confirmation
from .digests import unchanged
from .help_text import AS_PROVED, Command
from .shared import (
    FILE,
    JOBS,
    JSON,
    OUT,
    ROCQ,
    SCHEDULER,
    WIDTH,
    Development,
    cached,
    console,
    opened_cache,
    progress,
    told_troubles,
)

if TYPE_CHECKING:
    from orderproof.check.page import TheoremPage


@click.command(
    cls=Command,
    statuses={
        **AS_PROVED,
        1: f"{AS_PROVED[1]}, a theorem states something else than --digests, or an installed "
        "trained encoder does not see order with its positions alone",
    },
    examples={
        "prove": "every theorem, to build/results.json and beside it",
        "prove self_attention_equivariant": "one theorem",
        "prove --rocq encoder_equivariant": "a certificate of each claim goes to Rocq",
        "prove --digests orderproof.digests": "the theorems in a list, if unchanged",
        "prove --scheduler tcp://10.0.0.1:8786": "on a Dask cluster",
    },
)
@click.argument("ids", nargs=-1)
@click.option(
    "--digests", "pinned", metavar="FILE", type=FILE,
    help="Check the theorems in this list, if they state what it says (see digests).",
)  # fmt: skip
@OUT
@JOBS
@SCHEDULER
@cached
@ROCQ
@JSON
def prove(
    ids: tuple[str, ...],
    pinned: Path | None,
    out: Path,
    jobs: int,
    scheduler: str | None,
    cache: Path | None,
    no_cache: bool,
    rocq: bool,
    as_json: bool,
) -> None:
    """Check theorems; write results, certificates, counterexamples.

    Without IDS it checks all, and writes the book's LaTeX source too.

    A theorem that came out as declared is not checked again while no file of orderproof, and no
    version of what computes, is another: it is taken from the cache, and counted as such.

    Claims that need Rocq are counted and left open without --rocq. Beside claims that are checked
    they do not change the exit status.
    """
    from orderproof.check.prove import manifest, results, run
    from orderproof.proofs import catalogue
    from orderproof.publish.book.kept_sources import write_sources

    if ids and pinned:
        raise click.UsageError("--digests: given with IDS, expected one of the two")
    ids = unchanged(pinned) if pinned else ids
    names = catalogue.chosen(ids)
    kept = opened_cache(cache, no_cache, rocq=rocq)
    interruption.report(lambda: run.said_kept(names, kept, no_cache=no_cache))
    asked = Development(out, scheduler) if rocq else None
    results.writable(out)
    # of the checkpoint, and what reads it, it is found first whether they are in order
    confirmed = confirmation(None) if not ids else None
    with progress("theorems", len(names)) as advance:
        pages, files = run.prove(names, jobs, advance, asked, cache=kept, scheduler=scheduler)
    told_troubles(kept)
    from_cache = run.from_cache(kept, names)
    for name, text in files.items():
        results.write(out / name, text)
    manifest.record(out / "certificates", files, names)
    data = results.results(pages, asked.ran(kept) if asked else None, from_cache)
    if not ids:  # the book is of all theorems
        write_sources(pages, out, date=RELEASED, cache=kept)
    if confirmed is not None:
        results.write_json(out / "confirmation.json", confirmed.to_json())
    results.write_json(out / "results.json", data)
    if as_json:
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        _show(pages, from_cache)
        if confirmed is not None:
            show_confirmation(confirmed)
        elif not ids:
            click.echo("Trained encoder: skipped, no checkpoint (make models fetches one, 83 MB).")
        click.echo(f"Written to {out}: results.json" + ", book.tex" * (not ids) + _folders(files))
    alone = Ending() if confirmed is None else ending(confirmed)
    end(alone.otherwise(results.ending(pages)))


def _show(pages: Sequence[TheoremPage], from_cache: Mapping[str, str]) -> None:
    from orderproof.check.page import NEEDS_ROCQ
    from orderproof.check.prove.trust import VERDICTS

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("theorem", "verdict", "claims", "marks"):
        table.add_column(column, overflow="fold")
    for page in pages:
        names = dict.fromkeys(m.mark for c in page.claims for m in c.marks)
        shown = ", ".join(_carried(page, name) for name in names)
        proved = sum(c.verdict == c.expected for c in page.claims)
        table.add_row(page.id, page.verdict, f"{proved}/{len(page.claims)}", shown)
    console().print(table)
    click.echo(textwrap.fill(VERDICTS, WIDTH))
    for page in pages:
        for claim in page.claims:
            if claim.needs_rocq:
                click.echo(f"{page.id}: {claim.called}: {NEEDS_ROCQ}")
                continue
            if claim.verdict != claim.expected and all(m.ok for m in claim.marks):
                why = "no mark settles it" if claim.model else "its hypotheses have no model"
                why = why if claim.verdict == "open" else f"declared to be {claim.expected}"
                click.echo(f"{page.id}: {claim.called}: {claim.verdict}, {why}")
            for m in claim.marks:
                if m.ok is not True:
                    word = "failed" if m.ok is False else "undecided"
                    click.echo(f"{page.id}: {claim.called}: {m.mark} {word}: {m.detail}")
        for m in page.refusals:
            if not m.rejects:
                word = {True: "accepts it", None: "undecided", False: "failed"}[m.ok]
                click.echo(f"{page.id}: false variant: {m.mark} {word}: {m.detail}")
    claims = [c for page in pages for c in page.claims]
    good = sum(c.verdict == c.expected for c in claims)
    missing = sum(c.needs_rocq for c in claims)
    skipped = f"; {missing} need Rocq and were not checked here: prove --rocq" if missing else ""
    said = count(len(pages), "theorem")
    click.echo(f"{said}, {good} of {len(claims)} claims as declared{skipped}")
    if from_cache:
        click.echo(
            f"{len(from_cache)} of {len(pages)} theorems from the cache, checked on "
            f"{min(from_cache.values())} or later: prove --no-cache checks them now"
        )


def _carried(page: TheoremPage, name: str) -> str:
    """A mark with the number of claims that carry it, where not all do, or that it failed."""
    from orderproof.check.page import NOT_ASKED

    marks = [m for c in page.claims for m in c.marks if m.mark == name]
    if not all(m.ok for m in marks):
        skipped = all(m.ok or m.detail == NOT_ASKED for m in marks)
        word = NOT_ASKED if skipped else "FAILED" if any(m.ok is False for m in marks) else "open"
        return f"{name} {word}"
    return name if len(marks) == len(page.claims) else f"{name} {len(marks)}/{len(page.claims)}"


def _folders(files: dict[str, str]) -> str:
    kinds = sorted({name.partition("/")[0] for name in files})
    return "".join(f", {kind} ({sum(n.startswith(kind + '/') for n in files)})" for kind in kinds)
