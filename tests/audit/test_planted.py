"""What the audit plants: enough, beside every theorem and mark, and the same every time."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache

import pytest

from orderproof.audit import judge as audit
from orderproof.audit import planted as audit_claims
from orderproof.audit.fields import changed
from orderproof.audit.planted import Planted
from orderproof.proofs import catalogue
from tests.judged import FIELDS


@cache
def everything() -> dict[str, list[Planted]]:
    """All that is planted beside every theorem."""
    return {name: audit_claims.planted(catalogue.load(name), audit.EACH) for name in catalogue.IDS}


@pytest.mark.slow
@pytest.mark.xdist_group("planted")
def test_enough_is_planted() -> None:
    """The audit would be a handful of examples; or a field would never be changed."""
    every = [p for planted in everything().values() for p in planted]
    assert len(every) >= 2000
    assert {p.operator for p in every} >= {
        "by hand", "contrary", "stale evidence", "other index set", "inner act", "throughout",
        "same sides", *FIELDS,
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.xdist_group("planted")
def test_every_theorem_and_every_mark_is_audited() -> None:
    """A theorem, or a mark of one, would never meet a falsehood."""
    for name, planted in everything().items():
        theorem = catalogue.load(name)
        assert len(planted) >= 3 or not theorem.claims  # headlines alone: Rocq's own mutants
        beside = [beside.claim for beside in theorem.neighbours]
        carried = {mark for claim in (*theorem.claims, *beside) for mark in claim.marks}
        assert {mark for p in planted for mark in p.claim.marks} == carried


@pytest.mark.slow
@pytest.mark.xdist_group("planted")
def test_every_field_of_every_statement_is_changed() -> None:
    """A hypothesis, a size or a quantifier could be typed wrongly, and nobody would ask."""
    for name, planted in everything().items():
        own = {p.claim.statement for p in planted}
        true = {c.statement for c in catalogue.load(name).claims}
        for s in true:
            assert {x for _, _, x in changed(s)} - true <= own, name


@pytest.mark.slow
@pytest.mark.xdist_group("planted")
def test_nothing_true_is_planted_twice() -> None:
    """A claim of the book would be planted as a falsehood beside itself."""
    for name, planted in everything().items():
        true = {c.statement for c in catalogue.load(name).claims}
        stated = [p.claim.statement for p in planted if p.operator != "stale evidence"]
        assert not true & set(stated) and len(set(stated)) == len(stated)


def test_the_sample_is_the_same_every_time() -> None:
    """Two runs of the audit would plant different falsehoods."""
    theorem = catalogue.load("perm_transpose_mul")
    first, second = ([str(p.where) for p in audit_claims.planted(theorem, 9)] for _ in range(2))
    assert first == second


PRINT = """
import sys
from orderproof.proofs import catalogue
from orderproof.audit import judge as audit
from orderproof.audit import planted as audit_claims
audit.mutated_obligations = lambda: []
for name in sys.argv[1].split():
    catalogue.load(name)
for name in ("mask_transport", "naturality_of_fixed_index"):
    for p in audit_claims.planted(catalogue.load(name), audit.EACH):
        print(p.operator, "|", p.where)
print([str(o) for o in audit.audit(["pooling_invariant"], jobs=int(sys.argv[2]))])
"""


@pytest.mark.slow
def test_two_runs_are_the_same() -> None:
    """What is planted, or a mark's answer, would depend on the order of sets in memory, on what
    was built before, or on the number of processes."""
    runs = [
        subprocess.run(
            [sys.executable, "-c", PRINT, before, jobs],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        ).stdout
        for seed, before, jobs in (
            ("1", "", "1"),
            ("2", "encoder_block_equivariant cross_attention_equivariant", "2"),
        )
    ]
    assert runs[0] == runs[1] and len(runs[0].splitlines()) > 100
