"""An interruption while Z3 computes, which Z3 takes for itself."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pytest
import z3

from orderproof.symbolic.smt.z3_process import solved

HANGS = 600_000  # milliseconds that stop what hangs


@pytest.fixture
def interrupted() -> Iterator[None]:
    """An interruption is raised in this process after a moment, which is long before Z3 is done."""
    before = signal.getsignal(signal.SIGINT)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    yield
    timer.join()
    signal.signal(signal.SIGINT, before)


def question() -> z3.Solver:
    """Z3 is not done with it for long: a sum of five cubes, and a product."""
    solver, xs = z3.Solver(ctx=(context := z3.Context())), z3.Ints("a b c d e", context)
    solver.add(sum(x * x * x for x in xs) == 33333333331, *(x > 2 for x in xs))
    solver.add(xs[0] * xs[1] * xs[2] - xs[3] * xs[4] * 7 == 101)
    return solver


@pytest.mark.usefixtures("interrupted")
def test_an_interruption_of_z3_is_one_of_the_process() -> None:
    """The answer would be unknown, a claim open, and the run would go on."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    solver = question()
    solver.set("timeout", HANGS)
    with pytest.raises(KeyboardInterrupt):
        solved(solver)


@pytest.mark.usefixtures("interrupted")
def test_who_ignores_interruptions_gets_an_answer() -> None:
    """A question would be left undecided in a process that ignores interruptions."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    solver = question()
    solver.set("rlimit", 3_000_000)
    assert solved(solver) == z3.unknown and "interrupted" not in solver.reason_unknown()
