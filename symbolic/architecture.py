"""Every architecture that the book speaks of, written once as a term.

Axis names are the caller's: `i` and `j` for tokens, `k` for features and so on. Each function
says which axes it needs and which it leaves.
"""

from __future__ import annotations

from .language import (
    call,
    contract,
    define,
    divide,
    exp,
    multiply,
    reduce,
    size,
    sqrt,
    subtract,
    tensor,
    total,
)
from .terms import Name, Set, Term


def softmax(scores: Term, axis: Name) -> Term:
    """exp(sⱼ) / Σⱼ exp(sⱼ) over an axis, kept as a definition of one row."""
    over = scores.sets[axis]
    row = exp(tensor("s", j=over))
    d = define("softmax", [tensor("s", j=over)], divide(row, total(row, "j")))
    return call(d, [scores], [[axis]], [axis])


def shifted_softmax(scores: Term, axis: Name) -> Term:
    """softmax as computed: the largest score subtracted first, so that exp cannot overflow."""
    shifted = exp(subtract(scores, reduce("max", scores, axis)))
    return divide(shifted, total(shifted, axis))


def scores(queries: Term, keys: Term, feature: Name) -> Term:
    """QKᵀ/√d_k: the scaled dot products over the feature axis (Vaswani et al. 2017, eq. 1)."""
    return divide(contract(queries, keys, feature), sqrt(size(queries.sets[feature])))


def attention(queries: Term, keys: Term, values: Term, memory: Name, feature: Name) -> Term:
    """softmax(QKᵀ/√d_k) V: queries over `feature`; keys over `memory` and `feature`; values over
    `memory` and their own features; softmax and sum over `memory`. Other axes are shared: one
    query is the generation step, an axis of queries is attention, and so are heads and batches
    (Vaswani et al. 2017, eq. 1)."""
    return contract(softmax(scores(queries, keys, feature), memory), values, memory)


def unnormalised(queries: Term, keys: Term, values: Term, memory: Name, feature: Name) -> Term:
    """Σⱼ (q·kⱼ) vⱼ: the weighted sum as it stands in accounts of generation, without softmax."""
    return total(multiply(contract(queries, keys, feature), values), memory)
