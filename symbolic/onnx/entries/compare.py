"""Order, truth values and cases of expressions; integers among the reals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

from .expression import (
    BOOL,
    FALSE,
    INT,
    REAL,
    TRUE,
    Expr,
    _order,
    _sum,
    add,
    integer,
    made,
    number,
    opaque,
    product,
    scaled,
    sub,
    tame,
    terms,
    truth,
    value_of,
)


def lower(e: Expr) -> int | None:
    """A number that an integer expression is never below, where one is seen."""
    match e.op:
        case "number":
            return int(e.data)
        case "size" | "index" | "abs":
            return 0
        case "mod" if (by := integer(e.args[1])) is not None and by > 0:
            return 0
        case "floor_div" if (by := integer(e.args[1])) is not None and by > 0:
            own = lower(e.args[0])
            return None if own is None else own // by
        case "sum":
            total, *coefficients = e.data
            for a, c in zip(e.args, coefficients, strict=True):
                own = lower(a)
                if own is None or c < 0:
                    return None
                total += c * own
            return int(total)
        case "product":
            return 0 if all((lower(a) or 0) >= 0 and lower(a) is not None for a in e.args) else None
        case "min" | "ite":
            known = [lower(a) for a in e.args[-2:]]
            return None if None in known else min(low for low in known if low is not None)
        case "max":
            return max((low for a in e.args if (low := lower(a)) is not None), default=None)
    return None


def surely(x: Expr, y: Expr) -> bool:
    """Whether x ≤ y is seen at once, of integers."""
    least = lower(sub(y, x)) if x.sort == y.sort == INT else None
    return least is not None and least >= 0


def least(x: Expr, y: Expr) -> Expr:
    """min(x, y)."""
    return _chosen("min", x, y)


def greatest(x: Expr, y: Expr) -> Expr:
    """max(x, y)."""
    return _chosen("max", x, y)


def _chosen(op: str, x: Expr, y: Expr) -> Expr:
    if not tame(x, y):
        return opaque(op, (x, y))
    known = value_of(sub(y, x))
    if (known is not None and known >= 0) or surely(x, y):
        return x if op == "min" else y
    if known is not None or surely(y, x):
        return y if op == "min" else x
    return made(op, x.sort, sorted((x, y), key=_order))


def absolute(x: Expr) -> Expr:
    """|x|, the same of x and −x."""
    if not x.tame:
        return opaque("abs", (x,))
    if (v := value_of(x)) is not None:
        return number(abs(v), x.sort)
    x = positive_first(x)
    low = lower(x) if x.sort == INT else None
    return x if low is not None and low >= 0 else made("abs", x.sort, (x,))


def positive_first(x: Expr) -> Expr:
    """x or −x: that of which the first coefficient is positive."""
    _, of = terms(x)
    return scaled(x, -1) if next(iter(of.values()), 1) < 0 else x


# ------------------------------------------------------------------------------------------- truth
def negated(c: Expr) -> Expr:
    """Not c."""
    if c.op == "truth":
        return truth(not c.data)
    return c.args[0] if c.op == "not" else made("not", BOOL, (c,))


def both(*cs: Expr) -> Expr:
    """All of these."""
    return _joined("and", cs)


def either(*cs: Expr) -> Expr:
    """Some of these."""
    return _joined("or", cs)


def _joined(op: str, cs: Iterable[Expr]) -> Expr:
    neutral = op == "and"
    kept = dict.fromkeys(c for c in cs if value_of(c) is not neutral)
    if any(value_of(c) is (not neutral) for c in kept):
        return truth(not neutral)
    if len(kept) <= 1:
        return next(iter(kept), truth(neutral))
    return made(op, BOOL, sorted(kept, key=_order))


def same_truth(c: Expr, d: Expr) -> Expr:
    """Whether two truth values are one."""
    if c == d:
        return TRUE
    for e, other in ((c, d), (d, c)):
        if e.op == "truth":
            return other if e.data else negated(other)
    return made("same", BOOL, sorted((c, d), key=_order))


def _difference(x: Expr, y: Expr) -> Expr:
    """y − x; of reals that are integers up to a common denominator, that integer."""
    d = sub(y, x)
    if d.sort == INT:
        return d
    constant, of = terms(d)
    common = math.lcm(*(Fraction(c).denominator for c in (constant, *of.values())))
    return to_whole(scaled(d, common)) or d


def at_most(x: Expr, y: Expr) -> Expr:
    """x ≤ y."""
    if not tame(x, y):
        return opaque("at_most", (x, y), BOOL)
    d = _difference(x, y)
    if (v := value_of(d)) is not None:
        return truth(v >= 0)
    low = lower(d) if d.sort == INT else None
    return TRUE if low is not None and low >= 0 else made("nonnegative", BOOL, (d,))


def below(x: Expr, y: Expr) -> Expr:
    """x < y."""
    return negated(at_most(y, x)) if tame(x, y) else opaque("below", (x, y), BOOL)


def equal(x: Expr, y: Expr) -> Expr:
    """x = y."""
    if x.sort == BOOL:
        return same_truth(x, y)
    if not tame(x, y):
        return opaque("equal", (x, y), BOOL)
    d = _difference(x, y)
    if (v := value_of(d)) is not None:
        return truth(v == 0)
    if d.op == "ite" and all(a.op == "number" for a in d.args[1:]):
        return ite(d.args[0], truth(d.args[1].data == 0), truth(d.args[2].data == 0))
    if d.sort == INT and any((lower(e) or 0) > 0 for e in (d, scaled(d, -1))):
        return FALSE
    return made("zero", BOOL, (positive_first(d),))


def within(x: Expr, start: Expr, end: Expr) -> Expr:
    """start ≤ x < end."""
    return both(at_most(start, x), below(x, end))


def ite(c: Expr, x: Expr, y: Expr) -> Expr:
    """x where c, else y."""
    if c.op == "truth":
        return x if c.data else y
    if x == y:
        return x
    if c.op == "not":
        return ite(c.args[0], y, x)
    if x.sort == BOOL and {x, y} == {TRUE, FALSE}:
        return c if x == TRUE else negated(c)
    return made("ite", x.sort, (c, x, y), tame=x.tame and y.tame)


# ------------------------------------------------------------------------ integers and their reals
def to_real(e: Expr) -> Expr:
    """An integer as a real."""
    match e.op:
        case "number":
            return number(e.data, REAL)
        case "sum":
            constant, of = terms(e)
            return _sum(constant, {to_real(m): c for m, c in of.items()}, REAL)
        case "product":
            return made("product", REAL, sorted(map(to_real, e.args), key=_order))
        case "ite" if all(a.op in ("number", "ite") for a in e.args[1:]):
            return ite(e.args[0], to_real(e.args[1]), to_real(e.args[2]))
    return made("real", REAL, (e,))


def to_whole(e: Expr) -> Expr | None:
    """The integer expression that a real one is, where it is seen to be one."""
    match e.op:
        case "number":
            return number(int(e.data)) if e.data.denominator == 1 else None
        case "real":
            return e.args[0]
        case "sum":
            if any(c.denominator != 1 for c in e.data):
                return None
            whole = [to_whole(a) for a in e.args]
            total = number(int(e.data[0]))
            for a, c in zip(whole, e.data[1:], strict=True):
                if a is None:
                    return None
                total = add(total, scaled(a, int(c)))
            return total
        case "product":
            whole = [to_whole(a) for a in e.args]
            return None if None in whole else product(a for a in whole if a is not None)
        case "ite":
            x, y = to_whole(e.args[1]), to_whole(e.args[2])
            return None if x is None or y is None else ite(e.args[0], x, y)
    return None
