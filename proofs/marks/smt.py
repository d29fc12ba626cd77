"""The mark smt: what tells its certificates, and what two solvers say of single questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from orderproof.symbolic.smt import cvc5_process as second_solver
from orderproof.symbolic.smt.chain import Served
from orderproof.symbolic.smt.obligation import Obligation
from orderproof.symbolic.statements.statement import Statement


@runtime_checkable
class Certified(Protocol):
    """A check of statements by questions to solvers, that tells them."""

    def served(self, statement: Statement, /) -> dict[Served, tuple[Obligation, ...]]:
        """What certificates carry of the statement that they serve, with the questions."""


def settled(obligations: Sequence[Obligation], said: str) -> tuple[bool | None, str]:
    """What two solvers say of obligations: no if one refutes, open if one is undecided."""
    answers = {o.name: (o.check(), _second(o)) for o in obligations}
    refuted = [name for name, pair in answers.items() if False in pair]
    undecided = [name for name, pair in answers.items() if None in pair]
    if refuted:
        return False, f"refuted: {', '.join(refuted)}"
    if undecided or not answers:
        return None, f"undecided: {', '.join(undecided) or 'no obligation'}"
    by = "Z3 and cvc5" if second_solver.installed() else "Z3 alone (cvc5 is not installed)"
    return True, f"{by}: {said}"


def _second(obligation: Obligation) -> bool | None:
    if not second_solver.installed():
        return True
    return {"unsat": True, "sat": False}.get(second_solver.answer(obligation.smtlib()))
