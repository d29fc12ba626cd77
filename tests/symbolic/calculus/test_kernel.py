"""Every rule: what it concludes, that this is true, and the misuse of each side condition."""

from __future__ import annotations

import ast
import copy
import dataclasses
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, get_type_hints

import pytest

from orderproof.symbolic.calculus import kernel as k
from orderproof.symbolic.calculus import terms
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import Ap, Map, Node, Op, Set, ShapeError, Term, at, build
from orderproof.symbolic.models.builders import (
    POINT,
    add,
    call,
    cat,
    constant,
    define,
    delta,
    exp,
    inverse,
    iota,
    leaf_of,
    multiply,
    number,
    permutation,
    pointwise,
    reduce,
    size,
    symbol,
    tensor,
    total,
)
from tests.oracles.meaning import counterexample

ROOT = Path(__file__).resolve().parents[3]
N, M, D = Set("n"), Set("m"), Set("d")
BOTH = Set("+", (N, M))
X, Y, Q = tensor("X", i=N), tensor("Y", i=N), tensor("Q", j=M)
S = tensor("S", i=N, j=N)
a, b, c = tensor("a"), tensor("b"), tensor("c")
σ, π, ρ = permutation("σ", N), permutation("π", N), permutation("ρ", M)
β = symbol("β", (M,), N, bijective=True)
f = symbol("f", (N,), N)
p = constant("p", N)
ROW = tensor("R", j=N)
SOFTMAX = define("softmax", [ROW], pointwise("div", exp(ROW), total(exp(ROW), "j")))
V, W = tensor("V", j=N), tensor("W", i=N, l=M)  # weights of one layer, and of all
STEP = define("step", [ROW, V], pointwise("g", ROW, V))
AGAIN = define("again", [ROW, V], pointwise("g", ROW, V))
SQUARE = define("square", [ROW, V], pointwise("g", ROW, ROW))
COUNTED = define("counted", [ROW, V], pointwise("g", iota(N, "j"), V))
LAST = define("last", [ROW], at(ROW, {"j": p()}))
ONE, TWO = define("one", [a], number(1)), define("two", [a], number(2))


def softmax(t: Term, axis: Any) -> Term:
    """The defined softmax of a term over an axis."""
    return call(SOFTMAX, [t], [[axis]], [axis])


def one(t: Term) -> Term:
    """A definition that is 1, whatever its argument."""
    return call(ONE, [t], [[]], [])


def two(t: Term) -> Term:
    """A definition that is 2, whatever its argument."""
    return call(TWO, [t], [[]], [])


def slot(name: str, *sets: Set) -> Term:
    """A tensor whose axes are numbered, as an instance wants them."""
    return build(Op("leaf", (name, sets)), names=range(len(sets)))


def holds(th: Theorem, lhs: Term, rhs: Term) -> None:
    """Check that a theorem says lhs = rhs, and that it is true, and its neighbour false."""
    if (th.lhs, th.rhs) != k.equation(lhs, rhs):
        raise AssertionError(f"says {th.lhs} = {th.rhs}")
    if found := counterexample(th, Random(1), tries=40):
        raise AssertionError(found)
    wrong = dataclasses.replace(th, rhs=exp(th.rhs), hyps=frozenset())
    if not counterexample(wrong, Random(1), tries=40):
        raise AssertionError("the comparison does not notice a false neighbour")


def h() -> Theorem:
    """a = b ⊢ a = b."""
    return k.hyp(a, b)


def one_is_two() -> Theorem:
    """one(a) = two(a) ⊢ 1 = 2."""
    return k.trans(k.sym(k.unfold(ONE)), k.trans(k.hyp(one(a), two(a)), k.unfold(TWO)))


REINDEXED = k.reindex("sum", X, "i", σ)


def test_sym_turns_an_equation_round() -> None:
    """sym would not be the converse of its premise."""
    holds(k.sym(k.unfold(ONE)), number(1), one(a))


def test_trans_joins_two_equations() -> None:
    """trans would lose an end, or mistake the axes of its second premise."""
    first = k.reindex("sum", tensor("S", i=N, l=D, j=N), "j", σ)
    second = k.sym(k.reindex("sum", tensor("S", i=N, l=D, j=N), "j", σ))
    t = total(tensor("S", i=N, l=D, j=N), "j")
    holds(k.trans(first, second), t, t)
    turned = k.at_delta(Map("identity", (N,)))
    th = k.trans(k.sym(k.at_delta(σ)), k.sym(k.sym(k.at_delta(σ))))
    holds(th, delta(N, "j", "i"), delta(N, "j", "i"))
    holds(turned, turned.lhs, delta(N, 1, 0))


def test_cong_replaces_parts() -> None:
    """cong would change a part that it has no theorem for, or lose a bound axis."""
    th = k.reindex("sum", S, "j", σ)
    moved = total(at(S, {"j": σ("j")}), "j")
    t = multiply(total(S, "j"), Y)
    holds(k.cong(t, [th, None]), t, multiply(moved, Y))
    holds(k.cong(reduce("max", total(S, "j"), "i"), [th]), reduce("max", total(S, "j"), "i"),
          reduce("max", moved, "i"))  # fmt: skip


def test_hyp_assumes_what_it_concludes() -> None:
    """A hypothesis would be forgotten: a = b for all a and b."""
    th = k.hyp(X, Y)
    assert th.hyps == {k.equation(X, Y)}
    holds(th, X, Y)


def test_discharge_replaces_a_hypothesis_by_its_proof() -> None:
    """A discharged hypothesis would stay, or another would go with it."""
    th = k.cong(multiply(one(a), b), [k.hyp(one(a), number(1)), k.hyp(b, c)])
    done = k.discharge(th, k.unfold(ONE))
    assert done.hyps == {k.equation(b, c)}
    holds(done, multiply(one(a), b), multiply(number(1), c))


