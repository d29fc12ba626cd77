"""The value of a model's term in balls: intervals that hold the numbers of exact arithmetic.

Leaves are what they are, floats and whole numbers, until something is computed of them; then every
entry is a `Ball`. The functions of operators are called as they stand, on arrays (`Balls`) of which
NumPy's functions are done in balls. What a ball leaves open is never guessed: of a jump, and of a
choice, the value is a ball around all that it may be; any other comparison raises Undecided.
"""

from __future__ import annotations

import functools
import math
import operator
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import flint
import numpy as np
from flint import arb, arb_mat, fmpq

from orderproof.symbolic.calculus.terms import Term

from .arrays import Chosen, Evaluator, ModelFloats, ones_at
from .graph import Array
from .values import Leaf, Tensor

MOST = 3 * 10**7  # multiplications in matrices, a few seconds; a step on one entry takes as long
EACH = 10  # as so many of them
ROUNDED = 2.0**-32  # of tables computed in 64 bits: a Fourier transform, a resize to 2^16 places
INFINITY, NO_NUMBER, TWO = arb("inf"), arb("nan"), arb(2)
TRUTH = {False: arb(0), True: arb(1), None: arb(0.5, 0.5)}  # None: open


class NotRead(Exception):
    """What has no value in balls, and why."""


class Undecided(NotRead):
    """A question that the balls leave open."""


class TooLarge(NotRead):
    """What would take too long."""


def exact(x: Any) -> arb:
    """A number without rounding; TypeError of anything else."""
    if isinstance(x, Ball):
        return x.arb
    x = x.item() if isinstance(x, np.generic) else x
    if isinstance(x, Fraction):
        return arb(fmpq(x.numerator, x.denominator))
    if isinstance(x, int | float | arb):
        return arb(int(x) if isinstance(x, bool) else x)
    raise TypeError(f"{type(x).__name__} is no number")


def _answer(yes: Callable[..., Any], no: Callable[..., Any]) -> Callable[..., bool | None]:
    """A question whose answer is None where neither is certain."""
    return lambda *of: True if yes(*of) else False if no(*of) else None


QUESTIONS: dict[Any, Callable[..., bool | None]] = {
    np.less: _answer(operator.lt, operator.ge),
    np.greater: _answer(operator.gt, operator.le),
    np.less_equal: _answer(operator.le, operator.gt),
    np.greater_equal: _answer(operator.ge, operator.lt),
    np.equal: _answer(operator.eq, operator.ne),
    np.not_equal: _answer(operator.ne, operator.eq),
    np.isnan: _answer(lambda x: False, lambda x: x.is_finite() or abs(x) == INFINITY),
}


def _chosen(test: arb, a: arb, b: arb) -> arb:
    other = QUESTIONS[np.equal](test, 0)
    return a.union(b) if other is None else b if other else a


TURNS = ("sin", "cos", "tan", "sinh", "cosh", "tanh")
SAME = ("exp", "expm1", "log1p", "sqrt", "floor", "ceil")
FUNCTIONS: dict[Any, Callable[..., arb]] = {
    **{getattr(np, f): getattr(arb, f) for f in (*TURNS, *SAME)},
    **{getattr(np, f"arc{f}"): getattr(arb, f"a{f}") for f in TURNS},
    np.sin: lambda x: x.sin() if x.is_finite() else NO_NUMBER,
    np.cos: lambda x: x.cos() if x.is_finite() else NO_NUMBER,
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.true_divide: operator.truediv,
    np.negative: operator.neg,
    np.absolute: abs,
    np.power: operator.pow,
    np.maximum: arb.max,
    np.minimum: arb.min,
    np.clip: lambda x, low, high: x.max(low).min(high),
    np.where: _chosen,
    np.bitwise_and: arb.min,  # of truth values alone
    np.bitwise_or: arb.max,
    np.bitwise_xor: lambda a, b: abs(a - b),
    np.exp2: lambda x: TWO**x,
    np.log: lambda x: -INFINITY if x.is_zero() else x.log(),
    np.logaddexp: lambda a, b: (a.exp() + b.exp()).log(),
    np.sign: arb.sgn,
    np.trunc: lambda x: x.max(0).floor() + x.min(0).ceil(),
    # x rounded up at a half, but for the larger one of two where that is odd
    np.rint: lambda x: (x + 0.5).floor() + (x / 2 - 0.25).ceil() - (x / 2 - 0.25).floor() - 1,
    np.remainder: lambda a, b: a - b * (a / b).floor(),
    np.fmod: lambda a, b: a - b * ((a / b).max(0).floor() + (a / b).min(0).ceil()),
}


