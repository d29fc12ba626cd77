"""score_bias_iff: its obligations made false, and every permutation outside the group by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from math import exp

import pytest
import z3

from orderproof.proofs.score_bias_iff import SHOWN, theorem, witnesses
from orderproof.symbolic.induction import sum_is_order_blind
from orderproof.symbolic.score_biases import E_OF, outside_the_group

OBLIGATIONS = outside_the_group()[len(sum_is_order_blind()) :]


def test_obligations() -> None:
    """An obligation would be true of anything."""
    for o in OBLIGATIONS:
        assert o.check() is True
        assert replace(o, goal=z3.Not(o.goal)).check() is False, o.name


def test_obligations_need_what_they_assume() -> None:
    """The rows could differ by a constant, or the weight function be constant, and it would hold
    all the same."""
    by_name = {o.name: o for o in OBLIGATIONS}
    constant = by_name["constant_gain"]
    assert replace(constant, assume=constant.assume[1:]).check() is False  # no maximum at k
    flat = by_name["larger_gain"]
    x = z3.Real("x")
    gain, _, same = flat.assume
    assert replace(flat, assume=(gain, same, E_OF(x) == 1)).check() is not True
    more = by_name["more_weight"]
    assert replace(more, assume=more.assume[:2] + more.assume[4:]).check() is False


@pytest.mark.parametrize(("name", "sizes"), SHOWN)
def test_every_permutation_outside_is_shown(name: str, sizes: tuple[int, ...]) -> None:
    """Some σ outside the group would have no witness, or one inside would have one."""
    for n in sizes:
        bias = {
            "alibi": lambda i, j: exp(-abs(i - j)),
            "window": lambda i, j: float(abs(i - j) <= 1),
            "causal": lambda i, j: float(j <= i),
        }[name]
        g = [[bias(i, j) for j in range(n)] for i in range(n)]
        outside = {
            s
            for s in permutations(range(n))
            if any(g[s[i]][s[j]] != g[i][j] for i in range(n) for j in range(n))
        }
        assert {w.maps["sigma"] for w in witnesses(name, (n,))} == outside
        for w in witnesses(name, (n,)):
            assert sorted(w.tensors["X"]) == [*[[0]] * (n - 1), [1]]


def test_claims() -> None:
    """One of the two directions would be missing, or its mark."""
    kinds = [(c.kind, sorted(c.marks)) for c in theorem().claims]
    assert kinds[:3] == [
        ("equality", ["kernel", "numeric", "sympy"]),
        ("row constants", ["numeric", "smt", "sympy"]),
        ("iff, only if", ["smt"]),
    ]
    assert kinds[3:] == [("exists", ["exact", "numeric"])] * len(SHOWN)
