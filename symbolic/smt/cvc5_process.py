"""The second solver: cvc5 reads an exported SMT-LIB text and imports nothing of the project."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec


def installed() -> bool:
    """Whether cvc5 is there (the extra `solvers`)."""
    return find_spec("cvc5") is not None


WAYS: tuple[Mapping[str, str], ...] = (
    {},
    {"nl-cov": "true"},
)  # as it is, then by cylindrical coverings for products of unknowns


def answer(text: str, milliseconds: int = 10_000) -> str:
    """What cvc5 says to an SMT-LIB 2 text: "sat", "unsat" or "unknown", as to a time-out. Each way
    has half of the time."""
    found = (_asked(text, milliseconds // len(WAYS), options) for options in WAYS)
    return next((said for said in found if said != "unknown"), "unknown")


def _asked(text: str, milliseconds: int, options: Mapping[str, str]) -> str:
    import cvc5

    solver = cvc5.Solver()
    for name, value in {"tlimit-per": str(milliseconds), **options}.items():
        solver.setOption(name, value)
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
    printed = ""
    while not (command := parser.nextCommand()).isNull():
        if command.getCommandName() != "set-info":  # another answer than :status is no error
            printed += str(command.invoke(solver, parser.getSymbolManager()))
    said = printed.split()
    return said[-1] if said and said[-1] in ("sat", "unsat") else "unknown"
