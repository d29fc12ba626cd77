"""Evidence from several: a theorem of the kernel under equations, each of which solvers prove.

Theorem files are written with it, so that it loads no solver: the checks of lemmas are data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from orderproof.check.claims import EVERYTHING, Check, Maker, StuckError, by_kernel, made
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.derive.rewrite import replaced
from orderproof.symbolic.statements.evidence import Evidence
from orderproof.symbolic.statements.logic import cut
from orderproof.symbolic.statements.statement import Atom, Sizes, Statement

from . import by_chain

if TYPE_CHECKING:
    from orderproof.symbolic.smt.chain import Served
    from orderproof.symbolic.smt.obligation import Obligation


@dataclass(frozen=True)
class Lemma:
    """An equation, and the check that settles it."""

    statement: Statement
    data: Check | Maker

    @property
    def check(self) -> Check:
        """The check, made of its data where it is given so."""
        return made(self.data)

    @property
    def fact(self) -> Theorem:
        """The equation as a hypothesis, for a theorem from which it is cut."""
        return kernel.hyp(*self.statement.atom.terms)


def by_laws(
    lhs: Term, rhs: Term, *steps: str, given: Iterable[Atom] = (), over: Sizes = EVERYTHING
) -> Lemma:
    """An equation that solvers prove by the chain of these steps."""
    return Lemma(Statement(Atom(lhs, "=", rhs), frozenset(given), sizes=over), by_chain(*steps))


@dataclass(frozen=True)
class Joined:
    """What a theorem states without those of its hypotheses that lemmas state."""

    theorem: Theorem
    lemmas: Sequence[Lemma]

    def served(self, _: Statement) -> dict[Served, tuple[Obligation, ...]]:
        """What the certificates of its lemmas carry, with the questions to solvers."""
        from .smt import Certified

        checks: list[tuple[object, Statement]] = [(x.check, x.statement) for x in self.lemmas]
        found = (check.served(s) for check, s in checks if isinstance(check, Certified))
        return {what: questions for one in found for what, questions in one.items()}

    def __call__(self, s: Statement) -> Evidence:
        whole = by_kernel(self.theorem)(s)
        for lemma in self.lemmas:
            found = lemma.check(lemma.statement)
            if found.ok is not True:
                return found
            whole = cut(found, whole)
        return whole


def joined(theorem: Theorem, *lemmas: Lemma) -> Check:
    """A theorem of the kernel whose hypotheses, or some of them, these lemmas state."""
    return Joined(theorem, lemmas)


def putting(t: Term, fact: Theorem) -> Theorem:
    """t = the same with the right side of a fact in place of its left side, which must be in it."""
    found = replaced(t, fact)
    if found is None:
        raise StuckError(f"{t.node}: expected {fact.lhs.node} in it")
    return found
