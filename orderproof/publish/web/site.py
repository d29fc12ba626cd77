"""The one call that writes the site: all of it is rendered before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from orderproof.check.page import TheoremPage
from orderproof.publish.book.position_chapter import PositionChapter

from .publish import publish

FOLDER = "site"


class MissingExtra(RuntimeError):
    """A library of the extra `book` that is not installed."""


def write_site(
    pages: Sequence[TheoremPage],
    folder: Path,
    *,
    date: str,
    positions: PositionChapter | None = None,
) -> Path:
    """Write the site into the folder `site` of `folder`, and return its front page; `date` as
    2026-11-21. It runs no script and loads nothing but its own files; equal pages give equal bytes.

    Raises UnknownCitation, BadFormula, MissingGlyph, BadPage, BadDate or MissingExtra before
    anything is written, OutputError where it cannot be.
    """
    try:
        from .pages import files
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"the site needs {error.name}: install orderproof with its extra, orderproof[book]"
        ) from None
    return publish(folder / FOLDER, files(pages, date=date, positions=positions)) / "index.html"
