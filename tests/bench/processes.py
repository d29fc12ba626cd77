"""Whole commands, each in a process of its own; and the recheck of certificates."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from orderproof.proofs.catalogue import IDS, load
from orderproof.proofs.prove.certificates import certificates, questions
from orderproof.symbolic.smt.recheck import Report, recheck

from .measure import Row, seconds

IMPORTS = "import numpy, sympy, z3, mpmath, click, rich, jinja2"


def whole(ids: list[str], runs: int) -> Iterator[Row]:
    """`orderproof prove` and `audit` against the import of their dependencies, each in a process of
    its own; `prove` from nothing, and with all that it needs in the cache."""
    python = [sys.executable, "-c"]

    def command(name: str, *options: str) -> None:
        program = "from orderproof.cli import main; main()"
        arguments = [name, *ids, "--jobs", "2", *options]
        subprocess.run([*python, program, *arguments], check=True, capture_output=True)

    with tempfile.TemporaryDirectory() as folder:
        out, cache = ("--out", f"{folder}/out"), ("--cache", f"{folder}/cache")
        other = seconds(lambda: subprocess.run([*python, IMPORTS], check=True), max(runs, 5))
        cold = seconds(lambda: command("prove", *out, "--no-cache"), runs)
        command("prove", *out, *cache)
        warm = seconds(lambda: command("prove", *out, *cache), max(runs, 5))
        audit = seconds(lambda: command("audit"), runs)
    what = " ".join(ids) or "all theorems"
    imports = "against importing its dependencies"
    two, kept = "2 processes", "from the cache"
    yield Row(f"prove {what}, {imports}", cold, other, other / cold, two)
    yield Row(f"prove {what} again, {imports}", warm, other, other / warm, kept)
    yield Row(f"prove {what} again, against the first time", warm, cold, cold / warm, kept, two)
    yield Row(f"audit {what}, {imports}", audit, other, other / audit, two)


def rechecks(ids: list[str]) -> Iterator[Row]:
    """Rechecking every certificate of these theorems (all, if none) by all solvers found, against
    starting the same solvers on one of them."""
    texts = {k: t for name in ids or IDS for k, t in certificates(load(name)).items()}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            Path(folder, name).write_text(text, "utf-8")
        everything = _rechecked(Path(folder), len(texts))
        for name in list(texts)[1:]:
            Path(folder, name).unlink()
        one = _rechecked(Path(folder), 1)
    solvers = ", ".join(s.name for s in everything.solvers)
    yield Row(
        f"recheck of {len(texts)} certificates by {solvers}, against one of them",
        everything.seconds, one.seconds, one.seconds / everything.seconds,
    )  # fmt: skip


def _known(theorem: str) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """What the certificates of a theorem are about."""
    return {name: about for name, (_, about) in questions(load(theorem)).items()}


def _rechecked(folder: Path, count: int) -> Report:
    report = recheck(folder, 10, _known)
    there = [row.verdict for row in report.rows if (folder / row.file).exists()]
    if there != ["checked"] * count:
        raise RuntimeError("a certificate is not checked: the comparison means nothing")
    return report
