"""Hypotheses that define a symbol by a term: X = t a tensor, ι(σ(i)) = t a bijection."""

from __future__ import annotations

from dataclasses import replace

from orderproof.symbolic.calculus.terms import Ap, Map, map_type
from orderproof.symbolic.models.builders import opened_at

from .statement import Atom, Statement, StatementError, Symbol, symbol_name, symbols_of


def given_by(atom: Atom) -> Symbol | None:
    """The tensor, or bijection of a set with itself, that an equation defines, if it does."""
    if atom.relation != "=" or atom.some or not set(atom.rhs.axes) <= set(atom.lhs.axes):
        return None
    if atom.lhs.node.op.kind == "leaf":
        return atom.lhs.node.op
    part, to = opened_at(atom.lhs)
    match part.node.op.kind, list(to.values()):
        case "iota", [Ap(map=Map(kind="symbol") as m, args=(a,))] if a in atom.lhs.axes:
            (dom,), cod, bijective = map_type(m)
            return m if bijective and dom == cod else None
    return None


def existing(s: Statement) -> Statement:
    """The statement that symbols exist which the hypotheses of s define by terms: s says that these
    make its atom true. (That a term defines a bijection is a separate question.)"""
    given = {atom: x for atom in s.given if (x := given_by(atom)) is not None}
    found = frozenset(given.values())
    if len(found) < len(given):
        raise StatementError("there is: given two terms for one symbol")
    for atom, x in given.items():
        for y in symbols_of(Atom(atom.rhs, "=", atom.rhs)) & found:
            raise StatementError(
                f"there is {symbol_name(x)}: given a term with {symbol_name(y)}, "
                "expected one without what there is"
            )
    return replace(s, given=s.given - set(given), exists=found)
