"""The book: its LaTeX sources, and the PDF where a TeX is installed.

Equal pages give equal bytes; how long a mark took is not shown.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from orderproof._paths import REFERENCES
from orderproof.check.page import Table, TheoremPage
from orderproof.check.prove.results import write
from orderproof.check.prove.trust import MARKS

from . import prose, sources
from .pdf import PdfResult, TypesettingFailed, build_pdf, untypeset
from .position_chapter import PositionChapter
from .tables import BIAS, DEPTH

__all__ = ["BadPage", "PdfResult", "TypesettingFailed", "build", "build_pdf", "write_sources"]


class BadPage(ValueError):
    """A page, or a date, that the book cannot print."""


def write_sources(
    pages: Sequence[TheoremPage],
    folder: Path,
    *,
    date: str,
    positions: PositionChapter | None = None,
    chapters: Sequence[prose.Chapter] | None = None,
) -> list[Path]:
    """Write book.tex and references.bib into `folder`; `date` as 2026-11-21. The pages are those of
    all theorems that the chapters print. With the chapter on positions its counterexamples too, and
    its pictures where matplotlib is installed.

    Raises BadChapter, UnknownCitation, UnknownCharacter or BadPage before anything is written.
    """
    _check(pages)
    found = prose.chapters() if chapters is None else chapters
    drawn = _drawn(positions)
    text = sources.text(pages, _day(date), positions, undrawn=undrawn(), chapters=found)
    files = positions.files if positions else {}
    return [
        write(folder / "book.tex", text),
        write(folder / "references.bib", REFERENCES.read_text(encoding="utf-8")),
        *(write(folder / name, text) for name, text in files.items()),
        *(write(folder / "figures" / f"{name}.pdf", data) for name, data in drawn.items()),
    ]


def skipped() -> list[str]:
    """Of each part that will be missing, why: to be said before any work."""
    parts = {"Pictures": undrawn(), "PDF": untypeset()}
    return [f"{part}: skipped, {why}" for part, why in parts.items() if why]


def build(
    pages: Sequence[TheoremPage], folder: Path, *, date: str, positions: PositionChapter
) -> Path | None:
    """Make the sources, and the PDF where a TeX is installed: its path.

    Raises what write_sources and build_pdf raise.
    """
    write_sources(pages, folder, date=date, positions=positions)
    return build_pdf(folder, date=date).path


def undrawn() -> str:
    """Why there will be no pictures, or nothing."""
    return "" if find_spec("matplotlib") else "matplotlib is not installed (orderproof[book])"


def _drawn(positions: PositionChapter | None) -> dict[str, bytes]:
    """The picture of a bias, and the figure of distances layer by layer."""
    if positions is None or undrawn():
        return {}
    from . import bias_picture, depth_figure

    return {
        BIAS: bias_picture.pdf(bias_picture.strips()), DEPTH: depth_figure.pdf(positions.depth)
    }  # fmt: skip


def _day(date: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(date)
    except ValueError:
        raise BadPage(f"date {date!r}: expected year-month-day, as 2026-11-21") from None


def _check(pages: Sequence[TheoremPage]) -> None:
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
