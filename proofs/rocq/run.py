"""Runs coqc: one file under a time limit, or several in the order in which they need each other."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
import time
from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

LIMIT = 300.0  # seconds for one file: ten times what the slowest takes where nothing else runs
AT_ONCE = 2  # files: the development has two chains that do not need each other
QUIET = ("-q", "-w", "-notation-overridden,-ambiguous-paths,-deprecated")
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
    """What Rocq printed of a file that it accepts, and how long it took."""

    said: str
    seconds: float


@functools.cache
def _asked(flag: str) -> str:
    """What coqc says of itself; empty where it is not installed."""
    if not shutil.which("coqc"):
        return ""
    run = subprocess.run(["coqc", flag], capture_output=True, text=True, timeout=20, check=False)
    return run.stdout


def version() -> str:
    """The version of the coqc that is installed; empty where there is none."""
    found = re.search(r"version (\S+)", _asked("--version"))
    return found.group(1) if found else ""


def installed(package: str = "libcoq-mathcomp-algebra") -> bool:
    """Whether coqc is there, with a library of MathComp."""
    return bool(_asked("-where").strip()) and library_file(package).exists()


def library_file(package: str) -> Path:
    """Where the file of a library is, if it is installed."""
    return Path(_asked("-where").strip()) / "user-contrib" / PACKAGES[package]


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
        raise RocqError("coqc: not installed (Debian: coq, libcoq-mathcomp-algebra)") from None
    except subprocess.TimeoutExpired:
        raise RocqTimeout(f"{path.name}: not checked within {limit:g} s") from None
    if run.returncode:
        where, _, error = run.stderr.rpartition("Error:")
        line = re.findall(r"line (\d+)", where)
        place = f"{path.name}:{line[-1]}" if line else path.name
        raise RocqError(f"{place}: rejected by Rocq: {' '.join(error.split())[:400]}")
    return Ran(run.stdout, time.perf_counter() - start)


def needed(text: str) -> set[str]:
    """The files of the development that a file imports."""
    imports = re.findall(r"^From orderproof Require Import ([^.]*)\.", text, re.M)
    return {name for names in imports for name in names.split()}


def compile_texts(
    out: Path, texts: Mapping[str, str], limit: float = LIMIT, at_once: int = AT_ONCE
) -> dict[str, Ran]:
    """Write files into a folder and compile each after those that it imports, several at once;
    RocqError at the first that Rocq rejects."""
    out.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (out / f"{name}.v").write_text(text, encoding="utf-8")
    done: dict[str, Ran] = {}
    running: dict[Future[Ran], str] = {}
    waiting = dict(texts)
    with ThreadPoolExecutor(at_once) as pool:
        while waiting or running:
            for name in [n for n, t in waiting.items() if needed(t) & texts.keys() <= done.keys()]:
                running[pool.submit(coqc, out / f"{name}.v", out, limit)] = name
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
