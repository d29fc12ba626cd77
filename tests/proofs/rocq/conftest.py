"""The Rocq development, compiled once for all tests that need it."""

import shutil
from pathlib import Path

import pytest

from orderproof.proofs.rocq import library as rocq_library
from orderproof.proofs.rocq import run as rocq_run


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> rocq_library.Library:
    """The development as it stands, compiled; the tests that need it are skipped without Rocq."""
    if not rocq_run.installed():
        pytest.skip("coqc with MathComp is not installed (Debian: coq, libcoq-mathcomp-algebra)")
    return rocq_library.compile(tmp_path_factory.mktemp("rocq"), limit=300)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the sources, to spoil."""
    return Path(shutil.copytree(rocq_library.SOURCES, tmp_path / "sources"))
