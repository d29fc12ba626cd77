"""Runs coqc: one file under a time limit, or several in the order in which they need each other.

A file of several is not compiled again in the same folder while it, what it imports and the
installed Rocq are the same.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orderproof import input_file

LARGEST = 2**28  # bytes of what it said
LIMIT = 1200.0  # seconds for one file, to stop what hangs: forty times what the slowest takes
APART = re.compile(r'"[^"]*"|\(\*.*?\*\)', re.S)  # strings and comments
REQUIRE = r"^From ([\w.]+) Require (?:(?:Import|Export)\s)?([^.]*)\.(?=\s)"  # how files name others
AT_ONCE = 2  # files: the development has two chains that do not need each other
QUIET = ("-q", "-w", "-notation-overridden,-ambiguous-paths,-deprecated")
PATHS = ("COQPATH", "ROCQPATH", "COQLIB", "ROCQLIB")  # variables that coqc reads
PACKAGED = "coq libcoq-mathcomp-algebra"  # in Debian: what is needed of it
PACKAGES = {  # the Debian package of a library, and a file of it below `coqc -where`
    "libcoq-mathcomp-algebra": "mathcomp/algebra/matrix.vo",
    "libcoq-mathcomp-analysis": "mathcomp/analysis/exp.vo",
}


class RocqError(RuntimeError):
    """A file that Rocq does not accept, or an answer that is not understood: one line."""


class RocqTimeout(RocqError):
    """A file that Rocq did not come to an end with: neither accepted nor rejected."""


@dataclass(frozen=True)
class Ran:
    """What Rocq printed of a file that it accepts, and how long it took: 0 if it was kept."""

    said: str
    seconds: float


@functools.cache
def _asked(program: str | None, flag: str) -> str:
    """What the coqc at this path says of itself; empty where there is none."""
    if program is None:
        return ""
    run = subprocess.run([program, flag], capture_output=True, text=True, timeout=200, check=False)
    return run.stdout


def version() -> str:
    """The version of the coqc that is installed; empty where there is none."""
    found = re.search(r"version (\S+)", _asked(shutil.which("coqc"), "--version"))
    return found.group(1) if found else ""


def installed(package: str = "libcoq-mathcomp-algebra") -> bool:
    """Whether coqc is there, with a library of MathComp."""
    return bool(_where()) and library_file(package).exists()


def library_file(package: str) -> Path:
    """Where the file of a library is, if it is installed."""
    return Path(_where()) / "user-contrib" / PACKAGES[package]


def _where() -> str:
    return _asked(shutil.which("coqc"), "-where").strip()


def installation() -> dict[str, str]:
    """The version of the coqc that is installed, the digests of its libraries, and the folders
    that it looks for others in."""
    files = {package: library_file(package) for package in PACKAGES}
    digests = {package: _digest(file) for package, file in files.items() if file.is_file()}
    return {"coqc": version()} | digests | {x: os.environ[x] for x in PATHS if x in os.environ}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def coqc(path: Path, library: Path, limit: float = LIMIT, *flags: str) -> Ran:
    """Compile one file against the files compiled in a folder; RocqError, in one line, if Rocq
    rejects it or takes longer than `limit` seconds."""
    start = time.perf_counter()
    try:
        run = subprocess.run(
            ["coqc", *QUIET, *flags, "-Q", str(library.resolve()), "orderproof", path.name],
            cwd=path.parent, capture_output=True, text=True, timeout=limit, check=False,
        )  # fmt: skip
    except FileNotFoundError:
        raise RocqError(f"coqc: not installed (Debian: {PACKAGED})") from None
    except subprocess.TimeoutExpired:
        raise RocqTimeout(f"{path.name}: not checked within {limit:g} s") from None
    if run.returncode:
        where, _, error = run.stderr.rpartition("Error:")
        line = re.findall(r"line (\d+)", where)
        place = f"{path.name}:{line[-1]}" if line else path.name
        raise RocqError(f"{place}: rejected by Rocq: {' '.join(error.split())[:400]}")
    return Ran(run.stdout, time.perf_counter() - start)


def without_comments(text: str) -> str:
    """A text of Rocq without its comments."""
    return re.sub(r"\(\*.*?\*\)", " ", text, flags=re.S)


@functools.cache
def needed(text: str) -> frozenset[str]:
    """The files of the development that a file imports; RocqError where that is not known, of
    another form than From FOLDER Require FILES, or where a comment begins or ends in a string, or a
    string in a comment, so that it is not known what is one."""
    for part in re.findall(APART, text):
        if part.count('"') % 2 or (part[0] == '"' and re.search(r"\(\*|\*\)", part)):
            raise RocqError(f"given {part[:40]!r}, expected strings and comments apart")
    bare = re.sub(APART, " ", text)
    found = re.findall(REQUIRE, bare, re.M)
    odd = any(folder.startswith("orderproof.") for folder, _ in found)
    if odd or len(found) != len(re.findall(r"\b(?:Require|Load)\b", bare)):
        raise RocqError("given Load or another form, expected From FOLDER Require FILES")
    files = (names.split() for folder, names in found if folder == "orderproof")
    return frozenset().union(*files)


def compile_texts(
    out: Path, texts: Mapping[str, str], limit: float = LIMIT, at_once: int = AT_ONCE
) -> dict[str, Ran]:
    """Write files into a folder and compile each after those that it imports, several at once;
    RocqError at the first that Rocq rejects. What is compiled there already is kept."""
    out.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (out / f"{name}.v").write_text(text, encoding="utf-8")
    done: dict[str, Ran] = {}
    running: dict[Future[Ran], str] = {}
    waiting = dict(texts)
    rests = {"flags": QUIET, "rocq": installation()}
    with ThreadPoolExecutor(at_once) as pool:
        while waiting or running:
            for name in [n for n, t in waiting.items() if needed(t) & texts.keys() <= done.keys()]:
                running[pool.submit(_compiled, out, name, rests, limit)] = name
                del waiting[name]
            if not running:
                raise RocqError(f"{', '.join(waiting)}: these need each other")
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                try:
                    done[running.pop(future)] = future.result()
                except RocqError:
                    pool.shutdown(cancel_futures=True)
                    raise
    return {name: done[name] for name in texts}


def _compiled(out: Path, name: str, rests: Mapping[str, Any], limit: float) -> Ran:
    """What Rocq prints of a file in a folder: of a run that is kept beside it, if that was of this
    file, with these libraries, and made what is there."""
    source, made, kept = (out / f"{name}.{end}" for end in ("v", "vo", "ran.json"))
    text = source.read_text(encoding="utf-8")
    imports = [out / f"{n}.vo" for n in sorted(needed(text))]
    of = {**rests, "text": text, "imports": [_digest(x) for x in imports if x.is_file()]}
    key = hashlib.sha256(json.dumps(of, sort_keys=True).encode()).hexdigest()
    with suppress(OSError, ValueError, KeyError, TypeError):  # of another version, or damaged
        found = json.loads(input_file.read(kept, LARGEST, "what Rocq said"))
        if (found["of"], found["made"]) == (key, _digest(made)):
            return Ran(found["said"], 0.0)
    kept.unlink(missing_ok=True)
    ran = coqc(source, out, limit)
    partly = kept.with_suffix(".part")  # whoever is ended here leaves nothing that looks whole
    found = {"of": key, "made": _digest(made), "said": ran.said}
    partly.write_text(json.dumps(found), encoding="utf-8")
    partly.replace(kept)
    return ran
