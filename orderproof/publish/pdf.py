"""The PDF: latexmk, with BibTeX and makeindex, where they are installed, and a log that is read."""

from __future__ import annotations

import datetime
import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

SLACK = 10.0  # points by which a line may be too long
# Neither the shell, nor a file outside the working folder, nor the reader's settings.
LATEXMK = ("latexmk", "-norc", "-pdf", "-bibtex", "-interaction=nonstopmode", "-halt-on-error",
           "-file-line-error", "-latexoption=-no-shell-escape", "book.tex")  # fmt: skip
TOOLS = ("pdflatex", "bibtex", "makeindex", "latexmk")


class TypesettingFailed(RuntimeError):
    """TeX failed, took too long, or said in its log that the book is not in order."""


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


def untypeset() -> str:
    """Why there will be no PDF, or nothing."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    return f"{' and '.join(missing)} not installed" if missing else ""


def build_pdf(folder: Path, *, date: str, limit: float = 120.0) -> Path | None:
    """Make folder/book.pdf from folder/book.tex; equal sources and date give equal bytes.

    Without TeX nothing is made. Raises TypesettingFailed with the lines of
    the log that say why; a book.pdf that is there stays as it was.
    """
    if untypeset():
        return None
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
        _run(LATEXMK, work, env, limit)
        if found := faults(_log(work)):
            raise TypesettingFailed("the book is not in order:\n" + "\n".join(found))
        return (work / "book.pdf").replace(folder / "book.pdf")


def _log(work: Path) -> str:
    path = work / "book.log"
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def _run(command: tuple[str, ...], work: Path, env: dict[str, str], limit: float) -> None:
    """Run a command in a process group of its own: what it has started ends with it."""
    with subprocess.Popen(
        command, cwd=work, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as ran:  # fmt: skip
        try:
            said, _ = ran.communicate(timeout=limit)
        except BaseException as error:  # an interrupt too
            os.killpg(ran.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise TypesettingFailed(f"{command[0]} took longer than {limit:g} s") from None
            raise
    if ran.returncode != 0:
        why = faults(_log(work)) or said.decode(errors="replace").splitlines()[-12:]
        raise TypesettingFailed(f"{command[0]} failed:\n" + "\n".join(why))
