"""The marks: each check accepts what it should, and a falsehood next to it is rejected."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
import z3
from sympy.combinatorics import Permutation, PermutationGroup

from orderproof.numeric import reference
from orderproof.numeric.rounding import Ball
from orderproof.proofs import (
    catalogue,
    marks,
    marks_numeric,
    not_invariant_self_attention,
    softmax_conjugate,
    vocabulary,
    witnesses,
)
from orderproof.proofs.checking import run
from orderproof.proofs.claims import Claim, TheoremFile
from orderproof.proofs.marks import (
    by_kernel,
    by_smt,
    by_sympy,
    by_sympy_positive,
    by_sympy_simplified,
    generators,
    orbits,
    small_models,
)
from orderproof.proofs.marks_numeric import by_numpy, by_numpy_differs
from orderproof.proofs.vocabulary import SELF, X, m, sigma
from orderproof.proofs.witnesses import Witness, by_exact, by_lumps, by_search
from orderproof.symbolic import second_solver
from orderproof.symbolic.induction import reduction_account, sum_is_order_blind
from orderproof.symbolic.kernel import Theorem, equation, is_theorem
from orderproof.symbolic.language import (
    POINT,
    add,
    call,
    define,
    divide,
    exp,
    inverse,
    moved,
    multiply,
    number,
    opaque,
    sqrt,
    subtract,
    tensor,
    total,
)
from orderproof.symbolic.linked import unlinked
from orderproof.symbolic.read_sympy import numbered
from orderproof.symbolic.reading_error import ReadingError
from orderproof.symbolic.schema import Account, Schema, axiom, lemma
from orderproof.symbolic.schemes import SCHEMES
from orderproof.symbolic.search import SearchResult
from orderproof.symbolic.softmax_induction import positive_account, row_sum_account
from orderproof.symbolic.terms import Op, Term, build

A, S = softmax_conjugate.A, softmax_conjugate.S


@cache
def loaded(name: str) -> TheoremFile:
    """A theorem file."""
    return catalogue.load(name)


def main_claim() -> Claim:
    """Z′ = P Z"""
    return loaded("self_attention_equivariant").claims[0]


def under_hypothesis() -> Claim:
    """P E = E ⇒ Z′ = P Z"""
    return loaded("equivariant_of_fixed_position_table").claims[0]


def atom(lhs: Term, rhs: Term, relation: str = "=", kind: str = "equality") -> Claim:
    """A claim without marks."""
    return Claim(kind, lhs, rhs, {}, "all n", relation=relation)


# ---------------------------------------------------------------------------------------- kernel
def test_kernel_accepts_its_own_theorem() -> None:
    """The twin of the rejections below: nothing at all would be accepted."""
    assert by_kernel(main_claim())[0] is True
    assert by_kernel(under_hypothesis())[0] is True


def test_kernel_rejects_what_its_theorem_does_not_say() -> None:
    """A theorem about something else would carry a claim."""
    claim, other = main_claim(), loaded("qkv_equivariant").claims[0]
    assert by_kernel(replace(claim, theorem=other.theorem))[0] is False
    assert by_kernel(replace(claim, theorem=None))[0] is False
    assert by_kernel(replace(claim, lhs=claim.rhs, rhs=claim.lhs))[0] is False
    for relation in ("≠", ">"):
        assert by_kernel(replace(claim, relation=relation))[0] is False


def test_kernel_rejects_exchanged_axes() -> None:
    """A square matrix and its transpose would be the same claim."""
    claim = loaded("attention_weights_conjugate").claims[0]
    assert by_kernel(claim)[0] is True
    turned = claim.rhs.rename({"i": "j", "j": "i"})
    assert turned.sets == claim.rhs.sets
    assert by_kernel(replace(claim, rhs=turned))[0] is False


def test_kernel_rejects_a_forged_theorem() -> None:
    """An object that looks like a theorem would be taken for one that the kernel issued."""
    claim = main_claim()
    th = claim.theorem
    assert th is not None
    forged = Theorem(th.hyps, th.lhs, th.rhs, th.law, th.rule, th.premises)
    assert not is_theorem(forged)
    assert by_kernel(replace(claim, theorem=forged)) == (False, "no theorem of the kernel")
    false = loaded("self_attention_equivariant").neighbour.claim
    lie = Theorem(frozenset(), *equation(false.lhs, false.rhs), "perm", "trust me", ())
    assert by_kernel(replace(false, theorem=lie))[0] is False


def test_kernel_rejects_undeclared_hypotheses() -> None:
    """A claim without a hypothesis would be carried by a theorem that needs it."""
    claim = under_hypothesis()
    assert by_kernel(replace(claim, hyps=frozenset()))[0] is False
    more = claim.hyps | {equation(moved(X, i=sigma), X)}
    assert by_kernel(replace(claim, hyps=more))[0] is False


# ------------------------------------------------------------------------------- which cases exist
def covered(claim: Claim) -> tuple[dict[int, set[Any]], dict[str, set[int]]]:
    """For each n the permutations that occur, and for each other set the sizes, n ≤ 4."""
    tables: dict[int, set[Any]] = defaultdict(set)
    widths: dict[str, set[int]] = defaultdict(set)
    for sizes, maps in small_models(claim):
        tables[sizes["n"]].add(tuple(maps["sigma"]))
        if sizes["n"] <= 4:
            for name in sizes.keys() - {"n"}:
                widths[name].add(sizes[name])
    return tables, widths


def test_every_permutation_to_4_and_generators_to_8() -> None:
    """The sympy mark would miss a permutation, a size, or what generates the group."""
    tables, widths = covered(main_claim())
    assert sorted(tables) == list(range(9))
    for size in range(5):
        assert tables[size] == set(itertools.permutations(range(size)))
    for size in range(5, 9):
        assert tables[size] == set(generators(size)) and len(tables[size]) == 2
    assert widths == {name: {0, 1, 2, 3, 4} for name in ("d", "d_k", "d_v")}
    still = replace(main_claim(), motion=False)
    assert sorted(covered(still)[0]) == [0, 1, 2, 3, 4]  # generators are not enough here


def test_every_permutation_meets_every_width() -> None:
    """Some σ would be tried at one feature size alone."""
    met = {
        (sizes["d"], tuple(maps["sigma"]))
        for sizes, maps in small_models(main_claim())
        if sizes["n"] <= 4
    }
    assert len(met) == 5 * (1 + 1 + 2 + 6 + 24)


def test_two_permutations_are_paired_and_unequal_sizes_tried() -> None:
    """softmax(P S Rᵀ) would be tried at square matrices alone, or with R tied to P."""
    pairs: dict[tuple[int, int], set[Any]] = defaultdict(set)
    for sizes, maps in small_models(loaded("softmax_conjugate").claims[0]):
        pairs[sizes["n"], sizes["m"]].add((tuple(maps["sigma"]), tuple(maps["rho"])))
    for size in itertools.product((1, 2, 3), repeat=2):
        assert len(pairs[size]) == math.factorial(size[0]) * math.factorial(size[1])
    assert any(a != b for a, b in pairs[3, 3])


@pytest.mark.parametrize("size", range(1, 9))
def test_generators_generate(size: int) -> None:
    """What is checked for the two would not follow for all n! permutations."""
    group = PermutationGroup([Permutation(list(g)) for g in generators(size)])
    assert group.order() == math.factorial(size)
    if size > 2:  # the cycle alone is not enough
        assert PermutationGroup([Permutation(list(generators(size)[1]))]).order() == size


def test_feature_sizes_read_are_those_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cases would be listed and not evaluated."""
    seen: list[tuple[Any, Any]] = []
    whole = marks.generic

    def watched(term: Term, sizes: Any, maps: Any) -> Any:
        seen.append((dict(sizes), dict(maps)))
        return whole(term, sizes, maps)

    monkeypatch.setattr(marks, "generic", watched)
    claim = loaded("qkv_equivariant").claims[0]
    ok, detail = by_sympy(claim)
    listed = list(small_models(claim))
    assert ok and detail.startswith(f"{len(listed)} cases, sizes up to 8")
    assert seen[::2] == seen[1::2] == listed
    assert {s["d"] for s, _ in seen} == {s["d_k"] for s, _ in seen} == {0, 1, 2, 3, 4}


