"""Identities of sines and cosines: SymPy's steps, the second way, and falsehoods for both."""

from __future__ import annotations

import pytest
import sympy

from orderproof.check.marks.waves import by_steps
from orderproof.proofs.catalogue import load
from orderproof.symbolic.readings.sympy_entries import formulas
from orderproof.symbolic.schemes.trigonometry import PYTHAGORAS, same, steps, vanishes
from orderproof.symbolic.statements.statement import Statement

IDENTITIES = {
    f"{name} {number + 1}": claim.statement
    for name in ("sinusoidal_shift_is_rotation", "rope_relative_score")
    for number, claim in enumerate(load(name).claims)
    if claim.marks.get("sympy") is by_steps
}
a, b = sympy.symbols("a b", real=True)


def test_all_identities_are_here() -> None:
    """The two ways would be compared on nothing."""
    assert len(IDENTITIES) == 7


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(x, marks=[pytest.mark.slow] * (x == "rope_relative_score 2"))
        for x in IDENTITIES
    ],
)
def test_two_ways_agree(name: str) -> None:
    """The steps would not end in 0 where the second way says 0, or would end there anyhow."""
    s: Statement = IDENTITIES[name]
    left, right = (formulas(t, {"h": 2}, {}) for t in s.atom.terms)
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
