"""`orderproof list`: the catalogue."""

from __future__ import annotations

import dataclasses
import json

import click

from .help_text import Command
from .shared import JSON


@click.command(
    "list",
    cls=Command,
    statuses={
        0: "the list is printed",
    },
    examples={
        "list": "the catalogue, at once",
        "list --json": "for a program, with the sentences under each title",
    },
)
@JSON
def list_theorems(as_json: bool) -> None:
    """List the theorems by chapter, each with its id and title.

    With --json also the sentences under each title, with what says them: claims, numbered from 0,
    and headlines of Rocq; for these every theorem is built, which takes some seconds.
    """
    from orderproof.proofs import catalogue

    if not as_json:
        listed = (c for c in catalogue.chapters() if c.theorems)
        for k, chapter in enumerate(listed):
            click.echo("\n" * (k > 0) + f"# {chapter.title}\n")
            for name in chapter.theorems:
                click.echo(f"{name}\n    {catalogue.title(name)}")
        return
    rows = [
        {"id": t.id, "title": t.title, "words": [dataclasses.asdict(s) for s in t.words]}
        for t in map(catalogue.load, catalogue.IDS)
    ]
    click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
