"""A theorem file as a script: check that one theorem and print its LaTeX, as `orderproof show ID
--latex --check` does.

python -m orderproof.proofs.self_attention.self_attention_equivariant
"""

from __future__ import annotations

from importlib.machinery import ModuleSpec

import click

from orderproof.check.prove.results import ending
from orderproof.check.prove.run import prove
from orderproof.symbolic.ending import end

from . import fragment


def main(spec: ModuleSpec | None) -> None:
    """Print the LaTeX of the theorem in this module; exit as `orderproof prove` does."""
    if spec is None:
        raise click.UsageError("expected python -m orderproof.proofs.CHAPTER.ID")
    pages, _ = prove([spec.name.rpartition(".")[2]], jobs=1)
    click.echo(fragment.theorem(pages[0]), nl=False)
    for claim in pages[0].claims:
        marks = ", ".join(
            f"{m.mark}{'' if m.ok else ' ✗' if m.ok is False else ' ?'}" for m in claim.marks
        )
        click.echo(f"% {claim.reads}: {claim.called}  [{marks}]")
    end(ending(pages))
