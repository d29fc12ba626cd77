"""Positions that travel and documents in parallel: the hypotheses by hand, and each one needed."""

from __future__ import annotations

from fractions import Fraction

import pytest

from orderproof.proofs.documents_in_parallel import PLANS, broken, theorem
from orderproof.proofs.positions_that_travel import EQUAL, MODELS
from orderproof.proofs.positions_that_travel import theorem as travelling
from orderproof.symbolic.statement import kind
from tests.proofs.judged import ok


def mean(weights: list[Fraction], values: list[Fraction]) -> Fraction:
    """A weighted mean."""
    total = sum(weights, Fraction())
    return sum((w * v for w, v in zip(weights, values, strict=True)), Fraction()) / total


def test_ids_that_go_on_by_hand() -> None:
    """The witness would not be that of documents at 0 and 1 against 1 and 0, a query at 1."""
    one = Fraction(1)
    for ids, said in (((0, 1), Fraction(2)), ((1, 0), Fraction(17, 7))):
        tokens = [1 + ids[0] * one, 0 + ids[1] * one, one]  # the query reads itself too
        weights = [Fraction(2) ** int(t) for t in tokens]
        assert 1 + mean(weights, tokens) == said
    (mark,) = [m for name, m in broken(next(iter(PLANS))).marks.items() if name == "exact"]
    assert "17/7 ≠ 2" in mark(broken(next(iter(PLANS))).statement).detail


@pytest.mark.parametrize("dropped", PLANS)
def test_each_hypothesis_is_needed(dropped: str) -> None:
    """A hypothesis would be asked for that nothing depends on."""
    claim = broken(dropped)
    assert all(ok(check, claim) is True for check in claim.marks.values())
    assert claim.lhs != claim.rhs and kind(claim.statement) == "exists"


def test_claims() -> None:
    """A depth, or a kind of position term, would not be proved."""
    claims = theorem().claims
    assert [kind(c.statement) for c in claims] == ["equality"] * 5 + ["exists"] * len(PLANS)
    assert all("kernel" in c.marks for c in claims[:2])
    assert len(travelling().claims) == len(MODELS) + len(EQUAL)
    equations = [a for c in travelling().claims for a in c.statement.given if a.relation == "="]
    assert equations == []
