"""`orderproof drift`: outputs differ when the input is shuffled: rounding, or a bug?"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from .shared import JSON, without_onnx


@click.command(epilog="Example: orderproof drift model.onnx --input x.npy --axis x:1 --sigma 2,1,3")
@click.argument("model", type=click.Path(path_type=Path))
@click.option(
    "--input",
    "files",
    multiple=True,
    required=True,
    metavar="[NAME=]FILE.npy",
    help="An input's numbers; may be given again, one for each input.",
)
@click.option(
    "--axis",
    metavar="INPUT:K",
    help="The input's axis to permute, counted from 0.  [default: the dynamic one]",
)
@click.option(
    "--with",
    "along",
    multiple=True,
    metavar="INPUT:K",
    help="Another input's axis that moves along (a mask has two); may be given again.",
)
@click.option("--output", metavar="NAME", help="The output to look at, where there are several.")
@click.option(
    "--output-axis",
    metavar="K",
    help="Its axis that is to move, or none.  [default: as proved, or where outputs are closest]",
)
@click.option("--sigma", metavar="2,1,3", help="The permutation.  [default: a random one]")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Of random permutations."
)
@click.option(
    "--bits",
    type=click.IntRange(64, 256),
    default=128,
    show_default=True,
    help="Of exact arithmetic, to begin with: up to four times as many are taken.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write the answer, and a counterexample where there is one, into this folder.",
)
@JSON
def drift(
    model: Path, files: tuple[str, ...], axis: str | None, along: tuple[str, ...],
    output: str | None, output_axis: str | None, sigma: str | None, seed: int, bits: int,
    out: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Why a model's outputs differ when its input is permuted: rounding, or not.

    Both orders are run in onnxruntime, and both are enclosed in exact arithmetic. Rounding: the
    true values agree, and here is how far each order is from them. Not rounding: the true values
    differ. Or it cannot be told, with the reason.

    Exit status: 0 rounding; 1 not rounding; 2 bad input; 3 where it cannot be told.
    """
    try:
        from orderproof.numeric.drift.drift import drift as answer
        from orderproof.symbolic.onnx.run import RunnerMissing
    except ImportError as e:
        raise without_onnx("drift", e.name) from None
    from . import drift_text

    try:
        found = answer(model, files, axis, along, output, output_axis, sigma, seed, bits)
    except RunnerMissing:
        raise without_onnx("drift", "onnxruntime") from None
    written = drift_text.write(found, out) if out is not None else []
    if as_json:
        click.echo(json.dumps(found.to_json(), ensure_ascii=False, indent=2))
    else:
        for line in [*drift_text.lines(found), *written]:
            click.echo(line)
    sys.exit(found.status)
