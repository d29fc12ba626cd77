"""A chain of lemmas for a statement, generated from its terms: laws of sums, then the statement.

Nothing is written beside the terms but the names of the laws, in order. Each step applies its law
to the sums of the question at which it has something to say; that its conditions hold there is a
question of its own, about one entry. What follows may be used from then on, and the last question
is the statement itself. Whatever steps are named, what two solvers prove of it is true.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from . import second_solver
from .builder import GOAL, Builder
from .evidence import Evidence
from .obligation import Obligation
from .question import QuestionError
from .schema import Schema, used_by
from .statement import Statement
from .statement_text import canonical, parse
from .steps import STEPS

TIMEOUT = 5_000  # milliseconds for a question
AXIOMS = {"definition", "map", "hypothesis", "exp", "sqrt", "angle", "inverse"}


@dataclass(frozen=True)
class Chain:
    """The questions of a statement by these steps, laws first, the statement itself last."""

    statement: Statement
    steps: tuple[str, ...]
    laws: tuple[Schema, ...]
    questions: tuple[Obligation, ...]

    @property
    def obligations(self) -> tuple[Obligation, ...]:
        """All that is to be proved."""
        return (*(o for law in self.laws for o in law.obligations), *self.questions)

    def fault(self) -> str:
        """Why the obligations, if proved, would not prove the statement; nothing if they do."""
        proved: list[Schema] = []
        for law in self.laws:
            for u in used_by(law):
                if u.of.kind != "axiom" and not any(u.of is known for known in proved):
                    return f"{law.name} uses {u.of.name}, which is not proved before"
            proved.append(law)
        names = {law.name for law in self.laws}
        for o in self.questions:
            unknown = [u for u in o.uses if u not in names and u not in AXIOMS]
            if unknown:
                return f"{o.name} uses {unknown[0]}, which is not proved before"
            names.add(o.name)
        return "" if self.questions and self.questions[-1].name == GOAL else "no goal"


@cache
def chain(statement: Statement, steps: tuple[str, ...]) -> Chain:
    """The chain of a statement by these steps; QuestionError where it has none."""
    builder = Builder(parse(canonical(statement)))
    for step in steps:
        name, *words = step.split()
        if name not in STEPS:
            raise QuestionError(f"step {name}: expected one of {', '.join(STEPS)}")
        STEPS[name](builder, *words)
    builder.goal()
    return Chain(statement, steps, tuple(builder.laws.values()), tuple(builder.asked))


# ----------------------------------------------------------------------------------------- evidence
@dataclass(frozen=True)
class ByChain:
    """A statement by its own chain of these steps: two solvers prove every question in it."""

    steps: tuple[str, ...]

    def obligations(self, statement: Statement) -> tuple[Obligation, ...]:
        """Every question that the evidence rests on; none where the statement has no chain."""
        try:
            return chain(statement, self.steps).obligations
        except QuestionError:
            return ()

    def __call__(self, statement: Statement) -> Evidence:
        """Not ok where a question does not follow, undecided where a solver does not say."""
        try:
            made = chain(statement, self.steps)
        except QuestionError as error:
            return Evidence(None, str(error))
        if fault := made.fault():
            return Evidence(False, fault)
        asked = made.obligations
        answers = {o.name: settled(o) for o in asked}
        for word, ok in (("does not follow", False), ("undecided", None)):
            if names := [name for name, answer in answers.items() if answer is ok]:
                return Evidence(ok, f"{word}: {', '.join(names)}")
        by = "Z3 and cvc5" if second_solver.installed() else "Z3 alone (cvc5 is not installed)"
        laws = ", ".join(dict.fromkeys(s.split()[0] for s in made.steps)) or "no law"
        said = f"{by}: {len(asked)} questions generated from the terms, by {laws}"
        return Evidence(True, said, made.statement)


@cache
def settled(o: Obligation) -> bool | None:
    """What the solvers say of an obligation: no if one refutes it, None if one is undecided."""
    first = o.check(TIMEOUT)
    if first is not True or not second_solver.installed():
        return first
    return {"unsat": True, "sat": False}.get(second_solver.answer(o.smtlib(), TIMEOUT))


def by_chain(*steps: str) -> ByChain:
    """The check of a statement by the chain of these steps."""
    return ByChain(steps)
