"""`orderproof replay`: a saved counterexample rechecked."""

from __future__ import annotations

import json
from pathlib import Path

import click

from orderproof.symbolic.counting import PEOPLE
from orderproof.symbolic.ending import Ending, end

from .shared import JSON


@click.command(epilog="Example: orderproof replay build/witnesses/learned-n2-d1.json")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--model",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="The ONNX file that it is about; by default the one of its name beside FILE.",
)
@JSON
def replay(file: Path, model: Path | None, as_json: bool) -> None:
    """Recheck a saved counterexample, with no solver loaded."""
    from orderproof.symbolic.witness.replay_file import replay_file

    outcome = replay_file(file, model)
    if as_json:
        click.echo(
            json.dumps({"file": str(file), "status": outcome.status, "reason": outcome.reason})
        )
    else:
        word = "confirmed" if outcome.ok else "REFUTED"
        click.echo(f"{word}: {(outcome.witness if outcome.ok else outcome).says(PEOPLE)}")
    refuted = Ending(1, "a counterexample that holds", f"{file} refuted")
    end(Ending() if outcome.ok else refuted)
