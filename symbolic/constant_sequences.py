"""Weights that add up to 1 give back a constant: Σⱼ (wⱼ/T)·c = c, for every n, by SMT."""

from __future__ import annotations

import z3

from .architecture import masked_softmax, softmax
from .language import multiply, total
from .obligation import Obligation, Outline
from .outlines import proved, quotients, scaled
from .softmax_induction import softmax_rows
from .terms import Name, Term


def constants() -> tuple[Obligation, ...]:
    """Σ q[j]·c = c·Σ q[j] by induction, and Σ q[j] = 1."""
    c, r, s = z3.Reals("c R s")
    whole = Obligation(
        "constant", "S(q·c, n) = c·S(q, n) and S(q, n) = 1: so S(q·c, n) = c",
        (r == 1, s == c * r), s == c,
    )  # fmt: skip
    return (*scaled(), whole)


def softmax_account(scores: Term, value: Term, axis: Name) -> Outline:
    """Σⱼ softmax(s)ⱼ c = c"""
    lhs = total(multiply(softmax(scores, axis), value), axis)
    paper = "the weights of a row add up to 1"
    asked = (*proved(softmax_rows()), *constants())
    return Outline(lhs, "=", value, asked, paper, sizes={scores.sets[axis]: ("≥", (1,))})


def masked_account(scores: Term, mask: Term, value: Term, axis: Name) -> Outline:
    """The same with a mask"""
    lhs = total(multiply(masked_softmax(scores, mask, axis), value), axis)
    paper = "T > 0, for no row of the mask is all 0"
    asked = (*quotients(), *constants())
    return Outline(lhs, "=", value, asked, paper, sizes={scores.sets[axis]: ("≥", (1,))})
