"""`orderproof prove`: every theorem checked; the table of verdicts and marks, and the files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

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
    Development,
    cached,
    console,
    opened_cache,
    plain_table,
    progress,
    say,
    told_troubles,
)

if TYPE_CHECKING:
    from rich.table import Table

    from orderproof.check.page import TheoremPage
    from orderproof.check.prove.cache import Cache

ROCQ_FILES = "rocq"  # the folder of certificates for it, below that of the output
RECORD = Path(ROCQ_FILES) / "record.json"


@click.command(
    cls=Command,
    statuses={
        **AS_PROVED,
        1: f"{AS_PROVED[1]}, a theorem states something else than --digests, or an installed "
        "trained encoder does not see order with its positions alone",
        3: f"{AS_PROVED[3]}, or with --require-checked one is recorded from Rocq",
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
@click.option(
    "--require-checked", is_flag=True,
    help="Status 3 where a claim rests on the record of Rocq alone.",
)  # fmt: skip
@click.option("--verbose", is_flag=True, help="Print each theorem with its marks, and each claim.")
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
    require_checked: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Check theorems; write results, certificates, counterexamples.

    Without IDS it checks all, and writes the book's LaTeX source too.

    A theorem that came out as declared is not checked again while no file of orderproof, and no
    version of what computes, is another: it is taken from the cache, and counted as such.

    What Rocq alone proves is taken from the record of a run of Rocq for this release, where
    claim, certificate and the files that they need are those of the record, and counted apart.
    --rocq checks it here.
    """
    from orderproof.check.prove import manifest, results, run
    from orderproof.proofs import catalogue

    if ids and pinned:
        raise click.UsageError("--digests: given with IDS, expected one of the two")
    ids = unchanged(pinned) if pinned else ids
    names = catalogue.chosen(ids)
    kept = opened_cache(cache, no_cache, rocq=rocq)
    interruption.report(lambda: run.said_kept(names, kept, no_cache=no_cache))
    asked = Development(out, scheduler) if rocq else None
    began = _development() if rocq else ""
    results.writable(out)
    results.remove(out / RECORD)  # of an earlier run, which may have been of other files
    # of the checkpoint, and what reads it, it is found first whether they are in order
    confirmed = confirmation(None) if not ids else None
    with progress("theorems", len(names)) as advance:
        pages, files = run.prove(names, jobs, advance, asked, cache=kept, scheduler=scheduler)
    told_troubles(kept)
    if not all(page.as_declared for page in pages):
        _report_record()
    from_cache = run.from_cache(kept, names)
    for name, text in files.items():
        results.write(out / name, text)
    manifest.record(out / "certificates", files, names)
    ran = asked.ran(kept) if asked else None
    data = results.results(pages, ran, from_cache)
    if ran is not None and not ids and began == _development():
        write_record(out, pages, files, ran.version)
    if not ids:  # the book is of all theorems
        _write_sources(pages, out, kept)
    if confirmed is not None:
        results.write_json(out / "confirmation.json", confirmed.to_json())
    results.write_json(out / "results.json", data)
    if as_json:
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        _show(pages, from_cache, by_chapter=not ids, verbose=verbose)
        if confirmed is not None:
            show_confirmation(confirmed)
        elif not ids:
            click.echo("Trained encoder: skipped, no checkpoint (make models fetches one, 83 MB).")
        click.echo(f"Written to {out}: results.json" + ", book.tex" * (not ids) + _folders(files))
    alone = Ending() if confirmed is None else ending(confirmed)
    end(alone.otherwise(results.ending(pages, require_checked=require_checked)))


def _write_sources(pages: Sequence[TheoremPage], out: Path, kept: Cache | None) -> None:
    """The book's sources, without the chapter on positions. They are kept under the digests of the
    entries that hold the pages; where one of them has none, nothing is kept."""
    from orderproof.check.prove import results, run

    known = [kept.digests.get(f"{run.KIND} {page.id}") for page in pages] if kept else [None]
    name = hashlib.sha256(json.dumps([RELEASED, known]).encode()).hexdigest()[:32]
    texts = kept.load("sources", name) if kept and all(known) else None
    if texts is None:
        from orderproof.publish.book import write_sources

        made = write_sources(pages, out, date=RELEASED)
        texts = {path.name: path.read_text(encoding="utf-8") for path in made}
        if kept and all(known):
            kept.store("sources", name, texts)
    for file, text in texts.items():
        results.write(out / file, text)


def _development() -> str:
    """The digest of the files of Rocq: where they change during a run, it makes no record."""
    from orderproof.check.rocq import record

    return record.development()


def write_record(
    out: Path, pages: Sequence[TheoremPage], files: Mapping[str, str], version: str
) -> None:
    """What this run of Rocq said of each claim, to be compared with the release's record."""
    from orderproof.check.prove import results
    from orderproof.check.rocq import record

    folder = f"{ROCQ_FILES}/"
    texts = {n.removeprefix(folder): text for n, text in files.items() if n.startswith(folder)}
    results.write(out / RECORD, record.written(record.made(pages, texts, version)))


