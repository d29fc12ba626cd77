"""`orderproof cite`: a theorem as BibTeX."""

from __future__ import annotations

import click

from orderproof import RELEASED

from .help_text import Command


@click.command(
    cls=Command,
    statuses={
        0: "printed",
    },
    examples={
        "cite self_attention_equivariant": "with the version, and the digest of what it states",
    },
)
@click.argument("name", metavar="ID")
def cite(name: str) -> None:
    """Print a theorem as a BibTeX entry.

    It has the version, the digest of what the theorem states, as `orderproof digests` prints it,
    and the Software Heritage identifier of the source tree, where that is known; where files were
    changed since, it says so. The identifier equals `git rev-parse HEAD^{tree}`, by which any copy
    can be compared; where the archive has this tree, archive.softwareheritage.org/ before it is
    its address.
    """
    from orderproof import source_tree
    from orderproof.proofs import catalogue
    from orderproof.publish.bibliography import bibtex

    (chosen,) = catalogue.chosen([name])
    found, source = catalogue.load(chosen), source_tree.identifier()
    click.echo(bibtex(found, date=RELEASED, source=source), nl=False)
