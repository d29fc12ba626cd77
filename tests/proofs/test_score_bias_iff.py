"""score_bias_iff: both halves for every size, and every permutation outside the group by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from math import exp

import pytest

from orderproof.check.claims import Witness
from orderproof.check.marks.exact import exact_entries
from orderproof.proofs.added_and_biases.not_equivariant_of_score_bias import SHOWN, witnesses
from orderproof.proofs.added_and_biases.score_bias import Model, OnlyIf, halves, put
from orderproof.proofs.added_and_biases.score_bias_iff import one_head
from orderproof.proofs.added_and_biases.score_bias_iff_of_heads import several_heads
from orderproof.proofs.added_and_biases.score_bias_iff_of_layers import two_layers
from orderproof.symbolic.statements.logic import LogicError, iff
from orderproof.symbolic.statements.statement import sizes
from tests.judged import loaded, mark, ok

MODELS = {"": one_head, "_of_heads": several_heads, "_of_layers": two_layers}


@pytest.mark.slow
@pytest.mark.parametrize("suffix", MODELS)
def test_halves_make_an_iff_and_need_what_is_given(suffix: str) -> None:
    """One direction would be about other sizes, or not about the opposite, or its evidence about
    something else; or a half would be green for a bias that is negative, 0 in a row, kept (or not),
    or with no features; or for one X alone."""
    model, theorem = MODELS[suffix](), loaded(f"score_bias_iff{suffix}")
    if_kept, only_if = theorem.claims[:2]
    both = iff(if_kept.statement, only_if.statement)
    assert both.condition == model.bias.kept and both.every == frozenset(model.instead)
    with pytest.raises(LogicError, match="sizes"):
        iff(if_kept.statement, replace(only_if.statement, sizes=sizes()))
    for claim in (if_kept, only_if):
        s, check = claim.statement, claim.marks["smt"]
        assert mark(check, claim).settles
        # No size is needed where the bias is kept.
        assert ok(check, claim.stating(sizes=sizes())) is (claim is if_kept)
        for a in s.given:
            assert ok(check, claim.stating(given=s.given - {a})) is False
    exists = only_if.statement.exists
    for x in exists:
        assert ok(only_if.marks["smt"], only_if.stating(exists=exists - {x})) is False


@pytest.mark.parametrize(
    "model", [one_head, *(pytest.param(m, marks=pytest.mark.slow) for m in [*MODELS.values()][1:])]
)
def test_no_features_show_nothing(model: Callable[[], Model]) -> None:
    """What is shown would not depend on there being a feature."""
    empty = replace(model(), over=sizes())
    assert OnlyIf(empty)(halves(empty, "r")[1].statement).ok is not True


def test_what_is_shown_by_hand() -> None:
    """The units and weights would not show entries of the bias, its rows divided by their sums."""
    model = one_head()
    g = [[Fraction(v) for v in row] for row in ((1, 2, 1), (3, 0, 1), (1, 1, 5))]
    shares = [[v / sum(row) for v in row] for row in g]
    for s, q in product(permutations(range(3)), range(3)):
        w = Witness({"n": 3, "d": 2, "d_k": 1, "d_v": 1}, {"sigma": s, "q": q}, {"G": g})
        after = [shares[i][q] for i in range(3)]
        before = [shares[s[i]][s[q]] for i in range(3)]
        for side, said in zip(model.sides, (after, before), strict=True):
            found = exact_entries(put(side, model.instead), w)
            assert [found[i, 0] for i in range(3)] == said


def test_normal_form_by_hand() -> None:
    """Dividing a row by its sum would lose more of it than a factor."""
    row = [Fraction(v) for v in (0, 3, 6, 1)]
    alone = [v / sum(row) for v in row]
    assert [v / max(alone) for v in alone] == [v / max(row) for v in row]
    assert [v / max(row) for v in row] != [v / sum(row) for v in row]


@pytest.mark.parametrize("name", SHOWN)
def test_every_permutation_outside_is_shown(name: str) -> None:
    """Some σ outside the group would have no witness, or one inside would have one."""
    for n in SHOWN[name][0]:
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
