"""The Rocq development, compiled once, and the pages of toy theorems."""

from __future__ import annotations

import os
import pickle
import shutil
from dataclasses import replace
from pathlib import Path

import filelock
import pytest

from orderproof.check.rocq import library as rocq_library
from orderproof.check.rocq import run as rocq_run
from tests.pages import pages as pages

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> rocq_library.Library:
    """The development as it stands, compiled; the tests that need it are skipped without Rocq.
    The first of several processes compiles what `make rocq` did not, and each has a copy, for
    tests add files to it."""
    if not rocq_run.installed():
        pytest.skip("coqc with MathComp is not installed (Debian: coq, libcoq-mathcomp-algebra)")
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    kept = shared / "rocq.pickle"
    with filelock.FileLock(shared / "rocq.lock"):
        if not kept.exists():
            (shared / "rocq").mkdir()
            for name in rocq_library.ORDER:
                for file in (ROOT / "build" / rocq_library.COMPILED).glob(f"{name}.*"):
                    shutil.copy(file, shared / "rocq")
            compiled = rocq_library.compile(shared / "rocq")
            kept.write_bytes(pickle.dumps(compiled))
    found: rocq_library.Library = pickle.loads(kept.read_bytes())
    mine = tmp_path_factory.mktemp("library") / "rocq"
    return replace(found, folder=shutil.copytree(found.folder, mine))
