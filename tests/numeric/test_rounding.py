"""The rounding bound: never below the true error, not vacuous, and blind to nothing."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, ClassVar

import mpmath
import numpy as np
import pytest

from orderproof.numeric.rounding import Ball, Bounded, bounded
from orderproof.symbolic.calculus.terms import Set, Term
from orderproof.symbolic.models.attention import attention, gelu, relu
from orderproof.symbolic.models.builders import (
    add,
    contract,
    divide,
    exp,
    exp2,
    multiply,
    number,
    pointwise,
    reduce,
    size,
    sqrt,
    subtract,
    tensor,
    total,
)
from orderproof.symbolic.readings.entries import Model, evaluate

N, M, D, R = (Set(x) for x in ("n", "m", "d", "r"))
Q, K, V = tensor("Q", i=N, c=D), tensor("K", j=M, c=D), tensor("V", j=M, r=R)
ATTENTION = attention(Q, K, V, "j", "c")
A, B = tensor("A", i=N), tensor("B", i=N)
DTYPES = (np.float64, np.float32)
mpmath.mp.prec = 600  # bits: 2^-600 is far below any rounding of a float


class Precise:
    """Reals to 600 bits, which is exact beside a float."""

    functions: ClassVar = {
        "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b, "neg": lambda a: -a, "exp": mpmath.exp,
        "sqrt": mpmath.sqrt, "max": max, "relu": lambda a: max(a, 0),
        "gelu": lambda a: a * (1 + mpmath.erf(a / mpmath.sqrt(2))) / 2,
        "exp2": lambda a: mpmath.power(2, a), "log": mpmath.log,
    }  # fmt: skip

    def number(self, value: Fraction) -> Any:
        return mpmath.mpf(value.numerator) / value.denominator

    def reduce(self, kind: str, values: Any, counts: Any) -> Any:
        how = {"sum": mpmath.fsum, "prod": mpmath.fprod, "max": max, "min": min}
        return how[kind](values)


def exact(t: Term, sizes: dict[str, int], given: dict[str, Any], dtype: Any) -> Any:
    """The value of a term at inputs of this precision, as numbers of 600 bits."""
    held = {k: np.asarray(v).astype(dtype).astype(float) for k, v in given.items()}
    tensors = {k: (lambda *i, v=v: mpmath.mpf(float(v[i]))) for k, v in held.items()}
    entries = evaluate(t, Model(sizes, {}, tensors), Precise())
    result = np.empty([sizes[s.name] for s in t.node.sets], dtype=object)
    for i, v in entries.items():
        result[i] = v
    return result


def ratios(t: Term, sizes: dict[str, int], given: dict[str, Any], dtype: Any) -> list[float]:
    """Of each entry with a bound, how much of the bound the true error takes."""
    ball = bounded(t, sizes, {}, given, dtype)
    assert ball.value.dtype == dtype
    return against(ball, exact(t, sizes, given, dtype))


def against(ball: Ball, true: Any) -> list[float]:
    """The true error of each entry by its bound; NaN and no bound are not within any bound."""
    result = []
    for i in np.ndindex(*ball.value.shape):
        value, bound = float(ball.value[i]), float(ball.error[i])
        if not np.isfinite(bound):
            continue
        if not np.isfinite(value):
            result.append(float("inf"))
            continue
        error = abs(mpmath.mpf(value) - true[i])
        result.append(float(error / bound) if bound else float("inf") if error else 0.0)
    return result


SIZES = {"n": 2, "m": 3, "d": 2, "r": 2}


def inputs(rng: np.random.Generator, scale: float) -> dict[str, Any]:
    """Random inputs of attention, each tensor and row at a scale of its own."""
    shapes = {"Q": (2, 2), "K": (3, 2), "V": (3, 2)}
    return {
        k: rng.normal(size=s) * 10.0 ** rng.uniform(-scale, scale, size=(s[0], 1))
        for k, s in shapes.items()
    }


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scale", [0.0, 1.0, 2.0, 8.0])
@pytest.mark.parametrize("trials", [30, pytest.param(60, marks=pytest.mark.slow)])
def test_the_error_of_attention_is_within_its_bound(dtype: Any, scale: float, trials: int) -> None:
    """A bound would be below the error of a sound computation: true theorems would fail."""
    rng = np.random.default_rng(int(scale) + 17)
    found: list[float] = []
    for _ in range(trials):
        found += ratios(ATTENTION, SIZES, inputs(rng, scale), dtype)
    assert max(found) <= 1
    assert len(found) >= (
        4 * trials if scale <= 1 else trials // 3
    )  # some at scale 8 have no bound


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_bound_is_not_vacuous(dtype: Any) -> None:
    """The bound would be so wide that it excluded nothing: it is within 60 times the error."""
    rng = np.random.default_rng(4)
    best = [max(ratios(ATTENTION, SIZES, inputs(rng, 0.0), dtype)) for _ in range(30)]
    assert np.median(best) > 1 / 60


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_wrong_computation_is_caught(dtype: Any) -> None:
    """A wrong constant, a dropped term, a NaN or an infinity would pass as rounding."""
    rng = np.random.default_rng(5)
    given = inputs(rng, 0.0)
    true = exact(ATTENTION, SIZES, given, dtype)
    ball = bounded(ATTENTION, SIZES, {}, given, dtype)
    assert max(against(ball, true)) <= 1
    wide = contract(Q, K, "c")
    unscaled = contract(softmaxed(wide), V, "j")
    other = bounded(unscaled, SIZES, {}, given, dtype)  # without 1/√d
    assert max(against(other, true)) > 100
    nearly = multiply(ATTENTION, number(1 + Fraction(1, 10**4)))
    assert max(against(bounded(nearly, SIZES, {}, given, dtype), true)) > 2
    dropped = given | {"V": np.vstack([given["V"][:2], np.zeros((1, 2))])}
    assert max(against(bounded(ATTENTION, SIZES, {}, dropped, dtype), true)) > 100
    for bad in (np.nan, np.inf):
        spoilt = Ball(np.where(np.eye(2) > 0, bad, ball.value).astype(dtype), ball.error)
        assert max(against(spoilt, true)) == float("inf")


def softmaxed(s: Term) -> Term:
    """softmax over j, unshifted and written out."""
    return divide(exp(s), total(exp(s), "j"))


OPERATIONS: list[tuple[str, Callable[[Term, Term], Term]]] = [
    ("add", add),
    ("sub", subtract),
    ("mul", multiply),
    ("div", divide),
    ("max", lambda a, b: pointwise("max", a, b)),
    ("exp", lambda a, b: exp(a)),
    ("sqrt", lambda a, b: sqrt(multiply(a, a))),
    ("sum", lambda a, b: total(add(a, b), "i")),
    ("prod", lambda a, b: reduce("prod", divide(a, b), "i")),
    ("max over", lambda a, b: reduce("max", multiply(a, b), "i")),
    ("dot", lambda a, b: contract(a, b, "i")),
    ("cancelling", lambda a, b: subtract(add(a, b), a)),
    ("thirds", lambda a, b: multiply(a, number(Fraction(1, 3)))),
    ("size", lambda a, b: divide(total(a, "i"), size(N))),
    ("exp of a sum", lambda a, b: exp(total(add(a, b), "i"))),
    ("relu of a difference", lambda a, b: relu(subtract(a, b))),
    ("gelu", lambda a, b: gelu(a)),
    ("gelu of a sum", lambda a, b: gelu(total(add(a, b), "i"))),
    ("a quotient of sums", lambda a, b: divide(add(a, b), subtract(a, b))),
    ("exp2", lambda a, b: exp2(a)),
    ("exp2 of a sum", lambda a, b: exp2(total(add(a, b), "i"))),
    ("log", lambda a, b: pointwise("log", multiply(a, a))),
    ("log of a sum", lambda a, b: pointwise("log", add(exp2(a), multiply(b, b)))),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", [o for _, o in OPERATIONS], ids=[n for n, _ in OPERATIONS])
@pytest.mark.parametrize("trials", [16, pytest.param(60, marks=pytest.mark.slow)])
def test_each_operation_is_within_its_bound(op: Any, dtype: Any, trials: int) -> None:
    """The bound of one operation would be wrong, and hidden by the slack of others."""
    rng = np.random.default_rng(6)
    t, found = op(A, B), []
    for trial in range(trials):
        scale = (0, 1, 5, 15)[trial % 4]
        given = {
            k: rng.normal(size=6) * 10.0 ** rng.uniform(-scale, scale, size=6) for k in ("A", "B")
        }
        found += ratios(t, {"n": 6}, given, dtype)
    assert found
    assert max(found) <= 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_of_rounded_factors(dtype: Any) -> None:
    """Factors with small errors: a bound that is a difference of products would cancel."""
    third = divide(A, number(3))
    rng = np.random.default_rng(8)
    found = []
    for _ in range(80):
        given = {"A": 3 * rng.uniform(0.9, 1.1, size=12)}
        found += ratios(reduce("prod", third, "i"), {"n": 12}, given, dtype)
    assert max(found) <= 1
    factors = Bounded(dtype)
    ones = Ball(np.ones(2, dtype), np.full(2, factors.u / 4))
    assert float(factors.reduce("prod", ones).error) > factors.u / 2  # 2 · u/4, though 1 + u/4 = 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_exponential_of_numpy_is_as_good_as_assumed(dtype: Any) -> None:
    """NumPy's exp would err by more than 4 units, at large, small or vanishing results."""
    ends = (-750.0, 709.0) if dtype is np.float64 else (-104.0, 88.0)
    x = np.random.default_rng(9).uniform(*ends, size=3000).astype(dtype)
    ball = Bounded(dtype).functions["exp"](Ball(x, np.zeros(x.shape)))
    true = np.array([mpmath.exp(mpmath.mpf(float(v))) for v in x])
    assert max(against(ball, true)) <= 1


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["exp2", "log"])
@pytest.mark.parametrize("count", [800, pytest.param(3000, marks=pytest.mark.slow)])
def test_powers_of_two_and_logarithms_are_as_good_as_assumed(
    name: str, dtype: Any, count: int
) -> None:
    """2^x or log would err by more than 4 units; or another function pass for it."""
    ends = {"exp2": (-1080.0, 1020.0), "log": (1e-9, 1e9)}[name]
    if dtype is np.float32:
        ends = {"exp2": (-150.0, 127.0), "log": (1e-6, 1e6)}[name]
    rng = np.random.default_rng(11)
    x = rng.uniform(*ends, size=count).astype(dtype)
    x[:4] = 1 + np.array([1, -1, 3, -3], dtype) * np.finfo(dtype).eps  # where log is near 0
    run = Bounded(dtype).functions
    ball = run[name](Ball(x, np.zeros(x.shape)))
    true = np.array([Precise.functions[name](mpmath.mpf(float(v))) for v in x])
    assert max(against(ball, true)) <= 1
    near = Ball((ball.value * dtype(1 + 64 * np.finfo(dtype).eps)).astype(dtype), ball.error)
    assert max(against(near, true)) > 1
    # an error of the argument is carried: the value a little further on is within the bound
    error = np.full(x.shape, 1e-3 * ends[0] if name == "log" else 1e-3)
    wide = run[name](Ball(x, error))
    there = np.array(
        [Precise.functions[name](mpmath.mpf(float(v)) + mpmath.mpf(float(e)))
         for v, e in zip(x, error, strict=True)]
    )  # fmt: skip
    assert max(against(wide, there)) <= 1 < max(against(ball, there))


