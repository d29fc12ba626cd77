"""Equations that solvers prove, and theorems of the kernel from which they are cut: what a theorem
file writes of them, as data; joined.py checks it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from orderproof.check.claims import EVERYTHING, Check, Given, StuckError, made
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.derive.rewrite import replaced
from orderproof.symbolic.statements.statement import Atom, Sizes, Statement

from . import by_chain, by_lemmas


@dataclass(frozen=True)
class Lemma:
    """An equation, and the check that settles it."""

    statement: Statement
    given: Check | Given

    @property
    def check(self) -> Check:
        """The check, made of its data where it is given so."""
        return made(self.given)

    @property
    def fact(self) -> Theorem:
        """The equation as a hypothesis, for a theorem from which it is cut."""
        return kernel.hyp(*self.statement.atom.terms)


def by_laws(
    lhs: Term, rhs: Term, *steps: str, given: Iterable[Atom] = (), over: Sizes = EVERYTHING
) -> Lemma:
    """An equation that solvers prove by the chain of these steps."""
    return Lemma(Statement(Atom(lhs, "=", rhs), frozenset(given), sizes=over), by_chain(*steps))


def joined(theorem: Theorem, *lemmas: Lemma) -> Check:
    """A theorem of the kernel whose hypotheses, or some of them, these lemmas state."""
    return by_lemmas(theorem, lemmas)


def putting(t: Term, fact: Theorem) -> Theorem:
    """t = the same with the right side of a fact in place of its left side, which must be in it."""
    found = replaced(t, fact)
    if found is None:
        raise StuckError(f"{t.node}: expected {fact.lhs.node} in it")
    return found
