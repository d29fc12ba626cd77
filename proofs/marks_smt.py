"""What two solvers say of questions that are no chain of a statement: those behind the table."""

from __future__ import annotations

from collections.abc import Sequence

from orderproof.symbolic import second_solver
from orderproof.symbolic.obligation import Obligation


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
