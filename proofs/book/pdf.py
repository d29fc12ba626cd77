"""The PDF: pdfLaTeX and BibTeX where they are installed, and a log that is read."""

from __future__ import annotations

import datetime
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

SLACK = 10.0  # points by which a line may be too long
PASSES = 6
# Neither the shell nor any file outside the working folder.
PDFLATEX = ("pdflatex", "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error",
            "-file-line-error", "book.tex")  # fmt: skip


class TypesettingFailed(RuntimeError):
    """TeX failed, took too long, or said in its log that the book is not in order."""


@dataclass(frozen=True)
class PdfResult:
    """The PDF, or why there is none."""

    path: Path | None
    skipped: str = ""


def faults(log: str) -> list[str]:
    """The lines of a TeX log that tell of something the reader would see."""
    found = []
    for line in log.splitlines():
        over = re.match(r"Overfull \\[hv]box \(([\d.]+)pt too", line)
        if (over and not float(over[1]) <= SLACK) or re.search(
            r"^!|^\S+:\d+: |Reference `.*undefined|Citation `.*undefined|undefined references"
            r"|undefined citations|multiply defined|multiply-defined|Missing character"
            r"|Label\(s\) may have changed|No file .*\.bbl",
            line,
        ):
            found.append(line.strip())
    return found


def build_pdf(folder: Path, *, date: str, limit: float = 120.0) -> PdfResult:
    """Make folder/book.pdf from folder/book.tex; equal sources and date give equal bytes.

    Without pdflatex or bibtex nothing is made, and the result says so. Raises TypesettingFailed
    with the lines of the log that say why; a book.pdf that is there stays as it was.
    """
    missing = [tool for tool in ("pdflatex", "bibtex") if shutil.which(tool) is None]
    if missing:
        return PdfResult(None, f"{' and '.join(missing)} not installed")
    midnight = datetime.datetime.fromisoformat(date).replace(tzinfo=datetime.UTC)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".book.") as name:
        work = Path(name)
        for source in ("book.tex", "references.bib"):
            shutil.copyfile(folder / source, work / source)
        if (folder / "figures").is_dir():
            shutil.copytree(folder / "figures", work / "figures")
        env = os.environ | {
            "SOURCE_DATE_EPOCH": str(int(midnight.timestamp())),
            "FORCE_SOURCE_DATE": "1",
            "max_print_line": "1000",
            "openout_any": "p",
        }
        _run(PDFLATEX, work, env, limit)
        if r"\bibdata" in (work / "book.aux").read_text(encoding="utf-8"):
            _run(("bibtex", "-terse", "book"), work, env, limit)
        before = ""
        for _ in range(PASSES):
            _run(PDFLATEX, work, env, limit)
            after = "".join(
                (work / f"book{s}").read_text(encoding="utf-8") for s in (".aux", ".toc", ".out")
            )
            if after == before:
                break
            before = after
        if found := faults(_log(work)):
            raise TypesettingFailed("the book is not in order:\n" + "\n".join(found))
        (work / "book.pdf").replace(folder / "book.pdf")
    return PdfResult(folder / "book.pdf")


def _log(work: Path) -> str:
    path = work / "book.log"
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def _run(command: tuple[str, ...], work: Path, env: dict[str, str], limit: float) -> None:
    try:
        done = subprocess.run(
            command, cwd=work, env=env, timeout=limit, capture_output=True, check=False
        )
    except subprocess.TimeoutExpired:
        raise TypesettingFailed(f"{command[0]} took longer than {limit:g} s") from None
    if done.returncode != 0:
        said = faults(_log(work)) or done.stdout.decode(errors="replace").splitlines()[-12:]
        raise TypesettingFailed(f"{command[0]} failed:\n" + "\n".join(said))
