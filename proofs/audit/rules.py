"""Planted misuses: of every rule of the kernel, and of steps of a derivation.

A rule must raise, and a push must be stuck; any result instead would be a false theorem.
Each stands with what would be wrong, as the name of a falsehood.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from orderproof.proofs.shared.symbols import (
    CROSS,
    SELF,
    TOKENS,
    Attention,
    X,
    as_keys,
    d,
    m,
    n,
    rho,
    sigma,
)
from orderproof.symbolic.calculus import kernel as k
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import Map, Op, Set, Term, at, build
from orderproof.symbolic.derive.push import fixed, push
from orderproof.symbolic.models.attention import attention, softmax
from orderproof.symbolic.models.builders import (
    POINT,
    add,
    cat,
    constant,
    define,
    delta,
    exp,
    inverse,
    iota,
    leaf_of,
    moved,
    multiply,
    number,
    opaque,
    permutation,
    pointwise,
    symbol,
    tensor,
    total,
)

pi, rho_n, beta = (
    permutation("pi", n),
    permutation("rho", n),
    symbol("beta", (m,), n, bijective=True),
)
f, p = symbol("f", (n,), n), constant("p", n)
A, B, Q = tensor("A", i=n), tensor("B", i=n), tensor("Q", j=m)
S, E = tensor("S", i=n, j=n), tensor("E", i=n, c=d)
a, b, c = tensor("a"), tensor("b"), tensor("c")
M = tensor("M", i=n, j=n)
ONE = define("one", [a], number(1))


@dataclass(frozen=True)
class Step:
    """A step that must be refused: of which rule, what would be wrong, and the attempt."""

    operator: str  # "rule misuse" or "derivation step"
    rule: str
    wrong: str
    attempt: Callable[[], Any]


def one(t: Term) -> Term:
    """A definition that is 1, whatever its argument."""
    return build(ONE, [t], [[]], [])


def slot(name: str, *sets: Set) -> Term:
    """A tensor whose axes are numbered, as an instance wants them."""
    return build(Op("leaf", (name, sets)), names=range(len(sets)))


def assumed(s: Any, t: Any, over: Set = n) -> Theorem:
    """ι(s) = ι(t), assumed."""
    return k.hyp(at(iota(over, "i"), {"i": s}), at(iota(over, "i"), {"i": t}))


def forged() -> Theorem:
    """one = 2, that the kernel never issued."""
    return Theorem(frozenset(), one(a), number(2), "perm", "unfold", ())


def altered() -> Theorem:
    """A theorem with another right side."""
    return dataclasses.replace(k.unfold(ONE), rhs=number(2))


def copied() -> Theorem:
    """A theorem made by copying one."""
    return copy.copy(k.unfold(ONE))


def hollow() -> Theorem:
    """A theorem made without its constructor."""
    made = object.__new__(Theorem)
    for name, value in {
        "hyps": frozenset(), "lhs": one(a), "rhs": number(2), "law": "perm", "rule": "unfold",
        "premises": (),
    }.items():  # fmt: skip
        object.__setattr__(made, name, value)
    return made


def chained(first: Theorem, *rest: Theorem) -> Theorem:
    """One after the other."""
    for th in rest:
        first = k.trans(first, th)
    return first


def hidden_bijection() -> Any:
    """Σ 1 over n = Σ 1 over m: the bijection between them would go with the instance."""
    return k.inst(k.reindex("sum", A, "i", beta), {leaf_of(A): number(1)})


REINDEXED = k.reindex("sum", A, "i", sigma)


def replaced(to: Any, th: Theorem = REINDEXED) -> Theorem:
    """An instance by what is not of the right type, as Python lets one write it."""
    return k.inst(th, to)


def retyped_in_one_call() -> Any:
    """Σ 1 over n = Σ 1 over q, and beta is a map of m to n, for all m, n and q: the set m would
    become q, the type of beta with it, and beta would be put back as it was."""
    there = at(B, {"i": beta("j")})
    th = k.cong(add(total(A, "i"), there), [k.reindex("sum", A, "i", beta), None])
    return replaced({m: Set("q"), beta: beta, leaf_of(A): number(1)}, th)


def one_is_two() -> Theorem:
    """one(a) = two(a) ⊢ 1 = 2."""
    two = define("two", [a], number(2))
    return chained(k.sym(k.unfold(ONE)), k.hyp(one(a), build(two, [a], [[]], [])), k.unfold(two))


def weakened_hypothesis() -> Any:
    """one(u(b)) = two(u(b)) for all b ⊢ 1 = 2: false where there is no b."""
    return k.inst(one_is_two(), {leaf_of(a): tensor("u", b=m)})


def two_axes_of_one_name() -> Any:
    """one(u(b)) = two(u(b)) for all b of m ⊢ v(b) 1 = v(b) 2 for all b of n: false where m is
    empty."""
    th = k.cong(multiply(c, number(1)), [None, one_is_two()])
    return k.inst(th, {leaf_of(a): tensor("u", b=m), leaf_of(c): tensor("v", b=n)})


def retyped_index() -> Any:
    """A substitution by a map of other sets, applied to a term without the axis."""
    return build(Op("at", ((symbol("g", (m,), m)(0),), (n,), (m,))), [a], [["z"]], ["j"])


SOFT = softmax(S, "j")
JOINED = cat(A.rename({"i": "s"}), Q.rename({"j": "s"}), "s")
MISUSES: dict[str, dict[str, Callable[[], Any]]] = {
    "sym": {
        "a forged premise": lambda: k.sym(forged()),
        "an altered premise": lambda: k.sym(altered()),
        "a copied premise": lambda: k.sym(copied()),
        "a premise made without its constructor": lambda: k.sym(hollow()),
    },
    "trans": {
        "no common middle": lambda: k.trans(k.hyp(a, b), k.hyp(c, a)),
        "premises exchanged": lambda: k.trans(k.hyp(b, c), k.hyp(a, b)),
        "a middle of the same name over other sets": lambda: k.trans(
            k.hyp(A, B), k.hyp(tensor("B", i=m), tensor("C", i=m))
        ),
        "a forged second premise": lambda: k.trans(k.hyp(a, one(a)), forged()),
    },
    "cong": {
        "a theorem about another term": lambda: k.cong(exp(c), [k.hyp(a, b)]),
        "a theorem about the other part": lambda: k.cong(multiply(c, a), [k.hyp(a, b), None]),
        "a forged premise": lambda: k.cong(exp(one(a)), [forged()]),
        "a premise made without its constructor": lambda: k.cong(exp(one(a)), [hollow()]),
    },
    "hyp": {
        "an axis on one side only": lambda: k.hyp(A, a),
        "an axis over two sets": lambda: k.hyp(A, Q.rename({"j": "i"})),
        "an axis exchanged for another": lambda: k.hyp(A, A.rename({"i": "j"})),
    },
    "discharge": {
        "a hypothesis that is not there": lambda: k.discharge(k.hyp(a, b), k.hyp(c, a)),
        "the converse as proof": lambda: k.discharge(
            k.hyp(one(a), number(1)), k.sym(k.unfold(ONE))
        ),
        "a forged proof": lambda: k.discharge(k.hyp(one(a), number(2)), forged()),
    },
    "inst": {
        "an axis over another set": lambda: k.inst(REINDEXED, {leaf_of(A): slot("U", m)}),
        "an axis that would be captured": lambda: k.inst(REINDEXED, {leaf_of(A): slot("U", n, n)}),
        "a token axis on one side only": lambda: k.inst(k.unfold(ONE), {leaf_of(a): A}),
        "a token axis on one side of a hypothesis only": lambda: k.inst(
            k.hyp(a, b), {leaf_of(a): A}
        ),
        "an axis of the conclusion that vanishes": lambda: k.inst(
            k.hyp(A, B), {leaf_of(A): number(1), leaf_of(B): number(2)}
        ),
        "an axis of one name over two sets": lambda: k.inst(
            k.hyp(multiply(a, b), multiply(b, a)),
            {leaf_of(a): tensor("u", b=n), leaf_of(b): tensor("v", b=m)},
        ),
        "an axis of one name over two sets, one of them in a hypothesis": two_axes_of_one_name,
        "an axis that is no slot and no string": lambda: k.inst(
            REINDEXED, {leaf_of(A): Term(A.node, (object(),))}
        ),
        "a map that is no bijection": lambda: replaced({sigma: f}),
        "another permutation, which is no tensor": lambda: replaced({sigma: pi}),
        "a map for a tensor": lambda: replaced({leaf_of(A): sigma}),
        "another set, which is no tensor": lambda: replaced({n: m}),
        "a symbol for the point": lambda: replaced({POINT: n}),
        "sets, maps and tensors in one call": retyped_in_one_call,
        "a substitution of other sets that is dropped": retyped_index,
        "a bijection that vanishes": hidden_bijection,
        "a hypothesis that becomes empty": weakened_hypothesis,
    },
    "unfold": {
        "an operator": lambda: k.unfold(Op("opaque", ("g", ((),), ()))),
        "a tensor": lambda: k.unfold(leaf_of(A)),
        "a reduction": lambda: k.unfold(Op("reduce", ("sum", n))),
    },
    "at_at": {
        "an axis that the term does not have": lambda: k.at_at(A, {"z": sigma("i")}, {}),
        "an axis that is gone": lambda: k.at_at(A, {"i": sigma("j")}, {"i": "k"}),
        "an index of another set": lambda: k.at_at(A, {"i": rho("i")}, {}),
        "an axis that vanishes with half of a pair": lambda: k.at_at(
            A, {"i": Map("fst", (n, m))("t")}, {"t": Map("pair", (n, m))("i", "j")}
        ),
    },
    "at_op": {
        "a map on softmax's own axis": lambda: k.at_op(SOFT, {"j": sigma("j")}),
        "softmax's own axis in the index of another": lambda: k.at_op(SOFT, {"i": sigma("j")}),
        "a diagonal of softmax": lambda: k.at_op(SOFT, {"i": "j"}),
        "two axes of δ made one": lambda: k.at_op(delta(n, "i", "j"), {"i": "j"}),
        "a place on softmax's own axis": lambda: k.at_op(SOFT, {"j": p()}),
        "two substitutions exchanged": lambda: k.at_op(moved(A, i=sigma), {"i": pi("i")}),
        "the axis that is summed": lambda: k.at_op(total(S, "j"), {"j": sigma("j")}),
        "one axis of a concatenation": lambda: k.at_op(JOINED, {"s": Map("inl", (n, m))("i")}),
    },
    "at_cat": {
        "a selection of other sets": lambda: k.at_cat(A, "i", Q, "j", Map("inl", (m, n))),
        "any permutation of the sum": lambda: k.at_cat(
            A, "i", Q, "j", permutation("tau", Set("+", (n, m)))
        ),
        "the parts exchanged": lambda: k.at_cat(A, "i", Q, "j", Map("beside", (rho, sigma))),
        "an axis of the other part lost": lambda: k.at_cat(
            A, "i", tensor("V", j=m, k=d), "j", Map("inl", (n, m))
        ),
    },
    "at_equal": {
        "other indices": lambda: k.at_equal(
            A, "i", sigma("x"), f("x"), assumed(sigma("x"), pi("x"))
        ),
        "indices of another set": lambda: k.at_equal(A, "i", "x", "x", assumed("x", "x", m)),
        "a tensor in place of the index": lambda: k.at_equal(
            A, "i", sigma("i"), f("i"), k.hyp(moved(A, i=sigma), moved(A, i=f))
        ),
        "two axes for equal ones": lambda: k.at_equal(A, "i", "x", "y", assumed("x", "x")),
    },
    "reindex": {
        "a map that is no bijection": lambda: k.reindex("sum", A, "i", f),
        "a place": lambda: k.reindex("sum", A, "i", p),
        "a bijection of another set": lambda: k.reindex("sum", A, "i", rho),
        "a bijection from the set": lambda: k.reindex("sum", A, "i", inverse(beta)),
        "a reduction that is not commutative": lambda: k.reindex("first", A, "i", sigma),
        "an axis that the term does not have": lambda: k.reindex("sum", number(5), "j", beta),
    },
    "at_delta": {
        "any map": lambda: k.at_delta(f),
        "an injection": lambda: k.at_delta(Map("inl", (n, m))),
        "a place": lambda: k.at_delta(p),
    },
    "sum_delta": {
        "the summed axis in the index": lambda: k.sum_delta(S, "j", f("j")),
        "the summed axis itself": lambda: k.sum_delta(S, "j", "j"),
        "an index of another set": lambda: k.sum_delta(A, "i", rho("x")),
    },
}  # fmt: skip


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

PLANTED_STEPS = (
    *(
        Step("rule misuse", rule, wrong, attempt)
        for rule, attempts in MISUSES.items()
        for wrong, attempt in attempts.items()
    ),
    *(Step("derivation step", "push", wrong, attempt) for wrong, attempt in STEPS.items()),
)