# ------------------------------------------------------------------------------------------- sympy
def test_a_3_cycle_tells_p_from_its_transpose(monkeypatch: pytest.MonkeyPatch) -> None:
    """P in place of Pᵀ would be accepted, as it is by a check that tries nothing but swaps."""
    false = atom(moved(X, i=sigma), moved(X, i=inverse(sigma)))
    ok, detail = by_sympy(false)
    assert ok is False and "'sigma': (1, 2, 0)" in detail
    swaps = [
        (sizes, maps)
        for sizes, maps in small_models(false)
        if all(maps["sigma"][maps["sigma"][i]] == i for i in range(sizes["n"]))
    ]
    monkeypatch.setattr(marks, "small_models", lambda claim: iter(swaps))
    assert len(swaps) > 10 and by_sympy(false)[0] is True


def test_no_case_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that ran no case would be green."""
    monkeypatch.setattr(marks, "small_models", lambda claim: iter(()))
    for check, relation in ((by_sympy, "="), (by_sympy_simplified, "="), (by_sympy_positive, ">")):
        assert check(replace(main_claim(), relation=relation)) == (None, "no case was checked")


def test_generators_of_two_permutations_generate() -> None:
    """What is checked for pairs would not follow for all pairs: of (swap, swap) and the like, all
    products are even together."""
    claim = loaded("softmax_conjugate").claims[0]
    for n in (6, 8):
        pairs = {
            (tuple(maps["sigma"]), tuple(maps["rho"]))
            for sizes, maps in small_models(claim)
            if sizes["n"] == n
        }
        both = [Permutation([*a, *(n + k for k in b)]) for a, b in pairs]
        assert PermutationGroup(both).order() == math.factorial(n) ** 2


def test_row_sums() -> None:
    """Row sums other than 1, or sums over the wrong axis, would be accepted."""
    sums = replace(atom(total(A, "j"), number(1)), sizes={m: ("≥", (1,))})
    assert by_sympy_simplified(sums)[0] is True
    assert by_sympy_simplified(replace(sums, sizes={}))[0] is False  # a sum of nothing is 0
    assert by_sympy_simplified(atom(total(A, "j"), number(2)))[0] is False
    assert by_sympy_simplified(atom(total(A, "i"), number(1)))[0] is False
    assert by_sympy_simplified(atom(total(S, "j"), number(1)))[0] is False


def test_positive() -> None:
    """An entry that is negative, or need not be positive, would be called positive."""
    assert by_sympy_positive(atom(A, number(0), ">"))[0] is True
    for term in (subtract(number(0), A), subtract(A, number(1)), S, multiply(S, S)):
        assert by_sympy_positive(atom(term, number(0), ">"))[0] is False


@pytest.mark.parametrize(
    ("check", "relations", "refutes"),
    [
        (by_sympy, "≠>", "≠>"),
        (by_sympy_simplified, "≠>", "≠>"),
        (by_sympy_positive, "=≠", ""),
        (by_numpy(), "≠", "≠"),
        (by_numpy_differs([not_invariant_self_attention.witness(2)]), "=>", ""),
    ],
)
def test_a_check_of_another_relation_is_never_green(
    check: Any, relations: str, refutes: str
) -> None:
    """A check of equality would turn "X ≠ X" or "X > X" green, or say nothing of what it sees."""
    for relation in relations:
        assert check(atom(X, X, relation))[0] is (False if relation in refutes else None)
        assert check(atom(X, X, relation, "exists"))[0] is None


def test_one_entry_refutes_another_relation() -> None:
    """ "= 0" would stay open for what is positive, or be refuted for what is not; and "≠ 0" would
    be refuted for what is positive."""
    assert by_sympy_positive(atom(A, number(0), "="))[0] is False
    assert by_sympy_positive(atom(A, number(0), "≠"))[0] is None
    assert by_sympy_positive(atom(S, number(0), "="))[0] is None
    differs = by_numpy_differs([not_invariant_self_attention.witness(2)])
    claim = loaded("not_invariant_self_attention").claims[0]
    assert differs(replace(claim, relation="=", kind="equality"))[0] is False
    assert by_numpy()(atom(X, number(0), "≠"))[0] is None


def test_a_bound_lowered_by_one_is_seen() -> None:
    """A claim for n ≥ 1 would be green where its witnesses begin at n = 2, or for d = 1, 2 where
    they are of d = 1."""
    (claim,) = loaded("not_invariant_self_attention").claims
    for s, (relation, values) in claim.sizes.items():
        lower = (relation, (values[0] - 1,)) if relation == "≥" else (relation, (*values, 2))
        false = replace(claim, sizes={**claim.sizes, s: lower})
        for check in claim.marks.values():
            assert check(claim)[0] is True and check(false)[0] is False


def test_simplified_knows_the_reciprocal_of_an_exponential() -> None:
    """exp(−s) would be unrelated to exp(s), and a true statement called false."""
    one = multiply(exp(S), exp(subtract(number(0), S)))
    assert by_sympy_simplified(atom(one, number(1)))[0] is True
    assert by_sympy_simplified(atom(one, number(2)))[0] is False


# ------------------------------------------------------------------------------ hypotheses, orbits
def test_orbits() -> None:
    """A tensor that σ leaves as it is would not be the same along the cycles of σ."""
    claim = under_hypothesis()
    place = orbits(claim, {"n": 6, "d": 1}, {"sigma": (1, 2, 0, 4, 3, 5)})["E"]
    assert [place((i, 0))[0] for i in range(6)] == [0, 0, 0, 3, 3, 5]
    assert place((2, 0))[1] == 0  # features stay
    assert orbits(main_claim(), {"n": 2}, {"sigma": (1, 0)}) == {}


def test_hypotheses_are_honoured() -> None:
    """A claim under P E = E would be checked at tables without it, and fail; or the same claim
    without the hypothesis would pass."""
    claim = under_hypothesis()
    generic = replace(claim, hyps=frozenset())
    for check in (by_sympy, by_numpy()):
        assert check(claim)[0] is True
        assert check(generic)[0] is False


def test_a_hypothesis_that_is_not_read_breaks_down() -> None:
    """A hypothesis of a form that orbits cannot honour would be passed over."""
    odd = replace(under_hypothesis(), hyps=frozenset({equation(SELF.Q, SELF.Q)}))
    for check in (by_sympy, by_numpy()):
        mark = run(check, "toy", odd)
        assert mark.ok is False and not mark.rejects


# ------------------------------------------------------------------------------------------- numpy
def ratio_at(monkeypatch: pytest.MonkeyPatch, left: Ball, right: Ball) -> bool | None:
    """What by_numpy says where the two sides are computed as these."""
    answers = itertools.cycle((left, right))
    monkeypatch.setattr(marks_numeric, "bounded", lambda *a, **k: next(answers))
    return by_numpy()(atom(X, X))[0]


def ball(value: float, error: float) -> Ball:
    """A value with a bound, in an array of two axes."""
    return Ball(np.full((2, 2), value), np.full((2, 2), error))


def test_numpy_judges_by_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A difference beyond the sum of both bounds would pass, or one within it would not."""
    e = 2.0**-20
    assert ratio_at(monkeypatch, ball(1, e), ball(1 + 1.999 * e, e)) is True
    assert ratio_at(monkeypatch, ball(1, e), ball(1 + 2.001 * e, e)) is False
    assert ratio_at(monkeypatch, ball(1, 0), ball(1 + e, 0)) is False
    assert ratio_at(monkeypatch, ball(1, 0), ball(1, 0)) is True


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_numpy_rejects_what_is_no_number(monkeypatch: pytest.MonkeyPatch, bad: float) -> None:
    """A NaN, or a bound of infinity, would pass."""
    assert ratio_at(monkeypatch, ball(bad, 1), ball(bad, 1)) is False
    assert ratio_at(monkeypatch, ball(1, bad), ball(1, 1)) is False
    one = Ball(np.array([[1.0, bad], [1.0, 1.0]]), np.zeros((2, 2)))
    assert ratio_at(monkeypatch, one, ball(1, 0)) is False


