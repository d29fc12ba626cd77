"""How an expression depends on one index: factors without it, and signs by form alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from .laws import EXP, EXP_SUM
from .lemma import Instance
from .question import Formula, QuestionError, mentions

Split = tuple[Formula | None, Formula | None, list[Instance]]  # None stands for the factor 1


def _times(x: Formula | None, y: Formula | None) -> Formula | None:
    return x if y is None else y if x is None else x * y


def split(e: Formula, index: Formula) -> Split:
    """e as a product of a factor without the index and one with it."""
    if not mentions(e, index):
        return e, None, []
    kind, inner = e.decl().kind(), e.children()
    if kind == z3.Z3_OP_MUL:
        out, rest, laws = split(inner[0], index)
        for x in inner[1:]:
            more, others, new = split(x, index)
            out, rest, laws = _times(out, more), _times(rest, others), [*laws, *new]
        return out, rest, laws
    if kind == z3.Z3_OP_DIV:  # by a number
        out, rest, laws = split(inner[0], index)
        return (z3.RealVal(1) if out is None else out) / inner[1], rest, laws
    if kind == z3.Z3_OP_UMINUS:
        out, rest, laws = split(inner[0], index)
        return -(z3.RealVal(1) if out is None else out), rest, laws
    if e.decl().eq(EXP):
        shift, rest = shifted(inner[0], index)
        if shift is not None and rest is not None:
            return EXP(shift), EXP(rest), [EXP_SUM.at(shift, rest, inner[0])]
    return None, e, []


def shifted(e: Formula, index: Formula) -> tuple[Formula | None, Formula | None]:
    """e as a sum of a part without the index and one with it; None stands for 0."""
    if not mentions(e, index):
        return e, None
    kind, inner = e.decl().kind(), e.children()
    if kind in (z3.Z3_OP_ADD, z3.Z3_OP_SUB) and len(inner) == 2:
        (out, rest), (more, others) = (shifted(x, index) for x in inner)
        minus = kind == z3.Z3_OP_SUB
        return _plus(out, more, minus), _plus(rest, others, minus)
    return None, e


def _plus(x: Formula | None, y: Formula | None, minus: bool) -> Formula | None:
    if y is None:
        return x
    signed: Any = -y if minus else y
    return signed if x is None else x - y if minus else x + y


def summands(e: Formula) -> tuple[Formula, Formula] | None:
    """The two parts of a sum or a difference."""
    if e.num_args() != 2 or e.decl().kind() not in (z3.Z3_OP_ADD, z3.Z3_OP_SUB):
        return None
    x, y = e.children()
    return x, y if e.decl().kind() == z3.Z3_OP_ADD else -y


def factored(e: Formula, index: Formula) -> tuple[Formula | None, Formula, list[Instance]]:
    """The factor without the index, if there is one, and the rest."""
    out, rest, laws = split(e, index)
    if rest is None:
        return None, e, []
    return out, rest, laws


def multiplicands(e: Formula) -> list[Formula]:
    """The factors of a product, taken apart; only a product has any."""
    if e.decl().kind() != z3.Z3_OP_MUL:
        return []
    return [f for x in e.children() for f in multiplicands(x) or [x]]


def positive(e: Formula) -> bool:
    """Whether an expression is positive by its form alone (a sum of such, if it has a term)."""
    kind, inner = e.decl().kind(), e.children()
    if z3.is_rational_value(e):
        return bool(e.numerator_as_long() > 0)
    if kind in (z3.Z3_OP_MUL, z3.Z3_OP_DIV, z3.Z3_OP_ADD):
        return all(map(positive, inner))
    return bool(e.decl().eq(EXP))


def nonnegative(e: Formula) -> bool:
    """Whether an expression is at least 0 by its form alone."""
    if z3.is_rational_value(e):
        return bool(e.numerator_as_long() >= 0)
    if e.decl().kind() == z3.Z3_OP_ITE:
        return nonnegative(e.arg(1)) and nonnegative(e.arg(2))
    if e.decl().kind() in (z3.Z3_OP_MUL, z3.Z3_OP_ADD):
        return all(map(nonnegative, e.children()))
    return positive(e)


def whole(e: Formula) -> Formula:
    """An expression of whole numbers as an integer: sums and products of such, and cases."""
    kind, inner = e.decl().kind(), e.children()
    if kind == z3.Z3_OP_TO_REAL:
        return inner[0]
    if z3.is_rational_value(e) and e.denominator_as_long() == 1:
        return z3.IntVal(e.numerator_as_long())
    if kind == z3.Z3_OP_ITE:
        return z3.If(*map(whole, inner))
    if kind in _WHOLE and all(z3.is_arith(x) for x in inner):
        return _WHOLE[kind](*map(whole, inner))
    raise QuestionError(f"index: given {e.decl()}, expected whole numbers")


_WHOLE: dict[int, Callable[..., Any]] = {
    z3.Z3_OP_ADD: lambda x, y: x + y, z3.Z3_OP_SUB: lambda x, y: x - y,
    z3.Z3_OP_MUL: lambda x, y: x * y, z3.Z3_OP_UMINUS: lambda x: -x,
    z3.Z3_OP_LE: lambda x, y: x <= y, z3.Z3_OP_GE: lambda x, y: x >= y,
    z3.Z3_OP_EQ: lambda x, y: x == y,
}  # fmt: skip