def test_inst_puts_terms_for_tensors() -> None:
    """inst would miss a place, or a hypothesis."""
    new = k.inst(REINDEXED, {leaf_of(X): tensor("S", i=N, b=M).rename({"i": 0})})
    t = tensor("S", i=N, b=M)
    holds(new, total(t, "i"), total(at(t, {"i": σ("i")}), "i"))
    holds(k.inst(REINDEXED, {leaf_of(X): number(1)}), reduce("sum", number(1), "i", N),
          reduce("sum", number(1), "i", N))  # fmt: skip
    assert k.inst(h(), {leaf_of(a): c}).hyps == {k.equation(c, b)}
    assert k.inst(h(), {leaf_of(a): X, leaf_of(b): Y}).hyps == {k.equation(X, Y)}
    assert k.inst(h(), {}).hyps == h().hyps and k.inst(h(), {leaf_of(c): X}).lhs == a


def test_inst_puts_terms_all_at_once() -> None:
    """A tensor in a term that was put for another would be replaced too."""
    new = k.inst(h(), {leaf_of(a): b, leaf_of(b): a})
    assert (new.lhs, new.rhs) == (b, a) and new.hyps == {k.equation(b, a)}


def test_inst_gives_string_axes_to_all_that_contains_the_tensor() -> None:
    """An axis that the theorem has not would be lost, or be two axes in two terms."""
    both = k.hyp(multiply(a, X), multiply(b, Y))
    u, v = tensor("U", x=M), tensor("V", x=M)
    new = k.inst(both, {leaf_of(a): u, leaf_of(b): v})
    holds(new, multiply(u, X), multiply(v, Y))
    assert new.hyps == {k.equation(multiply(u, X), multiply(v, Y))}


def test_inst_does_not_capture() -> None:
    """A tensor with the name of a formal would be replaced inside the definition, or an axis
    of the instance would be caught by a reduction of the same name."""
    formal = leaf_of(ROW)
    th = k.inst(k.unfold(SOFTMAX), {formal: slot("T", N)})
    t = tensor("T", j=N)
    holds(th, softmax(t, "j"), pointwise("div", exp(t), total(exp(t), "j")))
    used = k.cong(softmax(ROW, "j"), [k.hyp(ROW, t)])
    new = k.inst(used, {formal: tensor("U", k=N).rename({"k": 0})})
    assert (
        new.lhs == k.equation(softmax(tensor("U", k=N), "k"), softmax(t, "j").rename({"j": "k"}))[0]
    )
    outer = k.inst(k.reindex("sum", X, "i", σ), {leaf_of(X): S.rename({"i": "i", "j": 0})})
    holds(outer, total(S, "j"), total(at(S, {"j": σ("j")}), "j"))


def test_unfold_is_the_body() -> None:
    """An application would not be what its definition says."""
    holds(k.unfold(SOFTMAX), softmax(ROW, "j"), pointwise("div", exp(ROW), total(exp(ROW), "j")))


def test_at_at_composes_in_order() -> None:
    """Two substitutions would compose the wrong way round, or not simultaneously."""
    s, r = {"i": σ("j"), "j": "i"}, {"i": f("j"), "j": π("i")}
    holds(k.at_at(S, s, r), at(at(S, s), r), at(S, {"i": σ(π("i")), "j": f("j")}))
    inv = k.at_at(X, {"i": σ("i")}, {"i": inverse(σ)("i")})
    holds(inv, at(at(X, {"i": σ("i")}), {"i": inverse(σ)("i")}), X)


def test_normal_computes_what_fixed_maps_fix() -> None:
    """A simplified index would be another index."""
    pair, beside = Map("pair", (N, M)), Map("beside", (σ, ρ))
    for e, g, expected in [
        (Map("identity", (N,))("i"), "i", "i"),
        (inverse(σ)("i"), σ("i"), "i"),
        (σ("i"), inverse(σ)("i"), "i"),
    ]:
        assert k.normal(at_index(e, g)) == expected
    assert k.normal(Map("fst", (N, M))(pair("i", "j"))) == "i"
    assert k.normal(Map("snd", (N, M))(pair("i", "j"))) == "j"
    assert k.normal(beside(Map("inl", (N, M))("i"))) == Map("inl", (N, M))(σ("i"))
    assert k.normal(beside(Map("inr", (N, M))("j"))) == Map("inr", (N, M))(ρ("j"))
    assert k.normal(σ(inverse(π)("i"))) == σ(inverse(π)("i"))


def at_index(e: Any, g: Any) -> Any:
    """The map of one index expression applied to another."""
    return Ap(e.map, (g,)) if g != "i" else e


def test_at_op_moves_a_substitution_inward() -> None:
    """A substitution of shared axes would not reach every part."""
    s = {"i": σ("i")}
    holds(k.at_op(softmax(S, "j"), s), at(softmax(S, "j"), s), softmax(at(S, s), "j"))
    t = total(multiply(S, Y), "j")
    holds(k.at_op(t, s), at(t, s), total(at(multiply(S, Y), s), "j"))
    last = {"i": p()}
    holds(k.at_op(t, last), at(t, last), total(at(multiply(S, Y), last), "j"))


def test_at_cat_selects_and_moves_each_side() -> None:
    """A side of a concatenation would be taken for the other."""
    whole = cat(X.rename({"i": "c"}), Q.rename({"j": "c"}), "c")
    inl, inr, both = Map("inl", (N, M)), Map("inr", (N, M)), Map("beside", (σ, ρ))
    holds(k.at_cat(X, "i", Q, "j", inl), at(whole, {"c": inl("i")}), X)
    holds(k.at_cat(X, "i", Q, "j", inr), at(whole, {"c": inr("j")}), Q)
    moved = cat(at(X, {"i": σ("c")}), at(Q, {"j": ρ("c")}), "c")
    holds(k.at_cat(X, "i", Q, "j", both), at(whole, {"c": both("c")}), moved)


