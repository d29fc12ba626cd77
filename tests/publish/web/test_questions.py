"""The front page's answers are sentences of theorems; headings hold every theorem."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orderproof.check.page import TheoremPage
from orderproof.proofs import catalogue
from orderproof.publish.web.questions import QUESTIONS, BadAnswer, answered, by_chapter

Pages = tuple[TheoremPage, ...]


@pytest.mark.parametrize("name", sorted({name for _, cited in QUESTIONS for name, _ in cited}))
def test_every_answer_is_said_by_claims(pages: Pages, name: str) -> None:
    """A question would be answered by a remark, or by a sentence that has moved."""
    theorem = catalogue.load(name)
    words = tuple((s.text, theorem.said_by(s)) for s in theorem.words)
    claims = pages[0].claims * len(theorem.declared())
    page = replace(pages[0], id=name, words=words, claims=claims)
    rows = [("?", [(n, k) for _, cited in QUESTIONS for n, k in cited if n == name])]
    (found,) = answered({name: page}, rows)
    assert all(s.theorem == name and s.claims for s in found.said)


def test_a_sentence_that_no_claim_says_is_no_answer(pages: Pages) -> None:
    """The check above would pass a remark."""
    remark = replace(pages[0], words=(("All is well.", ()),))
    for k in (0, 1, -1):
        with pytest.raises(BadAnswer, match="expected one that claims say"):
            answered({remark.id: remark}, [("?", [(remark.id, k)])])
    assert answered({}, [("?", [("sum_act", 0)])]) == []  # not in this site


def test_an_answer_that_is_not_proved_says_so(pages: Pages) -> None:
    """A sentence whose claim stayed open would stand among the answers like one that is proved."""
    lemma = pages[0]
    for verdict, shade, said in (
        ("proved", "proved", ""),
        ("recorded", "recorded", "recorded from Rocq"),
        ("open", "open", "open, expected: proved"),
        ("refuted", "open", "refuted, expected: proved"),
    ):
        claims = (lemma.claims[0], replace(lemma.claims[0], verdict=verdict))
        page = replace(lemma, claims=claims, words=((lemma.words[0][0], (0, 1)),))
        (found,) = answered({page.id: page}, [("?", [(page.id, 0)])])
        assert (found.said[0].verdict, found.said[0].unproved) == (shade, said)


def test_every_theorem_stands_in_its_chapter(pages: Pages) -> None:
    """A theorem would be missing from the front page, or be there twice."""
    every = [replace(pages[0], id=name) for name in catalogue.IDS]
    found = by_chapter(every)
    assert [p.id for _, below in found for p in below] == list(catalogue.IDS)
    assert [title for title, _ in found] == [c.title for c in catalogue.chapters() if c.theorems]
