"""`orderproof prove`: every theorem checked; the table of verdicts and marks, and the files."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table

from orderproof import RELEASED

from .confirm import confirmation, public, show_confirmation
from .shared import JOBS, JSON, OUT, ROCQ, console, progress, rocq_library

if TYPE_CHECKING:
    from orderproof.proofs.check.page import TheoremPage


@click.command(epilog="Example: orderproof prove self_attention_equivariant --out build")
@click.argument("ids", nargs=-1)
@OUT
@JOBS
@ROCQ
@JSON
def prove(ids: tuple[str, ...], out: Path, jobs: int, rocq: bool, as_json: bool) -> None:
    """Check the theorems (all, or those with these IDS); write results.json, the book's sources,
    certificates and counterexamples."""
    from orderproof.proofs import catalogue
    from orderproof.proofs.book import book
    from orderproof.proofs.prove import certificates, results, run

    names = catalogue.chosen(ids)
    results.writable(out)
    asked = rocq_library(out) if rocq else None
    with progress("theorems", len(names)) as advance:
        pages, files = run.prove(names, jobs, advance, asked)
    for name, text in files.items():
        results.write(out / name, text)
    certificates.record(out / "certificates", files, names)
    data = results.results(pages, asked)
    book.write_sources(pages, out, date=RELEASED)
    confirmed = confirmation(None) if not ids else None
    if confirmed is not None:
        results.write_json(out / "confirmation.json", public(confirmed))
    results.write_json(out / "results.json", data)
    if as_json:
        click.echo(json.dumps(data, ensure_ascii=False, indent=2))
    else:
        _show(pages)
        if confirmed is not None:
            show_confirmation(confirmed)
        elif not ids:
            click.echo("Trained encoder: skipped, no checkpoint (make models fetches one, 83 MB).")
        click.echo(f"Written to {out}: results.json, book.tex" + _folders(files))
    code = results.status(pages)
    sys.exit(1 if confirmed is not None and not confirmed.confirmed else code)


def _show(pages: Sequence[TheoremPage]) -> None:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("theorem", "verdict", "claims", "marks"):
        table.add_column(column, overflow="fold")
    for page in pages:
        names = dict.fromkeys(m.mark for c in page.claims for m in c.marks)
        shown = ", ".join(_carried(page, name) for name in names)
        proved = sum(c.verdict == c.expected for c in page.claims)
        table.add_row(page.id, page.verdict, f"{proved}/{len(page.claims)}", shown)
    console().print(table)
    for page in pages:
        for claim in page.claims:
            for m in claim.marks:
                if m.ok is not True:
                    word = "failed" if m.ok is False else "undecided"
                    click.echo(f"{page.id}: {claim.statement.plain}: {m.mark} {word}: {m.detail}")
    claims = [c for page in pages for c in page.claims]
    good = sum(c.verdict == c.expected for c in claims)
    click.echo(f"{len(pages)} theorems, {good} of {len(claims)} claims as declared")


def _carried(page: TheoremPage, name: str) -> str:
    """A mark with the number of claims that carry it, where not all do, or that it failed."""
    marks = [m for c in page.claims for m in c.marks if m.mark == name]
    if not all(m.ok for m in marks):
        return f"{name} {'FAILED' if any(m.ok is False for m in marks) else 'open'}"
    return name if len(marks) == len(page.claims) else f"{name} {len(marks)}/{len(page.claims)}"


def _folders(files: dict[str, str]) -> str:
    kinds = sorted({name.partition("/")[0] for name in files})
    return "".join(f", {kind} ({sum(n.startswith(kind + '/') for n in files)})" for kind in kinds)