def test_numpy_compares_something() -> None:
    """Zeros would be compared with zeros, and the mark would be green."""
    zero = multiply(X, number(0))
    assert by_numpy()(atom(zero, zero)) == (None, "all values were zero: nothing was compared")
    assert by_numpy()(atom(X, X))[0] is True
    assert by_numpy()(atom(X, moved(X, i=sigma)))[0] is False


def test_numpy_compares_with_the_reference() -> None:
    """A reference that disagrees, in values or in shape, would make no difference."""

    def right(t: Any) -> Any:
        return reference.self_attention(t["X"], t["W_Q"], t["W_K"], t["W_V"])

    claim = main_claim()
    assert by_numpy(right)(claim)[0] is True
    assert by_numpy(lambda t: right(t) * 1.01)(claim)[0] is False
    assert by_numpy(lambda t: right(t)[::-1])(claim)[0] is False
    assert by_numpy(lambda t: right(t).T)(claim)[0] is False
    assert by_numpy(lambda t: right(t) * np.nan)(claim)[0] is False


def test_numpy_signs() -> None:
    """Entries that are not positive would be called positive."""
    assert by_numpy()(atom(A, number(0), ">"))[0] is True
    assert by_numpy()(atom(S, number(0), ">"))[0] is False
    assert by_numpy()(atom(multiply(A, number(0)), number(0), ">"))[0] is False


