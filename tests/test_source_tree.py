"""Which source tree runs: git's hash, the note of a build, or nothing."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from orderproof import source_tree
from orderproof.source_tree import NOTE, digest, of_folder

from .packaging.environment import commit, git

OTHER = "swh:1:dir:" + "0" * 40


def project(root: Path, name: str = "orderproof") -> Path:
    """A small project with a script, a link and folders whose order is not that of their names."""
    for path in ("orderproof/source_tree.py", "proofs/a/b.py", "proofs/a.py", "proofs/a-b"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"{path}: é\n", encoding="utf-8")
    (root / "proofs/a-b").chmod(0o755)
    (root / "orderproof/proofs").symlink_to("../proofs")
    (root / "pyproject.toml").write_text(f'[project]\nname = "{name}"\n', encoding="utf-8")
    (root / ".gitignore").write_text("/build/\n*.py[cod]\n", encoding="utf-8")
    return root


def hashed(kind: str, data: bytes) -> bytes:
    """The SHA-1 of an object."""
    return hashlib.sha1(f"{kind} {len(data)}\0".encode() + data, usedforsecurity=False).digest()


def by_specification(folder: Path) -> bytes:
    """The hash of a directory from its files alone: its entries, each with its mode and the hash of
    what it is, sorted as if names of folders ended in a slash (SWHID specification 1.2)."""
    entries = []
    for path in folder.iterdir():
        name, mode, key = path.name.encode(), b"100644", path.name.encode()
        if path.is_symlink():
            mode, found = b"120000", hashed("blob", os.readlink(path).encode())
        elif path.is_dir():
            mode, key, found = b"40000", name + b"/", by_specification(path)
        else:
            mode = b"100755" if os.access(path, os.X_OK) and path.stat().st_mode & 0o100 else mode
            found = hashed("blob", path.read_bytes())
        if path.name != ".git":
            entries.append((key, mode + b" " + name + b"\0" + found))
    return hashed("tree", b"".join(entry for _, entry in sorted(entries)))


def test_it_is_the_hash_of_the_files(tmp_path: Path) -> None:
    """The identifier would be git's own affair, and locate nothing in an archive of files."""
    root = project(tmp_path)
    commit(root)
    assert of_folder(root) == f"swh:1:dir:{by_specification(root).hex()}"
    (root / "proofs/a.py").write_text("planted\n", encoding="utf-8")
    assert of_folder(root) != f"swh:1:dir:{by_specification(root).hex()}"


@pytest.mark.parametrize(
    ("path", "modified"),
    [("proofs/a.py", True), ("pyproject.toml", True), ("proofs/new.py", True), ("notes.txt", False),
     ("build/a.py", False)],
)  # fmt: skip
def test_other_files_than_those_of_the_commit_are_said(
    tmp_path: Path, path: str, modified: bool
) -> None:
    """The tree of the commit would be cited for files that are not in it."""
    root = project(tmp_path)
    swhid = f"swh:1:dir:{commit(root)}"
    assert of_folder(root) == swhid
    (root / path).parent.mkdir(exist_ok=True)
    with (root / path).open("a", encoding="utf-8") as file:
        file.write("# more\n")
    assert of_folder(root) == ("modified since " if modified else "") + swhid
    (root / NOTE).write_text(OTHER, encoding="utf-8")  # git says it of a checkout, and no note
    assert OTHER not in str(of_folder(root))


def edit(root: Path) -> None:
    """Change a file of the commit."""
    (root / "proofs/a.py").write_text("planted\n", encoding="utf-8")


def add(root: Path) -> None:
    """Put a file into the package that is not of the commit."""
    (root / "orderproof/zz.py").write_text("planted\n", encoding="utf-8")


def hidden(root: Path, *command: str) -> None:
    """Change a file that the index does not compare."""
    git(root, *command, "proofs/a.py")
    edit(root)


def deleted(root: Path) -> None:
    """Delete a file that the index does not compare."""
    hidden(root, "update-index", "--skip-worktree")
    (root / "proofs/a.py").unlink()


def excluded(root: Path) -> None:
    """Add a file that one clone's settings ignore."""
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/exclude").write_text("zz.py\n", encoding="utf-8")
    add(root)


def ignored(root: Path) -> None:
    """Add a file with a list of its own that ignores it, and itself."""
    (root / "orderproof/.gitignore").write_text("*\n", encoding="utf-8")
    add(root)


def staged(root: Path) -> None:
    """Add a file that the index has."""
    add(root)
    git(root, "add", "orderproof/zz.py")


def mode(root: Path) -> None:
    """Make a file a program where git does not look at modes."""
    git(root, "config", "core.fileMode", "false")
    (root / "proofs/a.py").chmod(0o755)


