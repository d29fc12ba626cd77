"""`orderproof replay`: a saved counterexample rechecked."""

from __future__ import annotations

import json
from pathlib import Path

import click

from orderproof.symbolic.counting import PEOPLE
from orderproof.symbolic.ending import Ending, end

from .help_text import Command
from .shared import FILE, JSON, say


@click.command(
    cls=Command,
    statuses={
        0: "confirmed",
        1: "refuted",
    },
    examples={
        "replay build/witnesses/learned-n2-d1.json": "what search or prove wrote",
        "replay DIR/counterexample.json --model model.onnx": "what decide wrote about a model",
    },
)
@click.argument("file", type=FILE)
@click.option(
    "--model",
    type=FILE,
    metavar="PATH",
    help="The ONNX file that it is about; by default the one of its name beside FILE.",
)
@JSON
def replay(file: Path, model: Path | None, as_json: bool) -> None:
    """Recheck a saved counterexample; no solver is loaded.

    It is recomputed from FILE in exact arithmetic or in intervals; one about an ONNX file is run
    again in onnxruntime, and enclosed again, from that file.
    """
    from orderproof.replay_file import replay_file
    from orderproof.symbolic.witness.scheme_file import PositionWitness

    outcome = replay_file(file, model)
    if as_json:
        click.echo(
            json.dumps({"file": str(file), "status": outcome.status, "reason": outcome.reason})
        )
    else:
        word = "confirmed" if outcome.ok else "REFUTED"
        say(f"{word}: {(outcome.witness if outcome.ok else outcome).says(PEOPLE)}")
        if outcome.ok and isinstance(outcome.witness, PositionWitness):
            change = outcome.witness.changes(PEOPLE)
            say(f"{change[0].upper()}{change[1:]}.")
    refuted = Ending(1, "a counterexample that holds", f"{file} refuted")
    end(Ending() if outcome.ok else refuted)
