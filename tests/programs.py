"""The programs that a bare machine may lack, hidden from each test that does not say it needs one.

A test that looks for such a program on PATH without the mark `needs` fails everywhere, not only
where the program is not installed. `needs("a|b")` is content with either. What is hidden is listed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

OPTIONAL = (
    "coq*", "rocq*", "chrom*", "google-chrome*", "firefox*", "*tex", "*latex*", "bibtex*", "biber",
    "makeindex", "pdfto*", "pdfinfo", "pdffonts", "dvi*", "kpse*", "dot", "z3", "cvc5",
)  # fmt: skip
VARIABLE = "ORDERPROOF_TESTS_PATH"  # the PATH of who started the tests; processes inherit it
PROGRAMS = "needs"  # the key of a report's property: the programs that its test needs
Counts = dict[str, Counter[str]]


def is_optional(program: str) -> bool:
    """Whether a bare machine may lack this program."""
    return any(fnmatchcase(program, pattern) for pattern in OPTIONAL)


def bare(path: str, folder: Path) -> str:
    """A PATH of one folder, with links to all programs of another PATH but the optional ones."""
    for place in filter(os.path.isdir, path.split(os.pathsep)):
        for name in os.listdir(place):
            link = folder / name
            if not is_optional(name) and not link.is_symlink():
                link.symlink_to(Path(place, name).absolute())
    return str(folder)


def is_installed(program: str) -> bool:
    """Whether one of the alternatives is on the PATH of who started the tests."""
    return any(shutil.which(p, path=os.environ[VARIABLE]) for p in program.split("|"))


def needed(item: pytest.Item) -> list[str]:
    """The programs of a test's marks, sorted."""
    return sorted({program for mark in item.iter_markers("needs") for program in mark.args})


class Hidden:
    """The plugin: hides the programs, and counts the tests that had or lacked theirs."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._path = os.environ["PATH"]
        self._counts: Counts = {}

    def pytest_configure(self, config: pytest.Config) -> None:
        """Make the PATH, a thousand links, once: workers have it from who started them."""
        os.environ.setdefault(VARIABLE, os.environ["PATH"])
        if not hasattr(config, "workerinput"):
            self._folder = tempfile.TemporaryDirectory(prefix="bare-path-")
            self._path = os.environ["PATH"] = bare(os.environ[VARIABLE], Path(self._folder.name))

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Refuse a mark that hides nothing: without it the test would pass too."""
        for item in items:
            for program in needed(item):
                if not all(map(is_optional, program.split("|"))):
                    raise pytest.UsageError(
                        f"{item.nodeid}: needs({program!r}), expected one of {' '.join(OPTIONAL)}"
                    )

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Give its programs to a test that needs some, and skip it where they are missing."""
        programs = needed(item)
        os.environ["PATH"] = os.environ[VARIABLE] if programs else self._path
        missing = [program for program in programs if not is_installed(program)]
        item.user_properties += [(PROGRAMS, program) for program in missing or programs]
        if missing:  # the others that it needs are not to blame
            pytest.skip(f"not installed: {', '.join(missing)}")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count how tests ended that need a program."""
        if report.skipped or report.when == "call":
            word = "skipped" if report.skipped else "run"
            for program in (value for key, value in report.user_properties if key == PROGRAMS):
                self._counts.setdefault(str(program), Counter())[word] += 1

    def _overlooked(self) -> Iterator[str]:
        for program, count in self._counts.items():
            if not count["run"] and is_installed(program):
                yield program

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """It is an error if a program is installed, and none of its tests was run."""
        if any(self._overlooked()):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """How many tests each program had, and how many were skipped."""
        for program, count in sorted(self._counts.items()):
            said = f"needs {program}: {count['run']} run, {count['skipped']} skipped"
            wrong = program in self._overlooked()
            terminalreporter.write_line(said + ", though it is installed" * wrong, red=wrong)

    def pytest_unconfigure(self) -> None:
        """Leave the environment as it was."""
        os.environ["PATH"] = os.environ[VARIABLE]
        if self._folder is not None:
            self._folder.cleanup()