def _decided(ufunc: Any) -> Callable[[Any, Any], Any]:
    def of(a: Ball, b: Any) -> Any:
        answer = QUESTIONS[ufunc](a.arb, exact(b))
        if answer is None:
            raise Undecided(f"{ufunc.__name__} is open of a number in {a.arb.str(10)}")
        return answer

    return of


class Ball:
    """A number between two ends. An `arb` would say no to a comparison that is open."""

    __slots__ = ("arb",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any) -> None:
        self.arb = exact(value)

    __add__ = __radd__ = lambda a, b: Ball(a.arb + exact(b))
    __mul__ = __rmul__ = lambda a, b: Ball(a.arb * exact(b))
    __lt__, __gt__ = _decided(np.less), _decided(np.greater)
    __le__, __ge__ = _decided(np.less_equal), _decided(np.greater_equal)
    __eq__, __ne__ = _decided(np.equal), _decided(np.not_equal)

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __int__(self) -> int:
        found = self.arb.unique_fmpz() if self.arb.is_exact() else None
        if found is None:
            raise Undecided(f"{self.arb.str(10)} is not one whole number")
        return int(found)


def _of_rows(f: Callable[[list[Ball]], Any]) -> Any:
    def of(self: Array, axis: int, **_: Any) -> Array:
        if axis not in (-1, self.ndim - 1):
            raise TypeError("of the last axis alone")
        found = [f(row) for row in np.asarray(self).reshape(-1, self.shape[-1]).tolist()]
        return np.array(found, dtype=int).reshape(*self.shape[:-1], *np.shape(found)[1:])

    return of


class Balls(np.ndarray[Any, Any]):
    """An array of balls, or of exact numbers, on which NumPy's functions are done in balls;
    TypeError of a function that is not among them."""

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **options: Any) -> Any:
        if method != "__call__" or options or ufunc not in QUESTIONS | FUNCTIONS:
            raise TypeError(f"{ufunc.__name__} of balls")
        if ufunc in FUNCTIONS:
            return entrywise(FUNCTIONS[ufunc], *args)
        found = entrywise(lambda *of: TRUTH[QUESTIONS[ufunc](*of)], *args)
        return found.astype(bool) if all(x.arb.is_exact() for x in found.flat) else found

    # NumPy's own go on comparing after an error, and forget it
    argmax = _of_rows(lambda row: max(range(len(row)), key=row.__getitem__))
    argmin = _of_rows(lambda row: min(range(len(row)), key=row.__getitem__))
    argsort = _of_rows(lambda row: sorted(range(len(row)), key=row.__getitem__))
    sort = searchsorted = partition = None  # type: ignore[assignment]

    def __array_function__(self, func: Any, types: Any, args: Any, options: Any) -> Any:
        if func in FUNCTIONS:
            return entrywise(FUNCTIONS[func], *args)
        found = super().__array_function__(func, types, args, options)
        is_object = isinstance(found, np.ndarray) and found.dtype == object
        return found.view(Balls) if is_object else found


_steps = [0]  # that the running enclosure has taken


def _spend(steps: int) -> None:
    _steps[0] += steps
    if _steps[0] > MOST:
        raise TooLarge(f"it takes more than {MOST:,} multiplications of balls")


def entrywise(f: Callable[..., arb], *args: Any) -> Balls:
    """A function of numbers at every entry, with broadcasting."""
    plain = [np.asarray(x) for x in args]
    _spend(EACH * math.prod(np.broadcast_shapes(*(x.shape for x in plain))))
    of = np.frompyfunc(lambda *xs: Ball(f(*map(exact, xs))), len(args), 1)
    return np.asarray(of(*plain), dtype=object).view(Balls)


def balls(values: Any) -> Balls:
    """Exact numbers as balls; what is one stays."""
    given = np.asarray(values)
    _spend(given.size)
    found = np.empty(given.size, dtype=object)
    found[:] = [x if isinstance(x, Ball) else Ball(x) for x in given.ravel().tolist()]
    return found.reshape(given.shape).view(Balls)


def _cubed(x: arb) -> arb:
    return (TWO / arb.pi()).sqrt() * (1 + exact(Fraction("0.044715")) * x**2)


