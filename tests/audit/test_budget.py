"""The budget of the audit: what is undecided within it counts as rejected, so it is to suffice for
what is true."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from orderproof.audit import judge
from orderproof.check.claims import Claim
from orderproof.proofs.catalogue import IDS
from orderproof.symbolic.smt.chain import ByChain
from tests.judged import loaded, mark

TWO = ("sum_act", "two_causal_layers_see_order")


def chains(*names: str) -> Iterator[tuple[str, Claim, ByChain]]:
    """The claims of theorems with a mark by a chain, and that mark."""
    for name in names:
        for claim in loaded(name).claims:
            for check in claim.marks.values():
                if isinstance(check, ByChain):
                    yield name, claim, check


@pytest.mark.parametrize(
    ("names", "least"), [(TWO, 2), pytest.param(IDS, 20, marks=pytest.mark.slow)]
)
def test_the_budget_of_falsehoods_settles_what_is_true(names: tuple[str, ...], least: int) -> None:
    """A falsehood would count as rejected since nobody can prove anything with so little."""
    found = [
        (name, mark(replace(check, budget=judge.FALSEHOOD), claim))
        for name, claim, check in chains(*names)
    ]
    assert len(found) >= least
    assert not [(name, m.detail) for name, m in found if not (m.ok and m.settles)]
