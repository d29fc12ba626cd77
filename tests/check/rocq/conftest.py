"""The sources of the Rocq development, to spoil."""

import shutil
from pathlib import Path

import pytest

from orderproof.check.rocq import library as rocq_library


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the sources, to spoil."""
    return Path(shutil.copytree(rocq_library.SOURCES, tmp_path / "sources"))
