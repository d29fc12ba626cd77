"""The book's front matter: authors as CITATION.cff names them, version, date, the digest of all
statements, how to cite.
"""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.metadata import version

from orderproof.check.page import TheoremPage
from orderproof.symbolic.counting import joined

TITLE = "What attention sees of the order of its tokens"
SLOGAN = "Unmasked attention cannot see the order of its tokens."
LIMITED = "It sees order only through what you did not permute."
_AUTHORS = re.compile(r"^authors:\n((?:[ -].*\n)+)", re.MULTILINE)
_FIELD = re.compile(r"[\s{,-]*(name|family-names|given-names): *([^,}\n]+)")


class NoAuthors(ValueError):
    """A CITATION.cff in which no author is found."""


@dataclass(frozen=True)
class Front:
    """What the title page says."""

    title: str
    subtitle: str
    authors: str
    version: str
    date: str
    year: int
    digest: str
    counted: str  # theorems, and claims


def front(pages: Sequence[TheoremPage], date: datetime.date) -> Front:
    """The front matter of a book of these theorems."""
    text = resources.files("orderproof").joinpath("CITATION.cff").read_text(encoding="utf-8")
    claims = sum(len(page.claims) for page in pages)
    return Front(
        TITLE, f"{SLOGAN} {LIMITED}", authors(text), version("orderproof"),
        f"{date.day} {date:%B %Y}", date.year, digest(pages),
        f"{len(pages)} theorems, {claims} claims",
    )  # fmt: skip


def authors(cff: str) -> str:
    """The authors of a CITATION.cff, given names first; NoAuthors where there is none."""
    block = re.search(_AUTHORS, cff)
    people: list[str] = []
    family = ""
    for field, value in re.findall(_FIELD, block[1] if block else ""):
        if field == "family-names":
            family = value.strip()
            people.append(family)
        elif field == "given-names" and people and people[-1] == family:
            people[-1] = f"{value.strip()} {family}"
        else:
            people.append(value.strip())
    if not people:
        raise NoAuthors("CITATION.cff: given no author, expected names below authors:")
    return joined(people)


def digest(pages: Sequence[TheoremPage]) -> str:
    """SHA-256 over the digests of all statements, in the order of theorems and claims."""
    every = "\n".join(f"{page.id} {claim.digest}" for page in pages for claim in page.claims)
    return hashlib.sha256(every.encode()).hexdigest()
