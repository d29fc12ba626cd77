"""Optional programs are hidden from tests that do not say they need them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.environment import ROOT, outside
from tests.programs import bare, is_optional

CONFTEST = """
import pytest
from tests.programs import Hidden

def pytest_configure(config):
    config.pluginmanager.register(Hidden())
"""
REACHES = """
import shutil, subprocess, pytest

@pytest.fixture(scope="module")
def started():
    return subprocess.run(["coqc"], capture_output=True, text=True).stdout

{mark}
def test_it(started):
    assert started == "here\\n" and shutil.which("coqc")

def test_another():
    assert shutil.which("coqc") is None and shutil.which("sh")
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of tests with this plugin, and a PATH with coqc on it, in front of a shell."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "usr").mkdir()
    (tmp_path / "usr/sh").symlink_to("/bin/sh")
    program = tmp_path / "bin/coqc"
    program.write_text("#!/bin/sh\necho here\n")
    program.chmod(0o755)
    monkeypatch.setenv("ORDERPROOF_TESTS_PATH", f"{program.parent}:{tmp_path}/usr")
    (tmp_path / "conftest.py").write_text(CONFTEST)
    return tmp_path


def run(folder: Path, text: str, *options: str) -> tuple[int, str]:
    """The status of pytest on one file, and all that it printed."""
    (folder / "test_one.py").write_text(text)
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--strict-markers")
    own = ("-c", "/dev/null", "--rootdir", str(folder), "-o", f"pythonpath={ROOT}")
    markers = ("-o", "markers=needs: a program", "--confcutdir", str(folder))
    done = subprocess.run(
        [*command, *own, *markers, *options, str(folder)], capture_output=True, text=True, cwd="/",
        check=False, env=outside(PATH="/usr/bin:/bin", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"),
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


WORKER = ("-p", "xdist", "-n", "1")
either = pytest.mark.parametrize(
    "options", [(), pytest.param(WORKER, marks=pytest.mark.slow)], ids=["alone", "a worker"]
)


@either
def test_a_mark_gives_the_program(project: Path, options: tuple[str, ...]) -> None:
    """A test with the mark would be skipped, or one without it would find the program."""
    status, said = run(project, REACHES.format(mark='@pytest.mark.needs("coqc")'), *options)
    assert status == 0 and "2 passed" in said, said
    assert "needs coqc: 1 run, 0 skipped" in said


@either
def test_a_missing_mark_is_noticed(project: Path, options: tuple[str, ...]) -> None:
    """Only who lacks the program would see that a test needs it."""
    status, said = run(project, REACHES.format(mark=""), *options)
    assert status == 1 and "No such file or directory: 'coqc'" in said, said


def test_one_of_two_is_enough(project: Path) -> None:
    """A test for any of several browsers would be skipped where one is installed."""
    status, said = run(project, REACHES.format(mark='@pytest.mark.needs("chromium|coqc")'))
    assert status == 0 and "needs chromium|coqc: 1 run, 0 skipped" in said, said


def test_what_is_not_installed_is_skipped_by_name(project: Path) -> None:
    """A test without its program would fail, or say nothing of it."""
    status, said = run(project, REACHES.format(mark='@pytest.mark.needs("coqc", "perl")'))
    assert status == 4 and "needs('perl'), expected one of coq*" in said, said
    marked = REACHES.format(mark='@pytest.mark.needs("coqc", "latex-of-nobody")')
    status, said = run(project, marked, "-rs")
    assert status == 0 and "not installed: latex-of-nobody" in said, said
    assert "needs latex-of-nobody: 0 run, 1 skipped\n" in said and "needs coqc" not in said


@either
def test_skips_of_an_installed_program_are_an_error(
    project: Path, options: tuple[str, ...]
) -> None:
    """Tests that took an installed program for missing would be skipped in silence."""
    text = 'import pytest\n@pytest.mark.needs("coqc")\ndef test_it():\n    pytest.skip("a lie")\n'
    status, said = run(project, text, *options)
    assert status == 1 and "0 run, 1 skipped, though it is installed" in said, said


def test_the_first_of_two_programs_is_linked(tmp_path: Path) -> None:
    """A program behind another of the same name on PATH would be run in its place."""
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "made").write_text(name)
    (tmp_path / "links").mkdir()
    path = f"{tmp_path}/a:{tmp_path}/b:{tmp_path}/none"
    assert bare(path, tmp_path / "links") == f"{tmp_path}/links"
    assert (tmp_path / "links/made").read_text() == "a"


def test_what_a_bare_machine_has_is_not_hidden() -> None:
    """Python, make, git or the compiler would be missing in every test."""
    assert not [p for p in ("python3", "make", "git", "gcc", "sh", "docker") if is_optional(p)]
    assert all(map(is_optional, ("coqc", "rocq", "pdflatex", "latexmk", "bibtex", "chromium")))
