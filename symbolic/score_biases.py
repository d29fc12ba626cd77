"""Weights G on exp(s), a mask or exp of a bias, up to a factor for each row, by SMT.

A factor for each row changes no weight of softmax; and dividing by the sum of a row loses nothing
of G but that factor: divided by their largest entry, the weights of uniform attention are G again.
"""

from __future__ import annotations

from functools import cache

import z3

from .architecture import masked_softmax
from .attention_variants import normalised
from .induction import PAPER, SUM, j, n
from .language import divide, exp, multiply, reduce, total
from .obligation import Obligation, Outline
from .schema import Account, Schema, lemma
from .softmax_induction import SHIFTED, P, R, T, U, W, softmax_shift
from .terms import Name, Term


def by_largest(weights: Term, axis: Name) -> Term:
    """Each row divided by its largest entry: as 0 is subtracted from −∞, exp of B minus its row
    maxima."""
    return divide(weights, reduce("max", weights, axis))


def normal_form_account(weights: Term, axis: Name) -> Outline:
    """g/T for T = Σ g > 0, divided by its largest entry, is g divided by its largest entry"""
    g, largest, t = z3.Reals("g M T")
    obligations = (
        Obligation("below", "g ≤ M gives g/T ≤ M/T, and equal where g = M: the largest is M/T",
                   (t > 0, g <= largest), z3.And(g / t <= largest / t,
                                                 z3.Implies(g == largest, g / t == largest / t))),
        Obligation("same_quotient", "(g/T)/(M/T) = g/M", (t > 0, largest > 0),
                   (g / t) / (largest / t) == g / largest),
    )  # fmt: skip
    paper = "M is the largest if no entry exceeds it and one reaches it; M > 0 and T > 0, for no "
    paper += "row of G is all 0"
    left = by_largest(normalised(weights, axis), axis)
    return Outline(left, "=", by_largest(weights, axis), obligations, paper)


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
    return Account(left, "=", right, axis, over, row_constants(), reading, PAPER, nonzero="R")
