"""`orderproof show`: one theorem, to be read in a terminal, or as LaTeX for another document."""

from __future__ import annotations

import click

from orderproof.symbolic.ending import end

from .help_text import ON_CHECK, Command


@click.command(
    cls=Command,
    statuses=ON_CHECK,
    examples={
        "show self_attention_equivariant --entries 2": "also each entry, step by step",
        "show self_attention_equivariant --check": "the marks are made, and their results printed",
        "show self_attention_equivariant --latex": "statement and proof for a paper of your own",
        "show --latex --macros": "the macros that this needs, for the preamble",
    },
)
@click.argument("name", metavar="[ID]", required=False)
@click.option(
    "--entries",
    type=click.IntRange(1, 4),
    help="Every entry of both sides, step by step, for this many tokens.",
)
@click.option("--check", is_flag=True, help="Run the marks of every claim, and show what they say.")
@click.option(
    "--latex", is_flag=True,
    help="Statement and proof as LaTeX with the label thm:ID, tested in article (one column and "
    "two), amsart, IEEEtran and acmart.",
)  # fmt: skip
@click.option(
    "--macros", is_flag=True, help="With --latex and no ID: the macros, for the preamble, once."
)
def show(name: str | None, entries: int | None, check: bool, latex: bool, macros: bool) -> None:
    """Print a theorem with its proof, as text or LaTeX.

    It has the statement, the proof in words, the derivation as the kernel made it, and the marks
    that each claim is declared to carry. The marks are made with --check alone, or by
    `orderproof prove ID`.
    """
    if macros and (not latex or name or check):
        raise click.UsageError("--macros: expected show --latex --macros, and nothing else")
    if latex and entries:
        raise click.UsageError("--entries: given with --latex, expected one of the two options")
    if not (name or macros):
        raise click.UsageError("given no ID, expected one that `orderproof list` shows")
    from orderproof.check.prove.unchecked import unchecked
    from orderproof.proofs import catalogue
    from orderproof.publish import to_text
    from orderproof.publish.theorem import as_text

    if latex:
        from orderproof.publish import fragment
    if check:
        from orderproof.check.prove import results, run
    if name is None:
        click.echo(fragment.macros(), nl=False)
        return
    (chosen,) = catalogue.chosen([name])
    theorem = catalogue.load(chosen)
    page = run.prove_one(chosen)[0] if check else unchecked(theorem)
    click.echo(fragment.theorem(page) if latex else as_text(page), nl=not latex)
    if check and not latex and any("rocq" in claim.declared() for claim in theorem.claims):
        click.echo(f"\nRocq was not run: `orderproof prove --rocq {chosen}` does.")
    if entries:
        from orderproof.publish.entries import of_claims

        click.echo("\n" + to_text.text(of_claims(theorem, entries)))
    if check:
        end(results.ending([page]))
