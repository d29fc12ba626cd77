"""`orderproof cite`: a theorem as BibTeX."""

from __future__ import annotations

import click

from orderproof import RELEASED


@click.command(epilog="Example: orderproof cite self_attention_equivariant")
@click.argument("name", metavar="ID")
def cite(name: str) -> None:
    """A theorem as BibTeX, with the version and the digest of what it states, as `orderproof
    digests` has it."""
    from orderproof.proofs import catalogue
    from orderproof.proofs.book import citation

    (chosen,) = catalogue.chosen([name])
    click.echo(citation.bibtex(catalogue.load(chosen), date=RELEASED), nl=False)
