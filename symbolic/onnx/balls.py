"""The value of a model's term in balls: intervals that hold the numbers of exact arithmetic.

Leaves are what they are, floats and whole numbers, until something is computed of them; then every
entry is a `Ball`. The functions of operators are called as they stand, on arrays (`Balls`) of which
NumPy's functions are done in balls. What a ball leaves open is never guessed: a choice is the hull
of both of its cases, and elsewhere a comparison raises Undecided.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import flint
import numpy as np
from flint import arb, arb_mat, fmpq

from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.witness.fields import PLACES

from .arrays import Evaluator, ModelFloats
from .chosen import Chosen, ones_at
from .graph import Array
from .values import Leaf, Tensor

MOST = 3 * 10**7  # multiply-adds of matrices, a few seconds
EACH = 10  # times as long takes a step on a single entry
# how far an entry of a table is off that was computed in 64 bits: of a Fourier transform 2^-48, of
# a resize to n places n · 2^-50
ROUNDED = 2.0**-32
ZERO, HALF, ONE, TWO = arb(0), arb(0.5), arb(1), arb(2)
MINUS_INFINITY = arb(float("-inf"))


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


# ---------------------------------------------------------------------------- questions, by cases
def _less(a: arb, b: arb) -> bool | None:
    return True if a < b else False if a >= b else None


def _equal(a: arb, b: arb) -> bool | None:
    return True if a == b else False if a != b else None


def _not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


def _no_number(x: arb) -> bool | None:
    return False if x.is_finite() or (x.is_exact() and not x.is_nan()) else None


QUESTIONS: dict[Any, Callable[..., bool | None]] = {
    np.less: _less,
    np.greater: lambda a, b: _less(b, a),
    np.less_equal: lambda a, b: _not(_less(b, a)),
    np.greater_equal: lambda a, b: _not(_less(a, b)),
    np.equal: _equal,
    np.not_equal: lambda a, b: _not(_equal(a, b)),
    np.isnan: _no_number,
}


def _certain(answer: bool | None, *of: arb) -> bool:
    if answer is None:
        raise Undecided(f"a question about {' and '.join(x.str(10) for x in of)} is open")
    return answer


# -------------------------------------------------------------------------- functions of one entry
def _floor(x: arb) -> arb:
    found = x.floor()
    _certain(True if found.is_exact() and not found.is_nan() else None, x)
    return found


def _truncated(x: arb) -> arb:
    if abs(x) < ONE:
        return ZERO
    return _floor(x) if x > ZERO else -_floor(-x)


def _rounded(x: arb) -> arb:
    """The nearest whole number, of two the even one."""
    near = _floor(x.mid() + HALF)
    if near - x == HALF:
        return near if near / 2 == (near / 2).floor() else near - ONE
    _certain(True if abs(near - x) < HALF else None, x)
    return near


def _sign(x: arb) -> arb:
    return arb(_certain(_less(ZERO, x), x) - _certain(_less(x, ZERO), x))


FUNCTIONS: dict[Any, Callable[..., arb]] = {
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
    np.exp: arb.exp,
    np.exp2: lambda x: TWO**x,
    np.expm1: arb.expm1,
    np.log: lambda x: MINUS_INFINITY if x.is_zero() else x.log(),
    np.log1p: arb.log1p,
    np.logaddexp: lambda a, b: (a.exp() + b.exp()).log(),
    np.sqrt: arb.sqrt,
    np.sin: arb.sin,
    np.cos: arb.cos,
    np.tan: arb.tan,
    np.arcsin: arb.asin,
    np.arccos: arb.acos,
    np.arctan: arb.atan,
    np.sinh: arb.sinh,
    np.cosh: arb.cosh,
    np.tanh: arb.tanh,
    np.arcsinh: arb.asinh,
    np.arccosh: arb.acosh,
    np.arctanh: arb.atanh,
    np.sign: _sign,
    np.floor: _floor,
    np.ceil: lambda x: -_floor(-x),
    np.trunc: _truncated,
    np.rint: _rounded,
    np.remainder: lambda a, b: a - b * _floor(a / b),
    np.fmod: lambda a, b: a - b * _truncated(a / b),
}


# ---------------------------------------------------------------------------- balls and arrays of them
def _binary(ufunc: Any, swapped: bool = False) -> Callable[[Any, Any], Any]:
    def of(self: Ball, other: Any) -> Any:
        a, b = (exact(other), self.arb) if swapped else (self.arb, exact(other))
        if ufunc in QUESTIONS:
            return _certain(QUESTIONS[ufunc](a, b), a, b)
        return Ball(FUNCTIONS[ufunc](a, b))

    return of


class Ball:
    """An entry: a number between two ends, which no `arb` would keep it from being compared by."""

    __slots__ = ("arb",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any) -> None:
        self.arb = exact(value)

    __add__, __radd__ = _binary(np.add), _binary(np.add, True)
    __sub__, __rsub__ = _binary(np.subtract), _binary(np.subtract, True)
    __mul__, __rmul__ = _binary(np.multiply), _binary(np.multiply, True)
    __lt__, __gt__ = _binary(np.less), _binary(np.greater)
    __le__, __ge__ = _binary(np.less_equal), _binary(np.greater_equal)
    __eq__, __ne__ = _binary(np.equal), _binary(np.not_equal)  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return self != 0

    def __int__(self) -> int:
        _certain(True if self.arb.is_exact() and self.arb.is_integer() else None, self.arb)
        return int(self.arb.unique_fmpz())

    def __repr__(self) -> str:
        return str(self.arb.str(10))


EITHER = Ball(arb(0.5, 0.5))  # a truth value that is open


class Balls(np.ndarray):  # type: ignore[type-arg]
    """An array of balls, or of numbers that are exact, on which NumPy's functions are done in
    balls; TypeError of a function that is not among them."""

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **options: Any) -> Any:
        if method != "__call__" or options or ufunc not in QUESTIONS | FUNCTIONS:
            raise TypeError(f"{ufunc.__name__} is not done in balls")
        if ufunc in FUNCTIONS:
            return entrywise(FUNCTIONS[ufunc], *args)
        found = _mapped(QUESTIONS[ufunc], *args)
        is_open = np.equal(found, None)
        if not is_open.any():
            return found.astype(bool)
        found[is_open] = EITHER
        return found.view(Balls)

    def __array_function__(self, func: Any, types: Any, args: Any, options: Any) -> Any:
        if func is np.where and len(args) == 3:
            return entrywise(_chosen, *args)
        found = super().__array_function__(func, types, args, options)
        is_object = isinstance(found, np.ndarray) and found.dtype == object
        return found.view(Balls) if is_object else found


def _chosen(test: arb, a: arb, b: arb) -> arb:
    answer = _equal(test, ZERO)
    return a.union(b) if answer is None else b if answer else a


def _mapped(f: Callable[..., Any], *args: Any) -> Array:
    of = np.frompyfunc(lambda *xs: f(*map(exact, xs)), len(args), 1)
    return np.asarray(of(*(np.asarray(x) for x in args)), dtype=object)


def entrywise(f: Callable[..., arb], *args: Any) -> Balls:
    """A function of numbers at every entry, with broadcasting."""
    return _mapped(lambda *xs: Ball(f(*xs)), *args).view(Balls)


def balls(values: Any) -> Balls:
    """Exact numbers as balls; what is one stays."""
    given = np.asarray(values)
    given = given.astype(np.float64) if given.dtype.kind == "V" else given  # small floats
    found = np.empty(given.size, dtype=object)
    found[:] = [x if isinstance(x, Ball) else Ball(x) for x in given.ravel().tolist()]
    return found.reshape(given.shape).view(Balls)


def _gelu_tanh(x: arb) -> arb:
    inner = (TWO / arb.pi()).sqrt() * (x + exact(Fraction("0.044715")) * x**3)
    return HALF * x * (ONE + inner.tanh())


def _is_place(*args: Array) -> Any:
    """Places as they are, and whole numbers that were computed as such: a table is not converted."""
    return ones_at(*(np.asarray(x).astype(np.int64) if x.dtype == object else x for x in args))


NAMED: dict[str, Callable[..., Any]] = {  # of functions that stand in floats
    "erf": lambda x: entrywise(arb.erf, x),
    "gelu": lambda x: entrywise(lambda v: HALF * v * (ONE + (v / TWO.sqrt()).erf()), x),
    "gelu_tanh": lambda x: entrywise(_gelu_tanh, x),
    "is_place": _is_place,
}


# ------------------------------------------------------------------------------------- the reading
class BallArrays(ModelFloats):
    """Arrays of balls, and of exact numbers of which nothing was computed yet."""

    work = 0

    def spend(self, steps: int) -> None:
        """Count steps before they are done; TooLarge where they are too many."""
        self.work += steps
        if self.work > MOST:
            raise TooLarge(f"more than {MOST:,} multiplications of balls are needed")

    def function(self, name: str, f: Callable[..., Any]) -> Callable[..., Any]:
        f = NAMED.get(name, f)

        def called(*args: Any, **options: Any) -> Any:
            sizes: dict[int, int] = {}
            for x in (x for x in args if isinstance(x, np.ndarray) and name != "is_place"):
                sizes |= {k: max(n, sizes.get(k, 0)) for k, n in enumerate(reversed(x.shape))}
            self.spend(EACH * math.prod(sizes.values()))
            plain = name == "is_place"
            given = [balls(x) if isinstance(x, np.ndarray) and not plain else x for x in args]
            try:
                found = f(*given, **options)
                return found if isinstance(found, Chosen) else balls(found)
            except (TypeError, AttributeError, ValueError, ArithmeticError, LookupError) as e:
                raise NotRead(f"{name}: {e}") from e

        return called

    def given(self, leaf: Leaf, values: Array) -> Array:
        if not leaf.table or not np.any(np.mod(values * 2.0**20, 1)):
            return values
        return balls([Ball(arb(x, ROUNDED)) for x in values.ravel()]).reshape(values.shape)

    def number(self, value: Fraction) -> Array:
        return np.asarray(int(value)) if value.denominator == 1 else balls(Ball(value))

    def reduce(self, kind: str, value: Array) -> Array:
        if value.shape[-1] == 0:
            return super().reduce(kind, value)
        self.spend(EACH * value.size)
        step = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}[kind]
        of = np.frompyfunc(lambda a, b: Ball(FUNCTIONS[step](a.arb, b.arb)), 2, 1)
        return balls(of.reduce(np.asarray(balls(value)), axis=-1))

    def map(self, function: Callable[[Array], Array], value: Array | Chosen) -> Array:
        found = function(value.whole(np.float64) if isinstance(value, Chosen) else value)
        found = np.asarray(found)  # of no axes NumPy gives the entry
        return found.view(Balls) if found.dtype == object else found

    def join(self, a: Array, b: Array) -> Array:
        if a.dtype == b.dtype and a.dtype != object:
            return np.concatenate([a, b])
        return balls(np.concatenate([balls(a), balls(b)]))

    def _numbers(self, value: Array | Chosen) -> Array:
        value = value.whole(np.float64) if isinstance(value, Chosen) else value
        self.spend(value.size)
        return balls(value)

    def _products(self, subscripts: str, a: Array | Chosen, b: Array | Chosen) -> Array:
        axes, out = subscripts.split("->")
        one, other = axes.split(",")
        x, y = (v.whole(np.float64) if isinstance(v, Chosen) else v for v in (a, b))
        sizes = dict(zip(one, x.shape, strict=True))
        sizes |= {k: n for k, n in zip(other, y.shape, strict=True) if sizes.get(k, 1) == 1}
        both = [k for k in one if k in other]
        batch, summed = ([k for k in both if (k in out) == kept] for kept in (True, False))
        left, right = ([k for k in p if k not in q] for p, q in ((one, other), (other, one)))
        count, m, s, n = (math.prod(sizes[k] for k in p) for p in (batch, left, summed, right))
        self.spend(count * (m * s * n + m * s + s * n))

        def stack(v: Array, letters: str, order: Sequence[str]) -> Array:
            moved = np.transpose(np.asarray(v), [letters.index(k) for k in order])
            return np.broadcast_to(moved, [sizes[k] for k in order])

        rows = stack(x, one, [*batch, *left, *summed]).reshape(count, m, s)
        columns = stack(y, other, [*batch, *summed, *right]).reshape(count, s, n)
        found = [(_matrix(p) * _matrix(q)).entries() for p, q in zip(rows, columns, strict=True)]
        entries = np.empty(count * m * n, dtype=object)
        entries[:] = [Ball(v) for each in found for v in each]
        order = [*batch, *left, *right]
        whole = entries.reshape([sizes[k] for k in order])
        return np.transpose(whole, [order.index(k) for k in out]).view(Balls)


def _matrix(values: Array) -> arb_mat:
    plain = values.ravel().tolist()
    return arb_mat(*values.shape, [exact(v) for v in plain])


def enclose(evaluator: Evaluator, tensor: Tensor, term: Term, bits: int) -> Array:
    """A tensor's term as an array of `Ball` with the tensor's dimensions, computed with so many
    bits; NotRead, with the reason, where it has no value in balls."""
    with flint.ctx.workprec(bits):
        try:
            return balls(evaluator.value(tensor, term, object, BallArrays))
        except (TypeError, ValueError, ArithmeticError, LookupError, MemoryError) as e:
            raise NotRead(str(e)) from e


# ------------------------------------------------------------------------------------ what balls say
FAR, NEAR = arb(2) ** 4096, arb(2) ** -4096


def _ends(x: arb) -> tuple[Fraction, Fraction] | None:
    """The ends, exact but for what is below 2^-4096, which is rounded outward; None where there
    are none below 2^4096: as fractions some would fill any memory."""
    if not (x.is_finite() and bool(abs(x) < FAR)):
        return None
    (middle, more), (radius, rest) = _fraction(x.mid()), _fraction(x.rad())
    around = radius + more + rest
    return middle - around, middle + around


def _fraction(x: arb) -> tuple[Fraction, Fraction]:
    """A number as a fraction, and how far that is from it at most."""
    if abs(x) < NEAR:
        return Fraction(0), Fraction(0 if x.is_zero() else 1, 2**4096)
    mantissa, exponent = map(int, x.man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent, Fraction(0)


def ends(ball: Ball) -> tuple[Fraction, Fraction] | None:
    """The least interval around a ball whose ends are multiples of 10^-20, the decimals of a file;
    None where it has no ends."""
    found, unit = _ends(ball.arb), Fraction(1, 10**PLACES)
    return found and (found[0] // unit * unit, -(-found[1] // unit) * unit)


def gap(a: Ball, b: Ball) -> float:
    """How far apart the numbers in two balls are at least: rounded down, and 0 where they may be
    the same, or a ball has no ends."""
    one, other = _ends(a.arb), _ends(b.arb)
    least = max(one[0] - other[1], other[0] - one[1]) if one and other else Fraction(0)
    if least <= 0:
        return 0.0
    found = float(min(least, Fraction(sys.float_info.max)))
    return found if Fraction(found) <= least else math.nextafter(found, 0.0)