def test_numpy_differs() -> None:
    """Sides that are equal would be said to differ, or sides that differ would not."""
    theorem = loaded("not_invariant_self_attention")
    found = [not_invariant_self_attention.witness(size) for size in (2, 3)]
    assert by_numpy_differs(found)(theorem.claims[0])[0] is True
    assert by_numpy_differs(found)(theorem.neighbour.claim)[0] is False
    assert by_numpy_differs([])(theorem.claims[0]) == (None, "no witness given")
    same = replace(found[0], tensors=found[0].tensors | {"X": [[1], [1]]})
    assert by_numpy_differs([*found, same])(theorem.claims[0])[0] is False


# --------------------------------------------------------------------------------------------- smt
def row_sums() -> Claim:
    """Row sums are 1, with its smt mark."""
    return next(c for c in loaded("softmax_conjugate").claims if c.kind == "row sums")


def also(*schemas: Schema) -> Account:
    """The account of the row sums with more lemmas before the last."""
    account = row_sum_account(S, "j")
    return replace(account, schemas=(*account.schemas[:-1], *schemas, account.schemas[-1]))


x = z3.Real("x")
TRUE = lemma("true", "x = x", (x,), x == x)
FALSE = lemma("false", "x > 0 for all x", (x,), x > 0)
ABSURD = axiom("absurd", "x > 0 and x < 0", (), z3.And(x > 0, x < 0))
EMPTY = lemma("empty", "from x > 0 and x < 0", (x,), x > 5, (ABSURD.at(),))


