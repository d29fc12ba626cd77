"""The source tree that runs, by its Software Heritage identifier, swh:1:dir: and a hash.

The identifier of a directory is the hash that git gives its tree (SWHID specification, version 1.2:
identifiers of directories), so that it can be computed from the files alone, and looked up where
they are archived. In a checkout git says it, without a network; a build notes it in wheel and sdist
(setup.py, which reads this file by its path). Standard library alone.
"""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path

NOTE = Path("orderproof", "SOURCE_TREE")  # the file that a build writes, in its folder
PACKAGED = ("orderproof", "symbolic", "numeric", "proofs")
MODIFIED = "modified since "
LONGEST = 60  # seconds, which stop a git that hangs


def identifier() -> str | None:
    """The identifier of what runs, after `MODIFIED` where files of the checkout are not those of
    its commit; None where it is not known."""
    return of_folder(Path(__file__).resolve().parents[1])


def of_folder(root: Path) -> str | None:
    """The same of the folder that holds the package: as git says, or else as a build noted it."""
    if _is_checkout(root):
        return _of_checkout(root)
    try:
        text = (root / NOTE).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return text if re.fullmatch(rf"({MODIFIED})?swh:1:dir:[0-9a-f]{{40}}", text) else None


def _is_checkout(root: Path) -> bool:
    """Whether git keeps this project in this folder, and not one around it, or another in it."""
    top = _git(root, "rev-parse", "--show-toplevel")
    own = ("pyproject.toml", f"orderproof/{Path(__file__).name}")
    if top is None or _git(root, "ls-files", "--error-unmatch", *own) is None:
        return False
    try:
        project = tomllib.loads((root / own[0]).read_text(encoding="utf-8"))["project"]["name"]
        return bool(project == "orderproof" and os.path.samefile(top.rstrip("\n"), root))
    except (OSError, ValueError, LookupError, TypeError):
        return False


def _of_checkout(root: Path) -> str | None:
    """The tree of the commit, and whether the files are others: one that git tracks, or one that it
    does not know in a folder that is packaged."""
    tree = (_git(root, "rev-parse", "HEAD^{tree}") or "").strip()
    changed = _git(root, "status", "--porcelain", "--untracked-files=no")
    unknown = _git(root, "ls-files", "--others", "--exclude-standard", "--", *PACKAGED)
    if not re.fullmatch("[0-9a-f]{40}", tree) or changed is None or unknown is None:
        return None
    return (MODIFIED if changed or unknown else "") + f"swh:1:dir:{tree}"


def _git(root: Path, *arguments: str) -> str | None:
    """What git prints about the repository of a folder; None where it fails, or there is no git."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ("git", "--no-optional-locks", *arguments), cwd=root, env=own, capture_output=True,
            text=True, check=False, timeout=LONGEST,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
