"""The line below a proof: which layers settle its claims, and which confirm them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orderproof.check.page import RECORDED_ROCQ, ClaimPage, Formula, Mark, TheoremPage
from orderproof.publish.evidence import line
from orderproof.publish.tables import carried

KERNEL = Mark("kernel", True, 0.0, "", settles=True)
SMT = Mark("smt", True, 0.0, "Z3 and cvc5: 3 questions generated from the terms", settles=True)
SYMPY = Mark("sympy", True, 0.0, "")
NUMERIC = Mark("numeric", True, 0.0, "")
EXACT = Mark("exact", True, 0.0, "n = 2, entry (1, 1): 1/2 ≠ 2/3", settles=True)
ROCQ = Mark("rocq", True, 0.0, "", settles=True)
RECORDED = replace(ROCQ, mark=RECORDED_ROCQ)


def page(*claims: ClaimPage) -> TheoremPage:
    """A theorem of these claims."""
    return TheoremPage("t", "T", (), "", (), None, (), (), claims, None)


def claim(*marks: Mark, scope: str = "all n, d", **changed: str) -> ClaimPage:
    """A claim that carries these marks."""
    made = ClaimPage(Formula("x", "x"), "equality", scope, "proved", "proved", marks)
    return replace(made, **changed)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        ([True, True], "2/2"), ([True, False], "✗"), ([None, False], "✗"), ([True, None], "?"),
        ([], ""),
    ],
)  # fmt: skip
def test_a_mark_that_failed_is_not_counted(found: list[bool | None], shown: str) -> None:
    """The table of evidence would count a mark that failed as one that was made."""
    assert carried(page(*(claim(Mark("smt", ok, 0.0, "")) for ok in found)), "smt") == shown


def test_one_sentence_for_all_claims() -> None:
    """What confirms would be taken for what proves, or the other way round."""
    told = line(page(claim(KERNEL, SMT, SYMPY, NUMERIC), claim(KERNEL, SMT, SYMPY, NUMERIC)))
    assert told == (
        "Checked for all sizes and weights: kernel, Z3 and cvc5; in small cases: SymPy; "
        "in numbers: NumPy."
    )


def test_claims_of_other_evidence_have_their_own() -> None:
    """A counterexample at n = 2 would be said to be checked for all sizes."""
    told = line(page(claim(KERNEL), claim(KERNEL), claim(EXACT, NUMERIC, scope="n = 2")))
    assert told == (
        "(1)–(2) checked for all sizes and weights: kernel. "
        "(3) checked for n = 2: exact fractions; in numbers: NumPy."
    )


def test_what_is_not_proved_is_not_called_checked() -> None:
    """An open claim, one that is recorded, or one that failed, would pass."""
    assert line(page(claim(SYMPY, verdict="open"))) == "Not proved; in small cases: SymPy."
    said = "Recorded from Rocq for all sizes and weights; in small cases: SymPy."
    assert line(page(claim(RECORDED, SYMPY, verdict="recorded"))) == said
    said = "Checked for all sizes and weights: kernel; recorded from Rocq."
    assert line(page(claim(KERNEL, RECORDED))) == said
    assert "the outcome is refuted" in line(page(claim(EXACT, verdict="refuted")))
    undecided = replace(SYMPY, ok=None)
    for marks in ((KERNEL, undecided), (RECORDED, undecided)):
        assert line(page(claim(*marks, verdict="open"))) == "Not proved; undecided: SymPy."
    failed = replace(SYMPY, ok=False)
    assert line(page(claim(KERNEL, failed))).endswith("kernel; failed: SymPy.")


def test_what_was_not_checked_has_its_marks_declared() -> None:
    """Where no mark was made, it would be called checked, or not proved."""
    declared = replace(KERNEL, ok=None, settles=False)
    told = line(page(claim(declared, replace(SYMPY, ok=None), verdict="not checked")))
    assert told == "Not checked; marks declared: kernel, sympy."