def test_at_equal_puts_equals_for_equals() -> None:
    """An index would be replaced by one that is not equal to it."""
    th = k.hyp(at(iota(N, "i"), {"i": σ("x")}), at(iota(N, "i"), {"i": f("x")}))
    new = k.at_equal(S, "j", σ("x"), f("x"), th)
    assert new.hyps == th.hyps
    holds(new, at(S, {"j": σ("x")}), at(S, {"j": f("x")}))


def test_reindex_is_the_lemma() -> None:
    """The one lemma would be false: a reduction would depend on the order of its values."""
    for kind in ("sum", "prod", "max", "min"):
        holds(k.reindex(kind, S, "j", σ), reduce(kind, S, "j"),
              reduce(kind, at(S, {"j": σ("j")}), "j"))  # fmt: skip
    holds(k.reindex("sum", S, "j", β), total(S, "j"), total(at(S, {"j": β("l")}), "l"))


def test_at_delta_moves_both_indices_back() -> None:
    """A bijection would not preserve equality of indices."""
    i = {"i": β("i"), "j": β("j")}
    holds(k.at_delta(β), at(delta(N, "i", "j"), i), delta(M, "j", "i"))


def layer(step: Op, x: Term, w: Term) -> Term:
    """A definition of one row and of weights along it."""
    return build(step, [x, w], [["i"], ["i"]], ["i"])


def one_layer(step: Op, x: Term, w: Term) -> Theorem:
    """A layer = its body, of tokens and weights."""
    to = {leaf_of(ROW): x.rename({"i": 0}), leaf_of(V): w.rename({"i": 0})}
    return k.inst(k.unfold(step), to)


def stack(step: Op, x: Term, w: Term) -> Term:
    """A layer for each index of l."""
    return build(Op("iterate", (step, M)), [x, w], [["i"], ["i", "l"]], ["i"])


def commuting() -> Theorem:
    """g(X(σ(i)), W(σ(i), l)) = g(X, W(·, l)) at σ(i), for a definition that is g."""
    moved = [at(t, {"i": σ("i")}) for t in (X, W)]
    there = k.sym(k.at_op(pointwise("g", X, W), {"i": σ("i")}))
    fold = k.sym(one_layer(STEP, X, W))
    around = k.cong(at(fold.lhs.rename({0: "i", 1: "l"}), {"i": σ("i")}), [fold])
    return k.trans(k.trans(one_layer(STEP, *moved), there), around)


def test_iterate_is_an_induction_over_layers() -> None:
    """What commutes with σ for one layer would not do so for all; or the layers would not be those
    that the parts have, in their order; or none would not leave the tokens as they are."""
    Xs, Ws = (at(t, {"i": σ("i")}) for t in (X, W))
    th = k.iterate(commuting(), leaf_of(X), layer(STEP, Xs, Ws), layer(STEP, X, W),
                   {"i": σ("i")}, "l", M)  # fmt: skip
    holds(th, stack(STEP, Xs, Ws), at(stack(STEP, X, W), {"i": σ("i")}))
    two_names = k.trans(one_layer(STEP, X, W), k.sym(one_layer(AGAIN, X, W)))
    th = k.iterate(two_names, leaf_of(X), layer(STEP, X, W), layer(AGAIN, X, W), {}, "l", M)
    holds(th, stack(STEP, X, W), stack(AGAIN, X, W))


def test_iterate_says_nothing_of_other_orders() -> None:
    """Layers in another order would be the same stack: the oracle would not see the difference."""
    turned = at(W, {"l": ρ("l")})
    same = Theorem(
        frozenset(), *k.equation(stack(STEP, X, W), stack(STEP, X, turned)), "perm", "forged", ()
    )
    assert counterexample(same, Random(1), tries=40)
    with pytest.raises(ShapeError, match="a theorem about"):
        k.iterate(one_layer(STEP, X, W), leaf_of(X), layer(STEP, X, W), layer(STEP, X, turned),
                  {}, "l", M)  # fmt: skip


def test_sum_delta_selects() -> None:
    """A sum against the identity would not be the entry, or not ask for a ring."""
    th = k.sum_delta(S, "j", f("i"))
    lhs = total(multiply(at(delta(N, "x", "j"), {"x": f("i")}), S), "j")
    assert th.law == "ring"
    assert k.sym(th).law == k.cong(exp(lhs), [th]).law == "ring"
    holds(th, lhs, at(S, {"j": f("i")}))
    assert counterexample(dataclasses.replace(th, law="perm"), Random(1), tries=40)


# Each misuse: the rule, what would be wrong, the message, and the call.
MISUSES: list[tuple[str, str, str, Callable[[], Any]]] = []
PREMISES = "theorems that the kernel issued"


def misuse(rule: str, wrong: str, match: str, call: Callable[[], Any]) -> None:
    """Register a misuse."""
    MISUSES.append((rule, wrong, match, call))


def forgeries() -> list[Any]:
    """Theorems that the kernel did not issue."""
    th = k.unfold(ONE)
    return [
        Theorem(frozenset(), one(a), number(2), "perm", "unfold", ()),
        copy.copy(th),
        dataclasses.replace(th, rhs=number(2)),
    ]


