"""The marks of identities between sines and cosines: SymPy's steps, and true frequencies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from orderproof.symbolic.entries import Model, evaluate
from orderproof.symbolic.language import leaf_of
from orderproof.symbolic.read_interval import Intervals, ends
from orderproof.symbolic.read_sympy import formulas
from orderproof.symbolic.rotations import OMEGA, PAIRS, THETA
from orderproof.symbolic.terms import Op, Term, reachable
from orderproof.symbolic.trigonometry import same, steps

from .claims import Check, Claim
from .marks import entrywise
from .pages import Example, Formula
from .witnesses import Witness, covered

WIDTHS = (2, 4, 8)  # features: two of each pair
PLACES = ((0, 1, 3), (7, 2, 5), (100, 4000, 17))
NARROW = Fraction(1, 2**100)


def by_steps(claim: Claim) -> tuple[bool | None, str]:
    """Both sides, in generic real symbols for up to three pairs, differ by 0 after SymPy's steps
    and modulo c² + s² = 1 of every angle."""
    ok, said = entrywise(claim, "=", same, [({PAIRS.name: h}, {}) for h in (1, 2, 3)])
    return ok, f"{said}; by steps, and modulo c² + s² = 1" if ok else said


def by_true_frequencies(claim: Claim) -> tuple[bool | None, str]:
    """Both sides, enclosed at θ_k = 10000^(−2k/d), meet, and are narrow."""
    widest = Fraction(0)
    for d in WIDTHS:
        for places in PLACES:
            algebra = Intervals()
            model = Model({PAIRS.name: d // 2}, {}, dict(_values(claim, places, d, algebra)))
            left, right = (evaluate(t, model, algebra) for t in (claim.lhs, claim.rhs))
            for index, value in left.items():
                a, b = ends(value), ends(right[index])
                apart = a[1] < b[0] or b[1] < a[0]
                if apart == (claim.relation == "="):
                    word = "are apart" if apart else "meet"
                    return False, f"d = {d}, places {places}: the enclosures {word}"
                widest = max(widest, a[1] - a[0], b[1] - b[0])
    if claim.relation != "=" or not widest < NARROW:
        return None, "this check tells narrow enclosures that meet, and no more"
    return True, f"d = {', '.join(map(str, WIDTHS))}: enclosures meet, narrower than 2^-100"


FREQUENCIES = Formula(
    r"\omega_{k} = 10000^{-(k-1)/h}", "ω[k] = 10000^(−(k−1)/h)"
)  # d = 2h features, k from 1


def by_enclosures(witnesses: Sequence[Witness]) -> Check:
    """At each witness, with ω as it is: enclosures of both sides by which some entry (of a claim of
    existence), or every entry, satisfies the atom."""

    def check(claim: Claim) -> tuple[bool | None, str]:
        if claim.tables != {leaf_of(OMEGA): FREQUENCIES}:
            return False, "the claim is not about the frequencies of the papers"
        if not witnesses or not covered(claim, [w.sizes for w in witnesses]):
            return False, "the witnesses are not of the sizes that the claim is about"
        if claim.kind != "exists" and any((*w.tensors, *w.maps) for w in witnesses):
            return False, "values of tensors or maps, for a claim about all of them"
        for w in witnesses:
            left, right = (_enclosed(t, w) for t in (claim.lhs, claim.rhs))
            order = [claim.lhs.axes.index(a) for a in claim.rhs.axes]
            held = [_apart(claim.relation, v, right[tuple(i[k] for k in order)])
                    for i, v in left.items()]  # fmt: skip
            if not held or not (any(held) if claim.kind == "exists" else all(held)):
                return False, f"not so, or not separated, at sizes {w.sizes}"
        return True, f"{len(witnesses)} case{'s' if len(witnesses) > 1 else ''}, enclosures apart"

    return check


def _enclosed(t: Term, w: Witness) -> Any:
    algebra: Any = Intervals()
    values = {name: np.asarray(rows, dtype=object) for name, rows in w.tensors.items()}
    tensors: dict[str, Callable[..., Any]] = {
        name: (lambda *i, rows=rows: algebra.number(Fraction(rows[i])))
        for name, rows in values.items()
    }
    tensors[str(leaf_of(OMEGA).data[0])] = _frequency(algebra, 2 * w.sizes[PAIRS.name])
    return evaluate(t, Model(w.sizes, w.maps, tensors), algebra)


def _apart(relation: str, x: Any, y: Any) -> bool:
    a, b = ends(x), ends(y)
    return b[1] < a[0] or (relation == "≠" and a[1] < b[0]) if relation in ("≠", ">") else False


def _frequency(algebra: Any, d: int) -> Callable[[int], Any]:
    """θ_k = 10000^(−2k/d), k from 0."""
    log = algebra.functions["log"](algebra.number(Fraction(10000)))
    exp = algebra.functions["exp"]
    return lambda k: exp(-(log * algebra.number(Fraction(2 * k, d))))


def _values(
    claim: Claim, places: tuple[int, ...], d: int, algebra: Any
) -> list[tuple[str, Callable[..., Any]]]:
    """θ as it is, the places, and small integers for other tensors."""
    found: list[tuple[str, Callable[..., Any]]] = []
    free = iter(places)
    for number, op in enumerate(_leaves(claim.lhs, claim.rhs)):
        if op == leaf_of(THETA):
            found.append((op.data[0], _frequency(algebra, d)))
        elif not op.data[1]:
            place = algebra.number(Fraction(next(free)))
            found.append((op.data[0], lambda place=place: place))
        else:
            found.append(
                (op.data[0], lambda k, n=number: algebra.number(Fraction((3 * k + 2 * n) % 7 - 3)))
            )
    return found


def _leaves(*terms: Term) -> list[Op]:
    ops = {n.op for t in terms for n in reachable(t.node) if n.op.kind == "leaf"}
    return sorted(ops, key=lambda op: str(op.data[0]))


def worked(title: str, claim: Claim) -> Example:
    """The identity for one pair of features, both sides step by step until they are the same."""
    parts: list[str | Formula] = []
    for name, term in (("The left side", claim.lhs), ("The right side", claim.rhs)):
        (value,) = formulas(term, {PAIRS.name: 1}, {}).values()
        for reason, e in steps(value):
            parts += [f"{name}, {reason}:" if reason else f"{name}, for one pair:", _formula(e)]
    return Example(title, tuple(parts))


def _formula(e: Any) -> Formula:
    bare = e.subs({s: sympy.Symbol(s.name.removesuffix("_{1}"), real=True) for s in e.free_symbols})
    return Formula(
        sympy.latex(bare), str(bare).replace("theta", "θ").replace("**2", "²").replace("*", " ")
    )
