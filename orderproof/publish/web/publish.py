"""A folder of files put in its place whole: written beside it, and renamed into it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from orderproof.check.prove.results import OutputError, writable

MARKER = "theorems.json"  # what tells a site of ours from a folder of someone else's


def replaceable(folder: Path) -> None:
    """OutputError for a folder that holds what is no site."""
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not _ours(folder))):
        raise OutputError(
            f"output folder {folder}: given one without {MARKER}, expected an empty one, a site "
            "that was written before, or none"
        )


def publish(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """The folder with these files and no others. OutputError where it cannot be written, or holds
    what is no site: nothing is changed then."""
    replaceable(folder)
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


def _ours(folder: Path) -> bool:
    return (folder / MARKER).is_file()
