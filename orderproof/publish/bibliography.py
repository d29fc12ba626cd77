"""The book's references, read from references.bib, and the entry by which a theorem is cited.

The file keeps to a plain form: fields in braces, letters in Unicode, titles in double braces
(BibTeX leaves their capitals alone).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

from orderproof._paths import REFERENCES
from orderproof.check.claims import TheoremFile
from orderproof.check.page import RECORDED, unless_proved
from orderproof.check.prove import digests, standing
from orderproof.check.rocq import record
from orderproof.symbolic.counting import joined

from .latex_text import code, words

AUTHORS = "The orderproof authors"  # as in CITATION.cff; BibTeX is not to turn it round
PRINTED = 16  # letters of the digest that a bibliography shows; the field `sha256` has all
_ENTRY = re.compile(r"@\w+\{(\w+),\n((?:  .*\n)+)\}\n")
_FIELD = re.compile(r"  (\w+) = \{([^{}]+|\{[^{}]+\})\},\n")


class UnknownCitation(ValueError):
    """A citation key that references.bib does not have."""


class BadBibliography(ValueError):
    """Text in references.bib that is not in its plain form."""


@dataclass(frozen=True)
class Reference:
    """One entry."""

    key: str
    fields: dict[str, str]

    @property
    def authors(self) -> str:
        """Given names first, "and" before the last; where nobody is named, as BibTeX's styles do,
        what the entry is sorted by."""
        if "author" not in self.fields:
            return self.fields.get("key", "")
        people = self.fields["author"].split(" and ")
        return joined([" ".join(reversed(p.split(", "))) for p in people])

    @property
    def place(self) -> str:
        """Where it appeared: journal with volume and pages, proceedings, note, year."""
        f = self.fields
        volume = f.get("volume", "") + (f"({f['number']})" if "number" in f else "")
        venue = " ".join(filter(None, [f.get("journal", f.get("booktitle", "")), volume]))
        pages = f.get("pages", "").replace("--", "–")
        return ", ".join(filter(None, [venue, pages, f.get("note", ""), f.get("year", "")]))


def parse(text: str) -> dict[str, Reference]:
    """The entries of a .bib text by key; anything that is not an entry is an error."""
    found: dict[str, Reference] = {}
    for key, inside in re.findall(_ENTRY, text):
        fields = dict(re.findall(_FIELD, inside))
        rest = re.sub(_FIELD, "", inside)
        if rest or "title" not in fields or key in found:
            raise BadBibliography(f"cannot read {key}: {rest or 'no title, or one key twice'}")
        values = {n: " ".join(v.strip("{}").split()) for n, v in fields.items()}
        found[key] = Reference(key, values)
    if rest := re.sub(_ENTRY, "", text).strip():
        raise BadBibliography(f"cannot read: {rest!r}")
    return found


@cache
def references() -> dict[str, Reference]:
    """The entries of references.bib by key."""
    return parse(REFERENCES.read_text(encoding="utf-8"))


def cited(keys: Iterable[str]) -> list[Reference]:
    """The references of these keys, each once, sorted as BibTeX's plain style sorts them."""
    known = references()
    wanted = set(keys)
    if unknown := sorted(wanted - known.keys()):
        raise UnknownCitation(f"not in references.bib: {', '.join(unknown)}")
    return sorted((known[k] for k in wanted), key=lambda r: (
        (r.fields.get("author") or r.fields.get("key", "")).casefold(),
        r.fields.get("year", ""),
        r.fields["title"].casefold(),
    ))  # fmt: skip


def short(reference: Reference) -> str:
    """A reference in a text: Dufter et al. 2022; or its title, after the author where it has no
    year."""
    family = [p.partition(",")[0] for p in reference.fields.get("author", "").split(" and ")]
    if not family[0]:
        return reference.fields["title"]
    several = {1: family[0], 2: " and ".join(family)}.get(len(family), f"{family[0]} et al.")
    year = reference.fields.get("year")
    return f"{several} {year}" if year else f"{several}, {reference.fields['title']}"


def short_names(keys: Sequence[str]) -> list[str]:
    """The references of these keys, each as it stands in a text."""
    known = {r.key: r for r in cited(keys)}
    return [short(known[key]) for key in keys]


def bibtex(theorem: TheoremFile, *, date: str, source: str | None = None) -> str:
    """The BibTeX entry of a theorem, of the year of `date`: title, id, version, the digest of what
    it states, and how far it is proved, where that is recorded from Rocq or open; with the
    identifier of the source tree, which is a field too unless files were modified since."""
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