def test_smt() -> None:
    """Obligations about another statement, refuted, undecided or none would carry a claim."""
    claim = row_sums()
    assert by_smt(row_sum_account(S, "j"))(claim)[0] is True
    for changed in (
        {"rhs": number(2)},
        {"relation": ">"},
        {"lhs": total(A, "i")},
        {"sizes": {}},
        {"sizes": {m: ("≥", (0,))}},
        {"sizes": {m: ("∈", (0, 1))}},
        {"sizes": {vocabulary.n: ("≥", (1,))}},
        {"hyps": frozenset({(A, A)})},
        {"kind": "exists"},
    ):
        said = by_smt(row_sum_account(S, "j"))(replace(claim, **changed))
        assert said == (False, "the obligations are about another statement")
    for fewer in ({m: ("≥", (2,))}, {m: ("∈", (1, 3))}, {**claim.sizes, vocabulary.n: ("≥", (1,))}):
        assert by_smt(row_sum_account(S, "j"))(replace(claim, sizes=fewer))[0] is True
    assert by_smt(positive_account(S, "j"))(claim)[0] is False
    assert by_smt(also(TRUE))(claim)[0] is True
    assert by_smt(also(TRUE, EMPTY))(claim)[0] is None
    assert by_smt(also(FALSE, EMPTY))(claim)[0] is False
    assert by_smt(replace(row_sum_account(S, "j"), schemas=()))(claim)[0] is False


