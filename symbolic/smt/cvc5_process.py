"""The second solver: cvc5 reads an exported SMT-LIB text."""

from __future__ import annotations

import time
from collections.abc import Mapping
from importlib.util import find_spec

from .budget import QUESTION, Answer, Budget, spent, stopped


def installed() -> bool:
    """Whether cvc5 is there (the extra `solvers`)."""
    return find_spec("cvc5") is not None


WAYS: tuple[tuple[int, Mapping[str, str]], ...] = (
    (3, {}),  # as it is, with a third of the units, since most answers take few
    (1, {"nl-cov": "true"}),  # by cylindrical coverings, for products of unknowns
    (1, {}),
)


def answer(text: str, budget: Budget = QUESTION) -> Answer:
    """What cvc5 says to an SMT-LIB 2 text, one way after another, each within its share of the
    units; with the reason where it is undecided. The time is that of all of them."""
    end, said = time.monotonic() + budget.seconds, ""
    for share, options in WAYS:
        left = max(1, int(1000 * (end - time.monotonic())))  # 0 of anything would be no limit
        said = _asked(text, max(1, budget.cvc5 // share), left, options)
        if said in ("sat", "unsat"):
            return Answer(said)
        if said == "(TIMEOUT)":
            return stopped(budget.seconds)
    return spent(budget.cvc5) if said == "(RESOURCEOUT)" else Answer("unknown", reason=said)


def _asked(text: str, units: int, milliseconds: int, options: Mapping[str, str]) -> str:
    """The last word of what it prints."""
    import cvc5

    solver = cvc5.Solver()
    limits = {"rlimit-per": str(units), "tlimit-per": str(milliseconds)}
    for name, value in {**limits, **options}.items():
        solver.setOption(name, value)
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
    printed = ""
    while not (command := parser.nextCommand()).isNull():
        if command.getCommandName() != "set-info":  # another answer than :status is no error
            printed += str(command.invoke(solver, parser.getSymbolManager()))
    return (printed.split() or ["no answer"])[-1]
