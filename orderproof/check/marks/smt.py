"""The mark smt: the checks that have certificates, and what two solvers say of obligations."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from orderproof.symbolic.smt.chain import Served
from orderproof.symbolic.smt.chain import by_chain as by_chain
from orderproof.symbolic.smt.chain import settled as settled
from orderproof.symbolic.smt.obligation import Obligation
from orderproof.symbolic.statements.statement import Statement


@runtime_checkable
class Certified(Protocol):
    """A check of statements by questions to solvers, with certificates."""

    def served(self, statement: Statement, /) -> dict[Served, tuple[Obligation, ...]]:
        """What certificates carry of the statement that they serve, with the questions."""
