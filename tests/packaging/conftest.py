"""A wheel of this project, and an empty environment in which the action's own step installs it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .environment import ROOT, Installed, build, commit


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist of a checkout, in that checkout."""
    tree = tmp_path_factory.mktemp("tree")
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in ("orderproof", "symbolic", "numeric", "proofs"):
        shutil.copytree(ROOT / name, tree / name, symlinks=True, ignore=ignored)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "MANIFEST.in",
                 "CHANGELOG.md", "CITATION.cff", ".gitignore"):  # fmt: skip
        shutil.copy(ROOT / name, tree / name)
    commit(tree)
    build(tree)
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
