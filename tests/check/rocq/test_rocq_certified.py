"""What a certificate states: the claims that were pushed, and no other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from orderproof.check.claims import Claim
from orderproof.check.rocq.certificate import certified
from orderproof.proofs import catalogue
from orderproof.symbolic.calculus.terms import Set, at
from orderproof.symbolic.models.builders import number, permutation
from orderproof.symbolic.statements.statement import Atom, Statement, sizes, uncovered
from tests.judged import loaded


def pushed(wanted: str) -> Iterator[Claim]:
    """The claims that were pushed, or the neighbours that are planted beside them."""
    for name in catalogue.IDS:
        t = loaded(name)
        planted = [n.claim for n in t.neighbours]
        yield from (c for c in (t.claims if wanted == "true" else planted) if c.push)


def reason(claim: Claim) -> str:
    """Why its certificate does not state a claim."""
    assert claim.push is not None
    return uncovered(certified(*claim.push), claim.statement)


def test_true_claims_are_certified() -> None:
    """A claim that did not change would lose its mark."""
    found = list(pushed("true"))
    assert len(found) > 50
    assert not [reason(c) for c in found if reason(c)]


def test_planted_neighbours_are_not() -> None:
    """A falsehood would have the certificate of the truth beside it."""
    found = list(pushed("planted"))
    assert len(found) > 15
    assert all(map(reason, found))


SELF, TABLE = "self_attention_equivariant", "additive_position_iff"


@pytest.mark.parametrize("name", [SELF, TABLE])
def test_each_part_of_a_claim_counts(name: str) -> None:
    """A side, a hypothesis, the sign or a quantifier would change unseen; fewer sizes and more
    hypotheses are covered."""
    claim = loaded(name).claims[0]
    assert claim.push is not None
    shown, s = certified(*claim.push), claim.statement
    (axis, over) = next(iter(s.atom.lhs.sets.items()))
    rho = permutation("rho", over)
    changed: list[Statement] = [
        replace(s, atom=replace(s.atom, rhs=number(7))),
        replace(s, atom=Atom(s.atom.rhs, "=", s.atom.lhs)),
        replace(s, atom=replace(s.atom, relation="≠")),
        replace(s, atom=replace(s.atom, lhs=at(s.atom.lhs, {axis: rho(axis)}))),
        replace(s, exists=frozenset(s.tensors[:1]), given=frozenset()),
    ]
    assert all(uncovered(shown, other) for other in changed)
    assert not uncovered(shown, replace(s, sizes=sizes({over: 5})))
    assert not uncovered(shown, s.under(Atom(s.atom.rhs, "=", s.atom.rhs)))


def test_a_dropped_hypothesis() -> None:
    """P E = E would be dropped, and the claim be certified."""
    claim = loaded(TABLE).claims[0]
    assert claim.push is not None and claim.statement.given
    bare = replace(claim.statement, given=frozenset())
    assert "it needs a hypothesis" in uncovered(certified(*claim.push), bare)


def test_the_statement_is_about_every_size() -> None:
    """A certificate would be for some sizes, and cover claims about all."""
    claim = loaded(SELF).claims[0]
    assert claim.push is not None
    assert certified(*claim.push).sizes == sizes()
    assert Set("n") in certified(*claim.push).sets
