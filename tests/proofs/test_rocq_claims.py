"""What a rocq mark is about: a claim that changed is no longer the one that was recorded."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from orderproof.proofs import catalogue, rocq_claims
from orderproof.proofs.claims import Claim, TheoremFile
from orderproof.symbolic.language import number, permutation
from orderproof.symbolic.terms import Set, at


@cache
def loaded(name: str) -> TheoremFile:
    """A theorem of the catalogue."""
    return catalogue.load(name)


def claims(wanted: str) -> Iterator[Claim]:
    """The claims that carry such a mark, each theorem's planted neighbours among them."""
    for name in catalogue.IDS:
        t = loaded(name)
        planted = [n.claim for n in (t.neighbour, *t.neighbours)]
        yield from (c for c in (t.claims if wanted == "true" else planted) if c.rocq or c.push)


def test_record() -> None:
    """A claim changed, and what was read beside its headline did not. In a process of its own: the
    words list tensors in the order in which terms were built, which other tests change."""
    ran = [sys.executable, "-m", "orderproof.proofs.rocq_claims"]
    done = subprocess.run(ran, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 0)
    digests = [
        {name: [entry["sha256"] for entry in entries] for name, entries in found.items()}
        for found in (rocq_claims.record(map(loaded, catalogue.IDS)), rocq_claims.recorded())
    ]
    assert digests[0] == digests[1]


def test_a_change_is_seen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The record would be compared with itself."""
    before = rocq_claims.recorded()
    monkeypatch.setattr(rocq_claims, "recorded", lambda: {**before, "sum_act": []})
    assert rocq_claims.main([]) == 1
    assert "sum_act: its claims are not those" in capsys.readouterr().out


def test_true_claims_are_known() -> None:
    """A claim that did not change would lose its mark."""
    found = list(claims("true"))
    assert all(rocq_claims.known(c) for c in found if c.rocq)
    assert all(rocq_claims.certifies(c) for c in found if c.push)


def test_planted_neighbours_are_not() -> None:
    """A falsehood would have the mark of the truth beside it."""
    found = list(claims("planted"))
    assert len(found) > 15
    for claim in found:
        assert not rocq_claims.known(claim) and not rocq_claims.certifies(claim)


@pytest.mark.parametrize("name", ["sum_act", "softmax_conjugate", "not_invariant_self_attention"])
def test_each_part_of_a_claim_counts(name: str) -> None:
    """A side, a hypothesis, a size or the sign would change unseen."""
    claim = (*loaded(name).claims, *loaded(name).claims)[1 if name == "softmax_conjugate" else -1]
    (axis, over) = next(iter(claim.lhs.sets.items()), (None, Set("n")))
    changes = [
        {"rhs": number(7)},
        {"lhs": claim.rhs, "rhs": claim.lhs},
        {"relation": "≠" if claim.relation != "≠" else "="},
        {"sizes": {**claim.sizes, over: ("≥", (5,))}},
        {"kind": "another"},
        {"hyps": frozenset({(claim.rhs, claim.rhs)})},
    ]
    if axis is not None:
        changes.append({"lhs": at(claim.lhs, {axis: permutation("rho", over)(axis)})})
    for change in changes:
        changed = replace(claim, **change)
        assert not rocq_claims.known(changed), change
        fewer = "sizes" in change  # the certificate is about all of them
        assert changed.push is None or rocq_claims.certifies(changed) == fewer, change


def test_what_is_asked_of_tensors_counts() -> None:
    """The claim for every ε would have the mark of the claim for ε > 0."""
    claim = next(c for c in loaded("encoder_block_equivariant").claims if c.tables)
    assert rocq_claims.known(claim) and not rocq_claims.known(replace(claim, tables={}))


def test_the_digest_depends_on_the_claim_alone() -> None:
    """The record would differ from run to run, with what was built before."""
    program = (
        "from orderproof.proofs import catalogue, rocq_claims as r;"
        "print(r.digest(catalogue.load('self_attention_equivariant').claims[0]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == rocq_claims.digest(loaded("self_attention_equivariant").claims[0])
