"""A table E with P E ≠ E shows σ, for every n: the sign of one row of the output, by SMT.

One feature, all weights 1, X = −PᵀE, and D = P E − E ≠ 0. On one side every token is 0, so the
output is 0. On the other the tokens are D, which adds up to 0. Let M be its largest entry: M > 0.
The query of that row gives token j the weight e(M·D_j), which is more than e(0) = 1 where D_j > 0
and less where D_j < 0; so Σ e(M·D_j)·D_j > Σ D_j = 0. Of e only this is used: e(0) = 1, positive
and strictly increasing. A constant e would not do.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import z3

from .induction import ARRAY, PAPER, REAL, SUM, SUMMING, j, k, n, sum_is_order_blind
from .language import add, mean, subtract, total
from .obligation import Obligation, Outline
from .outlines import proved, sums
from .schema import Account, Schema, axiom, induction, lemma
from .terms import Map, Name, Term, at

E_OF = z3.Function("e", REAL, REAL)


def outside_the_group() -> tuple[Obligation, ...]:
    """The output on D is positive in the row of the largest entry, that on 0 is 0."""
    a, b, delta, p, w, o = (z3.Const(name, ARRAY) for name in "abDpwo")
    j, k, n = z3.Ints("j k n")
    m, x, t = z3.Reals("M x T")
    zero = z3.IntVal(0)

    def difference(k: z3.ArithRef) -> z3.BoolRef:
        return SUM(delta, k) == SUM(a, k) - SUM(b, k)

    def negative(k: z3.ArithRef) -> z3.BoolRef:
        here = z3.Select(delta, j)
        return z3.And(SUM(delta, k) <= 0, z3.Implies(j < k, SUM(delta, k) <= here))

    def more(k: z3.ArithRef) -> z3.BoolRef:
        strict = z3.And(j < k, z3.Select(delta, j) != 0)
        return z3.And(SUM(p, k) >= SUM(delta, k), z3.Implies(strict, SUM(p, k) > SUM(delta, k)))

    at_k = z3.Select(delta, k)
    gain = z3.Select(p, k) - at_k
    increasing = (
        m > 0, E_OF(0) == 1, z3.Implies(m * x > 0, E_OF(m * x) > E_OF(0)),
        z3.Implies(m * x < 0, E_OF(m * x) < E_OF(0)),
    )  # fmt: skip
    return (
        *proved(sum_is_order_blind()),
        Obligation("difference_base", "S(D) = S(a) − S(b) for D = a − b, a = P E, b = E: k = 0",
                   tuple(sums((a, zero), (b, zero), (delta, zero))), difference(zero)),
        Obligation("difference_step", "the same: k to k + 1; S(a) = S(b), so S(D, n) = 0",
                   (k >= 0, at_k == z3.Select(a, k) - z3.Select(b, k),
                    *sums((a, k), (b, k), (delta, k)), difference(k)), difference(k + 1)),
        Obligation("largest_base", "if no entry is positive, S(D, k) ≤ 0 and ≤ D_j, j < k: k = 0",
                   (j >= 0, *sums((delta, zero))), negative(zero)),
        Obligation("largest_step", "the same: k to k + 1",
                   (j >= 0, k >= 0, at_k <= 0, z3.Select(delta, j) <= 0,
                    *sums((delta, k)), negative(k)), negative(k + 1)),
        Obligation("largest", "so S(D, n) = 0 and D_j ≠ 0 give an entry > 0, and M > 0",
                   (j >= 0, j < n, z3.Select(delta, j) <= 0, SUM(delta, n) == 0, negative(n)),
                   z3.Select(delta, j) == 0),
        Obligation("gain", "x·e(M·x) ≥ x, and > x for x ≠ 0", increasing,
                   z3.And(x * E_OF(m * x) >= x, z3.Implies(x != 0, x * E_OF(m * x) > x))),
        Obligation("more_base", "S(p, k) ≥ S(D, k), and > where D_j ≠ 0, j < k, for "
                   "p_j = e(M·D_j)·D_j: k = 0",
                   (j >= 0, *sums((p, zero), (delta, zero))), more(zero)),
        Obligation("more_step", "the same: k to k + 1",
                   (j >= 0, k >= 0, gain >= 0, z3.Implies(at_k != 0, gain > 0),
                    *sums((p, k), (delta, k)), more(k)), more(k + 1)),
        Obligation("positive", "the output S(p, n)/T of that row is positive",
                   (j >= 0, j < n, z3.Select(delta, j) != 0, SUM(delta, n) == 0, t > 0, more(n)),
                   SUM(p, n) / t > 0),
        Obligation("zero_base", "weights times values 0 add up to 0: k = 0",
                   tuple(sums((o, zero))), SUM(o, zero) == 0),
        Obligation("zero_step", "the same: k to k + 1",
                   (k >= 0, z3.Select(o, k) == z3.Select(w, k) * 0, *sums((o, k)), SUM(o, k) == 0),
                   SUM(o, k + 1) == 0),
    )  # fmt: skip


def outside_account(lhs: Term, rhs: Term) -> Outline:
    """f(PX) ≠ P f(X) at X = −PᵀE where P E ≠ E, all weights 1"""
    paper = "of exp only that it is positive and strictly increasing"
    return Outline(lhs, "≠", rhs, outside_the_group(), paper)


# ------------------------------------------------------------------- what shows no table, for all n
X, MOVED, TABLE, LEFT, RIGHT = (z3.Const(name, ARRAY) for name in ("a", "b", "t", "c", "d"))
SHIFT = z3.Real("u")


@cache
def _added(name: str, whole: Any, part: Any) -> Schema:
    """S(whole, n) = S(part, n) + S(t, n) for whole(k) = part(k) + t(k)"""
    law = axiom(
        f"{name}_term", f"{whole}(k) = {part}(k) + t(k)", (k,), whole[k] == part[k] + TABLE[k]
    )
    return induction(
        name, f"S({whole}, n) = S({part}, n) + S(t, n)", (n,),
        SUM(whole, n) == SUM(part, n) + SUM(TABLE, n), 0,
        base=tuple(SUMMING.empty.at(x) for x in (whole, part, TABLE)),
        step=(*(SUMMING.next.at(n, x) for x in (whole, part, TABLE)), law.at(n)),
    )  # fmt: skip


def uniform_account(tokens: Term, table: Term, sigma: Map, axis: Name) -> Account:
    """Σ (Pa + t) = Σ (a + t): weights that are all alike do not see which row is added where"""
    *known, permuted = sum_is_order_blind()
    left, right = _added("left_sum", LEFT, MOVED), _added("right_sum", RIGHT, X)
    _, a, b, s = permuted.variables
    given = permuted.formula.arg(0)
    same = lemma(
        "uniform", "both are S(a, n) + S(t, n)", permuted.variables,
        z3.Implies(given, SUM(LEFT, n) == SUM(RIGHT, n)),
        (permuted.at(n, a, b, s), left.at(n), right.at(n)), least=0, smallest=True,
    )  # fmt: skip
    moved = at(tokens, {axis: sigma(axis)})
    both = add(moved, table), add(tokens, table)
    lhs, rhs = (total(t, axis) for t in both)
    reading: dict[str, Term | Map] = {
        "a": tokens, "b": moved, "sigma": sigma, "t": table, "c": both[0], "d": both[1],
    }  # fmt: skip
    schemas = (*known, permuted, left, right, same)
    return Account(lhs, "=", rhs, axis, tokens.sets[axis], schemas, reading, PAPER)


def centred_account(row: Term, constant: Term, axis: Name) -> Account:
    """A row less its mean is what it was where a constant is added to all its features"""
    law = axiom("shifted_row", "b(k) = a(k) + u", (k,), MOVED[k] == X[k] + SHIFT)
    shifted = induction(
        "shifted_sum", "S(b, n) = S(a, n) + n·u", (n,),
        SUM(MOVED, n) == SUM(X, n) + z3.ToReal(n) * SHIFT, 0,
        base=(SUMMING.empty.at(X), SUMMING.empty.at(MOVED)),
        step=(SUMMING.next.at(n, X), SUMMING.next.at(n, MOVED), law.at(n)),
    )  # fmt: skip
    mean_a, mean_b = (SUM(x, n) / z3.ToReal(n) for x in (X, MOVED))
    same = lemma(
        "centred", "b(j) − mean(b) = a(j) − mean(a)", (n, j),
        MOVED[j] - mean_b == X[j] - mean_a, (shifted.at(n), law.at(j)), least=1,
    )  # fmt: skip
    more = add(row, constant)
    lhs, rhs = (subtract(t, mean(t, axis)) for t in (more, row))
    reading = {"a": row, "b": more, "u": constant}
    return Account(lhs, "=", rhs, axis, row.sets[axis], (shifted, same), reading, PAPER)
