"""The marks kernel and sympy: each accepts what it should, and rejects a falsehood next to it."""

from __future__ import annotations

from typing import Any

import pytest

from orderproof.check.claims import Atom, Claim, by_kernel, holds, sizes
from orderproof.check.marks import sympy_entries as marks
from orderproof.check.marks.sympy_entries import (
    by_sympy,
    by_sympy_positive,
    by_sympy_simplified,
    by_sympy_within,
)
from orderproof.check.sampling import small_cases
from orderproof.proofs import symbols as vocabulary
from orderproof.proofs.self_attention import softmax_conjugate
from orderproof.proofs.symbols import SELF, X, m, n, sigma
from orderproof.symbolic.calculus.kernel import Theorem, equation, is_theorem
from orderproof.symbolic.calculus.terms import Op, Term, build
from orderproof.symbolic.derive.push import Pushed
from orderproof.symbolic.models.builders import (
    POINT,
    add,
    exp,
    inverse,
    moved,
    multiply,
    number,
    opaque,
    subtract,
    tensor,
    total,
)
from orderproof.symbolic.readings.sympy_entries import numbered
from tests.judged import loaded, main_claim, mark, ok, said, under_hypothesis

A, S = softmax_conjugate.A, softmax_conjugate.S


def equal(lhs: Term, rhs: Term, **conditions: Any) -> Claim:
    """lhs = rhs, without marks."""
    return holds(lhs, "=", rhs, {}, **conditions)


def theorem_of(claim: Claim) -> Theorem:
    """The theorem of the kernel behind a claim."""
    assert claim.push is not None
    pushed: Pushed = claim.push[1]
    return pushed.theorem


# ---------------------------------------------------------------------------------------- kernel
def test_kernel_settles_what_its_theorem_says() -> None:
    """The twin of the rejections below: nothing at all would be accepted."""
    for claim in (main_claim(), under_hypothesis()):
        found = mark(by_kernel(theorem_of(claim)), claim)
        assert found.ok is True and found.settles


def test_kernel_rejects_what_its_theorem_does_not_say() -> None:
    """A theorem about something else would carry a claim."""
    claim, other = main_claim(), loaded("qkv_equivariant").claims[0]
    check = by_kernel(theorem_of(claim))
    assert "it says something else" in said(by_kernel(theorem_of(other)), claim)[1]
    assert ok(by_kernel(theorem_of(other)), claim) is False
    assert ok(check, claim.stating(lhs=claim.rhs, rhs=claim.lhs)) is False
    for relation in ("≠", "<", "≤"):
        assert ok(check, claim.stating(relation=relation)) is False
    assert ok(check, claim.stating(some=True)) is False  # of no token there is no entry
    assert ok(check, claim.stating(exists=frozenset({sigma}))) is False


def test_kernel_rejects_exchanged_axes() -> None:
    """A square matrix and its transpose would be the same claim."""
    claim = loaded("attention_weights_conjugate").claims[0]
    check = by_kernel(theorem_of(claim))
    assert ok(check, claim) is True
    turned = claim.rhs.rename({"i": "j", "j": "i"})
    assert turned.sets == claim.rhs.sets
    assert ok(check, claim.stating(rhs=turned)) is False


def test_kernel_rejects_a_forged_theorem() -> None:
    """An object that looks like a theorem would be taken for one that the kernel issued."""
    claim = main_claim()
    th = theorem_of(claim)
    forged = Theorem(th.hyps, th.lhs, th.rhs, th.law, th.rule, th.premises)
    assert not is_theorem(forged)
    found = said(by_kernel(forged), claim)
    assert found[0] is False and "the kernel did not issue" in found[1]
    false = loaded("self_attention_equivariant").neighbour.claim
    lie = Theorem(frozenset(), *equation(false.lhs, false.rhs), "perm", "trust me", ())
    assert ok(by_kernel(lie), false) is False


def test_kernel_rejects_a_hypothesis_that_is_not_claimed() -> None:
    """A claim without a hypothesis would be carried by a theorem that needs it; or a claim with one
    more would not be."""
    claim = under_hypothesis()
    check = by_kernel(theorem_of(claim))
    found = said(check, claim.stating(given=frozenset()))
    assert found[0] is False and "needs a hypothesis that is not claimed" in found[1]
    more = claim.statement.given | {Atom(moved(X, i=sigma), "=", X)}
    assert ok(check, claim.stating(given=more)) is True