def test_an_account_stands_on_what_is_proved_before() -> None:
    """A lemma could be used that nobody proves, that is proved by it, or under another's name."""
    total_, row, row_sum = row_sum_account(S, "j").schemas
    for schemas, words in (
        ((row, row_sum), "row_sum uses total, which is not proved before"),
        ((row, row_sum, total_), "row_sum uses total, which is not proved before"),
        ((replace(total_), row, row_sum), "row_sum uses total"),
        ((total_, row, TRUE), "no lemma about every size"),
        ((total_, row, TRUE, TRUE, row_sum), "two lemmas of one name"),
        ((total_, row, ABSURD, row_sum), "absurd is assumed"),
    ):
        account = replace(row_sum_account(S, "j"), schemas=schemas)
        assert words in account.fault()
        if schemas[-1].least is not None:
            assert words in by_smt(account)(row_sums())[1]
    assert not row_sum_account(S, "j").fault()


def test_an_account_says_its_claim() -> None:
    """A trivial lemma, or a true one about something else, would carry any claim."""
    claim, honest = row_sums(), row_sum_account(S, "j")
    size = honest.schemas[-1].variables[0]
    seven = replace(honest, rhs=number(7))
    trivial = lemma("trivial", "x = x", (size, x), x == x, least=1)
    ones = lemma("ones", "1 = 1", (size,), z3.RealVal(1) == 1, least=1)
    for account in (
        seven,
        replace(seven, schemas=(trivial,)),
        replace(honest, schemas=(trivial,)),
        replace(honest, schemas=(ones,)),
        replace(seven, schemas=(trivial,), reading={**honest.reading, "x": seven.lhs}),
        replace(honest, reading={**honest.reading, "q": honest.reading["w"]}),
        replace(honest, reading={**honest.reading, "w": honest.reading["q"]}),
        replace(honest, relation=">"),
    ):
        assert unlinked(account)
        said = by_smt(account)(replace(claim, rhs=account.rhs, relation=account.relation))
        assert said[0] is False and "do not account for the claim" in said[1]
    assert not unlinked(honest)
    maximum = reduction_account("max", tensor("a", j=vocabulary.n), "j", sigma)
    assert not unlinked(maximum) and unlinked(replace(maximum, kind="min"))


