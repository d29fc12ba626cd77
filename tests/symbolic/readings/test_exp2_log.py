"""2^x and log in every reading: one function in all, or refused where a reading cannot say it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

from orderproof.numeric.rounding import bounded
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.models.builders import add, divide, exp, exp2, number, pointwise, tensor
from orderproof.symbolic.readings.entries import Model, evaluate
from orderproof.symbolic.readings.error import ReadingError
from orderproof.symbolic.readings.exact import entries_of
from orderproof.symbolic.readings.interval import Intervals, ends
from orderproof.symbolic.readings.numpy_arrays import Floats, arrays
from orderproof.symbolic.readings.rationals import Exact
from orderproof.symbolic.readings.sympy_entries import Formulas
from orderproof.symbolic.readings.z3_reals import Reals

x = tensor("x")


def log(t: Term) -> Term:
    """log, entry by entry."""
    return pointwise("log", t)


def at(t: Term, algebra: Any, value: Fraction) -> Any:
    """A term without axes at x = value, in an algebra of entries."""
    return evaluate(t, Model({}, {}, {"x": lambda: algebra.number(value)}), algebra)[()]


def enclosed(t: Term, value: Fraction) -> tuple[Fraction, Fraction]:
    """Its enclosure."""
    return ends(at(t, Intervals(), value))


TERMS: list[tuple[Term, Callable[[Any], Any]]] = [
    (exp2(x), lambda v: mpmath.power(2, v)),
    (log(add(x, number(5))), lambda v: mpmath.log(v + 5)),
    (exp2(divide(log(add(x, number(5))), log(number(2)))), lambda v: v + 5),
]


@pytest.mark.parametrize(("t", "true"), TERMS)
@pytest.mark.parametrize("value", [Fraction(3), Fraction(-2), Fraction(1, 4), Fraction(0)])
def test_readings_agree(t: Term, true: Callable[[Any], Any], value: Fraction) -> None:
    """A reading would take 2^x for e^x, or log for another base."""
    with mpmath.workprec(300):
        expected = true(mpmath.mpf(value.numerator) / value.denominator)
        low, high = (mpmath.mpf(e.numerator) / e.denominator for e in enclosed(t, value))
        assert low <= expected <= high and high - low < mpmath.mpf(2) ** -100
        symbolic = at(t, Formulas(), value)
        assert abs(mpmath.mpf(str(sympy.N(symbolic, 40))) - expected) < 1e-35
        for dtype in (np.float64, np.float32):
            ball = bounded(t, {}, {}, {"x": float(value)}, dtype)
            assert abs(mpmath.mpf(float(ball.value)) - expected) <= mpmath.mpf(float(ball.error))
            assert float(ball.error) < 1e-3
        assert (
            abs(float(arrays(t, {}, {}, {"x": float(value)}, Floats(np.float64))) - float(expected))
            < 1e-12
        )


def test_exact_readings_know_whole_powers_alone() -> None:
    """2^(1/2) would be rounded, or log be some rational."""
    assert at(exp2(x), Exact(), Fraction(-3)) == Fraction(1, 8)
    assert entries_of(exp2(x), {}, {}, {"x": -3}) == {(): Fraction(1, 8)}
    assert entries_of(exp(x), {}, {}, {"x": -3}, logs=["x"]) == {(): Fraction(1, 8)}
    for value in (Fraction(1, 2), Fraction(-7, 3)):
        with pytest.raises(ReadingError, match="expected an integer"):
            at(exp2(x), Exact(), value)
        with pytest.raises(ReadingError, match="expected an integer"):
            entries_of(exp2(x), {}, {}, {"x": value})
    with pytest.raises(ReadingError, match=r"integer|ln 2"):
        entries_of(exp2(x), {}, {}, {"x": 1}, logs=["x"])  # 2^(ln 2) is no rational
    for t in (log(x), log(number(1))):
        with pytest.raises((ReadingError, KeyError)):
            at(t, Exact(), Fraction(1))
        with pytest.raises((ReadingError, KeyError)):
            entries_of(t, {}, {}, {"x": 1})


def test_solvers_are_not_asked_of_functions_that_they_do_not_know() -> None:
    """2^x or log would be some function in a search, and its witness no witness."""
    for t in (exp2(x), log(x)):
        with pytest.raises((ReadingError, KeyError)):
            at(t, Reals(), Fraction(1))


def test_a_logarithm_of_no_positive_number_has_no_enclosure() -> None:
    """log of 0 or of a negative number would be enclosed."""
    for value in (Fraction(0), Fraction(-1)):
        with pytest.raises(ReadingError, match="expected a positive number"):
            enclosed(log(x), value)
    assert at(log(x), Formulas(), Fraction(1)) == 0
