"""Evidence from several: a theorem of the kernel under equations, each of which solvers prove."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orderproof.check.claims import by_kernel
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.smt.chain import Served
from orderproof.symbolic.smt.obligation import Obligation
from orderproof.symbolic.statements.evidence import Evidence
from orderproof.symbolic.statements.logic import cut
from orderproof.symbolic.statements.statement import Statement

from .lemmas import Lemma
from .smt import Certified


@dataclass(frozen=True)
class Joined:
    """What a theorem states without those of its hypotheses that lemmas state."""

    theorem: Theorem
    lemmas: Sequence[Lemma]

    def served(self, _: Statement) -> dict[Served, tuple[Obligation, ...]]:
        """What the certificates of its lemmas carry, with the questions to solvers."""
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
