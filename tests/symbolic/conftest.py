"""What tests of the calculus share: solvers that are started once, and a stack that is small."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator

import pytest

from tests.symbolic.smt.kept import Kept


@pytest.fixture(scope="module")
def _kept() -> Iterator[Kept]:
    kept = Kept()
    yield kept
    kept.stop()


@pytest.fixture
def kept_solvers(monkeypatch: pytest.MonkeyPatch, _kept: Kept) -> Kept:
    """Rechecks ask processes that the tests before in the module have started."""
    for module in ("smt.recheck", "onnx.certificates"):
        monkeypatch.setattr(f"orderproof.symbolic.{module}.Process", _kept.process)
    return _kept


@pytest.fixture
def small_stack() -> Iterator[None]:
    """A recursion of 150 levels is an error."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 150)
    yield
    sys.setrecursionlimit(limit)