for kind, forge in enumerate(("built directly", "a copy", "replaced")):
    for rule, use in {
        "sym": lambda t: k.sym(t),
        "trans": lambda t: k.trans(t, k.hyp(t.rhs, a)),
        "cong": lambda t: k.cong(exp(one(a)), [t]),
        "discharge": lambda t: k.discharge(k.hyp(t.lhs, t.rhs), t),
        "inst": lambda t: k.inst(t, {leaf_of(a): b}),
        "trans ": lambda t: k.trans(k.hyp(a, t.lhs), t),
        "cong ": lambda t: k.cong(exp(one(a)), iter([t])),
        "discharge ": lambda t: k.discharge(t, k.hyp(a, b)),
    }.items():
        match = PREMISES if rule != "discharge " else "a hypothesis among"
        misuse(rule.strip(), f"a forged premise would count: {forge}", match,
               lambda kind=kind, use=use: use(forgeries()[kind]))  # fmt: skip
    misuse("at_equal", f"a forged premise would count: {forge}", PREMISES, lambda kind=kind: (
        k.at_equal(X, "i", "i", "i", forged_iota(kind))))  # fmt: skip


def forged_iota(kind: int) -> Theorem:
    """A forged theorem of the form that at_equal wants."""
    th = k.hyp(iota(N, "i"), iota(N, "i"))
    built = Theorem(frozenset(), th.lhs, th.rhs, "perm", "hyp", ())
    return [built, copy.copy(th), dataclasses.replace(th, hyps=frozenset())][kind]


def hyp_iota(s: Any, t: Any, over: Set = N) -> Theorem:
    """ι(s) = ι(t), assumed."""
    return k.hyp(at(iota(over, "i"), {"i": s}), at(iota(over, "i"), {"i": t}))


SAME = "the same axes on both sides"
TENSOR, OVER = "a tensor, and a term for it", "one of its slots or a string"
misuse("trans", "the middle would not be one term", "a common middle",
       lambda: k.trans(k.hyp(a, b), k.hyp(c, a)))  # fmt: skip
misuse("trans", "a tensor would be another of its name", "same axes|middle", lambda: k.trans(
    k.hyp(S, tensor("T", i=N, j=N)), k.hyp(*[tensor("T", i=N, l=D)] * 2)))  # fmt: skip
misuse("cong", "a theorem about another term would count", "a theorem about it",
       lambda: k.cong(exp(c), [h()]))  # fmt: skip
misuse("cong", "a theorem about the second part would be used for the first", "a theorem about it",
       lambda: k.cong(multiply(c, a), [h(), None]))  # fmt: skip
misuse("hyp", "an assumption would have an axis on one side only", SAME, lambda: k.hyp(X, a))
misuse("hyp", "an axis would range over two sets", SAME, lambda: k.hyp(X, Q.rename({"j": "i"})))
misuse("discharge", "a hypothesis that is not there would go", "a hypothesis among",
       lambda: k.discharge(h(), k.hyp(c, a)))  # fmt: skip
misuse("discharge", "the converse of a hypothesis would prove it", "a hypothesis among",
       lambda: k.discharge(k.hyp(one(a), number(1)), k.sym(k.unfold(ONE))))  # fmt: skip
for wrong, match, old, new in [
    ("an axis would range over another set", OVER, leaf_of(X), slot("U", M)),
    ("an axis of the instance would be a slot of the whole", OVER, leaf_of(S), slot("U", N, N, N)),
    ("an axis of the instance would be bound", OVER, leaf_of(X), Term(X.node, (-1,))),
    ("an axis of the instance would be an object of nobody", OVER, leaf_of(X),
     Term(X.node, (object(),))),
    ("True would be another axis than 1", OVER, leaf_of(X), Term(X.node, (True,))),
    ("a tensor would be replaced by a map", TENSOR, leaf_of(X), σ),
    ("a tensor would be replaced by a set", TENSOR, leaf_of(X), N),
    ("a tensor would be replaced by a constructor", TENSOR, leaf_of(X), leaf_of(Y)),
    ("a term would be replaced", TENSOR, X, Y),
    ("a map would get another domain", TENSOR, σ, symbol("g", (M,), N, bijective=True)),
    ("a map would get another codomain", TENSOR, σ, symbol("g", (N,), M, bijective=True)),
    ("a bijection would become any map", TENSOR, σ, f),
    ("a permutation would become another, which is no matter of tensors", TENSOR, σ, π),
    ("a map would become a place", TENSOR, σ, p),
    ("a map would become a set", TENSOR, σ, N),
    ("a map would become itself, its type changed by another replacement", TENSOR, σ, σ),
    ("a set would become another, and a bijection lose an end", TENSOR, N, M),
    ("a set would become itself", TENSOR, N, N),
    ("the point would become another set", TENSOR, POINT, N),
    ("a sum would become a symbol", TENSOR, BOTH, N),
    ("a set would become a map", TENSOR, N, σ),
    ("a fixed map would be a symbol", TENSOR, Map("identity", (N,)), σ),
    ("an inverse would be a symbol of its own", TENSOR, inverse(σ), π),
    ("a number would be a symbol", TENSOR, Op("number", (number(1).node.op.data[0],)), a),
    ("a definition would be a symbol", TENSOR, ONE, a),
    ("a name would be a symbol", TENSOR, "X", a),
]:  # fmt: skip
    misuse("inst", wrong, match, lambda old=old, new=new: k.inst(
        k.reindex("sum", multiply(X, total(S, "j")), "i", σ), {old: new}))  # fmt: skip
misuse("inst", "an axis would come on one side only", SAME,
       lambda: k.inst(k.unfold(ONE), {leaf_of(a): X}))  # fmt: skip
misuse("inst", "an axis would come on one side of a hypothesis only", SAME,
       lambda: k.inst(h(), {leaf_of(a): X}))  # fmt: skip
