"""The second solver: cvc5 reads an exported SMT-LIB text, and nothing else of the project."""

from __future__ import annotations

from importlib.util import find_spec


def installed() -> bool:
    """Whether cvc5 is there (the extra `solvers`)."""
    return find_spec("cvc5") is not None


def answer(text: str, milliseconds: int = 10_000) -> str:
    """What cvc5 says to an SMT-LIB 2 text: "sat", "unsat" or "unknown", as to a time-out."""
    import cvc5

    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(milliseconds))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
    printed = ""
    while not (command := parser.nextCommand()).isNull():
        if command.getCommandName() != "set-info":  # another answer than :status is no error
            printed += str(command.invoke(solver, parser.getSymbolManager()))
    said = printed.split()
    return said[-1] if said and said[-1] in ("sat", "unsat") else "unknown"
