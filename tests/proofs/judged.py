"""What tests of marks share: a check put before a claim, and weighed against its statement."""

from __future__ import annotations

from functools import cache

from orderproof.proofs import catalogue
from orderproof.proofs.checking import run
from orderproof.proofs.claims import Check, Claim, TheoremFile
from orderproof.proofs.pages import Mark


@cache
def loaded(name: str) -> TheoremFile:
    """A theorem file."""
    return catalogue.load(name)


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
