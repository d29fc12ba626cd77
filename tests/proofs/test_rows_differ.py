"""That the rows of the sinusoidal table differ is shown by bounds of π, at its own frequencies."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from orderproof.check.marks.waves import FREQUENCIES, at_first, by_period, rows_differ
from orderproof.symbolic.calculus.terms import Set, Term
from orderproof.symbolic.models.builders import (
    add,
    divide,
    exp,
    iota,
    multiply,
    number,
    pointwise,
    size,
    tensor,
)
from orderproof.symbolic.schemes.rotations import OMEGA, PAIRS
from orderproof.symbolic.statements.evidence import weigh
from orderproof.symbolic.statements.statement import Atom, sizes

n = Set("n")
MANY = 10**18


def test_it_settles_its_own_statement() -> None:
    """The check would show another statement than the one it is named after."""
    found = weigh(rows_differ(n, MANY), by_period(n, MANY)(rows_differ(n, MANY)))
    assert found.ok is True and found.settles


def test_more_rows_than_were_told_apart() -> None:
    """More rows could be claimed than bounds of π tell apart, by the claim or by the check."""
    more = rows_differ(n, 10 * MANY)
    refused = weigh(more, by_period(n, MANY)(more))
    assert refused.ok is False and "hypothesis that is not claimed" in refused.detail
    assert by_period(n, 10 * MANY)(more).ok is None
    all_rows = replace(more, given=frozenset({FREQUENCIES}))
    assert weigh(all_rows, by_period(n, MANY)(all_rows)).ok is False


def test_any_frequencies() -> None:
    """The rows of any table would differ, of one with the frequencies 2π too."""
    s = rows_differ(n, MANY)
    free = replace(s, given=s.given - {FREQUENCIES})
    assert weigh(free, by_period(n, MANY)(free)).ok is False
    no_pairs = replace(s, sizes=sizes())
    assert weigh(no_pairs, by_period(n, MANY)(no_pairs)).ok is False


@pytest.mark.parametrize(
    "formula",
    [
        number(0),  # all rows are (0, 1)
        number(-1),
        tensor("a", k=PAIRS),  # it may be 2π
        multiply(number(2), tensor("a", k=PAIRS)),
        exp(number(1)),
        exp(add(iota(PAIRS, "k"), number(0))),  # a sum is not read
        divide(iota(PAIRS, "k"), number(0)),
        divide(iota(PAIRS, "k"), tensor("a", k=PAIRS)),
        pointwise("log", number(1)),
    ],
)
def test_a_first_frequency_that_is_not_known(formula: Term) -> None:
    """A frequency could be taken for 1 that is 0, or is not read from its formula."""
    other = Atom(OMEGA, "=", formula)
    s = rows_differ(n, MANY, other)
    assert by_period(n, MANY, other)(s).ok is None


def test_values_at_the_first_index() -> None:
    """A formula would be given another value than it has there."""
    k = iota(PAIRS, "k")
    assert at_first(FREQUENCIES.rhs) == 1
    assert at_first(multiply(tensor("a"), divide(k, size(PAIRS)))) == 0
    assert at_first(pointwise("neg", multiply(number(3), number(Fraction(1, 2))))) == Fraction(
        -3, 2
    )
    other = Atom(OMEGA, "=", number(2))
    assert by_period(n, MANY // 2, other)(rows_differ(n, MANY // 2, other)).ok is True
