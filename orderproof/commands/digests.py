"""`orderproof digests`: what theorems state, pinned by another project and compared in its CI."""

from __future__ import annotations

from pathlib import Path

import click

from orderproof.symbolic.ending import Ending, end

from .help_text import Command
from .shared import FILE


@click.command(
    cls=Command,
    statuses={
        0: "printed, or all as in the list",
        1: "a theorem states something else than in the list, or is gone",
    },
    examples={
        "digests self_attention_equivariant > orderproof.digests": "a list for another project",
        "digests --check orderproof.digests": "whether the theorems still state that",
    },
)
@click.argument("ids", nargs=-1)
@click.option(
    "--check", "pinned", metavar="FILE", type=FILE,
    help="Compare this list with what the theorems state.",
)  # fmt: skip
def digests(ids: tuple[str, ...], pinned: Path | None) -> None:
    """Print the digests of what theorems state, or compare a list.

    Without IDS it prints those of all theorems, a line each. With --check FILE it compares the
    list in that file, and makes no mark: prove --digests FILE does both.
    """
    if ids and pinned:
        raise click.UsageError("--check: given with IDS, expected one of the two")
    if pinned is not None:
        unchanged(pinned)
        return
    from orderproof.check.prove import digests as stated
    from orderproof.proofs import catalogue

    click.echo(stated.listed(catalogue.chosen(ids)), nl=False)


def unchanged(pinned: Path) -> tuple[str, ...]:
    """The ids that a list pins, where these theorems state what it says; otherwise a line for each
    that does not, and exit status 1."""
    from orderproof.check.prove import digests as stated

    found = stated.read(pinned)
    changed = stated.changed(found)
    for line in changed:
        click.echo(line, err=True)
    good = len(found) - len(changed)
    click.echo(f"{good} of {len(found)} theorems state what {pinned} pins", err=True)
    if changed:
        end(
            Ending(
                1,
                f"theorems that state what {pinned} pins",
                f"{len(changed)} of {len(found)} that do not",
            )
        )
    return tuple(found)
