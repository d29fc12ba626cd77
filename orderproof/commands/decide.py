"""`orderproof decide`: whether a user's own model sees the order of an axis."""

from __future__ import annotations

import json
from pathlib import Path

import click

from orderproof.symbolic.ending import end

from .help_text import Command
from .shared import FILE, JSON, OUTPUT, BadInput, Seconds, progress

LONGEST = 86_400  # seconds


@click.command(
    cls=Command,
    statuses={
        0: "decided, and as --expect says; a group of which some is left open counts as decided",
        1: "decided otherwise",
        3: "an answer is unknown or unsupported, or rests on less than --require says",
    },
    examples={
        "decide model.onnx --axis x:1": "whether it sees the order along axis 1 of input x",
        "decide model.onnx --axis x:1 --expect equivariant": "the same, in a test",
        "decide model.onnx --out DIR": "report, derivations and counterexamples go to DIR",
    },
)
@click.argument("model", type=FILE)
@click.option(
    "--axis",
    metavar="INPUT:K",
    help="The input's axis to permute, counted from 0.  [default: each dynamic axis]",
)
@click.option(
    "--with",
    "along",
    multiple=True,
    metavar="INPUT:K",
    help="Another axis that moves along (a mask has two), or INPUT:values for token numbers that "
    "are renamed; may be given again.",
)
@click.option("--output", metavar="NAME", help="The output to look at.  [default: each output]")
@click.option(
    "--n",
    type=int,
    help="The number of tokens, 2 to 6, at which the group is listed of an answer that holds under "
    "some permutations.  [default: 4]",
)
@click.option(
    "--expect",
    type=click.Choice(["equivariant", "invariant"]),
    help="The answer that is wanted of every output that is looked at (see --output): another "
    "gives exit status 1.",
)
@click.option(
    "--require",
    type=click.Choice(["enclosed"]),
    help="The evidence that is wanted of every counterexample: one that is only measured gives "
    "exit status 3.",
)
@click.option(
    "--timeout",
    type=Seconds(LONGEST),
    default=60.0,
    show_default=True,
    help="Seconds for the search for a counterexample.",
)
@click.option(
    "--out",
    type=OUTPUT,
    metavar="DIR",
    help="Write report, counterexamples, certificates and derivations into this folder.",
)
@JSON
def decide(
    model: Path, axis: str | None, along: tuple[str, ...], output: str | None, n: int | None,
    expect: str | None, require: str | None, timeout: float, out: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Decide whether an ONNX model sees the order of an axis.

    The axis may be that of tokens, points or a batch. For each axis and each output there is one
    answer: equivariant or invariant, a theorem for all sizes, inputs and weights; equivariant under
    some permutations, by name; not equivariant, with a counterexample that `replay` rechecks from
    the file; unknown or unsupported, with the reason.

    With --expect, an answer for some sizes alone is another answer, unless the axis has one fixed
    size; so is one under a condition: a mask that has to move along is to be named by --with.
    """
    try:
        from orderproof.symbolic.onnx.decide import decide as answers
    except ImportError as e:
        extra = "expected the extra: pip install 'orderproof[onnx]'"
        raise BadInput(f"decide: {e.name} is not installed, {extra}") from None
    from orderproof.proofs.prove.results import writable

    from . import decide_text

    if out is not None:
        writable(out)
    with progress("answers", None) as advance:
        report = answers(model, axis, along, output, n, timeout, advance)
    if out is not None:
        from orderproof.proofs.decided.files import write

        from . import terminal

        write(report, out, terminal.theorem)
    if as_json:
        click.echo(json.dumps(report.to_json(), ensure_ascii=False, indent=2))
    else:
        decide_text.show(report, out)
    end(report.ending(expect, require))
