"""The source tree that runs, by its Software Heritage identifier, swh:1:dir: and a hash.

The identifier of a directory is the hash that git gives its tree (SWHID specification, version 1.2:
identifiers of directories), so that it can be computed from the files alone, and looked up where
they are archived. In a checkout it is that of the commit, whose files are compared; a build
notes it in wheel and sdist, with a digest of the files that it packages (setup.py, which reads this
file by its path). Standard library alone.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import subprocess
import tomllib
from pathlib import Path

NOTE = Path("orderproof", "SOURCE_TREE")  # the file that a build writes, in its folder
PACKAGED = ("orderproof", "symbolic", "numeric", "proofs")
MODIFIED = "modified since "
LONGEST = 60  # seconds, which stop a git that hangs


def identifier() -> str | None:
    """The identifier of what runs, after `MODIFIED` where files are not those of the commit or of
    the build; None where it is not known."""
    return of_folder(Path(__file__).resolve().parents[1])


def of_folder(root: Path) -> str | None:
    """The same of the folder that holds the package: by git's commit, or by the note of a build."""
    told = _git(root, "rev-parse", "--show-toplevel", "HEAD^{tree}") or ""
    top, _, tree = told.rstrip("\n").rpartition("\n")
    if _is_checkout(root, top):
        return _of_checkout(root, tree)
    try:
        swhid, packaged = (root / NOTE).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return None
    if not re.fullmatch(rf"({MODIFIED})?swh:1:dir:[0-9a-f]{{40}}", swhid):
        return None
    return swhid if packaged == digest(root) else MODIFIED + swhid.removeprefix(MODIFIED)


def digest(root: Path) -> str:
    """The SHA-256 of the names and files of the built package in a folder, without the note and
    what Python compiles."""
    files = {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (root / NOTE.parent).rglob("*")
        if path.is_file() and path != root / NOTE and path.parent.name != "__pycache__"
    }
    return hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()


def _is_checkout(root: Path, top: str) -> bool:
    """Whether git, whose folder is `top`, keeps this project in this folder, and not one around it,
    or another in it."""
    own = ("pyproject.toml", f"orderproof/{Path(__file__).name}")
    if not top or _git(root, "ls-files", "--error-unmatch", *own) is None:
        return False
    try:
        project = tomllib.loads((root / own[0]).read_text(encoding="utf-8"))["project"]["name"]
        return bool(project == "orderproof" and os.path.samefile(top, root))
    except (OSError, ValueError, LookupError, TypeError):
        return False


def _of_checkout(root: Path, tree: str) -> str | None:
    """The tree of the commit, and whether the files are others: one of the commit, read as it is on
    disk, or in a folder that is packaged one that is not of it, nor what Python compiles."""
    listed = _git(root, "ls-tree", "-r", "-z", tree)
    if not re.fullmatch("[0-9a-f]{40}", tree) or listed is None:
        return None
    lines = (line.partition("\t") for line in listed.split("\0")[:-1])
    entries = {name: entry for entry, _, name in lines}
    # the index and git's settings have no say, as they can hide what is changed or new
    present = _git(
        root, "ls-files", "-z", "--cached", "--others", "--exclude=__pycache__", "--", *PACKAGED
    )
    same = present is not None and entries.keys() >= set(present.split("\0")[:-1])
    base = os.fspath(root)
    same = same and all(_entry(f"{base}/{name}") == entry for name, entry in entries.items())
    return ("" if same else MODIFIED) + f"swh:1:dir:{tree}"


def _entry(path: str) -> str | None:
    """A file or link as git's trees list it, by its bytes; None of anything else."""
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISLNK(mode):
            kind, data = "120000", os.fsencode(os.readlink(path))
        elif stat.S_ISREG(mode):
            kind = "100755" if mode & stat.S_IXUSR else "100644"
            with open(path, "rb", buffering=0) as file:
                data = file.read()
        else:
            return None
    except OSError:
        return None
    blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False)
    return f"{kind} blob {blob.hexdigest()}"


def _git(root: Path, *arguments: str) -> str | None:
    """What git prints about the repository of a folder; None where it fails, or there is no git."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ("git", "--no-optional-locks", "--no-replace-objects", *arguments), cwd=root, env=own,
            capture_output=True, encoding="utf-8", errors="surrogateescape", check=False,
            timeout=LONGEST,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
