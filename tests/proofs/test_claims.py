"""Claims: how marks become verdicts, what a broken check counts for, what is printed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from orderproof.proofs import audit, catalogue, checking, results, terminal
from orderproof.proofs.checking import ERROR, run, verdict, weakest
from orderproof.proofs.claims import (
    Check,
    Claim,
    StuckError,
    TheoremFile,
    equality,
    equivariance,
    meets,
    nearby,
    pushing,
)
from orderproof.proofs.marks import by_kernel
from orderproof.proofs.pages import Mark
from orderproof.proofs.statements import given, stated, statement
from orderproof.proofs.vocabulary import SELF, TOKENS, Attention, X, as_keys, d, m, n, show, sigma
from orderproof.symbolic.language import add, image, leaf_of, moved, tensor
from orderproof.symbolic.tactic import fixed, refl

E = tensor("E", i=n, c=d)
OK, NO, OPEN = (Mark("kernel", ok, 0.0, "") for ok in (True, False, None))
OFF = Mark("numeric", False, 0.0, "")  # values were found at which the sides differ


def toy(**changed: Any) -> Claim:
    """X = X, or what is changed in it."""
    return replace(Claim("equality", X, X, {}, "all n"), **changed)


def answering(ok: bool | None) -> Check:
    """A check that says this of every claim."""
    return lambda claim: (ok, "as told")


# -------------------------------------------------------------------------------------- verdicts
@pytest.mark.parametrize(
    ("marks", "expected", "outcome"),
    [
        ((OK,), "proved", "proved"),
        ((OK, OK), "proved", "proved"),
        ((), "proved", "open"),
        ((OPEN,), "proved", "open"),
        ((OK, OPEN), "proved", "open"),
        ((NO,), "proved", "open"),
        ((OK, NO), "proved", "open"),
        ((OFF,), "proved", "refuted"),
        ((OK, OFF), "proved", "refuted"),
        ((OFF, OPEN), "proved", "refuted"),
        ((OK,), "refuted", "refuted"),
        ((), "refuted", "open"),
        ((OK, OPEN), "refuted", "open"),
        ((OK, NO), "refuted", "open"),
        ((OK, OFF), "refuted", "open"),
    ],
)
def test_verdict(marks: tuple[Mark, ...], expected: str, outcome: str) -> None:
    """A claim would be called proved without a mark, past an undecided one, or past a failure."""
    assert verdict("equality", marks, expected) == outcome


def test_evidence_alone_proves_nothing() -> None:
    """Agreement in floats, or for small sizes, would be called a proof for all."""
    for mark in ("numeric", "sympy", "conjecture"):
        green = Mark(mark, True, 0.0, "")
        assert verdict("equality", [green], "proved") == "open"
        assert verdict("exists", [green], "proved") == "open"
    assert verdict("exists", [Mark("kernel", True, 0.0, "")], "proved") == "open"
    assert verdict("exists", [Mark("interval", True, 0.0, "")], "proved") == "proved"


def test_an_example_does_not_speak_for_every_size() -> None:
    """One counterexample at n = 2 would prove a claim about every n ≥ 2, or about every width."""
    theorem = catalogue.load("not_invariant_self_attention")
    (claim,) = theorem.claims
    alone = replace(claim, marks={"exact": answering(True)})
    assert checking.check(replace(theorem, claims=(alone,))).verdict == "open"
    least = dict.fromkeys(claim.sizes, ("∈", (2,)))
    small = replace(alone, sizes=least)
    assert checking.check(replace(theorem, claims=(small,))).verdict == "proved"
    without = replace(small, sizes=dict(list(least.items())[1:]))
    assert checking.check(replace(theorem, claims=(without,))).verdict == "open"


def test_a_proof_that_is_missing_refutes_nothing() -> None:
    """A file that Rocq did not check in time would be printed as a disproof."""
    for mark in ("kernel", "smt", "rocq", "sympy", "exact", "interval"):
        no = Mark(mark, False, 0.0, "")
        for kind in ("equality", "exists"):
            assert {verdict(kind, [no], e) for e in ("proved", "refuted")} == {"open"}


def test_a_push_that_proves_nothing_is_not_the_claim() -> None:
    """A tactic that returns t = t would make every theorem of the book "proved"."""
    trivial = replace(pushing(SELF.Z, TOKENS), theorem=refl(SELF.Z))
    claim = equivariance(SELF.Z, TOKENS, {"i": sigma}, trivial, {"kernel": by_kernel})
    assert run(by_kernel, "kernel", claim).ok is False


def test_a_claim_about_composites_is_not_one_about_generators() -> None:
    """Under a hypothesis, or with the permutation in the term, generators would be enough."""
    H = add(X, E)
    pushed = pushing(H, TOKENS, [fixed(E, i=sigma)])
    assert not equivariance(H, TOKENS, {"i": sigma}, pushed, {}).motion
    inside = add(X, moved(X, i=sigma))
    assert not equivariance(inside, TOKENS, {"i": sigma}, pushing(SELF.Z, TOKENS), {}).motion
    assert equivariance(SELF.Z, TOKENS, {"i": sigma}, pushing(SELF.Z, TOKENS), {}).motion


def test_each_claim_states_its_own_sizes_and_quantifier() -> None:
    """The quantifiers of one claim would be printed for another, weaker or of the other kind."""
    theorem = catalogue.load("not_cross_attention_of_keys_alone")
    first, second = theorem.claims
    wider = replace(first, sizes={**first.sizes, m: ("≥", (5,))})
    both = replace(theorem, claims=(wider, second))
    assert "m ≥" not in given(both).plain and "m ≥ 2" in given(theorem).plain
    assert [stated(c, both).plain[:7] for c in both.claims] == ["m ≥ 5: ", "m ≥ 2: "]
    equal = catalogue.load("cross_attention_equivariant").claims[0]
    mixed = replace(theorem, claims=(first, equal))
    assert "∃" in given(theorem).plain and "∃" not in given(mixed).plain
    assert "∃ " in stated(first, mixed).plain and "∃" not in stated(equal, mixed).plain


def test_what_is_quantified_alike_stands_together() -> None:
    """A statement would be long where it repeats itself, or one shape would be printed for tensors
    of several."""
    theorem = catalogue.load("two_causal_layers_see_order")
    assert re.search(r"d(_k)? = d(_k)? = 1,", given(theorem).plain)
    assert re.search(r"(W_Q, W_K|W_K, W_Q) ∈ ℝ\^\(d×d_k\), ", given(theorem).plain)
    one = catalogue.load("causal_last_token_invariant")
    assert r"g \in \mathbb{R}^{n \times (n+1)}" in given(one).latex
    apart = replace(theorem.claims[0], sizes={**theorem.claims[0].sizes, d: ("∈", (2,))})
    sizes = given(replace(theorem, claims=(apart, apart))).plain
    assert "d = 2, " in sizes and "d_k = 1, " in sizes and "n ∈ {2, 3, 4, 5, 6, 7}, " in sizes


def test_a_long_list_of_tensors_that_exist_is_cut() -> None:
    """A claim that there are such tensors would be buried under their names, or a short list would
    lose some."""
    theorem = catalogue.load("documents_in_parallel")
    without = catalogue.load("documents_in_parallel_needs_each").claims[0]
    theorem = replace(theorem, claims=(*theorem.claims, without))
    said = stated(theorem.claims[-1], theorem).plain.split(": ")[1]
    assert len(said) < 20 and said.startswith("∃ ") and ", …, " in said
    short = catalogue.load("rope_relative_score")
    names = re.search("∃ (.*): Z′ ≠ P Z", stated(short.claims[-2], short).plain)
    assert names and {*names[1].split(", ")} == {"X", "W_Q", "W_K", "W_V", "R", "σ"}


def test_sizes_meet_their_conditions() -> None:
    """A witness of the wrong size would settle a claim."""
    assert meets(2, ("≥", (2,))) and not meets(1, ("≥", (2,)))
    assert meets(3, ("∈", (2, 3))) and not meets(4, ("∈", (2, 3)))
    with pytest.raises(ValueError, match="expected ≥ or ∈"):
        meets(1, ("<", (2,)))


def test_never_proved_without_an_ok_mark() -> None:
    """Some combination of marks would give "as declared" although one of them is not ok."""
    for first in (OK, NO, OPEN):
        for second in (OK, NO, OPEN):
            for expected in ("proved", "refuted"):
                good = verdict("equality", [first, second], expected) == expected
                assert good == (first.ok is True and second.ok is True)


@pytest.mark.parametrize(
    ("verdicts", "expected", "outcome"),
    [
        (["proved", "proved"], ["proved", "proved"], "proved"),
        (["proved", "refuted"], ["proved", "refuted"], "proved"),
        (["proved", "open"], ["proved", "proved"], "open"),
        (["open", "refuted"], ["proved", "proved"], "refuted"),
        (["proved", "proved"], ["proved", "refuted"], "refuted"),
        ([], [], "open"),
    ],
)
def test_weakest(verdicts: Sequence[str], expected: Sequence[str], outcome: str) -> None:
    """A theorem would be stronger than one of its claims, or be proved without any."""
    assert weakest(verdicts, expected) == outcome


def checked(*answers: bool | None) -> tuple[str, list[str], int]:
    """The verdicts of a theorem with one claim for each answer, and the exit status."""
    theorem = catalogue.load("sum_act")
    one = theorem.claims[0]
    changed = tuple(replace(one, marks={"kernel": answering(ok)}) for ok in answers)
    page = checking.check(replace(theorem, claims=changed))
    return page.verdict, [c.verdict for c in page.claims], results.status([page])


def test_check_carries_marks_to_the_page() -> None:
    """A failed or undecided mark would be lost between the check and the exit status."""
    assert checked(True, True) == ("proved", ["proved", "proved"], 0)
    assert checked(True, None) == ("open", ["proved", "open"], 3)
    assert checked(None, False) == ("open", ["open", "open"], 1)


def test_a_check_that_accepts_the_planted_falsehood() -> None:
    """The page would call the neighbour rejected although a check accepts it."""
    theorem = catalogue.load("sum_act")
    page = checking.check(theorem)
    assert page.refused == "rejected by kernel, sympy, numeric, smt" and results.status([page]) == 0
    marks = {**theorem.neighbour.claim.marks, "sympy": answering(True), "numeric": answering(None)}
    false = replace(theorem.neighbour.claim, marks=marks)
    lenient = checking.check(replace(theorem, neighbour=replace(theorem.neighbour, claim=false)))
    assert lenient.refused == "rejected by kernel, smt but NOT REJECTED by sympy, numeric"
    assert lenient.verdict == "open" and results.status([lenient]) == 1
    assert "NOT REJECTED by sympy" in terminal.theorem(lenient)


# --------------------------------------------------------------------------- checks that break down
def test_an_error_is_not_ok_and_no_rejection() -> None:
    """A check that breaks down would give a green mark, or would count as a planted falsehood that
    was rejected."""

    def broken(claim: Claim) -> tuple[bool | None, str]:
        raise ZeroDivisionError("by nought")

    mark = run(broken, "toy", toy())
    assert mark.ok is False and mark.detail == f"{ERROR}ZeroDivisionError: by nought"
    assert not mark.rejects
    assert run(answering(False), "toy", toy()).rejects
    assert not run(answering(None), "toy", toy()).rejects
    assert not run(answering(True), "toy", toy()).rejects
    for expected in ("proved", "refuted"):
        assert verdict("equality", [mark, OK], expected) == "open"


def test_audit_does_not_count_a_broken_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """`orderproof audit` would say "rejected" of a check that raises on the falsehood."""

    def broken(claim: Claim) -> tuple[bool | None, str]:
        raise KeyError("gone")

    theorem = catalogue.load("sum_act")
    false = replace(theorem.neighbour.claim, marks={"kernel": broken})
    changed = replace(theorem, neighbour=replace(theorem.neighbour, claim=false))
    monkeypatch.setattr(catalogue, "load", lambda name: changed)
    (found,) = [o for o in audit.audit_one("sum_act", 0) if o.operator == "by hand"]
    assert found.status == "SURVIVED" and "KeyError" in str(found)


def test_interruption_is_not_swallowed() -> None:
    """Ctrl-C during a check would be filed as a failed mark, and the run would go on."""

    def interrupted(claim: Claim) -> tuple[bool | None, str]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(interrupted, "toy", toy())


# -------------------------------------------------------------------------------------------- atoms
@pytest.mark.parametrize(
    ("relation", "holding", "failing"),
    [("=", (1, 1), (1, 2)), ("≠", (1, 2), (1, 1)), (">", (2, 1), (1, 1))],
)
def test_holds(relation: str, holding: tuple[int, int], failing: tuple[int, int]) -> None:
    """An atom would be misread, or would hold of a value that is not a number."""
    claim = toy(relation=relation)
    assert claim.holds(holding) and not claim.holds(failing)
    assert claim.holds((Fraction(holding[0]), Fraction(holding[1])))
    nan = float("nan")
    assert not any(claim.holds(pair) for pair in ((nan, 1), (1, nan), (nan, nan)))


def test_unknown_relation_is_an_error() -> None:
    """A relation that nobody knows would hold, or fail, in silence."""
    with pytest.raises(ValueError, match="given '≤', expected"):
        toy(relation="≤").holds((1, 2))


# ---------------------------------------------------------------------------- pushing and printing
def test_pushing_says_where_it_is_stuck() -> None:
    """A derivation that does not go through would be used, or would not name the tensor."""
    with_table = Attention(add(X, E), as_keys(add(X, E)))
    with pytest.raises(StuckError, match="stuck at E: "):
        pushing(with_table.Z, TOKENS)
    assert pushing(with_table.Z, TOKENS, [fixed(E, i=sigma)]).theorem.hyps


def test_equality_takes_its_hypotheses_from_the_theorem() -> None:
    """A claim would be stated without a hypothesis that its theorem needs."""
    H = add(X, E)
    pushed = pushing(H, TOKENS, [fixed(E, i=sigma)])
    claim = equality(image(H, TOKENS), moved(H, i=sigma), pushed.theorem, {}, row="i", column="c")
    assert claim.hyps == pushed.theorem.hyps != frozenset()
    style = show().style()
    assert statement(claim, style).plain.startswith("P E = E  ⇒  ")
    assert "⇒" not in statement(replace(claim, hyps=frozenset()), style).plain


@pytest.mark.parametrize(("relation", "latex"), [("=", " = "), ("≠", r" \neq "), (">", " > ")])
def test_statement_prints_the_two_terms(relation: str, latex: str) -> None:
    """The statement on the page would not be the one that is checked."""
    claim = toy(relation=relation, lhs=moved(X, i=sigma), row="i", column="c")
    printed = statement(claim, show().style())
    assert printed.plain == f"P X {relation} X" and printed.latex == rf"P\,X{latex}X"
    assert statement(replace(claim, lhs=X), show().style()) != printed


def test_exists_is_printed_only_if_all_claims_are_of_existence() -> None:
    """The quantifiers would promise a witness where the claim is about all, or the reverse."""

    def given(*kinds: str) -> str:
        theorem = catalogue.load("not_invariant_self_attention")
        claim = replace(theorem.claims[0], marks={"exact": answering(True)})
        some: TheoremFile = replace(
            theorem, claims=tuple(replace(claim, kind=kind) for kind in kinds)
        )
        return checking.check(some).given.plain

    assert "∃" in given("exists") and "∃" in given("exists", "exists")
    assert "∃" not in given("equality") and "∃" not in given("exists", "equality")


def test_nearby_changes_one_place() -> None:
    """The planted falsehood would differ from the claim in more than what is named."""
    claim = toy(marks={"toy": answering(True)}, row="i")
    false = nearby(claim, "moved", rhs=moved(X, i=sigma))
    assert replace(false.claim, rhs=X) == claim and false.claim != claim
    assert false.reason == "moved" and leaf_of(claim.rhs) == leaf_of(X)
