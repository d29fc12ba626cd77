"""The audit turns red: for a weak mark, a broken one, and every family of falsehoods."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from orderproof.audit import judge as audit
from orderproof.audit import planted as audit_claims
from orderproof.audit.attempts import weight
from orderproof.audit.judge import SETTLED, Outcome, judge
from orderproof.audit.operators import FUNCTIONS, MOTIONS, SYMBOLS
from orderproof.audit.planted import Original, Planted
from orderproof.check.claims import Claim
from orderproof.check.sampling import generators
from orderproof.proofs import catalogue
from orderproof.proofs.symbols import SELF, sigma
from orderproof.symbolic.calculus.terms import at
from orderproof.symbolic.models.builders import inverse, moved, tensor
from orderproof.symbolic.statements.evidence import Evidence
from orderproof.symbolic.statements.statement import Statement
from tests.judged import FIELDS

SMALL = ("perm_transpose_mul", "softmax_conjugate", "not_invariant_self_attention")
SHOWING = (  # theorems that have a falsehood of each family, and take no time
    "sum_act", "perm_transpose_mul", "qkv_equivariant", "softmax_conjugate",
    "not_invariant_self_attention", "pooling_invariant", "naturality",
    "equivariant_of_fixed_position_table", "additive_position_iff", "causal_last_token_invariant",
    "not_equivariant_of_causal_mask",
)  # fmt: skip
FAMILIES = (
    "by hand", "contrary", "stale evidence", "other index set", "inner act", "same sides",
    *FIELDS, *MOTIONS, *SYMBOLS, *FUNCTIONS,
)  # fmt: skip
TRUE_ALWAYS = {  # families of which all mutants of these theorems are true, with a reason
    "sides swapped",
    "size raised",
    "no condition",
    "∃ for ∀",
    "size removed",
}
QUICK = ("by hand", "P for its transpose")  # beside the first of SMALL already
RARE = {"other part"}  # needs a sum of a set with itself: see the tests of operators


@cache
def found() -> list[Outcome]:
    """The audit of a few theorems."""
    return audit.audit(SMALL, jobs=1)


@cache
def families(names: tuple[str, ...] = SHOWING) -> dict[str, list[Planted]]:
    """What is planted beside these theorems, by family, small ones first."""
    made: dict[str, list[Planted]] = {}
    for name in names:
        for p in audit_claims.planted(catalogue.load(name), audit.EACH):
            made.setdefault(p.operator, []).append(p)
    return {f: sorted(ps, key=lambda p: weight(p.claim.lhs)) for f, ps in made.items()}


def main() -> Claim:
    """Z′ = P Z."""
    return catalogue.load("self_attention_equivariant").claims[0]


def mutant(claim: Claim, of: Claim | None = None, **changed: Any) -> Planted:
    """A claim with other sides, as an operator on terms would plant it."""
    marks = changed.pop("marks", claim.marks)
    return Planted(
        "toy", "here", replace(claim.stating(**changed), marks=marks), Original(of or claim, 0)
    )


FALSE = {"rhs": moved(SELF.Z, i=inverse(sigma))}


def accepts(s: Statement) -> Evidence:
    """A mark that says yes to everything."""
    return Evidence(True, "", s)


# ------------------------------------------------------------------------------------ it can fail
@pytest.mark.slow  # all laws; `make audit` does this for all theorems
@pytest.mark.xdist_group("audit of a few theorems")
def test_all_are_rejected_or_true_for_a_reason() -> None:
    """A mark of the book would accept a falsehood."""
    assert [str(o) for o in found() if o.status not in ("rejected", "equivalent", "open")] == []
    assert all(o.answers or o.reason for o in found())


@pytest.mark.parametrize("weak", sorted(main().marks))
def test_a_weak_mark_is_caught(weak: str) -> None:
    """A mark that is always green would go unnoticed, beside others that do their work."""
    honest = judge("toy", mutant(main(), **FALSE))
    assert honest.status == "rejected"
    assert {m for m, _, _ in honest.answers} == {*main().marks}
    outcome = judge("toy", mutant(main(), marks={**main().marks, weak: accepts}, **FALSE))
    assert outcome.status == "SURVIVED" and (weak, "anew", SETTLED) in outcome.answers


def test_both_kinds_of_evidence_meet_the_falsehood() -> None:
    """Evidence of the true claim would settle a falsehood (stale), or only that be looked at."""
    answers = {(m, how) for m, how, _ in judge("toy", mutant(main(), **FALSE)).answers}
    assert answers == {(m, how) for m in main().marks for how in ("stale", "anew")}


def test_a_mark_that_reports_another_statement_is_caught() -> None:
    """Evidence that names the statement that it is asked about, and has looked at another, would
    be green both times."""
    claim = main()

    def credulous(s: Statement) -> Evidence:
        return replace(claim.marks["kernel"](claim.statement), states=s)

    outcome = judge("toy", mutant(claim, marks={"kernel": credulous}, **FALSE))
    assert outcome.status == "SURVIVED"


@pytest.mark.parametrize(
    ("ok", "status"), [(False, "rejected"), (None, "SURVIVED"), (True, "SURVIVED")]
)
def test_undecided_is_no_rejection(ok: bool | None, status: str) -> None:
    """ "I do not know" would count as "no"."""
    marks = {"toy": lambda s: Evidence(ok, "said", s)}
    own = Planted("toy", "here", replace(main().stating(**FALSE), marks=marks))
    assert judge("toy", own).status == status


def test_a_mark_that_breaks_down_is_not_counted() -> None:
    """An error would be taken for a rejection, or for a mark that said no."""

    def broken(s: Statement) -> Evidence:
        raise KeyError("gone")

    own = Planted("toy", "here", replace(main().stating(**FALSE), marks={"toy": broken}))
    outcome = judge("toy", own)
    assert outcome.status == "SURVIVED" and "broke down: KeyError" in str(outcome)
    (row,) = audit.rows([outcome])
    assert row.rejected["toy"] == (0, 1) and row.survived == 1


def test_a_claim_without_marks_is_not_rejected() -> None:
    """A falsehood that stood before no mark would count as rejected by all of them."""
    own = Planted("toy", "here", replace(main().stating(**FALSE), marks={}))
    assert judge("toy", own).status == "SURVIVED"


@pytest.mark.parametrize(
    "family",
    [
        pytest.param(f, marks=pytest.mark.xdist_group("families"))
        if f in QUICK
        else pytest.param(f, marks=[pytest.mark.slow, pytest.mark.xdist_group("families")])
        for f in sorted({*FAMILIES} - TRUE_ALWAYS - RARE)
    ],
)
def test_a_mark_that_accepts_everything_turns_it_red(family: str) -> None:
    """A falsehood of this family would pass before a mark that looks at nothing."""
    p = next(
        p
        for p in families(SMALL[:1] if family in QUICK else SHOWING)[family]
        if p.swept
        and weak(p, *p.claim.marks).status == "SURVIVED"
        and judge("toy", p).status in ("rejected", "open")
    )
    for mark in p.claim.marks:
        outcome = weak(p, mark)
        assert outcome.status == "SURVIVED" and (mark, "anew", SETTLED) in outcome.answers


def weak(p: Planted, *marks: str) -> Outcome:
    """What is said where these marks accept everything."""
    others = {**p.claim.marks, **dict.fromkeys(marks, accepts)}
    return judge("toy", replace(p, claim=replace(p.claim, marks=others)))


@pytest.mark.slow  # all theorems
def test_every_family_is_here() -> None:
    """A family would have no test that it turns the audit red."""
    names = [n for n in catalogue.IDS if "encoder" not in n]  # nothing of its own, and large
    every = {p.operator for n in names for p in audit_claims.planted(catalogue.load(n), 3)}
    # true wherever they are planted, by theorems and by identity alone
    assert every - {*FAMILIES} <= {"throughout", "all moved", "other hypothesis"}


@pytest.mark.xdist_group("families")
def test_throughout_is_true_by_theorems_alone() -> None:
    """A change of both sides would be called true because a mark says so."""
    for p in families(SHOWING[:4])["throughout"][:3]:
        silent = replace(p.claim, marks=dict.fromkeys(p.claim.marks, accepts))
        assert "a theorem of the kernel" in judge("toy", p).reason
        assert "a theorem of the kernel" in judge("toy", replace(p, claim=silent)).reason
        other = p.claim.stating(rhs=tensor("other", **dict(p.claim.rhs.sets)))
        assert judge("toy", replace(p, claim=other)).status != "equivalent"


def test_the_column_softmax_is_found_to_be_true() -> None:
    """The equivalent that everyone forgets would be missing, or be listed without a proof."""
    theorem = catalogue.load("softmax_conjugate")
    (column,) = [
        p
        for p in audit_claims.planted(theorem, 0)
        if p.operator == "throughout" and p.where.startswith("by columns") and p.of
        and p.of.number == 0
    ]  # fmt: skip
    assert column.claim.lhs != theorem.claims[0].lhs
    outcome = judge("toy", column)
    assert outcome.status == "equivalent" and "a theorem of the kernel" in outcome.reason


# ------------------------------------------------------------------------- lemmas, and P against Pᵀ
def test_a_law_that_is_proved_falsely_is_caught(
    few_laws: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A solver that proves everything would go unnoticed."""
    some = list(audit.mutated_obligations())[:12]
    assert {o.status for o in audit.judge_lemmas(some)} <= {"rejected", "equivalent"}
    monkeypatch.setattr(audit, "refusal", lambda p: "")
    monkeypatch.setattr(audit, "proved", lambda p: "")
    assert {o.status for o in audit.judge_lemmas(some)} == {"SURVIVED"}


