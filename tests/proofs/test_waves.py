"""The marks of identities between waves, and the theorems on sinusoids and rotations."""

from __future__ import annotations

from dataclasses import replace
from math import cos, sin

import pytest

from orderproof.proofs import catalogue
from orderproof.proofs.claims import Claim
from orderproof.proofs.marks import by_sympy
from orderproof.proofs.marks_waves import by_steps, by_true_frequencies
from orderproof.proofs.sinusoidal_shift_is_rotation import identity
from orderproof.proofs.translation_by_scheme import FURTHER_ON, OFFSET
from orderproof.symbolic.kernel import equation, hyp
from orderproof.symbolic.language import add, iota, multiply, number, subtract, tensor
from orderproof.symbolic.linked import unlinked
from orderproof.symbolic.replacing import replaced
from orderproof.symbolic.rotations import (
    T,
    common_account,
    cosine,
    length_account,
    offset_account,
    relative_account,
    shift_accounts,
)
from orderproof.symbolic.schema import Account
from orderproof.symbolic.terms import Set

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


ACCOUNTS = (
    *shift_accounts(), length_account(), offset_account(), relative_account(), common_account()
)  # fmt: skip


@pytest.mark.parametrize("account", ACCOUNTS)
def test_accounts_are_of_their_own_terms(account: Account) -> None:
    """Cosine and sine could be exchanged in what the lemmas speak of, or one be taken at another
    place, and the account would still count as one of the claim."""
    assert not account.fault() and not unlinked(account)
    for name, term in account.reading.items():
        if name.startswith("cos"):
            other = account.reading[f"sin{name.removeprefix('cos')}"]
            swapped = replace(account, reading={**account.reading, name: other})
            assert unlinked(swapped), name
            further = {**account.reading, name: cosine(number(1))}
            assert term != further[name] and unlinked(replace(account, reading=further)), name


def test_enclosures_tell_rows_and_orders_apart() -> None:
    """The mark would be green where the sides are equal, or at other frequencies, or at a size
    that no witness has."""
    for name in IDS:
        (claim,) = [c for c in catalogue.load(name).claims if c.tables]
        check = claim.marks["interval"]
        assert check(claim)[0] is True
        assert check(replace(claim, rhs=claim.lhs))[0] is False
        assert check(replace(claim, tables={}))[0] is False
        assert check(replace(claim, relation="="))[0] is False
        assert check(replace(claim, kind="equality"))[0] is (claim.kind != "exists")
        more = {s: ("∈", (*values, 7)) for s, (_, values) in claim.sizes.items()}
        assert check(replace(claim, sizes=more))[0] is False


def test_what_is_made_of_offsets_is_kept() -> None:
    """The kernel would be asked for less than the whole model, or the identity not be one."""
    claims = catalogue.load("translation_by_scheme").claims
    kept = [c for c in claims if c.theorem is not None]
    assert len(kept) == 2 and all(c.hyps == {equation(FURTHER_ON, OFFSET)} for c in kept)
    for c in kept:
        assert all(check(c)[0] is True for check in c.marks.values())
        assert c.marks["kernel"](replace(c, hyps=frozenset()))[0] is False
    assert replaced(number(1), hyp(FURTHER_ON, OFFSET)) is None
    # a hypothesis that is no identity admits nothing
    slope = claims[1]
    for offset, expected in ((OFFSET, True), (add(OFFSET, T), None)):
        under = replace(slope, hyps=frozenset({equation(FURTHER_ON, offset)}))
        assert slope.marks["sympy"](under)[0] is expected


@pytest.mark.parametrize("name", IDS)
def test_steps_are_printed(name: str) -> None:
    """The derivation would not be shown, or its two sides would not meet."""
    page, _ = catalogue.prove_one(name)
    assert page.verdict == "proved"
    for example in page.examples:
        shown = [p for p in example.parts if not isinstance(p, str)]
        cut = next(k for k, p in enumerate(example.parts) if str(p).startswith("The right side"))
        assert example.parts[cut - 1] == shown[-1]  # both sides end in the same formula


def test_a_check_of_entries_that_has_none_says_nothing() -> None:
    """A claim under a hypothesis that holds at n = 0 alone would be green for want of entries."""
    n = Set("n")
    t, x = tensor("t"), tensor("x", i=n)
    never = equation(add(iota(n, "i"), t), iota(n, "i"))  # t = 0
    claim = Claim("equality", x, add(x, x), {}, "", hyps=frozenset({never}))
    assert by_sympy(claim)[0] is None
    always = equation(subtract(add(iota(n, "i"), t), t), iota(n, "i"))
    assert by_sympy(replace(claim, hyps=frozenset({always})))[0] is False
    assert by_sympy(replace(claim, rhs=x, hyps=frozenset({always})))[0] is True
