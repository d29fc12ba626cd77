"""A bias B̃ with B̃(σi, σj) ≠ B̃(i, j) shows σ, for every n: one weight of uniform attention, by SMT.

With W_Q = 0 the weights of a row are the softmax of its bias alone. Let h be row i of B̃ and t the
row k ↦ B̃(σi, σk), not equal; both have the largest entry 0. Where one of them is −∞ and the other
is not, a weight is 0 on one side and positive on the other. If there is no such place, let j be
where t − h is largest. Not all t − h are equal (the rows would differ by a constant, and both have
the maximum 0), so Σₖ e(tₖ − tⱼ) < Σₖ e(hₖ − hⱼ), and the weight at j is larger on the side of t.
Of e only this is used: positive and strictly increasing, e(a − b) = e(a)/e(b).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import z3

from .architecture import masked_softmax
from .induction import ARRAY, REAL, SUM, j, n, sum_is_order_blind
from .induction import PAPER as WHOLE
from .language import exp, multiply, total
from .obligation import Obligation, Outline
from .outlines import PAPER, proved, sums
from .schema import Account, Schema, lemma
from .softmax_induction import SHIFTED, P, R, T, U, W, softmax_shift
from .terms import Index, Name, Term, at

E_OF = z3.Function("e", REAL, REAL)


def outside_the_group() -> tuple[Obligation, ...]:
    """The weights at one place differ."""
    p, q = (z3.Const(name, ARRAY) for name in "pq")
    h, t = (z3.Const(name, ARRAY) for name in "ht")
    j, k, l, n = z3.Ints("j k l n")  # noqa: E741 (an index, as mathematics writes it)
    a, b, whole, other = z3.Reals("a b T U")
    zero = z3.IntVal(0)

    def gain(x: z3.ArithRef) -> z3.ArithRef:
        return z3.Select(t, x) - z3.Select(h, x)

    def less(m: z3.ArithRef) -> z3.BoolRef:
        strict = z3.Implies(l < m, SUM(q, m) < SUM(p, m))
        return z3.And(SUM(q, m) <= SUM(p, m), strict)

    def positive(m: z3.ArithRef) -> z3.BoolRef:
        return z3.And(SUM(q, m) >= 0, z3.Implies(j < m, SUM(q, m) > 0))

    at_k, after = z3.Select(q, k), ((p, k), (q, k))
    ends_t, ends_h = (z3.Select(x, k) - z3.Select(x, j) for x in (t, h))
    return (
        *proved(sum_is_order_blind()),
        Obligation("constant_gain", "both rows have the maximum 0, at k and at l: a constant gain "
                   "is 0",
                   (h[k] == 0, h[l] <= 0, t[l] == 0, t[k] <= 0, gain(k) == a, gain(l) == a),
                   a == 0),
        Obligation("larger_gain", "the gain is largest at j: e(t(k) − t(j)) ≤ e(h(k) − h(j)), and "
                   "< where the gain is smaller",
                   (gain(k) <= gain(j),
                    z3.Implies(ends_t < ends_h, E_OF(ends_t) < E_OF(ends_h)),
                    z3.Implies(ends_t == ends_h, E_OF(ends_t) == E_OF(ends_h))),
                   z3.And(E_OF(ends_t) <= E_OF(ends_h),
                          z3.Implies(gain(k) < gain(j), E_OF(ends_t) < E_OF(ends_h)))),
        Obligation("less_base", "S(q, k) ≤ S(p, k), and < for k > l, where q ≤ p and q(l) < p(l), "
                   "with p(k) = e(h(k) − h(j)) and q(k) = e(t(k) − t(j)), or 0: k = 0",
                   (l >= 0, *sums((p, zero), (q, zero))), less(zero)),
        Obligation("less_step", "the same: from k to k + 1",
                   (l >= 0, k >= 0, at_k <= p[k], z3.Implies(k == l, at_k < p[k]),
                    *sums(*after), less(k)), less(k + 1)),
        Obligation("positive_base", "S(q, k) ≥ 0, and > 0 for k > j, where q ≥ 0 and q(j) = 1: "
                   "k = 0", (j >= 0, *sums((q, zero))), positive(zero)),
        Obligation("positive_step", "the same: from k to k + 1",
                   (j >= 0, k >= 0, at_k >= 0, z3.Implies(k == j, at_k == 1),
                    *sums((q, k)), positive(k)), positive(k + 1)),
        Obligation("more_weight", "the weight at j is 1/S(q, n) there and 1/S(p, n) here: they "
                   "differ", (j >= 0, j < n, l >= 0, l < n, less(n), positive(n)),
                   z3.And(1 / SUM(q, n) > 1 / SUM(p, n), 1 / SUM(q, n) != 1 / SUM(p, n))),
        Obligation("weight_and_none", "a weight 0 and one that is positive differ",
                   (a == 0, b > 0, whole > 0, other > 0), a / whole != b / other),
    )  # fmt: skip


def outside_account(
    weights: Term, here: Mapping[str, Index], there: Mapping[str, Index]
) -> Outline:
    """The weight at a place ≠ that at another, where the bias is not the same"""
    paper = f"{PAPER}; of exp that it is positive, strictly increasing and e(a − b) = e(a)/e(b)"
    return Outline(
        at(weights, dict(there)), "≠", at(weights, dict(here)), outside_the_group(), paper
    )


@cache
def row_constants() -> tuple[Schema, ...]:
    """p = f·w: the totals are S(p, n) = f·S(w, n), so p(j)/S(p, n) = w(j)/S(w, n)."""
    _, shift, *_ = softmax_shift()
    x, y = z3.Reals("x y")
    cancelled = lemma(
        "cancelled_nonzero", "R ≠ 0, R = u·T and y = u·x give y/R = x/T", (T, U, R, x, y),
        z3.Implies(z3.And(R != 0, R == U * T, y == U * x), y / R == x / T),
    )  # fmt: skip
    quotients = lemma(
        "row_constant", "T = S(w, n) and R = S(p, n) ≠ 0: the quotients agree", (n, j),
        z3.Implies(z3.And(SUM(W, n) == T, SUM(P, n) == R, R != 0), P[j] / R == W[j] / T),
        (shift.at(n), SHIFTED.at(j), cancelled.at(T, U, R, W[j], P[j])), least=0,
    )  # fmt: skip
    return shift, cancelled, quotients


def row_constants_account(scores: Term, mask: Term, factor: Term, axis: Name) -> Account:
    """A factor for each row of the mask changes no weight, where the weights do not add up to 0"""
    scaled = multiply(factor, mask)
    weights, others = (multiply(g, exp(scores)) for g in (mask, scaled))
    reading = {
        "w": weights, "T": total(weights, axis), "p": others, "R": total(others, axis),
        "u": factor,
    }  # fmt: skip
    left, right = (masked_softmax(scores, g, axis) for g in (scaled, mask))
    over = scores.sets[axis]
    return Account(left, "=", right, axis, over, row_constants(), reading, WHOLE, nonzero="R")