def test_a_logarithm_of_what_may_not_be_positive_has_no_bound() -> None:
    """log of 0, of a negative number, or of what cannot be told from them would have a bound."""
    log = Bounded(np.float64).functions["log"]
    with np.errstate(all="ignore"):
        for value, error in ((0.0, 0.0), (-1.0, 0.0), (1.0, 1.0), (1e-9, 1e-8)):
            assert np.isnan(log(Ball(np.full(1, value), np.full(1, error))).error).all()
    assert np.isfinite(log(Ball(np.ones(1), np.full(1, 0.9))).error).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_of_whole_numbers_are_exact_while_they_fit(dtype: Any) -> None:
    """i ≤ j would be undecided at a tie of places; or a sum that was rounded be called exact."""
    run = Bounded(dtype).functions
    limit = round(2 / np.finfo(dtype).eps)  # from here on not every whole number is a float

    def whole(*values: float) -> Ball:
        return Ball(np.array(values, dtype), np.zeros(len(values)))

    for name in ("add", "sub"):
        assert not run[name](whole(3, -7, limit - 2), whole(5, 7, 1)).error.any()
    assert run["add"](whole(limit), whole(1)).error[0] >= 1  # limit + 1 is rounded to limit
    assert run["add"](whole(0.5), whole(0.25)).error[0] > 0
    inexact = Ball(np.ones(1, dtype), np.full(1, 1e-9))
    assert run["add"](whole(1), inexact).error[0] >= 1e-9
    tie = run["at_most"](whole(2), run["sub"](whole(3), whole(1)))
    assert (tie.value[0], tie.error[0]) == (1, 0)
    assert run["at_most"](whole(1), inexact).error[0] == 1  # it may be either


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [600, pytest.param(3000, marks=pytest.mark.slow)])
def test_gelu_is_as_good_as_assumed_and_no_other(dtype: Any, count: int) -> None:
    """The error function would err by more than 4 units, or its tanh approximation would pass."""
    x = np.random.default_rng(10).uniform(-12, 12, size=count).astype(dtype)
    ball = Bounded(dtype).functions["gelu"](Ball(x, np.zeros(x.shape)))
    true = np.array([Precise.functions["gelu"](mpmath.mpf(float(v))) for v in x])
    assert max(against(ball, true)) <= 1
    cubic = math.sqrt(2 / math.pi) * (x.astype(float) + 0.044715 * x.astype(float) ** 3)
    other = (x * (1 + np.tanh(cubic)) / 2).astype(dtype)
    assert max(against(Ball(other, ball.error), true)) > 100


