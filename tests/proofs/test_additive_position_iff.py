"""additive_position_iff: the explicit witness by hand, and hypotheses left out."""

from __future__ import annotations

from itertools import permutations
from math import exp

import pytest

from orderproof.check.claims import Atom
from orderproof.proofs.added_and_biases.added_tables import U_V
from orderproof.proofs.added_and_biases.not_equivariant_of_moved_position_table import witnesses
from orderproof.symbolic.models.builders import number
from tests.judged import loaded, ok


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


def test_values_that_are_all_0_show_nothing() -> None:
    """The chain would show that outputs differ although all values are 0. (The thirteen falsehoods
    are this claim without the other hypothesis, and the claim itself is one of theirs.)"""
    claim = loaded("additive_position_iff").claims[1]
    smt, given = claim.marks["smt"], claim.statement.given
    nothing = {a if a.lhs != U_V else Atom(U_V, "=", number(0)) for a in given}
    assert nothing != given and ok(smt, claim.stating(given=frozenset(nothing))) is not True


def test_every_permutation_of_four_is_among_the_witnesses() -> None:
    """Some σ ≠ 1 would be left out of the exact check."""
    for table, (_, found) in zip(((0, 1, 2, 3), (0, 0, 1, 2)), witnesses(), strict=True):
        outside = {
            s
            for size in (2, 3, 4)
            for s in permutations(range(size))
            if [table[k] for k in s] != [*table[:size]]
        }
        assert {w.maps["sigma"] for w in found} == outside


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