misuse("inst", "a string axis would be two axes, over two sets", OVER, lambda: k.inst(
    k.hyp(multiply(a, b), multiply(b, a)),
    {leaf_of(a): tensor("U", x=N), leaf_of(b): tensor("V", x=M)}))  # fmt: skip
misuse("inst", "a string axis would be over two sets, one of them in a hypothesis", OVER,
       lambda: k.inst(k.cong(multiply(c, number(1)), [None, one_is_two()]),
                      {leaf_of(a): tensor("U", x=N), leaf_of(c): tensor("V", x=M)}))  # fmt: skip
misuse("inst", "X(i) = Y(i) for all i, of two constants, would be so where there is no i",
       "each axis of the theorem",
       lambda: k.inst(k.hyp(X, Y), {leaf_of(X): number(1), leaf_of(Y): number(2)}))  # fmt: skip
misuse("unfold", "an operator would be its argument", "a definition",
       lambda: k.unfold(Op("opaque", ("g", ((),), ()))))  # fmt: skip
misuse("unfold", "a tensor would be a definition", "a definition", lambda: k.unfold(leaf_of(X)))
misuse("at_at", "an axis that the term lacks would be substituted", "some of the axes",
       lambda: k.at_at(X, {"z": σ("i")}, {}))  # fmt: skip
misuse("at_at", "an axis would be substituted that is gone", "some of the axes",
       lambda: k.at_at(X, {"i": σ("j")}, {"i": "k"}))  # fmt: skip
misuse("at_at", "an index would be of another set", "an index of",
       lambda: k.at_at(X, {"i": ρ("i")}, {}))  # fmt: skip
misuse("at_at", "an axis would vanish with the half of a pair", SAME, lambda: k.at_at(
    X, {"i": Map("fst", (N, M))("t")}, {"t": Map("pair", (N, M))("i", "j")}))  # fmt: skip
ALONE = "yielded axes left alone"
misuse("at_op", "a map would move softmax's own axis inward", ALONE,
       lambda: k.at_op(softmax(S, "j"), {"j": σ("j")}))  # fmt: skip
misuse("at_op", "softmax(S(i, j)) over j at i := σ(j) would be softmax(S(σ(j), j))", ALONE,
       lambda: k.at_op(softmax(S, "j"), {"i": σ("j")}))  # fmt: skip
misuse("at_op", "a diagonal would be taken inside: yielded j with shared i", ALONE,
       lambda: k.at_op(softmax(S, "j"), {"i": "j"}))  # fmt: skip
misuse("at_op", "a diagonal would be taken inside: yielded j as i", ALONE,
       lambda: k.at_op(softmax(S, "j"), {"j": "i"}))  # fmt: skip
misuse("at_op", "two yielded axes would become one", ALONE,
       lambda: k.at_op(delta(N, "i", "j"), {"i": "j"}))  # fmt: skip
misuse("at_op", "a place would be taken inside", ALONE,
       lambda: k.at_op(softmax(S, "j"), {"j": p()}))  # fmt: skip
misuse("at_op", "two substitutions would be exchanged", ALONE,
       lambda: k.at_op(at(X, {"i": σ("i")}), {"i": π("i")}))  # fmt: skip
misuse("at_op", "an axis that the term lacks would be substituted", "some of the axes",
       lambda: k.at_op(total(S, "j"), {"j": σ("j")}))  # fmt: skip
misuse("at_cat", "a map of other sets would select", "index of",
       lambda: k.at_cat(X, "i", Q, "j", Map("inl", (M, N))))  # fmt: skip
misuse("at_cat", "any map would select", "inl, inr or beside",
       lambda: k.at_cat(X, "i", Q, "j", permutation("τ", BOTH)))  # fmt: skip
misuse("at_cat", "an axis of the other part would vanish", SAME,
       lambda: k.at_cat(X, "i", tensor("V", j=M, k=D), "j", Map("inl", (N, M))))  # fmt: skip
misuse("at_cat", "the parts would be exchanged", "index of",
       lambda: k.at_cat(X, "i", Q, "j", Map("beside", (ρ, σ))))  # fmt: skip
misuse("at_equal", "other indices would be equal", "a theorem that says",
       lambda: k.at_equal(X, "i", σ("x"), f("x"), hyp_iota(σ("x"), π("x"))))  # fmt: skip
misuse("at_equal", "indices of another set would be equal", "a theorem that says",
       lambda: k.at_equal(X, "i", "x", "x", hyp_iota("x", "x", M)))  # fmt: skip
misuse("at_equal", "two axes would be equal", SAME,
       lambda: k.at_equal(X, "i", "x", "y", hyp_iota("x", "x")))  # fmt: skip
misuse("at_equal", "any function would be injective", "a theorem that says", lambda: k.at_equal(
    X, "i", σ("i"), f("i"), k.hyp(at(X, {"i": σ("i")}), at(X, {"i": f("i")}))))  # fmt: skip
ONTO = "a bijection onto"
misuse("reindex", "any map would only permute", ONTO, lambda: k.reindex("sum", X, "i", f))
misuse("reindex", "a place would only permute", ONTO, lambda: k.reindex("sum", X, "i", p))
misuse("reindex", "a bijection onto another set would do", ONTO,
       lambda: k.reindex("sum", X, "i", ρ))  # fmt: skip
misuse("reindex", "a bijection from the set would do", ONTO,
       lambda: k.reindex("sum", X, "i", inverse(β)))  # fmt: skip
misuse("reindex", "a reduction over order would be one", "constructor",
       lambda: k.reindex("first", X, "i", σ))  # fmt: skip
misuse("reindex", "5 summed over n would be 5 summed over m, the bijection gone", ONTO,
       lambda: k.reindex("sum", number(5), "j", β))  # fmt: skip
