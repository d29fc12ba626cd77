"""A product over the places before an index prints as a power or a binomial, where it is one."""

from math import comb

import pytest

from orderproof.symbolic.calculus.terms import Set, Term
from orderproof.symbolic.models.builders import (
    add,
    divide,
    iota,
    multiply,
    number,
    pointwise,
    reduce,
    size,
    subtract,
)
from orderproof.symbolic.readings.exact import entries_of
from orderproof.symbolic.readings.notation import Latex, Plain
from orderproof.symbolic.readings.printer import Printer, Style
from orderproof.symbolic.schemes.running_means import binomial, sign

N = Set("n")
TOP, J, P = (iota(N, axis) for axis in "ijp")
ONE = number(1)


def printed(t: Term) -> str:
    """In plain text."""
    return Printer(Plain(), Style({}, {}, {N: "ij"})).indices(t)


def product(factor: Term, before: Term, kind: str = "prod") -> Term:
    """Π_p (1 + before (factor − 1))"""
    return reduce(kind, add(ONE, multiply(before, subtract(factor, ONE))), "p")


def up_to(end: Term) -> Term:
    """1 at the places before an end, else 0."""
    return pointwise("at_most", add(P, ONE), end)


CHOICE = divide(subtract(TOP, P), add(P, ONE))


def test_a_binomial_coefficient_prints_as_one() -> None:
    """A reader would see a product over places, or another coefficient than the term has."""
    assert printed(binomial(N, TOP, J)) == "C(i, j)"
    assert Printer(Latex(), Style()).indices(binomial(N, TOP, J)) == r"\binom{i}{j}"
    found = entries_of(binomial(N, TOP, J), {"n": 6}, {}, {})
    axes = binomial(N, TOP, J).axes
    for place, value in found.items():
        at = dict(zip(axes, place, strict=True))
        assert value == comb(at["i"], at["j"])


def test_a_sign_prints_as_a_power() -> None:
    """(−1)^j would not be a power of a bracket, or of another number."""
    assert printed(sign(N, J)) == "(-1)^j"
    assert printed(product(number(2), up_to(J))) == "2^j"
    assert Printer(Latex(), Style()).indices(sign(N, J)) == "(-1)^{j}"
    assert list(entries_of(sign(N, J), {"n": 4}, {}, {}).values()) == [1, -1, 1, -1]


@pytest.mark.parametrize(
    "t",
    [
        product(divide(subtract(TOP, P), add(P, number(2))), up_to(J)),
        product(divide(add(TOP, P), add(P, ONE)), up_to(J)),
        product(divide(subtract(P, P), add(P, ONE)), up_to(J)),
        product(CHOICE, pointwise("at_most", P, J)),
        product(CHOICE, up_to(size(N))),
        product(CHOICE, up_to(iota(Set("m"), "j"))),
        product(CHOICE, up_to(add(J, ONE))),
        product(CHOICE, up_to(J), "sum"),
        product(number(2), up_to(size(N))),
        reduce("prod", add(number(2), multiply(up_to(J), subtract(CHOICE, ONE))), "p"),
        reduce("prod", add(ONE, multiply(up_to(J), subtract(CHOICE, number(2)))), "p"),
        reduce("prod", multiply(up_to(J), subtract(CHOICE, ONE)), "p"),
    ],
)
def test_what_is_no_binomial_does_not_print_as_one(t: Term) -> None:
    """A product with another factor, another end or another set would be told as a binomial or as a
    power, which it is not."""
    assert "C(" not in printed(t)
    assert "^" not in printed(t)