def test_a_divisor_that_may_be_zero_has_no_bound() -> None:
    """A division by what cannot be told from 0 would be given a bound."""
    t = divide(A, subtract(add(B, number(Fraction(1, 3))), number(Fraction(1, 3))))
    for dtype in DTYPES:
        ball = bounded(t, {"n": 2}, {}, {"A": [1.0, 1.0], "B": [1e-30, 1.0]}, dtype)
        assert np.isnan(ball.error[0])
        assert not (ball.error[0] >= 0)  # so that no comparison passes
        assert np.isfinite(ball.error[1])
    division = Bounded(np.float64).functions["div"]
    one = Ball(np.ones(1), np.zeros(1))
    close = Ball(np.ones(1), np.array([np.nextafter(1.0, 0.0)]))  # an error known to 2^-53 only
    assert np.isnan(division(one, close).error).all()
    assert np.isfinite(division(one, Ball(np.ones(1), np.array([0.9]))).error).all()


def test_a_root_of_what_may_be_zero_is_off_by_the_root_of_its_error() -> None:
    """√ has no derivative at 0: a bound from one would be wrong there, or there would be none."""
    root = Bounded(np.float64).functions["sqrt"]
    with np.errstate(all="ignore"):
        for value in (0.0, 1e-25, 1e-20, 1e-16):  # of an exact value at most 1e-20 from it
            ball = root(Ball(np.full(1, value), np.full(1, 1e-20)))
            ends = [math.sqrt(max(value + by, 0.0)) for by in (-1e-20, 1e-20)]
            apart = max(abs(end - math.sqrt(value)) for end in ends)
            assert apart <= ball.error[0] <= 2.1 * apart
        assert np.isnan(root(Ball(np.full(1, -1e-25), np.full(1, 1e-20))).value).all()
        assert root(Ball(np.zeros(1), np.zeros(1))).error < 1e-300