misuse("at_delta", "any map would be injective", "a bijection", lambda: k.at_delta(f))
misuse("at_delta", "an injection would be a bijection", "a bijection",
       lambda: k.at_delta(Map("inl", (N, M))))  # fmt: skip
misuse("sum_delta", "the summed axis would escape", "the same axes",
       lambda: k.sum_delta(S, "j", f("j")))  # fmt: skip
misuse("sum_delta", "the summed axis would escape", "the same axes",
       lambda: k.sum_delta(S, "j", "j"))  # fmt: skip
misuse("sum_delta", "an index would be of another set", "an index of",
       lambda: k.sum_delta(X, "i", ρ("x")))  # fmt: skip


SAID, ALONE_IN = "a theorem about", "nothing else depends on"
misuse(
    "iterate",
    "a layer of which nothing is known would be stacked",
    SAID,
    lambda: k.iterate(
        one_layer(STEP, X, W), leaf_of(X), layer(STEP, X, W), layer(SQUARE, X, W), {}, "l", M
    ),
)
misuse("iterate", "the tokens would move, and the premise says that they do not", SAID,
       lambda: k.iterate(k.trans(one_layer(STEP, X, W), k.sym(one_layer(AGAIN, X, W))), leaf_of(X),
                         layer(STEP, X, W), layer(AGAIN, X, W), {"i": σ("i")}, "l", M))  # fmt: skip
misuse("iterate", "what is known of some tokens would be known of what a layer makes of them",
       ALONE_IN, lambda: k.iterate(
           k.hyp(layer(STEP, X, W), layer(SQUARE, X, W)), leaf_of(X),
           layer(STEP, X, W), layer(SQUARE, X, W), {}, "l", M))  # fmt: skip
misuse("iterate", "weights made of the tokens would change from layer to layer", ALONE_IN,
       lambda: k.iterate(k.trans(one_layer(STEP, X, X), k.sym(one_layer(SQUARE, X, Y))), leaf_of(X),
                         layer(STEP, X, X), layer(SQUARE, X, Y), {}, "l", M))  # fmt: skip
misuse("iterate", "so would they on the right", ALONE_IN,
       lambda: k.iterate(k.trans(one_layer(SQUARE, X, Y), k.sym(one_layer(STEP, X, X))), leaf_of(X),
                         layer(SQUARE, X, Y), layer(STEP, X, X), {}, "l", M))  # fmt: skip


def another_map_in_each_layer() -> Any:
    """g(X(e(l, i)), T(e(l, i))) = g(X, T) at e(l, i) for each l; the stack would take one l of all
    for the tokens, and its own for the weights."""
    e, T = symbol("e", (M, N), N)("l", "i"), Y
    moved = [at(t, {"i": e}) for t in (X, T)]
    there = k.sym(k.at_op(pointwise("g", X, T), {"i": e}))
    fold = k.sym(one_layer(STEP, X, T))
    around = k.cong(at(fold.lhs.rename({0: "i"}), {"i": e}), [fold])
    th = k.trans(k.trans(one_layer(STEP, *moved), there), around)
    sides = layer(STEP, *moved), layer(STEP, X, T)
    return k.iterate(th, leaf_of(X), *sides, {"i": e}, "l", M)


misuse("iterate", str(another_map_in_each_layer.__doc__), ALONE_IN, another_map_in_each_layer)
misuse("iterate", "what is known of 0, 1, … would be known of all tokens", ALONE_IN,
       lambda: k.iterate(
           k.trans(one_layer(STEP, iota(N, "i"), W), k.sym(one_layer(COUNTED, iota(N, "i"), W))),
           iota(N, "i").node.op, layer(STEP, iota(N, "i"), W), layer(COUNTED, iota(N, "i"), W), {},
           "l", M))  # fmt: skip
misuse("iterate", "a definition that cannot take what it yields would be a layer",
       "parts, bound and yielded axes to fit",
       lambda: k.iterate(k.unfold(LAST), leaf_of(ROW), k.unfold(LAST).lhs, k.unfold(LAST).lhs, {},
                         "l", M))  # fmt: skip


def called_by_its_map() -> Any:
    """Σ over an axis named σ(i), where δ(i, σ(i)) reads the name as an index."""
    return k.sum_delta(X.rename({"i": σ("x")}), σ("x"), "x")


def merged_formals() -> Any:
    """f(ΣY, ΣZ) = f(ΣZ, ΣY), from two definitions that become one when n becomes m."""
    xn, xm = tensor("X", i=N), tensor("X", i=M)
    body = pointwise("f", total(xn, "i"), total(xm, "i"))
    first, second = define("D", [xn, xm], body), define("D", [xm, xn], body)
    to = k.inst(k.unfold(first), {leaf_of(xn): slot("Y", N), leaf_of(xm): slot("Z", M)})
    fro = k.inst(k.unfold(second), {leaf_of(xm): slot("Y", M), leaf_of(xn): slot("Z", N)})
    return k.trans(k.sym(k.inst(to, {N: M})), k.inst(fro, {N: M}))


def retyped_in_one_call() -> Any:
    """Σ 1 over n = Σ 1 over q, and b is a map m → n for all m, n and q: the set m becomes q, the
    type of b with it, and b is put back as it was."""
    b = symbol("b", (M,), N, bijective=True)
    th = k.cong(add(total(X, "i"), at(Y, {"i": b("j")})), [k.reindex("sum", X, "i", b), None])
    return k.inst(th, {M: Set("q"), b: b, leaf_of(X): number(1)})


