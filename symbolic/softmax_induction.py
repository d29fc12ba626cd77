"""Softmax for every size, by induction in SMT: its rows add up to 1, its entries are positive, and
a shift of the scores does not change it."""

from __future__ import annotations

from functools import cache

import z3

from .architecture import shifted_softmax, softmax
from .induction import ARRAY, PAPER, SUM, SUMMING, j, k, n
from .language import exp, number, pointwise, reduce, subtract, total
from .schema import Account, Schema, axiom, induction, lemma
from .terms import Name, Term

# weights w, with the total T of the first n; the quotients q; the weights p after a shift, total R
W, Q, P = (z3.Const(name, ARRAY) for name in "wqp")
T, R, U = z3.Reals("T R u")
EMPTY, NEXT = SUMMING.empty, SUMMING.next
POSITIVE = axiom("positive", "w(k) > 0, being an exponential", (k,), W[k] > 0)
QUOTIENT = axiom("quotient", "q(k) = w(k)/T", (k,), Q[k] == W[k] / T)
SCALE = axiom("scale", "u > 0, being an exponential", (), U > 0)
SHIFTED = axiom("shifted", "p(k) = u·w(k): exp(s − c) = exp(−c)·exp(s)", (k,), P[k] == U * W[k])


@cache
def softmax_total() -> Schema:
    """For n ≥ 1: Σ_{l<n} w(l) > 0."""
    return induction(
        "total", "Σ w > 0", (n,), SUM(W, n) > 0, 1,
        base=(EMPTY.at(W), NEXT.at(0, W), POSITIVE.at(0)), step=(NEXT.at(n, W), POSITIVE.at(n)),
    )  # fmt: skip


@cache
def softmax_entry() -> tuple[Schema, ...]:
    """For n ≥ 1 and T = Σ_{l<n} w(l): w(j)/T > 0."""
    positive = softmax_total()
    return (
        positive,
        lemma(
            "entry", "w(j) > 0 and T > 0 give w(j)/T > 0", (n, j),
            z3.Implies(SUM(W, n) == T, Q[j] > 0),
            (positive.at(n), POSITIVE.at(j), QUOTIENT.at(j)), least=1,
        ),
    )  # fmt: skip


@cache
def softmax_rows() -> tuple[Schema, ...]:
    """For n ≥ 1 and T = Σ_{l<n} w(l): Σ_{j<n} w(j)/T = 1, as S(q, k)·T = S(w, k) for every k."""
    positive = softmax_total()
    row = induction(
        "row", "S(q, k)·T = S(w, k)", (k,), z3.Implies(T > 0, SUM(Q, k) * T == SUM(W, k)), 0,
        base=(EMPTY.at(W), EMPTY.at(Q)), step=(NEXT.at(k, W), NEXT.at(k, Q), QUOTIENT.at(k)),
    )  # fmt: skip
    row_sum = lemma(
        "row_sum", "at k = n, where S(w, n) = T > 0: S(q, n) = 1", (n,),
        z3.Implies(SUM(W, n) == T, SUM(Q, n) == 1), (positive.at(n), row.at(n)), least=1,
    )  # fmt: skip
    return positive, row, row_sum


@cache
def softmax_shift() -> tuple[Schema, ...]:
    """softmax(s − c) = softmax(s): with weights w and p = u·w, u = exp(−c) > 0, the totals are
    S(p, n) = u·S(w, n) by induction, so p(j) / S(p, n) = w(j) / S(w, n)."""
    positive = softmax_total()
    shift = induction(
        "shift", "S(p, k) = u·S(w, k)", (k,), SUM(P, k) == U * SUM(W, k), 0,
        base=(EMPTY.at(W), EMPTY.at(P)), step=(NEXT.at(k, W), NEXT.at(k, P), SHIFTED.at(k)),
    )  # fmt: skip
    x, y = z3.Reals("x y")
    totals = z3.And(SUM(W, n) == T, SUM(P, n) == R)
    both = lemma(
        "shift_total", "T = S(w, n) and R = S(p, n) give T > 0 and R = u·T", (n,),
        z3.Implies(totals, z3.And(T > 0, R == U * T)), (positive.at(n), shift.at(n)), least=1,
    )  # fmt: skip
    cancelled = lemma(
        "cancelled", "T > 0, u > 0, R = u·T and y = u·x give y/R = x/T", (T, U, R, x, y),
        z3.Implies(z3.And(T > 0, U > 0, R == U * T, y == U * x), y / R == x / T),
    )  # fmt: skip
    entry = lemma(
        "shift_entry", "T = S(w, n) and R = S(p, n): the quotients agree", (n, j),
        z3.Implies(totals, P[j] / R == W[j] / T),
        (both.at(n), SHIFTED.at(j), SCALE.at(), cancelled.at(T, U, R, W[j], P[j])),
        least=1,
    )  # fmt: skip
    return positive, shift, both, cancelled, entry


# ------------------------------------------------------------------------------ what they say
def _account(
    lhs: Term, relation: str, rhs: Term, scores: Term, axis: Name, schemas: tuple[Schema, ...]
) -> Account:
    weights, shift = exp(scores), reduce("max", scores, axis)
    shifted = exp(subtract(scores, shift))
    reading = {
        "w": weights, "T": total(weights, axis), "q": softmax(scores, axis),
        "p": shifted, "R": total(shifted, axis), "u": exp(pointwise("neg", shift)),
    }  # fmt: skip
    return Account(lhs, relation, rhs, axis, scores.sets[axis], schemas, reading, PAPER)


def row_sum_account(scores: Term, axis: Name) -> Account:
    """Σⱼ softmax(s)ⱼ = 1"""
    whole = total(softmax(scores, axis), axis)
    return _account(whole, "=", number(1), scores, axis, softmax_rows())


def positive_account(scores: Term, axis: Name) -> Account:
    """softmax(s)ⱼ > 0"""
    return _account(softmax(scores, axis), ">", number(0), scores, axis, softmax_entry())


def shift_account(scores: Term, axis: Name) -> Account:
    """the shifted softmax = the softmax"""
    shifted, plain = shifted_softmax(scores, axis), softmax(scores, axis)
    return _account(shifted, "=", plain, scores, axis, softmax_shift())
