"""Expressions for an entry of a constant: numbers and truth values in indices and sizes.

Sums are kept as polynomials, so equal sizes are equal expressions. Integers and reals are exact: a
real stands for a float, and neither rounding nor overflow is modelled. A real that need not be
finite (an infinity, a logarithm, a quotient by an unknown) is not *tame*: for such a one x − x = 0
and 0·x = 0 do not hold, so every operation on it is an unknown function of its arguments, of which
only this is kept, that equal arguments give equal values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
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
