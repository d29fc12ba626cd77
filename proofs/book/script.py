"""A theorem file as a script: check that one theorem and print its LaTeX derivation.

python -m orderproof.proofs.self_attention_equivariant
"""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec

import click

from orderproof.proofs.prove.results import status
from orderproof.proofs.prove.run import prove

from . import latex as book_latex


def main(spec: ModuleSpec | None) -> None:
    """Print the LaTeX of the theorem in this module; exit as `orderproof prove` does."""
    if spec is None:
        raise click.UsageError("expected python -m orderproof.proofs.ID")
    pages, _ = prove([spec.name.rpartition(".")[2]], jobs=1)
    click.echo(book_latex.theorem(pages[0]))
    for claim in pages[0].claims:
        marks = ", ".join(
            f"{m.mark}{'' if m.ok else ' ✗' if m.ok is False else ' ?'}" for m in claim.marks
        )
        click.echo(f"% {claim.verdict}: {claim.statement.plain}  [{marks}]")
    sys.exit(status(pages))
