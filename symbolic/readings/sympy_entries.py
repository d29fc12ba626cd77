"""SymPy entries: the explicit derivation for small sizes, every entry a formula in real symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import sympy

from orderproof.symbolic.calculus.terms import Term, reachable

from .entries import ARITHMETIC, Entries, Model, evaluate


class Relu(sympy.Function):  # type: ignore[misc]
    """max(a, 0) for a number; else unevaluated and unsorted, as comparisons are slow."""

    @classmethod
    def eval(cls, a: sympy.Expr) -> sympy.Expr | None:
        return sympy.Max(a, 0) if a.is_Number else None


def _function(f: Any, a: Any) -> sympy.Expr:
    """f(a), unevaluated unless a is a number, as SymPy's tests for zero are slow."""
    return f(a, evaluate=bool(a.is_Number))


class Formulas:
    """SymPy expressions. Nothing is simplified: equal entries are equal as they are built."""

    functions: Mapping[str, Callable[..., Any]] = {
        **ARITHMETIC,
        "exp": lambda a: _function(sympy.exp, a),
        "exp2": lambda a: sympy.Integer(2) ** a,
        "log": sympy.log,
        "sqrt": sympy.sqrt,
        "sin": sympy.sin,
        "cos": sympy.cos,
        "max": sympy.Max,
        "at_most": lambda a, b: sympy.Piecewise((1, a <= b), (0, True)),
        "relu": Relu,
        "gelu": lambda a: a * (1 + _function(sympy.erf, a / sympy.sqrt(2))) / 2,
    }

    def number(self, value: Fraction) -> sympy.Expr:
        return sympy.Rational(value.numerator, value.denominator)

    def reduce(self, kind: str, values: Sequence[Any], counts: Sequence[Any]) -> sympy.Expr:
        if kind == "sum":
            terms = zip(counts, values, strict=True)
            return sympy.Add(*(v if c == 1 else c * v for c, v in terms))
        if kind == "prod":
            return sympy.Mul(*(v**c for c, v in zip(counts, values, strict=True)))
        if not values:  # the least and the greatest of the extended reals, as in induction.py
            return -sympy.oo if kind == "max" else sympy.oo
        # unevaluated: comparing the values would take longer than all the rest
        return (sympy.Max if kind == "max" else sympy.Min)(*values, evaluate=False)


def numbered(name: str, index: Sequence[int]) -> str:
    """A name with indices from 1, as a book writes them: a_{12}, and a_{1,12} from ten on."""
    digits = ("" if max(index, default=0) < 9 else ",").join(str(i + 1) for i in index)
    return f"{name}_{{{digits}}}" if index else name


def entry_symbol(name: str) -> Callable[..., sympy.Symbol]:
    """The entries of a tensor as real symbols, numbered from 1 as a book does."""

    def entry(*index: int) -> sympy.Symbol:
        return sympy.Symbol(numbered(name, index), real=True)

    return entry


def row_function(name: str, yields: Sequence[int]) -> Callable[..., Any]:
    """An opaque operator: for each yielded index an unknown function of all that it binds."""

    def operator(*parts: Entries) -> dict[tuple[int, ...], Any]:
        values = [v for part in parts for _, v in sorted(part.items())]
        indices = sympy.utilities.iterables.cartes(*(range(k) for k in yields))
        return {i: sympy.Function(numbered(name, i))(*values) for i in indices}

    return operator


def generic(term: Term, sizes: Mapping[str, int], maps: Mapping[str, Any]) -> Model:
    """The model in which every entry of every tensor is a real symbol of its own."""
    bare = Model(sizes, maps)
    tensors: dict[str, Callable[..., Any]] = {}
    for node in reachable(term.node):
        match node.op.kind, node.op.data:
            case "leaf", (name, _):
                tensors[name] = entry_symbol(name)
            case "opaque", (name, _, yields):
                tensors[name] = row_function(name, [bare.size(s) for s in yields])
    return Model(sizes, maps, tensors)


def formulas(term: Term, sizes: Mapping[str, int], maps: Mapping[str, Any]) -> Entries:
    """Every entry of the term as a formula in generic real entries of its tensors."""
    return evaluate(term, generic(term, sizes, maps), Formulas())
