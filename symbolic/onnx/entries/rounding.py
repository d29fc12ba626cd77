"""Quotients, rounding and functions: exact where that can be written, else unknown functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from .compare import absolute, at_most, below, ite, negated, same_truth, to_whole
from .expression import (
    INT,
    REAL,
    ZERO,
    Expr,
    integer,
    made,
    mul,
    neg,
    number,
    opaque,
    quotient,
    scaled,
    sub,
    tame,
    value_of,
)


def floor(x: Expr) -> Expr:
    """The largest integer at most x, as an integer."""
    if not x.tame:
        return opaque("floor", (x,), INT)
    if (v := value_of(x)) is not None:
        return number(math.floor(v))
    whole = to_whole(x)
    return made("floor", INT, (x,)) if whole is None else whole


def truncated(x: Expr) -> Expr:
    """x without its fraction, towards 0, as an integer."""
    if not x.tame:
        return opaque("truncated", (x,), INT)
    return ite(at_most(number(0, REAL), x), floor(x), neg(floor(neg(x))))


def floor_div(x: Expr, y: Expr) -> Expr:
    """⌊x/y⌋ of integers, y not 0."""
    by, v = integer(y), integer(x)
    if by is not None and by != 0:
        if by in (1, -1):
            return scaled(x, by)
        if v is not None:
            return number(v // by)
        if by < 0:
            return floor_div(neg(x), number(-by))
    if by != 0 and (exact := quotient(x, y)) is not None:
        return exact
    return made("floor_div", INT, (x, y))


def trunc_div(x: Expr, y: Expr) -> Expr:
    """x/y of integers without its fraction, towards 0, y not 0."""
    size_of = floor_div(absolute(x), absolute(y))
    opposite = negated(same_truth(below(x, ZERO), below(y, ZERO)))
    return ite(opposite, neg(size_of), size_of)


def floor_mod(x: Expr, y: Expr) -> Expr:
    """x − y⌊x/y⌋ of integers, y not 0."""
    q = floor_div(x, y)
    if q.op != "floor_div":
        return sub(x, mul(y, q))
    by = integer(y)
    return made("mod", INT, (x, y)) if by is not None and by > 0 else sub(x, mul(y, q))


def ceil_div(x: Expr, y: Expr) -> Expr:
    """⌈x/y⌉ of integers, y not 0."""
    return neg(floor_div(neg(x), y))


def divided(x: Expr, y: Expr) -> Expr:
    """x/y of reals; tame where y is a number other than 0."""
    v = value_of(y)
    if tame(x) and v is not None and v != 0:
        return scaled(x, 1 / Fraction(v))
    return opaque("div", (x, y))


FUNCTIONS: Mapping[str, Callable[[Any], bool]] = {  # finite where this holds of a known argument
    "exp": lambda v: True, "sin": lambda v: True, "cos": lambda v: True, "tanh": lambda v: True,
    "sqrt": lambda v: v is not None and v >= 0, "log": lambda v: v is not None and v > 0,
}  # fmt: skip


def function(name: str, x: Expr) -> Expr:
    """A function of a real that stays unknown but for its name."""
    return opaque(name, (x,), tame=x.tame and FUNCTIONS[name](value_of(x)))


def power(x: Expr, y: Expr) -> Expr:
    """x to the y, of reals: a product for small whole y, else an unknown function."""
    v = value_of(y)
    if tame(x) and v is not None and v in range(5):
        whole = number(1, REAL)
        for _ in range(int(v)):
            whole = mul(whole, x)
        return whole
    base = value_of(x)
    return opaque("pow", (x, y), tame=y.tame and base is not None and base > 0)