def dropped_with_its_map() -> Any:
    """Σ 1 over n = Σ 1 over m, and σ is a map n → n: the bijection between them goes with the
    instance, and a map of the same name stays."""
    b, other = symbol("b", (M,), N, bijective=True), permutation("b", N)
    reindexed = k.reindex("sum", X, "i", b)
    th = k.cong(add(total(X, "i"), at(Y, {"i": other("i")})), [reindexed, None])
    return k.inst(th, {leaf_of(X): number(1)})


def hidden_bijection() -> Any:
    """Σ 1 over n = Σ 1 over m: the bijection between them goes with the instance."""
    return k.inst(k.reindex("sum", X, "i", β), {leaf_of(X): number(1)})


def hidden_bijection_in_the_middle() -> Any:
    """Σ one(ι) over n = Σ one(ι) over m: the bijection goes in the middle of a chain."""
    first = k.unfold(ONE)
    alike = k.trans(first, k.sym(k.inst(first, {leaf_of(a): b})))
    t, moved = one(iota(N, "j")), at(iota(N, "i"), {"i": β("i")})
    lemma = k.reindex("sum", t, "j", β)
    inward = k.cong(total(at(t, {"j": β("j")}), "j"), [k.at_op(t, {"j": β("j")})])
    forget = k.inst(alike, {leaf_of(a): moved, leaf_of(b): iota(M, "i")})
    return k.trans(lemma, k.trans(inward, k.cong(total(one(moved), "i"), [forget])))


def hidden_place() -> Any:
    """one(X(i)) = two(X(i)) for all i ⊢ 1 = 2: false where there is no i."""
    at_place = {"i": p()}
    there = at(X, at_place)
    both = k.cong(at(one(X), at_place), [k.hyp(one(X), two(X))])
    left = k.trans(k.sym(k.inst(k.unfold(ONE), {leaf_of(a): there})),
                   k.sym(k.at_op(one(X), at_place)))  # fmt: skip
    right = k.trans(k.at_op(two(X), at_place), k.inst(k.unfold(TWO), {leaf_of(a): there}))
    return k.trans(left, k.trans(both, right))


def weakened_hypothesis() -> Any:
    """one(u(b)) = two(u(b)) for all b ⊢ 1 = 2: false where there is no b."""
    return k.inst(one_is_two(), {leaf_of(a): tensor("u", b=M)})


def lost_axis() -> Any:
    """one(Y(i)) = two(Y(i)) for all i ⊢ g(c, 1) = g(c, 2), from the same for g(X(i), ·)."""
    w, v = tensor("w"), tensor("v")
    sides = []
    for word, value in ((one, 1), (two, 2)):
        whole = define("whole", [w, v], pointwise("g", w, number(value)))
        inner = k.inst(k.unfold(ONE if value == 1 else TWO), {leaf_of(a): v})
        used = k.trans(k.cong(pointwise("g", w, word(v)), [None, inner]), k.sym(k.unfold(whole)))
        to = {leaf_of(w): X, leaf_of(v): Y}
        sides.append((k.inst(used, to), k.inst(k.unfold(whole), to)))
    (ones, first), (twos, second) = sides
    middle = k.cong(pointwise("g", X, one(Y)), [None, k.hyp(one(Y), two(Y))])
    chain = [k.sym(first), k.sym(ones), middle, twos, second]
    th = chain[0]
    for link in chain[1:]:
        th = k.trans(th, link)
    return k.inst(th, {leaf_of(X): c})


for rule, attack in {
    "sum_delta": called_by_its_map,
    "unfold": merged_formals,
    "inst": hidden_bijection,
    "inst   ": retyped_in_one_call,
    "inst    ": dropped_with_its_map,
    "trans": hidden_bijection_in_the_middle,
    "trans ": hidden_place,
    "inst ": weakened_hypothesis,
    "inst  ": lost_axis,
}.items():
    misuse(rule.strip(), str(attack.__doc__), "given .* expected", attack)


@pytest.mark.parametrize(
    ("match", "call"),
    [pytest.param(m, f, id=f"{rule}: {wrong}") for rule, wrong, m, f in MISUSES],
)
def test_misuse_is_rejected(match: str, call: Callable[[], Any]) -> None:
    """A side condition of the rule would not be checked: a false theorem would be issued."""
    with pytest.raises(ShapeError, match=match):
        call()


def test_cong_keeps_hypotheses_given_by_an_iterator() -> None:
    """The premises would be read once and their hypotheses lost: a = b ⊢ exp a = exp b."""
    assert k.cong(exp(a), iter([h()])).hyps == h().hyps


def rules() -> set[str]:
    """Every public function of the kernel that returns a theorem."""
    public = {n: f for n, f in vars(k).items() if callable(f) and not n.startswith("_")}
    own = {n: f for n, f in public.items() if getattr(f, "__module__", "") == k.__name__}
    return {
        n for n, f in own.items()
        if not isinstance(f, type) and get_type_hints(f).get("return") is Theorem
    }  # fmt: skip


def test_every_rule_has_a_misuse_and_no_other_has() -> None:
    """A rule would have come in without a planted misuse."""
    assert rules() == {rule for rule, *_ in MISUSES}
    assert len(rules()) == 15


def test_the_door_knows_its_own() -> None:
    """A theorem would be accepted that the kernel did not issue."""
    th = k.unfold(ONE)
    assert k.is_theorem(th)
    assert not any(map(k.is_theorem, [*forgeries(), None, (th.lhs, th.rhs)]))
    with pytest.raises(dataclasses.FrozenInstanceError):
        th.rhs = number(2)  # type: ignore[misc]


def node(op: Op, args: tuple[Term, ...], *sets: Set, maps: tuple[Map, ...] = ()) -> Term:
    """A term of a node that was not built, its axes named by its slots."""
    made = Node(op, args, sets, frozenset(maps), -1)
    return Term(made, tuple(range(len(sets))))


