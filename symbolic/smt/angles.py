"""Sines and cosines of an angle from those of its parts: which laws say so."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import reduce
from operator import add, mul

import z3

from .laws import ANGLE_OPPOSITE, ANGLE_SAME, ANGLE_SUM, CIRCLE, COS, SIN
from .lemma import Instance
from .question import Formula, parts

Monomial = tuple[str, ...]  # the factors, as texts in order
Polynomial = dict[Monomial, Fraction]


def angle_laws(angle: Formula) -> Iterator[Instance]:
    """The addition theorems for an angle that is a sum of products, one product at a time; of a
    product alone, that it is on the circle."""
    known: dict[str, Formula] = {}
    left = angle
    terms = sorted(multiplied(angle, known).items())
    for number, (monomial, factor) in enumerate(terms, 1):
        if abs(factor) != 1 or not monomial:
            return
        bare = _written(monomial, Fraction(1), known)
        signed = bare if factor == 1 else -bare
        if number < len(terms):
            rest = reduce(add, (_written(m, c, known) for m, c in terms[number:]))
            yield ANGLE_SUM.at(signed, rest, left)
            left = rest
        elif factor == 1 and not left.eq(bare):
            yield ANGLE_SAME.at(bare, left)
        if factor == -1:
            yield ANGLE_OPPOSITE.at(bare, signed if number < len(terms) else left)
        yield CIRCLE.at(bare)


def angles(e: Formula) -> list[Formula]:
    """The products that angles in an expression are sums of."""
    found: dict[int, Formula] = {}
    for part in parts(e):
        if part.decl().eq(SIN) or part.decl().eq(COS):
            laws = (law for law in angle_laws(part.arg(0)) if law.of is CIRCLE)
            found |= {law.values[0].get_id(): law.values[0] for law in laws}
    return list(found.values())


def _written(monomial: Monomial, factor: Fraction, known: dict[str, Formula]) -> Formula:
    """A term of a polynomial; a number alone is its factor."""
    if not monomial:
        return z3.RealVal(str(factor))
    bare = reduce(mul, (known[x] for x in monomial))
    return bare if factor == 1 else -bare if factor == -1 else z3.RealVal(str(factor)) * bare


def multiplied(e: Formula, known: dict[str, Formula]) -> Polynomial:
    """An expression multiplied out; what is no sum, difference or product is a variable."""
    kind, inner = e.decl().kind(), e.children()
    if z3.is_rational_value(e):
        value = Fraction(e.numerator_as_long(), e.denominator_as_long())
        return {(): value} if value else {}
    each = [multiplied(x, known) for x in inner]
    if kind == z3.Z3_OP_ADD:
        return reduce(_added, each)
    if kind == z3.Z3_OP_SUB:
        return reduce(lambda p, q: _added(p, _times(q, {(): Fraction(-1)})), each)
    if kind == z3.Z3_OP_UMINUS:
        return _times(each[0], {(): Fraction(-1)})
    if kind == z3.Z3_OP_MUL:
        return reduce(_times, each)
    known[e.sexpr()] = e
    return {(e.sexpr(),): Fraction(1)}


def _added(p: Polynomial, q: Polynomial) -> Polynomial:
    whole = {m: p.get(m, Fraction(0)) + q.get(m, Fraction(0)) for m in {**p, **q}}
    return {m: c for m, c in whole.items() if c}


def _times(p: Polynomial, q: Polynomial) -> Polynomial:
    whole: Polynomial = {}
    for m, c in p.items():
        for n, d in q.items():
            whole = _added(whole, {tuple(sorted((*m, *n))): c * d})
    return whole
