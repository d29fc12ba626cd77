"""results.json: what was checked, in what environment, with which verdicts and marks.

Two runs differ in times alone, and in `from_cache`: the theorems that an earlier run checked, and
when. Their seconds are of that run. Files are written beside their place and renamed into it.
"""

from __future__ import annotations

import errno
import json
import os
import platform
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orderproof import input_file
from orderproof.symbolic.ending import Ending, first_of

if TYPE_CHECKING:  # so that files can be written without the calculus
    from orderproof.check.page import ClaimPage, TheoremPage
    from orderproof.check.rocq.mark import Rocq

DECLARED = "each claim as declared and each false variant rejected"
PACKAGES = ("cvc5", "mpmath", "numpy", "sympy", "z3-solver")  # cvc5 is optional


class OutputError(OSError):
    """A folder or file that cannot be written: one line that says which and why."""


@dataclass(frozen=True)
class RocqRun:
    """The version of Rocq that was asked, and the seconds that it took for its development."""

    version: str
    seconds: float


def results(
    pages: Sequence[TheoremPage],
    rocq: Rocq | RocqRun | None = None,
    from_cache: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The contents of results.json; with Rocq's version, and the seconds that its development
    took, where it was asked; and when theorems were checked that were not checked now."""
    asked = {"version": rocq.version, "seconds": round(rocq.seconds, 2)} if rocq else None
    packages = {p: _version(p) for p in PACKAGES}
    return {
        "version": version("orderproof"),
        "environment": {"python": platform.python_version()} | packages | {"rocq": asked},
        "from_cache": dict(from_cache or {}),
        "theorems": [_theorem(page) for page in pages],
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _whole(page: TheoremPage, claim: ClaimPage) -> str:
    """A claim with its quantifiers and with what its labels stand for; a headline as it is."""
    if claim.headline or page.given is None:
        return claim.statement.latex
    where = r",\; ".join(f.latex for f in page.where)
    meaning = rf" \quad\text{{where}}\quad {where}" if where else ""
    return rf"{page.given.latex}:\quad {claim.statement.latex}{meaning}"


def _theorem(page: TheoremPage) -> dict[str, Any]:
    return {
        "id": page.id,
        "title": page.title,
        "source": page.source,
        "uses": list(page.uses),
        "verdict": page.verdict,
        "expected": page.expected,
        "claims": [
            {
                "statement": _whole(page, claim),
                "kind": claim.kind,
                "verdict": claim.verdict,
                "expected": claim.expected,
                "scope": claim.scope,
                "digest": claim.digest,
                "marks": [
                    {
                        "mark": m.mark,
                        "ok": m.ok,
                        "states": m.states,
                        "seconds": round(m.seconds, 4),
                        "detail": m.detail,
                    }
                    for m in claim.marks
                ],
            }
            for claim in page.claims
        ],
    }


def ending(pages: Sequence[TheoremPage], *, require_checked: bool = False) -> Ending:
    """0 all as declared; 1 a claim or a check failed; 3 something stayed open; and why.

    What the release's record of Rocq alone proves is as declared, unless that is not enough.
    """
    claims = [(page.id, c) for page in pages for c in page.claims]
    refusals = [(page.id, m) for page in pages for m in page.refusals]
    failed = [
        f"a claim of {of} {c.verdict}"
        for of, c in claims
        if not c.as_declared and c.verdict != "open"
    ]
    failed += [
        f"a claim of {of} whose mark {m.mark} failed"
        for of, c in claims
        for m in c.marks
        if m.ok is False
    ]
    failed += [f"the false variant of {of} accepted by {m.mark}" for of, m in refusals if m.ok]
    if failed:
        return Ending(1, DECLARED, first_of(failed))
    left = [f"a claim of {of} open" for of, c in claims if c.verdict == "open"]
    words = {None: "undecided", False: "failed"}
    left += [
        f"the false variant of {of} not rejected ({m.mark} {words[m.ok]})"
        for of, m in refusals
        if m.ok is not True and not m.rejects
    ]
    if left:
        return Ending(3, DECLARED, first_of(left))
    if not claims:
        return Ending(3, "a claim", "none")
    kept = [f"a claim of {of} {c.reads}" for of, c in claims if c.verdict != c.expected]
    if require_checked and kept:
        return Ending(3, "no claim by the record of Rocq alone", first_of(kept))
    return Ending()


def possible(folder: Path) -> Path:
    """A folder that can be written to or made, as far as can be seen without making it."""
    there = next(p for p in (folder, *folder.absolute().parents) if os.path.lexists(p))
    reason = "" if os.access(there, os.W_OK | os.X_OK) else os.strerror(errno.EACCES)
    if not there.is_dir():
        reason = os.strerror(errno.ENOTDIR)
    if reason:
        raise OutputError(f"output folder {folder}: {reason}; expected one to write to")
    return folder


def writable(folder: Path) -> Path:
    """The folder, made if need be and shown to take a file, before any work is done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            return folder
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(f"output folder {folder}: {reason}; expected one to write to") from error


def write(path: Path, text: str | bytes) -> Path:
    """A file, whole or not at all; text as UTF-8. One that holds the same already is left as it is,
    since replacing a file may wait for the disk."""
    data = text if isinstance(text, bytes) else text.encode()
    special = False
    with suppress(OSError):  # none is there, or it cannot be read: writing says why
        special = path.exists() and not (path.is_file() or path.is_dir())
    with suppress(ValueError):
        if input_file.read(path, len(data), "the same") == data:
            return path
    if special:  # a pipe or a device, which is never read, nor replaced
        raise OutputError(f"output file {path}: given no regular file, expected one to write")
    writable(path.parent)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            reason = error.strerror or type(error).__name__
            raise OutputError(f"output file {path}: {reason}; expected one to write") from error
        raise
    return path


def write_json(path: Path, data: Any) -> Path:
    """A JSON file, whole or not at all."""
    return write(path, json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def remove(path: Path) -> None:
    """Remove the file of an earlier run; nothing where there is none, or what is there is a link or
    no regular file, since no run writes these."""
    try:
        if path.is_file() and not path.is_symlink():
            path.unlink()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(f"output file {path}: {reason}; expected one to replace") from error
