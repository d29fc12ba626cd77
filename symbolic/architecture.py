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
    inlined,
    multiply,
    reduce,
    size,
    sqrt,
    subtract,
    tensor,
    total,
)
from .terms import Name, Op, Set, Term, reachable


def softmax_definition(over: Set) -> Op:
    """exp(sⱼ) / Σⱼ exp(sⱼ), on one row."""
    row = tensor("s", j=over)
    return define("softmax", [row], divide(exp(row), total(exp(row), "j")))


def shifted_softmax_definition(over: Set) -> Op:
    """softmax as computed: the largest score is subtracted first, so that exp cannot overflow."""
    row = tensor("s", j=over)
    shifted = exp(subtract(row, reduce("max", row, "j")))
    return define("shifted_softmax", [row], divide(shifted, total(shifted, "j")))


def masked_softmax(scores: Term, mask: Term, axis: Name) -> Term:
    """gⱼ exp(sⱼ) / Σⱼ gⱼ exp(sⱼ): a mask as weights gⱼ ≥ 0, not all of them 0 in a row.

    With gⱼ = exp(bⱼ) it is softmax(s + b), and gⱼ = 0 says bⱼ = −∞ without subtracting ∞ from ∞.
    """
    seen = multiply(mask, exp(scores))
    return divide(seen, total(seen, axis))


def softmax(scores: Term, axis: Name) -> Term:
    """The softmax over an axis, kept as a definition of one row."""
    return call(softmax_definition(scores.sets[axis]), [scores], [[axis]], [axis])


def shifted_softmax(scores: Term, axis: Name) -> Term:
    """The shifted softmax over an axis."""
    return call(shifted_softmax_definition(scores.sets[axis]), [scores], [[axis]], [axis])


def as_computed(term: Term) -> Term:
    """term without definitions, each softmax in its shifted form: what array libraries do."""
    ops = {n.op for n in reachable(term.node) if n.op.kind == "apply" and n.op.data[0] == "softmax"}
    sets = [op.data[1][0].data[1][0] for op in ops]
    swap = {softmax_definition(s): shifted_softmax_definition(s) for s in sets}
    return inlined(term, swap)


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
