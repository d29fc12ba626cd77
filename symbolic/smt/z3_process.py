"""The first solver: Z3 reads an exported SMT-LIB text, as the second one does."""

from __future__ import annotations

from importlib.util import find_spec


def installed() -> bool:
    """Whether Z3 is there."""
    return find_spec("z3") is not None


def answer(text: str, milliseconds: int = 10_000) -> str:
    """What Z3 says to an SMT-LIB 2 text: "sat", "unsat" or "unknown"."""
    import z3

    solver = z3.Solver()
    solver.set("timeout", milliseconds)
    solver.from_string(text)
    return str(solver.check())
