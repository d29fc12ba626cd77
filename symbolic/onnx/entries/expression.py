"""Expressions for an entry of a constant: numbers and truth values in indices and sizes.

Sums are kept as polynomials, so equal sizes are equal expressions. Integers and reals are exact: a
real stands for a float, and neither rounding nor overflow is modelled. A real that need not be
finite (an infinity, a logarithm, a quotient by an unknown) is not *tame*: for such a one x − x = 0
and 0·x = 0 do not hold, so every operation on it is an unknown function of its arguments, of which
only this is kept, that equal arguments give equal values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from typing import Any

INT, REAL, BOOL = "int", "real", "bool"
Number = int | Fraction
EXPANDED = 16  # terms at most of a product of sums that is multiplied out


@dataclass(frozen=True, eq=False, repr=False)
class Expr:
    """An operation on expressions; equal if made alike."""

    op: str
    sort: str
    args: tuple[Expr, ...]
    data: Any
    tame: bool
    key: bytes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expr) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        """Its outermost operation: parts are shared, and all of them would be too many."""
        return f"{self.op} of {len(self.args)}: {self.data}"


def made(
    op: str, sort: str, args: Iterable[Expr] = (), data: Any = None, tame: bool = True
) -> Expr:
    """An expression as it is given, nothing simplified."""
    args = tuple(args)
    digest = blake2b(f"{op} {sort} {tame} {data!r}".encode(), digest_size=16)
    for a in args:
        digest.update(a.key)
    return Expr(op, sort, args, data, tame, digest.digest())


# ------------------------------------------------------------------------------- numbers and names
def number(value: Number, sort: str = INT) -> Expr:
    """A number."""
    return made("number", sort, data=Fraction(value) if sort == REAL else int(value))


def truth(value: bool) -> Expr:
    """A truth value."""
    return made("truth", BOOL, data=bool(value))


def floating(value: float) -> Expr:
    """A float: the number that it is, or an infinity or no number, which is not tame."""
    if math.isfinite(value):
        return number(Fraction(value), REAL)
    return made("special", REAL, data=str(value), tame=False)


def size(name: str) -> Expr:
    """A size by its name, at least 0."""
    return made("size", INT, data=name)


def index(name: str) -> Expr:
    """An index by its name, at least 0."""
    return made("index", INT, data=name)


TRUE, FALSE, ZERO, ONE = truth(True), truth(False), number(0), number(1)


def value_of(e: Expr) -> Any:
    """The number or truth value that an expression is, or None."""
    return e.data if e.op in ("number", "truth") else None


def integer(e: Expr) -> int | None:
    """The integer that an expression is, or None."""
    return int(e.data) if e.op == "number" and e.sort == INT else None


def parts(*roots: Expr) -> list[Expr]:
    """All parts of expressions, each once."""
    found: dict[Expr, None] = {}
    todo = [*reversed(roots)]
    while todo:
        e = todo.pop()
        if e not in found:
            found[e] = None
            todo += reversed(e.args)
    return list(found)


# ----------------------------------------------------------------------------- sums and products
Terms = dict[Expr, Number]


def _order(e: Expr) -> tuple[bool, bool, str, bytes]:
    """Names first: the order of a sum's terms does not depend on what was built before."""
    return e.op != "index", e.op != "size", str(e.data) if e.op in ("index", "size") else "", e.key


def terms(e: Expr) -> tuple[Number, Terms]:
    """A number's constant part, and its products, each with its coefficient."""
    if e.op == "number":
        return e.data, {}
    if e.op == "sum":
        constant, *coefficients = e.data
        return constant, dict(zip(e.args, coefficients, strict=True))
    return 0, {e: 1}


def _sum(constant: Number, of: Terms, sort: str) -> Expr:
    kept = {m: of[m] for m in sorted((m for m in of if of[m] != 0), key=_order)}
    if not kept:
        return number(constant, sort)
    if constant == 0 and len(kept) == 1 and 1 in kept.values():
        return next(iter(kept))
    kind = Fraction if sort == REAL else int
    return made("sum", sort, kept, tuple(map(kind, (constant, *kept.values()))))


def opaque(name: str, args: Iterable[Expr], sort: str = REAL, tame: bool = False) -> Expr:
    """A function of which nothing is known but its name."""
    return made("function", sort, args, name, tame or sort != REAL)


def tame(*args: Expr) -> bool:
    """Whether all of these are finite."""
    return all(a.tame for a in args)


def add(x: Expr, y: Expr) -> Expr:
    """x + y."""
    if not tame(x, y):
        return opaque("add", (x, y))
    (a, of), (b, more) = terms(x), terms(y)
    whole = dict(of)
    for m, c in more.items():
        whole[m] = whole.get(m, 0) + c
    return _sum(a + b, whole, x.sort)


def scaled(x: Expr, by: Number) -> Expr:
    """A multiple of a finite number."""
    constant, of = terms(x)
    return _sum(constant * by, {m: c * by for m, c in of.items()}, x.sort)


def neg(x: Expr) -> Expr:
    """−x."""
    return scaled(x, -1) if x.tame else opaque("neg", (x,))


def sub(x: Expr, y: Expr) -> Expr:
    """x − y."""
    return add(x, scaled(y, -1)) if tame(x, y) else opaque("sub", (x, y))


def _factors(e: Expr) -> tuple[Expr, ...]:
    return e.args if e.op == "product" else (e,)


def mul(x: Expr, y: Expr) -> Expr:
    """x · y."""
    if not tame(x, y):
        return opaque("mul", (x, y))
    for e, other in ((x, y), (y, x)):
        if e.op == "number":
            return scaled(other, e.data)
    (a, of), (b, more) = terms(x), terms(y)
    if (1 + len(of)) * (1 + len(more)) > EXPANDED:
        a = b = 0
        of, more = {x: 1}, {y: 1}
    whole: Terms = {}
    for m, c in of.items():
        whole[m] = whole.get(m, 0) + c * b
    for m, c in more.items():
        whole[m] = whole.get(m, 0) + c * a
    for m, c in of.items():
        for k, d in more.items():
            factors = sorted((*_factors(m), *_factors(k)), key=_order)
            p = made("product", x.sort, factors)
            whole[p] = whole.get(p, 0) + c * d
    return _sum(a * b, whole, x.sort)


def product(factors: Iterable[Expr]) -> Expr:
    """The product of integers."""
    whole = ONE
    for f in factors:
        whole = mul(whole, f)
    return whole


def quotient(x: Expr, y: Expr) -> Expr | None:
    """The integer expression q with x = q·y, where y is one product and divides every term."""
    constant, of = terms(y)
    if constant == 0 and len(of) == 1:
        ((mono, factor),) = of.items()
        left = _factors(mono)
    elif not of and constant != 0:
        left, factor = (), constant
    else:
        return ONE if x == y else None
    own, products = terms(x)
    if left and own != 0:
        return None
    found = number(0)
    for m, c in ({ONE: own} | products).items():
        rest = [] if m == ONE else [*_factors(m)]
        for f in left if c != 0 else ():
            if f not in rest:
                return None
            rest.remove(f)
        if c % factor != 0:
            return None
        found = add(found, scaled(product(rest), c // factor))
    return found


# ---------------------------------------------------------------------------- order of expressions
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
