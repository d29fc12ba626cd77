"""normed_position_iff: its halves, and the tokens that show a table by hand."""

from __future__ import annotations

from math import exp, sqrt

import numpy as np
from numpy.typing import NDArray

from orderproof.proofs.added_and_biases.normed_position_iff import (
    CHOSEN,
    SOME_GAIN,
    normed_tables,
    one_feature,
)
from orderproof.proofs.added_and_biases.normed_rows import CONSTANT
from orderproof.symbolic.statements.logic import iff
from tests.judged import loaded

SIZES = {"n": 2, "d": 3, "d_k": 1, "d_v": 1}
Array = NDArray[np.float64]


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


def seen(table: Array, gain: list[float]) -> list[bool]:
    """Of each choice for the swap of two tokens, whether f(P X) and P f(X) differ."""
    swap = [1, 0]
    given = {"E": table}
    differ = []
    for chosen in one_feature(SIZES, {"sigma": swap}, given):
        feature = int(np.argmax(chosen["W_V"][:, 0]))
        scale = float(chosen["W_Q"].sum())
        x = chosen["X"]
        after = outputs(x[swap], table, gain, feature, scale)
        before = outputs(x, table, gain, feature, scale)
        differ.append(max(abs(a - before[s]) for a, s in zip(after, swap, strict=True)) > 1e-3)
    return differ


def test_the_halves_make_an_iff() -> None:
    """The two sentences of the title would be about other sizes, gains or symbols."""
    if_constant, only_if, _ = loaded("normed_position_iff").claims
    whole = iff(if_constant.statement, only_if.statement)
    assert (whole.condition, whole.every) == (CONSTANT, CHOSEN)
    assert SOME_GAIN in whole.given and len(whole.given) == 2


def test_one_gain_is_enough_and_one_is_needed() -> None:
    """The hypothesis on the gains would be more than is needed, or less. The rows differ by
    (0, 1, −1) and its negative, which are at their mean in the feature whose gain is not 0: v = 0
    does not show it there, and v that is 1 in this feature does."""
    table = np.array([[0.0, 1.0, -1.0], [0.0, 0.0, 0.0]])
    shown = seen(table, [1, 0, 0])
    assert shown[:2] == [False, False] and any(shown[2:4])
    assert not any(seen(table, [0, 0, 0]))
    assert all(any(seen(table, gain)) for gain in ([0, 1, 0], [0, 0, 1], [1, 1, 1]))


def test_what_is_constant_on_rows_is_not_seen() -> None:
    """A table with equal columns, P E ≠ E, would be seen; or the choices would show nothing."""
    assert not any(seen(np.array([[2.0, 2.0, 2.0], [0.0, 0.0, 0.0]]), [1, 1, 1]))
    assert any(seen(np.array([[2.0, 0.0, 0.0], [0.0, 0.0, 0.0]]), [1, 1, 1]))


def test_gains_and_tables_of_both_kinds_are_drawn() -> None:
    """The hypotheses of a claim would never be tried where they fail."""
    rng = np.random.default_rng(0)
    drawn = [normed_tables(rng, {"n": 2, "d": 2}, {}) for _ in range(60)]
    assert {bool(t["gamma"].any()) for t in drawn} == {True, False}
    changes = [t["E"][0] - t["E"][1] for t in drawn]
    assert {bool(np.ptp(change)) for change in changes} == {True, False}
