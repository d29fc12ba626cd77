"""The audit: it finds a weak mark, a broken one and a false reason; and it plants what it says."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from orderproof.proofs import audit, audit_claims, audit_mutants, catalogue
from orderproof.proofs.audit import Outcome, equivalent, judge
from orderproof.proofs.audit_derive import derived, outward, plain
from orderproof.proofs.audit_mutants import EVERYWHERE, FUNCTIONS, MOTIONS, SYMBOLS, Planted
from orderproof.proofs.audit_rules import MISUSES, PLANTED_STEPS, Step
from orderproof.proofs.claims import Claim
from orderproof.proofs.marks import by_kernel, by_sympy, generators
from orderproof.proofs.marks_numeric import by_numpy
from orderproof.proofs.vocabulary import CROSS, SELF, m, n, rho, sigma
from orderproof.symbolic import kernel
from orderproof.symbolic.architecture import shifted_softmax, softmax
from orderproof.symbolic.kernel import is_theorem
from orderproof.symbolic.language import (
    add,
    cat,
    inverse,
    moved,
    multiply,
    number,
    permutation,
    reduce,
    size,
    tensor,
    total,
)
from orderproof.symbolic.terms import Map, Set, Term, at, reachable

SMALL = ("perm_transpose_mul", "softmax_conjugate", "not_invariant_self_attention")


@cache
def found() -> list[Outcome]:
    """The audit of a few theorems."""
    return audit.audit(SMALL, jobs=1)


def main() -> Claim:
    """Z′ = P Z."""
    return catalogue.load("self_attention_equivariant").claims[0]


def mutant(claim: Claim, **changed: Any) -> Planted:
    """A claim changed by hand, as an operator would."""
    return Planted("toy", "here", replace(claim, **changed))


FALSE = {"rhs": moved(SELF.Z, i=inverse(sigma))}


# ------------------------------------------------------------------------------------ it can fail
def test_all_are_rejected_or_true_for_a_reason() -> None:
    """A mark of the book would accept a falsehood."""
    assert [str(o) for o in found() if o.status == "SURVIVED"] == []
    assert all(o.answers or o.reason for o in found())


def test_a_weak_mark_is_caught() -> None:
    """A mark that is always green would go unnoticed, beside others that do their work."""
    claim = main()
    honest = judge("toy", mutant(claim, **FALSE))
    assert honest.status == "rejected" and dict(honest.answers).keys() == {*claim.marks, "rocq"}
    for weak in claim.marks:
        marks = {**claim.marks, weak: lambda claim: (True, "")}
        outcome = judge("toy", mutant(claim, marks=marks, **FALSE))
        assert outcome.status == "SURVIVED" and dict(outcome.answers)[weak] == audit.ACCEPTED


def test_a_mark_that_only_compares_with_the_true_theorem_is_caught() -> None:
    """The kernel's mark would be shown the true claim's theorem alone, and one that takes any
    other theorem of the kernel for a proof would pass."""
    claim = main()

    def credulous(c: Claim) -> tuple[bool | None, str]:
        return is_theorem(c.theorem) and c.theorem is not claim.theorem, ""

    outcome = judge("toy", mutant(claim, marks={"kernel": credulous}, **FALSE))
    assert outcome.status == "SURVIVED"


@pytest.mark.parametrize(
    ("said", "status"),
    [((False, "no"), "rejected"), ((None, "perhaps"), "SURVIVED"), ((True, ""), "SURVIVED")],
)
def test_undecided_is_no_rejection(said: tuple[bool | None, str], status: str) -> None:
    """ "I do not know" would count as "no"."""
    assert judge("toy", mutant(main(), marks={"toy": lambda c: said}, **FALSE)).status == status


def test_a_mark_that_breaks_down_is_not_counted() -> None:
    """An error would be taken for a rejection."""

    def broken(claim: Claim) -> tuple[bool | None, str]:
        raise KeyError("gone")

    outcome = judge("toy", mutant(main(), marks={"toy": broken}, **FALSE))
    assert outcome.status == "SURVIVED" and "broke down: KeyError" in str(outcome)
    (row,) = audit.rows([outcome])
    assert row.rejected["toy"] == (0, 1) and row.survived == 1


def test_a_claim_without_marks_is_not_rejected() -> None:
    """A falsehood that stood before no mark would count as rejected by all of them."""
    assert judge("toy", mutant(main(), marks={}, **FALSE)).status == "SURVIVED"


def test_a_step_that_goes_through_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that lets a misuse through, or breaks down at it, would count as one that refuses."""
    good = Step("rule misuse", "sym", "none", lambda: kernel.unfold(SELF.A.node.op))
    bad = Step("rule misuse", "sym", "none", lambda: {}["gone"])
    monkeypatch.setattr(audit, "PLANTED_STEPS", (good, bad))
    assert [o.status for o in audit.judge_steps()] == ["SURVIVED", "SURVIVED"]


