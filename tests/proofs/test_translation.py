"""What is made of offsets is the same further on as the offsets are: no hypothesis is left."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orderproof.check.claims import StuckError
from orderproof.proofs.offsets.offsets import FURTHER_ON, OFFSET, kept, relative, same_offsets
from orderproof.symbolic.models.builders import multiply, number
from orderproof.symbolic.statements.evidence import Evidence
from orderproof.symbolic.statements.logic import LogicError
from tests.judged import loaded, mark


def test_no_claim_rests_on_the_offsets() -> None:
    """The equation of offsets would be a hypothesis, which a reader could take for one about t."""
    claims = [
        claim
        for name in ("alibi", "relative_positions")
        for claim in loaded(f"offset_invariant_of_{name}").claims
    ]
    assert [len(c.statement.given) for c in claims] == [0, 0, 0, 0]
    for claim in claims[1:]:
        found = mark(claim.marks["smt"], claim)
        assert found.settles, found.detail


def test_offsets_must_be_those_of_the_model() -> None:
    """Another equation would be put in place of the one that the model's theorem needs; or one that
    was refuted, or only tried."""
    offsets = same_offsets()
    two = number(2)
    doubled = offsets.stating(lhs=multiply(two, FURTHER_ON), rhs=multiply(two, OFFSET))
    assert mark(doubled.marks["smt"], doubled).settles  # true, and another equation
    with pytest.raises(StuckError, match="in it"):
        kept(relative, doubled)
    whole = offsets.statement
    refuted, tried = (
        kept(relative, replace(offsets, marks={"smt": lambda _, found=found: found}))
        for found in (
            Evidence(False, "no", whole), Evidence(True, "some cases", whole, sweep=True)
        )
    )  # fmt: skip
    assert refuted.marks["smt"](refuted.statement).ok is False
    with pytest.raises(LogicError, match="not established"):
        tried.marks["smt"](tried.statement)
