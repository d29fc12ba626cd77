"""Formulas of prose proofs: statements of the calculus that stand in no theorem file, and terms.

A chapter's module (causal.py for proofs/causal_stacks/) has a dict FORMULAS from names to `Stated`
or `Written`. What is stated is proved by the kernel or confirmed in numbers at small sizes, by a
test.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from orderproof.check.claims import Claim, Neighbour, Show, TheoremFile
from orderproof.check.page import Formula
from orderproof.publish.pages.statements import atom, stated, style_of
from orderproof.symbolic.calculus.terms import Name, Term
from orderproof.symbolic.derive.push import Pushed
from orderproof.symbolic.derive.steps import write

from .values import Meaning, Valued


@dataclass(frozen=True)
class Stated:
    """A claim with its marks, and how its tensors are written; as a claim of a theorem file, it is
    made by `equivariance`, `equality`, `holds` or `differs`."""

    claim: Claim
    show: Show
    primes: tuple[Pushed, ...] = ()  # pushes whose images are primed
    told: bool = False  # whether the words before it say its hypotheses

    def printed(self) -> Formula:
        """The statement, printed as those of theorems are."""
        pushed = (self.claim.push[1],) if self.claim.push else ()
        alone = TheoremFile(
            id="formula", title="", words=(), source="", claims=(self.claim,), show=self.show,
            planted=Neighbour(self.claim, "of none"), pushed=(), primes=(*pushed, *self.primes),
        )  # fmt: skip
        if self.told:
            style = style_of(alone)
            return atom(self.claim.statement.atom, style, self.claim.row, self.claim.column)
        return stated(self.claim, alone)


@dataclass(frozen=True)
class Written:
    """A term, which states nothing: as it is printed, by matrices where it has rows."""

    term: Term
    show: Show
    row: Name | None = None
    column: Name | None = None

    def printed(self) -> Formula:
        """The term in the letters of its tensors."""
        return write(self.term, self.show.style(), self.row, self.column)


Shown = Stated | Written | Meaning | Valued


class TwoOfOneName(ValueError):
    """Two chapters that give one name to two formulas."""


@cache
def formulas() -> Mapping[str, Shown]:
    """The formulas of all chapters by name; TwoOfOneName where two have the same."""
    found: dict[str, Shown] = {}
    for module in pkgutil.iter_modules(__path__):
        own = getattr(importlib.import_module(f"{__name__}.{module.name}"), "FORMULAS", {})
        if twice := sorted(found.keys() & own.keys()):
            raise TwoOfOneName(f"formulas/{module.name}.py: given {twice[0]}, which another has")
        found |= own
    return found