# -------------------------------------------------------------------------------- true after all
def test_a_false_reason_is_refused() -> None:
    """A falsehood would be called true: with a theorem about something else, with a forged one,
    with none; or a claim of the kernel by algebra alone."""
    claim = replace(main(), **FALSE)
    forged = replace(main().theorem, rhs=claim.rhs)  # type: ignore[type-var]
    for theorem in (None, claim.theorem, forged, kernel.sym(claim.theorem)):  # type: ignore[arg-type]
        assert equivalent(claim, theorem) == ""
    assert derived(claim)[0] is None
    by_algebra = replace(claim, marks={"sympy": by_sympy})
    assert equivalent(by_algebra, None) == ""
    assert equivalent(replace(claim, sizes={n: ("≥", (1,))}), None) == ""


def test_a_reason_does_not_ask_the_marks_of_the_claim() -> None:
    """A weak mark would be its own witness that a falsehood is true."""
    weak = {name: lambda claim: (True, "") for name in ("sympy", "numeric", "smt")}
    assert equivalent(replace(main(), marks=weak, **FALSE), None) == ""


def test_what_is_true_is_derived() -> None:
    """A mutant that is true would be called a falsehood that no mark rejects."""
    S = tensor("S", i=n, j=n)
    T = tensor("S", j=n, i=n)
    column = softmax(S, "i")
    true = [
        (total(moved(S, j=sigma), "j"), total(moved(S, j=inverse(sigma)), "j")),
        (softmax(moved(S, i=sigma, j=rho_of(n)), "i"), moved(column, i=sigma, j=rho_of(n))),
        (total(at(moved(S, j=sigma), {"j": rho_of(n)("j")}), "j"), total(S, "j")),
        (total(softmax(moved(S, j=sigma), "j"), "j"), total(softmax(S, "j"), "j")),
    ]
    false = [
        (softmax(moved(S, i=sigma), "j"), softmax(S, "j")),
        (softmax(moved(S, i=sigma, j=rho_of(n)), "i"), moved(column, i=rho_of(n), j=sigma)),
        (total(multiply(moved(S, j=sigma), T), "j"), total(multiply(S, T), "j")),
    ]
    for sides, holds in [(s, True) for s in true] + [(s, False) for s in false]:
        claim = Claim("equality", *sides, {"kernel": by_kernel}, "all n")
        theorem = derived(claim)[0]
        assert (theorem is not None) is holds
        assert by_numpy()(claim)[0] is holds
        assert bool(equivalent(claim, theorem)) is holds


def rho_of(over: Set) -> Map:
    """Another permutation of the tokens."""
    return permutation("rho", over)


def test_the_column_softmax_is_found_to_be_true() -> None:
    """The equivalent that everyone forgets would be missing, or be listed without a proof."""
    claim = catalogue.load("softmax_conjugate").claims[0]
    (column,) = [
        p
        for p in audit_claims.planted(catalogue.load("softmax_conjugate"), 0)
        if p.operator == "throughout" and p.where.startswith("by columns")
    ]
    assert column.claim.lhs != claim.lhs
    outcome = judge("toy", column)
    assert outcome.status == "equivalent" and "a theorem of the kernel" in outcome.reason


