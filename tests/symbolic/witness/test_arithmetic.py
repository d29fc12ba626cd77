"""The arithmetic of the replays: every enclosure holds what it is said to enclose."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import mpmath
import pytest

from orderproof.symbolic.witness import arithmetic as module
from orderproof.symbolic.witness.arithmetic import Ball, ReplayError


def encloses(ball: Ball, value: Any) -> bool:
    """Whether the value lies within, and the ends are close to it (at many digits)."""
    low, high = (mpmath.mpf(end) / module.ONE for end in (ball.lo, ball.hi))
    return bool(low <= value <= high and high - low <= (1 + abs(value)) * mpmath.mpf("1e-45"))


def test_enclosures_enclose() -> None:
    """sin, cos, exp or a power would be enclosed wrongly: compared with mpmath."""
    random = Random(3)
    with mpmath.workdps(2000):
        for _ in range(40):
            x = Fraction(random.randint(-(10**6), 10**6), random.choice((10**3, 10**5, 10**6)))
            t = (x.numerator * module.ONE) // x.denominator
            exponential = mpmath.exp(mpmath.mpf(t) / module.ONE)
            assert encloses(module._exp(t), exponential)
            if x > -80:  # below, the value is too small for the ends to tell
                assert not encloses(module._exp(t + (module.ONE >> 100)), exponential)
            angle = Ball.of(abs(x) % 64)
            middle = mpmath.mpf((abs(x) % 64).numerator) / (abs(x) % 64).denominator
            assert encloses(module.sin_cos("sin", angle), mpmath.sin(middle))
            assert encloses(module.sin_cos("cos", angle), mpmath.cos(middle))
        for e in (Fraction(0), Fraction(1, 2), Fraction(2, 3), Fraction(62, 63)):
            power = mpmath.power(10000, mpmath.mpf(e.numerator) / e.denominator)
            assert encloses(module.power_of_ten_thousand(e), power)
            assert not encloses(module.power_of_ten_thousand(e), power + mpmath.mpf("1e-50"))
        assert encloses(
            module.natural_weight(Ball.of(Fraction(3)), 2), mpmath.exp(3 / mpmath.sqrt(2))
        )


FINE = 4096  # bits: there the series of 71 and of 4x + 81 terms end long before the last bit
REMAINDERS = {
    "_exp": "    total = total + Ball(0, term.hi)\n",
    "sin_cos": "    return total + Ball(-term.hi, term.hi)\n",
}


def enclosed(evaluator: Any) -> dict[str, bool]:
    """Whether each series, with 4,096 bits, encloses its true value at several points. Partial sums
    of exp are too small; those of sin and cos on either side, as the points are."""
    evaluator.BITS, evaluator.ONE = FINE, 1 << FINE
    held = {"_exp": True, "sin_cos": True}
    with mpmath.workdps(2000):
        for k in (1, 5, 16, 40, 77):  # eighths
            point, value = (k << FINE) // 8, mpmath.mpf(k) / 8
            found = [(evaluator._exp(sign * point), "_exp", mpmath.exp(sign * value))
                     for sign in (1, -1)]  # fmt: skip
            angle = evaluator.Ball(point, point)
            for name, true in (("sin", mpmath.sin(value)), ("cos", mpmath.cos(value))):
                found.append((evaluator.sin_cos(name, angle), "sin_cos", true))
            for ball, series, true in found:
                low, high = (mpmath.mpf(end) / evaluator.ONE for end in (ball.lo, ball.hi))
                held[series] &= bool(low <= true <= high)
                assert high - low < 1e-60  # narrow all the same
    return held


@pytest.mark.parametrize("dropped", [None, *REMAINDERS])
def test_a_series_is_enclosed_with_its_remainder(
    dropped: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A partial sum would be taken for the value: with 256 bits the rounding of its terms is wider
    than what is left out, and hides it; with more bits the remainder alone makes up for it."""
    text = Path(module.__file__).read_text(encoding="utf-8")
    if dropped:
        line = REMAINDERS[dropped]
        assert text.count(line) == 1
        text = text.replace(line, "    return total\n" if "return" in line else "")
    copy = ModuleType("orderproof.symbolic.arithmetic_copy")
    copy.__package__ = module.__package__
    monkeypatch.setitem(sys.modules, copy.__name__, copy)  # where its dataclasses look
    exec(compile(text, copy.__name__, "exec"), copy.__dict__)
    assert enclosed(copy) == {series: series != dropped for series in REMAINDERS}


def test_ball_arithmetic_rounds_outward() -> None:
    """A bound would be rounded towards the value, or a sign of the ends mishandled."""
    random = Random(4)
    for _ in range(300):
        p, q = (Fraction(random.randint(-999, 999), random.randint(1, 999)) for _ in range(2))
        for ball, value in (
            (Ball.of(p) + Ball.of(q), p + q), (-Ball.of(p), -p), (Ball.of(p) * Ball.of(q), p * q),
            (Ball.of(p) / Ball.of(abs(q) + 1), p / (abs(q) + 1)), (Ball.of(p).over(7), p / 7),
        ):  # fmt: skip
            assert Fraction(ball.lo, module.ONE) <= value <= Fraction(ball.hi, module.ONE)
            assert ball.hi - ball.lo <= 4 * 999
        wide = Ball(min(Ball.of(p).lo, Ball.of(q).lo), max(Ball.of(p).hi, Ball.of(q).hi))
        square = wide * wide
        assert all(square.lo <= Ball.of(v).lo for v in (p * q, p * p, q * q))
        assert all(square.hi >= Ball.of(v).hi for v in (p * q, p * p, q * q))
    with pytest.raises(ReplayError, match="separated from zero"):
        Ball.of(Fraction(1)) / Ball(-1, 1)
