"""A wheel of this project, and an empty environment in which the action's own step installs it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .environment import ROOT, Installed, outside


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist."""
    tree = tmp_path_factory.mktemp("tree")
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in ("orderproof", "symbolic", "numeric", "proofs"):
        shutil.copytree(ROOT / name, tree / name, symlinks=True, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in", "CHANGELOG.md",
                 "CITATION.cff"):  # fmt: skip
        shutil.copy(ROOT / name, tree / name)
    command = (sys.executable, "-m", "build")
    done = subprocess.run(
        command, cwd=tree, env=outside(), capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return tree / "dist"


@pytest.fixture(scope="session")
def installed(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel with what it depends on and a second solver, installed by the action's step."""
    folder = tmp_path_factory.mktemp("installed")
    made = Installed.beside(folder, dist)
    version = made.wheel.name.split("-")[1]
    inputs = {"package": f"{made.wheel}[solvers]", "version": version}
    status, output = made.step("Install", folder, inputs)
    assert status == 0, output
    assert f"orderproof, version {version}" in output
    return made
