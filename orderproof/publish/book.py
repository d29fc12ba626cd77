"""The book: its LaTeX sources, and the checks on what they are made of.

Equal pages give equal bytes; how long a mark took is not shown.
"""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from markupsafe import Markup

from orderproof._paths import REFERENCES
from orderproof.check.page import RECORDED, Table, TheoremPage
from orderproof.check.prove.results import write
from orderproof.check.prove.trust import MARKS
from orderproof.proofs import APPENDIX

from . import figures, fragment
from .bibliography import AUTHORS
from .bibliography import cited as references
from .chapters import Chapter, Text, numbers
from .chapters import chapters as documents
from .latex_text import code, words
from .pdf import untypeset
from .schemes import PositionChapter
from .to_latex import Writer

TEMPLATE = Path(__file__).with_name("book.tex")
TITLE = "What attention sees of the order of its tokens"
SLOGAN = "Unmasked attention cannot see the order of its tokens."
LIMITED = "It sees order only through what you did not permute."


class BadPage(ValueError):
    """A page, or a date, that the book cannot print."""


def text(
    pages: Sequence[TheoremPage],
    date: datetime.date,
    positions: PositionChapter | None = None,
    chapters: Sequence[Text] | None = None,
) -> str:
    """The whole of book.tex. BadMarkdown where a chapter asks for what there is not."""
    found = documents(pages, positions, chapters)
    kinds = {name: kind for name, (kind, _) in numbers(found).items()}
    recorded = {p.id for p in pages if p.verdict == RECORDED}

    def refer(name: str) -> Markup:
        """Theorem 3.4, with a raised R where it is recorded from Rocq."""
        mark = Markup(r"\recorded{}") if name in recorded else Markup("")
        kind = kinds.get(name, "Theorem")
        return Markup(r"{}~\ref{{thm:{}}}{}").format(kind, Markup(name), mark)

    def cite(wanted: Sequence[str]) -> Markup:
        references(wanted)
        return Markup(r"\cite{{{}}}").format(Markup(",".join(wanted)))

    writer = Writer(kinds, refer, cite, lambda name: Markup(rf"\ref{{ch:{name}}}"))
    named = {page.id: page for page in pages}
    claims = sum(len(page.claims) for page in pages)
    parts = {
        "title": words(TITLE), "subtitle": words(f"{SLOGAN} {LIMITED}"), "authors": words(AUTHORS),
        "macros": fragment.macros(), "version": words(version("orderproof")),
        "date": f"{date.day} {date:%B %Y}", "year": str(date.year),
        "counted": f"{len(pages)} theorems, {claims} claims", "digest": digest(pages),
        "chapters": Markup("").join(_chapter(c, writer) for c in found),
        "claims": Markup("\n").join(_claims(named[name]) for name in kinds),
    }  # fmt: skip
    return re.sub(r"@(\w+)@", lambda m: parts[m[1]], TEMPLATE.read_text(encoding="utf-8"))


def digest(pages: Sequence[TheoremPage]) -> str:
    """SHA-256 over the digests of all statements, in the order of theorems and claims."""
    every = "\n".join(f"{page.id} {claim.digest}" for page in pages for claim in page.claims)
    return hashlib.sha256(every.encode()).hexdigest()


def _chapter(c: Chapter, writer: Writer) -> Markup:
    begin = Markup("\\appendix\n" if c.text.name == APPENDIX else "")
    return begin + Markup("\\chapter{{{}}}\\label{{ch:{}}}\n{}\n{}\n").format(
        words(c.text.title),
        Markup(c.text.name),
        writer.blocks(c.introduction),
        writer.blocks(c.blocks),
    )


def _claims(page: TheoremPage) -> Markup:
    """A theorem's number, page and id, and the first letters of the digests of its claims."""
    digests = (
        Markup(r" ({})~\texttt{{{}}}").format(k, c.digest[:8]) for k, c in enumerate(page.claims, 1)
    )
    return Markup(r"\hangindent=1em \ref{{thm:{0}}}, p.\,\pageref{{thm:{0}}} {1}{2}\par").format(
        Markup(page.id), code(page.id), Markup("").join(digests)
    )


# ---------------------------------------------------------------------------------------- its files
def write_sources(
    pages: Sequence[TheoremPage],
    folder: Path,
    *,
    date: str,
    positions: PositionChapter | None = None,
    chapters: Sequence[Text] | None = None,
) -> list[Path]:
    """Write book.tex and references.bib into `folder`; `date` as 2026-11-21. The pages are those of
    all theorems that the chapters print. With the chapter on positions its counterexamples too, and
    its pictures where matplotlib is installed.

    Raises BadMarkdown, UnknownCitation, UnknownCharacter or BadPage before anything is written.
    """
    check(pages)
    made = text(pages, day(date), positions, chapters)
    files: dict[str, str | bytes] = {}
    if positions:
        files |= positions.files
        files |= {f"figures/{name}": data for name, data in figures.files("pdf").items()}
    return [
        write(folder / "book.tex", made),
        write(folder / "references.bib", REFERENCES.read_text(encoding="utf-8")),
        *(write(folder / name, text) for name, text in files.items()),
    ]


def skipped() -> list[str]:
    """Of each part that will be missing, why: to be said before any work."""
    parts = {"Pictures": figures.undrawn(), "PDF": untypeset()}
    return [f"{part}: skipped, {why}" for part, why in parts.items() if why]


def day(date: str) -> datetime.date:
    """The day of a date as 2026-11-21; BadPage where it is none."""
    try:
        return datetime.date.fromisoformat(date)
    except ValueError:
        raise BadPage(f"date {date!r}: expected year-month-day, as 2026-11-21") from None


def check(pages: Sequence[TheoremPage]) -> None:
    """BadPage for a page that would print as what it is not."""
    seen = set[str]()
    for page in pages:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", page.id) or page.id in seen:
            raise BadPage(f"theorem id {page.id!r}: expected lower-case letters, digits, _, once")
        seen.add(page.id)
        if not all(section.lines for section in page.sections):
            raise BadPage(f"{page.id}: a section without lines")
        parts = (part for example in page.examples for part in example.parts)
        for table in (part for part in parts if isinstance(part, Table)):
            wide = len(table.head)
            if ragged := [row for row in table.rows if len(row) != wide]:
                raise BadPage(f"{page.id}: a row of {len(ragged[0])} cells under {wide} heads")
    found = {mark.mark for page in pages for claim in page.claims for mark in claim.marks}
    if unknown := sorted(found - {m.name for m in MARKS}):
        raise BadPage(f"unknown marks: {', '.join(unknown)}")