# ------------------------------------------------------------------------------------------- sympy
def test_sizes_looked_at_are_those_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cases would be listed and not evaluated, or the mark state others than it looked at."""
    seen: list[tuple[Any, Any]] = []
    whole = marks.generic

    def watched(term: Term, sizes: Any, maps: Any) -> Any:
        seen.append((dict(sizes), dict(maps)))
        return whole(term, sizes, maps)

    monkeypatch.setattr(marks, "generic", watched)
    claim = loaded("qkv_equivariant").claims[0]
    found = by_sympy(claim.statement)
    listed = list(small_cases(claim.statement, composes=True))
    assert found.ok and found.detail.startswith(f"{len(listed)} cases, sizes up to 8")
    assert seen[::2] == seen[1::2] == listed
    assert found.sweep and found.states is not None
    stated = [dict(zip(found.states.sizes.of, c, strict=True)) for c in found.states.sizes.among]
    looked = {tuple(sorted(s.items())) for s, _ in listed}
    assert {tuple(sorted((x.name, k) for x, k in c.items())) for c in stated} == looked


def test_a_sweep_confirms_and_never_settles() -> None:
    """Agreement for small sizes would be called a proof for all."""
    found = mark(by_sympy, main_claim())
    assert found.ok is True and not found.settles
    small = main_claim().stating(sizes=sizes(among={n: (2,)}))
    assert ok(by_sympy, small) is True and not mark(by_sympy, small).settles


def test_a_3_cycle_tells_p_from_its_transpose(monkeypatch: pytest.MonkeyPatch) -> None:
    """P in place of Pᵀ would be accepted, as it is by a check that tries nothing but swaps."""
    false = equal(moved(X, i=sigma), moved(X, i=inverse(sigma)))
    found = said(by_sympy, false)
    assert found[0] is False and "'sigma': (1, 2, 0)" in found[1]
    swaps = [
        (sizes, maps)
        for sizes, maps in small_cases(false.statement, composes=False)
        if all(maps["sigma"][maps["sigma"][i]] == i for i in range(sizes["n"]))
    ]
    monkeypatch.setattr(marks, "small_cases", lambda s, composes: iter(swaps))
    assert len(swaps) > 10 and ok(by_sympy, false) is True


def test_no_case_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that ran no case would be green."""
    monkeypatch.setattr(marks, "small_cases", lambda s, composes: iter(()))
    for check, relation in ((by_sympy, "="), (by_sympy_simplified, "="), (by_sympy_positive, "<")):
        claim = main_claim().stating(relation=relation)
        assert said(check, claim) == (None, "no case was checked")


def test_a_claim_without_index_sets() -> None:
    """A claim about numbers alone would make the check break down, or never be rejected."""
    x = tensor("x")
    square = multiply(add(x, number(1)), add(x, number(1)))
    expanded = add(add(multiply(x, x), multiply(number(2), x)), number(1))
    assert ok(by_sympy_simplified, equal(square, expanded)) is True
    assert ok(by_sympy_simplified, equal(square, add(expanded, x))) is False
    assert ok(by_sympy, equal(number(1), number(1))) is True
    assert ok(by_sympy, equal(number(1), number(0))) is False


def test_one_name_for_two_tensors_is_no_statement() -> None:
    """X[i] with X over n would be compared with X[inl i] with X over n + m, entries being named
    alike."""
    wide = tensor("X", i=m, c=vocabulary.d)
    with pytest.raises(ValueError, match="X: given two symbols of this name"):
        equal(total(X, "i"), total(wide, "i"))


def test_row_sums() -> None:
    """Row sums other than 1, or sums over the wrong axis, would be accepted."""
    sums = equal(total(A, "j"), number(1), over=sizes({m: 1}))
    assert ok(by_sympy_simplified, sums) is True
    assert ok(by_sympy_simplified, sums.stating(sizes=sizes())) is False  # a sum of nothing is 0
    for lhs, rhs in ((total(A, "j"), number(2)), (total(A, "i"), number(1))):
        assert ok(by_sympy_simplified, equal(lhs, rhs)) is False
    assert ok(by_sympy_simplified, equal(total(S, "j"), number(1))) is False


def test_positive() -> None:
    """An entry that is negative, or need not be positive, would be called positive."""
    assert ok(by_sympy_positive, holds(number(0), "<", A, {})) is True
    for term in (subtract(number(0), A), subtract(A, number(1)), S, multiply(S, S)):
        assert ok(by_sympy_positive, holds(number(0), "<", term, {})) is False


