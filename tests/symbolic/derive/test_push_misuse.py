"""Derivation steps that would be false, as people take them: each must be refused, or stuck."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from orderproof.proofs.symbols import (
    CROSS,
    SELF,
    TOKENS,
    Attention,
    X,
    as_keys,
    d,
    n,
    rho,
    sigma,
)
from orderproof.symbolic.calculus import kernel as k
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import ShapeError, Term, at
from orderproof.symbolic.derive.push import Stuck, fixed, push
from orderproof.symbolic.models.attention import attention
from orderproof.symbolic.models.builders import (
    add,
    constant,
    delta,
    exp,
    iota,
    leaf_of,
    moved,
    multiply,
    opaque,
    permutation,
    pointwise,
    symbol,
    tensor,
    total,
)

pi, rho_n = permutation("pi", n), permutation("rho", n)
f, p = symbol("f", (n,), n), constant("p", n)
A, B = tensor("A", i=n), tensor("B", i=n)
S, E, M = tensor("S", i=n, j=n), tensor("E", i=n, c=d), tensor("M", i=n, j=n)


def assumed(s: Any, t: Any) -> Theorem:
    """ι(s) = ι(t), assumed."""
    return k.hyp(at(iota(n, "i"), {"i": s}), at(iota(n, "i"), {"i": t}))


def _attention(tokens: Term) -> Term:
    return Attention(tokens, as_keys(tokens)).Z


MASKED = dataclasses.replace(SELF, score_bias=M).Z
LAST = at(CROSS.Z, {"i": p()})
KEYS, VALUES = tensor("K", j=n, c=d), tensor("V", j=n, r=d)
READ = attention(tensor("q", c=d), KEYS, VALUES, "j", "c")  # by one query
STEPS: dict[str, Callable[[], Any]] = {
    "an unpermuted position table": lambda: push(_attention(add(X, E)), TOKENS),
    "a table fixed by another permutation": lambda: push(
        _attention(add(X, E)), TOKENS, [fixed(E, i=pi)]
    ),
    "a mask that is not transported": lambda: push(MASKED, TOKENS),
    "a mask transported by its rows alone": lambda: push(
        MASKED, TOKENS | {leaf_of(M): (sigma, None)}
    ),
    "a mask transported by another permutation": lambda: push(
        MASKED, TOKENS | {leaf_of(M): (pi, pi)}
    ),
    "keys permuted without their values": lambda: push(
        READ,
        {leaf_of(KEYS): (rho_n, None)},
    ),
    "keys and values permuted by two permutations": lambda: push(
        READ,
        {leaf_of(KEYS): (rho_n, None), leaf_of(VALUES): (pi, None)},
    ),
    "a selected place that σ does not fix": lambda: push(LAST, TOKENS),
    "a selected place that another permutation fixes": lambda: push(
        LAST, TOKENS, [assumed(pi(p()), p())]
    ),
    "a literal inner permutation that does not commute": lambda: push(
        _attention(moved(X, i=pi)), TOKENS
    ),
    "a reduction by a map that is no bijection": lambda: push(
        total(A, "i"), {leaf_of(A): (f,)}
    ),
    "a reduction in order": lambda: push(
        opaque("first", {"i": "i"}, X, {}), TOKENS
    ),
    "a number for each token": lambda: push(add(A, iota(n, "i")), {leaf_of(A): (sigma,)}),
    "the identity matrix moved by one axis": lambda: push(
        multiply(delta(n, "i", "j"), moved(M, j=pi)), {leaf_of(M): (sigma, None)}
    ),
    "two tensors side by side, one of them moved": lambda: push(
        pointwise("add", A, B), {leaf_of(A): (sigma,)}
    ),
    "tokens and memory moved by maps of one another": lambda: push(
        CROSS.Z, {leaf_of(X): (rho, None)}
    ),
    "a theorem of other premises put in a chain": lambda: k.trans(
        k.reindex("sum", A, "i", sigma), k.sym(k.reindex("sum", B, "i", sigma))
    ),
    "a max cited for a sum": lambda: k.trans(
        k.reindex("sum", A, "i", sigma), k.sym(k.reindex("max", A, "i", sigma))
    ),
    "a lemma of columns cited for rows": lambda: k.cong(
        exp(total(S, "i")), [k.reindex("sum", S, "j", sigma)]
    ),
}  # fmt: skip


def refused(step: Callable[[], Any]) -> bool:
    """Whether the kernel raises, or the push is stuck."""
    try:
        return isinstance(step(), Stuck)
    except ShapeError:
        return True


@pytest.mark.parametrize("wrong", STEPS)
def test_a_false_step_is_refused(wrong: str) -> None:
    """A derivation could take this step, and end in a theorem that is false."""
    assert refused(STEPS[wrong])


def test_a_step_that_is_right_is_taken() -> None:
    """The table would pass were every step refused."""
    assert not refused(lambda: push(SELF.Z, TOKENS))
