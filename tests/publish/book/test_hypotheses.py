"""Hypotheses and conclusions of claims apart: nothing assumed is lost."""

from functools import cache

import pytest

from orderproof.check.page import ClaimPage, Formula
from orderproof.check.prove.unchecked import unchecked
from orderproof.publish.book.hypotheses import conclusion, hypotheses, shared
from orderproof.publish.book.references import Names
from orderproof.publish.book.theorems import BadChapter, Theorems
from tests.judged import loaded

documents = cache(lambda: unchecked(loaded("documents_in_parallel")))
ARROW = r" \;\Rightarrow\; "


def claim(latex: str) -> ClaimPage:
    """A claim that says this."""
    return ClaimPage(Formula(latex, ""), "equality", "all n", "proved", "proved", ())


def test_a_claim_is_its_hypotheses_and_its_conclusion() -> None:
    """A hypothesis of a theorem would be missing where the book prints it in two parts."""
    for page in documents().claims:
        before, after = page.statement.latex.split(ARROW)
        assert conclusion(page).latex == after
        found = [h.latex for h in hypotheses(page)]
        for part in before.split(r",\; "):
            assert part in found or ("'" in part and part.replace("'", "") in found)


def test_only_twins_and_known_hypotheses_are_left_out() -> None:
    """What is said of primed tensors alone would be dropped, or what another claim assumes kept."""
    first = claim(r"p = q,\; b' = b,\; E = T,\; E' = T" + ARROW + "z' = z")
    assert [h.latex for h in hypotheses(first)] == ["p = q", "b' = b", "E = T"]
    assert [h.latex for h in hypotheses(first, [claim(f"p = q{ARROW}x = y")])] == [
        "b' = b",
        "E = T",
    ]
    assert hypotheses(claim("z' = z")) == []
    assert conclusion(claim("z' = z")).latex == "z' = z"


def test_hypotheses_are_shared_only_by_claims_that_have_the_same() -> None:
    """A claim would be printed under a hypothesis that it does not have, or without its own."""
    one, two, other = (claim(f"{h}{ARROW}x = {c}") for h, c in (("a", "1"), ("a", "2"), ("b", "3")))
    assert [h.latex for h in shared([one, two])] == ["a"]
    assert shared([one, other]) == []
    assert shared([one, claim("x = y")]) == []
    assert shared([one]) == []


def test_each_letter_that_is_asked_for_must_have_a_meaning() -> None:
    """A chapter would leave out a definition that it asks for, if another one is there."""
    theorems = Theorems([documents()], Names({}))
    assert "{H_{0} " in theorems.where("documents_in_parallel", "H_0")
    with pytest.raises(BadChapter, match="given nonsense, expected a letter it defines"):
        theorems.where("documents_in_parallel", "H_0", "nonsense")