@pytest.mark.parametrize(
    ("check", "relations", "refutes"),
    [(by_sympy, "≠<≤", "≠<"), (by_sympy_simplified, "≠<≤", "≠<"), (by_sympy_positive, "=≠≤", "")],
)
def test_a_check_of_another_relation_is_never_green(
    check: Any, relations: str, refutes: str
) -> None:
    """A check of equality would turn "X ≠ X" or "X < X" green, or say nothing of what it sees."""
    for relation in relations:
        found = mark(check, holds(X, relation, X, {}))
        shown = relation in refutes and check is not by_sympy_positive
        assert found.ok is (False if shown else None) and found.refutes is shown
        assert ok(check, holds(X, relation, X, {}, some=True)) is None


def test_one_entry_refutes_another_relation() -> None:
    """ "= 0" would stay open for what is positive, or be refuted for what is not; and "≠ 0" would
    be refuted for what is positive."""
    assert mark(by_sympy_positive, holds(number(0), "=", A, {})).refutes
    for relation, term in (("≠", A), ("=", S)):
        found = mark(by_sympy_positive, holds(number(0), relation, term, {}))
        assert found.ok is None and not found.refutes


def test_hypotheses_that_nothing_satisfies_refute_nothing() -> None:
    """A claim that is true for want of a case would be called refuted."""
    x = tensor("x", i=n)
    none = [Atom(x, "<", number(0)), Atom(number(0), "<", x)]
    assert not mark(by_sympy, holds(X, "≠", X, {}, given=none)).refutes
    assert mark(by_sympy, holds(X, "≠", X, {}, given=none[1:])).refutes


def test_simplified_knows_the_reciprocal_of_an_exponential() -> None:
    """exp(−s) would be unrelated to exp(s), and a true statement called false."""
    one = multiply(exp(S), exp(subtract(number(0), S)))
    assert ok(by_sympy_simplified, equal(one, number(1))) is True
    assert ok(by_sympy_simplified, equal(one, number(2))) is False


def test_hypotheses_are_honoured() -> None:
    """A claim under P E = E would be checked at tables without it, and fail; or the same claim
    without the hypothesis would pass; or one hypothesis more would be passed over."""
    claim, check = under_hypothesis(), marks.by_sympy_to(2)
    assert ok(check, claim) is True
    assert ok(check, claim.stating(given=frozenset())) is False
    odd = claim.stating(given=frozenset({Atom(SELF.Q, "=", SELF.K.rename({"j": "i"}))}))
    assert ok(check, odd) is None


def test_sympy_at_fewer_sizes_rejects() -> None:
    """The check at fewer sizes would look at none, or at swaps alone, and pass a falsehood."""
    claim = main_claim()
    assert said(marks.by_sympy_to(3, d=2), claim) == (
        True,
        "10 cases, sizes up to 3, every permutation",
    )
    inverted = claim.stating(rhs=moved(SELF.Z, i=inverse(sigma)))
    assert ok(marks.by_sympy_to(3), inverted) is False
    assert ok(marks.by_sympy_to(2), inverted) is True  # a swap is its own inverse
    assert said(marks.by_sympy_to(-1), claim) == (None, "no case was checked")


def test_unknown_maps_are_not_alike() -> None:
    """f = g would hold for two unknown maps of rows, or for one and a number of its row."""
    d = X.sets["c"]
    f, g = (opaque(name, {"c": "c"}, X, {"h": d}) for name in "fg")
    assert ok(by_sympy, equal(f, f)) is True
    assert ok(by_sympy, equal(f, g)) is False
    first = total(opaque("f", {"c": "c"}, X, {"h": POINT}), "h")
    number_of_row = build(Op("opaque", ("f_1", ((d,),), ())), [X], [["c"]])
    assert ok(by_sympy, equal(first, number_of_row)) is False


def test_entries_have_names_of_their_own() -> None:
    """Entry (1, 11) and entry (11, 1) would be one symbol."""
    assert numbered("a", (0, 10)) == "a_{1,11}" != numbered("a", (10, 0))
    assert numbered("a", (0, 1)) == "a_{12}" and numbered("a", ()) == "a"


def test_bounded_check_says_its_bound() -> None:
    """A check of small sizes would claim what the full one does, or accept what it has not seen."""
    selected = loaded("naturality_of_fixed_index").claims[0]
    found = by_sympy_within(2, 1)(selected.statement)
    assert found.ok and found.states is not None
    assert max(k for case in found.states.sizes.among for k in case) == 2
    assert said(by_sympy_within(0, 0), selected) == (None, "no case was checked")
    assert ok(by_sympy_within(2, 1), selected.stating(given=frozenset())) is False
