"""What tests of the calculus share: solvers that are started once, and a stack that is small."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator

import pytest

from tests.symbolic.smt.kept import kept_solvers, started

__all__ = ["kept_solvers", "small_stack", "started"]


@pytest.fixture
def small_stack() -> Iterator[None]:
    """A recursion of 150 levels is an error."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 150)
    yield
    sys.setrecursionlimit(limit)