def test_a_second_solver_that_disagrees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two solvers would contradict each other, or one give up, and the mark stay green."""
    claim = row_sums()
    monkeypatch.setattr(second_solver, "installed", lambda: True)
    for said, ok in (("unsat", True), ("sat", False), ("unknown", None)):
        monkeypatch.setattr(second_solver, "answer", lambda text, said=said: said)
        assert by_smt(row_sum_account(S, "j"))(claim)[0] is ok
    monkeypatch.setattr(second_solver, "installed", lambda: False)
    assert "cvc5 is not installed" in by_smt(row_sum_account(S, "j"))(claim)[1]


def test_numpy_reads_definitions_to_the_letter() -> None:
    """A softmax that is defined wrongly would pass, read as libraries compute the right one."""
    row = tensor("s", j=A.sets["j"])
    twice = exp(add(row, row))
    wrong = define("softmax", [row], divide(twice, total(twice, "j")))
    false = call(wrong, [S], [["j"]], ["j"])
    assert by_numpy()(atom(false, A))[0] is False
    assert by_numpy()(atom(A, A))[0] is True
    given = by_numpy(lambda t: reference.softmax(t["S"]).T)
    assert given(atom(A, A))[0] is True and given(atom(false, false))[0] is False


def test_smt_asks_the_solver() -> None:
    """A false obligation would be said to be proved, or one from contradictory assumptions."""
    sums = [s for s in sum_is_order_blind() if s.least is not None]
    assert by_smt(also(*sums))(row_sums())[0] is True
    assert by_smt(also(*sums, FALSE))(row_sums())[0] is False
    assert by_smt(also(*sums, EMPTY))(row_sums())[0] is None


# ------------------------------------------------------------------------------------- given values
def test_exact() -> None:
    """Equal sides would be said to differ, or one entry that fits would settle a claim of all."""
    theorem = loaded("not_invariant_self_attention")
    found = [not_invariant_self_attention.witness(size) for size in (2, 3, 4)]
    differs, false = theorem.claims[0], theorem.neighbour.claim
    ok, detail = by_exact(found)(differs)
    assert ok and detail.startswith("3 cases; n = 2") and "1/2 ≠ 2/3" in detail
    assert by_exact(found)(false)[0] is False
    assert by_exact(found)(replace(differs, lhs=differs.rhs))[0] is False
    assert by_exact([])(differs) == (None, "no witness given")
    # at n = 3 the third row does not move: enough for ∃, not for ∀
    assert by_exact(found[1:])(replace(differs, kind="equality"))[0] is False
    equal = replace(differs, lhs=differs.rhs, relation="=", kind="equality")
    assert by_exact(found)(equal)[0] is True


def test_lumps() -> None:
    """Sides that are equal for some number of tokens would be said to differ for all."""
    theorem = loaded("not_invariant_self_attention")
    claim, lumped = theorem.claims[0], not_invariant_self_attention.lumped()
    assert by_lumps(lumped, (0, 0))(claim)[0] is True
    with pytest.raises(ReadingError, match="expected the last left alone"):
        by_lumps(lumped, (2, 0))(claim)  # an entry of the lump is of several tokens at once
    moving = replace(lumped, maps={"sigma": [2, 1, 0]})
    with pytest.raises(ReadingError, match="expected the last left alone"):
        by_lumps(moving, (0, 0))(claim)  # so is a place that a lump moves to
    assert by_lumps(lumped, (0, 0))(replace(claim, sizes={}))[0] is False
    assert by_lumps(lumped, (0, 0))(theorem.neighbour.claim)[0] is False
    assert by_lumps(lumped, (0, 0))(replace(claim, lhs=claim.rhs))[0] is False
    # tokens (1, 0, 1, …, 1): the second output is (r + 1)/(r + 2), 1/2 at r = 0 and never 1/3
    x = Witness(lumped.sizes, lumped.maps, {**lumped.tensors, "X": [[1], [0], [1]]}, counts="n")
    for value, ok in ((Fraction(1, 2), False), (Fraction(1, 3), True)):
        is_not = replace(claim, lhs=SELF.Z, rhs=number(value))
        assert by_lumps(x, (1, 0))(is_not)[0] is ok


SIZES = ((2, 1), (2, 2), (3, 1), (3, 2))


@pytest.mark.parametrize("scheme", ["learned", "sinusoidal"])
def test_search(scheme: str) -> None:
    """Equal sides would be said to differ at the witness that a search found for others."""
    theorem = loaded(f"not_equivariant_of_{scheme}_position")
    claim = theorem.claims[0]
    assert by_search(scheme, SIZES)(claim) == (
        True,
        "replayed at (n, d) = (2, 1), (2, 2), (3, 1), (3, 2)",
    )
    for false in (
        theorem.neighbour.claim,
        replace(claim, lhs=claim.rhs),
        replace(claim, relation="="),
    ):
        assert by_search(scheme, SIZES)(false)[0] is False
    assert by_search(scheme, ())(claim) == (None, "no sizes")
    assert by_search(scheme, SIZES[:3])(claim)[0] is False  # one of the sizes is missing
    other = {"learned": "sinusoidal", "sinusoidal": "learned"}[scheme]
    assert by_search(other, SIZES)(claim)[0] is False  # another table


@pytest.mark.parametrize(
    ("answer", "ok"), [("unknown", None), ("none within bound", None), ("symmetric", False)]
)
def test_search_that_finds_nothing(
    monkeypatch: pytest.MonkeyPatch, answer: str, ok: bool | None
) -> None:
    """A search without a witness would prove the claim of existence; or one that gave up, or that
    looked within a bound, would refute it."""

    def nothing(name: str, n: int, d: int) -> SearchResult:
        return SearchResult(answer, name, n, d, None, "as told")

    monkeypatch.setattr(witnesses, "search", nothing)
    s = SCHEMES["learned"]
    claim = atom(s.lhs, s.rhs, "≠", "exists")
    found = by_search("learned", SIZES)(claim)
    assert found[0] is ok and found[1].startswith("n = 2, d = 1: ")


def test_search_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    """A witness whose recorded values are not the computed ones would count."""
    real = witnesses.search("learned", 2, 1)
    assert real.witness is not None
    tampered = replace(real.witness, lhs=real.witness.rhs, rhs=real.witness.lhs)
    monkeypatch.setattr(witnesses, "search", lambda *a: replace(real, witness=tampered))
    s = SCHEMES["learned"]
    ok, detail = by_search("learned", SIZES)(atom(s.lhs, s.rhs, "≠", "exists"))
    assert ok is False and "the recorded value is not the computed one" in detail


def test_witnesses_of_the_book_run_to_8() -> None:
    """The exact mark of "for every n ≥ 2" would be made at fewer sizes than it is said to be."""
    (claim,) = loaded("not_invariant_self_attention").claims
    assert by_exact([not_invariant_self_attention.witness(2)])(claim)[1].startswith("1 case;")
    assert claim.marks["exact"](claim)[1].startswith("7 cases; n = 2")


# ------------------------------------------------------------------ encoders: what they need more
def grouped() -> Claim:
    """Attention whose keys are those of a group."""
    theorem: TheoremFile = catalogue.load("multi_head_equivariant")
    return theorem.claims[2]


def test_maps_to_groups_have_tables() -> None:
    """A map of heads to groups would have no table, or one that leaves its range."""
    models = marks.least_models(grouped(), 1, {"h": 5, "g": 2})
    tables = [maps["phi"] for sizes, maps in models if sizes["n"]]
    assert tables == [[0, 0, 0, 0, 0], [0, 1, 0, 1, 0], [0, 1, 0, 1, 0]]
    every = [maps for _, maps in marks.least_models(main_claim(), 2, {})]
    assert every == [{"sigma": t} for t in ((), (0,), (0, 1), (1, 0))]  # σ is a permutation


def test_sympy_at_fewer_sizes_rejects() -> None:
    """The check at fewer sizes would look at none, or at swaps alone, and pass a falsehood."""
    claim = main_claim()
    ok, said = marks.by_sympy_to(3, d=2)(claim)
    assert ok and said == "10 cases, sizes up to 3, every σ to n = 3"
    inverted = replace(claim, rhs=moved(SELF.Z, i=inverse(sigma)))
    assert marks.by_sympy_to(3)(inverted)[0] is False
    assert marks.by_sympy_to(2)(inverted)[0] is True  # a swap is its own inverse
    assert marks.by_sympy_to(-1)(claim) == (None, "no case was checked")


def test_numpy_tells_a_vacuous_bound() -> None:
    """A bound above every value would let anything pass as agreement."""
    lost = subtract(add(X, number(10**20)), number(10**20))  # 0, give or take 10⁴
    assert by_numpy()(atom(lost, X))[0] is not True
    near = add(lost, number(1))
    said = by_numpy()(atom(near, add(near, X)))
    assert said == (None, "float64: the bound is vacuous, above every value")
    assert by_numpy()(atom(X, X))[0] is True


def test_numpy_draws_what_is_asked() -> None:
    """A condition on the tensors (ε > 0) would not be met by what is drawn, or be met unasked."""
    root = atom(sqrt(X), sqrt(X))
    assert by_numpy(drawn=lambda g: {k: abs(v) + 1 for k, v in g.items()})(root)[0] is True
    assert by_numpy()(root)[0] is False  # roots of negative numbers: NaN
    only = by_numpy(dtypes=(np.float64,))(atom(X, X))
    assert only[0] and "float64, seed" in only[1] and "float32" not in only[1]


def test_unknown_maps_are_not_alike() -> None:
    """f = g would hold for two unknown maps of rows, or for one and a number of its row."""
    d = X.sets["c"]
    f, g = (opaque(name, {"c": "c"}, X, {"h": d}) for name in "fg")
    for check in (by_sympy, by_numpy()):
        assert check(atom(f, f))[0] is True
        assert check(atom(f, g))[0] is False
    first = total(opaque("f", {"c": "c"}, X, {"h": POINT}), "h")
    number_of_row = build(Op("opaque", ("f_1", ((d,),), ())), [X], [["c"]])
    assert by_sympy(atom(first, number_of_row))[0] is False


def test_entries_have_names_of_their_own() -> None:
    """Entry (1, 11) and entry (11, 1) would be one symbol."""
    assert numbered("a", (0, 10)) == "a_{1,11}" != numbered("a", (10, 0))
    assert numbered("a", (0, 1)) == "a_{12}" and numbered("a", ()) == "a"
