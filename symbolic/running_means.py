"""Two layers of a causal mask with uniform weights, for every n: what each token weighs, by SMT.

Row i of the weights is 1/(i + 1) at the places j ≤ i, counted from 0. So after two layers the last
of n tokens sees token j with the weight w(j) = (1/n) Σ_{j ≤ i < n} 1/(i + 1), and
w(j) − w(j + 1) = (1/n)·1/(j + 1) > 0.
"""

from __future__ import annotations

import z3

from .induction import ARRAY, INT, REAL, SUM
from .language import contract, divide, iota, pointwise, total
from .obligation import Obligation, Outline
from .outlines import sums
from .terms import Map, Set, Term, at

RECIPROCAL = z3.Function("R", INT, REAL)


def causal_mask(over: Set) -> Term:
    """1 where j ≤ i, else 0: over the axes i and j."""
    return pointwise("at_most", iota(over, "j"), iota(over, "i"))


def running_means(over: Set) -> Term:
    """The attention weights of a causal mask where all scores are equal: over i and j."""
    mask = causal_mask(over)
    return divide(mask, total(mask, "j"))


def weight_of(over: Set, last: Map, token: Map) -> Term:
    """What the last place sees of a token after two layers: Σᵢ A(last, i) A(i, token)."""
    weights = running_means(over)
    first = at(weights, {"j": token()})
    second = at(weights, {"i": last()}).rename({"j": "i"})
    return contract(second, first, "i")


def decreasing() -> tuple[Obligation, ...]:
    """w(a) > w(a + 1) for 0 ≤ a and a + 1 < n."""
    g, p, q = (z3.Const(name, ARRAY) for name in "gpq")
    i, k, a, n = z3.Ints("i k a n")
    u = z3.Real("u")

    def row(k: z3.ArithRef) -> z3.BoolRef:
        return SUM(g, k) == z3.ToReal(z3.If(k <= i + 1, k, i + 1))

    def apart(k: z3.ArithRef) -> z3.BoolRef:
        return SUM(p, k) - SUM(q, k) == z3.If(k > a, u * RECIPROCAL(a), 0)

    zero = z3.IntVal(0)
    seen = z3.Select(g, k) == z3.If(k <= i, z3.RealVal(1), z3.RealVal(0))
    columns = (
        z3.Select(p, k) == u * z3.If(k >= a, RECIPROCAL(k), 0),
        z3.Select(q, k) == u * z3.If(k >= a + 1, RECIPROCAL(k), 0),
    )
    return (
        Obligation(
            "row_base", "Σ_{l<k} [l ≤ i] = min(k, i + 1): k = 0",
            (i >= 0, *sums((g, zero))), row(zero),
        ),
        Obligation(
            "row_step", "the same: k to k + 1; at k = n > i the sum is i + 1",
            (i >= 0, k >= 0, seen, *sums((g, k)), row(k)), row(k + 1),
        ),
        Obligation(
            "row_whole", "the last row sees all of n places",
            (n >= 1, i == n - 1, k == n, row(k)), SUM(g, k) == z3.ToReal(n),
        ),
        Obligation(
            "column_base", "S(p, k) − S(q, k) = u·R(a) for k > a, else 0, with p and q the terms "
            "u·R(i) of w(a) and w(a + 1), u = 1/n and R(i) = 1/(i + 1): k = 0",
            (a >= 0, *sums((p, zero), (q, zero))), apart(zero),
        ),
        Obligation(
            "column_step", "the same: k to k + 1",
            (a >= 0, k >= 0, *columns, *sums((p, k), (q, k)), apart(k)), apart(k + 1),
        ),
        Obligation(
            "decrease", "at k = n > a + 1: w(a) − w(a + 1) = u·R(a) > 0",
            (
                a >= 0, n > a + 1, k == n, apart(k),
                u * z3.ToReal(n) == 1, RECIPROCAL(a) * z3.ToReal(a + 1) == 1,
            ),
            SUM(p, k) > SUM(q, k),
        ),
    )  # fmt: skip


def decreasing_account(over: Set, last: Map, token: Map, after: Map) -> Outline:
    """w(token) > w(after), the place after it, for the last of n places"""
    paper = "w(j) = (1/n) Σ_{i ≥ j} 1/i, counted from 1"
    sides = (weight_of(over, last, place) for place in (token, after))
    return Outline(next(sides), ">", next(sides), decreasing(), paper)
