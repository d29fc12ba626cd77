"""Inward: a selection goes through a term to the tensors, and the result is a theorem."""

from typing import Any

import numpy as np
import pytest

from orderproof.symbolic.calculus.kernel import Theorem, equation, is_theorem
from orderproof.symbolic.calculus.terms import Map, Set, Term, at, reachable
from orderproof.symbolic.derive.select import inward
from orderproof.symbolic.models.attention import attention, softmax
from orderproof.symbolic.models.builders import (
    add,
    cat,
    constant,
    contract,
    moved,
    multiply,
    permutation,
    tensor,
    total,
)
from orderproof.symbolic.readings.numpy_arrays import Floats, arrays

N, M, D = Set("n"), Set("m"), Set("d")
ONE = Set("1")
X, Y, V = tensor("X", i=N, c=D), tensor("Y", j=M, c=D), tensor("V", j=M, r=D)
σ, τ = permutation("sigma", N), permutation("tau", N)
q = constant("q", N)
SIZES = {"n": 4, "m": 3, "d": 2}
MAPS = {"sigma": [1, 2, 0, 3], "tau": [3, 0, 1, 2], "q": 2}


def value(t: Term) -> Any:
    """The array of a term with random tensors, the same for both sides of a theorem."""
    leaves = {n.op for n in reachable(t.node) if n.op.kind == "leaf"}
    leaves |= {x.node.op for x in (X, Y, V)}
    found = {}
    for op in sorted(leaves, key=lambda op: str(op.data[0])):
        shape = [SIZES.get(s.name, 1) for s in op.data[1]]
        seed = sum(map(ord, op.data[0]))
        found[op.data[0]] = np.random.default_rng(seed).normal(size=shape)
    return arrays(t, SIZES, MAPS, found, Floats(np.float64))


def true(th: Theorem, t: Term) -> None:
    """A theorem about t, both sides of which have the same values."""
    assert is_theorem(th)
    assert th.lhs.node is t.node
    assert not th.hyps
    left, right = value(th.lhs), value(th.rhs.rename({}))
    order = [th.rhs.axes.index(a) for a in th.lhs.axes]
    np.testing.assert_allclose(left, np.transpose(right, order), rtol=1e-12)


def test_one_query_of_attention_is_attention_of_one_query() -> None:
    """Selecting a row of the output would not be computing with that query alone."""
    t = at(attention(X, Y, V, "j", "c"), {"i": q()})
    th = inward(t)
    true(th, t)
    one = attention(at(X, {"i": q()}), Y, V, "j", "c")
    assert (th.lhs, th.rhs) == equation(t, one)
    other = attention(X, Y, V, "j", "c")
    assert th.rhs.node is not other.node
    assert not np.allclose(value(th.rhs), value(other)[0])  # the twin: another query's row


def test_the_last_token_is_selected_through_cat() -> None:
    """The token appended last would not be the one found at the last place."""
    last = tensor("L", k=ONE, c=D)
    both = cat(X.rename({"i": "t"}), last.rename({"k": "t"}), "t")
    for m, inner, part in (
        (Map("inr", (N, ONE)), "k", last),
        (Map("inl", (N, ONE)), "i", X),
    ):
        t = at(both, {"t": m(inner)})
        th = inward(t)
        true(th, t)
        assert (th.lhs, th.rhs) == equation(t, part)


def test_a_selection_goes_through_cat_inside_attention() -> None:
    """One query of a sequence with an appended token would not be found."""
    last = tensor("L", k=ONE, c=D)
    tokens = cat(X.rename({"i": "t"}), last.rename({"k": "t"}), "t")
    point = constant("p", ONE)
    t = at(attention(tokens, Y, V, "j", "c"), {"t": Map("inr", (N, ONE))(point())})
    MAPS["p"] = 0
    th = inward(t)
    true(th, t)
    one = attention(at(last, {"k": point()}), Y, V, "j", "c")
    assert (th.lhs, th.rhs) == equation(t, one)


def test_a_permutation_goes_part_by_part_through_cat() -> None:
    """f + g on a joined axis would act with f on the right part."""
    both = cat(X.rename({"i": "s"}), X.rename({"i": "s"}), "s")
    t = moved(both, s=Map("beside", (σ, τ)))
    th = inward(t)
    true(th, t)
    right = cat(moved(X, i=σ).rename({"i": "s"}), moved(X, i=τ).rename({"i": "s"}), "s")
    assert (th.lhs, th.rhs) == equation(t, right)
    wrong = cat(moved(X, i=τ).rename({"i": "s"}), moved(X, i=σ).rename({"i": "s"}), "s")
    assert not np.allclose(value(t), value(wrong))


@pytest.mark.parametrize("side", ["inl", "inr"])
def test_a_part_that_lacks_an_axis_of_the_other_stays_selected(side: str) -> None:
    """The part alone would not have all axes of what is selected, which the kernel refuses."""
    row, all_rows = tensor("R", s=ONE), tensor("L", s=ONE, c=D)
    lacking = [row, all_rows] if side == "inl" else [all_rows, row]
    t = at(cat(*lacking, "s"), {"s": Map(side, (ONE, ONE))("k")})
    th = inward(t)
    true(th, t)
    assert th.rhs.node.op.kind == "at"


def test_two_maps_become_one() -> None:
    """Two substitutions would not be merged, or in the wrong order (P_σ P_τ = P_{τ∘σ})."""
    t = moved(moved(X, i=τ), i=σ)
    th = inward(t)
    true(th, t)
    assert (th.lhs, th.rhs) == equation(t, at(X, {"i": τ(σ("i"))}))
    assert not np.allclose(value(t), value(at(X, {"i": σ(τ("i"))})))
    undone = moved(moved(X, i=Map("inverse", (σ,))), i=σ)
    assert inward(undone).rhs.node is X.node


def test_the_axis_of_a_softmax_stays_outside() -> None:
    """A selection of a softmax's own axis would be moved inside it: that is another value."""
    S = contract(X, Y, "c")
    t = at(softmax(S, "j"), {"j": constant("p", M)()})
    MAPS["p"] = 0
    th = inward(t)
    true(th, t)
    assert th.rhs.node.op.kind == "at"


@pytest.mark.usefixtures("small_stack")
@pytest.mark.parametrize("depth", [250, pytest.param(1500, marks=pytest.mark.slow)])
def test_depth_is_no_limit(depth: int) -> None:
    """A deep term would exceed the recursion limit."""
    t = X
    for _ in range(depth):
        t = add(t, X)
    th = inward(at(t, {"i": q()}))
    assert is_theorem(th)
    assert not any(n.op.kind == "at" and n.args[0].node.args for n in reachable(th.rhs.node))


@pytest.mark.parametrize(
    "t",
    [
        X,
        moved(X, i=σ),
        total(multiply(moved(X, i=σ), X), "c"),
        at(contract(X, X.rename({"i": "k"}), "c"), {"k": "i"}),
    ],
)
def test_what_is_inward_already_stays(t: Term) -> None:
    """A finished term would be changed, or not be equal to itself."""
    th = inward(t)
    true(th, t)
    assert inward(th.rhs).rhs == th.rhs