def test_by_algebra_is_of_claims_without_the_kernel() -> None:
    """The softmax shifted by the smallest score would be called false, or shifted and doubled
    true."""
    claim = catalogue.load("softmax_conjugate").claims[3]
    S = tensor("S", i=n, j=m)
    assert "kernel" not in claim.marks and claim.lhs == shifted_softmax(S, "j")
    assert equivalent(claim, None).startswith("by algebra at small sizes")
    double = replace(claim, lhs=add(claim.lhs, claim.lhs))
    assert equivalent(double, None) == ""


def test_outward_and_plain_are_theorems() -> None:
    """The tactic's own attempts would not be about the term that they were asked about."""
    t = total(softmax(moved(tensor("S", i=n, j=n), j=sigma), "j"), "j")
    for theorem in (outward(t), plain(t)):
        assert theorem is not None and is_theorem(theorem) and theorem.lhs.node is t.node
    stripped = plain(total(moved(tensor("S", i=n, j=n), j=sigma), "j"))
    assert stripped.rhs.node is total(tensor("S", i=n, j=n), "j").node


# ------------------------------------------------------------------------------------ P against Pᵀ
def test_only_a_3_cycle_tells_p_from_its_transpose() -> None:
    """P in place of Pᵀ would be rejected for another reason, or could be told by swaps."""
    swaps = [o for o in found() if o.swaps is not None]
    assert swaps and all(o.swaps and o.status == "rejected" for o in swaps)
    assert audit.passes_by_swaps(replace(main(), rhs=SELF.Z)) is False
    assert any(g[g[i]] != i for g in generators(3) for i in range(3))


# ------------------------------------------------------------------------------- what is planted
@cache
def everything() -> dict[str, list[Planted]]:
    """All that is planted beside every theorem."""
    return {name: audit_claims.planted(catalogue.load(name), audit.EACH) for name in catalogue.IDS}


def test_enough_is_planted() -> None:
    """The audit would be a handful of examples; or an operator would never be used."""
    every = [p for planted in everything().values() for p in planted]
    assert len(every) + len(PLANTED_STEPS) >= 250
    used = {p.operator for p in every}
    rare = {"other part"}  # needs a sum of a set with itself: see its own test
    assert used >= {*MOTIONS, *SYMBOLS, *FUNCTIONS} - rare
    assert used >= {
        "by hand", "other relation", "bound off by one", "no hypothesis", "stale lemma",
        "other index set", "inner act", "throughout", "same sides", "all moved",
    }  # fmt: skip
    assert {step.operator for step in PLANTED_STEPS} == {"rule misuse", "derivation step"}
    assert len(MISUSES) == 14 and all(len(m) >= 3 for m in MISUSES.values())


def test_every_theorem_and_every_mark_is_audited() -> None:
    """A theorem, or a mark of one, would never meet a falsehood."""
    for name, planted in everything().items():
        theorem = catalogue.load(name)
        assert len(planted) >= 3
        carried = {mark for claim in theorem.claims for mark in claim.marks}
        assert {mark for p in planted for mark in p.claim.marks} == carried


def test_nothing_true_is_planted_twice() -> None:
    """A claim of the book would be planted as a falsehood beside itself."""
    for name, planted in everything().items():
        true = {audit_claims._key(c) for c in catalogue.load(name).claims}
        keys = [audit_claims._key(p.claim) for p in planted if p.operator != "stale lemma"]
        assert not true & set(keys) and len(set(keys)) == len(keys)


def test_the_sample_is_the_same_every_time() -> None:
    """Two runs of the audit would plant different falsehoods."""
    theorem = catalogue.load("perm_transpose_mul")
    first, second = ([str(p.where) for p in audit_claims.planted(theorem, 9)] for _ in range(2))
    assert first == second


