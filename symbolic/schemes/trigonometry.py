"""Identities of sines and cosines by SymPy, a step at a time; and that a difference is 0.

Each step is one rewriting of the whole expression, with its reason; what it makes is what the next
one gets. The last is checked by a Gröbner basis too: modulo c² + s² = 1 of every angle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy

ADDITION = "the addition theorems"
MULTIPLIED = "multiplied out"
PYTHAGORAS = "c² + s² = 1"


def _sums_of_angles(e: Any) -> Any:
    """Sines and cosines of single places, sums and differences of places taken apart."""
    return sympy.expand_trig(e.replace(_is_wave, lambda w: w.func(sympy.expand(w.args[0]))))


def _is_wave(e: Any) -> bool:
    return isinstance(e, sympy.sin | sympy.cos)


def _pythagoras(e: Any) -> Any:
    """sin² as 1 − cos², and multiplied out."""
    squares = {s: 1 - sympy.cos(s.args[0]) ** 2 for s in e.atoms(sympy.sin)}
    for s, square in squares.items():
        e = sympy.expand(e)
        e = sum((_lowered(term, s, square) for term in sympy.Add.make_args(e)), sympy.Integer(0))
    return sympy.expand(e)


def _lowered(term: Any, s: Any, square: Any) -> Any:
    power = sympy.degree(term, s) if term.has(s) else 0
    return term if power < 2 else term / s ** (power - power % 2) * square ** (power // 2)


STEPS: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    (ADDITION, _sums_of_angles),
    (MULTIPLIED, sympy.expand),
    (PYTHAGORAS, _pythagoras),
)


def steps(expression: Any) -> list[tuple[str, Any]]:
    """The expression after each step that changes it, with the reason; first as it is."""
    found = [("", expression)]
    for reason, step in STEPS:
        new = step(found[-1][1])
        if new != found[-1][1]:
            found.append((reason, new))
    return found


def same(a: Any, b: Any) -> bool:
    """Whether a − b is 0 after the steps, and by a Gröbner basis as well."""
    return bool(steps(a - b)[-1][1] == 0) and vanishes(a - b)


def vanishes(expression: Any) -> bool:
    """Whether a polynomial in sines and cosines is 0 modulo c² + s² = 1 for each angle."""
    e = sympy.expand(_sums_of_angles(expression))
    angles = sorted({w.args[0] for w in e.atoms(sympy.sin, sympy.cos)}, key=str)
    waves: dict[Any, Any] = {}
    for k, angle in enumerate(angles):
        waves |= {sympy.sin(angle): sympy.Symbol(f"s{k}"), sympy.cos(angle): sympy.Symbol(f"c{k}")}
    if not waves:
        return bool(e == 0)
    # a Gröbner basis, for the leading terms have no variable in common
    relations = [waves[sympy.cos(a)] ** 2 + waves[sympy.sin(a)] ** 2 - 1 for a in angles]
    return bool(sympy.reduced(e.subs(waves), relations, *waves.values())[1] == 0)
