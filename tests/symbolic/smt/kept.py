"""Solvers whose processes are kept: to start one costs more than to ask it most questions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from orderproof.symbolic.smt.solvers import Process, Solver


class Kept:
    """Processes that have answered, and are free for the next questions."""

    def __init__(self) -> None:
        self._free: defaultdict[Solver, list[Process]] = defaultdict(list)

    @contextmanager
    def process(self, solver: Solver) -> Iterator[Process]:
        """One of this solver: in the place of `Process(solver)`."""
        free = self._free[solver]
        try:
            process = free.pop()
        except IndexError:  # asked before, it may be wrong by now: rechecks have several threads
            process = Process(solver)
        try:
            yield process
        finally:
            free.append(process)

    def stop(self) -> None:
        """End all of them."""
        for process in (p for free in self._free.values() for p in free):
            process.__exit__()
        self._free.clear()


@pytest.fixture(scope="module")
def started() -> Iterator[Kept]:
    """The processes of solvers, for all tests of a module."""
    kept = Kept()
    yield kept
    kept.stop()


@pytest.fixture
def kept_solvers(monkeypatch: pytest.MonkeyPatch, started: Kept) -> Kept:
    """Rechecks ask processes that the tests before in the module have started."""
    monkeypatch.setattr("orderproof.symbolic.smt.recheck.Process", started.process)
    return started