@pytest.mark.parametrize("dtype", DTYPES)
def test_underflow_and_overflow(dtype: Any) -> None:
    """A product that vanishes would count as exact; one that overflows would have a bound."""
    info = np.finfo(dtype)
    small, big = float(info.tiny) * 1.5, float(info.max) / 2
    t = multiply(A, B)
    vanishing = bounded(t, {"n": 1}, {}, {"A": [small], "B": [0.3]}, dtype)
    assert vanishing.error[0] >= float(info.smallest_subnormal) / 2
    gone = ratios(t, {"n": 1}, {"A": [small], "B": [small]}, dtype)
    assert gone
    assert max(gone) <= 1
    assert (
        max(ratios(contract(A, B, "i"), {"n": 3}, {"A": [small] * 3, "B": [small] * 3}, dtype)) <= 1
    )
    over = bounded(t, {"n": 1}, {}, {"A": [big], "B": [3.0]}, dtype)
    assert not np.isfinite(over.error[0])
    for kind in ("sum", "prod"):  # overflows on the way: 1/∞ = 0 would pass for 1/x
        least = {"sum": [big, big, big], "prod": [big, 4.0, 1e-30]}[kind]
        inverse = divide(number(1), reduce(kind, A, "i"))
        hidden = bounded(inverse, {"n": 3}, {}, {"A": least}, dtype)
        assert hidden.value == 0
        assert not np.isfinite(hidden.error)
    dots = divide(number(1), contract(A, B, "i"))
    hidden = bounded(dots, {"n": 3}, {}, {"A": [big] * 3, "B": [1.0] * 3}, dtype)
    assert not np.isfinite(hidden.error)
    naive = bounded(softmaxed(tensor("S", j=M)), {"m": 2}, {}, {"S": [1000.0, 0.0]}, dtype)
    assert not np.isfinite(naive.error).all()
    assert not np.isfinite(naive.value).all()


