"""Rounding: a term computed in floating point, each entry with a rigorous bound on its error.

A value is an array in the working precision and, in float64, a bound on |computed − exact|. The
model of arithmetic (Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed., 2002):

    fl(a ∘ b) = (a ∘ b)(1 + δ) + η,  |δ| ≤ u, |η| ≤ the smallest subnormal     (sections 2.2, 2.8)
    a sum of k terms, in any order:  |error| ≤ γₖ₋₁ Σ|xᵢ|,  γₖ = ku / (1 − ku)   (eq. 3.5, 4.4)

exp is taken to be within 4 units of relative rounding (NumPy documents 2.52 ulp for its float32
code), and so are 2^x, log and erf (glibc documents 1 ulp of each). Sums of whole numbers below 1/u
are exact. FMA is allowed: it rounds less often. Values must stay finite. The bound is itself
computed in float64 from non-negative numbers; SAFETY covers the rounding of up to 2³⁰ such
operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.readings.numpy_arrays import Floats, arrays, contracted, erf

Array = NDArray[Any]
EXP_UNITS = ERF_UNITS = 4.0
SAFETY = 1.0 + 2.0**-20


@dataclass(frozen=True)
class Ball:
    """A computed array with a bound on the absolute error of each entry."""

    value: Array
    error: Array


class Bounded:
    """Arrays with error bounds, for the NumPy reading."""

    joint = False  # the bound of a contraction is that of one sum

    def __init__(self, dtype: Any) -> None:
        self.floats = Floats(dtype)
        info = np.finfo(self.floats.dtype)
        self.u = float(info.eps) / 2
        # rounding near 0 errs by half of this at most; the rest covers the bound's own underflow
        self.tiny = 4 * float(info.smallest_subnormal)
        self.functions: Mapping[str, Callable[..., Any]] = {
            "add": lambda a, b: self._sum(a.value + b.value, a, b),
            "sub": lambda a, b: self._sum(a.value - b.value, a, b),
            "mul": self._mul,
            "div": self._div,
            "neg": lambda a: Ball(-a.value, a.error),
            "exp": self._exp,
            "exp2": self._exp2,
            "log": self._log,
            "sqrt": self._sqrt,
            "max": lambda a, b: Ball(
                np.maximum(a.value, b.value), np.maximum(*np.broadcast_arrays(a.error, b.error))
            ),
            "relu": lambda a: Ball(
                np.maximum(a.value, 0), a.error
            ),  # |max(x,0) − max(y,0)| ≤ |x−y|
            "gelu": self._gelu,
            "sin": lambda a: self._wave(np.sin, a),
            "cos": lambda a: self._wave(np.cos, a),
            "at_most": lambda a, b: Ball(  # within the error of a tie it may be either
                self.floats.functions["at_most"](a.value, b.value),
                np.where(abs(a.value - b.value) > a.error + b.error, 0.0, a.error + b.error > 0),
            ),
        }

    def _rounded(
        self, value: Array, inherited: Array, units: float = 1.0, *, exact: Any = False
    ) -> Ball:
        """A result rounded once (by `units` of relative rounding): the inherited error and that; no
        error where it is `exact`."""
        relative = units * self.u / (1 - units * self.u)
        error = inherited + relative * _size(value) + self.tiny
        return Ball(value, np.where(exact, 0.0, error))

    def _sum(self, value: Array, a: Ball, b: Ball) -> Ball:
        """A sum or difference of numbers without error is exact where it is 0 (there is no
        underflow in sums), and where these are whole numbers and it is small."""
        whole = (a.value == np.rint(a.value)) & (b.value == np.rint(b.value))
        exact = (whole & (_size(value) < 1 / self.u)) | (value == 0)
        return self._rounded(value, a.error + b.error, exact=exact & (a.error + b.error == 0))

    def _mul(self, a: Ball, b: Ball) -> Ball:
        x, y = _size(a.value), _size(b.value)
        value = a.value * b.value
        zero = (_zero(a) | _zero(b)) & (value == 0)  # 0 times ∞ is none
        return self._rounded(value, x * b.error + y * a.error + a.error * b.error, exact=zero)

    def _div(self, a: Ball, b: Ball) -> Ball:
        room = _size(b.value) - b.error * SAFETY  # |exact divisor| is at least this
        safe = np.where(room > 0, room, np.nan)  # NaN: no bound, so no check passes
        value = a.value / b.value
        quotient = _size(value) / (1 - self.u) + self.tiny
        inherited = quotient * (b.error / safe) + a.error / safe
        return self._rounded(value, inherited, exact=_zero(a) & (room > 0))

    def _exp(self, a: Ball) -> Ball:
        value = np.exp(a.value)
        # the computed exp(x̂) is within 4u of exp(x̂), which is within a factor e^error of exp(x)
        top = _size(value) / (1 - EXP_UNITS * self.u) + self.tiny
        return self._rounded(value, top * np.expm1(a.error * SAFETY), EXP_UNITS)

    def _exp2(self, a: Ball) -> Ball:
        value = np.exp2(a.value)
        top = _size(value) / (1 - EXP_UNITS * self.u) + self.tiny
        grown = np.expm1(a.error * SAFETY * np.log(2.0) * SAFETY)
        return self._rounded(value, top * grown, EXP_UNITS)

    def _log(self, a: Ball) -> Ball:
        room = _size(a.value) - a.error * SAFETY
        safe = np.where((a.value > 0) & (room > 0), room, np.nan)  # NaN: no bound
        value = np.log(a.value)
        return self._rounded(value, a.error * SAFETY / safe, EXP_UNITS)

    def _sqrt(self, a: Ball) -> Ball:
        """|√a − √b| is |a − b|/(√a + √b) and hence at most √|a − b|, for a, b ≥ 0."""
        value = np.sqrt(a.value)
        room = _size(value) * (1 - 2 * self.u)
        near = np.sqrt(a.error * SAFETY)
        steep = np.where(room > near, a.error / np.where(room > 0, room, 1.0), near)
        return self._rounded(value, np.where(a.error > 0, steep, 0.0), exact=_zero(a))

    def _erf(self, a: Ball) -> Ball:
        slope = 2 / np.sqrt(np.pi)  # the largest of erf, at 0
        return self._rounded(erf(a.value), slope * a.error * SAFETY, ERF_UNITS)

    def _gelu(self, a: Ball) -> Ball:
        """x/2 · (1 + erf(x √½)), operation by operation, in that order."""
        half, one = self.number(Fraction(1, 2)), self.number(Fraction(1))
        tail = self.functions["add"](one, self._erf(self._mul(a, self._sqrt(half))))
        return self._mul(self._mul(a, half), tail)

    def _wave(self, f: Any, a: Ball) -> Ball:
        """sin and cos have slope at most 1, and are computed to 4 units of rounding of 1."""
        return Ball(f(a.value), (a.error + 8 * self.u) * SAFETY)

    def leaf(self, values: Array) -> Ball:
        """Inputs are exact: they are what they are in the working precision."""
        value = self.floats.leaf(values)
        return _unless_infinite(value, np.zeros(value.shape))

    def number(self, value: Fraction) -> Ball:
        """A constant, rounded once unless it is representable."""
        rounded = self.floats.number(value)
        error = abs(Fraction(float(rounded)) - value)
        return Ball(rounded, np.asarray(float(error) * SAFETY))

    def reduce(self, kind: str, a: Ball) -> Ball:
        value = self.floats.reduce(kind, a.value)
        k = a.value.shape[-1]
        if kind in ("max", "min"):
            return Ball(value, a.error.max(axis=-1))
        if kind == "sum":
            own = self._gamma(k - 1) * _size(a.value).sum(-1)
            return _unless_infinite(value, a.error.sum(axis=-1) + own)
        size = _size(a.value)
        spread, done = np.zeros(value.shape), np.ones(value.shape)
        for x, e in zip(np.moveaxis(size, -1, 0), np.moveaxis(a.error, -1, 0), strict=True):
            spread, done = spread * (x + e) + done * e, done * x  # no difference: none is lost
        large = np.maximum(1, size + a.error).prod(axis=-1)
        own = self._gamma(k - 1) * done + 2 * k * self.tiny * large
        return _unless_infinite(value, spread + own)

    def contract(self, subscripts: str, a: Ball, b: Ball) -> Ball:
        value = self.floats.contract(subscripts, a.value, b.value)
        k = a.value.shape[subscripts.split(",")[0].index("a")]  # "a" is the axis summed over
        x, y = _size(a.value), _size(b.value)

        def dot(p: Array, q: Array) -> Array:
            return contracted(subscripts, p, q)

        inherited = dot(x, b.error) + dot(a.error, y) + dot(a.error, b.error)
        some = dot((x > 0).astype(float), (y > 0).astype(float)) > 0  # a product that is not 0
        own = self._gamma(k) * dot(x, y) + k * self.tiny * some
        return _unless_infinite(value, inherited + own)

    def map(self, function: Callable[[Array], Array], a: Ball) -> Ball:
        return Ball(function(a.value), function(a.error))

    def join(self, a: Ball, b: Ball) -> Ball:
        return Ball(*(np.concatenate(pair) for pair in ((a.value, b.value), (a.error, b.error))))

    def _gamma(self, k: int) -> float:
        ku = max(k, 0) * self.u
        return ku / (1 - ku) if ku < 1 else float("nan")  # NaN: too many terms for any bound


def _unless_infinite(value: Array, error: Array) -> Ball:
    """Where a partial result overflowed there is no bound: 1/∞ is 0, and not what it stands for."""
    return Ball(value, np.where(np.isfinite(value), error, np.inf))


def _zero(a: Ball) -> Array:
    """Where a value is 0 without error."""
    return np.asarray((a.value == 0) & (a.error == 0))


def _size(value: Array) -> Array:
    return np.abs(value).astype(np.float64)


def bounded(
    term: Term,
    sizes: Mapping[str, int],
    maps: Mapping[str, Any],
    tensors: Mapping[str, Array],
    dtype: Any,
    *,
    literal: bool = False,
) -> Ball:
    """A term computed in dtype, with a bound on the error of each entry (NaN where none is)."""
    with np.errstate(all="ignore"):  # what overflows has no finite bound and fails every check
        ball = arrays(term, sizes, maps, tensors, Bounded(dtype), literal=literal)
        return Ball(ball.value, np.asarray(ball.error * SAFETY))
