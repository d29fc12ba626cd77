"""Softmax for every size, by induction in SMT: its rows add up to 1, its entries are positive, and
a shift of the scores does not change it."""

from __future__ import annotations

import z3

from .architecture import shifted_softmax, softmax
from .induction import ARRAY, PAPER, SUM, sums
from .language import number, total
from .obligation import Account, Obligation
from .terms import Name, Term


def softmax_rows() -> tuple[Obligation, ...]:
    """For positive weights w and n ≥ 1 with T = Σ_{l<n} w[l]: T > 0, every w(j)/T > 0, and
    Σ_{j<n} w(j)/T = 1, the latter as R(k)·T = S(w, k) for the partial sums R of the quotients."""
    w, q, t = z3.Const("w", ARRAY), z3.Const("q", ARRAY), z3.Real("T")
    n, k, j = z3.Ints("n k j")
    positive = z3.Select(w, n) > 0
    quotient = (t > 0, z3.Select(q, k) * t == z3.Select(w, k), k >= 0)
    return (
        Obligation(
            "total_base", "T > 0: n = 1", (*sums((w, 0)), z3.Select(w, 0) > 0), SUM(w, 1) > 0
        ),
        Obligation(
            "total_step", "T > 0: from n to n + 1",
            (n >= 1, *sums((w, n)), positive, SUM(w, n) > 0), SUM(w, n + 1) > 0,
        ),
        Obligation(
            "entry", "w(j) > 0 and T > 0 give w(j)/T > 0",
            (t > 0, z3.Select(w, j) > 0), z3.Select(w, j) / t > 0,
        ),
        Obligation(
            "row_base", "R(k)·T = S(w, k): k = 0",
            tuple(sums((w, 0), (q, 0))), SUM(q, 0) * t == SUM(w, 0),
        ),
        Obligation(
            "row_step", "R(k)·T = S(w, k): from k to k + 1",
            (*quotient, *sums((w, k), (q, k)), SUM(q, k) * t == SUM(w, k)),
            SUM(q, k + 1) * t == SUM(w, k + 1),
        ),
        Obligation(
            "row_sum", "at k = n, where S(w, n) = T > 0: R(n) = 1",
            (t > 0, SUM(w, n) == t, SUM(q, n) * t == SUM(w, n)), SUM(q, n) == 1,
        ),
    )  # fmt: skip


def softmax_shift() -> tuple[Obligation, ...]:
    """softmax(s − c) = softmax(s): with weights w and u = exp(−c) > 0, Σ_{j<n} w(j)·u = u·S(w, n)
    by induction, so (w(j)·u) / Σ(w·u) = w(j) / Σ w."""
    w, q, k, j = z3.Const("w", ARRAY), z3.Const("q", ARRAY), z3.Int("k"), z3.Int("j")
    u, t, r = z3.Reals("u T R")
    return (
        Obligation(
            "shift_base", "S(w·u, k) = u·S(w, k): k = 0",
            tuple(sums((w, 0), (q, 0))), SUM(q, 0) == u * SUM(w, 0),
        ),
        Obligation(
            "shift_step", "S(w·u, k) = u·S(w, k): from k to k + 1",
            (
                k >= 0, *sums((w, k), (q, k)), z3.Select(q, k) == u * z3.Select(w, k),
                SUM(q, k) == u * SUM(w, k),
            ),
            SUM(q, k + 1) == u * SUM(w, k + 1),
        ),
        Obligation(
            "shift_entry", "T = S(w, n) > 0, R = u·T and u > 0: the quotients agree",
            (t > 0, u > 0, r == u * t), (u * z3.Select(w, j)) / r == z3.Select(w, j) / t,
        ),
    )  # fmt: skip


# ------------------------------------------------------------------------------ what they say
WEIGHTS = f"{PAPER}; the weights w = exp(s) are positive"


def row_sum_account(scores: Term, axis: Name) -> Account:
    """Σⱼ softmax(s)ⱼ = 1"""
    whole = total(softmax(scores, axis), axis)
    return Account(whole, "=", number(1), softmax_rows(), WEIGHTS)


def positive_account(scores: Term, axis: Name) -> Account:
    """softmax(s)ⱼ > 0"""
    paper = WEIGHTS
    return Account(softmax(scores, axis), ">", number(0), softmax_rows(), paper)


def shift_account(scores: Term, axis: Name) -> Account:
    """the shifted softmax = the softmax"""
    paper = f"{PAPER}; exp(s − c) = exp(s)·u with u = exp(−c) > 0, and the total T > 0"
    shifted, plain = shifted_softmax(scores, axis), softmax(scores, axis)
    return Account(shifted, "=", plain, (*softmax_rows()[:2], *softmax_shift()), paper)
