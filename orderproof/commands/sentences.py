"""`orderproof sentences`: what people quote, what is true of it, and the claims behind that."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from orderproof.symbolic.ending import Ending, end

from .help_text import ON_CHECK, Command
from .shared import JOBS, JSON, progress

if TYPE_CHECKING:
    from orderproof.publish.sentences import Entry


@click.command(
    cls=Command,
    statuses=ON_CHECK,
    examples={
        "sentences": "each with its verdict, its repair, and the claims behind both",
        "sentences --check": "these claims are checked, too",
    },
)
@click.option(
    "--check", is_flag=True, help="Check the theorems behind them, and show the verdicts."
)
@JOBS
@JSON
def sentences(check: bool, jobs: int, as_json: bool) -> None:
    """Print what people say of attention and order, and what is true.

    Each sentence has its source, a verdict, what can be upheld of it, and the claims behind both.
    That these claims are there, and are what the verdict needs, is checked each time; the claims
    themselves with --check alone, as by `orderproof prove` of their theorems.
    """
    from orderproof.check.prove import results, run
    from orderproof.proofs import catalogue
    from orderproof.publish import sentences as quoted
    from orderproof.publish import to_text

    entries, ending = quoted.checked(), Ending()
    if check:
        named = {b.theorem for e in entries for b in (*e.holds, *e.fails)}
        names = catalogue.chosen(sorted(named))
        with progress("theorems", len(names)) as advance:
            pages, _ = run.prove(names, jobs, advance)
        entries, ending = quoted.of_pages(pages), results.ending(pages)
    if as_json:
        click.echo(json.dumps([_data(e) for e in entries], ensure_ascii=False, indent=2))
    else:
        click.echo(to_text.text(quoted.blocks(entries)))
    end(ending)


def _data(entry: Entry) -> dict[str, Any]:
    """The entry for a program: claims numbered from 0."""
    row = entry.quoted
    return {
        "sentence": row.text,
        "literal": row.literal,
        "key": row.source or None,
        "source": entry.source,
        "verdict": row.verdict.value,
        "judged": entry.judged,
        "upheld": row.upheld,
        "holds": [asdict(b) for b in entry.holds],
        "fails": [asdict(b) for b in entry.fails],
    }
