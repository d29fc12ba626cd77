"""`orderproof decide`: whether a model sees the order of an axis, or rows that it should not."""

from __future__ import annotations

import json
from pathlib import Path

import click

from orderproof.symbolic.ending import end
from orderproof.symbolic.witness.questions import QUESTIONS

from .help_text import Command
from .shared import FILE, JSON, OUTPUT, BadInput, Seconds, progress

LONGEST = 86_400  # seconds
SYMMETRIES = ("equivariant", "invariant")
DEPENDENCE = ("independent", "depends")


@click.command(
    cls=Command,
    statuses={
        0: "decided, and as --expect says; a group of which some is left open counts as decided",
        1: "decided otherwise",
        3: "an answer is unknown or unsupported, or rests on less than --require says; or no "
        "dependence was seen, which proves nothing",
    },
    examples={
        "decide model.onnx --axis x:1": "whether it sees the order along axis 1 of input x",
        "decide model.onnx --axis x:1 --expect equivariant": "the same, in a test",
        "decide model.onnx --ask causal --axis x:1": "whether a row depends on later ones",
        "decide model.onnx --out DIR": "report, derivations and counterexamples go to DIR",
    },
)
@click.argument("model", type=FILE)
@click.option(
    "--ask",
    type=click.Choice(["equivariant", *QUESTIONS]),
    default="equivariant",
    show_default=True,
    help="What is asked: whether the output follows a permutation, or who sees whom. "
    + " ".join(f"{ask}: {what}." for ask, what in QUESTIONS.items()),
)
@click.option(
    "--axis",
    metavar="INPUT:K",
    help="The input's axis to permute, or of whose rows it is asked, counted from 0.  "
    "[default: each dynamic axis; with --ask of who sees whom only if all have one name]",
)
@click.option(
    "--with",
    "along",
    multiple=True,
    metavar="INPUT:K",
    help="Another axis that moves along (a mask has two), or INPUT:values for token numbers that "
    "are renamed; may be given again.",
)
@click.option(
    "--mask",
    metavar="INPUT:K",
    help="The axis of a mask that says which rows are real; with --ask.",
)
@click.option(
    "--masked",
    type=float,
    metavar="VALUE",
    help="What the mask has where it hides a row. Elsewhere it has 1, or 0 if this is not 0.  "
    "[default: 0]",
)
@click.option(
    "--ids",
    metavar="INPUT:K",
    help="The axis of numbers that say of which document a row is; with --ask documents.",
)
@click.option("--output", metavar="NAME", help="The output to look at.  [default: each output]")
@click.option(
    "--output-axis",
    metavar="K",
    help="The output's axis of rows, or none; with --ask of who sees whom.  [default: the axis "
    "that is as long as the input's at each size]",
)
@click.option(
    "--n",
    type=int,
    help="The number of tokens, 2 to 6, at which the group is listed of an answer that holds under "
    "some permutations.  [default: 4]  With --ask of who sees whom, the one number of rows that is "
    "tried, 2 to 64.  [default: 2 to 5, and 8; of a large model 2, 3 and 8]",
)
@click.option(
    "--expect",
    type=click.Choice([*SYMMETRIES, *DEPENDENCE]),
    help="The answer that is wanted of every output that is looked at (see --output): another "
    "gives exit status 1. The last two are about who sees whom.",
)
@click.option(
    "--accept-unseen",
    is_flag=True,
    help="That no dependence was seen counts as independent, though it is no proof.",
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
    help="Seconds for all answers together; what is not decided then is unknown.",
)
@click.option(
    "--out",
    type=OUTPUT,
    metavar="DIR",
    help="Write report, counterexamples, certificates and derivations into this folder.",
)
@JSON
def decide(
    model: Path, ask: str, axis: str | None, along: tuple[str, ...], mask: str | None,
    masked: float | None, ids: str | None, output: str | None, output_axis: str | None,
    n: int | None, expect: str | None, accept_unseen: bool, require: str | None, timeout: float,
    out: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Decide what an ONNX model sees: the order, or other rows.

    The axis may be that of tokens, points or a batch. For each axis and each output there is one
    answer: equivariant or invariant, a theorem for all sizes, inputs and weights; equivariant under
    some permutations, by name; not equivariant, with a counterexample that `replay` rechecks from
    the file; unknown or unsupported, with the reason.

    With --expect, an answer for some sizes alone is another answer, unless the axis has one fixed
    size; so is one under a condition: a mask that has to move along is to be named by --with.

    With --ask of who sees whom: depends, with a counterexample; or no dependence was seen, which
    proves nothing. It is asked of the contents of other rows, and of their number where the axis
    has no fixed size.
    """
    try:
        from orderproof.symbolic.onnx.decide import decide as answers

        if ask in QUESTIONS:
            from orderproof.symbolic.onnx.who_sees import who_sees
    except ImportError as e:
        extra = "expected the extra: pip install 'orderproof[onnx]'"
        raise BadInput(f"decide: {e.name} is not installed, {extra}") from None
    from orderproof.check.prove.results import writable

    who_sees_whom = ask in QUESTIONS
    if expect is not None and (expect in DEPENDENCE) is not who_sees_whom:
        words = " or ".join(DEPENDENCE if who_sees_whom else SYMMETRIES)
        raise BadInput(f"--expect: given {expect} for --ask {ask}, expected {words}")
    options = {
        "--mask": mask, "--masked": masked, "--ids": ids, "--output-axis": output_axis,
        "--accept-unseen": accept_unseen or None,
    }  # fmt: skip
    given = next((name for name, value in options.items() if value is not None), None)
    if given and not who_sees_whom:
        expected = " or ".join(QUESTIONS)
        raise BadInput(f"{given}: given for --ask {ask}, expected --ask {expected}")
    if masked is not None and mask is None:
        raise BadInput("--masked: given without a mask, expected --mask INPUT:K")
    if out is not None:
        writable(out)
    with progress("answers", None) as advance:
        if who_sees_whom:
            report = who_sees(
                model, ask, axis=axis, along=along, mask=mask, ids=ids, masked=masked or 0.0,
                output=output, output_axis=output_axis, n=n, timeout=timeout, answered=advance,
            )  # fmt: skip
        else:
            report = answers(model, axis, along, output, n, timeout, advance)
    if out is not None:
        from orderproof.publish.decided.files import write

        report = write(report, out)
    if as_json:
        click.echo(json.dumps(report.to_json(), ensure_ascii=False, indent=2))
    else:
        from .decide_text import show

        show(report, out)
    end(report.ending(expect, require, "unseen" if accept_unseen else None))
