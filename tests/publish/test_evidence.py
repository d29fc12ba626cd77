"""The line below a proof: which layers settle its claims, and which confirm them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orderproof.check.page import RECORDED_ROCQ, ClaimPage, Formula, Mark, TheoremPage
from orderproof.publish.evidence import carried, line

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


UNDECIDED, FAILED = replace(SYMPY, ok=None), replace(SYMPY, ok=False)
FOR_ALL = "hecked for all sizes and weights: kernel"
DECLARED = claim(replace(KERNEL, ok=None, settles=False), UNDECIDED, verdict="not checked")


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ([claim(KERNEL, SMT, SYMPY, NUMERIC)] * 2,
         f"C{FOR_ALL}, Z3 and cvc5; in small cases: SymPy; in numbers: NumPy."),
        ([claim(KERNEL), claim(KERNEL), claim(EXACT, NUMERIC, scope="n = 2")],
         f"(1)–(2) c{FOR_ALL}. (3) checked for n = 2: exact fractions; in numbers: NumPy."),
        ([claim(SYMPY, verdict="open")], "Not proved; in small cases: SymPy."),
        ([claim(RECORDED, SYMPY, verdict="recorded")],
         "Recorded from Rocq for all sizes and weights; in small cases: SymPy."),
        ([claim(KERNEL, RECORDED)], f"C{FOR_ALL}; recorded from Rocq."),
        ([claim(EXACT, verdict="refuted")],
         "Not proved; the outcome is refuted, where proved was expected."),
        ([claim(KERNEL, UNDECIDED, verdict="open")], "Not proved; undecided: SymPy."),
        ([claim(RECORDED, UNDECIDED, verdict="open")], "Not proved; undecided: SymPy."),
        ([claim(KERNEL, FAILED)], f"C{FOR_ALL}; failed: SymPy."),
        ([DECLARED], "Not checked; marks declared: kernel, sympy."),
    ],
)  # fmt: skip
def test_the_line_says_what_settles_and_what_confirms(claims: list[ClaimPage], said: str) -> None:
    """What confirms would be taken for what proves, a counterexample at n = 2 be said to be checked
    for all sizes, or what is open, recorded, failed or not checked pass for checked."""
    assert line(page(*claims)) == said
