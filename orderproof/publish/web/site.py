"""The one call that writes the site: all of it is rendered before anything is written."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from orderproof.check.page import TheoremPage
from orderproof.publish.schemes import PositionChapter

from .publish import publish, replaceable

FOLDER = "site"
NEEDED = {"brotli": "brotli", "fontTools": "fonttools", "math_core": "math-core"}


class SiteError(RuntimeError):
    """A site that cannot be written here, in one line."""


def ready(folder: Path) -> None:
    """Before any work: SiteError where a library is missing, OutputError where the place of the
    site holds something else."""
    if missing := [name for module, name in NEEDED.items() if find_spec(module) is None]:
        extra = "expected the extra: pip install 'orderproof[book]'"
        raise SiteError(f"the site: {' and '.join(missing)} not installed, {extra}")
    replaceable(folder / FOLDER)


def write_site(
    pages: Sequence[TheoremPage],
    folder: Path,
    *,
    date: str,
    positions: PositionChapter | None = None,
) -> Path:
    """Write the site into the folder `site` of `folder`, and return its front page; `date` as
    2026-11-21. It runs no script and loads nothing but its own files; equal pages give equal bytes.

    Raises UnknownCitation, BadFormula, MissingGlyph, BadPage or BadDate before anything is
    written, OutputError where it cannot be.
    """
    from .pages import files

    return publish(folder / FOLDER, files(pages, date=date, positions=positions)) / "index.html"