def _report_record() -> None:
    """A line on standard error where the record of Rocq cannot be read."""
    from orderproof.check.rocq import record

    if trouble := record.load().trouble:
        click.echo(f"orderproof: {trouble}; install orderproof again, or prove --rocq", err=True)


def _show(
    pages: Sequence[TheoremPage], from_cache: Mapping[str, str], *, by_chapter: bool, verbose: bool
) -> None:
    """The cache first, then a table, what is not as declared, and the counts; with `verbose` all
    theorems and claims in between."""
    if from_cache:
        some = f"{len(from_cache)} of {count(len(pages), 'theorem')}"
        since = min(from_cache.values())[:10]
        click.echo(f"From the cache: {some}, of {since} or later; --no-cache checks all now.")
    if by_chapter:
        console().print(_chapters(pages))
    if verbose or not by_chapter:
        console().print(_theorems(pages))
    if verbose:
        from orderproof.check.prove.trust import VERDICTS

        say(VERDICTS)
        for page in pages:
            for claim in page.claims:
                say(f"{page.id}: {claim.called}: {claim.reads}")
    for page in pages:
        for line in _not_as_declared(page):
            say(line)
    for line in _counts(pages):
        click.echo(line)


def _chapters(pages: Sequence[TheoremPage]) -> Table:
    """A row for each chapter: how many of its theorems have which verdict."""
    from orderproof.check.page import RECORDED
    from orderproof.proofs import catalogue

    columns: dict[str, Callable[[TheoremPage], bool]] = {
        "theorems": lambda p: True,
        "proved here": lambda p: p.as_declared and p.verdict != RECORDED,
        "recorded": lambda p: p.as_declared and p.verdict == RECORDED,
    }
    if not all(p.as_declared for p in pages):
        columns["open or failed"] = lambda p: not p.as_declared
    table = plain_table()
    table.add_column("chapter", overflow="fold")
    for name in (*columns, "claims"):
        table.add_column(name, justify="right")
    groups = [(c.title, [p for p in pages if p.id in c.theorems]) for c in catalogue.chapters()]
    for title, found in [*groups, ("in all", list(pages))]:
        if found:
            claims = [c for p in found for c in p.claims]
            numbers = [str(sum(map(holds, found))) for holds in columns.values()]
            table.add_row(title, *numbers, f"{sum(c.as_declared for c in claims)}/{len(claims)}")
    return table


def _theorems(pages: Sequence[TheoremPage]) -> Table:
    """A row for each theorem: its verdict, and the marks that its claims carry."""
    table = plain_table()
    for column in ("theorem", "verdict", "claims", "marks"):
        table.add_column(column, overflow="fold")
    for page in pages:
        names = dict.fromkeys(m.mark for c in page.claims for m in c.marks)
        carried = ", ".join(_carried(page, name) for name in names)
        good = sum(c.as_declared for c in page.claims)
        table.add_row(page.id, page.verdict, f"{good}/{len(page.claims)}", carried)
    return table


def _carried(page: TheoremPage, name: str) -> str:
    """A mark with the number of claims that carry it, where not all do, or that it failed."""
    marks = [m for c in page.claims for m in c.marks if m.mark == name]
    if not all(m.ok for m in marks):
        return f"{name} {'FAILED' if any(m.ok is False for m in marks) else 'open'}"
    return name if len(marks) == len(page.claims) else f"{name} {len(marks)}/{len(page.claims)}"


def _not_as_declared(page: TheoremPage) -> Iterator[str]:
    """A line for each claim and mark that did not come out as declared, with the reason."""
    for claim in page.claims:
        if not claim.as_declared and all(m.ok for m in claim.marks):
            why = "no mark proves it" if claim.model else "its hypotheses have no model"
            why = why if claim.verdict == "open" else f"declared to be {claim.expected}"
            yield f"{page.id}: {claim.called}: {claim.verdict}, {why}"
        for m in claim.marks:
            if m.ok is not True:
                word = "failed" if m.ok is False else "undecided"
                yield f"{page.id}: {claim.called}: {m.mark} {word}: {m.detail}"
    for m in page.refusals:
        if not m.rejects:
            word = {True: "accepts it", None: "undecided", False: "failed"}[m.ok]
            yield f"{page.id}: false variant: {m.mark} {word}: {m.detail}"


def _counts(pages: Sequence[TheoremPage]) -> Iterator[str]:
    """How many theorems were proved here, how many are recorded from Rocq, and how to check these;
    how many are neither."""
    from orderproof.check.page import RECORDED

    other = sum(not p.as_declared for p in pages)
    kept = sum(p.as_declared and p.verdict == RECORDED for p in pages)
    said = f"{count(len(pages) - kept - other, 'theorem')} proved here"
    said += f", {kept} recorded from Rocq" if kept else ""
    yield said + (f", {other} open or failed." if other else ".")
    if kept:
        from orderproof.check.rocq.run import PACKAGED, installed

        install = "" if installed() else f"`apt-get install {PACKAGED}`, then "
        yield f"What is recorded: {install}`prove --rocq` checks it here."


def _folders(files: dict[str, str]) -> str:
    kinds = sorted({name.partition("/")[0] for name in files})
    return "".join(f", {kind} ({sum(n.startswith(kind + '/') for n in files)})" for kind in kinds)
