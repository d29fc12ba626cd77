"""The planted falsehoods among the obligations: each is rejected, and the true ones are not."""

from collections import Counter
from dataclasses import replace

import pytest

from orderproof.proofs.audit_obligations import (
    SPARE,
    UNDECIDED,
    PlantedLemma,
    accounts,
    at_a_place,
    mutated_obligations,
    refusal,
    refuted_small,
)
from orderproof.symbolic.linked import unlinked

PLANTED = list(mutated_obligations())


def test_what_is_planted() -> None:
    """Fewer changes would be tried than are told, or a lemma be left out."""
    count = Counter(p.operator for p in PLANTED)
    assert len(PLANTED) == 597
    assert {p.lemma for p in PLANTED} >= {s.name for a in accounts() for s in a.schemas}
    for operator in ("range later", "range earlier", "base later", "step later", "no hypothesis",
                     "no base", "nothing given", "plus for minus", "≤ for <", "other neutral",
                     "other side", "without sum_update"):  # fmt: skip
        assert count[operator] >= 1, operator
    steps = [p for p in PLANTED if p.operator == "step later"]
    assert {p.lemma for p in steps} >= {"sum_permuted", "sum_update", "total", "row"}


@pytest.mark.parametrize("lemma", sorted({p.lemma for p in PLANTED}))
def test_every_planted_falsehood_is_rejected(lemma: str) -> None:
    """A gap between base and step, a lemma that is used beyond its range, or a false one, would
    give a green mark."""
    for p in PLANTED:
        if p.lemma == lemma:
            said = refusal(p)
            assert said and UNDECIDED not in said, (p.operator, said)


def test_gaps_are_refused_although_all_is_proved() -> None:
    """A base at 0 and a step from 1 would do: each is true, and the two prove nothing."""
    gaps = [p for p in PLANTED if p.operator == "step later"]
    assert gaps
    for p in gaps:
        assert all(o.check() for o in p.asked), p.lemma
        assert "not made of one formula" in refusal(p) == p.account.fault()


def test_true_accounts_are_accepted() -> None:
    """The audit would reject whatever it is shown."""
    for account in accounts():
        assert not refusal(PlantedLemma("", "", account, account.obligations))
        assert not any(refuted_small(o) for o in account.obligations)
        assert not account.fault() and not unlinked(account)


def test_what_is_spared_is_spare() -> None:
    """A use that is needed would be left out of the audit."""
    found = set()
    for account in accounts():
        for s in account.schemas:
            for k, u in enumerate(s.uses):
                if (s.name, u.of.name) in SPARE:
                    less = replace(s, uses=(*s.uses[:k], *s.uses[k + 1 :]))
                    assert all(at_a_place(o) or o.check() for o in less.obligations)
                    found.add((s.name, u.of.name))
    assert found == SPARE
