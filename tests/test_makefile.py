"""The two stages of the environment, tried with a Python that only notes how it was called."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.packaging.environment import ROOT, outside

FAKE = """#!/bin/sh
echo "$*" >> "{0}/calls"
case "$*" in *-m*venv*) mkdir -p .venv/bin; cp "$0" .venv/bin/python;; esac
case "$*" in *"$BROKEN"*) exit 7;; esac
"""
NOTHING = "no call has this in it"
VENV, PROVING, REST = "-m venv .venv", ".[solvers]", "orderproof[dev]"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The Makefile beside programs that do nothing."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "python").write_text(FAKE.format(tmp_path))
    (tmp_path / "python").chmod(0o755)
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".venv/bin").mkdir(parents=True)
    for name in ("orderproof", "lint-imports"):
        (tmp_path / ".venv/bin" / name).write_text("#!/bin/sh\n")
        (tmp_path / ".venv/bin" / name).chmod(0o755)
    return tmp_path


def made(tree: Path, *targets: str, broken: str = NOTHING) -> tuple[int, list[str]]:
    """The status of make for these targets, and what of the environment it made."""
    (tree / "calls").write_text("")
    done = subprocess.run(
        ["make", f"PYTHON={tree}/python", *targets], cwd=tree, env=outside(BROKEN=broken),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    calls = (tree / "calls").read_text(encoding="utf-8").splitlines()
    named = [part for line in calls for part in (VENV, PROVING, REST) if line.endswith(part)]
    assert len(named) == sum("install" in line or "venv .venv" in line for line in calls), calls
    return done.returncode, named


@pytest.mark.parametrize(
    ("first", "then", "calls"),
    [
        (["prove"], ["test"], [[VENV, PROVING], [REST]]),
        (["test"], ["prove"], [[VENV, PROVING, REST], []]),
        (["-j4", "lint", "test", "prove"], ["prove"], [[VENV, PROVING, REST], []]),
        (["rocq"], ["audit"], [[VENV, PROVING], []]),
        (["prove"], ["prove"], [[VENV, PROVING], []]),
    ],
)
def test_each_stage_is_made_once(
    tree: Path, first: list[str], then: list[str], calls: list[list[str]]
) -> None:
    """Who proves would wait for a browser driver and linters; or the second of two commands would
    install again what the first did, or two would install at the same time."""
    assert [made(tree, *first), made(tree, *then)] == [(0, called) for called in calls]


@pytest.mark.parametrize(
    ("broken", "target", "again"),
    [
        (VENV, "prove", [VENV, PROVING]),
        (PROVING, "prove", [VENV, PROVING]),
        (PROVING, "test", [VENV, PROVING, REST]),
        (REST, "test", [REST]),
    ],
)
def test_an_installation_that_failed_is_made_again(
    tree: Path, broken: str, target: str, again: list[str]
) -> None:
    """Half an environment would be taken for a whole one."""
    status, _ = made(tree, target, broken=broken)
    assert status == 2
    assert made(tree, target) == (0, again)
    assert made(tree, target) == (0, [])


def test_other_dependencies_are_installed(tree: Path) -> None:
    """A dependency that was added would be missing in an environment from before, or one whose
    second stage failed would have that of earlier dependencies."""
    assert made(tree, "test")[0] == 0
    later = (tree / ".venv/ready").stat().st_mtime + 1
    os.utime(tree / "pyproject.toml", (later, later))
    assert made(tree, "test", broken=REST) == (2, [VENV, PROVING, REST])
    os.utime(tree / "pyproject.toml", (1, 1))
    assert made(tree, "test") == (0, [REST])
