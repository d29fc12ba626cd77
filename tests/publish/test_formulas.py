"""Formulas of proofs in words: each is checked and printed somewhere, and means what it prints."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import pytest

from orderproof._paths import PROOFS
from orderproof.check.claims import Claim, Named
from orderproof.check.formulas import Meaning, Shown, Stated, Written
from orderproof.check.page import Mark
from orderproof.check.prove.checking import run
from orderproof.proofs import CHAPTERS, catalogue
from orderproof.proofs.causal_stacks.formulas import AVERAGE, FOUR, SHOW, THREE, E, M, column
from orderproof.publish import formulas
from orderproof.publish.formulas import printed
from orderproof.symbolic.readings.error import ReadingError
from orderproof.symbolic.readings.scaled import Scaled
from orderproof.symbolic.schemes.running_means import stacked
from tests.judged import loaded

STATED = {name: f for name, f in formulas.formulas().items() if isinstance(f, Stated)}


# ------------------------------------------------------------------------------ what they say
def marks(claim: Claim) -> list[Mark]:
    """What its marks say of a claim."""
    return [run(check, name, claim) for name, check in claim.marks.items()]


@pytest.mark.parametrize("name", STATED)
def test_each_is_checked(name: str) -> None:
    """A step that is false could stand in a proof, typed as a term."""
    found = marks(STATED[name].claim)
    assert found and all(m.ok for m in found), [m.detail for m in found]


def test_a_false_formula_is_refused() -> None:
    """The test above would pass whatever is stated."""
    true, other = (STATED[name].claim for name in ("a term replaced", "two terms exchanged"))
    found = marks(true.stating(rhs=other.rhs))
    assert found and not any(m.ok for m in found)


# ------------------------------------------------------------------------------ where they are
def texts() -> dict[str, str]:
    """The chapters, and the proofs in words, by their names."""
    found = {c: (PROOFS / c / "chapter.md").read_text(encoding="utf-8") for c in CHAPTERS}
    return found | {name: loaded(name).argument for name in catalogue.IDS}


def unprinted(given: Mapping[str, str]) -> list[str]:
    """The formulas that none of these texts prints."""
    slots = re.findall(r"\{([^{}]*)\}", "\n".join(given.values()))
    names = {name.strip() for slot in slots for name in slot.split(";")}
    return [name for name in formulas.formulas() if name not in names]


def test_each_is_printed() -> None:
    """A statement would be checked, and kept, for no reader."""
    every = texts()
    assert unprinted(every) == []
    lemma = ["a term replaced", "two terms exchanged"]
    assert unprinted({**every, "sum_act": ""}) == lemma


def test_a_name_is_given_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof would print the formula of another chapter."""
    monkeypatch.setattr(formulas, "CHAPTERS", ("heads", "pooling", "pooling"))
    with pytest.raises(formulas.TwoOfOneName, match=r"^pooling/formulas\.py: given one_token, "):
        formulas.formulas.__wrapped__()


# ------------------------------------------------------------------------- how they are printed
def test_hypotheses_that_the_words_say_are_not_printed() -> None:
    """A proof would repeat hypotheses in every line, or a formula lose those that no word says."""
    told, whole = STATED["no queries"], STATED["weighed more or less"]
    assert told.claim.statement.given and printed(told).plain == "A = N"
    assert "⇒  A = N" in printed(replace(told, told=False)).plain
    assert printed(whole).plain.startswith("0 ≤ g  ⇒  ")


@pytest.mark.parametrize(
    ("shown", "plain"),
    [
        (Written(stacked(M, M), SHOW, THREE, "i", "j"),
         "M M = (1, 0, 0; 3/4, 1/4, 0; 11/18, 5/18, 1/9)"),
        (Written(stacked(M, M), SHOW, THREE, "j", "i"),
         "(M M)ᵀ = (1, 3/4, 11/18; 0, 1/4, 5/18; 0, 0, 1/9)"),
        (Written(E, SHOW, FOUR, "i", "j"),
         "E = (1, 0, 0, 0; 1, -1, 0, 0; 1, -2, 1, 0; 1, -3, 3, -1)"),
        (Written(AVERAGE, SHOW, column(3, 0), "i", "c"), "(M X)ᵀ = (1, 1/2, 1/3)"),
        (Written(AVERAGE, SHOW, column(3, 1), "i", "c"), "(M X)ᵀ = (0, 1/2, 1/3)"),
        (Meaning(Named("E", E, "i", "j"), SHOW), "E[i, j] = (-1)^j C(i, j)"),
        (Meaning(Named("M", M, "i", "j"), SHOW), "M[i, j] = [j ≤ i] / (Σ_k [k ≤ i])"),
    ],
)  # fmt: skip
def test_values_and_meanings_are_those_of_the_term(shown: Shown, plain: str) -> None:
    """A printed matrix would have other entries than the term, rows for columns, or a column print
    as if it were the tensor; or a letter mean what another stands for, or itself."""
    assert printed(shown).plain == plain


def test_a_value_in_a_unit_is_refused() -> None:
    """A score of 3 ln 2 would be printed as 3."""
    zero = (Fraction(0), Fraction(0))
    with pytest.raises(ReadingError, match="expected fractions"):
        formulas.rows(E, {(0, 0): Scaled(2, zero, (Fraction(3), Fraction(0)))}, "i")
