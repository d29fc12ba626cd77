"""If and only if: halves that fit, hypotheses that are needed, and choices that show a table."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product
from math import exp, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from orderproof.check.claims import Atom
from orderproof.proofs.added_and_biases import not_equivariant_of_moved_position_table as tables
from orderproof.proofs.added_and_biases import not_equivariant_of_score_bias as biases
from orderproof.proofs.added_and_biases.added_tables import U_V
from orderproof.proofs.added_and_biases.normed_position_iff import normed_tables, one_feature
from orderproof.proofs.added_and_biases.score_bias import OnlyIf, halves
from orderproof.proofs.added_and_biases.score_bias_iff import one_head
from orderproof.proofs.added_and_biases.score_bias_iff_of_heads import several_heads
from orderproof.proofs.added_and_biases.score_bias_iff_of_layers import two_layers
from orderproof.symbolic.models.builders import number
from orderproof.symbolic.statements.logic import LogicError, iff
from orderproof.symbolic.statements.statement import sizes
from tests.judged import loaded, mark, ok

MODELS = {"": one_head, "_of_heads": several_heads, "_of_layers": two_layers}
each_model = pytest.mark.parametrize(
    "suffix", [pytest.param(s, marks=pytest.mark.slow if s else ()) for s in MODELS]
)
Array = NDArray[np.float64]


# ---------------------------------------------------------------------- biases added to the scores
@each_model
def test_halves_make_an_iff_and_need_what_is_given(suffix: str) -> None:
    """One direction would be about other sizes, or not about the opposite, or its evidence about
    something else; or a half would be green for a bias that is negative, 0 in a row, kept (or not),
    or with no features; or for one X alone."""
    model, claims = MODELS[suffix](), loaded(f"score_bias_iff{suffix}").claims[:2]
    one, other = (claim.statement for claim in claims)
    both = iff(one, other)
    assert both.condition == model.bias.kept and both.every == frozenset(model.instead)
    for bound in other.sizes.least:
        fewer = replace(other.sizes, least=other.sizes.least - {bound})
        for wrong in ((one, replace(other, sizes=fewer)), (replace(one, sizes=fewer), other)):
            with pytest.raises(LogicError, match="the sizes are not the same"):
                iff(*wrong)
    for claim in claims:
        s, check = claim.statement, claim.marks["smt"]
        assert mark(check, claim).settles
        # No size is needed where the bias is kept.
        assert ok(check, claim.stating(sizes=sizes())) is (s is one)
        less = [claim.stating(given=s.given - {a}) for a in s.given]
        less += [claim.stating(exists=s.exists - {x}) for x in s.exists]
        assert [ok(check, false) for false in less] == [False] * len(less)


@each_model
def test_no_features_show_nothing(suffix: str) -> None:
    """What is shown would not depend on there being a feature."""
    empty = replace(MODELS[suffix](), over=sizes())
    assert OnlyIf(empty)(halves(empty, "r")[1].statement).ok is not True


@pytest.mark.parametrize("name", biases.SHOWN)
def test_every_permutation_outside_a_group_is_shown(name: str) -> None:
    """Some σ outside the group would have no witness, or one inside would have one."""
    bias = {
        "alibi": lambda i, j: exp(-abs(i - j)),
        "window": lambda i, j: float(abs(i - j) <= 1),
        "causal": lambda i, j: float(j <= i),
    }[name]
    for n in biases.SHOWN[name][0]:
        found, pairs = [*biases.witnesses(name, (n,))], [*product(range(n), repeat=2)]
        assert {w.maps["sigma"] for w in found} == {
            s
            for s in permutations(range(n))
            if any(bias(s[i], s[j]) != bias(i, j) for i, j in pairs)
        }
        assert all(sorted(w.tensors["X"]) == [*[[0]] * (n - 1), [1]] for w in found)


# ------------------------------------------------------------------------ tables added to the rows
def test_values_that_are_all_0_show_nothing() -> None:
    """The chain would show that outputs differ although all values are 0."""
    claim = loaded("additive_position_iff").claims[1]
    given = claim.statement.given
    nothing = {a if a.lhs != U_V else Atom(U_V, "=", number(0)) for a in given}
    false = claim.stating(given=frozenset(nothing))
    assert nothing != given and ok(claim.marks["smt"], false) is not True


def test_every_permutation_that_moves_a_table_is_shown() -> None:
    """Some σ ≠ 1 would be left out of the exact check."""
    for table, (_, found) in zip(((0, 1, 2, 3), (0, 0, 1, 2)), tables.witnesses(), strict=True):
        assert {w.maps["sigma"] for w in found} == {
            s
            for n in (2, 3, 4)
            for s in permutations(range(n))
            if [table[k] for k in s] != [*table[:n]]
        }


# ------------------------------------------------------------------------------ after a layer norm
def outputs(x: Array, table: Array, gain: list[float], feature: int, scale: float) -> list[float]:
    """What a head that reads one feature makes of the layer norm of x + E, ε = 1/2 and bias 1."""
    column = []
    for row in x + table:
        away = [v - sum(row) / len(row) for v in row]
        divisor = sqrt(sum(v * v for v in away) / len(row) + 0.5)
        column.append(gain[feature] * away[feature] / divisor + 1)
    found = []
    for q in column:
        shares = [exp(scale * q * k) for k in column]
        found.append(sum(s * v for s, v in zip(shares, column, strict=True)) / sum(shares))
    return found


def seen(first_row: list[float], gain: list[float]) -> list[bool]:
    """Of each choice for the swap of two tokens, whether f(P X) and P f(X) differ, where the other
    row of the table is 0."""
    swap, table = [1, 0], np.array([first_row, [0.0, 0.0, 0.0]])
    differ = []
    for chosen in one_feature({"n": 2, "d": 3, "d_k": 1, "d_v": 1}, {"sigma": swap}, {"E": table}):
        read = gain, int(np.argmax(chosen["W_V"][:, 0])), float(chosen["W_Q"].sum())
        after, before = (outputs(x, table, *read) for x in (chosen["X"][swap], chosen["X"]))
        differ.append(max(abs(a - before[s]) for a, s in zip(after, swap, strict=True)) > 1e-3)
    return differ


def test_one_gain_is_enough_and_one_is_needed() -> None:
    """The hypothesis on the gains would be more than is needed, or less. The rows differ by
    (0, 1, −1) and its negative, which are at their mean in the feature whose gain is not 0: v = 0
    does not show it there, and v that is 1 in this feature does."""
    row = [0.0, 1.0, -1.0]
    shown = seen(row, [1, 0, 0])
    assert shown[:2] == [False, False] and any(shown[2:4])
    assert not any(seen(row, [0, 0, 0]))
    assert all(any(seen(row, gain)) for gain in ([0, 1, 0], [0, 0, 1], [1, 1, 1]))


def test_what_is_constant_on_rows_is_not_seen() -> None:
    """A table with equal columns, P E ≠ E, would be seen; or the choices would show nothing."""
    assert not any(seen([2.0, 2.0, 2.0], [1, 1, 1])) and any(seen([2.0, 0.0, 0.0], [1, 1, 1]))


def test_gains_and_tables_of_both_kinds_are_drawn() -> None:
    """The hypotheses of a claim would never be tried where they fail."""
    rng = np.random.default_rng(0)
    drawn = [normed_tables(rng, {"n": 2, "d": 2}, {}) for _ in range(60)]
    changes = [bool(np.ptp(t["E"][0] - t["E"][1])) for t in drawn]
    assert {bool(t["gamma"].any()) for t in drawn} == {True, False}
    assert 15 <= changes.count(True) <= 45  # the others are constant on rows
