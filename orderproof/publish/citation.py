"""A theorem as a BibTeX entry."""

from __future__ import annotations

from importlib.metadata import version

from orderproof.check.claims import TheoremFile
from orderproof.check.page import RECORDED, unless_proved
from orderproof.check.prove import digests, standing
from orderproof.check.rocq import record

from .latex_text import code, words

AUTHORS = "The orderproof authors"  # as in CITATION.cff; BibTeX is not to turn it round
PRINTED = 16  # letters of the digest that a bibliography shows; the field `sha256` has all


def bibtex(theorem: TheoremFile, *, date: str, source: str | None = None) -> str:
    """The entry, of the year of `date`: title, id, version, the digest of what it states, and how
    far it is proved, where that is recorded from Rocq or open; with the identifier of the source
    tree, which is a field too unless files were modified since."""
    digest = digests.of_theorem(theorem)
    verdict = standing.of_theorem(theorem)
    proof = unless_proved(verdict, ", ")
    proof += f" {record.load().version}" if verdict == RECORDED else ""
    tree = field = ""
    if source is not None:
        modified, kind, sha1 = source.partition("swh:1:dir:")
        tree = rf", source tree {modified}\texttt{{{kind}\allowbreak {sha1}}}"
        field = "" if modified else f"\n  swhid = {{{source}}},"
    return rf"""@misc{{orderproof:{theorem.id},
  author = {{{{{AUTHORS}}}}},
  title = {{{{{words(theorem.title)}}}}},
  howpublished = {{Theorem {code(theorem.id)} of orderproof, version {version("orderproof")}}},
  note = {{SHA-256 of its statements \texttt{{{digest[:PRINTED]}}}\dots{proof}{tree}}},
  year = {{{date.partition("-")[0]}}},
  sha256 = {{{digest}}},{field}
}}
"""
