"""score_bias_iff: hypotheses left out, and every permutation outside the group by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import exp

import pytest

from orderproof.proofs.score_bias_iff import (
    SHOWN,
    only_shown_if,
    recovered,
    unit_tokens,
    witnesses,
)
from orderproof.symbolic import kernel
from orderproof.symbolic.statement import kind
from orderproof.symbolic.statement_text import digest
from tests.proofs.judged import loaded, mark, ok


def test_only_if_is_of_units_and_of_both_sides() -> None:
    """The kernel's theorem would rest on more than f(P X) = P f(X) at unit tokens, or on less."""
    here, there = unit_tokens()
    shown = only_shown_if(recovered())
    assert shown.hyps == frozenset({kernel.equation(there.lhs, here.lhs)})
    assert shown.law == "ring"  # 0·x = 0
    with pytest.raises(kernel.KernelError):
        kernel.discharge(recovered(), here)


def test_normal_form_by_hand() -> None:
    """Dividing a row by its sum would lose more of it than a factor."""
    row = [Fraction(v) for v in (0, 3, 6, 1)]
    alone = [v / sum(row) for v in row]
    assert [v / max(alone) for v in alone] == [v / max(row) for v in row]
    assert [v / max(row) for v in row] != [v / sum(row) for v in row]


def test_row_constants_hold_where_the_total_is_not_zero() -> None:
    """The claim would be about rows whose weights add up to 0, or the mark would not look."""
    claim = loaded("score_bias_iff").claims[1]
    smt, given = claim.marks["smt"], claim.statement.given
    assert mark(smt, claim).settles
    for hypothesis in given:
        bare = claim.stating(given=given - {hypothesis})
        assert ok(smt, bare) is not True


@pytest.mark.parametrize(("name", "sizes"), [(name, at) for name, (at, _) in SHOWN.items()])
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
    """One of the two directions would be missing, or its mark; or two biases be one statement."""
    claims = loaded("score_bias_iff").claims
    marks = [(kind(c.statement), sorted(c.declared())) for c in claims]
    both = ["kernel", "numeric", "sympy"]
    assert marks[:6] == [
        ("equality", sorted([*both, "rocq"])),
        ("equality", ["numeric", "smt", "sympy"]),
        ("equality", both),
        ("equality", both),
        ("equality", ["kernel", "rocq"]),
        ("equality", ["numeric", "smt"]),
    ]
    shown = claims[-len(SHOWN) - 1 :]
    assert [kind(c.statement) for c in shown] == ["exists"] * (len(SHOWN) + 1)
    assert len({digest(c.statement) for c in shown}) == len(shown)
    assert all(check.ok for check in (mark(m, shown[-1]) for m in shown[-1].marks.values()))
