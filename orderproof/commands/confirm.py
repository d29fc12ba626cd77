"""`orderproof confirm`: a trained encoder, with its position table and without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from orderproof.symbolic.ending import Ending, end

from .help_text import Command
from .shared import FOLDER, JSON, BadInput, console, plain_table

if TYPE_CHECKING:
    from orderproof.numeric.trained.confirm import Confirmation


@click.command(
    cls=Command,
    statuses={
        0: "it sees order with the table, and rounding alone without it",
        1: "it does not",
    },
    examples={
        "confirm": "the checkpoint that `make models` fetched",
        "confirm --model models/all-MiniLM-L6-v2": "another checkpoint",
    },
)
@click.option("--model", type=FOLDER, help="Folder of a BERT-family checkpoint.")
@JSON
def confirm(model: Path | None, as_json: bool) -> None:
    """Run a trained encoder with and without its position table.

    Two sentences with the same words in another order are compared, token by token, in float64 and
    float32.
    """
    found = confirmation(model)
    if found is None:
        raise BadInput(
            "no checkpoint: given none and none installed, expected --model DIR or make models"
        )
    if as_json:
        click.echo(json.dumps(found.to_json(), ensure_ascii=False, indent=2, allow_nan=False))
    else:
        show_confirmation(found)
    end(ending(found))


def confirmation(model: Path | None) -> Confirmation | None:
    """What the checkpoint says; None where there is none."""
    from orderproof.numeric.trained import place

    folder = place.find_checkpoint(model)
    if folder is None:
        return None
    from orderproof.numeric.trained import confirm as numeric

    return numeric.confirm(folder)


def ending(c: Confirmation) -> Ending:
    """The exit status, 1 where order is not seen through the position table alone, and why."""
    if c.confirmed:
        return Ending()
    found = f"{c.with_positions.verdict} with it, {c.without_positions.verdict} without it"
    expected = "an encoder that sees order with its position table, order blind without it"
    return Ending(1, expected, found)


def show_confirmation(c: Confirmation) -> None:
    """The table of differences, token by token."""
    first, second = (" ".join(t for t in x if not t.startswith("[")) for x in (c.first, c.second))
    click.echo(f"Trained encoder: “{first}” against “{second}”")
    runs = [
        (name, dtype, getattr(comparison, dtype))
        for name, comparison in (("with", c.with_positions), ("without", c.without_positions))
        for dtype in ("float64", "float32")
    ]
    table = plain_table(show_edge=False)
    for column in ("difference of token", *(f"{name}, {dtype}" for name, dtype, _ in runs)):
        table.add_column(column)
    for k, token in enumerate(c.first):
        table.add_row(token, *(f"{m.per_token[k]:.3g}" for _, _, m in runs))
    table.add_row("largest", *(f"{m.largest:.3g}" for _, _, m in runs))
    table.add_row("cosine of the pooled", *(f"{m.cosine:.9f}" for _, _, m in runs))
    console().print(table)
    click.echo(
        f"With its position table it {c.with_positions.verdict}; with the table zeroed it is "
        f"{c.without_positions.verdict}."
    )
