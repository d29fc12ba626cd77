"""That the rows of the sinusoidal table differ is shown by bounds of π, at its own frequencies."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from orderproof.check.marks.waves import FREQUENCIES, at_first, by_period, rows_differ
from orderproof.proofs.prelude import add, divide, exp, iota, multiply, number, pointwise, size
from orderproof.proofs.symbols import n
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.models.builders import tensor
from orderproof.symbolic.schemes.rotations import OMEGA, PAIRS
from orderproof.symbolic.statements.evidence import weigh
from orderproof.symbolic.statements.statement import Atom, Statement, sizes

MANY = 10**18
OWN = rows_differ(n, MANY)
K, ANY = iota(PAIRS, "k"), tensor("a", k=PAIRS)
MORE = rows_differ(n, 10 * MANY)
FALSE = {
    "more rows than bounds of π tell apart": MORE,
    "all rows": replace(OWN, given=frozenset({FREQUENCIES})),
    "any frequencies, 2π too": replace(OWN, given=OWN.given - {FREQUENCIES}),
    "no features": replace(OWN, sizes=sizes()),
}


def test_it_settles_its_own_statement() -> None:
    """The check would show another statement than the one it is named after; or at another first
    frequency, or more rows than it can."""
    assert weigh(OWN, by_period(n, MANY)(OWN)).settles
    twice = Atom(OMEGA, "=", number(2))
    assert by_period(n, MANY // 2, twice)(rows_differ(n, MANY // 2, twice)).ok is True
    assert by_period(n, 10 * MANY)(MORE).ok is None
    assert "hypothesis that is not claimed" in weigh(MORE, by_period(n, MANY)(MORE)).detail


@pytest.mark.parametrize("false", FALSE.values(), ids=FALSE)
def test_it_shows_no_more(false: Statement) -> None:
    """Rows would be told apart that are equal, or that no bound of π tells apart."""
    assert weigh(false, by_period(n, MANY)(false)).ok is False


@pytest.mark.parametrize(
    "formula",
    [
        number(0),  # all rows are (0, 1)
        number(-1),
        ANY,  # it may be 2π
        multiply(number(2), ANY),
        exp(number(1)),
        exp(add(K, number(0))),  # a sum is not read
        divide(K, number(0)),
        divide(K, ANY),
        pointwise("log", number(1)),
    ],
)
def test_a_first_frequency_that_is_not_known(formula: Term) -> None:
    """A frequency could be taken for 1 that is 0, or is not read from its formula."""
    other = Atom(OMEGA, "=", formula)
    assert by_period(n, MANY, other)(rows_differ(n, MANY, other)).ok is None


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        (FREQUENCIES.rhs, 1),
        (multiply(tensor("a"), divide(K, size(PAIRS))), 0),
        (pointwise("neg", multiply(number(3), number(Fraction(1, 2)))), Fraction(-3, 2)),
    ],
)
def test_values_at_the_first_index(formula: Term, value: Fraction) -> None:
    """A formula would be given another value than it has there."""
    assert at_first(formula) == value
