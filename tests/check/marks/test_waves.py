"""The marks of identities between waves, and the theorems on sinusoids and rotations."""

from __future__ import annotations

from fractions import Fraction
from math import cos, sin

import pytest

from orderproof.check.claims import Atom, Check, holds
from orderproof.check.marks.sympy_entries import by_sympy
from orderproof.check.marks.waves import by_steps, by_true_frequencies
from orderproof.check.prove.unchecked import unchecked
from orderproof.symbolic.calculus.terms import Set
from orderproof.symbolic.models.builders import add, iota, multiply, number, subtract, tensor
from orderproof.symbolic.statements.statement import Sizes
from tests.judged import loaded, mark, ok

IDS = ("sinusoidal_shift_is_rotation", "rope_relative_score")


ONE_OR_BOTH = pytest.mark.parametrize(
    "name", [IDS[0], pytest.param(IDS[1], marks=pytest.mark.slow)]
)


@ONE_OR_BOTH
@pytest.mark.parametrize("check", [by_steps, by_true_frequencies])
def test_marks_reject_a_falsehood(check: Check, name: str) -> None:
    """A mark would be green whatever the sides are; or a small difference would not be seen."""
    for claim in loaded(name).claims:
        assert ok(check, claim) is True
        for wrong in (add(claim.rhs, number(Fraction(1, 1000))), multiply(claim.rhs, number(2))):
            assert ok(check, claim.stating(rhs=wrong)) is False
        for relation in ("≠", "<"):
            assert ok(check, claim.stating(relation=relation)) is not True
        if claim.statement.atom.axes:  # without, some entry is every entry
            assert ok(check, claim.stating(some=True)) is not True
        assert not mark(check, claim).settles  # three sizes, and seven frequencies


def test_by_hand() -> None:
    """The book's formulas would not be those of the paper."""
    p, q, t = 3.0, 7.5, 2.25
    angle = 10000 ** (-2 / 8)
    row = [[sin(x * angle), cos(x * angle)] for x in (p, q, p + t)]
    assert row[0][0] * row[1][0] + row[0][1] * row[1][1] == pytest.approx(cos((q - p) * angle))
    c, s = cos(t * angle), sin(t * angle)
    assert row[2] == pytest.approx([c * row[0][0] + s * row[0][1], c * row[0][1] - s * row[0][0]])


def test_enclosures_tell_orders_apart() -> None:
    """The mark would be green where the sides are equal, or at any frequencies, or settle a size
    that no witness has."""
    claim = loaded("not_equivariant_of_rotary_positions").claims[1]
    check, s = claim.marks["interval"], claim.statement
    assert mark(check, claim).settles
    assert ok(check, claim.stating(lhs=claim.rhs)) is False
    assert ok(check, claim.stating(relation="=", some=False)) is False
    assert ok(check, claim.stating(given=frozenset())) is None  # any frequencies
    wider = Sizes(of=s.sizes.of, among=s.sizes.among | {tuple(7 for _ in s.sizes.of)})
    assert not mark(check, claim.stating(sizes=wider)).settles
    assert not mark(check, claim.stating(sizes=Sizes())).settles


@pytest.mark.parametrize("name", IDS)
def test_steps_are_printed(name: str) -> None:
    """The derivation would not be shown, or its two sides would not meet."""
    page = unchecked(loaded(name))
    assert page.examples
    for example in page.examples:
        shown = [p for p in example.parts if not isinstance(p, str)]
        cut = next(k for k, p in enumerate(example.parts) if str(p).startswith("The right side"))
        assert example.parts[cut - 1] == shown[-1]  # both sides end in the same formula


def test_a_check_of_entries_that_has_none_says_nothing() -> None:
    """A claim under a hypothesis that holds at n = 0 alone would be green for want of entries."""
    n = Set("n")
    t, x = tensor("t"), tensor("x", i=n)
    never = Atom(add(iota(n, "i"), number(1)), "=", iota(n, "i"))
    assert ok(by_sympy, holds(x, "=", add(x, x), {}, given=[never])) is None
    moving = Atom(add(iota(n, "i"), t), "=", iota(n, "i"))  # t = 0: no generic t is
    assert ok(by_sympy, holds(x, "=", add(x, x), {}, given=[moving])) is None
    always = Atom(subtract(add(iota(n, "i"), number(2)), number(2)), "=", iota(n, "i"))
    assert ok(by_sympy, holds(x, "=", add(x, x), {}, given=[always])) is False
    assert ok(by_sympy, holds(x, "=", x, {}, given=[always])) is True
