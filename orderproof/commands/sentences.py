"""`orderproof sentences`: what people quote, what is true of it, and the claims behind that."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from orderproof.symbolic.ending import Ending, end

from .help_text import ON_CHECK, Command
from .shared import JOBS, JSON, WIDTH, progress

if TYPE_CHECKING:
    from orderproof.publish.sentences import Behind, Entry


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
    from orderproof.publish.book import quotations

    entries, ending = quotations.checked(), Ending()
    if check:
        named = {b.theorem for e in entries for b in (*e.holds, *e.fails)}
        names = catalogue.chosen(sorted(named))
        with progress("theorems", len(names)) as advance:
            pages, _ = run.prove(names, jobs, advance)
        entries, ending = quotations.of_pages(pages), results.ending(pages)
    if as_json:
        click.echo(json.dumps([_data(e) for e in entries], ensure_ascii=False, indent=2))
    else:
        click.echo("\n\n".join(map(_shown, entries)))
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


def _shown(entry: Entry) -> str:
    row, number = entry.quoted, f"{entry.number}. "
    indent = " " * len(number)
    lines = [
        textwrap.fill(row.words, WIDTH, initial_indent=number, subsequent_indent=indent),
        textwrap.fill(entry.source, WIDTH, initial_indent=indent, subsequent_indent=indent),
        textwrap.fill(entry.judged, WIDTH, initial_indent=indent, subsequent_indent=indent),
        textwrap.fill(row.upheld, WIDTH, initial_indent=indent, subsequent_indent=indent),
    ]
    for title, found in (("by", entry.holds), ("limits", entry.fails)):
        for behind in found:
            lines += _behind(behind, f"{indent}{title}: ")
    return "\n".join(lines)


def _behind(b: Behind, indent: str) -> list[str]:
    """Theorem and claims, and below them the words that the claims say."""
    verdict = f": {b.weaker or b.verdict}" if b.verdict else ""
    further = " " * (len(indent) + 2)
    return [
        *textwrap.wrap(
            f"{b.theorem} {b.numbers}{verdict}", WIDTH,
            initial_indent=indent, subsequent_indent=further,
        ),
        *textwrap.wrap(
            " ".join(b.words), WIDTH, initial_indent=further, subsequent_indent=further
        ),
    ]  # fmt: skip
