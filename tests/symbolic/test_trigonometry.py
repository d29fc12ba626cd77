"""Identities of sines and cosines: SymPy's steps, the second way, and falsehoods for both."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy
import z3

from orderproof.symbolic.read_sympy import formulas
from orderproof.symbolic.rotations import (
    common_account,
    length_account,
    offset_account,
    relative_account,
    shift_accounts,
)
from orderproof.symbolic.trigonometry import PYTHAGORAS, same, steps, vanishes

ACCOUNTS = (
    *shift_accounts(), length_account(), offset_account(), relative_account(), common_account(),
)  # fmt: skip
a, b = sympy.symbols("a b", real=True)


@pytest.mark.parametrize("account", ACCOUNTS, ids=lambda a: a.obligations[0].name)
def test_obligations(account: object) -> None:
    """An obligation would be true of anything, or of angles of which nothing is assumed."""
    for o in account.obligations:  # type: ignore[attr-defined]
        assert o.check() is True
        assert replace(o, goal=z3.Not(o.goal)).check() is False, o.name
        if "equal" not in o.name and o.assume:
            assert replace(o, assume=()).check() is False, o.name


@pytest.mark.parametrize("account", ACCOUNTS, ids=lambda a: a.obligations[0].name)
def test_two_ways_agree(account: object) -> None:
    """The steps would not end in 0 where the second way says 0, or would end there anyhow."""
    lhs, rhs = account.lhs, account.rhs  # type: ignore[attr-defined]
    left, right = (formulas(t, {"h": 2}, {}) for t in (lhs, rhs))
    for index in left:
        difference = left[index] - right[index]
        assert steps(difference)[-1][1] == 0 and vanishes(difference)
        wrong = left[index] + right[index]
        assert steps(wrong)[-1][1] != 0 and not vanishes(wrong)
        assert not same(left[index], 2 * right[index])


def test_every_step_keeps_the_value() -> None:
    """A step would change the expression and not only its form."""
    e = (sympy.sin(a + b) + sympy.cos(a - b)) ** 3 * sympy.sin(a) ** 4
    found = steps(e)
    assert [reason for reason, _ in found][-1] == PYTHAGORAS and len(found) == 4
    point = {a: sympy.Rational(3, 7), b: sympy.Rational(-2, 5)}
    values = [v.subs(point).evalf(40) for _, v in found]
    assert all(abs(v - values[0]) < sympy.Float("1e-35") for v in values)


def test_what_is_not_zero() -> None:
    """c² + s² = 1 would be used of two different angles, or where there is no angle."""
    assert vanishes(sympy.sin(a) ** 2 + sympy.cos(a) ** 2 - 1)
    assert not vanishes(sympy.sin(a) ** 2 + sympy.cos(b) ** 2 - 1)
    assert not vanishes(a - b) and vanishes(a - a)
