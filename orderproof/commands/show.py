"""`orderproof show`: one theorem, to be read in a terminal."""

from __future__ import annotations

import sys

import click


@click.command(epilog="Example: orderproof show self_attention_equivariant --entries 2")
@click.argument("name", metavar="ID")
@click.option(
    "--entries",
    type=click.IntRange(1, 4),
    help="Every entry of both sides, step by step, for this many tokens.",
)
@click.option("--check", is_flag=True, help="Run the marks of every claim, and show what they say.")
def show(name: str, entries: int | None, check: bool) -> None:
    """One theorem: its statement, its derivation, and the marks that it is declared to carry.

    The derivation is printed from the kernel's theorem. The marks are checked with --check alone,
    or by `orderproof prove ID`.
    """
    from orderproof.proofs import catalogue
    from orderproof.proofs.prove import checking, results, run

    from . import entries_text, terminal

    (chosen,) = catalogue.chosen([name])
    theorem = catalogue.load(chosen)
    page = run.prove_one(chosen)[0] if check else checking.unchecked(theorem)
    click.echo(terminal.theorem(page))
    if entries:
        click.echo("\n" + entries_text.entries(theorem, entries))
    sys.exit(results.status([page]) if check else 0)
