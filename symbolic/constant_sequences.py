"""Weights that add up to 1 give back a constant: Σⱼ (wⱼ/T)·c = c, for every n, by SMT."""

from __future__ import annotations

from functools import cache

import z3

from .architecture import masked_softmax, softmax
from .induction import ARRAY, PAPER, SUM, k, n
from .language import exp, multiply, total
from .schema import Account, Schema, axiom, induction, lemma
from .softmax_induction import EMPTY, NEXT, QUOTIENT, Q, T, W, softmax_rows
from .terms import Name, Term

C = z3.Real("c")
X = z3.Const("x", ARRAY)
SCALED = axiom("product", "x(k) = q(k)·c", (k,), X[k] == Q[k] * C)


@cache
def constant() -> Schema:
    """S(x, k) = c·S(q, k) for x(k) = q(k)·c"""
    return induction(
        "constant", "S(x, k) = c·S(q, k)", (k,), SUM(X, k) == C * SUM(Q, k), 0,
        base=(EMPTY.at(X), EMPTY.at(Q)), step=(NEXT.at(k, X), NEXT.at(k, Q), SCALED.at(k)),
    )  # fmt: skip


@cache
def softmax_constant() -> tuple[Schema, ...]:
    """For n ≥ 1 and T = Σ w, w an exponential: Σ (w(j)/T)·c = c."""
    *_, row_sum = softmax_rows()
    whole = lemma(
        "constant_whole", "S(q, n) = 1: so S(x, n) = c", (n,),
        z3.Implies(SUM(W, n) == T, SUM(X, n) == C), (constant().at(n), row_sum.at(n)), least=1,
    )  # fmt: skip
    return *softmax_rows(), constant(), whole


@cache
def quotient_constant() -> tuple[Schema, ...]:
    """For T = Σ w ≠ 0, whatever the signs of the single w: Σ (w(j)/T)·c = c."""
    row = induction(
        "quotient_row", "S(q, k)·T = S(w, k)", (k,),
        z3.Implies(T != 0, SUM(Q, k) * T == SUM(W, k)), 0,
        base=(EMPTY.at(W), EMPTY.at(Q)), step=(NEXT.at(k, W), NEXT.at(k, Q), QUOTIENT.at(k)),
    )  # fmt: skip
    whole = lemma(
        "quotient_whole", "S(q, n)·T = S(w, n) = T: so S(q, n) = 1 and S(x, n) = c", (n,),
        z3.Implies(z3.And(SUM(W, n) == T, T != 0), SUM(X, n) == C),
        (constant().at(n), row.at(n)), least=1,
    )  # fmt: skip
    return row, constant(), whole


def softmax_account(scores: Term, value: Term, axis: Name) -> Account:
    """Σⱼ softmax(s)ⱼ c = c"""
    shares, weights = softmax(scores, axis), exp(scores)
    return _account(shares, weights, value, axis, softmax_constant(), "")


def masked_account(scores: Term, mask: Term, value: Term, axis: Name) -> Account:
    """The same with a mask, where the weights of a row do not add up to 0"""
    shares, weights = masked_softmax(scores, mask, axis), multiply(mask, exp(scores))
    return _account(shares, weights, value, axis, quotient_constant(), "T")


def _account(
    shares: Term, weights: Term, value: Term, axis: Name, schemas: tuple[Schema, ...], nonzero: str
) -> Account:
    products = multiply(shares, value)
    reading = {"w": weights, "T": total(weights, axis), "q": shares, "x": products, "c": value}
    over = weights.sets[axis]
    return Account(
        total(products, axis), "=", value, axis, over, schemas, reading, PAPER, nonzero=nonzero
    )
