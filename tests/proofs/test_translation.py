"""What is made of offsets is the same further on as the offsets are: no hypothesis is left."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orderproof.check.claims import StuckError
from orderproof.proofs.offsets.offsets import FURTHER_ON, OFFSET, kept, same_offsets, turned
from orderproof.symbolic.models.builders import multiply, number
from orderproof.symbolic.statements.evidence import Evidence, weigh
from orderproof.symbolic.statements.logic import LogicError
from tests.judged import loaded


def test_no_claim_rests_on_the_offsets() -> None:
    """The equation of offsets would be a hypothesis, which a reader could take for one about t."""
    alibi, relative = (loaded(f"offset_invariant_of_{x}") for x in ("alibi", "relative_positions"))
    claims = [*alibi.claims, *relative.claims]
    assert [len(c.statement.given) for c in claims] == [0, 0, 0, 0]
    for claim in claims[1:]:
        found = weigh(claim.statement, claim.marks["smt"](claim.statement))
        assert found.ok is True and found.settles, found.detail


def test_offsets_must_be_those_of_the_model() -> None:
    """Another equation would be put in place of the one that the model's theorem needs; or one that
    was refuted, or only tried."""
    offsets = same_offsets()
    two = number(2)
    doubled = offsets.stating(lhs=multiply(two, FURTHER_ON), rhs=multiply(two, OFFSET))
    found = weigh(doubled.statement, doubled.marks["smt"](doubled.statement))
    assert found.ok is True and found.settles  # true, and another equation
    with pytest.raises(StuckError, match="in it"):
        kept(turned, doubled, "i", "k")
    whole = offsets.statement
    refuted, tried = Evidence(False, "no", whole), Evidence(True, "some cases", whole, sweep=True)
    claim = kept(turned, replace(offsets, marks={"smt": lambda _: refuted}), "i", "k")
    assert claim.marks["smt"](claim.statement).ok is False
    claim = kept(turned, replace(offsets, marks={"smt": lambda _: tried}), "i", "k")
    with pytest.raises(LogicError, match="not established"):
        claim.marks["smt"](claim.statement)
