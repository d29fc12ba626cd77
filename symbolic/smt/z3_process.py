"""The first solver: Z3 reads an exported SMT-LIB text, as the second one does."""

from __future__ import annotations

import signal
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from .budget import QUESTION, Answer, Budget, spent, stopped

if TYPE_CHECKING:
    import z3

INTERRUPTED = "interrupted from keyboard"  # why Z3 does not know then
SEED = 0  # Z3's own default: whatever a process has set, every question has the same


def installed() -> bool:
    """Whether Z3 is there."""
    return find_spec("z3") is not None


def fresh(text: str, budget: Budget = QUESTION) -> z3.Solver:
    """A solver with an SMT-LIB 2 text, in a context of its own."""
    import z3

    solver = z3.Solver(ctx=z3.Context())
    milliseconds = max(1, int(1000 * budget.seconds))
    solver.set("random_seed", SEED, "rlimit", budget.z3, "timeout", milliseconds)
    solver.from_string(text)
    return solver


def solved(solver: z3.Solver) -> z3.CheckSatResult:
    """What a solver answers. While it computes, Z3 takes an interruption for itself, and answers
    unknown: it is raised again here, unless this process ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        solver.set("ctrl_c", False)
    found = solver.check()
    if str(found) == "unknown" and solver.reason_unknown() == INTERRUPTED:
        signal.raise_signal(signal.SIGINT)
    return found


@lru_cache(maxsize=1000)  # many questions assume the same; to the same text the answer is the same
def answer(text: str, budget: Budget = QUESTION) -> Answer:
    """What Z3 says to an SMT-LIB 2 text; with the reason where it is undecided."""
    solver = fresh(text, budget)
    word = str(solved(solver))
    if word != "unknown":
        return Answer(word)
    why = solver.reason_unknown()
    if why == "timeout":
        return stopped(budget.seconds)
    count = next((n for name, n in solver.statistics() if name == "rlimit count"), 0)
    return spent(budget.z3) if count >= budget.z3 else Answer(word, reason=why)
