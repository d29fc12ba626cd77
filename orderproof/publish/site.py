"""The site as a folder: written whole beside its place, and renamed into it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from orderproof.check.page import TheoremPage
from orderproof.check.prove.results import OutputError, writable

from .schemes import PositionChapter

FOLDER = "site"
MARKER = "theorems.json"  # what tells a site of ours from a folder of someone else's
NEEDED = {"brotli": "brotli", "fontTools": "fonttools", "math_core": "math-core"}


class SiteError(RuntimeError):
    """A site that cannot be written here, in one line."""


def ready(folder: Path) -> None:
    """Before any work: SiteError where a library is missing, OutputError where the place of the
    site holds something else."""
    if missing := [name for module, name in NEEDED.items() if find_spec(module) is None]:
        extra = "expected the extra: pip install 'orderproof[book]'"
        raise SiteError(f"the site: {' and '.join(missing)} not installed, {extra}")
    _replaceable(folder / FOLDER)


def write_site(
    pages: Sequence[TheoremPage],
    folder: Path,
    *,
    date: str,
    positions: PositionChapter | None = None,
) -> Path:
    """Write the site into the folder `site` of `folder`, and return its front page; `date` as
    2026-11-21. It runs no script and loads nothing but its own files; equal pages give equal bytes.

    Raises UnknownCitation, BadFormula, MissingGlyph, BadMarkdown, BadPage or BadDate before
    anything is written, OutputError where it cannot be.
    """
    from .site_pages import files

    return publish(folder / FOLDER, files(pages, date=date, positions=positions)) / "index.html"


def publish(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """The folder with these files and no others. OutputError where it cannot be written, or holds
    what is no site: nothing is changed then."""
    _replaceable(folder)
    writable(folder.parent)
    try:
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as beside:
            new, old = Path(beside) / "new", Path(beside) / "old"
            for name, text in files.items():
                path = new / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text if isinstance(text, bytes) else text.encode())
            if folder.exists():
                folder.rename(old)
            try:
                shutil.move(new, folder)
            except BaseException:
                if old.exists():
                    old.rename(folder)
                raise
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(f"output folder {folder}: {reason}; expected one to write to") from error
    return folder


def _replaceable(folder: Path) -> None:
    """OutputError for a folder that holds what is no site."""
    ours = (folder / MARKER).is_file()
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not ours)):
        raise OutputError(
            f"output folder {folder}: given one without {MARKER}, expected an empty one, a site "
            "that was written before, or none"
        )