# -------------------------------------------------------------------------------- the operators
def context(*terms: Term) -> audit_mutants.Context:
    """What there is to be mixed up in terms."""
    whole = terms[0] if len(terms) == 1 else add(*terms)
    return audit_claims.context(Claim("equality", whole, whole, {}, "all n"))


S = tensor("S", i=n, j=n)
R = tensor("R", i=n, j=m)


@pytest.mark.parametrize(
    ("operator", "term", "expected"),
    [
        ("P for its transpose", moved(S, i=sigma), [moved(S, i=inverse(sigma))]),
        ("P for its transpose", moved(S, i=inverse(sigma)), [moved(S, i=sigma)]),
        ("P for its transpose", S, []),
        ("not moved", moved(R, i=sigma, j=rho), [moved(R, j=rho), moved(R, i=sigma)]),
        ("moved twice", moved(R, i=sigma), [moved(moved(R, i=sigma), i=sigma)]),
        ("other permutation", moved(R, i=sigma), [moved(R, i=permutation("pi", n))]),
        ("transposed", S, [S.rename({"i": "j", "j": "i"})]),
        ("transposed", R, []),
        ("by columns", softmax(R, "j"), [softmax(R, "i")]),
        ("by columns", softmax(tensor("s", j=n), "j"), []),
        ("other function", add(S, S), None),
        ("other reduction", total(S, "j"), [reduce("max", S, "j")]),
        ("other reduction", reduce("max", S, "j"), [total(S, "j")]),
        ("other constant", number(0), [number(1)]),
        ("other constant", size(n), [number(1)]),
        (
            "other part",
            cat(S.rename({"i": "c"}), tensor("T", c=n, j=n), "c"),
            [cat(tensor("T", c=n, j=n), S.rename({"i": "c"}), "c")],
        ),
        (
            "other part",
            at(tensor("U", c=Set("+", (n, n))), {"c": Map("inl", (n, n))("i")}),
            [at(tensor("U", c=Set("+", (n, n))), {"c": Map("inr", (n, n))("i")})],
        ),
    ],
)
def test_operator(operator: str, term: Term, expected: list[Term] | None) -> None:
    """An operator would change something else than it says, or nothing."""
    made = {**MOTIONS, **SYMBOLS, **FUNCTIONS}[operator](term, context(term))
    if expected is None:
        assert made and term not in made
    else:
        assert [(t.node, t.sets) for t in made] == [(t.node, t.sets) for t in expected]
        assert term not in made
    assert set(EVERYWHERE) <= set(FUNCTIONS)


def test_a_change_is_of_one_place() -> None:
    """A change of the keys would change the queries too, or the same node elsewhere."""
    claim = replace(main(), rhs=SELF.Z)
    c = audit_claims.context(claim)
    made = [
        new.lhs
        for site in audit_mutants.sites(claim)
        if site.side == "lhs"
        for new in audit_mutants.at_site(claim, site, MOTIONS["not moved"], c)
    ]
    still = [t for t in made if _moved_inputs(t) == 2]
    assert len(made) == len(set(made)) == 3 == len(still)  # queries, keys, values


def _moved_inputs(t: Term) -> int:
    """How many products with a weight take the moved tokens."""
    return sum(
        any(p.node.op.kind == "at" for p in node.args)
        for node in reachable(t.node)
        if node.op.data == ("mul", 2)
    )


def test_a_definition_is_changed_at_one_application() -> None:
    """A change inside softmax would change the softmax of the other side as well."""
    claim = replace(main(), lhs=CROSS.A, rhs=CROSS.A)
    c = audit_claims.context(claim)
    inside = [s for s in audit_mutants.sites(claim) if s.definition and s.side == "lhs"]
    made = [
        new
        for site in inside
        for new in audit_mutants.at_site(claim, site, FUNCTIONS["other function"], c)
    ]
    assert made and all(new.rhs == claim.rhs and new.lhs != claim.lhs for new in made)
