"""What stands beside a claim is of that claim: bound by its digest."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orderproof.check.prove.unchecked import unchecked
from orderproof.check.rocq.headlines import headline
from orderproof.proofs import catalogue
from orderproof.publish.web.beside import Beside, beside, source_of
from orderproof.symbolic.readings.rocq_statement import proposition


def test_a_claim_has_its_proposition_and_its_headline() -> None:
    """A reader would compare the claim with the statement of another."""
    theorem = catalogue.load("self_attention_equivariant")
    found = beside(unchecked(theorem))
    assert found.rocq[0].proposition == proposition(theorem.claims[0].statement)
    assert found.rocq[0].certificate and not found.rocq[0].by_hand
    name = "self_attention_equivariant"
    assert found.headlines == {name: headline(name).source}
    assert source_of(name) == "proofs/rocq/Headlines.v"


def test_of_another_statement_nothing_is_shown() -> None:
    """A page whose claim was changed would keep the proposition and the witness of the old one."""
    page = unchecked(catalogue.load("not_invariant_self_attention"))
    assert beside(page).rocq and beside(page).witnesses
    changed = replace(page.claims[0], digest="0" * 64)
    assert beside(replace(page, claims=(changed,))) == Beside()
    assert beside(replace(page, id="no_such_theorem")) == Beside()


def test_a_witness_is_the_marks() -> None:
    """The table would show other values than those at which the claim was checked."""
    theorem = catalogue.load("not_invariant_self_attention")
    w = beside(unchecked(theorem)).witnesses[0]
    check = theorem.claims[0].marks["exact"]
    told = check(theorem.claims[0].statement).detail  # ...; n = 2, ..., entry (1, 1): 1/2 ≠ 2/3
    sizes, _, entry = told.partition("; ")[2].partition(", entry ")
    assert w.at.startswith(sizes)
    place, _, sides = entry.partition(": ")
    row = next(r for r in w.sides.rows if r[0] == place)
    plain = [c if isinstance(c, str) else c.plain for c in row]
    assert " ".join(plain[1:]) == sides
    assert w.more == len(check.witnesses) - 1  # type: ignore[attr-defined]
    assert {name.plain for name, _ in w.tensors} == set(check.witnesses[0].tensors)  # type: ignore[attr-defined]


@pytest.mark.slow
def test_every_claim_of_the_catalogue_has_its_proposition() -> None:
    """A theorem's page would break on a claim that none of the tests above has."""
    for name in catalogue.IDS:
        page = unchecked(catalogue.load(name))
        found = beside(page)
        assert set(found.rocq) == {k for k, c in enumerate(page.claims) if not c.headline}
