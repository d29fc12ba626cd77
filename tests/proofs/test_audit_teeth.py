"""The audit turns red for every family of falsehoods, and is the same every time."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from functools import cache

import pytest

from orderproof.proofs import audit, audit_claims, catalogue
from orderproof.proofs.audit import judge
from orderproof.proofs.audit_derive import weight
from orderproof.proofs.audit_mutants import FUNCTIONS, MOTIONS, SYMBOLS, Planted
from orderproof.proofs.audit_rules import PLANTED_STEPS, Step
from orderproof.proofs.claims import Check, Claim
from orderproof.proofs.pages import Mark
from orderproof.proofs.vocabulary import SELF
from orderproof.symbolic import kernel
from orderproof.symbolic.language import tensor

FAMILIES = (
    "by hand", "other relation", "bound off by one", "no hypothesis", "stale lemma",
    "other index set", "inner act", "same sides", "all moved", *MOTIONS, *SYMBOLS, *FUNCTIONS,
)  # fmt: skip
SHOWING = (  # theorems that have a falsehood of each family, and take no time
    "sum_act", "perm_transpose_mul", "qkv_equivariant", "softmax_conjugate",
    "not_invariant_self_attention", "pooling_invariant", "naturality",
    "equivariant_of_fixed_position_table",
)  # fmt: skip


@cache
def families() -> dict[str, list[Planted]]:
    """What is planted beside these theorems, by family, small ones first."""
    found: dict[str, list[Planted]] = {}
    for name in SHOWING:
        for p in audit_claims.planted(catalogue.load(name), audit.EACH):
            found.setdefault(p.operator, []).append(p)
    return {f: sorted(ps, key=lambda p: weight(p.claim.lhs)) for f, ps in found.items()}


def accepts(claim: Claim) -> tuple[bool | None, str]:
    """A mark that says yes to everything."""
    return True, ""


def test_every_family_is_here() -> None:
    """A family would have no test that it turns the audit red."""
    names = [n for n in catalogue.IDS if "encoder" not in n]  # nothing of its own, and large
    every = {p.operator for n in names for p in audit_claims.planted(catalogue.load(n), 3)}
    assert every <= {*FAMILIES, "throughout"} and set(FAMILIES) <= set(families())


@pytest.mark.parametrize("family", FAMILIES)
def test_a_mark_that_accepts_everything_turns_it_red(family: str) -> None:
    """A falsehood of this family would pass before a mark that looks at nothing."""
    honest = ((p, judge("toy", p)) for p in families()[family] if _statement(p.claim))
    p, outcome = next((p, o) for p, o in honest if o.status == "rejected")
    for mark in p.claim.marks:
        marks = {**p.claim.marks, mark: accepts}
        weak = judge("toy", replace(p, claim=replace(p.claim, marks=marks)))
        assert weak.status == "SURVIVED" and dict(weak.answers)[mark] == audit.ACCEPTED
        assert dict(outcome.answers)[mark] == audit.REJECTED


def _statement(claim: Claim) -> bool:
    return claim.rhs.sets.items() <= claim.lhs.sets.items()


def test_sides_with_other_axes_are_refused_before_any_mark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where no mark gets to look, the marks would be credited; or the refusal would be missing."""
    p = next(p for p in families()["other index set"] if not _statement(p.claim))
    lenient = replace(p, claim=replace(p.claim, marks=dict.fromkeys(p.claim.marks, accepts)))
    for planted in (p, lenient):
        assert judge("toy", planted).answers == ((audit.AXES, audit.REJECTED),)
    monkeypatch.setattr(audit, "run", lambda check, mark, claim: Mark(mark, *_first(check, claim)))
    assert judge("toy", lenient).status == "SURVIVED"


def _first(check: Check, claim: Claim) -> tuple[bool | None, float, str]:
    ok, detail = check(claim)
    return ok, 0.0, detail


def test_throughout_is_true_by_theorems_alone() -> None:
    """A change of both sides would be called true because a mark says so."""
    for p in families()["throughout"][:6]:
        silent = replace(p.claim, marks=dict.fromkeys(p.claim.marks, accepts))
        assert "a theorem of the kernel" in judge("toy", p).reason
        assert "a theorem of the kernel" in judge("toy", replace(p, claim=silent)).reason
        without = replace(silent, rhs=tensor("other", **dict(silent.rhs.sets)))
        assert judge("toy", replace(p, claim=without)).status == "SURVIVED"


@pytest.mark.parametrize("step", [PLANTED_STEPS[0], PLANTED_STEPS[-1]])
def test_a_step_that_is_let_through_turns_it_red(
    step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rule that issues a theorem for any arguments would go unnoticed."""
    issued = kernel.unfold(SELF.A.node.op)
    through = replace(step, attempt=lambda: issued)
    monkeypatch.setattr(audit, "PLANTED_STEPS", (step, through))
    assert [o.status for o in audit.judge_steps()] == ["rejected", "SURVIVED"]


# ---------------------------------------------------------------------------------- the same again
PRINT = """
import sys
from orderproof.proofs import audit, audit_claims, catalogue
for name in sys.argv[1].split():
    catalogue.load(name)
for name in ("mask_transport", "naturality"):
    for p in audit_claims.planted(catalogue.load(name), audit.EACH):
        print(p.operator, "|", p.where)
print([str(o) for o in audit.audit(["pooling_invariant"], jobs=int(sys.argv[2]))])
"""


@pytest.mark.slow  # with all lemmas, three times
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
    assert runs[0] == runs[1] and len(runs[0].splitlines()) > 150


def test_a_record_that_knows_every_claim_turns_it_red(monkeypatch: pytest.MonkeyPatch) -> None:
    """A falsehood would have a rocq mark by the name of a theorem alone."""
    planted = next(p for p in families()["other relation"] if p.claim.rocq)
    assert ("rocq", "rejected") in judge("toy", planted).answers
    monkeypatch.setattr(audit, "known", lambda claim: True)
    assert ("rocq", "ACCEPTED") in judge("toy", planted).answers
