"""A chain of lemmas for a statement, generated from its terms: laws of sums, then the statement.

Only the names of the laws, in order, are given by hand. Each step applies its law
to the sums of the question at which it has something to say; that its conditions hold there is a
question of its own, about one entry. What follows may be used from then on, and the last question
is the statement itself. Whatever steps are named, what two solvers prove of it is true.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from orderproof.symbolic.calculus.terms import Map
from orderproof.symbolic.statements.canonical import dump
from orderproof.symbolic.statements.evidence import Evidence
from orderproof.symbolic.statements.given import existing, given_by
from orderproof.symbolic.statements.statement import Atom, Statement, StatementError
from orderproof.symbolic.statements.text import canonical, digest, parse

from . import cvc5_process
from .budget import QUESTION, Answer, Budget
from .builder import AXIOMS, GOAL, Builder
from .lemma import Schema, used_by
from .obligation import Obligation
from .question import QuestionError
from .steps import STEPS


@dataclass(frozen=True)
class Served:
    """What a certificate carries of the statement that it serves: its text and digest, the steps
    of the chain, and, where the statement says that there is something, the text of the instance
    that shows it."""

    statement: str
    digest: str
    chain: str
    instance: str = ""

    def line(self) -> str:
        """On one line of a header."""
        texts = {k: json.loads(v) if v else None for k, v in (
            ("statement", self.statement), ("instance", self.instance)
        )}  # fmt: skip
        return dump({"digest": self.digest, "chain": self.chain, **texts})

    @staticmethod
    def of(line: str) -> Served:
        """From a line of a header; ValueError if it is none, or not in canonical form."""
        data = json.loads(line)
        if not isinstance(data, dict) or set(data) != {"digest", "chain", "statement", "instance"}:
            raise ValueError("expected JSON with statement, digest, chain and instance")
        instance = "" if data["instance"] is None else dump(data["instance"])
        found = Served(dump(data["statement"]), str(data["digest"]), str(data["chain"]), instance)
        if found.line() != line:
            raise ValueError("given a line that is not in canonical form")
        return found


@dataclass(frozen=True)
class Chain:
    """The questions of a statement by these steps, laws first, the statement itself last."""

    statement: Statement
    steps: tuple[str, ...]
    laws: tuple[Schema, ...]
    questions: tuple[Obligation, ...]
    shows: Statement  # the statement itself, or that there is what its hypotheses give

    @property
    def obligations(self) -> tuple[Obligation, ...]:
        """All that is to be proved."""
        return (*(o for law in self.laws for o in law.obligations), *self.questions)

    def fault(self) -> str:
        """Why the chain is ill-founded: its obligations, if proved, would not prove the statement;
        empty if they would."""
        if fault := gap(self.laws):
            return fault
        names = {law.name for law in self.laws}
        every = [o.name for o in self.obligations]
        if len(set(every)) < len(every):
            return "two questions of one name"
        for o in self.questions:
            unknown = [u for u in o.uses if u not in names and u not in AXIOMS]
            if unknown:
                return f"{o.name} uses {unknown[0]}, which is not proved before"
            names.add(o.name)
        return "" if self.questions and self.questions[-1].name == GOAL else "no goal"


def gap(laws: Iterable[Schema]) -> str:
    """Why laws are ill-founded: one uses another that is not proved before it; else empty."""
    proved: list[Schema] = []
    for law in laws:
        if type(law) is not Schema:
            return f"{law.name}: base and step are not made of one formula"
        for u in used_by(law):
            if u.of.kind != "axiom" and not any(u.of is known for known in proved):
                return f"{law.name} uses {u.of.name}, which is not proved before"
        proved.append(law)
    return ""


@cache
def chain(statement: Statement, steps: tuple[str, ...], *, there_are: bool = False) -> Chain:
    """The chain of a statement by these steps; QuestionError where it has none. With `there_are`
    it shows that there is what the hypotheses give by a term, and also asks that they can."""
    shows = existing(statement) if there_are else statement
    builder = Builder(statement)
    if there_are:
        for atom in builder.everywhere:
            if isinstance(given_by(atom), Map):
                builder.bijection(atom)
    for step in steps:
        name, *words = step.split()
        if name not in STEPS:
            raise QuestionError(f"step {name}: expected one of {', '.join(STEPS)}")
        STEPS[name](builder, *words)
    builder.goal()
    return Chain(statement, steps, tuple(builder.laws.values()), tuple(builder.asked), shows)


@cache
def regenerated(served: Served) -> Mapping[str, Obligation]:
    """The questions of a chain by name, made anew from the texts that its certificates carry.
    StatementError or QuestionError where these are no chain, or not of the statement that they
    name."""
    stated = parse(served.statement)
    if digest(stated) != served.digest:
        raise StatementError(
            f"digest: given {served.digest[:12]}…, expected {digest(stated)[:12]}…"
        )
    steps = tuple(filter(None, served.chain.split("; ")))
    made = chain(parse(served.instance or served.statement), steps, there_are=bool(served.instance))
    if canonical(made.shows) != served.statement:
        raise StatementError("instance: given terms for another statement")
    if fault := made.fault():
        raise QuestionError(fault)
    return MappingProxyType({o.name: o for o in made.obligations})


# ----------------------------------------------------------------------------------------- evidence
@dataclass(frozen=True)
class ByChain:
    """A statement by its own chain of these steps: two solvers prove every question in it. Where
    it says that there is something, `values` say what: X = t, or for a bijection ι(σ(i)) = t."""

    steps: tuple[str, ...]
    values: frozenset[Atom] = frozenset()
    budget: Budget = QUESTION  # for each question

    def chain(self, statement: Statement) -> Chain:
        """The chain; QuestionError or StatementError where there is none."""
        if not statement.exists:
            return chain(statement, self.steps)
        if statement.such:
            raise QuestionError("such: expected no condition on what there is")
        given = statement.given | self.values
        instance = Statement(statement.atom, given, sizes=statement.sizes)
        return chain(instance, self.steps, there_are=True)

    def obligations(self, statement: Statement) -> tuple[Obligation, ...]:
        """Every question that the evidence rests on; none where the statement has no chain."""
        try:
            return self.chain(statement).obligations
        except (QuestionError, StatementError):
            return ()

    def served(self, statement: Statement) -> dict[Served, tuple[Obligation, ...]]:
        """What its certificates carry, with the questions; nothing where there is no chain."""
        try:
            made = self.chain(statement)
        except (QuestionError, StatementError):
            return {}
        instance = canonical(made.statement) if statement.exists else ""
        shown = canonical(made.shows), digest(made.shows)
        return {Served(*shown, "; ".join(self.steps), instance): made.obligations}

    def __call__(self, statement: Statement) -> Evidence:
        """Not ok where a question does not follow, undecided where a solver does not say."""
        try:
            made = self.chain(statement)
        except (QuestionError, StatementError) as error:
            return Evidence(None, str(error))
        if fault := made.fault():
            return Evidence(False, fault)
        laws = ", ".join(dict.fromkeys(s.split()[0] for s in made.steps)) or "no law"
        said = f"{len(made.obligations)} questions generated from the terms, by {laws}"
        ok, detail = settled(made.obligations, said, self.budget)
        return Evidence(ok, detail, made.shows if ok else None)


def settled(
    obligations: Iterable[Obligation], said: str, budget: Budget = QUESTION
) -> tuple[bool | None, str]:
    """What the solvers say of obligations, and in words: no if one does not follow, None if one is
    undecided, with the reason, or there is none; `said` where all follow."""
    answers = [(o.name, answered(o, budget)) for o in obligations]
    for word, ok in (("does not follow", False), ("undecided", None)):
        found = [name + f" ({a.reason})" * bool(a.reason) for name, a in answers if a.ok is ok]
        if found:
            return ok, f"{word}: {', '.join(found)}"
    by = "Z3 and cvc5" if cvc5_process.installed() else "Z3 alone (cvc5 is not installed)"
    return (True, f"{by}: {said}") if answers else (None, "undecided: no obligation")


@cache
def answered(o: Obligation, budget: Budget = QUESTION) -> Answer:
    """What the solvers say of an obligation: sat if one refutes it, undecided if one is."""
    first = o.outcome(budget)
    if first.ok is not True or not cvc5_process.installed():
        return first
    return cvc5_process.answer(o.asserted(), budget).by("cvc5")


def by_chain(*steps: str, values: Iterable[Atom] = ()) -> ByChain:
    """The check of a statement by the chain of these steps."""
    return ByChain(steps, frozenset(values))