@pytest.mark.slow  # all laws
@pytest.mark.xdist_group("audit of a few theorems")
def test_only_a_3_cycle_tells_p_from_its_transpose() -> None:
    """P in place of Pᵀ would be rejected for another reason, or could be told by swaps."""
    swaps = [o for o in found() if o.swaps is not None]
    assert swaps and all(o.swaps and o.status == "rejected" for o in swaps)
    assert audit.passes_by_swaps(main().stating(rhs=SELF.Z).statement) is False
    assert any(g[g[i]] != i for g in generators(3) for i in range(3))


@pytest.mark.parametrize(
    "name",
    [
        "cross_attention_equivariant",
        pytest.param("kernel_attention_equivariant", marks=pytest.mark.slow),
    ],
)
def test_swaps_are_tried_where_there_are_many_widths(name: str) -> None:
    """No size would be small enough, and "told apart by swaps" would be said of nothing tried."""
    planted = audit_claims.planted(catalogue.load(name), audit.EACH)
    false = [p for p in planted if p.operator == audit.TRANSPOSE and "sympy" in p.claim.marks]
    assert false and all(audit.passes_by_swaps(p.claim.statement) for p in false)


def test_a_place_is_no_permutation() -> None:
    """A falsehood about one place would be looked at for all."""
    t = at(SELF.Z, {"i": sigma("i")})
    assert audit.passes_by_swaps(main().stating(lhs=t, rhs=SELF.Z).statement) is False
