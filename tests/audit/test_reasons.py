"""Reasons for which a mutant is true after all: none for a falsehood, and none from its marks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orderproof.audit import planted as audit_claims
from orderproof.audit.attempts import derived, outward, plain
from orderproof.audit.fields import weaker
from orderproof.audit.reasons import (
    at_new_sizes,
    by_computing,
    by_values,
    by_witness,
    only_empty,
    reason,
)
from orderproof.check.claims import Claim, Witness, by_kernel, differs, holds, sizes
from orderproof.check.marks.exact import by_exact
from orderproof.check.marks.numeric import by_numpy
from orderproof.check.marks.sympy_entries import by_sympy
from orderproof.proofs import catalogue
from orderproof.proofs.symbols import SELF, X, d, m, n, sigma
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.kernel import is_theorem
from orderproof.symbolic.calculus.terms import Map, Set, at
from orderproof.symbolic.models.attention import shifted_softmax, softmax
from orderproof.symbolic.models.builders import (
    add,
    divide,
    inverse,
    leaf_of,
    mean,
    moved,
    multiply,
    number,
    permutation,
    size,
    subtract,
    tensor,
    total,
)
from orderproof.symbolic.statements.evidence import Evidence
from orderproof.symbolic.statements.statement import Atom, Statement

S = tensor("S", i=n, j=n)
ZERO, ONE = number(0), number(1)


def main() -> Claim:
    """Z′ = P Z."""
    return catalogue.load("self_attention_equivariant").claims[0]


FALSE = {"rhs": moved(SELF.Z, i=inverse(sigma))}


def test_a_false_reason_is_refused() -> None:
    """A falsehood would be called true: with a theorem about something else, with a forged one,
    with none; or a claim of the kernel by algebra alone."""
    claim, true = main().stating(**FALSE), main().statement
    cited = audit_claims.cited(main())
    assert cited is not None
    forged = replace(cited, rhs=claim.rhs)
    for theorem in (None, cited, forged, kernel.sym(cited)):
        assert reason(claim, true, theorem) == ""
    assert derived(claim.statement)[0] is None
    by_algebra = replace(claim, marks={"sympy": by_sympy})
    assert reason(by_algebra, true, None) == ""
    assert reason(claim.stating(sizes=sizes({n: 1})), true, None) == ""


def test_a_reason_does_not_ask_the_marks_of_the_claim() -> None:
    """A weak mark would be its own witness that a falsehood is true."""
    weak = {name: lambda s: Evidence(True, "", s) for name in ("sympy", "numeric", "smt", "exact")}
    claim = replace(main(), marks=weak).stating(**FALSE)
    assert reason(claim, main().statement, None) == ""


def rho_of(over: Set) -> Map:
    """Another permutation of the tokens."""
    return permutation("rho", over)


def test_what_is_true_is_derived() -> None:
    """A mutant that is true would be called a falsehood that no mark rejects."""
    T, column = tensor("S", j=n, i=n), softmax(S, "i")
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
    for sides, is_true in [(s, True) for s in true] + [(s, False) for s in false]:
        lhs, rhs = sides
        claim = holds(lhs, "=", rhs, {"kernel": by_kernel(kernel.unfold(SELF.A.node.op))})
        theorem = derived(claim.statement)[0]
        assert (theorem is not None) is is_true
        assert by_numpy()(claim.statement).ok is is_true
        assert bool(reason(claim, None, theorem)) is is_true


def test_by_algebra_is_of_claims_without_the_kernel() -> None:
    """The softmax shifted by the smallest score would be called false, or shifted and doubled
    true."""
    claim = next(
        c for c in catalogue.load("softmax_shift_invariant").claims
        if c.lhs == shifted_softmax(tensor("S", i=n, j=m), "j")
    )  # fmt: skip
    assert "kernel" not in claim.marks
    assert reason(claim, None, None).startswith("by algebra at small sizes")
    assert reason(claim.stating(lhs=add(claim.lhs, claim.lhs)), None, None) == ""


def test_outward_and_plain_are_theorems() -> None:
    """The tactic's own attempts would not be about the term that they were asked about."""
    t = total(softmax(moved(S, j=sigma), "j"), "j")
    for theorem in (outward(t), plain(t)):
        assert theorem is not None and is_theorem(theorem) and theorem.lhs.node is t.node
    assert plain(total(moved(S, j=sigma), "j")).rhs.node is total(S, "j").node


# ------------------------------------------------------------------------------- by the form alone
E0 = tensor("E", i=n)
TRUE = Statement(Atom(X, "<", E0), frozenset({Atom(ZERO, "<", E0)}), sizes=sizes({n: 2}))


