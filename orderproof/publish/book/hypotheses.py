"""Hypotheses and conclusions of a claim apart, where several claims share many hypotheses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orderproof.check.page import ClaimPage, Formula

ARROW = r" \;\Rightarrow\; "
COMMA = r",\; "


def hypotheses(claim: ClaimPage, besides: Iterable[ClaimPage] = ()) -> list[Formula]:
    """The hypotheses of a claim that these others do not have, but for those that say of primed
    tensors what another says of the same without primes."""
    found = _hypotheses(claim)
    known = {h for other in besides for h in _hypotheses(other)}
    twins = [h for h in found if "'" in h and h.replace("'", "") in found]
    return [Formula(h, "") for h in found if h not in known and h not in twins]


def conclusion(claim: ClaimPage) -> Formula:
    """What a claim says under its hypotheses."""
    return Formula(claim.statement.latex.rpartition(ARROW)[2], "")


def shared(claims: Sequence[ClaimPage]) -> list[Formula]:
    """The hypotheses of all of several claims, if they have the same ones; else none."""
    first, *others = (_hypotheses(claim) for claim in claims)
    return [Formula(h, "") for h in first] if others and all(o == first for o in others) else []


def _hypotheses(claim: ClaimPage) -> list[str]:
    before = claim.statement.latex.rpartition(ARROW)[0]
    return before.split(COMMA) if before else []
