"""Stand-in: an account as evidence, until chains are generated from the terms."""

from __future__ import annotations

from collections.abc import Sequence

from orderproof.symbolic import second_solver
from orderproof.symbolic.evidence import Check, Evidence
from orderproof.symbolic.language import number
from orderproof.symbolic.linked import unlinked
from orderproof.symbolic.obligation import Obligation, Outline
from orderproof.symbolic.schema import Account
from orderproof.symbolic.statement import Atom, Statement, sizes


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


def by_smt(account: Account | Outline) -> Check:
    """The claim by the obligations of an account of it."""

    def check(s: Statement) -> Evidence:
        a, r, b = account.lhs, account.relation, account.rhs
        atom = Atom(b, "<", a) if r == ">" else Atom(a, r, b, some=r == "≠")
        if isinstance(account, Outline):
            whole = Statement(atom, s.given, sizes=s.sizes)
        else:
            if fault := account.fault() or unlinked(account):
                return Evidence(False, fault)
            least = {x: c[1][0] for x, c in account.sizes.items()}
            given = [Atom(t, "≠", number(0)) for t in (account.where,) if t]
            whole = Statement(atom, frozenset(given), sizes=sizes(least))
        for o in account.obligations:
            answer = o.check()
            if answer is not True:
                return Evidence(answer, f"{o.name}: not proved")
            if second_solver.installed() and second_solver.answer(o.smtlib()) != "unsat":
                return Evidence(None, f"{o.name}: undecided")
        return Evidence(True, f"{len(account.obligations)} obligations", whole)

    check.obligations = account.obligations  # type: ignore[attr-defined]
    return check