NAMED: dict[str, Callable[..., Any]] = {  # in the place of functions that stand in floats
    "erf": lambda x: entrywise(arb.erf, x),
    "gelu": lambda x: entrywise(lambda v: v / 2 * (1 + (v / TWO.sqrt()).erf()), x),
    "gelu_tanh": lambda x: entrywise(lambda v: v / 2 * (1 + (v * _cubed(v)).tanh()), x),
    "is_place": lambda *whole: ones_at(*(np.asarray(x).astype(np.int64) for x in whole)),
}


def _plain(value: Array | Chosen) -> Array:
    return value.whole(np.float64) if isinstance(value, Chosen) else np.asarray(value)


class BallArrays(ModelFloats):
    """Arrays of balls, and of exact numbers of which nothing was computed yet."""

    def function(self, name: str, f: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **options: Any) -> Any:
            given = [balls(x) if isinstance(x, np.ndarray | Ball) else x for x in args]
            try:
                found = NAMED.get(name, f)(*given, **options)
                return found if isinstance(found, Chosen) else balls(found)
            except (TypeError, AttributeError, ValueError, ArithmeticError, LookupError) as e:
                raise NotRead(f"the function {name} is not done in balls: {e}") from e

        return called

    def given(self, leaf: Leaf, values: Array) -> Array:
        computed = leaf.table and not leaf.source and values.dtype == np.float64
        if not computed or not np.any(np.mod(values * 2.0**20, 1)):
            return values  # a copy of constants, or whole numbers and halves
        return entrywise(lambda x: x + arb(0, ROUNDED), values)

    def number(self, value: Fraction) -> Array:
        return balls(Ball(value))

    def reduce(self, kind: str, value: Array) -> Array:
        step: Any = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}[kind]
        rows = balls(value)
        parts = [rows[..., k] for k in range(rows.shape[-1])]
        return balls(
            functools.reduce(step, parts) if parts else super().reduce(kind, np.asarray(rows))
        )

    def join(self, a: Array, b: Array) -> Array:
        return self.map(lambda x: np.concatenate([x, balls(b)]), a)

    def _numbers(self, value: Array | Chosen) -> Array:
        return balls(_plain(value))

    def _products(self, subscripts: str, a: Array | Chosen, b: Array | Chosen) -> Array:
        axes, out = subscripts.split("->")
        one, other = axes.split(",")
        x, y = _plain(a), _plain(b)
        sizes = dict(zip(one, x.shape, strict=True)) | dict(zip(other, y.shape, strict=True))
        both, left = [k for k in one if k in other], [k for k in one if k not in other]
        batch, summed = [k for k in both if k in out], [k for k in both if k not in out]
        right = [k for k in other if k not in one]
        count, m, s, n = (math.prod(sizes[k] for k in p) for p in (batch, left, summed, right))
        _spend(count * (m * s * n + m * s + s * n))

        def matrix(v: Array) -> Any:
            entries = [getattr(e, "arb", e) for e in v.ravel().tolist()]  # weights stay floats
            return arb_mat(v.shape[0], v.shape[1], entries)

        rows = x.transpose([one.index(k) for k in (*batch, *left, *summed)]).reshape(count, m, s)
        columns = y.transpose([other.index(k) for k in (*batch, *summed, *right)])
        pairs = zip(rows, columns.reshape(count, s, n), strict=True)
        entries = np.empty(count * m * n, dtype=object)
        entries[:] = [Ball(v) for p, q in pairs for v in (matrix(p) * matrix(q)).entries()]
        order = [*batch, *left, *right]
        whole = entries.reshape([sizes[k] for k in order])
        return whole.transpose([order.index(k) for k in out]).view(Balls)


def enclose(evaluator: Evaluator, tensor: Tensor, term: Term, bits: int) -> Array:
    """A tensor's term as an array of `Ball` with the tensor's dimensions, computed with so many
    bits; NotRead, with the reason, where it has no value in balls."""
    _steps[0] = 0
    with flint.ctx.workprec(bits):
        try:
            return balls(evaluator.value(tensor, term, object, BallArrays))
        except (TypeError, ValueError, ArithmeticError, LookupError, MemoryError) as e:
            raise NotRead(str(e)) from e


def gap(a: Ball, b: Ball) -> float:
    """How far apart the numbers in two balls are at least: rounded down, and 0 where they may be
    the same, or one is not finite."""
    apart = a.arb - b.arb
    with flint.ctx.workprec(53):
        least = apart.abs_lower().min(sys.float_info.max)
    return float(least) if apart.is_finite() and least > sys.float_info.min else 0.0