def line_ends(root: Path) -> None:
    """End lines as git does when it checks files out to end them otherwise."""
    git(root, "config", "core.autocrlf", "true")
    (root / "proofs/a.py").unlink()
    git(root, "checkout", "--", "proofs/a.py")


def replaced(root: Path) -> None:
    """Let git read the changed file where the commit has another."""
    before = git(root, "rev-parse", "HEAD")
    edit(root)
    git(root, "commit", "--quiet", "--all", "--message=b")
    git(root, "replace", before, "HEAD")
    git(root, "reset", "--quiet", "--soft", before)


def piped(root: Path) -> None:
    """Put a pipe where a file was."""
    (root / "proofs/a.py").unlink()
    os.mkfifo(root / "proofs/a.py")


def linked(root: Path) -> None:
    """Put a folder where a link was."""
    (root / "orderproof/proofs").unlink()
    shutil.copytree(root / "proofs", root / "orderproof/proofs")


@pytest.mark.parametrize(
    "change",
    [
        lambda root: hidden(root, "update-index", "--assume-unchanged"),
        lambda root: hidden(root, "update-index", "--skip-worktree"),
        deleted, excluded, ignored, staged, mode, line_ends, replaced, piped, linked,
        lambda root: (root / "orderproof/zz.pyd").write_text("", encoding="utf-8"),
    ],
)  # fmt: skip
def test_git_cannot_be_made_to_overlook_a_change(
    tmp_path: Path, change: Callable[[Path], object]
) -> None:
    """A setting of a clone, or a bit of its index, would have a tree cited that does not run."""
    root = project(tmp_path)
    swhid = f"swh:1:dir:{commit(root)}"
    change(root)
    assert of_folder(root) == f"modified since {swhid}"


def test_a_repository_of_something_else_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an installation in somebody's repository the hash of that repository would be cited."""
    site = tmp_path / "lib"
    around = commit(project(site).parent)
    assert of_folder(site) is None  # a folder in a repository
    assert of_folder(project(tmp_path / "b", "other")) is None
    commit(tmp_path / "b")
    assert of_folder(tmp_path / "b") is None  # another project with a folder of this name
    own = commit(project(tmp_path / "c"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / ".git"))  # as in a hook of the other repository
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    assert of_folder(tmp_path / "c") == f"swh:1:dir:{own}" != f"swh:1:dir:{around}"
    assert of_folder(site) is None


def test_what_cannot_be_named_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hash of another kind, or none, would be printed as an identifier."""
    root = project(tmp_path / "a")
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    assert of_folder(root) is None  # no commit
    long = project(tmp_path / "b")
    git(long, "init", "--quiet", "--object-format=sha256")
    commit(long)
    assert of_folder(long) is None
    commit(root)
    assert of_folder(root) is not None
    monkeypatch.setenv("PATH", "")
    assert of_folder(root) is None  # no git


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{OTHER}\n", OTHER),
        (f"modified since {OTHER}\n", f"modified since {OTHER}"),
        (f"{OTHER[:-1]}\n", None),
        (f"{OTHER}0\n", None),
        (f"swh:1:rev:{'0' * 40}\n", None),
        (f"{OTHER}\n{OTHER}\n", None),
        ("", None),
    ],
)
def test_the_note_of_a_build(tmp_path: Path, text: str, said: str | None) -> None:
    """An installed package would not know its source, or would print what is no identifier."""
    root = project(tmp_path)
    (root / NOTE).write_text(f"{text}{digest(root)}\n", encoding="utf-8")
    assert of_folder(root) == said


@pytest.mark.parametrize("path", ["source_tree.py", "new.py", "proofs/new.py"])
def test_a_note_of_other_files(tmp_path: Path, path: str) -> None:
    """Who edits an installed package, or an sdist, would cite the tree as it was."""
    root = tmp_path
    (root / "orderproof/proofs/__pycache__").mkdir(parents=True)
    (root / "orderproof/source_tree.py").write_text("", encoding="utf-8")
    (root / NOTE).write_text(f"{OTHER}\n{digest(root)}\n", encoding="utf-8")
    (root / "orderproof/proofs/__pycache__/a.pyc").write_bytes(b"compiled since")
    assert of_folder(root) == OTHER
    (root / "orderproof" / path).write_text("planted\n", encoding="utf-8")
    assert of_folder(root) == f"modified since {OTHER}"
    (root / "orderproof" / path).unlink()
    assert of_folder(root) == (f"modified since {OTHER}" if path == "source_tree.py" else OTHER)


def test_the_package_asks_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder that is asked about would not be the one that holds the package."""
    monkeypatch.setattr(source_tree, "of_folder", str)
    assert (Path(str(source_tree.identifier())) / "orderproof/source_tree.py").is_file()
