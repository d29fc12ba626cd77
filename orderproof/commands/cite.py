"""`orderproof cite`: a theorem as BibTeX."""

from __future__ import annotations

import click

from orderproof import RELEASED, source_tree


@click.command(epilog="Example: orderproof cite self_attention_equivariant")
@click.argument("name", metavar="ID")
def cite(name: str) -> None:
    """A theorem as BibTeX, with the version, the digest of what it states, as `orderproof digests`
    has it, and the Software Heritage identifier of the source tree, where that is known."""
    from orderproof.proofs import catalogue
    from orderproof.proofs.book import citation

    (chosen,) = catalogue.chosen([name])
    found, source = catalogue.load(chosen), source_tree.identifier()
    click.echo(citation.bibtex(found, date=RELEASED, source=source), nl=False)
