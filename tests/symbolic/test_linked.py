"""The link from the last lemma of an account to its claim is between expressions, not values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import z3

from orderproof.symbolic import linked
from orderproof.symbolic.induction import reduction_account
from orderproof.symbolic.language import permutation, tensor
from orderproof.symbolic.linked import unlinked
from orderproof.symbolic.terms import Set

N = Set("n")
x, y, z = z3.Reals("x y z")
TRUE_BUT_DIFFERENT = ((x + y, y + x), (x * (y + z), x * y + x * z), ((x + y) + z, x + (y + z)))


def equal(a: Any, b: Any) -> bool:
    """Equality as a solver decides it, in place of the comparison of expressions."""
    solver = z3.Solver()
    solver.add(a != b)
    return bool(solver.check() == z3.unsat)


@pytest.mark.parametrize("a, b", TRUE_BUT_DIFFERENT)
def test_equal_expressions_are_not_the_same(a: Any, b: Any) -> None:
    """Each side of a true claim is equal to the other: either could be put for it."""
    assert not linked._same(a, b) and equal(a, b)
    assert linked._same(a, a) and linked._same(b, b)


def test_an_account_with_its_sides_exchanged_is_not_linked(monkeypatch: pytest.MonkeyPatch) -> None:
    """An account could state one equation, and its lemma another that is true as well."""
    account = reduction_account("sum", tensor("a", j=N), "j", permutation("σ", N))
    exchanged = replace(account, lhs=account.rhs, rhs=account.lhs)
    assert not unlinked(account) and unlinked(exchanged)
    monkeypatch.setattr(linked, "_same", equal)
    assert not unlinked(exchanged)  # what the test above would not see otherwise