def test_errors_carried_through_underflow() -> None:
    """The bound's own products would vanish, and with them an error that division magnifies."""
    division = Bounded(np.float64).functions["div"]
    a = Ball(np.array([1e-200]), np.zeros(1))
    b = Ball(np.array([1e-200]), np.array([5e-201]))  # the divisor may be 0.5e-200 or 1.5e-200
    assert division(a, b).error[0] >= 1.0
    tiny = Ball(np.array([1e-170]), np.array([1e-171]))
    assert division(tiny, tiny).error[0] >= 0.2


def test_constants_are_rounded_once_and_said_so() -> None:
    """1/3 would count as exact, or 1/2 as not."""
    for dtype in DTYPES:
        arithmetic = Bounded(dtype)
        assert arithmetic.number(Fraction(1, 2)).error == 0
        third = arithmetic.number(Fraction(1, 3))
        assert float(third.error) >= abs(Fraction(float(third.value)) - Fraction(1, 3)) > 0


def test_too_many_terms_have_no_bound() -> None:
    """With k·u ≥ 1 the bound of a sum would come out negative."""
    arithmetic = Bounded(np.float32)
    assert np.isnan(arithmetic._gamma(2**25))
    assert arithmetic._gamma(2**20) > 0
    assert arithmetic._gamma(0) == arithmetic._gamma(-1) == 0


def test_orders_of_summation_are_covered() -> None:
    """The bound would hold for NumPy's order of a sum, and not for that of another machine."""
    rng = np.random.default_rng(11)
    for _ in range(40):
        x = (rng.normal(size=50) * 10.0 ** rng.uniform(-4, 4, 50)).astype(np.float32)
        bound = float(bounded(total(A, "i"), {"n": 50}, {}, {"A": x}, np.float32).error)
        true = sum((Fraction(float(v)) for v in x), Fraction(0))
        for order in (x, x[::-1], np.sort(x), rng.permutation(x)):
            run = np.float32(0)
            for v in order:
                run = np.float32(run + v)
            assert abs(Fraction(float(run)) - true) <= bound
