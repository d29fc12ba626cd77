"""The planted falsehoods among the laws behind chains: each is rejected or true for a reason."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from orderproof.audit import laws as audit_obligations
from orderproof.audit.laws import (
    PlantedLemma,
    laws,
    mutated_obligations,
    proved,
    refusal,
    refuted_small,
)


def test_what_is_planted(behind: None) -> None:
    """Fewer changes would be tried than are told, or a law be left out."""
    planted = list(mutated_obligations())
    count = Counter(p.operator for p in planted)
    assert len(planted) > 10 * len(laws()) > 0
    assert {p.lemma for p in planted} >= {s.name for s in laws() if s.kind == "induction"}
    for operator in ("range later", "range earlier", "base later", "step later", "no hypothesis",
                     "no base", "nothing given", "other side"):  # fmt: skip
        assert count[operator] >= 1, operator
    assert len(set(planted)) == len(planted)


def test_every_planted_falsehood_is_rejected(behind: None) -> None:
    """A gap between base and step, a law that is used beyond its range, or a false one, would give
    a green mark."""
    for p in mutated_obligations():
        assert refusal(p) or proved(p), (p.lemma, p.operator)


def test_gaps_are_refused_although_all_is_proved(behind: None) -> None:
    """A base at 0 and a step from 1 would do: each is true, and the two prove nothing."""
    gaps = [p for p in mutated_obligations() if p.operator == "step later"]
    assert gaps
    for p in gaps:
        assert "not made of one formula" in refusal(p), p.lemma


def test_true_laws_are_accepted(behind: None) -> None:
    """The audit would reject whatever it is shown."""
    for law, before in laws().items():
        if law.kind != "axiom":
            true = PlantedLemma("", law, before)
            assert not refusal(true) and proved(true), law.name
            assert not any(refuted_small(o) for o in law.obligations)


def test_a_false_law_that_is_proved_is_no_equivalent(
    few_laws: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A solver that proves everything would have its falsehoods called true."""
    law = next(law for law in laws() if law.kind == "induction")
    o = law.obligations[0]
    false = replace(o, assume=(), goal=o.goal == (o.goal != o.goal))
    with monkeypatch.context() as patch:
        patch.setattr(audit_obligations, "refuted_small", lambda o: True)
        assert proved(PlantedLemma("", law, laws()[law])) == ""
    assert refuted_small(false)
