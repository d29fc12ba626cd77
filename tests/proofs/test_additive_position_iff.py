"""additive_position_iff: the explicit witness by hand, and its obligations made false."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from math import exp

import pytest
import z3

from orderproof.proofs.additive_position_iff import theorem, witnesses
from orderproof.symbolic.additive_tables import E_OF, outside_the_group
from orderproof.symbolic.induction import sum_is_order_blind


def attention(t: list[float]) -> list[float]:
    """Attention of scalar tokens, all weights 1."""
    rows = [[exp(q * k) for k in t] for q in t]
    return [sum(w * v for w, v in zip(row, t, strict=True)) / sum(row) for row in rows]


@pytest.mark.parametrize("table", [[0.0, 1.0, 2.5, -1.0], [0.0, 0.0, 1.0, 1.0], [3.0] * 4])
def test_the_witness_shows_exactly_what_moves_the_table(table: list[float]) -> None:
    """X = −PᵀE would not show some σ that moves E, or would show one that does not."""
    n = len(table)
    for s in permutations(range(n)):
        back = {s[i]: i for i in range(n)}
        x = [-table[back[i]] for i in range(n)]
        left = attention([x[s[i]] + table[i] for i in range(n)])
        inner = attention([x[i] + table[i] for i in range(n)])
        right = [inner[s[i]] for i in range(n)]
        assert left == [0.0] * n
        moves = any(table[s[i]] != table[i] for i in range(n))
        delta = [table[s[i]] - table[i] for i in range(n)]
        assert (max(right) > 1e-9) == moves
        if moves:
            assert [-v for v in right][delta.index(max(delta))] != 0


def test_obligations() -> None:
    """An obligation would be true of anything, or hold of a constant weight function."""
    proofs = outside_the_group()[len(sum_is_order_blind()) :]
    assert all(o.check() is True for o in proofs)
    for o in proofs:
        assert replace(o, goal=z3.Not(o.goal)).check() is False
    gain = next(o for o in proofs if o.name == "gain")
    x = z3.Real("x")
    constant = replace(gain, assume=(E_OF(x) == 1, E_OF(0) == 1, z3.Real("M") > 0))
    assert constant.check() is not True


def test_every_permutation_of_four_is_among_the_witnesses() -> None:
    """Some σ ≠ 1 would be left out of the exact check."""
    seen = {w.maps["sigma"] for w in witnesses()}
    assert seen == {s for n in (2, 3, 4) for s in permutations(range(n)) if s != tuple(range(n))}
    assert [c.kind for c in theorem().claims] == [
        "equality", "iff, only if", "equality", "exists", "equality", "uniform weights",
        "centred rows",
    ]  # fmt: skip


def test_a_constant_weight_function_shows_nothing_and_span_of_ones_is_not_seen() -> None:
    """The two ways in which a table that moves is not seen would not be what is said."""
    x, table, s = [[1.0, 4.0], [2.0, -1.0]], [[0.0, 0.0], [3.0, 3.0]], (1, 0)
    sides = [
        [[a + b for a, b in zip(x[i], table[k], strict=True)] for k, i in enumerate(order)]
        for order in (s, (0, 1))
    ]
    means = [[sum(column) / 2 for column in zip(*rows, strict=True)] for rows in sides]
    assert means[0] == means[1]
    centred = [[[v - sum(row) / 2 for v in row] for row in rows] for rows in sides]
    assert sides[0] != [sides[1][i] for i in s] and centred[0] == [centred[1][i] for i in s]
    claims = {c.kind: c for c in theorem().claims}
    for kind in ("uniform weights", "centred rows"):
        smt = claims[kind].marks["smt"]
        assert smt(claims[kind])[0] is True
        assert smt(replace(claims[kind], rhs=claims[kind].lhs))[0] is False