@pytest.mark.parametrize(
    ("changed", "follows"),
    [
        (replace(TRUE, atom=Atom(X, "≤", E0)), True),
        (replace(TRUE, atom=Atom(X, "≠", E0)), True),
        (replace(TRUE, atom=Atom(X, "=", E0)), False),
        (replace(TRUE, atom=Atom(E0, "<", X)), False),
        (replace(TRUE, given=frozenset()), False),
        (replace(TRUE, given=frozenset({Atom(ZERO, "≤", E0)})), False),
        (replace(TRUE, given=frozenset({Atom(ONE, "<", E0)})), True),
        (replace(TRUE, given=frozenset({Atom(number(-1), "<", E0)})), False),
        (replace(TRUE, given=TRUE.given | {Atom(ONE, "<", E0)}), True),
        (replace(TRUE, sizes=sizes({n: 3})), True),
        (replace(TRUE, sizes=sizes({n: 1})), False),
        (replace(TRUE, sizes=sizes(among={n: (2, 3)})), True),
        (replace(TRUE, sizes=sizes(among={n: (1, 3)})), False),
        (replace(TRUE, atom=Atom(X, "<", E0, some=True)), False),  # X may have no features
        (replace(TRUE, atom=Atom(X, "≤", E0), sizes=sizes({n: 3})), False),  # two fields
    ],
)
def test_what_follows_by_form(changed: Statement, follows: bool) -> None:
    """A falsehood would be called weaker than the claim, or what is weaker a falsehood."""
    assert bool(weaker(TRUE, changed)) is follows


# -------------------------------------------------------------------------------- by small values
def test_values_show_what_there_is_and_no_falsehood() -> None:
    """An inequality that fails at 0, or at equal values, would be called true."""
    x, y = tensor("x", i=n), tensor("y", i=n)
    square = multiply(x, x)
    over = sizes({n: 1})
    true = Statement(Atom(ZERO, "<", add(ONE, total(square, "i"))), sizes=over)
    assert "true of all values" in by_values(true)
    for false in (
        Statement(Atom(ZERO, "<", total(square, "i")), sizes=over),  # all zero
        Statement(Atom(x, "≠", moved(x, i=sigma), some=True), sizes=over),  # all alike
        Statement(Atom(ZERO, "≤", total(x, "i")), sizes=over),
    ):
        assert by_values(false) == ""
    given = frozenset({Atom(x, "≠", ZERO, some=True)})
    assert by_values(Statement(Atom(ZERO, "<", total(square, "i")), given, sizes=over))
    there = frozenset({leaf_of(y)})
    assert by_values(Statement(Atom(x, "<", y, some=True), exists=there, sizes=over))
    assert by_values(Statement(Atom(square, "<", subtract(ZERO, multiply(y, y))), exists=there,
                               sizes=over)) == ""  # fmt: skip


def test_what_is_computed() -> None:
    """A statement about sizes would be called true although it fails at one of them."""
    assert by_computing(Statement(Atom(ZERO, "≤", size(n))))
    assert by_computing(Statement(Atom(number(4), "<", size(n)), sizes=sizes({n: 4}))) == ""
    assert by_computing(Statement(Atom(X, "=", X))) == ""  # it has a tensor


def test_new_sizes_are_looked_at() -> None:
    """A bound that is needed would be called superfluous."""
    over, none = sizes({n: 1}), sizes()
    v = tensor("v", r=d)
    even = total(divide(multiply(tensor("o", i=n), ZERO), size(n)), "i")
    true = Statement(Atom(add(v, even), "=", v), sizes=over)
    assert "only new size" in at_new_sizes(true, replace(true, sizes=none))
    whole = Statement(Atom(mean(add(v, multiply(ZERO, tensor("o", i=n))), "i"), "=", v), sizes=over)
    assert at_new_sizes(whole, replace(whole, sizes=none)) == ""  # the mean of nothing is not v
    assert at_new_sizes(whole, replace(whole, sizes=sizes({n: 3}))) == ""
    assert at_new_sizes(true, replace(whole, sizes=none)) == ""
    never = Atom(size(n), "<", size(n))  # no case satisfies it
    given = Statement(Atom(add(v, even), "=", v), frozenset({never}), sizes=over)
    assert at_new_sizes(given, replace(given, sizes=none)) == ""


def test_only_the_empty_set_is_vacuous() -> None:
    """A size at which something is stated would be called vacuous."""
    true = Statement(Atom(X, "=", X), sizes=sizes({n: 1}))
    assert "vacuous" in only_empty(true, replace(true, sizes=sizes()))
    two = replace(true, sizes=sizes({n: 2}))
    assert only_empty(two, replace(two, sizes=sizes({n: 1}))) == ""
    row = Statement(Atom(total(X, "i"), "=", total(X, "i")), sizes=sizes({n: 1}))
    assert only_empty(row, replace(row, sizes=sizes())) == ""


def test_a_witness_is_read_anew() -> None:
    """Of what there is, the claim's own mark would be believed."""
    x = tensor("x", i=n)
    over = sizes(among={n: (2,)})

    def claim(values: list[int], relation: str = "≠") -> Claim:
        found = by_exact([Witness({"n": 2}, {"sigma": (1, 0)}, {"x": values})])
        made = differs(moved(x, i=sigma), x, {"exact": found}, over=over)
        return made.stating(relation=relation)

    assert by_witness(claim([1, 2])) and by_witness(claim([1, 2], "<"))
    assert by_witness(claim([1, 1])) == "" and by_witness(claim([1, 2], "=")) == ""
    y = tensor("y")
    lone = differs(y, number(0), {"exact": by_exact([Witness({}, {}, {"y": 1})])})
    assert by_witness(lone) == ""  # no size is listed
    more = sizes(among={n: (2, 3)})
    assert by_witness(claim([1, 2]).stating(sizes=more)) == ""  # nothing is shown of three