SUM, G = Op("reduce", ("sum", N)), symbol("g", (M,), N)
MADE: dict[str, Callable[[], Term]] = {
    "a tensor over another set": lambda: node(leaf_of(X), (), M),
    "a tensor without its axis": lambda: node(leaf_of(X), ()),
    "a tensor with an axis too many": lambda: node(leaf_of(X), (), N, N),
    "a sum over the axis of another set": lambda: node(SUM, (Q.rename({"j": -1}),)),
    "a sum of two parts": lambda: node(SUM, (Term(X.node, (-1,)), Term(X.node, (-1,)))),
    "a sum that binds two axes": lambda: node(SUM, (Term(S.node, (-1, -2)),)),
    "a sum that shares an axis over another set": lambda: node(SUM, (Term(S.node, (0, -1)),), M),
    "a sum without the axis that it shares": lambda: node(SUM, (Term(S.node, (0, -1)),)),
    "a sum with a shared axis of no part": lambda: node(SUM, (Term(X.node, (-1,)),), N),
    "an axis of a part that is yielded": lambda: node(
        Op("cat", (N, M)), (Term(S.node, (0, -1)), Term(Q.node, (-1,))), BOTH),
    "an axis of a part that has a name": lambda: node(SUM, (X,)),
    "a map that is forgotten": lambda: node(
        at(X, {"i": G("j")}).node.op, (Term(X.node, (-1,)),), M),
    "a map that is forgotten of a part in a list": lambda: Term(
        Node(Op("reduce", ("sum", M)), [at(X, {"i": G("j")}).rename({"j": -1})], (),  # type: ignore
             frozenset(), -1), ()),
    "a map that is not there": lambda: node(leaf_of(X), (), N, maps=(G,)),
    "a part that was not built": lambda: exp(node(leaf_of(X), (), M)),
    "a definition that was not built": lambda: node(
        Op("apply", ("D", (leaf_of(X),), node(leaf_of(X), (), M).node)), (Term(X.node, (-1,)),), M),
}  # fmt: skip


@pytest.mark.parametrize("wrong", MADE)
def test_the_door_checks_the_terms_themselves(wrong: str) -> None:
    """A term that means nothing would be in a theorem, if a mistake in `build` let it through;
    or be let through the second time, because it was looked at before."""
    for _ in range(2):
        with pytest.raises(ShapeError, match="parts that fit its signature"):
            k.hyp(MADE[wrong](), MADE[wrong]())
        made = MADE[wrong]()
        for _ in range(2):
            with pytest.raises(ShapeError, match="parts that fit its signature"):
                k.hyp(made, made)


def test_the_door_takes_what_was_built_by_hand_and_is_right() -> None:
    """The terms of the test before would be refused because they were not built, and for no other
    reason."""
    sound = node(SUM, (Term(S.node, (0, -1)),), N)
    assert k.is_theorem(k.hyp(sound, sound))
    moved = node(at(X, {"i": G("j")}).node.op, (Term(X.node, (-1,)),), M, maps=(G,))
    assert k.is_theorem(k.hyp(moved, moved))


def test_the_door_finds_what_a_build_without_types_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The door would repeat the checks of `build`: it would be blind where that is."""
    monkeypatch.setattr(terms, "typed", lambda what, uses: dict(uses))
    wrong = pointwise("door", X, Q.rename({"j": "i"}))
    monkeypatch.undo()
    with pytest.raises(ShapeError, match="parts that fit its signature"):
        k.hyp(wrong, wrong)
    with pytest.raises(ShapeError, match="parts that fit its signature"):
        k.cong(exp(wrong), [None])


def test_equation_wants_the_same_axes() -> None:
    """Two functions of different axes would be called equal."""
    with pytest.raises(ShapeError, match=SAME):
        k.equation(X, X.rename({"i": "j"}))
    assert k.equation(X, Y) == k.equation(X.rename({"i": "j"}), Y.rename({"i": "j"}))


def test_size_zero_and_law_are_part_of_the_check() -> None:
    """The comparison with the meaning would not see empty sets."""
    none = Theorem(frozenset(), reduce("sum", X, "i"), reduce("sum", Y, "i"), "ring", "", ())
    assert counterexample(none, Random(0), tries=20)
    empty = Theorem(frozenset(), pointwise("f", size(N)), pointwise("f", number(0)), "perm", "", ())
    assert counterexample(empty, Random(0), tries=20)


SCRIPT = """
import sys
from tests.symbolic.calculus.test_kernel import MISUSES
from orderproof.symbolic.calculus.terms import ShapeError
through = []
for rule, wrong, _, call in MISUSES:
    try:
        call()
    except ShapeError:
        continue
    through.append(f"{rule}: {wrong}")
print(sys.flags.optimize, len(MISUSES), through)
sys.exit(bool(through) or not sys.flags.optimize)
"""


def test_guards_hold_without_assert_statements() -> None:
    """A guard would be an assert statement, which vanishes under python -O."""
    run = [sys.executable, "-O", "-c", SCRIPT]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_kernel_begins_with_the_list_of_its_rules() -> None:
    """Who reads the first lines would miss a rule, or look for one that is not there."""
    listed = re.findall(r"^    (\w+(?:, \w+)*)   ", k.__doc__ or "", re.MULTILINE)
    tree = ast.parse(Path(k.__file__).read_text("utf-8"))
    rules = [f for f in tree.body if isinstance(f, ast.FunctionDef) and f.name != "_issue"]
    issuing = [f.name for f in rules if "_issue(" in ast.unparse(f)]
    assert ", ".join(listed).split(", ") == issuing and len(issuing) == 15
