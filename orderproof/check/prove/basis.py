"""What evidence rests on besides its statement: every file of this package, Python, the packages
that compute, and Rocq where it was asked. Work is done again when any of it is another."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, version
from importlib.util import find_spec
from pathlib import Path

from orderproof._paths import PACKAGE

COMPILED = "__pycache__"
PACKAGES = (  # what a mark, a certificate or a printed page may depend on
    "cvc5", "gmpy2", "markdown-it-py", "markupsafe", "mpmath", "numpy", "orderproof",
    "python-flint", "sympy", "z3-solver",
)  # fmt: skip
MODULES = {
    "markdown-it-py": "markdown_it",
    "python-flint": "flint",
    "z3-solver": "z3",
}  # by package, where the names differ
INTEGERS = "SYMPY_GROUND_TYPES"  # names what sympy computes with
PROGRAMS = {"cvc5": "cvc5", "z3-solver": "z3"}  # asked where the package is missing
Stamp = tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True)
class Basis:
    """The digest of what evidence rests on, and the state of the files when it was taken."""

    digest: str
    stamp: Stamp

    @property
    def holds(self) -> bool:
        """Whether no file was written since: evidence made in between rests on these files."""
        return stamp() == self.stamp


def basis(rocq: bool = False) -> Basis:
    """What evidence rests on in this process; with Rocq, where it is asked."""
    kept = _here()
    if not rocq:
        return kept
    from orderproof.check.rocq.run import installation

    return Basis(_digest([kept.digest, installation()]), kept.stamp)


def files(folder: Path | None = None) -> Iterator[Path]:
    """Every file of the package but what Python compiled, in order; links are followed."""
    for root, folders, names in os.walk(folder or PACKAGE, followlinks=True):
        folders[:] = sorted(name for name in folders if name != COMPILED)
        yield from (Path(root, name) for name in sorted(names))


def sources(folder: Path | None = None) -> str:
    """The digest of these files, their names and bytes."""
    found = hashlib.sha256()
    for path in files(folder):
        data = path.read_bytes()
        name = path.relative_to(folder or PACKAGE).as_posix()
        found.update(f"{name}\0{len(data)}\0".encode())
        found.update(data)
    return found.hexdigest()


def stamp(folder: Path | None = None) -> Stamp:
    """The state of these files: name, size, time of writing, and number on the disk."""
    return tuple(
        (str(path), at.st_size, at.st_mtime_ns, at.st_ino)
        for path, at in ((path, path.stat()) for path in files(folder))
    )


def python_integers() -> None:
    """Have sympy, which is not loaded yet, compute with Python's integers. Else it would take
    python-flint where [onnx] is installed: the same theorem would rest on another package, and be
    checked again, for what it does not need."""
    os.environ.setdefault(INTEGERS, "python")


def versions() -> dict[str, str | None]:
    """The versions of the packages that compute; None for one that is not installed, and for
    python-flint where sympy computes with Python's integers: only sympy uses it here."""
    found = {name: _version(name) for name in PACKAGES}
    return found | {"python-flint": None} if _integers() == "python" else found


def _integers() -> str:
    """What sympy computes with, as it says where it is loaded; "auto" takes what is installed."""
    loaded = sys.modules.get("sympy.external.gmpy")
    return str(loaded.GROUND_TYPES if loaded else os.environ.get(INTEGERS, "auto").lower())


@functools.cache  # of the files that this process has loaded, or will: `holds` says if they changed
def _here() -> Basis:
    before = stamp()
    python = [sys.version, sys.platform, os.uname().machine, sys.flags.optimize]
    numbers = versions()
    found = {name: _found(name, numbers[name]) for name in PACKAGES if name != "orderproof"}
    return Basis(_digest([sources(), python, numbers, found]), before)


def _found(package: str, number: str | None) -> str | None:
    """What is imported under the name of a package where that is not what is installed, as from a
    folder on PYTHONPATH; of a solver without its package, the digest of its program. None for a
    package that is imported from where it is installed: its version says the rest."""
    if number is None:
        program = shutil.which(PROGRAMS[package]) if package in PROGRAMS else None
        return hashlib.sha256(Path(program).read_bytes()).hexdigest() if program else None
    spec = find_spec(MODULES.get(package, package))
    there = Path(spec.origin).resolve() if spec and spec.origin else None
    installed = Path(str(distribution(package).locate_file(""))).resolve()
    return None if there and installed in there.parents else f"given {there}"


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _digest(data: object) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
