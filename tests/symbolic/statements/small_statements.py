"""Letters and abbreviations for statements about small tensors, in tests of the logic."""

from typing import Any

import pytest

from orderproof.symbolic.calculus.terms import Set, Term, at
from orderproof.symbolic.models.builders import constant, leaf_of, multiply, number, size, tensor
from orderproof.symbolic.statements import logic
from orderproof.symbolic.statements.evidence import Evidence
from orderproof.symbolic.statements.statement import Atom, Sizes, Statement

n, m = Set("n"), Set("m")
X, Y, W, Z = tensor("X", i=n), tensor("Y", i=n), tensor("W", i=n), tensor("Z", j=m)
M, N = tensor("M", i=n, j=m), tensor("N", i=n, j=n)
A, B = tensor("A"), tensor("B")
ZERO, ONE = number(0), number(1)
p, r = constant("p", n), constant("r", m)
op = leaf_of
EVERY = Sizes()
PRIME = 3  # values modulo 3: no size up to 2 is 0

FALSE = Atom(ZERO, "=", ONE)
NOT_EMPTY = Atom(size(n), "≠", ZERO)
IS_0 = Atom(A, "=", ZERO)
AGREE = Atom(multiply(A, X), "=", multiply(A, Y))


def entry(t: Term) -> Term:
    """The entry of a tensor over n at the place p."""
    return at(t, {"i": p()})


def some(left: Term, relation: str, right: Term) -> Atom:
    """An atom at some assignment."""
    return Atom(left, relation, right, some=True)


def says(
    atom: Atom, *given: Atom, exists: Any = (), such: Any = (), sizes: Sizes = EVERY
) -> Statement:
    """A statement, by its atom and hypotheses."""
    return Statement(atom, frozenset(given), frozenset(map(op, exists)), frozenset(such), sizes)


def shown(atom: Atom, *given: Atom, **rest: Any) -> Evidence:
    """Evidence for a statement."""
    return Evidence(True, "shown", says(atom, *given, **rest))


def dropped(patch: pytest.MonkeyPatch, check: str) -> None:
    """Take away the check that refuses in these words."""
    need = logic._need

    def others(holds: bool, rule: str, why: str) -> None:
        if check not in why:
            need(holds, rule, why)

    patch.setattr(logic, "_need", others)
