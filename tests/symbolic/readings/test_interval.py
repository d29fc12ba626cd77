"""The interval reading: encloses what it should, tightly, and refuses what it cannot."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import mpmath
import pytest

from orderproof.symbolic.calculus.terms import Set
from orderproof.symbolic.models.attention import softmax
from orderproof.symbolic.models.builders import mean, pointwise, reduce, tensor
from orderproof.symbolic.readings.entries import Model, evaluate
from orderproof.symbolic.readings.error import ReadingError
from orderproof.symbolic.readings.interval import Intervals, ends
from orderproof.symbolic.readings.rationals import Exact

N = Set("n")


def encloses(interval: Any, value: Any, width: str = "1e-48") -> bool:
    """Whether the value lies within, and the ends are close to it."""
    low, high = (mpmath.mpf(e.numerator) / e.denominator for e in ends(interval))
    return bool(low <= value <= high and high - low <= abs(value) * mpmath.mpf(width) + 1e-45)


@pytest.mark.parametrize("name", ["exp", "sin", "cos", "sqrt", "log"])
def test_functions_enclose(name: str) -> None:
    """An enclosure would miss the value of a transcendental function, or say next to nothing."""
    random, algebra = Random(1), Intervals()
    with mpmath.workdps(400):
        for _ in range(50):
            x = Fraction(random.randint(1, 10**6), random.randint(1, 10**4))
            x = -x if name in ("exp", "sin", "cos") and random.random() < 0.5 else x
            value = getattr(mpmath, name)(mpmath.mpf(x.numerator) / x.denominator)
            result = algebra.functions[name](algebra.number(x))
            assert encloses(result, value)
            assert not encloses(result, value * (1 + mpmath.mpf("1e-40")) + mpmath.mpf("1e-40"))
            low, high = ends(result)
            slack = abs(Fraction(int(value * 2**900)) / 2**900) / 2**172
            assert high - low > slack  # widened beyond what mpmath itself gives


def test_rational_arithmetic_encloses() -> None:
    """A sum, product or quotient would be rounded inward: compared with fractions."""
    random, algebra = Random(2), Intervals(30)
    for _ in range(200):
        a, b = (Fraction(random.randint(-99, 99), random.randint(1, 99)) for _ in range(2))
        x, y = algebra.number(a), algebra.number(b)
        exact, names = Exact(), ["add", "sub", "mul", "max"] + ["div"] * bool(b)
        for name in names:
            low, high = ends(algebra.functions[name](x, y))
            assert low <= exact.functions[name](a, b) <= high and high - low < Fraction(1, 10**4)
        for kind in ("sum", "prod", "max", "min"):
            low, high = ends(algebra.reduce(kind, [x, y, x], [1, 1, 1]))
            assert low <= exact.reduce(kind, [a, b, a], [1, 1, 1]) <= high
        assert ends(algebra.functions["neg"](x)) == tuple(-e for e in reversed(ends(x)))


def test_a_term_is_enclosed() -> None:
    """The reading would evaluate another term: softmax and a mean, beside 30 digits."""
    algebra = Intervals()
    values = [Fraction(1, 3), Fraction(-2), Fraction(5, 7)]
    model = Model({"n": 3}, {}, {"s": lambda i: algebra.number(values[i])})
    weights = evaluate(softmax(tensor("s", i=N), "i"), model, algebra)
    average = evaluate(mean(tensor("s", i=N), "i"), model, algebra)
    with mpmath.workdps(60):
        e = [mpmath.exp(mpmath.mpf(v.numerator) / v.denominator) for v in values]
        assert all(encloses(weights[i,], e[i] / sum(e)) for i in range(3))
        assert not encloses(weights[0,], e[1] / sum(e))
        assert encloses(
            average[()], mpmath.mpf(sum(values).numerator) / sum(values).denominator / 3
        )


def test_sinusoid() -> None:
    """The table of sines would be another: cos(3/10000^(2/3)) by mpmath, and sin(0) = 0."""
    algebra = Intervals()
    with mpmath.workdps(60):
        value = mpmath.cos(3 / mpmath.power(10000, mpmath.mpf(2) / 3))
        assert encloses(algebra.sinusoid("cos", 3, Fraction(2, 3)), value)
        assert encloses(algebra.sinusoid("sin", 1, Fraction(0)), mpmath.sin(1))
        assert not encloses(algebra.sinusoid("sin", 3, Fraction(2, 3)), value)
    low, high = ends(algebra.sinusoid("sin", 0, Fraction(0)))
    assert low <= 0 <= high


def test_refuses() -> None:
    """A function that it does not know, or that is not defined, would be read as something."""
    algebra = Intervals()
    model = Model({"n": 2}, {}, {"s": lambda i: algebra.number(Fraction(i))})
    s = tensor("s", i=N)
    with pytest.raises(ReadingError, match="function tanh: unknown to this reading"):
        evaluate(pointwise("tanh", s), model, algebra)
    for name, wanted in (("log", "positive"), ("sqrt", "no negative")):
        with pytest.raises(ReadingError, match=wanted):
            algebra.functions[name](algebra.number(Fraction(-1)))
    with pytest.raises(ReadingError, match="separated from 0"):
        algebra.functions["div"](
            algebra.number(Fraction(1)), algebra.sinusoid("sin", 0, Fraction(0))
        )
    with pytest.raises(ReadingError, match="at least one"):
        evaluate(reduce("max", s, "i"), Model({"n": 0}, {}, {"s": lambda i: None}), algebra)
    with pytest.raises(ReadingError, match="multiplicities"):
        algebra.reduce("sum", [algebra.number(Fraction(1))], [2])
    with pytest.raises(ReadingError, match="infinite"):
        ends(mpmath.iv.mpf(["-inf", "inf"]))
