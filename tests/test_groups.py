"""Tests of one group run in one process: what they share is computed once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FILE = """
import os
import pytest

def note(name):
    with open(name, "a") as file:
        file.write(f"{os.getpid()}\\n")

@pytest.mark.xdist_group("together")
@pytest.mark.parametrize("k", range(8))
def test_together(k):
    note("together")

@pytest.mark.parametrize("k", range(8))
def test_apart(k):
    note("apart")
"""


def test_groups_are_kept_together(tmp_path: Path) -> None:
    """Two processes would check the same theorem: releases of pytest and of pytest-xdist that do
    not fit each other ignore the groups."""
    (tmp_path / "test_it.py").write_text(FILE, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "xdist", "-n", "2",
               "--dist", "loadgroup", "test_it.py"]  # fmt: skip
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # what others take is not ours
    done = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout
    processes = {
        name: {*(tmp_path / name).read_text(encoding="utf-8").split()}
        for name in ("together", "apart")
    }
    assert len(processes["together"]) == 1 and len(set().union(*processes.values())) == 2
