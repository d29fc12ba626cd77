"""How much a solver may spend on a question, counted in its own units, and what it answers.

So an answer depends neither on the load of a machine nor on its speed. Time only stops what hangs,
and what was stopped says so. Each question is asked anew, from its text: neither does an answer
depend on what was asked before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

OK = {"unsat": True, "sat": False}  # of assumptions with a negated goal


@dataclass(frozen=True)
class Budget:
    """What may be spent on a question: units of Z3 (rlimit), units of cvc5 (as rlimit-per, of which
    its first way has a third and each other way all: cvc5_process), and seconds for all ways."""

    z3: int
    cvc5: int
    seconds: float = 120.0

    def within(self, seconds: float) -> Budget:
        """The same, stopped after so many seconds."""
        return replace(self, seconds=seconds)


QUESTION = Budget(z3=5_000_000, cvc5=3_000_000)  # at least ten times what any answer took
FALSEHOOD = Budget(z3=1_000_000, cvc5=1_000_000)  # of the audit: three times what a true one took
ALONE = Budget(z3=1_000_000, cvc5=300_000)  # for assumptions of which a model is there already


@dataclass(frozen=True)
class Answer:
    """unsat, sat, unknown, timeout, error (of the text) or crashed; with the solver's reason. Of
    a header: stated, misstated, timeout, error or crashed."""

    word: str
    seconds: float = 0.0
    reason: str = ""

    @property
    def ok(self) -> bool | None:
        """Whether what was asked is proved: False if it is refuted, None if it is undecided."""
        return OK.get(self.word)

    def by(self, solver: str) -> Answer:
        """The same, with the solver's name in the reason where it is undecided."""
        return self if self.ok is not None else replace(self, reason=f"{solver}: {self.reason}")

    def __str__(self) -> str:
        return self.word + f" ({self.reason})" * bool(self.reason)


def stopped(seconds: float) -> Answer:
    """That a solver was stopped."""
    return Answer("timeout", reason=f"stopped after {seconds:g} s")


def spent(units: int) -> Answer:
    """That a solver spent what it had."""
    return Answer("unknown", reason=f"spent its {units:,} units")
