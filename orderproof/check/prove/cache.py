"""Finished work kept in files, one entry each, with a SHA-256 of its bytes that is checked on
reading: an entry is what was written, or it is not taken.

A folder holds the entries that rest on the same files and versions (basis.py); a work of a name
has one entry in it. An entry says its kind, its name, what it rests on and when it was made. This
guards against accident, not attack: whoever writes to the folder can write what a check would.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from orderproof import input_file
from orderproof.sealed import opened, sealed

from .basis import Basis
from .results import OutputError, write

FORMAT = "orderproof-cache 1"
LARGEST = 2**30  # bytes of an entry
KEPT = 8  # folders: of as many states of the files, and with Rocq or without


class BadEntry(ValueError):
    """A file of the cache that is not the entry that is looked for: says why."""


class Cache:
    """The entries that rest on what evidence rests on now."""

    def __init__(self, folder: Path, basis: Basis) -> None:
        self.folder = folder / f"entries-{basis.digest[:32]}"
        self.basis = basis
        self.made: dict[str, str] = {}  # of the entries that were taken, when each was made
        self.digests: dict[str, str] = {}  # of the entries that were taken or stored
        self.trouble: list[str] = []  # what could not be taken, or kept, and why
        self._fresh = not self.folder.exists()

    def path(self, kind: str, name: str) -> Path:
        """Where the entry of a work stands."""
        return self.folder / f"{kind}-{name}.json"

    def load(self, kind: str, name: str) -> Any:
        """What was stored, or None; where a file is there that is not the entry, `trouble` says
        why, and the work is to be done again."""
        try:
            path = self.path(kind, name)
            if not os.path.lexists(path):
                return None
            body = opened(input_file.read(path, LARGEST, "an entry", BadEntry, "its file"))
            entry = self._entry(kind, name, json.loads(body))
        except (ValueError, RecursionError) as error:  # not sealed, a BadEntry, or no JSON
            self.refuse(kind, name, str(error))
            return None
        self.made[f"{kind} {name}"] = str(entry["made"])
        self.digests[f"{kind} {name}"] = hashlib.sha256(body).hexdigest()
        return entry["data"]

    def refuse(self, kind: str, name: str, why: str) -> None:
        """An entry is not taken."""
        self.made.pop(f"{kind} {name}", None)
        self.digests.pop(f"{kind} {name}", None)
        self.trouble.append(f"entry of {kind} {name}: {why}; done again")

    def store(self, kind: str, name: str, data: Any) -> None:
        """Keep the result of a work, if no file that it rests on was written meanwhile. A folder
        that cannot be written is a trouble, and no error: the work is done."""
        if not self.basis.holds:
            self._say("files of the package were written meanwhile; nothing more is kept")
            return
        entry = {
            "format": FORMAT, "kind": kind, "name": name, "rests on": self.basis.digest,
            "made": datetime.now(UTC).isoformat(timespec="seconds"), "data": data,
        }  # fmt: skip
        text = json.dumps(entry, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        body = text.encode()
        try:
            write(self.path(kind, name), sealed(body))
        except OutputError as error:
            self._say(str(error))
            return
        self.digests[f"{kind} {name}"] = hashlib.sha256(body).hexdigest()
        if self._fresh:
            self._fresh = False
            prune(self.folder.parent)

    def _entry(self, kind: str, name: str, entry: Any) -> dict[str, Any]:
        want = {"format": FORMAT, "kind": kind, "name": name, "rests on": self.basis.digest}
        for key, value in want.items():
            given = entry.get(key) if isinstance(entry, dict) else None
            if given != value:
                raise BadEntry(f"{key}: given {given!r}, expected {value!r}")
        if not {"made", "data"} <= entry.keys():
            raise BadEntry("given an entry without data, expected some")
        return dict(entry)

    def _say(self, what: str) -> None:
        if what not in self.trouble:
            self.trouble.append(what)


def prune(folder: Path) -> None:
    """Remove the folders of entries that were written first, until KEPT are left. No other file is
    touched."""
    with suppress(OSError):  # another process may remove the same
        found = [p for p in folder.glob("entries-*") if len(p.name) == 40 and p.is_dir()]
        for old in sorted(found, key=lambda p: p.stat().st_mtime)[:-KEPT]:
            for entry in (*old.glob("*.json"), *old.glob(".*.json.*")):  # whole, and half written
                entry.unlink(missing_ok=True)
            old.rmdir()
