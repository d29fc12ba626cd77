"""What tests of marks share: a check put before a claim, and weighed against its statement."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from orderproof.check.claims import Check, Claim, Evidence, TheoremFile, holds
from orderproof.check.page import Mark
from orderproof.check.prove.checking import run
from orderproof.proofs import catalogue
from orderproof.proofs.catalogue import load
from orderproof.proofs.symbols import X

FIELDS = (  # operators that change a field of a statement
    "other relation", "every or some", "sides swapped", "no hypothesis", "weaker hypothesis",
    "other hypothesis", "no condition", "contrary condition", "∀ for ∃", "∃ for ∀",
    "size lowered", "size raised", "size added", "size removed", "every size from",
)  # fmt: skip
# What `make prove` checks of every theorem, quick tests check of these; the others are marked slow.
FIVE = (
    "sum_act", "self_attention_equivariant", "not_invariant_self_attention",
    "not_equivariant_of_sinusoidal_position", "sinusoidal_shift_is_rotation",
)  # fmt: skip
each_theorem = pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=[pytest.mark.xdist_group(n)] + [pytest.mark.slow] * (n not in FIVE))
        for n in catalogue.IDS
    ],
)  # one process checks a theorem once, for all tests of it


@cache
def loaded(name: str) -> TheoremFile:
    """A theorem file."""
    return load(name)


def main_claim() -> Claim:
    """Z′ = P Z"""
    return loaded("self_attention_equivariant").claims[0]


def under_hypothesis() -> Claim:
    """P E = E ⇒ Z′ = P Z"""
    return loaded("equivariant_of_fixed_position_table").claims[0]


def mark(check: Check, claim: Claim) -> Mark:
    """What the check says, weighed against the claim."""
    return run(check, "toy", claim)


def ok(check: Check, claim: Claim) -> bool | None:
    """Whether the mark is green (None: undecided)."""
    return mark(check, claim).ok


def said(check: Check, claim: Claim) -> tuple[bool | None, str]:
    """The same with its words."""
    found = mark(check, claim)
    return found.ok, found.detail


def claiming(theorem: TheoremFile, *claims: Claim) -> TheoremFile:
    """The theorem with these claims, and no words."""
    return replace(theorem, claims=claims, words=(), iffs=())


def toy(**changed: Any) -> Claim:
    """X = X, or what is changed in it."""
    return holds(X, "=", X, {}).stating(**changed)


def answering(ok: bool | None, sweep: bool = False) -> Check:
    """A check that says this of every statement, and states it."""
    return lambda s: Evidence(ok, "as told", s if ok else None, sweep)
