"""The marks of identities between waves, and the theorems on sinusoids and rotations."""

from __future__ import annotations

from dataclasses import replace
from math import cos, sin

import pytest

from orderproof.proofs import catalogue
from orderproof.proofs.marks_waves import by_steps, by_true_frequencies
from orderproof.proofs.sinusoidal_shift_is_rotation import identity
from orderproof.symbolic.language import add, multiply, number
from orderproof.symbolic.rotations import offset_account, relative_account

IDS = ("sinusoidal_shift_is_rotation", "rope_relative_score")


@pytest.mark.parametrize("check", [by_steps, by_true_frequencies])
def test_marks_reject_a_falsehood(check: object) -> None:
    """A mark would be green whatever the sides are; or a small difference would not be seen."""
    for account in (offset_account(), relative_account()):
        claim = identity(account)
        assert check(claim)[0] is True  # type: ignore[operator]
        for wrong in (add(claim.rhs, number(1)), multiply(claim.rhs, number(2))):
            assert check(replace(claim, rhs=wrong))[0] is False  # type: ignore[operator]
        assert check(replace(claim, relation="≠"))[0] is not True  # type: ignore[operator]


def test_by_hand() -> None:
    """The book's formulas would not be those of the paper."""
    p, q, t = 3.0, 7.5, 2.25
    angle = 10000 ** (-2 / 8)
    row = [[sin(x * angle), cos(x * angle)] for x in (p, q, p + t)]
    assert row[0][0] * row[1][0] + row[0][1] * row[1][1] == pytest.approx(cos((q - p) * angle))
    c, s = cos(t * angle), sin(t * angle)
    assert row[2] == pytest.approx([c * row[0][0] + s * row[0][1], c * row[0][1] - s * row[0][0]])


@pytest.mark.parametrize("name", IDS)
def test_steps_are_printed(name: str) -> None:
    """The derivation would not be shown, or its two sides would not meet."""
    page, _ = catalogue.prove_one(name)
    assert page.verdict == "proved"
    for example in page.examples:
        shown = [p for p in example.parts if not isinstance(p, str)]
        cut = next(k for k, p in enumerate(example.parts) if str(p).startswith("The right side"))
        assert example.parts[cut - 1] == shown[-1]  # both sides end in the same formula
