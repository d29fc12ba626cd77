"""Formulas of proofs in words: statements of the calculus that stand in no theorem file, and terms.

proofs/<chapter>/formulas.py has a dict FORMULAS from names to these. What is stated is proved by
the kernel or confirmed in numbers at small sizes, by a test. What a letter stands for, and a term's
values, are read off the term itself: a definition is its own body, and values are computed in
rational arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass

from orderproof.symbolic.calculus.terms import Name, Term
from orderproof.symbolic.derive.push import Pushed

from .claims import Atom, Claim, Named, Show, Witness


@dataclass(frozen=True)
class Stated:
    """A claim with its marks, and how its tensors are written; as a claim of a theorem file, it is
    made by `equivariance`, `equality`, `holds` or `differs`."""

    claim: Claim
    show: Show
    primes: tuple[Pushed, ...] = ()  # pushes whose images are primed
    told: bool = False  # whether the words before it say its hypotheses


@dataclass(frozen=True)
class Meaning:
    """What the name of a tensor stands for: D = E Eᵀ, or entry by entry D[i, j] = …"""

    item: Named
    show: Show


@dataclass(frozen=True)
class Written:
    """A term, which states nothing: as it is printed, by matrices where it has rows; with a witness
    also its values at these sizes, maps and tensors, exactly."""

    term: Term
    show: Show
    witness: Witness | None = None
    row: Name | None = None
    column: Name | None = None
    primes: tuple[Pushed, ...] = ()  # pushes whose images are primed


@dataclass(frozen=True)
class Assumed:
    """A standing assumption: hypotheses that many theorems have."""

    given: tuple[Atom, ...]
    show: Show


Shown = Stated | Written | Meaning | Assumed
